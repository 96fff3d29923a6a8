"""The pages of the time machine: recorded rows, a form to start a series, and each series."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from advisor import services as advisor
from labs.evidence import over_lines
from labs.models import Experiment, Series
from labs.pages import selectors
from labs.pages.experiments import presentation
from labs.pages.parameters import slug as typed_slug
from labs.pages.polling import polled
from labs.pages.series import rows as series_rows
from labs.pages.series.forms import DEFAULTS, SeriesForm, described_as
from labs.runs import planning, presence, visitors
from labs.runs import series as time_machine
from labs.runs.conditions import Conditions
from labs.runs.planning import Refused

_MOST_SHOWN = 5
NOT_YOURS = "Only the visitor who started it, in the same browser, or an operator can do this."


@require_safe
@never_cache
def lines(request: HttpRequest) -> HttpResponse:
    """The recorded rows over release lines, local series, and the form to start one.

    `?experiment=` or `?pipeline=` and `?scenario=` fill it in.
    """
    return render(request, "labs/over_lines.html", _page(request, _filled_in(request)))


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Starts a series; errors are shown next to their fields."""
    form = SeriesForm(request.POST, slugs=_slugs(request, request.POST.get("pipeline", "")))
    if form.is_valid():
        try:
            return redirect(
                time_machine.start(_question(form.cleaned_data), visitors.identify(request))
            )
        except Refused as refused:
            form.add_error(None, str(refused))
    return render(request, "labs/over_lines.html", _page(request, form), status=400)


@require_safe
@never_cache
def series(request: HttpRequest, slug: str) -> HttpResponse:
    """The permalink of a series: live while it is active, evidence afterwards."""
    return render(request, "labs/series.html", _context(request, slug))


@require_safe
@never_cache
def live(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the page that changes; status 286 tells htmx that it is final."""
    context = _context(request, slug)
    return polled(request, "labs/series.html#live", context, is_live=context["is_live"])


@require_POST
def cancel(request: HttpRequest, slug: str) -> HttpResponse:
    """Ends a series with its live runs, for the visitor who started it."""
    series = get_object_or_404(Series, slug=slug)
    if visitors.may_cancel(request, series):
        time_machine.cancel(series, visitors.canceller(request, series))
    else:
        messages.error(request, NOT_YOURS)
    return redirect(series)


@require_POST
def go_on(request: HttpRequest, slug: str) -> HttpResponse:
    """Repeats runs without a result and queues missing ones, for the visitor who started it."""
    series = get_object_or_404(Series, slug=slug)
    if not visitors.may_cancel(request, series):
        messages.error(request, NOT_YOURS)
        return redirect(series)
    try:
        time_machine.go_on(series)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect(series)


def _question(data: dict[str, Any]) -> time_machine.Question:
    pipeline = data["pipeline"] or advisor.save(planning.parse_pipeline(time_machine.DEFAULTS)).slug
    question = time_machine.Question(
        pipeline, data["scenario"], data["first"], data["last"], data["which"] == "bisect"
    )
    run = _experiment(data["experiment"])
    if run is None or (run.pipeline, run.scenario) != (question.pipeline, question.scenario):
        return question
    return replace(question, conditions=_conditions(run), seed=run.seed)


def _conditions(run: Experiment) -> Conditions:
    """Returns the conditions of a run, with its clients."""
    conditions = Conditions.from_spec(run.request())
    return replace(conditions, librdkafka=conditions.java_clients is None)


def _experiment(slug: str) -> Experiment | None:
    return selectors.recent().filter(slug=typed_slug(slug)).first() if slug else None


def _filled_in(request: HttpRequest) -> SeriesForm:
    run = _experiment(request.GET.get("experiment", ""))
    pipeline = run.pipeline if run else request.GET.get("pipeline", "")
    scenario = run.scenario if run else request.GET.get("scenario", "")
    slugs = _slugs(request, pipeline)
    initial = {"scenario": scenario or "leader-disk-lost", "experiment": run.slug if run else ""}
    return SeriesForm(initial=initial | {"pipeline": slugs[0] if slugs else ""}, slugs=slugs)


def _slugs(request: HttpRequest, requested: str) -> tuple[str, ...]:
    """Returns the descriptions to choose from: the requested one, and the visitor's latest."""
    visitor = visitors.existing_key(request)
    experiments = (
        Experiment.objects.filter(visitor=visitor).exclude(pipeline="").order_by("-created_at")
    )
    latest = experiments.values_list("pipeline", flat=True).first() if visitor else None
    return tuple(dict.fromkeys(slug for slug in (typed_slug(requested), latest) if slug))


def _page(request: HttpRequest, form: SeriesForm) -> dict[str, Any]:
    rows = over_lines.rows(settings.LAB_RECORD)
    recorded = [row for row in rows if not row.is_drawn]
    return {
        "form": form,
        "own": [_summary(series) for series in time_machine.with_runs()[:_MOST_SHOWN]],
        "rows": rows,
        "series": recorded,
        "pairs": [row for row in rows if row.is_drawn],
        "first_pair": len(recorded),
        "changed": sum(row.is_changed for row in rows),
        "runs": sum(bool(cell.verdict) for row in rows for cell in row.cells),
    }


def _summary(series: Series) -> dict[str, Any]:
    rows = series_rows.lines(series)
    changed = series_rows.changes(series, rows)
    return {
        "series": series,
        "title": presentation.scenario_title(series.scenario),
        "standing": series_rows.standing(series, rows, changed),
    }


def _context(request: HttpRequest, slug: str) -> dict[str, Any]:
    series = get_object_or_404(time_machine.with_runs(), slug=slug)
    rows = series_rows.lines(series)
    changed = series_rows.changes(series, rows)
    is_live = series.is_live
    return {
        "series": series,
        "title": presentation.scenario_title(series.scenario),
        "settings": described_as(series.pipeline) or DEFAULTS,
        "staging": list(Conditions(**series.conditions).described()) if series.conditions else [],
        "newest": series.releases[-1],
        "lines": rows,
        "changes": changed,
        "refuted": [line for line in rows if line.row.refuted],
        "standing": series_rows.standing(series, rows, changed),
        "is_live": is_live,
        "no_worker": is_live and presence.missing(),
        "may_go_on": time_machine.may_go_on(series),
        "is_mine": visitors.may_cancel(request, series),
    }
