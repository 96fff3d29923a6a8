"""Folders of labs: complete, correct for surprising runs, and refused with file and key."""

from __future__ import annotations

import itertools
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

import labs.lessons
from advisor import services as advisor
from labs.lessons import Arm, Lesson, LessonError, Outcome, Symptom, all_lessons, right
from labs.lessons.loading import folders, load
from labs.lessons.model import Prediction
from labs.lessons.text import NOT_JUDGED, TextError, parse
from spark_jobs.count_table import COUNTS

PLACE = Path(labs.lessons.__file__).parent
LESSONS = pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: lesson.name)


def explained(lesson: Lesson, outcomes: dict[str, bool | None]) -> str:
    return lesson.explain.html(outcomes.get, lambda arm, count: f"[{arm}:{count}]")


def permitted(lesson: Lesson, arm: Arm) -> tuple[set[str], set[str]]:
    """The anomalies that the advisor permits for the failure of the lab, and for any failure."""
    pipeline, problems = advisor.from_fields(arm.fields)
    assert pipeline is not None, (arm.name, problems)
    failures = advisor.advise(pipeline)["failures"]
    own = {
        name
        for failure in failures
        if failure["scenario"] == lesson.scenario
        for name in failure["permits"]
    }
    return own, {name for failure in failures for name in failure["permits"]}


@pytest.mark.wide
@LESSONS
def test_the_catalog_accepts_all_settings_of_a_lab(lesson: Lesson) -> None:
    for arm in (*lesson.arms, *lesson.turn.choices):
        assert permitted(lesson, arm)


@LESSONS
def test_the_advisor_does_not_contradict_a_lab(lesson: Lesson) -> None:
    anomaly = lesson.symptom.anomaly
    for name in (lesson.symptom.arm, lesson.turn.tempting):
        assert anomaly in permitted(lesson, lesson.arm(name))[1], name
    if not lesson.symptom.over:  # the advisor predicts no durations, only whether there are any
        assert anomaly not in permitted(lesson, lesson.solution)[0]


@LESSONS
def test_a_solution_holds_for_as_long_as_the_story_keeps_readers_away(
    lesson: Lesson,
) -> None:
    """This covers failures that are not staged: committed offsets expire as messages do."""
    pipeline, problems = advisor.from_fields(lesson.solution.fields)
    assert pipeline is not None, problems
    violations = {
        failure["event"]: why
        for failure in advisor.advise(pipeline)["failures"]
        if "application.outage.ms" in (why := failure["permits"].get(lesson.symptom.anomaly, ""))
    }
    assert not violations


@LESSONS
def test_there_is_an_explanation_for_every_outcome_of_every_arm(lesson: Lesson) -> None:
    names = [arm.name for arm in lesson.arms]
    for outcomes in itertools.product((True, False, None), repeat=len(names)):
        text = explained(lesson, dict(zip(names, outcomes, strict=True)))
        assert text.count(NOT_JUDGED) == outcomes.count(None)
        unjudged = {name for name, outcome in zip(names, outcomes, strict=True) if outcome is None}
        assert unjudged.isdisjoint(re.findall(r"\[([\w-]+):", text)), "numbers of no verdict"


@LESSONS
def test_the_explanation_depends_on_the_outcome(lesson: Lesson) -> None:
    names = [arm.name for arm in lesson.arms]
    shown, not_shown = (explained(lesson, dict.fromkeys(names, seen)) for seen in (True, False))
    assert shown != not_shown
    assert f"[{lesson.symptom.arm}:{lesson.symptom.count}]" in shown


@LESSONS
def test_a_lab_has_a_drawing_and_a_text_alternative(lesson: Lesson) -> None:
    assert re.search(r'role="img" aria-label="[^"]{20,}"><svg', lesson.story.plain())


def test_the_position_does_not_reveal_the_right_answer() -> None:
    questions = [question for lesson in all_lessons() for question in lesson.questions]
    places = Counter(
        [answer.right for _, answer in question.shown].index(True) for question in questions
    )
    assert all(2 * count < len(questions) for count in places.values()), places
    turns = [lesson.turn for lesson in all_lessons()]
    turn_places = Counter([item.name for item in turn.shown].index(turn.solution) for turn in turns)
    assert all(2 * count < len(turns) for count in turn_places.values()), turn_places
    for question in questions:
        assert sorted(place for place, _ in question.shown) == [*range(len(question.answers))]
        assert all(question.answers[place] is answer for place, answer in question.shown)


@LESSONS
def test_the_length_does_not_reveal_the_right_answer(lesson: Lesson) -> None:
    for question in lesson.questions:
        wrong = [len(answer.text) for answer in question.answers if not answer.right]
        [right] = [len(answer.text) for answer in question.answers if answer.right]
        assert right <= 1.75 * sum(wrong) / len(wrong), question.name


def test_labs_have_distinct_names_and_places() -> None:
    lessons = all_lessons()
    assert len({lesson.name for lesson in lessons}) == len(lessons)
    assert len({lesson.order for lesson in lessons}) == len(lessons)


def test_an_arm_is_judged_by_the_count_of_the_symptom() -> None:
    uncounted = Symptom("bad", "blocked_ms", "waited", "No", "Yes", over=2000)
    assert Outcome("holds", {"blocked_ms": 2000}).answer(uncounted) == "none"
    assert Outcome("holds", {"blocked_ms": 2001}).answer(uncounted) == "some"
    assert Outcome("holds", {"blocked_ms": None}).answer(uncounted) is None
    assert Outcome("unknown", {"blocked_ms": 9000}).answer(uncounted) is None


@pytest.mark.parametrize(
    ("guess", "seen", "came_true"),
    [("500", 1000, True), ("2000", 1000, True), ("499", 1000, False), ("2001", 1000, False),
     ("0", 0, True), ("0", 1, False), ("1", 0, False)],
)  # fmt: skip
def test_a_number_is_right_within_a_factor_of_two(guess: str, seen: int, came_true: bool) -> None:
    lesson, number = all_lessons()[0], Prediction("acks-1-number", "acks-1", "number", "How many?")
    assert right(lesson, number, guess, Outcome("broken", {"lost_write": seen})) is came_true
    assert right(lesson, number, guess, Outcome("unknown")) is None


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A copy of a lab that a test may damage."""
    copy = tmp_path / folders(PLACE)[0].name
    shutil.copytree(folders(PLACE)[0], copy)
    assert load(copy) == all_lessons()[0]
    return copy


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("lesson.toml", "minutes = 10", "minutes = ten", "lesson.toml: Invalid value"),
        ("lesson.toml", "minutes = 10", "", "lesson.toml: minutes: is missing"),
        ("lesson.toml", "minutes = 10", 'minutes = "10"', "minutes: has to be a whole number"),
        ("lesson.toml", "minutes = 10", "minutes = true", "minutes: has to be a whole number"),
        ("lesson.toml", "minutes = 10", "minutes = 10\nlevel = 1", "level: is not a key of a lab"),
        ("lesson.toml", "order = 1", "order = 2", "order: the folder's name says 1"),
        ("lesson.toml", '"leader-killed', '"meteor', "scenario: 'meteor-followers-behind'"),
        ("lesson.toml", 'count = "lost_write"', 'count = "lost"', "symptom.count: 'lost' is none"),
        ("lesson.toml", 'count = "lost_write"', 'count = "in_log"', "'in_log' is none of lost"),
        ("lesson.toml", 'arm = "acks-0"', 'arm = "acks-2"', "predictions[1].arm: 'acks-2' is none"),
        ("lesson.toml", "right = true", "", "questions[1].answers: exactly one has to be right"),
        ("lesson.toml", 'tempting = "min-isr-3"', 'tempting = "set-acks-all"', "is the solution"),
        ("lesson.toml", 'name = "retries"', 'name = "acks-0"', "need different names"),
        ("story.md", "stalled.svg", "stall.svg", "story.md: there is no drawing 'stall.svg'"),
        ("story.md", "One night", "{acks-1.ok}", "has to be between"),
        ("explain.md", "::: none", "", "line 9: `::: none` is expected"),
        ("explain.md", "{acks-0.ok}", "{acks-0.okay}", "there is no count 'okay'"),
        ("explain.md", "some acks-0", "some acks-9", "line 5: there is no arm 'acks-9'"),
        ("explain.md", "(cut-back.svg)", "(stalled.svg)", "cut-back.svg: is shown in no text"),
        ("stalled.svg", "<line", '<line onclick="x"', "<line onclick> is not allowed"),
        ("stalled.svg", "</svg>", "<script/></svg>", "<script> is not allowed"),
    ],
)  # fmt: skip
def test_an_error_in_a_lab_is_reported_with_file_and_key(
    scratch: Path, file: str, old: str, new: str, complaint: str
) -> None:
    text = (scratch / file).read_text("utf-8")
    assert old in text
    (scratch / file).write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(LessonError, match=re.escape(complaint)) as error:
        load(scratch)
    assert str(error.value).startswith(f"{scratch.name}/")
    assert re.match(r"[\w-]+/[\w-]+\.(toml|md|svg): ", str(error.value))


def test_html_in_a_text_is_escaped() -> None:
    text = parse("<script>alert(1)</script>", (), tuple(COUNTS), {})
    assert "<script>" not in text.plain()


def test_a_branch_that_is_not_closed_is_an_error() -> None:
    with pytest.raises(TextError, match="`::: some a` has no `::: none`"):
        parse("::: some a\nlost", ["a"], tuple(COUNTS), {})
