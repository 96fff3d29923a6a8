"""Reads the folder of a lab. Every problem is an error that names the file and the key.

`docs/contributing/lab.md` says what each key is for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from advisor.reasoning.guarantees import Anomaly
from labs.engine.base.toml_table import Table
from labs.engine.scenarios import all_scenarios
from labs.lessons.drawing import DrawingError
from labs.lessons.model import Answer, Arm, Lesson, Prediction, Question, Symptom, Turn
from labs.lessons.text import TextError, texts_in
from spark_jobs.count_table import COUNTS

TOML = "lesson.toml"
TEXTS = ("story.md", "explain.md", "take-home.md")
HINTS = 3
_SYMPTOMS = tuple(count for count in COUNTS if count.removesuffix("_ms") in {*Anomaly})
"""The counts of anomalies, which are always harm."""
_FEWEST_CHOICES = _FEWEST_ANSWERS = 3
_FOLDER = re.compile(r"(\d\d)-([a-z0-9]+(?:-[a-z0-9]+)*)")
_GUARANTEES = ("at-least-once", "exactly-once", "at-most-once")


class LessonError(ValueError):
    """A lab is invalid; the message is `folder/file: key: problem`."""


def folders(place: Path) -> list[Path]:
    """Returns the folders of labs, in the order of the course."""
    return sorted(path for path in place.iterdir() if (path / TOML).is_file())


def load(folder: Path) -> Lesson:
    """Returns the lab in a folder. Raises `LessonError`."""
    match = _FOLDER.fullmatch(folder.name)
    if match is None:
        raise LessonError(f"{folder.name}: a lab's folder is named like 07-retries-duplicate")
    top = Table.read(folder / TOML, "a lab", LessonError)
    if top.take("order", int) != int(match[1]):
        raise top.error("order", f"the folder's name says {int(match[1])}")
    lesson = _lesson(top, folder, int(match[1]), match[2])
    top.finish()
    return lesson


def _lesson(top: Table, folder: Path, order: int, name: str) -> Lesson:
    common = top.settings("settings")
    arms = tuple(_arm(table, common) for table in top.tables("arms"))
    names = tuple(arm.name for arm in arms)
    turn = _turn(top.table("turn"), {arm.name: arm for arm in arms})
    all_names = [*names, *(choice.name for choice in turn.choices)]
    if len(set(all_names)) < len(all_names):
        raise top.error("arms", f"arms and choices need different names, not {all_names}")
    # Texts before and after the run are not about an arm.
    files = {file: names if file == "explain.md" else () for file in TEXTS}
    try:
        texts = texts_in(folder, files, tuple(COUNTS))
    except (TextError, DrawingError) as wrong:
        raise LessonError(str(wrong)) from wrong
    return Lesson(
        name=name,
        order=order,
        title=top.take("title", str),
        goal=top.take("goal", str),
        minutes=top.take("minutes", int),
        scenario=top.one_of("scenario", [scenario.name for scenario in all_scenarios()]),
        want=top.one_of("want", _GUARANTEES),
        question=top.take("question", str),
        notice=top.texts("notice"),
        sources=top.texts("sources"),
        symptom=_symptom(top.table("symptom"), names),
        arms=arms,
        predictions=_predictions(top, names),
        turn=turn,
        questions=tuple(_question(table) for table in top.tables("questions")),
        story=texts["story.md"],
        explain=texts["explain.md"],
        take_home=texts["take-home.md"],
    )


def _arm(table: Table, common: Mapping[str, str]) -> Arm:
    arm = Arm(
        table.slug("name"),
        table.take("label", str),
        table.take("meaning", str),
        {**common, **table.settings("settings")},
    )
    table.finish()
    return arm


def _choice(table: Table, base: Arm) -> Arm:
    name, label, why = table.slug("name"), table.take("label", str), table.take("why", str)
    changed = table.settings("settings")
    if not changed:
        raise table.error("settings", "is missing: what does the choice change?")
    table.finish()
    return Arm(name, label, "", {**base.fields, **changed}, why)


def _symptom(table: Table, arms: tuple[str, ...]) -> Symptom:
    symptom = Symptom(
        table.one_of("arm", arms),
        table.one_of("count", _SYMPTOMS),
        table.take("words", str),
        table.take("none", str),
        table.take("some", str),
        table.maybe("over", int, 0),
    )
    table.finish()
    return symptom


def _predictions(top: Table, arms: tuple[str, ...]) -> tuple[Prediction, ...]:
    results = []
    for table in top.tables("predictions"):
        arm = table.one_of("arm", arms)
        if table.maybe("kind", str, "choice") == "choice":
            results.append(Prediction(arm, arm))
        else:
            results.append(Prediction(f"{arm}-number", arm, "number", table.take("question", str)))
        table.finish()
    names = [prediction.name for prediction in results]
    if len(set(names)) < len(names):
        raise top.error("predictions", "one of a kind for each arm")
    return tuple(results)


def _turn(table: Table, arms: Mapping[str, Arm]) -> Turn:
    base = table.one_of("from", tuple(arms))
    choices = tuple(_choice(table, arms[base]) for table in table.tables("choices"))
    if len(choices) < _FEWEST_CHOICES:
        raise table.error("choices", f"has to be at least {_FEWEST_CHOICES}")
    names = tuple(choice.name for choice in choices)
    turn = Turn(
        base,
        table.take("task", str),
        choices,
        table.one_of("solution", names),
        table.one_of("tempting", names),
        table.texts("hints"),
    )
    if turn.solution == turn.tempting:
        raise table.error("tempting", "is the solution")
    if len(turn.hints) != HINTS:
        raise table.error("hints", f"has to be {HINTS}, from a nudge to nearly the answer")
    table.finish()
    return turn


def _question(table: Table) -> Question:
    name, ask = table.slug("name"), table.take("ask", str)
    rows = table.tables("answers")
    answers = tuple(_answer(table) for table in rows)
    if len(answers) < _FEWEST_ANSWERS:
        raise table.error("answers", f"has to be at least {_FEWEST_ANSWERS}")
    if sum(answer.right for answer in answers) != 1:
        raise table.error("answers", "exactly one has to be right")
    table.finish()
    return Question(name, ask, answers)


def _answer(table: Table) -> Answer:
    answer = Answer(
        table.take("text", str), table.take("why", str), table.maybe("right", bool, False)
    )
    table.finish()
    return answer
