"""The pages of a lesson: one calm column, a step a page, progress kept by session."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labs.evidence import lesson_record
from labs.lessons import STEPS, Lesson, all_lessons, find
from labs.models import Progress, State
from labs.pages.lessons import confidence as lesson_confidence
from labs.pages.lessons import pages as lesson_pages
from labs.pages.lessons import progress
from labs.pages.lessons import review as lesson_review
from labs.pages.lessons.forms import PredictionForm, TurnForm
from labs.pages.parameters import whole_number
from labs.pages.polling import polled
from labs.runs import planning, services, visitors

_STARTED_OVER = (
    "This lab starts over. What you had done is set aside; the map of the course can restore it."
)


@require_safe
@never_cache
def lessons(request: HttpRequest) -> HttpResponse:
    """The map of the course, with one's own place in each lab."""
    mine = {progress.lesson: progress for progress in progress.load_all(request)}
    kept = lesson_record.read(settings.LAB_LESSON_RECORD)
    rows = [
        lesson_pages.row(
            lesson,
            mine.get(lesson.name),
            progress.may_undo(request, lesson),
            lesson_record.standing(lesson, kept),
        )
        for lesson in all_lessons()
    ]
    done = list(mine.values())
    context = {
        "rows": rows,
        "is_new": not any(row.begun for row in rows),
        "confidence": lesson_confidence.table(done),
        "due": len(lesson_review.due_now(lesson_review.cards(done))),
    }
    return render(request, "labs/lessons.html", context)


@require_http_methods(["GET", "POST"])
@never_cache
def review(request: HttpRequest) -> HttpResponse:
    """Questions that were answered wrongly some days ago; `?shown=` is the latest answer."""
    cards = lesson_review.cards(progress.load_all(request))
    due = lesson_review.due_now(cards)
    problem = ""
    if request.method == "POST":
        card = next((card for card in due if card.name == request.POST.get("card")), None)
        given = request.POST.get("answer", "").strip()
        if card is None:
            return redirect("labs:lesson-review")
        if card.is_answer(given):
            lesson_review.answer(card, given)
            return redirect(f"{reverse('labs:lesson-review')}?{urlencode({'shown': card.name})}")
        problem = f"Choose an answer, or type a number, for “{card.ask}”"
    shown = next((card for card in cards if card.name == request.GET.get("shown")), None)
    context = {"due": due, "shown": shown, "problem": problem}
    return render(request, "labs/lesson_review.html", context, status=400 if problem else 200)


@require_safe
@never_cache
def resume(request: HttpRequest, name: str) -> HttpResponse:
    """Leads to the step at which the visitor is, or to the story."""
    lesson = _find(name)
    step = lesson_pages.current_step(progress.load(request, lesson))
    return redirect("labs:lesson", name=lesson.name, step=step)


@require_http_methods(["GET", "POST"])
@never_cache
def lesson(request: HttpRequest, name: str, step: str) -> HttpResponse:
    """One step. A POST answers its question, if it has one, and leads on to the next.

    Looking keeps nothing; how far the visitor is, is kept when they go on.
    """
    lesson = _find(name)
    if step not in STEPS:
        raise Http404("There is no such step.")
    mine = progress.load(request, lesson)
    if request.method == "POST":
        given = request.POST.get("to") != "next" and _ANSWERS_OF.get(step)
        return given(request, lesson, mine) if given else _next(request, lesson, mine, step)
    return render(
        request, f"labs/lesson/{step}.html", lesson_pages.context(request, lesson, mine, step)
    )


@require_safe
@never_cache
def live(request: HttpRequest, name: str) -> HttpResponse:
    """The part of the run's step that changes; 286 once it will not change again."""
    lesson = _find(name)
    mine = progress.load(request, lesson)
    if mine.experiment is None:
        raise Http404("Nothing has been run in this lesson.")
    context = lesson_pages.context(request, lesson, mine, "run")
    is_live = mine.experiment.is_live
    return polled(request, "labs/lesson/live.html", context, is_live=is_live)


@require_safe
@never_cache
def turn_live(request: HttpRequest, name: str) -> HttpResponse:
    """The same for the run of the visitor's turn."""
    lesson = _find(name)
    mine = progress.load(request, lesson)
    if mine.turn_experiment is None:
        raise Http404("Nothing has been run in this turn.")
    context = lesson_pages.context(request, lesson, mine, "your-turn")
    is_live = mine.turn_experiment.is_live
    return polled(request, "labs/lesson/turn_live.html", context, is_live=is_live)


@require_POST
def reset(request: HttpRequest, name: str) -> HttpResponse:
    """Restarts a lesson, from the map or (`to=story`) from within; the map offers to undo it."""
    lesson = _find(name)
    progress.reset(request, lesson)
    if request.POST.get("to") != "story":
        return redirect(_on_the_map(lesson))
    messages.info(request, _STARTED_OVER)
    return redirect("labs:lesson", name=lesson.name, step="story")


@require_POST
def undo(request: HttpRequest, name: str) -> HttpResponse:
    """Takes a reset back."""
    lesson = _find(name)
    if progress.may_undo(request, lesson):
        progress.undo(request, lesson)
        messages.success(request, f"“{lesson.title}” is again where you had left it.")
    return redirect(_on_the_map(lesson))


def _on_the_map(lesson: Lesson) -> str:
    return f"{reverse('labs:lessons')}#lab-{lesson.order}"


def _find(name: str) -> Lesson:
    try:
        return find(name)
    except LookupError as unknown:
        raise Http404("There is no such lesson.") from unknown


def _go(request: HttpRequest, lesson: Lesson, mine: Progress, step: str) -> HttpResponse:
    progress.reach(request, mine, step)
    return redirect("labs:lesson", name=lesson.name, step=step)


def _next(request: HttpRequest, lesson: Lesson, mine: Progress, step: str) -> HttpResponse:
    names = list(STEPS)
    return _go(request, lesson, mine, names[min(names.index(step) + 1, len(names) - 1)])


def _predict(request: HttpRequest, lesson: Lesson, mine: Progress) -> HttpResponse:
    """Keeps the predictions. Once the run has begun they stay as they are."""
    if mine.experiment is not None:
        return _go(request, lesson, mine, "run")
    form = PredictionForm(lesson, request.POST)
    if not form.is_valid():
        context = lesson_pages.context(request, lesson, mine, "predict") | {"form": form}
        return render(request, "labs/lesson/predict.html", context, status=422)
    progress.predict(request, mine, form.kept())
    return _go(request, lesson, mine, "run")


def _run(request: HttpRequest, lesson: Lesson, mine: Progress) -> HttpResponse:
    """Starts the lesson's experiment, or puts one that reached no result back into the queue."""
    if mine.experiment is not None and mine.experiment.is_live:
        return _go(request, lesson, mine, "run")
    try:
        if mine.experiment is not None and mine.experiment.state != State.DONE:
            services.again(mine.experiment, visitors.identify(request))
        else:
            progress.begin(request, mine, services.start_lesson(lesson, visitors.identify(request)))
    except planning.Refused as refused:
        messages.error(request, str(refused))
    return _go(request, lesson, mine, "run")


def _turn(request: HttpRequest, lesson: Lesson, mine: Progress) -> HttpResponse:
    """Starts the run of one change, or puts a run that reached no result back into the queue."""
    earlier = mine.turn_experiment
    if earlier is not None and earlier.is_live:
        return _go(request, lesson, mine, "your-turn")
    form = TurnForm(lesson, request.POST)
    again = earlier is not None and earlier.state != State.DONE and not form.choice
    if not again and not form.is_valid():
        context = lesson_pages.context(request, lesson, mine, "your-turn") | {"turn": form}
        return render(request, "labs/lesson/your-turn.html", context, status=422)
    try:
        if again and earlier is not None:
            services.again(earlier, visitors.identify(request))
        else:
            chosen = lesson.arm(form.choice)
            started = services.start_turn(lesson, chosen, visitors.identify(request))
            progress.take_turn(request, mine, form.kept(), started)
    except planning.Refused as refused:
        messages.error(request, str(refused))
    return _go(request, lesson, mine, "your-turn")


def _why(request: HttpRequest, lesson: Lesson, mine: Progress) -> HttpResponse:
    """Keeps the answer to one question; anything that does not answer it changes nothing."""
    for question in lesson.questions:
        place = whole_number(request.POST.get(question.name, ""))
        if place is not None and place < len(question.answers):
            progress.answer(request, mine, question, place)
    return _go(request, lesson, mine, "why")


_ANSWERS_OF = {"predict": _predict, "run": _run, "your-turn": _turn, "why": _why}
