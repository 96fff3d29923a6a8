"""Stores the actions in a class: open, join, predict, answer, move on, close."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from labs.lessons import Lesson
from labs.lessons.classroom import MOST_PUPILS, OPEN_FOR, Member, Place, Stage, nickname_key
from labs.models import Classroom, Experiment, Pupil
from labs.runs import visitors
from labs.runs.planning import Refused

_JOINED = "joined_room"
"""In the session: the code of the room that was joined last, and the visitor who joined it."""

CLOSED = "This room is closed: it shows the results, and accepts nothing more."


def find(code: str) -> Classroom:
    """Returns a room with its run, in one query. Raises `Classroom.DoesNotExist`."""
    return Classroom.objects.select_related("experiment").get(code=code)


def open_room(request: HttpRequest, lesson: Lesson) -> Classroom:
    """Creates a room with the visitor as teacher. Raises `Refused` if too many are open."""
    visitor = visitors.identify(request)
    since = timezone.now() - OPEN_FOR
    opened = Classroom.objects.filter(closed_at__isnull=True, opened_at__gt=since)
    for owner, rooms, most in (
        ("You have", opened.filter(teacher=visitor.key), settings.LAB_ROOMS["visitor"]),
        ("Your address has", opened.filter(address=visitor.address), settings.LAB_ROOMS["address"]),
    ):
        if rooms.count() >= most:
            raise Refused(f"{owner} {most} open rooms. Close one of them first.")
    return Classroom.objects.create(
        lesson=lesson.name, teacher=visitor.key, address=visitor.address
    )


def join(request: HttpRequest, room: Classroom, nickname: str) -> Pupil:
    """Returns the visitor as a pupil of the room, and creates the pupil if necessary.

    Raises `Refused` for a nickname that is taken, for a full room, and for a closed one.
    """
    key = visitors.key(request)
    if (pupil := find_pupil(room, key)) is not None:
        return pupil
    if not room.is_open:
        raise Refused(CLOSED)
    if room.pupils.count() >= MOST_PUPILS:
        raise Refused(f"This room is full: it holds {MOST_PUPILS} pupils.")
    try:
        with transaction.atomic():
            created = Pupil.objects.create(
                classroom=room, visitor=key, nickname=nickname, name_key=nickname_key(nickname)
            )
    except IntegrityError as taken:
        # A second tab of this browser, or another browser with the nickname.
        if (existing := find_pupil(room, key)) is not None:
            return existing
        raise Refused(f"“{nickname}” is taken in this room. Choose another nickname.") from taken
    _touch(room)
    request.session[_JOINED] = [room.code, key]
    return created


def is_removed(request: HttpRequest, room: Classroom) -> bool:
    """Whether this visitor, who is no pupil of the room, joined it last: the teacher removes
    pupils, and nothing else does."""
    visitor = visitors.existing_key(request)
    return bool(visitor) and request.session.get(_JOINED) == [room.code, visitor]


def find_pupil(room: Classroom, visitor: str) -> Pupil | None:
    """Returns the pupil of a visitor in this room, or None."""
    return room.pupils.filter(visitor=visitor).first() if visitor else None


def predict(room: Classroom, pupil: Pupil, predictions: Mapping[str, Mapping[str, str]]) -> bool:
    """Stores the predictions of a pupil; returns False once predicting is over."""
    with transaction.atomic():
        rows = _current(room, Stage.PREDICT).filter(pk=pupil.pk)
        if not rows.update(prediction=dict(predictions)):
            return False
        _touch(room)
    return True


def answer(room: Classroom, pupil: Pupil, question: int, name: str, place: int) -> bool:
    """Stores a pupil's first answer to the current question; returns False for another question."""
    with transaction.atomic():
        rows = _current(room, Stage.QUESTION).filter(
            pk=pupil.pk, classroom__question=question, classroom__revealed=False
        )
        current = rows.select_for_update(of=("self",)).first()
        if current is None or name in current.answers:
            return False
        current.answers = {**current.answers, name: place}
        current.save(update_fields=["answers"])
        _touch(room)
    return True


def move(room: Classroom, place: Place, experiment: Experiment | None = None) -> bool:
    """Moves the class to a place, with a run if any; returns False if it has already moved."""
    moved = Classroom.objects.filter(pk=room.pk, version=room.version, closed_at__isnull=True)
    return bool(
        moved.update(
            stage=place.stage.value,
            question=place.question,
            revealed=place.revealed,
            experiment=experiment or room.experiment,
            version=F("version") + 1,
        )
    )


def close(room: Classroom) -> None:
    """Ends the class; its results stay visible until the room is removed."""
    Classroom.objects.filter(pk=room.pk, closed_at__isnull=True).update(
        closed_at=timezone.now(), version=F("version") + 1
    )


def remove(room: Classroom, pupil: int) -> str:
    """Removes a pupil with all answers; returns the nickname, empty if there is no such pupil."""
    member = room.pupils.filter(pk=pupil).first()
    if member is None:
        return ""
    member.delete()
    Classroom.objects.filter(pk=room.pk).update(version=F("version") + 1, touches=F("touches") + 1)
    return member.nickname


def member(pupil: Pupil) -> Member:
    """Returns a pupil as plain data for `labs.lessons.classroom`."""
    return Member(pupil.nickname, pupil.prediction, pupil.answers)


def _current(room: Classroom, stage: Stage) -> QuerySet[Pupil]:
    since = timezone.now() - OPEN_FOR
    return Pupil.objects.filter(
        classroom=room, classroom__stage=stage.value, classroom__closed_at__isnull=True,
        classroom__opened_at__gt=since,
    )  # fmt: skip


def _touch(room: Classroom) -> None:
    Classroom.objects.filter(pk=room.pk).update(touches=F("touches") + 1)
