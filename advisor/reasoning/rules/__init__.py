"""The rules, one bad pattern per file. To add a rule, add a file to this folder.

Each file defines `RULE`; its docstring is the rule's page: what it is, why it matters, what to use
instead. Codes: P producer, T topic, B broker, C consumer, S Kafka Streams, A application.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from advisor.reasoning.finding import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Returns all rules, ordered by code."""
    modules = (
        import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)
    )
    rules: list[Rule] = [module.RULE for module in modules]
    return tuple(sorted(rules, key=lambda rule: rule.code))
