"""Settings that the products have and the catalog does not weigh, made of their own facts.

They can be named and their values read, so that nothing real is called a mistake. No rule, no
guarantee and no experiment looks at them, and what they mean is not told here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.catalog.facts import Fact, facts, source
from advisor.catalog.model import Component, Family, Kind, Setting, Value
from advisor.catalog.values import DECIMAL

_WIDTHS = {"short": 16, "int": 32, "long": 64}
_UNITS = ("ms", "seconds", "minutes", "hours", "bytes")


def product_of(family: Family, component: Component) -> str | None:
    """The product whose facts are those of a component; None for what the team's code does."""
    if component is Component.APPLICATION:
        return None
    if component in (Component.TOPIC, Component.BROKER):
        return component.value
    # Spark brings the Java client along.
    return "librdkafka" if family is Family.LIBRDKAFKA else f"java_{component}"


def settings(
    family: Family, client: str, kafka: str, component: Component, weighed: Mapping[str, Setting]
) -> Iterator[Setting]:
    """The settings of a component beyond those that are `weighed`, by name, with their aliases.

    `client` is the line of the client library that runs.
    """
    product = product_of(family, component)
    if product is None:
        return
    line = kafka if component in (Component.TOPIC, Component.BROKER) else client
    known = facts(product, line)
    taken = {name for each in weighed.values() for name in (each.name, *each.aliases)}
    for fact in known.values():
        aliases = tuple(other.name for other in known.values() if other.alias == fact.name)
        elsewhere = fact.client not in ("", component.value)
        if not (fact.alias or elsewhere or taken & {fact.name, *aliases}):
            yield _setting(component, fact, aliases, source(product, line))


def _setting(component: Component, fact: Fact, aliases: tuple[str, ...], read: str) -> Setting:
    kind = _kind(fact)
    low, high = _bounds(fact) if kind is Kind.INT else (None, None)
    ending = fact.name.rpartition(".")[2]
    return Setting(
        component=component,
        name=fact.name,
        kind=kind,
        default=_default(fact),
        meaning="",
        source=read,
        minimum=low,
        maximum=high,
        choices=tuple((text, text) for text in fact.one_of),
        any_case=fact.any_case,
        pattern=DECIMAL if fact.type == "double" else "",
        aliases=aliases,
        unit=ending if ending in _UNITS else "",
        weighed=False,
    )


def _default(fact: Fact) -> Value:
    if isinstance(fact.default, float):
        return str(fact.default)
    if fact.any_case:
        # Some releases list their choices in capitals and state the default in small letters.
        same = (each for each in fact.one_of if each.lower() == str(fact.default).lower())
        return next(same, fact.default)
    return fact.default


def _kind(fact: Fact) -> Kind:
    if fact.type == "boolean":
        return Kind.BOOL
    if fact.type in _WIDTHS:
        return Kind.INT
    return Kind.CHOICE if fact.one_of and fact.type == "string" else Kind.TEXT


def _bounds(fact: Fact) -> tuple[int, int]:
    """The validator's bounds, and where it has none those of the type."""
    half = 1 << (_WIDTHS[fact.type] - 1)
    low = -half if fact.min is None else int(fact.min)
    return low, half - 1 if fact.max is None else int(fact.max)
