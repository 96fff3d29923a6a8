"""The pages of a lesson: one step per page, with progress by visitor."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

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
    "This lab starts over. What you had done is set aside; the list of labs can restore it."
)

_ELSEWHERE = (
    "The run that this page showed is not part of your lab any more: in another tab the lab was "
    "started over, or you signed in or out."
)


@require_safe
@never_cache
def lessons(request: HttpRequest) -> HttpResponse:
    """The map of the course, with the visitor's progress in each lab."""
    by_lesson = {progress.lesson: progress for progress in progress.load_all(request)}
    proofs = lesson_record.read(settings.LAB_LESSON_RECORD)
    rows = [
        lesson_pages.row(
            lesson,
            by_lesson.get(lesson.name),
            progress.may_undo(request, lesson),
            lesson_record.standing(lesson, proofs),
        )
        for lesson in all_lessons()
    ]
    begun = list(by_lesson.values())
    context = {
        "rows": rows,
        "is_new": not any(row.begun for row in rows),
        "confidence": lesson_confidence.table(begun),
        "due": len(lesson_review.due_now(lesson_review.cards(begun))),
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
        text = request.POST.get("answer", "").strip()
        if card is None:
            return redirect("labs:lesson-review")
        if card.is_answer(text):
            lesson_review.answer(card, text)
            return redirect(f"{reverse('labs:lesson-review')}?{urlencode({'shown': card.name})}")
        problem = f"Choose an answer, or type a number, for “{card.ask}”"
    shown = next((card for card in cards if card.name == request.GET.get("shown")), None)
    context = {"due": due, "shown": shown, "problem": problem}
    return render(request, "labs/lesson_review.html", context, status=400 if problem else 200)


@require_safe
@never_cache
def resume(request: HttpRequest, name: str) -> HttpResponse:
    """Redirects to the visitor's current step, or to the story."""
    lesson = _find(name)
    step = lesson_pages.current_step(progress.load(request, lesson))
    return redirect("labs:lesson", name=lesson.name, step=step)


@require_http_methods(["GET", "POST"])
@never_cache
def lesson(request: HttpRequest, name: str, step: str) -> HttpResponse:
    """One step. A POST answers its question, if it has one, and leads to the next.

    A GET stores nothing; progress is stored when the visitor continues.
    """
    lesson = _find(name)
    if step not in STEPS:
        raise Http404("There is no such step.")
    current = progress.load(request, lesson)
    if request.method == "POST":
        handler = request.POST.get("to") != "next" and _HANDLERS.get(step)
        return (
            handler(request, lesson, current) if handler else _next(request, lesson, current, step)
        )
    return render(
        request, f"labs/lesson/{step}.html", lesson_pages.context(request, lesson, current, step)
    )


@require_safe
@never_cache
def live(request: HttpRequest, name: str) -> HttpResponse:
    """The part of the run's step that changes; 286 once it will not change again."""
    lesson = _find(name)
    current = progress.load(request, lesson)
    if current.experiment is None:
        return _nothing_run(request)
    context = lesson_pages.context(request, lesson, current, "run")
    is_live = current.experiment.is_live
    return polled(request, "labs/lesson/live.html", context, is_live=is_live)


@require_safe
@never_cache
def turn_live(request: HttpRequest, name: str) -> HttpResponse:
    """The changing part of the visitor's turn, for its run."""
    lesson = _find(name)
    current = progress.load(request, lesson)
    if current.turn_experiment is None:
        return _nothing_run(request)
    context = lesson_pages.context(request, lesson, current, "your-turn")
    is_live = current.turn_experiment.is_live
    return polled(request, "labs/lesson/turn_live.html", context, is_live=is_live)


def _nothing_run(request: HttpRequest) -> HttpResponse:
    """Loads a page again that asks for a run which this visitor has no more. Raises `Http404` where
    no such page asks."""
    if not request.htmx:  # type: ignore[attr-defined]
        raise Http404("Nothing has been run here.")
    messages.info(request, _ELSEWHERE)
    return HttpResponseClientRefresh()


@require_POST
def reset(request: HttpRequest, name: str) -> HttpResponse:
    """Restarts a lesson, from the map or (`to=story`) from the lab; the map can undo it."""
    lesson = _find(name)
    progress.reset(request, lesson)
    if request.POST.get("to") != "story":
        return redirect(_on_the_map(lesson))
    messages.info(request, _STARTED_OVER)
    return redirect("labs:lesson", name=lesson.name, step="story")


@require_POST
def undo(request: HttpRequest, name: str) -> HttpResponse:
    """Undoes a reset."""
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


def _go(request: HttpRequest, lesson: Lesson, current: Progress, step: str) -> HttpResponse:
    progress.reach(request, current, step)
    return redirect("labs:lesson", name=lesson.name, step=step)


def _next(request: HttpRequest, lesson: Lesson, current: Progress, step: str) -> HttpResponse:
    names = list(STEPS)
    return _go(request, lesson, current, names[min(names.index(step) + 1, len(names) - 1)])


def _predict(request: HttpRequest, lesson: Lesson, current: Progress) -> HttpResponse:
    """Stores the predictions. They cannot be changed once the run has begun."""
    if current.experiment is not None:
        return _go(request, lesson, current, "run")
    form = PredictionForm(lesson, request.POST)
    if not form.is_valid():
        context = lesson_pages.context(request, lesson, current, "predict") | {"form": form}
        return render(request, "labs/lesson/predict.html", context, status=422)
    progress.predict(request, current, form.stored())
    return _go(request, lesson, current, "run")


def _run(request: HttpRequest, lesson: Lesson, current: Progress) -> HttpResponse:
    """Starts the lesson's experiment, or requeues it if it has no result."""
    if current.experiment is not None and current.experiment.is_live:
        return _go(request, lesson, current, "run")
    try:
        if current.experiment is not None and current.experiment.state != State.DONE:
            services.again(current.experiment, visitors.identify(request))
        else:
            progress.begin(
                request, current, services.start_lesson(lesson, visitors.identify(request))
            )
    except planning.Refused as refused:
        messages.error(request, str(refused))
    return _go(request, lesson, current, "run")


def _turn(request: HttpRequest, lesson: Lesson, current: Progress) -> HttpResponse:
    """Starts the run of one change, or requeues it if it has no result."""
    earlier = current.turn_experiment
    if earlier is not None and earlier.is_live:
        return _go(request, lesson, current, "your-turn")
    form = TurnForm(lesson, request.POST)
    again = earlier is not None and earlier.state != State.DONE and not form.choice
    if not again and not form.is_valid():
        context = lesson_pages.context(request, lesson, current, "your-turn") | {"turn": form}
        return render(request, "labs/lesson/your-turn.html", context, status=422)
    try:
        if again and earlier is not None:
            services.again(earlier, visitors.identify(request))
        else:
            chosen = lesson.arm(form.choice)
            started = services.start_turn(lesson, chosen, visitors.identify(request))
            progress.take_turn(request, current, form.stored(), started)
    except planning.Refused as refused:
        messages.error(request, str(refused))
    return _go(request, lesson, current, "your-turn")


def _answer(request: HttpRequest, lesson: Lesson, current: Progress) -> HttpResponse:
    """Stores the answer to one question; invalid answers change nothing."""
    for question in lesson.questions:
        place = whole_number(request.POST.get(question.name, ""))
        if place is not None and place < len(question.answers):
            progress.answer(request, current, question, place)
    return _go(request, lesson, current, "why")


_HANDLERS = {"predict": _predict, "run": _run, "your-turn": _turn, "why": _answer}
