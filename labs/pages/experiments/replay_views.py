"""Details of a run: its replay as data, previews, and the story of one message."""

from __future__ import annotations

import json

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from advisor.pages.standing import find_or_404
from labs.engine.record.replay import partitions
from labs.models import Run, State
from labs.pages import selectors, text_cache
from labs.pages.experiments import answer_preview, presentation, preview, replays
from labs.pages.parameters import whole_number


@require_safe
@never_cache
def replay(request: HttpRequest, slug: str) -> HttpResponse:
    """The telemetry of `?partition=` of every finished arm, in columns, for the script."""
    partition = whole_number(request.GET.get("partition", "")) or 0
    experiment = get_object_or_404(selectors.recent(), slug=slug)
    if experiment.is_live:
        return JsonResponse(replays.data(experiment, partition))
    # A class of thirty browsers requests one run at the same time.
    key = ("replay", slug, experiment.attempt, experiment.pruned_at, partition)
    text = text_cache.cached(key, lambda: json.dumps(replays.data(experiment, partition)))
    return HttpResponse(text, content_type="application/json")


@require_safe
def picture(request: HttpRequest, slug: str) -> HttpResponse:
    """The verdicts and plots of a finished run as a PNG, for previews of its link."""
    experiment = get_object_or_404(selectors.recent(), slug=slug)
    if experiment.state != State.DONE:
        raise Http404("The run has no verdict.")
    drawn = preview.png(preview.content(experiment))
    return HttpResponse(drawn, content_type="image/png", headers={"Cache-Control": "max-age=3600"})


@require_safe
def answer_picture(request: HttpRequest, slug: str) -> HttpResponse:
    """The verdict of an answer and the guarantee on each leg as a PNG, for previews of its link."""
    drawn = answer_preview.png(answer_preview.content(find_or_404(slug)))
    return HttpResponse(drawn, content_type="image/png", headers={"Cache-Control": "max-age=3600"})


@require_safe
def message(request: HttpRequest, slug: str, arm: str) -> HttpResponse:
    """The fate of the message `?value=` of one arm; only the part for the replay if htmx requests
    it."""
    run = get_object_or_404(
        Run.objects.select_related("experiment").filter(experiment__is_incident=False),
        experiment__slug=slug,
        name=arm,
    )
    if run.experiment.is_live:
        raise Http404("The run has not ended.")
    query = request.GET.get("value", "").strip()
    value = whole_number(query)
    context = {
        "experiment": run.experiment,
        "run": run,
        "label": presentation.label(run.experiment, run.name),
        "title": presentation.scenario_title(run.experiment.scenario),
        "asked": query,
        "partitions": partitions(run.ledger),
        "story": None if value is None else replays.message(run, value),
    }
    part = "#story" if request.htmx else ""  # type: ignore[attr-defined]
    return render(request, f"labs/message.html{part}", context)
