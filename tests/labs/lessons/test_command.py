"""`manage.py lessons`: the list, statistics of the questions, and what counts as a proof."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from labs.evidence import lesson_proofs, lesson_record
from labs.evidence.lesson_proofs import ROLES, Proof, new_proofs
from labs.lessons import Lesson, all_lessons
from labs.management.commands import lessons as command
from labs.models import Classroom, Progress

LAB = all_lessons()[0]
FIRST, SECOND = LAB.questions[:2]


def key(question: Any) -> int:
    return next(place for place, answer in enumerate(question.answers) if answer.right)


def answered(session: str, first: int, second: int) -> None:
    answers = {FIRST.name: first, SECOND.name: second}
    Progress.objects.create(visitor=session, lesson=LAB.name, answers=answers)


@pytest.mark.django_db
def test_questions_show_difficulty_and_discrimination(
    capsys: pytest.CaptureFixture[str],
) -> None:
    right, wrong = (key(FIRST), key(SECOND)), (1 - key(FIRST), (key(SECOND) + 1) % 3)
    answered("a", right[0], right[1])
    answered("b", right[0], right[1])
    answered("c", wrong[0], wrong[1])
    answered("d", right[0], 99)  # an answer that was removed from the question
    call_command("lessons", "--questions", "--json")
    first, second, third = json.loads(capsys.readouterr().out)[:3]
    assert (first["answered"], first["right"]) == (4, 0.75)
    assert first["separation"] == pytest.approx(1)
    assert (second["answered"], second["right"]) == (3, pytest.approx(2 / 3))
    assert (third["answered"], third["right"], third["separation"]) == (0, None, None)
    call_command("lessons", "--questions")
    assert f"{LAB.name}: {FIRST.name}" in capsys.readouterr().out


def reply(client: Client, question: Any, *, right: bool) -> None:
    """Answers a question on its page with the right answer or the first wrong one."""
    wrong = next(place for place, answer in enumerate(question.answers) if not answer.right)
    page = reverse("labs:lesson", args=[LAB.name, "why"])
    answer = client.post(page, {question.name: str(key(question) if right else wrong)})
    assert answer.status_code == 302


def rows_by_question(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    call_command("lessons", "--questions", "--json")
    rows = json.loads(capsys.readouterr().out)
    return {row["question"]: row for row in rows if row["lesson"] == LAB.name}


@pytest.mark.django_db
def test_difficulty_and_discrimination_match_values_computed_by_hand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    easy, middle, hard = LAB.questions[:3]
    for skill in (0, 1, 2, 3) * 3:  # each question requires one more level of skill
        client = Client()
        for takes, question in enumerate((easy, middle, hard), 1):
            reply(client, question, right=skill >= takes)
    rows = rows_by_question(capsys)
    assert [rows[item.name]["answered"] for item in (easy, middle, hard)] == [12, 12, 12]
    assert [rows[item.name]["right"] for item in (easy, middle, hard)] == [0.75, 0.5, 0.25]
    # Right (0, 1, 1, 1) against the share of the rest (0, 0, 1/2, 1): 0.375 / sqrt(0.75 * 0.6875).
    # Right (0, 0, 1, 1) against (0, 1/2, 1/2, 1): 0.5 / sqrt(1 * 0.5).
    assert rows[easy.name]["separation"] == pytest.approx(0.5222, abs=1e-4)
    assert rows[middle.name]["separation"] == pytest.approx(0.7071, abs=1e-4)
    assert rows[hard.name]["separation"] == pytest.approx(0.5222, abs=1e-4)
    chosen = [answer.text for answer in middle.answers if not answer.right]
    assert rows[middle.name]["tempting"] == chosen[0]
    assert rows[middle.name]["unchosen"] == chosen[1:]


@pytest.mark.django_db
def test_a_question_that_better_visitors_miss_is_marked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    easy, middle, misread = LAB.questions[:3]
    for number in range(10):
        client = Client()
        for question in (easy, middle):
            reply(client, question, right=number < 5)
        reply(client, misread, right=number >= 5)
    rows = rows_by_question(capsys)
    assert rows[misread.name]["separation"] == pytest.approx(-1)
    assert "misread" in rows[misread.name]["remark"]
    call_command("lessons", "--questions")
    assert "misread" in capsys.readouterr().out


@pytest.mark.django_db
def test_the_first_answer_counts_even_if_the_lab_was_started_over(
    capsys: pytest.CaptureFixture[str], client: Client
) -> None:
    reply(client, FIRST, right=False)
    client.post(reverse("labs:lesson-reset", args=[LAB.name]))
    reply(client, FIRST, right=True)
    row = rows_by_question(capsys)[FIRST.name]
    assert (row["answered"], row["right"]) == (1, 0.0)


@pytest.mark.django_db
def test_answers_of_a_class_are_counted_too(capsys: pytest.CaptureFixture[str]) -> None:
    room = Classroom.objects.create(lesson=LAB.name, teacher="t")
    for number in range(4):
        answers = {FIRST.name: key(FIRST) if number else 1 - key(FIRST)}
        room.pupils.create(visitor=f"p{number}", nickname=f"{number}", name_key=f"{number}",
                           answers=answers)  # fmt: skip
    row = rows_by_question(capsys)[FIRST.name]
    assert (row["answered"], row["right"], row["separation"]) == (4, 0.75, None)


@pytest.mark.django_db
def test_without_answers_the_command_explains_where_they_come_from(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("lessons", "--questions")
    printed = capsys.readouterr().out
    assert "Nobody has answered a question yet" in printed
    assert f"{LAB.name}: {FIRST.name}" in printed


def replace_runs(monkeypatch: pytest.MonkeyPatch, *counts: tuple[str, int, int, int]) -> None:
    """Replaces the runs of the command by these counts."""
    proofs = [Proof(LAB.name, count[0], count[0], *count[1:]) for count in counts]
    monkeypatch.setattr(command, "prove", lambda *_: iter([proofs]))


def test_with_minutes_the_command_continues_the_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    labs_runs_and_seeds: list[tuple[str, int, int]] = []

    def instant(turns: Iterable[tuple[Lesson, int, int]], *_: object) -> Iterator[list[Proof]]:
        for lesson, runs, seed in turns:
            labs_runs_and_seeds.append((lesson.name, runs, seed))
            proofs = new_proofs(lesson, seed)
            for proof in proofs:
                proof.shown, proof.not_shown = (runs, 0) if ROLES[proof.role] else (0, runs)
            yield proofs

    monkeypatch.setattr(command, "prove", instant)
    first, second = (lesson.name for lesson in all_lessons()[:2])
    keep = ("--runs", "2", "--keep")
    call_command("lessons", "--verify", second, *keep, "--seed", "7")
    capsys.readouterr()
    call_command("lessons", "--verify", first, second, *keep, "--runs", "3", "--minutes", "1")
    rows = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [f"{first} 3 of 3 0 of 3 3 of 3", f"{second} 1 of 1 0 of 1 1 of 1"]
    assert labs_runs_and_seeds == [
        (second, 2, 7),
        (first, 1, 1),
        (first, 1, 2),
        (first, 1, 3),
        (second, 1, 9),
    ]
    labs_runs_and_seeds.clear()
    call_command("lessons", "--verify", first, second, *keep, "--minutes", "1")
    assert labs_runs_and_seeds == []


def test_no_run_begins_once_the_minutes_have_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[tuple[Lesson, int, int]] = []

    def prove(turns: Iterable[tuple[Lesson, int, int]], *_: object) -> Iterator[list[Proof]]:
        began.extend(turns)
        return iter([])

    monkeypatch.setattr(command, "prove", prove)
    call_command("lessons", "--verify", LAB.name, "--keep", "--minutes", "1e-9")
    assert began == []


def test_a_lab_is_proven_by_story_tempting_answer_and_solution(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    replace_runs(monkeypatch, ("story", 10, 0, 0), ("solution", 0, 10, 0), ("tempting", 10, 0, 0))
    call_command("lessons", "--verify", LAB.name, "--runs", "10")
    row = " ".join(capsys.readouterr().out.split())
    assert row.endswith(f"{LAB.name} 10 of 10 0 of 10 10 of 10")


def test_kept_proofs_are_shown_while_their_settings_are_unchanged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = ("story", 9, 0, 1), ("solution", 1, 9, 0), ("tempting", 10, 0, 0)
    replace_runs(monkeypatch, *shown)
    with pytest.raises(CommandError):
        call_command("lessons", "--verify", LAB.name, "--keep")
    with settings.LAB_LESSON_RECORD.open("a") as record:
        record.write('{"lesson": "cut sho')
    replace_runs(monkeypatch, ("story", 1, 0, 0), ("solution", 0, 1, 0), ("tempting", 1, 0, 0))
    call_command("lessons", "--verify", LAB.name, "--keep")
    capsys.readouterr()
    call_command("lessons")
    output = capsys.readouterr().out
    assert "story 10 of 10 (1 not judged), solution 1 of 11, tempting 11 of 11" in output
    assert output.count("not run yet") == len(all_lessons()) - 1
    call_command("lessons", "--json")
    story, solution, tempting = json.loads(capsys.readouterr().out)[0]["proofs"]
    assert [item["proven"] for item in (story, solution, tempting)] == [False, False, True]
    kept = lesson_record.read(settings.LAB_LESSON_RECORD)
    changed = replace(LAB, symptom=replace(LAB.symptom, over=7))
    assert lesson_record.standing(changed, kept) == []


@pytest.mark.parametrize("wrong", ["{}", "nothing", '{"lesson": "a"}', "[1]"])
def test_an_invalid_line_of_the_proofs_is_named(wrong: str) -> None:
    settings.LAB_LESSON_RECORD.write_text(wrong + "\n")
    with pytest.raises(CommandError, match="line 1 is no proof of a lab") as error:
        call_command("lessons")
    assert error.value.returncode == 2


def test_the_shipped_record_can_be_read() -> None:
    kept = lesson_record.read(Path(command.__file__).parents[2] / "lessons" / "proofs.jsonl")
    assert {record.lesson for record in kept} <= {lesson.name for lesson in all_lessons()}


@pytest.mark.parametrize(
    "seen",
    [("story", 9, 1, 0), ("story", 9, 0, 1), ("solution", 1, 9, 0), ("solution", 0, 9, 1),
     ("tempting", 9, 1, 0), ("story", 0, 0, 0)],
)  # fmt: skip
def test_one_run_that_differs_or_is_not_judged_makes_the_proof_fail(
    monkeypatch: pytest.MonkeyPatch, seen: tuple[str, int, int, int]
) -> None:
    replace_runs(monkeypatch, seen)
    with pytest.raises(CommandError, match=f"not proven: {LAB.name}, {seen[0]}") as error:
        call_command("lessons", "--verify", LAB.name)
    assert error.value.returncode == 1


@pytest.mark.parametrize(
    "wrong",
    [["nothing"], [LAB.name, "--runs=0"], [LAB.name, "--seed=-1"],
     [LAB.name, "--minutes=1"], [LAB.name, "--keep", "--minutes=0"],
     [LAB.name, "--keep", "--minutes=nan"]],
)  # fmt: skip
def test_bad_input_exits_with_2(wrong: list[str]) -> None:
    with pytest.raises(CommandError) as error:
        call_command("lessons", "--verify", *wrong)
    assert error.value.returncode == 2


def test_a_proof_has_the_counts_of_the_judge() -> None:
    proof = Proof(LAB.name, "solution", LAB.solution.name)
    for verdict, lost in (("holds", 0), ("broken", 7), ("unknown", None)):
        result = {"verdict": verdict, "counts": {"lost_write": lost}, "reason": "so it was"}
        lesson_proofs.count(LAB, proof, result)
    assert (proof.shown, proof.not_shown, proof.unknown) == (1, 1, 1)
    assert proof.reasons == [
        "broken, lost_write 7: so it was",
        "unknown, lost_write None: so it was",
    ]


def test_runs_in_progress_are_not_started_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run in progress counts as run, and its seed is taken."""
    began: list[tuple[str, int]] = []

    def together(
        turns: Iterable[tuple[Lesson, int, int]], _: object, at_once: int
    ) -> Iterator[list[Proof]]:
        waiting: list[list[Proof]] = []
        for lesson, runs, seed in turns:
            began.append((lesson.name, seed))
            proofs = new_proofs(lesson, seed)
            for proof in proofs:
                proof.shown, proof.not_shown = (runs, 0) if ROLES[proof.role] else (0, runs)
            waiting.append(proofs)
            if len(waiting) == at_once:
                yield waiting.pop(0)
        yield from waiting

    monkeypatch.setattr(command, "prove", together)
    first, second = (lesson.name for lesson in all_lessons()[:2])
    options = ("--runs", "3", "--keep", "--minutes", "1", "--at-once", "3")
    call_command("lessons", "--verify", first, second, *options)
    assert sorted(began) == [(name, seed) for name in sorted((first, second)) for seed in (1, 2, 3)]
