"""The content of the page of a class room for its teacher, for a pupil, and for others."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from labs.lessons import Lesson, Outcome, Question
from labs.lessons.classroom import KEPT_FOR, OPEN_FOR, Member, Stage, answered, spreads
from labs.models import Classroom, Experiment, Pupil, State
from labs.pages import text_cache
from labs.pages.classes import rooms as class_rooms
from labs.pages.classes.presence import PRESENCE
from labs.pages.experiments import presentation, replays
from labs.pages.experiments.views import shown
from labs.pages.lessons import pages as lesson_pages
from labs.pages.lessons.forms import PredictionForm
from labs.runs import visitors

_QUEUED_EVERY_S = 5


@dataclass(frozen=True, slots=True)
class Seat:
    """One pupil for the teacher: the step in words, and whether the browser is connected."""

    pupil: Pupil
    where: str
    right: int
    is_here: bool


def key(room: Classroom) -> str:
    """Returns the state of a room for a browser: it changes when there is news for everybody."""
    experiment = room.experiment
    data = f"{room.version}.{int(room.is_open)}"
    if experiment is None or room.stage != Stage.RUN:
        return data
    beat = experiment.heartbeat_at
    moment = beat.timestamp() if beat else 0.0
    if experiment.state == State.QUEUED:  # its place in the queue changes without an update
        moment = timezone.now().timestamp() // _QUEUED_EVERY_S
    return f"{data}.{experiment.attempt}.{experiment.state}.{moment:.0f}"


def seats_key(room: Classroom) -> str:
    """Returns the state of the pupils' work, which only the teacher sees."""
    present = ",".join(sorted(PRESENCE.present(room.code)))
    return f"{room.version}.{room.touches}.{zlib.crc32(present.encode()):x}"


def context(request: HttpRequest, room: Classroom, lesson: Lesson) -> dict[str, Any]:
    """Returns the context of the shared part of the page, for this visitor."""
    visitor = visitors.existing_key(request)
    leads = bool(visitor) and room.teacher == visitor
    pupil = None if leads else class_rooms.find_pupil(room, visitor)
    values: dict[str, Any] = {
        "room": room,
        "code": f"{room.code[:4]}-{room.code[4:]}",
        "lesson": lesson,
        "leads": leads,
        "pupil": pupil,
        "key": key(room),
        "until": room.opened_at + OPEN_FOR,
        "gone": room.opened_at + KEPT_FOR,
    }
    if not leads and pupil is None:
        return values | {"is_removed": class_rooms.is_removed(request, room)}
    predictions = pupil.prediction if pupil else {}
    values |= {"form": PredictionForm(lesson, stored_values=predictions), "answers": predictions}
    if room.stage == Stage.PREDICT:
        return values | {"story": lesson_pages.html(lesson, lesson.story, {})}
    if room.stage == Stage.RUN:
        return values | _run(room, lesson, predictions)
    members = [class_rooms.member(pupil) for pupil in room.pupils.all()]
    if room.stage in (Stage.PREDICTED, Stage.EXPLAIN):
        values |= _spreads(room, lesson, members)
    if room.stage == Stage.QUESTION:
        values |= _question(room, lesson, pupil, members)
    if room.stage == Stage.EXPLAIN and room.experiment is not None:
        values |= lesson_pages.results(lesson, room.experiment, predictions)
        values["take_home_text"] = lesson_pages.html(lesson, lesson.take_home, {})
    return values


def seats(room: Classroom, lesson: Lesson) -> dict[str, Any]:
    """Returns the part for the teacher: the step of each pupil, and the answers so far."""
    pupils = list(room.pupils.all())
    members = [class_rooms.member(pupil) for pupil in pupils]
    present = PRESENCE.present(room.code)
    values: dict[str, Any] = {
        "room": room,
        "lesson": lesson,
        "seats_key": seats_key(room),
        "seats": [_seat(room, lesson, pupil, present) for pupil in pupils],
        "here": sum(pupil.visitor in present for pupil in pupils),
        "predicted": sum(bool(pupil.prediction) for pupil in pupils),
    }
    if room.stage == Stage.PREDICT:
        values |= _spreads(room, lesson, members)
    question = current_question(room, lesson)
    if question is not None and not room.revealed:
        values |= {"question": question, "bars": answered(question, members)}
        values["replied"] = sum(question.name in pupil.answers for pupil in pupils)
    return values


def current_question(room: Classroom, lesson: Lesson) -> Question | None:
    """Returns the current question of the class; None at every other stage."""
    is_asked = room.stage == Stage.QUESTION and room.question < len(lesson.questions)
    return lesson.questions[room.question] if is_asked else None


def outcomes(room: Classroom) -> dict[str, Outcome]:
    """Returns the outcome of the class's run; empty until it is complete."""
    if room.experiment is None or room.experiment.state != State.DONE:
        return {}
    return presentation.outcomes(room.experiment)


def _seat(room: Classroom, lesson: Lesson, pupil: Pupil, present: frozenset[str]) -> Seat:
    right = sum(
        question.answers[pupil.answers[question.name]].right
        for question in lesson.questions
        if question.name in pupil.answers and pupil.answers[question.name] < len(question.answers)
    )
    return Seat(pupil, _step_words(room, lesson, pupil), right, pupil.visitor in present)


def _step_words(room: Classroom, lesson: Lesson, pupil: Pupil) -> str:
    question = current_question(room, lesson)
    if question is not None:
        text = "answered" if question.name in pupil.answers else "has not answered"
        return f"{text} question {room.question + 1}"
    if pupil.prediction:
        return "has predicted"
    return "joined" if room.stage == Stage.PREDICT else "did not predict"


def _spreads(room: Classroom, lesson: Lesson, members: list[Member]) -> dict[str, Any]:
    return {"spreads": spreads(lesson, members, outcomes(room)), "members": len(members)}


def _question(
    room: Classroom, lesson: Lesson, pupil: Pupil | None, members: list[Member]
) -> dict[str, Any]:
    question = current_question(room, lesson)
    if question is None:  # the lab has fewer questions than when the class began
        return {}
    choice = pupil.answers.get(question.name) if pupil else None
    bars = answered(question, members) if room.revealed else ()
    shown = question.shown if room.revealed else ()
    answers = [(place, answer, bar) for (place, answer), bar in zip(shown, bars, strict=True)]
    return {"question": question, "given": choice, "answers": answers, "number": room.question + 1}


def _run(room: Classroom, lesson: Lesson, predictions: dict[str, Any]) -> dict[str, Any]:
    """Returns the run of the class: its live picture, or its result with the predictions."""
    experiment = room.experiment
    if experiment is None:
        return {}
    values: dict[str, Any] = {"experiment": experiment}
    if experiment.state != State.DONE:
        return values | {"picture": _picture(experiment, lesson, key(room))}
    members = [class_rooms.member(pupil) for pupil in room.pupils.all()]
    values |= lesson_pages.results(lesson, experiment, predictions) | _spreads(
        room, lesson, members
    )
    return values | {"picture": _result(experiment, lesson)}


def _picture(experiment: Experiment, lesson: Lesson, state: str) -> SafeString:
    """Renders the current state of the run, once for all browsers that request it."""

    def make() -> str:
        return render_to_string("labs/live.html", shown(experiment) | {"lesson": lesson})

    return mark_safe(text_cache.cached(("class live", experiment.slug, state), make))  # noqa: S308


def _result(experiment: Experiment, lesson: Lesson) -> SafeString:
    """Renders the arms and the replay, which are the same in every browser."""

    def make() -> str:
        played = {"replays": replays.arms(experiment), "lesson": lesson}
        return render_to_string("labs/class/result.html", shown(experiment) | played)

    name = ("class result", experiment.slug, experiment.attempt, experiment.pruned_at)
    return mark_safe(text_cache.cached(name, make))  # noqa: S308
