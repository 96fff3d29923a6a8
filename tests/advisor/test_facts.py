"""No rule of the fact base is forgotten, and each is where docs/facts.md says."""

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
"""How many the fact base has of the producer, brokers, consumer, transactions, Streams, Spark."""

_ROW = re.compile(r"^\| R-([A-Z]+)(\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)
_PLACE = re.compile(r"(event|finding|change|number|setting) `([^`]+)`")
_TEXT = (Path(advisor.__file__).parents[1] / "docs" / "facts.md").read_text("utf-8")
ROWS = [(part, int(number), where) for part, number, _, where in _ROW.findall(_TEXT)]


def places() -> dict[str, set[str]]:
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


def test_every_rule_is_accounted_for_once() -> None:
    wanted = [(part, number + 1) for part, most in RULES.items() for number in range(most)]
    assert sorted((part, number) for part, number, _ in ROWS) == sorted(wanted)


def test_a_rule_is_where_it_is_said_to_be_or_says_why_not() -> None:
    by_name = places()
    for part, number, where in ROWS:
        named = _PLACE.findall(where)
        for kind, name in named:
            assert name in by_name[kind], f"{part}{number}: there is no {kind} {name}"
        written = ", ".join(f"{kind} `{name}`" for kind, name in named)
        assert written == where or re.fullmatch(r"out of reach: \w.{30,}", where), part


def test_every_event_and_every_finding_answers_to_a_rule() -> None:
    """What is in no rule of the fact base was learned since, and is named here."""
    named = {name for _, _, where in ROWS for _, name in _PLACE.findall(where)}
    since = {"leader-cut-off", "B005", "B008", "S003", "dead-letter-refused", "order-given-up",
             "record-too-large", "B009", "C011", "C012", "P009", "S006", "T007"}  # fmt: skip
    names = {event.name for event in all_events()} | {rule.code for rule in all_rules()}
    assert names - named == since
