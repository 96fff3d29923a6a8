"""Settings that the products have and the catalog does not weigh, made of their own facts.

They can be named and their values read, so that nothing real is called a mistake. No rule, no
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
    """The products whose facts are those of a component, each with its line.

    None for what the team's code does; two for Spark, which brings the Java client along.
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
    family: Family, line: str, kafka: str, component: Component, weighed: Mapping[str, Setting]
) -> Iterator[Setting]:
    """The settings of a component beyond those that are `weighed`, by name, with their aliases."""
    taken = {
        name for catalogued in weighed.values() for name in (catalogued.name, *catalogued.aliases)
    }
    for product, at in products_of(family, line, kafka, component):
        for fact in facts(product, at).values():
            setting = _setting(product, at, component, fact)
            if setting and not taken & {setting.name, *setting.aliases}:
                yield setting


def setting(
    family: Family, line: str, kafka: str, component: Component, name: str
) -> Setting | None:
    """The one setting of that name, as `settings` has it if it is not weighed."""
    for product, at in products_of(family, line, kafka, component):
        if fact := facts(product, at).get(name):
            return _setting(product, at, component, fact)
    return None


def _setting(product: str, line: str, component: Component, fact: Fact) -> Setting | None:
    """None for another name of a setting, and for one that only the other client has."""
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
        # librdkafka finds a word of its lists in any case (rd_kafka_conf_set_prop0, rd_strcasecmp).
        any_case=fact.any_case or product == "librdkafka",
        by_librdkafka=product == "librdkafka",
        pattern=DECIMAL if fact.type == "double" else "",
        between=_between(fact),
        items=fact.items,
        aliases=aliases(product, line).get(fact.name, ()),
        unit=ending if ending in _UNITS else "",
        weighed=False,
    )


def _source(product: str, line: str, fact: Fact) -> str:
    read, manual = source(product, line), documentation(product)
    return f"{read}; type and default: {manual}" if manual and not fact.undocumented else read


def _default(fact: Fact) -> Value:
    if isinstance(fact.default, float):
        return str(fact.default)
    if fact.any_case:
        # Some releases list their choices in capitals and state the default in small letters.
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
    """The validator's bounds of a number with a fraction."""
    if fact.type != "double" or fact.min is fact.max is None:
        return None
    return (-inf if fact.min is None else fact.min, inf if fact.max is None else fact.max)


def _bounds(fact: Fact) -> tuple[int, int]:
    """The validator's bounds, and where it has none those of the type."""
    half = 1 << (_WIDTHS[fact.type] - 1)
    low = -half if fact.min is None else int(fact.min)
    return low, half - 1 if fact.max is None else int(fact.max)
