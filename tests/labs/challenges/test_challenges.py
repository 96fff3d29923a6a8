"""Files of challenges: they are complete, graded by counts, and refused with file and key."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

import labs.challenges
from advisor import services as advisor
from labs.challenges import (
    FAILED,
    KINDS,
    LEVELS,
    PASSED,
    UNKNOWN,
    Challenge,
    ChallengeError,
    Condition,
    Played,
    Stated,
    all_challenges,
    daily_challenge,
    daily_seed,
    find,
    grade,
    grade_case,
    record,
)
from labs.challenges.levers import changes, described, open_failures, stated
from labs.challenges.loading import load
from labs.challenges.model import P99
from labs.challenges.schedule import plan
from labs.evidence.challenge_proofs import spec
from spark_jobs.count_table import COUNTS
from tests.labs import make

PLACE = Path(labs.challenges.__file__).parent
CHALLENGES = pytest.mark.parametrize("challenge", all_challenges(), ids=lambda case: case.name)
FIRST = find("one-acknowledgement")
NOTHING_STATED = Stated(0)


def test_challenges_have_distinct_names_and_places() -> None:
    challenges = all_challenges()
    assert (
        len({challenge.name for challenge in challenges})
        == len({challenge.order for challenge in challenges})
        == len(challenges)
    )


@CHALLENGES
def test_a_challenge_can_be_staged_with_each_of_its_known_answers(challenge: Challenge) -> None:
    assert spec(challenge, seed=1).scenario == challenge.scenario


@CHALLENGES
def test_the_schedule_can_be_drawn_and_its_steps_are_text(challenge: Challenge) -> None:
    start, _ = described(challenge, challenge.start())
    assert start is not None
    schedule = plan(challenge.scenario, advisor.in_force(start), challenge.staging)
    assert schedule.steps
    assert any(step.kind == "fault" for step in schedule.steps)
    assert schedule.seconds >= max(step.at_s for step in schedule.steps)
    assert not [step.text for step in schedule.steps if "_" in step.text or not step.text.strip()]
    texts = [step.text for step in schedule.steps if step.kind != "wait"]
    assert not [text for text in texts if not re.search("(ed|held|lost|off)$", text)]


@CHALLENGES
def test_the_optimum_holds_for_as_long_as_the_story_keeps_readers_away(
    challenge: Challenge,
) -> None:
    """This covers failures that are not staged: committed offsets expire as messages do."""
    pipeline, problems = described(challenge, challenge.with_levers(challenge.optimum))
    assert pipeline is not None, problems
    forbidden = {condition.count for condition in challenge.conditions if condition.most == 0}
    violations = {
        failure["event"]: why
        for failure in advisor.advise(pipeline)["failures"]
        for anomaly, why in failure["permits"].items()
        if anomaly in forbidden and "application.outage.ms" in why
    }
    assert not violations


@CHALLENGES
def test_each_known_answer_changes_exactly_the_settings_that_it_states(
    challenge: Challenge,
) -> None:
    for entry in (challenge.optimum, challenge.tempting):
        pipeline, _ = described(challenge, challenge.with_levers(entry))
        assert pipeline is not None
        assert [change.name for change in changes(challenge, pipeline)] == [
            name for name in challenge.levers if name in entry.settings
        ]


@pytest.mark.parametrize(
    "challenge",
    [challenge for challenge in all_challenges() if challenge.kind == "golf"],
    ids=lambda case: case.name,
)
def test_the_optimum_of_golf_is_the_advice_and_no_smaller_change_is_enough(
    challenge: Challenge,
) -> None:
    start, _ = described(challenge, challenge.start())
    assert start is not None
    advised = {
        f"{change.component}.{change.setting}" for change in advisor.answer(start).wanted.changes
    }
    assert challenge.optimum.settings.keys() == advised
    optimum = challenge.optimum.settings
    for size in range(len(optimum) + 1):
        for names in itertools.combinations(optimum, size):
            levers = challenge.start() | {name: optimum[name] for name in names}
            pipeline, _ = described(challenge, levers)
            assert pipeline is not None
            assert (not open_failures(pipeline)) is (size == len(optimum)), names


def result_of(verdict: str, **counts: int | None) -> Played:
    """A result in the engine's format: 10,000 messages acknowledged, 0 or 985 of them lost."""
    return Played.from_result(make.result(verdict, **counts))


def test_a_run_is_graded_by_its_counts_and_the_grade_states_them() -> None:
    passed = grade(FIRST, result_of("holds"), NOTHING_STATED)
    assert passed.state == PASSED
    assert passed.why == "0 acknowledged and gone of 10,000 (asked for: none)."
    failed = grade(FIRST, result_of("broken"), NOTHING_STATED)
    assert failed.state == FAILED
    assert failed.why == "985 acknowledged and gone of 10,000 (asked for: none)."


def test_an_arm_that_was_not_judged_is_never_graded() -> None:
    for run in (
        result_of("unknown"),
        Played.from_result({}),
        Played("holds", "", {"lost_write": None}),
    ):
        assert grade(FIRST, run, NOTHING_STATED).state == UNKNOWN
    # An unknown verdict is never graded, whatever the counts are.
    unjudged = Played("unknown", "the fault did not happen", {"lost_write": 0, "ok": 10})
    graded = grade(FIRST, unjudged, NOTHING_STATED)
    assert (graded.state, graded.why) == (
        UNKNOWN,
        "Nothing can be concluded from this run: the fault did not happen.",
    )


def test_surviving_requires_that_the_guarantee_holds() -> None:
    broken = result_of("broken", lost_write=0, given_up=12)
    graded = grade(FIRST, broken, NOTHING_STATED)
    assert graded.state == FAILED
    assert "But at-least-once was broken: 12 given up by the client." in graded.why
    meant_to_break = replace(FIRST, kind="exactly")
    assert grade(meant_to_break, broken, NOTHING_STATED).state == PASSED


def test_golf_checks_failures_that_were_not_staged_with_the_advisor() -> None:
    golf = replace(FIRST, kind="golf")
    assert grade(golf, result_of("holds"), Stated(1)).state == PASSED
    too_many = grade(golf, result_of("holds"), Stated(3))
    assert (too_many.state, "with 3 changes. The advisor needs 1." in too_many.why) == (
        FAILED,
        True,
    )
    one_open = grade(golf, result_of("holds"), Stated(1, ("A disk is lost",)))
    assert (one_open.state, "not kept in: A disk is lost." in one_open.why) == (FAILED, True)
    five_open = grade(golf, result_of("holds"), Stated(1, tuple("abcde")))
    assert five_open.why.endswith("not kept in: a; b; c; and 2 more.")
    pipeline, _ = described(golf, golf.with_levers(golf.optimum))
    assert pipeline is not None
    assert stated(golf, pipeline).open_failures, "acks=all alone leaves a leader alone"


def test_conditions_have_a_lower_and_an_upper_limit() -> None:
    exactly, least, most = (
        Condition("given_up", 10, 10),
        Condition("given_up", 1),
        Condition(P99, 0, 9),
    )
    assert [exactly.met(number) for number in (9, 10, 11)] == [False, True, False]
    assert [least.met(number) for number in (0, 1, 10**6)] == [False, True, True]
    assert [most.met(number) for number in (9, 10)] == [True, False]
    assert [condition.bounds for condition in (exactly, least, most)] == [
        "exactly 10",
        "at least 1",
        "at most 9",
    ]
    waiting = Condition("blocked_ms", 0, 11_000)
    assert str(waiting) == "waiting without any delivery: at most 11,000 ms"


def test_a_case_needs_the_cause_and_a_message_that_was_hit() -> None:
    case = find("case-of-the-quick-answer")
    run = result_of("broken")
    right_answer = grade_case(case, run, case.cause, 17, True)
    assert right_answer.state == PASSED
    assert "message 17 is one of them" in right_answer.why
    assert grade_case(case, run, case.wrong, 17, True).state == FAILED
    assert grade_case(case, run, case.cause, 17, False).state == FAILED
    wrong_answer = grade_case(case, run, case.wrong, 1234, False)
    assert "that is not the cause, and message 1,234 is not one of them" in wrong_answer.why


def test_a_case_without_harm_or_without_a_ledger_is_not_graded() -> None:
    case = find("case-of-the-quick-answer")
    assert grade_case(case, result_of("holds"), case.cause, 17, True).state == UNKNOWN
    assert grade_case(case, result_of("unknown"), case.cause, 17, True).state == UNKNOWN
    assert grade_case(case, result_of("broken"), case.cause, 17, None).state == UNKNOWN


def test_a_day_has_one_challenge_and_one_schedule() -> None:
    days = [date(2026, 11, 24) + timedelta(days=number) for number in range(120)]
    assert daily_seed(days[0]) == 391_342_052, "the same on every machine and in every release"
    chosen = {daily_challenge(day, all_challenges()).name for day in days}
    assert len(chosen) > len(all_challenges()) / 2
    assert len({daily_seed(day) for day in days}) == len(days)
    assert all(0 <= daily_seed(day) < 2**31 for day in days)


def test_every_level_and_every_kind_has_a_challenge() -> None:
    assert len(all_challenges()) >= 16
    assert {challenge.level for challenge in all_challenges()} == set(LEVELS)
    assert {challenge.kind for challenge in all_challenges()} == set(KINDS)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("level = 1", "level = 4", "level: has to be one of 1, 2, 3, not 4"),
        ('kind = "survive"', 'kind = "chess"', "kind: 'chess' is none of"),
        ('title = "', 'titel = "', "title: is missing"),
        ("[optimum]", "[best]", "optimum: is missing"),
        ('count = "lost_write"', 'count = "lost"', "conditions[1].count: 'lost' is none of"),
        ("exactly = 0", "", "conditions[1].count: needs `exactly`, `least` or `most`"),
        ('"producer.acks" = "all"', '"producer.acks" = "most"', "optimum.settings: "),
        ('"producer.acks" = "all"', '"consumer.group.id" = "a"', "is not among the levers"),
        ("levers = [", 'levers = [\n  "consumer.receive.buffer.bytes",', "not taken into account"),
        ("[settings]", "[staging]\nweeks = 3\n[settings]", "staging: "),
        ('want = "at-least-once"', 'want = "at-least-once"\nhint = "a"', "hint: is not a key of"),
    ],
)
def test_an_error_is_reported_with_file_and_key(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    source = (PLACE / "01-one-acknowledgement.toml").read_text("utf-8")
    assert old in source
    file = tmp_path / "01-wrong.toml"
    file.write_text(source.replace(old, new, 1), "utf-8")
    with pytest.raises(ChallengeError) as error:
        load(file)
    assert f"/{file.name}: {message}" in str(error.value) or message in str(error.value)
    assert file.name in str(error.value)


def test_a_file_without_a_number_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "first.toml"
    shutil.copyfile(PLACE / "01-one-acknowledgement.toml", file)
    with pytest.raises(ChallengeError, match="named like"):
        load(file)


def test_every_count_has_a_text_for_its_grade() -> None:
    assert all(Condition(count, 0, 0).label for count in COUNTS)


def test_a_challenge_is_verified_only_if_every_run_has_the_expected_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {"right": (["passed: a."], ["failed: b."]), "wrong": (["passed: a."], ["passed: b."]),
            "unknown": (["passed: a.", "unknown: c."], ["failed: b.", "failed: b."])}  # fmt: skip
    file = tmp_path / "kept.json"
    for name, (optimum, tempting) in seen.items():
        record.keep(file, {"optimum": optimum, "tempting": tempting}, name, seed=1)
    monkeypatch.setattr(record, "shipped", lambda: json.loads(file.read_text("utf-8")))
    assert record.verified("right").startswith("20")
    assert [record.verified(name) for name in ("wrong", "unknown", "never")] == ["", "", ""]


def test_the_shipped_record_names_only_existing_challenges() -> None:
    assert set(record.shipped()) <= {challenge.name for challenge in all_challenges()}
