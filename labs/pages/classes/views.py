"""The pages of class rooms. A teacher opens and leads a room; pupils join by its code."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from labs.lessons import Lesson, all_lessons
from labs.lessons import classroom as core
from labs.lessons import find as find_lesson
from labs.lessons.classroom import BadNickname, NotYet, Place, Stage
from labs.models import Classroom, Pupil, State
from labs.pages.classes import pages as class_pages
from labs.pages.classes import rooms as class_rooms
from labs.pages.classes.presence import PRESENCE
from labs.pages.lessons.forms import PredictionForm
from labs.pages.parameters import whole_number
from labs.pages.polling import polled
from labs.runs import planning, services, visitors

NOTHING_NEW = 204
NO_ROOM = "There is no room with this code. It has 8 letters and digits: ask your teacher."
_MOVED_ON = "The class has moved on in the meantime."


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The page to join a class with its code, and to open one for a lab."""
    return _index(request, {"code": core.code(request.GET.get("code", ""))})


@require_POST
def open_room(request: HttpRequest) -> HttpResponse:
    """Opens a room for a lab."""
    try:
        lesson = find_lesson(request.POST.get("lesson", ""))
    except LookupError:
        return _index(request, {"open_problem": "Choose a lab of the course."}, status=400)
    try:
        return redirect(class_rooms.open_room(request, lesson))
    except planning.Refused as refused:
        return _index(request, {"open_problem": str(refused)}, status=400)


@require_POST
def join(request: HttpRequest) -> HttpResponse:
    """Joins the room of a code under a nickname."""
    typed = {"code": core.code(request.POST.get("code", "")),
             "nickname": request.POST.get("nickname", "")[:100]}  # fmt: skip
    try:
        room = class_rooms.find(typed["code"])
    except Classroom.DoesNotExist:
        return _index(request, typed | {"problem": NO_ROOM}, status=400)
    if visitors.existing_key(request) == room.teacher:
        return redirect(room)
    try:
        class_rooms.join(request, room, core.nickname(typed["nickname"]))
    except (BadNickname, planning.Refused) as wrong:
        return _index(request, typed | {"problem": str(wrong)}, status=400)
    return redirect(room)


@require_safe
@never_cache
def room(request: HttpRequest, code: str) -> HttpResponse:
    """The room for its teacher, for a pupil, or for a visitor who may join."""
    try:
        room, lesson = _find(code)
    except Http404 as unknown:
        return _index(request, {"code": core.code(code), "problem": str(unknown)}, status=404)
    return _page(request, room, lesson)


@require_safe
@never_cache
def live(request: HttpRequest, code: str) -> HttpResponse:
    """The shared part of a class; 204, after two queries, if the browser already has it."""
    room, lesson = _find(code)
    visitor = visitors.existing_key(request)
    if visitor != room.teacher:
        PRESENCE.record(room.code, visitor)
    if request.GET.get("seen") == class_pages.key(room):
        return HttpResponse(status=NOTHING_NEW)
    context = class_pages.context(request, room, lesson)
    return polled(request, "labs/class/part.html", context, is_live=room.is_open)


@require_safe
@never_cache
def seats(request: HttpRequest, code: str) -> HttpResponse:
    """The steps of the pupils, for the teacher; 204 if the browser already has them."""
    room, lesson = _find(code)
    _teacher_only(request, room)
    if request.GET.get("seen") == class_pages.seats_key(room):
        return HttpResponse(status=NOTHING_NEW)
    context = class_pages.seats(room, lesson)
    return polled(request, "labs/class/seats.html", context, is_live=room.is_open)


@require_POST
def predict(request: HttpRequest, code: str) -> HttpResponse:
    """Stores a pupil's predictions, which may be changed until predicting is closed."""
    room, lesson = _find(code)
    pupil = _find_pupil(request, room)
    if pupil is None:
        return redirect(room)  # which says that the teacher removed this pupil
    form = PredictionForm(lesson, request.POST)
    if not form.is_valid():
        return _page(request, room, lesson, {"form": form}, status=400)
    if not class_rooms.predict(room, pupil, form.stored()):
        messages.error(request, "Predicting is over. Your earlier predictions stay.")
        return redirect(room)
    return redirect(f"{room.get_absolute_url()}#predict")  # where the page confirms it


@require_POST
def answer(request: HttpRequest, code: str) -> HttpResponse:
    """Stores a pupil's first answer to the current question."""
    room, lesson = _find(code)
    pupil = _find_pupil(request, room)
    if pupil is None:
        return redirect(room)
    question = class_pages.current_question(room, lesson)
    place = whole_number(request.POST.get("answer", ""))
    if question is None:
        messages.error(request, _MOVED_ON)
    elif place is None or place >= len(question.answers):
        return _page(request, room, lesson, {"problem": "Choose one of the answers."}, status=400)
    elif not class_rooms.answer(room, pupil, room.question, question.name, place):
        messages.error(request, "Your first answer stays, or the question is over.")
    return redirect(room)


@require_POST
def forward(request: HttpRequest, code: str) -> HttpResponse:
    """Moves the class on from the place that the teacher saw."""
    room, lesson = _find(code)
    _teacher_only(request, room)
    if not room.is_open or request.POST.get("from") != str(room.version):
        messages.error(request, _MOVED_ON if room.is_open else class_rooms.CLOSED)
        return redirect(room)
    try:
        has_result = room.experiment is not None and room.experiment.state == State.DONE
        class_rooms.move(room, room.place.forward(len(lesson.questions), has_result=has_result))
    except NotYet as not_yet:
        messages.error(request, str(not_yet))
    return redirect(room)


@require_POST
def run(request: HttpRequest, code: str) -> HttpResponse:
    """Starts the one run of the class, or requeues it if it has no result."""
    room, lesson = _find(code)
    _teacher_only(request, room)
    earlier = room.experiment
    if not room.is_open or room.stage not in (Stage.PREDICTED, Stage.RUN):
        messages.error(request, class_rooms.CLOSED if not room.is_open else _MOVED_ON)
    elif earlier is None or earlier.state == State.DONE:
        _start(request, room, lesson)
    elif not earlier.is_live:
        try:
            services.again(earlier, visitors.identify(request))
        except planning.Refused as refused:
            messages.error(request, str(refused))
    return redirect(room)


@require_POST
def close(request: HttpRequest, code: str) -> HttpResponse:
    """Ends the class."""
    room, _ = _find(code)
    _teacher_only(request, room)
    class_rooms.close(room)
    return redirect(room)


@require_POST
def remove(request: HttpRequest, code: str) -> HttpResponse:
    """Removes a pupil from the room."""
    room, _ = _find(code)
    _teacher_only(request, room)
    if name := class_rooms.remove(room, whole_number(request.POST.get("pupil", "")) or 0):
        messages.success(request, f"{name} is out of the room, and can join again with the code.")
    return redirect(room)


@require_safe
@never_cache
def export(request: HttpRequest, code: str) -> HttpResponse:
    """The class as CSV, for its teacher, with a byte order mark for spreadsheets (UTF-8)."""
    room, lesson = _find(code)
    _teacher_only(request, room)
    members = [class_rooms.member(pupil) for pupil in room.pupils.all()]
    text = core.table(lesson, members, class_pages.outcomes(room))
    response = HttpResponse("\ufeff" + text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="class-{room.code}.csv"'
    return response


def _index(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    data = {"lessons": all_lessons(), "lab": request.GET.get("lab", ""), **context}
    return render(request, "labs/class/index.html", data, status=status)


def _page(
    request: HttpRequest, room: Classroom, lesson: Lesson, extra: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    context = class_pages.context(request, room, lesson)
    if context["leads"]:
        context |= class_pages.seats(room, lesson)
    return render(request, "labs/class/room.html", context | (extra or {}), status=status)


def _find(code: str) -> tuple[Classroom, Lesson]:
    try:
        room = class_rooms.find(core.code(code))
        return room, find_lesson(room.lesson)
    except (Classroom.DoesNotExist, LookupError) as unknown:
        raise Http404(NO_ROOM) from unknown


def _teacher_only(request: HttpRequest, room: Classroom) -> None:
    if visitors.existing_key(request) != room.teacher:
        raise Http404("This is for the teacher of the room.")


def _find_pupil(request: HttpRequest, room: Classroom) -> Pupil | None:
    """Returns the pupil; None if the teacher removed this pupil. Raises `Http404` for others."""
    pupil = class_rooms.find_pupil(room, visitors.existing_key(request))
    if pupil is None and not class_rooms.is_removed(request, room):
        raise Http404("This is for pupils of the room.")
    return pupil


def _start(request: HttpRequest, room: Classroom, lesson: Lesson) -> None:
    try:
        with transaction.atomic():
            started = services.start_lesson(lesson, visitors.identify(request))
            if not class_rooms.move(room, Place(Stage.RUN), started):
                transaction.set_rollback(True)  # pressed twice: the first press started a run
    except planning.Refused as refused:
        messages.error(request, str(refused))
