"""Options `--set COMPONENT.KEY=VALUE`: what a file may state, an option may state as well.

What the catalog weighs is judged with all other fields. A real setting that it does not weigh is
told like a file's line: what becomes of it, and what the product refuses beside the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from advisor.catalog import Component, SettingError, UnknownSetting, lookup, refused_combination
from advisor.intake.known import known_keys
from advisor.intake.reading import Item, Product, Reading
from advisor.intake.weigh import Intake, weigh

_PLACE = "Line 0: "
"""How `weigh` names the place of an item without a line."""


def weigh_options(stated: Mapping[str, str], product: Product) -> tuple[dict[str, str], Intake]:
    """The fields that are judged with all others, and what is found of the rest.

    Raises `SettingError` for a version that is not known.
    """
    items = {name: _item(name, text) for name, text in stated.items()}
    others = [item for item in items.values() if item and _only_real(item, product)]
    result = weigh(Reading(items=others), product)
    reported = {problem.setting for problem in result.problems}
    for component in {item.component for item in others}:
        texts = _texts((item for item in items.values() if item), component)
        problem = refused_combination(product.family, product.version, component, texts)
        if problem and problem.setting not in reported:
            result.problems.append(replace(problem, message=f"{_PLACE}{problem.message}"))
    return {name: stated[name] for name, item in items.items() if item not in others}, result


def _item(name: str, text: str) -> Item | None:
    part, _, key = name.partition(".")
    return Item(Component(part), key, text, 0) if part in list(Component) else None


def _texts(items: Iterable[Item], component: Component) -> dict[str, str]:
    return {item.name: item.text for item in items if item.component is component}


def _only_real(item: Item, product: Product) -> bool:
    """Whether the product has this setting and the catalog does not weigh it."""
    try:
        lookup(product.family, product.version, product.kafka, item.component, item.name)
    except UnknownSetting as error:
        return bool({item.name, error.problem.setting} & known_keys(product, item.component))
    except SettingError:
        return False
    return False
