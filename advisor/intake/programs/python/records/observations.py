"""What a Python program does with a message without processing it: it asks for the place of a
message in its log or whether it is valid, and tells traces, metrics and contexts of logs of it.

A commit behind this alone comes before the message is processed.
"""

from __future__ import annotations

import ast
import re

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.records.branch import Branch

_PLACE = frozenset({"offset", "topic", "partition", "timestamp", "leader_epoch", "latency"})
_ONLY_OBSERVES = frozenset({
    "set_attribute", "set_attributes", "set_tag", "set_tags", "set_extra", "set_description",
    "set_postfix", "bind_contextvars", "bound_contextvars", "add_custom_attribute",
    "add_custom_attributes", "add_breadcrumb", "start_as_current_span", "start_span",
    "start_active_span", "timing", "record_metric", "log_event", "log_message",
})  # fmt: skip
_OBSERVERS = re.compile(
    r"(?i)_?(?:\w*(?:span|tracer|propagat\w*|sentry\w*|structlog|baggage|metrics?|gauge|histogram"
    r"|counter|timer|lag|statsd|logger|pbar|tqdm|scope)|log|bar|progress)"
)
_TELLS = re.compile(
    r"set|add|record\w*|extract|inject|bind|update|observe|time|gauge|put_\w+|set_\w+|add_\w+"
    r"|start_\w+|use_span"
)
_ASKS = re.compile(
    r"(?!\w*_and_)(?:is|has|should|can|check|verify|valid|assert|ensure|require)_\w+|is[a-z]+|exists|matches"
    r"|match|startswith|endswith|validate|check|verify"
)


def processes_message(call: ast.Call, branch: Branch) -> bool:
    """Whether a call, which is given a message, does something with it. One that only observes it
    counts as no processing before a commit: behind one, it is the most that is certain."""
    if syntax.is_log(call) or syntax.only_parses(call):
        return False
    if branch.committed:
        return True
    asks = _ASKS.fullmatch(syntax.method_name(call))
    return not (asks or only_observes(call)) and _has_more(call, branch.names)


def only_observes(call: ast.Call) -> bool:
    """Whether a call tells a trace, a metric or a context of logs of what it is given."""
    verb, whose = syntax.method_name(call), syntax.last_name_of_receiver(call).partition("(")[0]
    tells = _TELLS.fullmatch(verb) and _OBSERVERS.fullmatch(whose)
    return verb in _ONLY_OBSERVES or bool(tells)


def _has_more(node: ast.AST, names: set[str]) -> bool:
    """Whether an expression has more of messages of these names than their place in the log."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr), args=[]) if attr in _PLACE:
            return False
        case ast.Name() | ast.Attribute(value=ast.Name("self" | "cls")):
            return ast.unparse(node) in names
        case _:
            return any(_has_more(inner, names) for inner in ast.iter_child_nodes(node))
