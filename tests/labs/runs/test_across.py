"""One experiment over lines of brokers: which lines run, and how a change is explained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.reasoning.pipeline import Pipeline
from labs.runs import across
from labs.runs.across import AcrossError, Row, changes, parse_lines, run_over
from labs.runs.search import Search
from tests.advisor.pipelines import described

KNOWN = ("4.3.1", "4.2.1", "4.1.2", "4.0.2", "3.9.2", "3.8.1")
LINES = ("3.8", "3.9", "4.0", "4.1", "4.2", "4.3")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("3.9..4.1", ("3.9", "4.0", "4.1")),
        ("4.3, 3.8", ("3.8", "4.3")),
        ("3.8..4.3", LINES),
    ],
)
def test_lines_are_a_range_or_a_list_oldest_first(text: str, lines: tuple[str, ...]) -> None:
    assert parse_lines(text, KNOWN) == lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2.8..4.3", "'2.8' is not a line that runs here: 3.8, 3.9"),
        ("4.1..3.9", "at least two lines"),
        ("4.1", "at least two lines"),
        ("", "'' is not a line"),
        ("..", "'' is not a line"),
        ("3.9..4.1..4.3", "'4.1..4.3' is not a line"),
        ("3.9,kettle", "'kettle'"),
    ],
)
def test_an_invalid_choice_of_lines_is_refused(text: str, message: str) -> None:
    with pytest.raises(AcrossError, match=message.replace("..", r"\.\.")):
        parse_lines(text, KNOWN)


def row(line: str, verdict: str) -> Row:
    return Row(line, {"described": verdict}, described({"kafka": line}))


def rows_of(search: Search, verdicts: Mapping[str, str]) -> list[Row]:
    return list(run_over(search, lambda name: row(name, verdicts.get(name, "unknown"))))


def test_every_line_is_run_once() -> None:
    rows = rows_of(Search(LINES), dict.fromkeys(LINES, "holds"))
    assert [row.line for row in rows] == list(LINES)


@given(st.integers(1, len(LINES) - 1))
def test_bisecting_finds_the_change_with_fewer_runs(first_good: int) -> None:
    verdicts = {line: "broken" if place < first_good else "holds"
                for place, line in enumerate(LINES)}  # fmt: skip
    rows = rows_of(Search(LINES, bisect=True), verdicts)
    (change,) = changes(rows, "leader-disk-lost")
    assert (change.before, change.after) == (LINES[first_good - 1], LINES[first_good])
    assert len({row.line for row in rows}) == len(rows) < len(LINES)


PATCHES = ("4.1.0", "4.1.1")


@pytest.mark.parametrize(
    ("first_good", "between"),
    [("4.1.0", ("4.0", "4.1.0")), ("4.1.1", ("4.1.0", "4.1.1")), ("4.1", ("4.1.1", "4.1"))],
)
def test_bisecting_continues_to_the_patch_release(
    first_good: str, between: tuple[str, str]
) -> None:
    order = ("3.8", "3.9", "4.0", *PATCHES, "4.1", "4.2", "4.3")
    verdicts = {name: "broken" if order.index(name) < order.index(first_good) else "holds"
                for name in order}  # fmt: skip
    search = Search(LINES, bisect=True, earlier={"4.1": PATCHES, "4.3": ("4.3.0",)})
    rows = [replace(held, release={"4.1": "4.1.2", "4.0": "4.0.2"}.get(held.line, ""))
            for held in rows_of(search, verdicts)]  # fmt: skip
    (change,) = changes(rows, "leader-disk-lost")
    assert (change.before, change.after) == between
    assert "4.3.0" not in [held.line for held in rows]


def test_only_the_ends_are_run_if_they_agree() -> None:
    search = Search(LINES, bisect=True, earlier={"4.3": ("4.3.0",)})
    assert len(rows_of(search, dict.fromkeys(LINES, "holds"))) == 2


@pytest.mark.parametrize("release", ["4.0", "4.1.0"])
def test_a_release_without_a_verdict_ends_the_search(release: str) -> None:
    verdicts = {"3.8": "broken", "3.9": "broken", "4.0": "broken", "4.1.0": "holds",
                "4.1": "holds", "4.2": "holds", "4.3": "holds"} | {release: "unknown"}  # fmt: skip
    search = Search(LINES, bisect=True, earlier={"4.1": ("4.1.0",)})
    assert rows_of(search, verdicts)[-1].line == release


def test_ends_without_a_verdict_end_the_search_immediately() -> None:
    assert [row.line for row in rows_of(Search(LINES, bisect=True), {})] == ["3.8", "4.3"]


def pipeline_on(kafka: str) -> Pipeline:
    return described(
        {
            "kafka": kafka, "producer.acks": "all", "topic.min.insync.replicas": "2",
            "topic.replication.factor": "3", "application.disk.lost": "returns-empty",
        }
    )  # fmt: skip


def test_a_change_names_the_rule_and_the_bugs_that_were_fixed_in_between() -> None:
    rows = [
        Row("3.9", {"described": "broken"}, pipeline_on("3.9")),
        Row("4.3", {"described": "holds"}, pipeline_on("4.3")),
    ]
    (change,) = changes(rows, "leader-disk-lost")
    difference = "diverged, effect_missing, lost_write, skipped only on 3.9"
    assert any(difference in rule and "KIP-966" in rule for rule in change.rules)
    text = across.report(rows, [change], ["described"])
    assert "Between 3.9 and 4.3 the verdict changes. No release between" in text
    assert across.as_data(rows, [change])["rows"][0]["verdicts"] == {"described": "broken"}


def test_a_counted_anomaly_that_the_advisor_calls_impossible_is_reported() -> None:
    pipeline = pipeline_on("4.3")
    refuted = across.refuted(pipeline, "leader-disk-lost", {"lost_write": 7, "redelivery": None})
    assert refuted == ("lost_write",)
    text = across.report(
        [Row("4.3", {"described": "broken"}, pipeline, (), refuted)], (), ["described"]
    )
    assert "On 4.3 the run shows what the advisor calls impossible: lost_write." in text


def test_a_line_on_which_the_scenario_cannot_be_staged_says_why() -> None:
    text = across.report([Row("3.8", why_not="since 3.9")], (), ["described", "recommended"])
    assert text.splitlines()[1].split("  ")[0] == "3.8"
    assert "not run" in text
    assert "since 3.9" in text


def test_effects_of_companion_events_are_permitted_too() -> None:
    """A lost disk loses committed offsets too: a run of 4.1 with `latest` skipped messages."""
    of_groups = across.permitted(pipeline_on("4.1"), "leader-disk-lost")
    assert "skipped" in of_groups
    assert "lost_write" not in of_groups
    careful = described({
        "kafka": "4.1", "producer.acks": "all", "topic.min.insync.replicas": "2",
        "topic.replication.factor": "3", "consumer.auto.offset.reset": "earliest",
    })  # fmt: skip
    assert across.permitted(careful, "leader-disk-lost") == ()


def test_a_change_names_changed_defaults_of_unstated_settings_only() -> None:
    """Kafka 3.0 changed the defaults of acks and enable.idempotence (KIP-679)."""

    def change(**stated: str) -> across.Change:
        old, new = (
            described({"kafka": line, "version": line, **stated}) for line in ("2.8", "3.0")
        )
        rows = [Row("2.8", {"described": "broken"}, old), Row("3.0", {"described": "holds"}, new)]
        [changed] = changes(rows, "leader-killed-followers-behind")
        return changed

    defaults = change().defaults
    assert any(default.startswith("producer.acks from 1 to all") and "KIP-679" in default
               for default in defaults)  # fmt: skip
    assert any(default.startswith("producer.enable.idempotence from false") for default in defaults)
    stated = change(**{"producer.acks": "1"}).defaults
    assert not any(default.startswith("producer.acks ") for default in stated)


def test_a_change_names_its_two_releases_and_the_release_that_fixed_a_bug() -> None:
    """The line alone is not precise enough: 3.9.0 has KAFKA-18991, 3.9.2 does not."""
    rows = [
        Row("3.8", {"described": "broken"}, described({"kafka": "3.8.1"}), release="3.8.1"),
        Row("3.9", {"described": "holds"}, described({"kafka": "3.9.2"}), release="3.9.2"),
    ]
    (change,) = changes(rows, "leader-killed")
    assert change.releases == ("3.8.1", "3.9.2")
    assert any(bug.startswith("KAFKA-18991") and bug.endswith("(fixed in 3.9.1)")
               for bug in change.bugs)  # fmt: skip
    text = across.report(rows, [change], ["described"])
    assert "Between 3.8.1 and 3.9.2 the verdict changes. No release between" in text
    assert text.splitlines()[1].startswith("3.8.1  broken")


def test_a_bug_that_a_later_line_introduces_explains_a_change_too() -> None:
    """KRaft before 3.9 ignores unclean.leader.election.enable of the topic (KAFKA-12670)."""
    unclean = {"topic.unclean.leader.election.enable": "true"}
    rows = [
        Row(line, {"described": verdict}, described({"kafka": release, **unclean}), release=release)
        for line, release, verdict in (
            ("3.2", "3.2.3", "broken"), ("3.3", "3.3.2", "holds"), ("3.9", "3.9.2", "broken"),
        )
    ]  # fmt: skip
    to_kraft, to_3_9 = changes(rows, "unclean-election")
    assert [bug.split(":")[0] for bug in to_kraft.came] == ["KAFKA-12670"]
    assert any(bug.startswith("KAFKA-12670") and "fixed in 3.9.0" in bug for bug in to_3_9.bugs)
    assert "new bug: KAFKA-12670" in across.report(rows, [to_kraft], ["described"])
