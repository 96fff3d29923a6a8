"""Writing the settings that products report to a file of facts, and reading them back."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog.facts import Fact, Raw, fact
from labs.maintenance.products import librdkafka, spark_options, table

LINES = ("2.8", "3.0", "3.9", "3.10", "4.0")
RAW = st.fixed_dictionaries(
    {"type": st.sampled_from(["int", "string"])},
    optional={
        "default": st.one_of(st.integers(), st.text(max_size=5), st.booleans()),
        "min": st.integers(0, 3), "one_of": st.lists(st.text(max_size=3), min_size=1, max_size=2),
        "deprecated": st.just(True),
    },
)  # fmt: skip
ANSWERS = st.lists(
    st.dictionaries(st.sampled_from("abc"), RAW, max_size=3),
    min_size=len(LINES),
    max_size=len(LINES),
).map(lambda row: dict(zip(LINES, row, strict=True)))
CONFIGURATION_MD = """\
## Global configuration properties

Property          | C/P | Range           |       Default | Importance | Description
------------------|-----|-----------------|--------------:|------------| -----------
linger.ms         |  P  | 0 .. 900000     |             5 | high       | A wait. <br>*Type: float*
retries           |  P  | 0 .. 7          |             7 | high       | Alias for `sends`: <br>*Type: integer*
debug             |  *  | broker, all     |               | low        | What to log. <br>*Type: CSV flags*
ssl.engine.id     |  *  |                 |       dynamic | low        | **DEPRECATED** <br>*Type: string*
command           |  *  |                 | a || b -k %{c} | low        | A command. <br>*Type: string*

## Topic configuration properties

linger.ms         |  P  | 0 .. 1          |             1 | low        | Not this. <br>*Type: float*
auto.reset        |  C  | first, last     |         first | high       | Where. <br>*Type: enum value*
check             |  C  | true, false     |          true | low        | If. <br>*Type: boolean*
"""  # noqa: E501


def _rows(answers: table.Answers) -> dict[str, Raw]:
    _, *rows = table.text("somebody", {}, answers).splitlines()
    return {row["name"]: row for row in map(json.loads, rows)}


@given(answers=ANSWERS)
def test_facts_are_read_back_as_written_for_every_version(answers: table.Answers) -> None:
    rows = _rows(answers)
    assert list(rows) == sorted(rows)
    for line, settings in answers.items():
        facts = (fact(row, line, oldest=LINES[0]) for row in rows.values())
        facts_by_name = {fact.name: fact for fact in facts if fact}
        assert facts_by_name.keys() == settings.keys()
        for name, raw in settings.items():
            expected = {**raw, "one_of": tuple(raw.get("one_of", ()))}
            assert replace(facts_by_name[name], since=None, removed=None) == Fact(name, **expected)


def test_only_changes_between_versions_are_written() -> None:
    same = {"type": "int", "default": 0, "min": 0}
    answers = {
        "2.8": {"linger.ms": same},
        "3.9": {"linger.ms": same},
        "4.0": {"linger.ms": {"type": "int", "default": 5}},
        "4.1": {},
        "4.2": {"linger.ms": same},
    }
    assert _rows(answers) == {
        "linger.ms": {
            "name": "linger.ms", "2.8": same, "4.0": {"default": 5, "min": None}, "4.1": None,
            "4.2": same,
        }
    }  # fmt: skip
    spans = [
        (read.since, read.removed) if read else None
        for line in answers
        for read in [fact(_rows(answers)["linger.ms"], line, oldest="2.8")]
    ]
    assert spans == [(None, "4.1"), (None, "4.1"), (None, "4.1"), None, ("4.2", None)]


def test_librdkafkas_configuration_table_is_parsed() -> None:
    assert librdkafka.settings(CONFIGURATION_MD) == {
        "linger.ms": {
            "type": "double", "default": 5.0, "min": 0, "max": 900000, "importance": "high",
            "client": "producer",
        },
        "retries": {
            "type": "int", "default": 7, "min": 0, "max": 7, "importance": "high",
            "client": "producer", "alias": "sends",
        },
        "debug": {"type": "list", "items": ["broker", "all"], "importance": "low"},
        "ssl.engine.id": {
            "type": "string", "default": "dynamic", "importance": "low", "deprecated": True,
        },
        "command": {"type": "string", "default": "a || b -k %{c}", "importance": "low"},
        "auto.reset": {
            "type": "string", "default": "first", "one_of": ["first", "last"],
            "importance": "high", "client": "consumer",
        },
        "check": {
            "type": "boolean", "default": True, "importance": "low", "client": "consumer",
        },
    }  # fmt: skip


def test_a_spark_option_is_spelled_as_documented_or_else_after_its_constant() -> None:
    documented = {"type": "int", "client": "consumer"}
    assert spark_options.option("MIN_PARTITIONS_OPTION_KEY", "minpartitions") == (
        "minPartitions",
        documented,
    )
    unknown = {"type": "string", "undocumented": True}
    assert spark_options.option("NEW_ONE_OPTION_KEY", "newone") == ("newOne", unknown)
    assert spark_options.option("NEW_ONE", "other.name") == ("other.name", unknown)


def test_the_head_names_the_documentation_that_types_were_read_from() -> None:
    heads = [json.loads(table.text("it", {}, {}, *source)) for source in ((), ("its manual",))]
    assert [head.get("documentation") for head in heads] == [None, "its manual"]
