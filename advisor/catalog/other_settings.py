"""Settings that the products have and that are not modelled, created from the products' facts.

Their names and values are known, so that no real setting is reported as a mistake. No rule, no
guarantee and no experiment uses them, and their meaning is not described here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from advisor.catalog.facts import Fact, aliases, documentation, facts, source
from advisor.catalog.model import Component, Family, Kind, Setting, Value
from advisor.catalog.values import DECIMAL
from advisor.catalog.versions import effective_client

_WIDTHS = {"short": 16, "int": 32, "long": 64}
_UNITS = ("ms", "seconds", "minutes", "hours", "bytes")


def products_of(
    family: Family, line: str, kafka: str, component: Component
) -> tuple[tuple[str, str], ...]:
    """Returns the products whose facts describe a component, each with its line.

    None for the team's code; two for Spark, which contains the Java client.
    """
    match component, family:
        case Component.APPLICATION, _:
            return ()
        case Component.STREAMS, _:
            return (("streams", line),) if family is Family.STREAMS else ()
        case ((Component.TOPIC | Component.BROKER), _):
            return ((component.value, kafka),)
        case _, Family.LIBRDKAFKA:
            return (("librdkafka", line),)
        case _, Family.SPARK:
            return (("spark", line), (f"java_{component}", effective_client(family, line)))
        case _:
            return ((f"java_{component}", line),)


def settings(
    family: Family, line: str, kafka: str, component: Component, modelled: Mapping[str, Setting]
) -> Iterator[Setting]:
    """Yields the settings of a component that are not `modelled`, by name, with their aliases."""
    names = {
        name for catalogued in modelled.values() for name in (catalogued.name, *catalogued.aliases)
    }
    for product, product_line in products_of(family, line, kafka, component):
        for fact in facts(product, product_line).values():
            setting = _setting(product, product_line, component, fact)
            if setting and not names & {setting.name, *setting.aliases}:
                yield setting


def setting(
    family: Family, line: str, kafka: str, component: Component, name: str
) -> Setting | None:
    """Returns the setting with that name as `settings` yields it, or None."""
    for product, product_line in products_of(family, line, kafka, component):
        if fact := facts(product, product_line).get(name):
            return _setting(product, product_line, component, fact)
    return None


def _setting(product: str, line: str, component: Component, fact: Fact) -> Setting | None:
    """Returns None for an alias, and for a setting that only the other client has."""
    if fact.alias or fact.client not in ("", component.value):
        return None
    kind = _kind(fact)
    low, high = _bounds(fact) if kind is Kind.INT else (None, None)
    ending = fact.name.rpartition(".")[2]
    return Setting(
        component=component,
        name=fact.name,
        kind=kind,
        default=_default(fact),
        meaning="",
        source=_source(product, line, fact),
        minimum=low,
        maximum=high,
        choices=tuple((text, text) for text in fact.one_of),
        # librdkafka ignores the case of an item (rd_kafka_conf_set_prop0, rd_strcasecmp).
        any_case=fact.any_case or product == "librdkafka",
        by_librdkafka=product == "librdkafka",
        pattern=DECIMAL if fact.type == "double" else "",
        between=_between(fact),
        items=fact.items,
        aliases=aliases(product, line).get(fact.name, ()),
        unit=ending if ending in _UNITS else "",
        modelled=False,
    )


def _source(product: str, line: str, fact: Fact) -> str:
    names, details = source(product, line), documentation(product)
    return f"{names}; type and default: {details}" if details and not fact.undocumented else names


def _default(fact: Fact) -> Value:
    if isinstance(fact.default, float):
        return str(fact.default)
    if fact.any_case:
        # Some releases list their choices in upper case and the default in lower case.
        same = (name for name in fact.one_of if name.lower() == str(fact.default).lower())
        return next(same, fact.default)
    return fact.default


def _kind(fact: Fact) -> Kind:
    if fact.type == "boolean":
        return Kind.BOOL
    if fact.type in _WIDTHS:
        return Kind.INT
    return Kind.CHOICE if fact.one_of and fact.type == "string" else Kind.TEXT


def _between(fact: Fact) -> tuple[float, float] | None:
    """Returns the validator's bounds of a number with a fraction."""
    if fact.type != "double" or fact.min is fact.max is None:
        return None
    return (-inf if fact.min is None else fact.min, inf if fact.max is None else fact.max)


def _bounds(fact: Fact) -> tuple[int, int]:
    """Returns the validator's bounds or, if it has none, those of the type."""
    half = 1 << (_WIDTHS[fact.type] - 1)
    low = -half if fact.min is None else int(fact.min)
    return low, half - 1 if fact.max is None else int(fact.max)
