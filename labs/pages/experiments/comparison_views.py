"""Pages that compare runs, and the plain-text report of a run for a ticket."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from labs.models import State
from labs.pages import selectors
from labs.pages.experiments import comparison, presentation, report
from labs.pages.parameters import slug as typed_slug
from labs.pages.parameters import whole_number
from labs.runs import planning, services, visitors


@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """An experiment next to that of `?with=`; without it, the experiments to choose from."""
    this = get_object_or_404(selectors.recent(), slug=slug)
    context = {
        "experiment": this,
        "title": presentation.scenario_title(this.scenario),
        "others": [
            (other, presentation.scenario_title(other.scenario))
            for other in selectors.to_compare(this)
        ],
    }
    if query := request.GET.get("with", "").strip():
        other = get_object_or_404(selectors.recent(), slug=typed_slug(query))
        context |= {
            "compared": [
                (
                    place,
                    experiment,
                    presentation.scenario_title(experiment.scenario),
                    presentation.headlines(experiment) if experiment.state == State.DONE else [],
                )
                for place, experiment in zip(comparison.PLACES, (this, other), strict=True)
            ],
            "comparison": comparison.compare(this, other),
        }
    return render(request, "labs/compare.html", context)


@require_safe
def repetitions(request: HttpRequest, slug: str) -> HttpResponse:
    """The variation of the counts over repetitions of an experiment."""
    this = get_object_or_404(selectors.recent(), slug=slug)
    return render(
        request,
        "labs/repetitions.html",
        {
            "experiment": this,
            "title": presentation.scenario_title(this.scenario),
            "arms": comparison.repetitions(this),
            "most": services.REPEAT_MOST,
            "unfinished": selectors.unfinished_repetitions(this),
        },
    )


@require_POST
def repeat(request: HttpRequest, slug: str) -> HttpResponse:
    """Queues repetitions of the same arms, each with another seed."""
    this = get_object_or_404(selectors.recent(), slug=slug)
    try:
        times = whole_number(request.POST.get("times", "")) or 0
        services.repeat(this, times, visitors.identify(request))
    except planning.Refused as refused:
        messages.error(request, str(refused))
    return redirect("labs:repetitions", slug)


@require_safe
def text_report(request: HttpRequest, slug: str) -> HttpResponse:
    """The experiment as plain text."""
    this = get_object_or_404(selectors.recent(), slug=slug)
    text = report.text(this, request.build_absolute_uri(this.get_absolute_url()))
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
