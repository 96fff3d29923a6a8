"""The rules of a class: its stages, nicknames, distributions of answers, and its table."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.lessons import Outcome, all_lessons, find
from labs.lessons import classroom as core
from labs.lessons.classroom import BadNickname, Member, NotYet, Place, Stage

LAB = find("what-an-acknowledgement-means")
NUMBER = find("all-is-not-all-replicas")
LOST = Outcome("broken", {"lost_write": 985, "ok": 10_000})
NONE = Outcome("holds", {"lost_write": 0, "ok": 10_000})
UNJUDGED = Outcome("unknown", {})


def answered(answer: str, confidence: str = "sure") -> dict[str, str]:
    return {"answer": answer, "confidence": confidence}


def test_a_class_passes_through_every_stage_in_order() -> None:
    place, places = Place(Stage.RUN), []
    while place.stage is not Stage.EXPLAIN:
        place = place.forward(2, has_result=True)
        places.append((place.stage, place.question, place.revealed))
    assert places == [
        ("question", 0, False), ("question", 0, True),
        ("question", 1, False), ("question", 1, True), ("explain", 0, False),
    ]  # fmt: skip
    assert Place(Stage.PREDICT).forward(2, has_result=False) == Place(Stage.PREDICTED)
    assert place.forward(2, has_result=True) == place


@pytest.mark.parametrize(("stage", "message"), [("predicted", "start it"), ("run", "no result")])
def test_a_class_does_not_advance_without_a_result_of_the_run(stage: str, message: str) -> None:
    with pytest.raises(NotYet, match=message):
        Place(Stage(stage)).forward(2, has_result=False)


@pytest.mark.parametrize(
    ("typed", "nickname"),
    [("  Ann \t Lee ", None), ("Ann  Lee", "Ann Lee"), ("Zoë", "Zoë"), ("=1+1", "=1+1"),
     ("<b>x</b>", "<b>x</b>"), ("李雷", "李雷"), ("x" * 24, "x" * 24), ("x" * 25, None), ("", None),
     ("   ", None), ("!?", None), ("a\0b", None), ("evil\u202egpj", None), ("a\u200bb", None),
     ("a\u2028b", None)],
)  # fmt: skip
def test_a_nickname_is_short_and_has_no_invisible_characters(
    typed: str, nickname: str | None
) -> None:
    if nickname is None:
        with pytest.raises(BadNickname, match="A nickname has"):
            core.nickname(typed)
    else:
        assert core.nickname(typed) == nickname


def test_nicknames_that_look_alike_are_equal() -> None:
    assert core.nickname_key("ANN") == core.nickname_key("ａｎｎ") == core.nickname_key("Ann")
    assert len(core.nickname_key("\ufdfa" * 24)) <= 8 * core.LONGEST_NICKNAME


def test_a_code_is_accepted_in_any_spelling() -> None:
    assert core.code(" Abcd-EFGH\n") == core.code("abcd efgh") == "abcdefgh"


def test_predictions_are_counted_by_answer_and_confidence() -> None:
    members = [
        Member("a", {"acks-1": answered("some"), "acks-all": answered("none", "guess")}),
        Member("b", {"acks-1": answered("some", "think")}),
        Member("c", {"acks-1": answered("none")}),
        Member("d"),
    ]
    before = core.spreads(LAB, members, {})[1]
    assert (before.prediction.name, before.answered, before.right) == ("acks-1", 3, None)
    assert [(bar.words, bar.count, bar.share, bar.is_right) for bar in before.bars] == [
        ("None is lost", 1, 33, None), ("Some are lost", 2, 67, None),
    ]  # fmt: skip
    assert before.bars[1].sure == {"I am sure": 1, "I think so": 1}
    after = core.spreads(LAB, members, {"acks-1": LOST, "acks-all": UNJUDGED})
    assert (after[1].right, [bar.is_right for bar in after[1].bars]) == (2, [False, True])
    assert (after[2].right, [bar.is_right for bar in after[2].bars]) == (None, [None, None])


def test_predicted_numbers_are_grouped_by_size() -> None:
    prediction = next(item for item in NUMBER.predictions if item.kind == "number")
    members = [
        Member(name, {prediction.name: answered(name)}) for name in ("0", "7", "0012", "99", "1900")
    ]
    spread = next(
        spread for spread in core.spreads(NUMBER, members, {prediction.arm: LOST})
        if spread.prediction == prediction
    )  # fmt: skip
    assert [(bar.words, bar.count, bar.is_right) for bar in spread.bars] == [
        ("0", 1, False), ("1 to 9", 1, False), ("10 to 99", 2, False), ("100 to 999", 0, True),
        ("1,000 to 9,999", 1, False),
    ]  # fmt: skip
    assert spread.right == 1, "1900 is less than twice 985"


def test_answers_are_counted_by_place() -> None:
    question = LAB.questions[0]
    members = [Member(str(place), answers={question.name: place}) for place in (0, 0, 1, 99)]
    bars = {bar.words: bar for bar in core.answered(question, [*members, Member("silent")])}
    counts = (2, 1, *[0] * (len(question.answers) - 2))
    for answer, count in zip(question.answers, counts, strict=True):
        assert (bars[answer.text].count, bars[answer.text].is_right) == (count, answer.right)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_has_a_row_for_each_pupil() -> None:
    question = LAB.questions[0]
    members = [
        Member("Ann", {"acks-1": answered("some", "guess")}, {question.name: 0}),
        Member("=HYPERLINK(1)"),
    ]
    ann, other = rows(core.table(LAB, members, {"acks-1": LOST}))
    assert [ann[f"{name}: acks=1"] for name in ("predicted", "confidence", "came true")] == [
        "Some are lost", "I guess", "yes",
    ]  # fmt: skip
    assert ann["predicted: acks=0"] == ""
    assert ann[f"answer: {question.ask}"] == question.answers[0].text
    assert ann[f"right: {question.ask}"] == ("yes" if question.answers[0].right else "no")
    assert other["nickname"] == "'=HYPERLINK(1)"


@given(st.text(max_size=20))
def test_no_cell_begins_a_formula(text: str) -> None:
    assert not core.defused(text).lstrip(" \u00a0").startswith(tuple("=+-@|\t\r\n＝＋－＠"))
    assert core.defused(text).endswith(text)


@pytest.mark.parametrize("lab", all_lessons(), ids=lambda lab: lab.name)
def test_every_lab_has_a_table_and_distributions(lab: Any) -> None:
    assert len(core.spreads(lab, [], {})) == len(lab.predictions)
    assert rows(core.table(lab, [Member("a")], {}))[0]["nickname"] == "a"
