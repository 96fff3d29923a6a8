"""The pages of a lesson: one calm column, a step a page, progress kept by session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseStopPolling

from advisor.catalog import Component
from labs import presentation, progress, services, visitors
from labs.lessons import ANSWERS, STEPS, Lesson, all_lessons, find
from labs.models import Experiment, Progress, State
from labs.views import experiment_context


@require_safe
@never_cache
def lessons(request: HttpRequest) -> HttpResponse:
    """The course as a path, with one's own place on it."""
    rows = []
    for lesson in all_lessons():
        mine = progress.of(request, lesson)
        rows.append((lesson, mine, STEPS[mine.step], progress.may_undo(request, lesson)))
    return render(request, "labs/lessons.html", {"rows": rows})


@require_http_methods(["GET", "POST"])
@never_cache
def lesson(request: HttpRequest, name: str, step: str) -> HttpResponse:
    """One step. A POST answers its question, if it has one, and leads on to the next.

    Looking keeps nothing; how far the visitor is, is kept when they go on.
    """
    found = _find(name)
    if step not in STEPS:
        raise Http404("There is no such step.")
    mine = progress.of(request, found)
    if request.method == "POST":
        given = request.POST.get("to") != "next" and _ANSWERS_OF.get(step)
        return given(request, found, mine) if given else _next(request, found, mine, step)
    return render(request, f"labs/lesson/{step}.html", _context(request, found, mine, step))


@require_safe
@never_cache
def live(request: HttpRequest, name: str) -> HttpResponse:
    """The part of the run's step that changes; 286 once it will not change again."""
    found = _find(name)
    mine = progress.of(request, found)
    if mine.experiment is None:
        raise Http404("Nothing has been run in this lesson.")
    response = render(request, "labs/lesson/live.html", _context(request, found, mine, "run"))
    if not mine.experiment.is_live:
        response.status_code = HttpResponseStopPolling.status_code
    return response


@require_POST
def reset(request: HttpRequest, name: str) -> HttpResponse:
    """Begins a lesson anew; the page offers to undo it."""
    progress.reset(request, _find(name))
    return redirect("labs:lessons")


@require_POST
def undo(request: HttpRequest, name: str) -> HttpResponse:
    """Takes a reset back."""
    progress.undo(request, _find(name))
    return redirect("labs:lessons")


def _find(name: str) -> Lesson:
    try:
        return find(name)
    except LookupError as unknown:
        raise Http404("There is no such lesson.") from unknown


def _go(request: HttpRequest, found: Lesson, mine: Progress, step: str) -> HttpResponse:
    progress.reach(request, mine, step)
    return redirect("labs:lesson", name=found.name, step=step)


def _next(request: HttpRequest, found: Lesson, mine: Progress, step: str) -> HttpResponse:
    names = list(STEPS)
    return _go(request, found, mine, names[min(names.index(step) + 1, len(names) - 1)])


def _predict(request: HttpRequest, found: Lesson, mine: Progress) -> HttpResponse:
    answers = {arm.name: request.POST.get(arm.name, "") for arm in found.arms}
    if any(answer not in ANSWERS for answer in answers.values()):
        context = _context(request, found, mine, "predict")
        context["answers"] = answers
        context["problem"] = "Choose one answer for each of the settings."
        return render(request, "labs/lesson/predict.html", context, status=422)
    progress.predict(request, mine, answers)
    return _go(request, found, mine, "run")


def _run(request: HttpRequest, found: Lesson, mine: Progress) -> HttpResponse:
    """Starts the lesson's experiment, or puts one that reached no result back into the queue."""
    if mine.experiment is not None and mine.experiment.is_live:
        return _go(request, found, mine, "run")
    try:
        if mine.experiment is not None and mine.experiment.state != State.DONE:
            services.again(mine.experiment, visitors.of(request))
        else:
            progress.begin(request, mine, services.start_lesson(found, visitors.of(request)))
    except services.Refused as refused:
        messages.error(request, str(refused))
    return _go(request, found, mine, "run")


_ANSWERS_OF = {"predict": _predict, "run": _run}


def _context(request: HttpRequest, found: Lesson, mine: Progress, step: str) -> dict[str, Any]:
    names = list(STEPS)
    at = names.index(step)
    context: dict[str, Any] = {
        "lesson": found,
        "mine": mine,
        "step": step,
        "answers": mine.prediction,
        "choices": ANSWERS.items(),
        "steps": _steps(found, mine, step),
        "has_next": at + 1 < len(names),
        "back": _url(found, names[at - 1]) if at else "",
        "take_home": _take_home(found),
    }
    if mine.experiment is not None:
        context |= experiment_context(request, mine.experiment.slug)
        context |= _results(found, mine.experiment, mine.prediction)
    return context


def _results(
    found: Lesson, experiment: Experiment, prediction: Mapping[str, str]
) -> dict[str, Any]:
    """Prediction beside result, and the explanation; only once there is a result."""
    if experiment.state != State.DONE:
        return {}
    outcomes = presentation.outcomes(experiment)
    compared = [
        (
            arm,
            ANSWERS.get(prediction.get(arm.name, ""), ""),
            outcomes[arm.name],
            outcomes[arm.name].answer == prediction.get(arm.name),
        )
        for arm in found.arms
        if arm.name in outcomes
    ]
    return {
        "compared": compared,
        "right": sum(row[3] for row in compared),
        "judged": sum(row[2].answer is not None for row in compared),
        "passages": found.explain(outcomes),
    }


def _take_home(found: Lesson) -> list[tuple[str, str, str]]:
    """The stated settings of the arm to take home: (part, key, value)."""
    parts = {component.value for component in Component}
    typed = (
        (*key.split(".", 1), value)
        for key, value in found.arm(found.take_home).fields.items()
        if "." in key
    )
    return [(part, key, value) for part, key, value in typed if part in parts]


def _url(found: Lesson, step: str) -> str:
    return reverse("labs:lesson", args=[found.name, step])


def _steps(found: Lesson, mine: Progress, current: str) -> list[tuple[str, str, bool, bool]]:
    """Each step: its address, its word, whether it is behind the visitor, whether it is now."""
    reached = list(STEPS).index(mine.step)
    return [
        (_url(found, name), word, index < reached and name != current, name == current)
        for index, (name, word) in enumerate(STEPS.items())
    ]
