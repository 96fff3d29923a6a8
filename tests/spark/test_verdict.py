"""The verdict: its order, its table of guarantees, and what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from advisor.reasoning.guarantees import FORBIDS as ADVISOR
from advisor.reasoning.guarantees import Guarantee
from labs.engine.record.fault_words import HEALS
from spark_jobs import survey
from spark_jobs.verdict import FORBIDS, WITHOUT_WANT, Circumstances, verdict
from tests.oracle_answers import all_happened
from tests.spark.conftest import Judge, by_night
from tests.spark.ledgers import PROVED, Row, Tables, handed, record, send, sound

_ZERO: dict[str, int | None] = {
    "ok": 4,
    **dict.fromkeys(WITHOUT_WANT | FORBIDS["exactly-once"], 0),
}
_SURE = Circumstances(proved=1, final_read_completed=True)


def _word(want: str | None = None, circumstances: Circumstances = _SURE, **counts: Any) -> str:
    return verdict({**_ZERO, **counts}, want, circumstances)[0]


def test_the_guarantees_are_those_of_the_advisor() -> None:
    assert {name: set(words) for name, words in FORBIDS.items()} == {
        guarantee.value: {anomaly.value for anomaly in ADVISOR[guarantee]}
        for guarantee in Guarantee
    }


def test_first_of_all_something_must_have_been_acknowledged() -> None:
    assert _word("at-least-once", ok=0, lost_write=3) == "unknown"
    assert _word("at-least-once", ok=None) == "unknown"


def test_what_is_forbidden_breaks_even_where_the_rest_is_unsure() -> None:
    unsure = Circumstances(proved=0, final_read_completed=False, unproved=("pause of broker 1",))
    assert _word("at-least-once", unsure, lost_write=1, skipped=None) == "broken"


def test_transactions_that_were_not_judged_are_not_exactly_once() -> None:
    unjudged: dict[str, Any] = {"aborted_read": None, "torn_transaction": None}
    with_them = Circumstances(1, True, transactional=True, outcomes_recorded=True)
    without_outcomes = replace(with_them, outcomes_recorded=False)
    assert _word("exactly-once", **unjudged) == "holds"
    assert _word("exactly-once", with_them, **unjudged) == "unknown"
    assert _word("at-least-once", with_them, **unjudged) == "holds"
    assert _word("exactly-once", with_them, torn_transaction=1) == "broken"
    assert _word("exactly-once", with_them) == "holds"
    assert _word("exactly-once", without_outcomes) == "unknown"
    assert _word("at-least-once", without_outcomes) == "holds"
    assert _word("exactly-once", state_lost=None) == "holds"
    assert _word("exactly-once", state_lost=1) == "broken"


def test_a_disturbed_run_breaks_nothing() -> None:
    disturbed = Circumstances(1, True, failed=("run of broker 3: it was killed",))
    assert _word("at-least-once", disturbed, lost_write=159) == "unknown"
    assert _word("at-least-once", Circumstances(1, True), lost_write=159) == "broken"


def test_without_a_proved_fault_a_completed_read_or_a_needed_count_nothing_holds() -> None:
    assert _word("at-least-once", Circumstances(0, True)) == "unknown"
    assert _word("at-least-once", Circumstances(1, False)) == "unknown"
    assert _word("at-least-once", Circumstances(1, True, unproved=("a kill",))) == "unknown"
    assert _word("at-least-once", skipped=None) == "unknown"
    assert _word("at-least-once", duplicate=None) == "holds"
    assert _word("at-least-once") == "holds"


@pytest.mark.parametrize(
    ("want", "broken_by", "indifferent_to"),
    [
        ("at-least-once", ("lost_write", "skipped", "effect_missing"), ("duplicate", "redelivery")),
        ("at-most-once", ("redelivery", "duplicate", "effect_duplicated"), ("lost_write",)),
        ("exactly-once", ("redelivery", "lost_write", "effect_missing"), ("reordered", "phantom")),
        ("none", (), ("lost_write", "duplicate")),
        (None, ("phantom", "reordered", "diverged", "state_lost", "torn_transaction"), ()),
        (
            None,
            (),
            (
                "redelivery",
                "unseen",
                "expired",
                "compacted",
                "given_up",
                "poll_skip",
                "key_reordered",
            ),
        ),
    ],
)
def test_each_guarantee_forbids_its_own(
    want: str | None, broken_by: tuple[str, ...], indifferent_to: tuple[str, ...]
) -> None:
    words = {name: verdict({**_ZERO, name: 1}, want, _SURE)[0] for name in broken_by}
    assert words == dict.fromkeys(broken_by, "broken")
    words = {name: verdict({**_ZERO, name: 1}, want, _SURE)[0] for name in indifferent_to}
    assert words == dict.fromkeys(indifferent_to, "holds")


def test_giving_up_breaks_only_where_the_scenario_says_that_patience_was_enough() -> None:
    patient = Circumstances(1, True, given_up_breaks=True)
    assert _word("at-least-once", given_up=1) == "holds"
    assert _word("at-least-once", patient, given_up=1) == "broken"


def test_repeats_count_by_their_effects_only_where_the_ledger_says_so_and_knows_them() -> None:
    sink = Circumstances(1, True, effects_decide=True)
    for repeat in ({"redelivery": 1}, {"duplicate": 1}):
        assert _word("exactly-once", sink, **repeat) == "holds"
        assert _word("at-most-once", sink, **repeat) == "holds"
        assert _word("exactly-once", _SURE, **repeat) == "broken"
        assert _word("exactly-once", sink, **repeat, effect_duplicated=1) == "broken"
        assert _word("exactly-once", sink, **repeat, effect_duplicated=None) == "broken"
    assert _word(None, sink, duplicate=1) == "broken"
    assert _word("exactly-once", sink, lost_write=1) == "broken"


def test_a_sink_that_was_not_recorded_is_named_and_no_hindrance() -> None:
    word, reason = verdict({**_ZERO, "effect_missing": None}, "at-least-once", _SURE)
    assert (word, "not recorded: effect_missing" in reason) == ("holds", True)


_GONE: Tables = {"log": [record(0, 0)], "deliveries": [handed(0, 0)]}


@pytest.mark.parametrize(
    ("replaced", "word"),
    [
        ({}, "holds"),
        (_GONE, "broken"),
        ({**_GONE, "sends": [send(0, "info")], "commits": []}, "unknown"),
        ({"faults": [{**PROVED, "fault": heal} for heal in sorted(HEALS)]}, "unknown"),
        ({"meta": [{"final_read_completed": False}]}, "unknown"),
        by_night({"faults": []}, "unknown"),
        by_night({"faults": [{**PROVED, "evidence": " "}]}, "unknown"),
        by_night({"faults": [{**PROVED, "phase": "invoke"}]}, "unknown"),
        by_night({"meta": []}, "unknown"),
    ],
)
def test_a_ledger_is_judged_by_what_it_records(judged: Judge, replaced: Tables, word: str) -> None:
    answer = judged({**sound(), **replaced}, "at-least-once")
    assert (answer["verdict"], answer["reason"][-1]) == (word, ".")


_FAILED: Row = {"fault": "pause", "target": "follower: broker 2", "phase": "failed",
                "evidence": "it could not be shown"}  # fmt: skip
_BEGUN: Row = {**_FAILED, "phase": "invoke", "evidence": ""}


@pytest.mark.parametrize(
    ("rows", "word", "says"),
    [
        ([_BEGUN, {**_FAILED, "phase": "complete"}], "holds", ""),
        ([_BEGUN, _FAILED], "unknown", "pause of follower: broker 2: it could not be shown."),
        ([_BEGUN, {**PROVED, "target": "leader"}], "unknown", "begun, and nothing after that."),
        ([{**_FAILED, "target": n} for n in "12345"], "unknown", "pause of 3: it could not be "
            "shown; and 2 more."),
        by_night([_BEGUN, {**_FAILED, "phase": "not_applicable"}], "holds", ""),
        by_night([{**_FAILED, "fault": "restart", "phase": "complete", "evidence": ""}],
            "holds", ""),
        by_night([{**_FAILED, "evidence": None}], "unknown", "broker 2: no evidence."),
        by_night([{**_FAILED, "phase": "complete", "evidence": " "}],
            "unknown", "broker 2: no evidence."),
        by_night([{**_FAILED, "fault": "restart"}],
            "unknown", "restart of follower: broker 2: it could"),
        by_night([_BEGUN], "unknown", "pause of follower: broker 2: begun, and nothing after"),
    ],
)  # fmt: skip
def test_nothing_holds_unless_all_that_was_planned_happened(
    judged: Judge, rows: list[Row], word: str, says: str
) -> None:
    tables = sound(faults=[PROVED, *rows])
    answer = judged(tables, "at-least-once")
    assert (answer["verdict"], says in answer["reason"]) == (word, True), answer["reason"]
    assert all_happened(tables) == (word == "holds")


def test_what_ends_a_fault_of_ours_is_no_fault_for_the_judge() -> None:
    assert set(survey.HEALS) >= {heal.partition("-")[0] for heal in HEALS}


def test_a_ledger_that_ends_in_its_sink_is_judged_there(judged: Judge) -> None:
    again = {"deliveries": [*[handed(n, n) for n in range(4)], handed(3, 3, poll=9)]}
    effects = [{"sink": "s", "value": n} for n in range(4)]
    meta = {"final_read_completed": True, "effects_decide": True}
    repeated = {**sound(), **again, "effects": effects}
    assert judged(repeated, "exactly-once")["verdict"] == "broken"
    assert judged({**repeated, "meta": [meta]}, "exactly-once")["verdict"] == "holds"
    twice = {**repeated, "meta": [meta], "effects": [*effects, {"sink": "s", "value": 3}]}
    assert judged(twice, "exactly-once")["verdict"] == "broken"
