"""The verdict: the order of its rules, its table of guarantees, and its reasons."""

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
from tests.spark.conftest import Judge, nightly
from tests.spark.ledgers import PROVED_FAULT, Row, Tables, delivery, record, send, sound

_ZERO: dict[str, int | None] = {
    "ok": 4,
    **dict.fromkeys(WITHOUT_WANT | FORBIDS["exactly-once"], 0),
}
_CERTAIN = Circumstances(proved=1, final_read_completed=True)


def _verdict(
    want: str | None = None, circumstances: Circumstances = _CERTAIN, **counts: Any
) -> str:
    return verdict({**_ZERO, **counts}, want, circumstances)[0]


def test_the_guarantees_are_those_of_the_advisor() -> None:
    assert {name: set(verdicts) for name, verdicts in FORBIDS.items()} == {
        guarantee.value: {anomaly.value for anomaly in ADVISOR[guarantee]}
        for guarantee in Guarantee
    }


def test_without_an_acknowledged_send_the_verdict_is_unknown() -> None:
    assert _verdict("at-least-once", ok=0, lost_write=3) == "unknown"
    assert _verdict("at-least-once", ok=None) == "unknown"


def test_a_forbidden_anomaly_breaks_even_if_the_rest_is_unsure() -> None:
    unsure = Circumstances(proved=0, final_read_completed=False, unproved=("pause of broker 1",))
    assert _verdict("at-least-once", unsure, lost_write=1, skipped=None) == "broken"


def test_unjudged_transactions_do_not_prove_exactly_once() -> None:
    unjudged: dict[str, Any] = {"aborted_read": None, "torn_transaction": None}
    transactional = Circumstances(1, True, transactional=True, outcomes_recorded=True)
    without_outcomes = replace(transactional, outcomes_recorded=False)
    assert _verdict("exactly-once", **unjudged) == "holds"
    assert _verdict("exactly-once", transactional, **unjudged) == "unknown"
    assert _verdict("at-least-once", transactional, **unjudged) == "holds"
    assert _verdict("exactly-once", transactional, torn_transaction=1) == "broken"
    assert _verdict("exactly-once", transactional) == "holds"
    assert _verdict("exactly-once", without_outcomes) == "unknown"
    assert _verdict("at-least-once", without_outcomes) == "holds"
    assert _verdict("exactly-once", state_lost=None) == "holds"
    assert _verdict("exactly-once", state_lost=1) == "broken"


def test_a_disturbed_run_is_unknown_even_with_losses() -> None:
    disturbed = Circumstances(1, True, failed=("run of broker 3: it was killed",))
    assert _verdict("at-least-once", disturbed, lost_write=159) == "unknown"
    assert _verdict("at-least-once", Circumstances(1, True), lost_write=159) == "broken"


def test_holds_needs_a_proved_fault_a_completed_read_and_the_counts() -> None:
    assert _verdict("at-least-once", Circumstances(0, True)) == "unknown"
    assert _verdict("at-least-once", Circumstances(1, False)) == "unknown"
    assert _verdict("at-least-once", Circumstances(1, True, unproved=("a kill",))) == "unknown"
    assert _verdict("at-least-once", skipped=None) == "unknown"
    assert _verdict("at-least-once", duplicate=None) == "holds"
    assert _verdict("at-least-once") == "holds"


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
def test_each_guarantee_forbids_its_own_anomalies(
    want: str | None, broken_by: tuple[str, ...], indifferent_to: tuple[str, ...]
) -> None:
    verdicts = {name: verdict({**_ZERO, name: 1}, want, _CERTAIN)[0] for name in broken_by}
    assert verdicts == dict.fromkeys(broken_by, "broken")
    verdicts = {name: verdict({**_ZERO, name: 1}, want, _CERTAIN)[0] for name in indifferent_to}
    assert verdicts == dict.fromkeys(indifferent_to, "holds")


def test_given_up_sends_break_only_where_the_scenario_says_so() -> None:
    patient = Circumstances(1, True, given_up_breaks=True)
    assert _verdict("at-least-once", given_up=1) == "holds"
    assert _verdict("at-least-once", patient, given_up=1) == "broken"


def test_repeats_are_judged_by_effects_only_where_the_ledger_says_so() -> None:
    sink = Circumstances(1, True, effects_decide=True)
    for repeat in ({"redelivery": 1}, {"duplicate": 1}):
        assert _verdict("exactly-once", sink, **repeat) == "holds"
        assert _verdict("at-most-once", sink, **repeat) == "holds"
        assert _verdict("exactly-once", _CERTAIN, **repeat) == "broken"
        assert _verdict("exactly-once", sink, **repeat, effect_duplicated=1) == "broken"
        assert _verdict("exactly-once", sink, **repeat, effect_duplicated=None) == "broken"
    assert _verdict(None, sink, duplicate=1) == "broken"
    assert _verdict("exactly-once", sink, lost_write=1) == "broken"


def test_a_sink_that_was_not_recorded_is_named_and_the_verdict_holds() -> None:
    word, reason = verdict({**_ZERO, "effect_missing": None}, "at-least-once", _CERTAIN)
    assert (word, "not recorded: effect_missing" in reason) == ("holds", True)


_LOST: Tables = {"log": [record(0, 0)], "deliveries": [delivery(0, 0)]}


@pytest.mark.parametrize(
    ("replaced", "word"),
    [
        ({}, "holds"),
        (_LOST, "broken"),
        ({**_LOST, "sends": [send(0, "info")], "commits": []}, "unknown"),
        ({"faults": [{**PROVED_FAULT, "fault": heal} for heal in sorted(HEALS)]}, "unknown"),
        ({"meta": [{"final_read_completed": False}]}, "unknown"),
        nightly({"faults": []}, "unknown"),
        nightly({"faults": [{**PROVED_FAULT, "evidence": " "}]}, "unknown"),
        nightly({"faults": [{**PROVED_FAULT, "phase": "invoke"}]}, "unknown"),
        nightly({"meta": []}, "unknown"),
    ],
)
def test_a_ledger_is_judged_by_what_it_records(
    judge_tables: Judge, replaced: Tables, word: str
) -> None:
    answer = judge_tables({**sound(), **replaced}, "at-least-once")
    assert (answer["verdict"], answer["reason"][-1]) == (word, ".")


_FAILED: Row = {"fault": "pause", "target": "follower: broker 2", "phase": "failed",
                "evidence": "it could not be shown"}  # fmt: skip
_INVOKED: Row = {**_FAILED, "phase": "invoke", "evidence": ""}


@pytest.mark.parametrize(
    ("rows", "word", "message"),
    [
        ([_INVOKED, {**_FAILED, "phase": "complete"}], "holds", ""),
        ([_INVOKED, _FAILED], "unknown", "pause of follower: broker 2: it could not be shown."),
        ([_INVOKED, {**PROVED_FAULT, "target": "leader"}],
            "unknown", "begun, and nothing after that."),
        ([{**_FAILED, "target": n} for n in "12345"], "unknown", "pause of 3: it could not be "
            "shown; and 2 more."),
        nightly([_INVOKED, {**_FAILED, "phase": "not_applicable"}], "holds", ""),
        nightly([{**_FAILED, "fault": "restart", "phase": "complete", "evidence": ""}],
            "holds", ""),
        nightly([{**_FAILED, "evidence": None}], "unknown", "broker 2: no evidence."),
        nightly([{**_FAILED, "phase": "complete", "evidence": " "}],
            "unknown", "broker 2: no evidence."),
        nightly([{**_FAILED, "fault": "restart"}],
            "unknown", "restart of follower: broker 2: it could"),
        nightly([_INVOKED], "unknown", "pause of follower: broker 2: begun, and nothing after"),
    ],
)  # fmt: skip
def test_holds_needs_every_planned_fault_to_have_happened(
    judge_tables: Judge, rows: list[Row], word: str, message: str
) -> None:
    tables = sound(faults=[PROVED_FAULT, *rows])
    answer = judge_tables(tables, "at-least-once")
    assert (answer["verdict"], message in answer["reason"]) == (word, True), answer["reason"]
    assert all_happened(tables) == (word == "holds")


def test_the_judge_knows_every_heal() -> None:
    assert set(survey.HEALS) >= {heal.partition("-")[0] for heal in HEALS}


def test_a_ledger_whose_effects_decide_is_judged_by_its_sink(judge_tables: Judge) -> None:
    redelivered = {"deliveries": [*[delivery(n, n) for n in range(4)], delivery(3, 3, poll=9)]}
    effects = [{"sink": "s", "value": n} for n in range(4)]
    meta = {"final_read_completed": True, "effects_decide": True}
    repeated = {**sound(), **redelivered, "effects": effects}
    assert judge_tables(repeated, "exactly-once")["verdict"] == "broken"
    assert judge_tables({**repeated, "meta": [meta]}, "exactly-once")["verdict"] == "holds"
    twice = {**repeated, "meta": [meta], "effects": [*effects, {"sink": "s", "value": 3}]}
    assert judge_tables(twice, "exactly-once")["verdict"] == "broken"
