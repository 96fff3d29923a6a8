"""docs/facts.md lists every rule of the fact base, with the places that implement it."""

from __future__ import annotations

import re
from pathlib import Path

import advisor
from advisor.catalog import Component, Family, kafka_versions, versions
from advisor.catalog.lookups import in_force
from advisor.reasoning.failures import all_events
from advisor.reasoning.levers import ALL
from advisor.reasoning.numbers import numbers
from advisor.reasoning.rules import all_rules
from tests.advisor.pipelines import described

RULES = {"P": 36, "B": 25, "C": 23, "T": 14, "S": 10, "SP": 20}
"""Numbers of rules for the producer, brokers, consumer, transactions, Streams and Spark."""

_ROW = re.compile(r"^\| R-([A-Z]+)(\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)
_PLACE = re.compile(r"(event|finding|change|number|setting) `([^`]+)`")
_TEXT = (Path(advisor.__file__).parents[1] / "docs" / "facts.md").read_text("utf-8")
ROWS = [(part, int(number), places) for part, number, _, places in _ROW.findall(_TEXT)]


def names_by_kind() -> dict[str, set[str]]:
    load = {"application.rate": "1", "application.controllers": "3",
            "application.message.bytes": "1"}  # fmt: skip
    spark = {"family": "spark", "consumer.maxOffsetsPerTrigger": "1"}
    names = {
        f"{component}.{name}"
        for family in Family for component in Component
        for name in in_force(family, versions(family)[0], kafka_versions()[0], component)
    }  # fmt: skip
    return {
        "event": {event.name for event in all_events()},
        "finding": {rule.code for rule in all_rules()},
        "change": {f"{lever.component}.{lever.setting}" for lever in ALL},
        "number": {
            number.name
            for fields in (load, load | spark, {"producer.transactional.id": "a"})
            for number in numbers(described(fields))
        },
        "setting": names,
    }  # fmt: skip


def test_every_rule_is_listed_once() -> None:
    expected = [(part, number + 1) for part, count in RULES.items() for number in range(count)]
    assert sorted((part, number) for part, number, _ in ROWS) == sorted(expected)


def test_every_rule_names_existing_places_or_a_reason() -> None:
    by_name = names_by_kind()
    for part, number, places in ROWS:
        references = _PLACE.findall(places)
        for kind, name in references:
            assert name in by_name[kind], f"{part}{number}: there is no {kind} {name}"
        rebuilt = ", ".join(f"{kind} `{name}`" for kind, name in references)
        assert rebuilt == places or re.fullmatch(r"out of reach: \w.{30,}", places), part


def test_every_event_and_finding_belongs_to_a_rule() -> None:
    """Events and findings without a rule are newer than the fact base and listed here."""
    references = {name for _, _, places in ROWS for _, name in _PLACE.findall(places)}
    without_rule = {
        "leader-cut-off", "B005", "B008", "S003", "dead-letter-refused", "order-given-up",
        "record-too-large", "B009", "C011", "C012", "P009", "S006", "T007",
    }  # fmt: skip
    names = {event.name for event in all_events()} | {rule.code for rule in all_rules()}
    assert names - references == without_rule
