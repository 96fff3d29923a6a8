"""What the products themselves say of every setting they have, version by version.

The files in `generated/` are generated (`make catalog`, see labs.maintenance.products) and never
edited. The first line of each is its head; every other line is one setting, with what was so from
which version on: `{"name": "acks", "2.8": {"default": "1", …}, "3.0": {"default": "all"}}`. What a
later version does not repeat has stayed; `null` is a fact, or a whole setting, that is gone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from advisor.catalog.versions import at_least

Raw = dict[str, Any]
"""One setting's facts at one version, as the data files hold them; no value is null."""

PRODUCTS = ("broker", "java_consumer", "java_producer", "librdkafka", "spark", "streams", "topic")
"""Each has a file.

Of `streams` only StreamsConfig's own settings are there, of `spark` only the options of its Kafka
connector: settings of the Java client stand before it with `kafka.`.
"""


@dataclass(frozen=True, slots=True)
class Fact:
    """One setting at one version, in the product's own terms.

    `type` is ConfigDef's (`int`, `long`, `short`, `double`, `boolean`, `string`, `list`, `class`,
    `password`) or librdkafka's, brought to these (`callback` is set in code only). `default` None
    is unset, `required` means that there is none. `one_of` are the values of a text, `items` those
    of a list's members; `any_case` if the letters' case does not count. `rule` holds the words
    of a validator that is neither bounds nor choices. `client` is `producer` or `consumer` where
    librdkafka or Spark has the setting for one of them only; `alias` the setting that this is
    another name of. Of an `undocumented` one only the name is known.

    `since` is the first version examined that has it, None if the oldest one does; `removed` the
    first that no longer has it, None if the newest does.
    """

    name: str
    type: str
    default: str | int | float | bool | None = None
    required: bool = False
    min: float | None = None
    max: float | None = None
    one_of: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    any_case: bool = False
    rule: str = ""
    importance: str = ""
    internal: bool = False
    deprecated: bool = False
    client: str = ""
    alias: str = ""
    undocumented: bool = False
    since: str | None = None
    removed: str | None = None


@cache
def examined(product: str) -> Mapping[str, str]:
    """The releases that were asked, by their line, oldest first: `{"2.8": "2.8.2", …}`."""
    return MappingProxyType(_file(product)[0]["examined"])


@lru_cache(maxsize=128)
def aliases(product: str, line: str) -> Mapping[str, tuple[str, ...]]:
    """The other names of each setting that has some."""
    results: dict[str, tuple[str, ...]] = {}
    for fact in facts(product, line).values():
        if fact.alias:
            results[fact.alias] = (*results.get(fact.alias, ()), fact.name)
    return MappingProxyType(results)


@lru_cache(maxsize=128)
def source(product: str, line: str) -> str:
    """Where the facts at a line were read: the class or function, and the release."""
    names = [release for since, release in examined(product).items() if at_least(line, since)]
    return f"{_file(product)[0]['source']}, read from {names[-1]}"


def documentation(product: str) -> str:
    """Where types and defaults were read if the product itself does not say them; else ""."""
    return str(_file(product)[0].get("documentation", ""))


def lines_of(product: str, name: str) -> tuple[str, ...]:
    """The lines examined at which a product has a setting, oldest first; empty if none has it."""
    row = next((row for row in _file(product)[1] if row["name"] == name), None)
    return tuple(line for line in examined(product) if row and _state(row, line) is not None)


def spark_option(name: str) -> str:
    """A setting as an option of Spark's Kafka source or sink: its own, or a client's, `kafka.…`."""
    return name if lines_of("spark", name) else f"kafka.{name}"


@lru_cache(maxsize=128)
def facts(product: str, line: str) -> Mapping[str, Fact]:
    """Every setting that a product has at a line, by name, in the order of the names.

    A line between two that were examined counts as the older one. `product` is one of
    `PRODUCTS`.
    """
    oldest = next(iter(examined(product)))
    facts = (fact(row, line, oldest) for row in _file(product)[1])
    return MappingProxyType({fact.name: fact for fact in facts if fact})


@cache
def _file(product: str) -> tuple[Raw, tuple[Raw, ...]]:
    text = (files("advisor.catalog") / "generated" / f"{product}.jsonl").read_text(encoding="utf-8")
    head, *rows = (json.loads(line) for line in text.splitlines())
    return head, tuple(rows)


def raw_facts(product: str, line: str) -> dict[str, Raw]:
    """What `facts` is made of: as the product said it, setting by setting."""
    results = ((row["name"], _state(row, line)) for row in _file(product)[1])
    return {name: state for name, state in results if state is not None}


def fact(row: Raw, line: str, oldest: str) -> Fact | None:
    """The setting of one row at a line, None if the product does not have it there."""
    state = _state(row, line)
    if state is None:
        return None
    for texts in state.keys() & {"one_of", "items"}:
        state[texts] = tuple(state[texts])
    since, removed = _span(row, line)
    return Fact(row["name"], **state, since=None if since == oldest else since, removed=removed)


def _steps(row: Raw) -> Iterator[tuple[str, Raw | None]]:
    return ((version, change) for version, change in row.items() if version != "name")


def _state(row: Raw, line: str) -> Raw | None:
    state: Raw | None = None
    for version, change in _steps(row):
        if at_least(line, version):
            state = None if change is None else (state or {}) | change
    return state and {key: value for key, value in state.items() if value is not None}


def _span(row: Raw, line: str) -> tuple[str | None, str | None]:
    """From which version on the setting that is there at a line was there, and until which."""
    since: str | None = None
    for version, change in _steps(row):
        if not at_least(line, version):
            if change is None:
                return since, version
        elif change is None:
            since = None
        else:
            since = since or version
    return since, None
