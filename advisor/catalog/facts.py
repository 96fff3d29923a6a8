"""The products' own description of every setting that they have, version by version.

The files in `generated/` are generated (`make catalog`, see labs.maintenance.products) and never
edited. The first line of each is its head. Every other line is one setting, with its facts by the
version from which they are valid: `{"name": "acks", "2.8": {"default": "1", …}, "3.0": {"default":
"all"}}`. Facts that a later version does not repeat are unchanged; `null` means that a fact, or the
whole setting, was removed.
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
"""One setting's facts at one version, as in the data files; no value is null."""

PRODUCTS = ("broker", "java_consumer", "java_producer", "librdkafka", "spark", "streams", "topic")
"""The products; each has a file.

`streams` only contains StreamsConfig's own settings, and `spark` only the options of its Kafka
connector: the Java client's settings have the prefix `kafka.` there.
"""


@dataclass(frozen=True, slots=True)
class Fact:
    """One setting at one version, in the product's own terms.

    `type` is ConfigDef's (`int`, `long`, `short`, `double`, `boolean`, `string`, `list`, `class`,
    `password`); librdkafka's types are mapped to these (a `callback` can only be set in code). A
    `default` of None means unset, `required` that there is no default. `one_of` are the valid
    values of a text, `items` those of a list's items; with `any_case` their case does not matter.
    `rule` is the description of a validator that is neither bounds nor choices. `client` is
    `producer` or `consumer` if librdkafka or Spark has the setting for only one of them. `alias` is
    the setting for which this is another name. For an `undocumented` setting only the name is
    known.

    `since` is the first examined version that has the setting, None if the oldest one has it.
    `removed` is the first that no longer has it, None if the newest has it.
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
    """Returns the examined releases by their line, oldest first: `{"2.8": "2.8.2", …}`."""
    return MappingProxyType(_file(product)[0]["examined"])


@lru_cache(maxsize=128)
def aliases(product: str, line: str) -> Mapping[str, tuple[str, ...]]:
    """Returns the aliases of each setting that has some."""
    results: dict[str, tuple[str, ...]] = {}
    for fact in facts(product, line).values():
        if fact.alias:
            results[fact.alias] = (*results.get(fact.alias, ()), fact.name)
    return MappingProxyType(results)


@lru_cache(maxsize=128)
def source(product: str, line: str) -> str:
    """Returns where the facts at a line were read: the class or function, and the release."""
    names = [release for since, release in examined(product).items() if at_least(line, since)]
    return f"{_file(product)[0]['source']}, read from {names[-1]}"


def documentation(product: str) -> str:
    """Returns where types and defaults were read if the product does not provide them; else ""."""
    return str(_file(product)[0].get("documentation", ""))


def lines_of(product: str, name: str) -> tuple[str, ...]:
    """Returns the examined lines in which a product has a setting, oldest first."""
    row = next((row for row in _file(product)[1] if row["name"] == name), None)
    return tuple(line for line in examined(product) if row and _state(row, line) is not None)


def spark_option(name: str) -> str:
    """Returns the name of an option of Spark's Kafka source or sink: its own, or `kafka.…`."""
    return name if lines_of("spark", name) else f"kafka.{name}"


@lru_cache(maxsize=128)
def facts(product: str, line: str) -> Mapping[str, Fact]:
    """Returns every setting that a product has at a line, by name, in the order of the names.

    A line between two examined ones counts as the older one. `product` is one of `PRODUCTS`.
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
    """Returns the raw facts of each setting, as the product described it."""
    results = ((row["name"], _state(row, line)) for row in _file(product)[1])
    return {name: state for name, state in results if state is not None}


def fact(row: Raw, line: str, oldest: str) -> Fact | None:
    """Returns the setting of one row at a line, or None if the product does not have it there."""
    state = _state(row, line)
    if state is None:
        return None
    for key in state.keys() & {"one_of", "items"}:
        state[key] = tuple(state[key])
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
    """Returns the first version that has the setting, and the first that no longer has it."""
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
