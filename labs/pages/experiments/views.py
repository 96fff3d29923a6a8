"""Pages of experiments. All work without JavaScript; htmx only avoids reloading."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from advisor import services as advisor
from advisor.models import Description
from advisor.reasoning.pipeline import Pipeline
from labs.engine.scenarios import ScenarioError, find
from labs.engine.scenarios.model import Scenario
from labs.models import Experiment, Run, State
from labs.pages import selectors, sentences
from labs.pages.experiments import downloads, presentation, proofs, recorded, replays
from labs.pages.experiments import offline as exported
from labs.pages.experiments.refutations import refutations
from labs.pages.parameters import slug as typed_slug
from labs.pages.parameters import whole_number
from labs.pages.polling import polled
from labs.runs import lifecycle, planning, presence, services, visitors
from labs.runs.conditions import Conditions, ConditionsForm, java_release

PER_PAGE = 25
_GUIDED = ("/learn/", "/challenges/", "/class/")
NOT_YOURS = "Only the visitor who started it, in the same browser, or an operator can cancel it."


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The home page: a recorded run, three entrances, and the latest loss on this installation."""
    loss = selectors.latest_loss()
    context: dict[str, Any] = {"loss": loss, "recorded": recorded.recorded()}
    if loss is not None:
        arms = presentation.arms(loss.experiment, {})
        context["arm"] = next(arm for arm in arms if arm.run.pk == loss.pk)
        context["beside"] = len(arms) > 1
        context["title"] = presentation.scenario_title(loss.experiment.scenario)
    return render(request, "labs/home.html", context)


@require_safe
def recorded_run(request: HttpRequest) -> HttpResponse:
    """The run that the home page replays, for the script."""
    headers = {"Cache-Control": "max-age=300"}
    return HttpResponse(recorded.text(), content_type="application/json", headers=headers)


@require_safe
def experiments(request: HttpRequest) -> HttpResponse:
    """Every experiment, newest first."""
    page = Paginator(selectors.recent(), PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    rows = [
        (item, presentation.scenario_title(item.scenario), standing)
        for item, standing in zip(shown, presentation.standings(shown), strict=True)
    ]
    return render(
        request,
        "labs/experiments.html",
        {
            "rows": rows,
            "page": page,
            "limit_mb": settings.LAB_RUNS_LIMIT_MB,
            "no_worker": presence.missing(),
        },
    )


@require_safe
def conditions(request: HttpRequest) -> HttpResponse:
    """The form for the conditions of `?scenario=` on the description `?pipeline=`."""
    pipeline, name = (request.GET.get(field, "") for field in ("pipeline", "scenario"))
    described, scenario = _described(pipeline), _scenario(name)
    form = ConditionsForm(scenario, java=java_release(described, scenario))
    return render(
        request, "labs/conditions.html", _form_context(pipeline, described, scenario, form)
    )


def _form_context(
    pipeline: str, described: Pipeline, scenario: Scenario, form: ConditionsForm
) -> dict[str, Any]:
    """Returns the context of the page with the form."""
    return {
        "pipeline": pipeline, "scenario": scenario, "form": form,
        "brokers": planning.brokers_for(described, scenario.name),
    }  # fmt: skip


def _described(slug: str) -> Pipeline:
    try:
        return advisor.find(typed_slug(slug)).described()
    except Description.DoesNotExist as missing:
        raise Http404("There is no such pipeline.") from missing


def _scenario(name: str) -> Scenario:
    try:
        return find(name)
    except ScenarioError as unknown:
        raise Http404(str(unknown)) from unknown


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Queues a scenario on a saved description, or the home page's first experiment."""
    pipeline = request.POST.get("pipeline", "")
    name = request.POST.get("scenario", services.FIRST_SCENARIO)
    try:
        if not pipeline:
            return redirect(services.start_first_look(visitors.identify(request)))
        scenario, described = _scenario(name), _described(pipeline)
        form = ConditionsForm(scenario, request.POST, java=java_release(described, scenario))
        if not form.is_valid():
            context = _form_context(pipeline, described, scenario, form)
            return render(request, "labs/conditions.html", context, status=400)
        return redirect(
            services.start(pipeline, name, form.conditions(), visitors.identify(request))
        )
    except planning.Refused as refused:
        messages.error(request, str(refused))
        return redirect("labs:experiments")


@require_safe
@never_cache
def experiment(request: HttpRequest, slug: str) -> HttpResponse:
    """The permalink of an experiment: live while it runs, evidence afterwards.

    `?partition=` is the one that the replay shows.
    """
    partition = whole_number(request.GET.get("partition", "")) or 0
    context = _with_replays(experiment_context(request, slug), partition)
    address = request.build_absolute_uri(context["experiment"].get_absolute_url())
    context |= {"address": address, "picture": f"{address}picture.png"}
    return render(request, "labs/experiment.html", context)


@require_safe
@never_cache
def live(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the page that changes; status 286 tells htmx that it is final."""
    context = _with_replays(experiment_context(request, slug))
    is_live = context["experiment"].is_live
    return polled(request, "labs/experiment.html#live", context, is_live=is_live)


@require_POST
def cancel(request: HttpRequest, slug: str) -> HttpResponse:
    """Ends a queued or running experiment, for the visitor who started it."""
    experiment = get_object_or_404(Experiment, slug=slug)
    if visitors.may_cancel(request, experiment):
        lifecycle.cancel(slug, visitors.canceller(request, experiment))
    else:
        messages.error(request, NOT_YOURS)
    return redirect(_guided_page(request) or experiment)


def _guided_page(request: HttpRequest) -> str:
    """The lab, challenge or class on whose page the button was pressed; elsewhere an empty text."""
    page = urlsplit(request.headers.get("Referer", ""))
    guided = page.netloc == request.get_host() and page.path.startswith(_GUIDED)
    return page.path if guided else ""


@require_POST
def again(request: HttpRequest, slug: str) -> HttpResponse:
    """Runs the same arms and seed once more."""
    experiment = get_object_or_404(selectors.recent(), slug=slug)
    try:
        return redirect(services.again(experiment, visitors.identify(request)))
    except planning.Refused as refused:
        messages.error(request, str(refused))
        return redirect(experiment)


@require_safe
def offline(request: HttpRequest, slug: str) -> HttpResponse:
    """A finished run as one HTML file, which works without a server."""
    context = _with_replays(experiment_context(request, slug))
    experiment: Experiment = context["experiment"]
    if experiment.state != State.DONE or not context["replays"]:
        raise Http404("This run has nothing that could be replayed.")
    headers = {"Content-Disposition": f'attachment; filename="delivery-lab-{experiment.slug}.html"'}
    return HttpResponse(exported.page(experiment, context), headers=headers)


@require_safe
def ledger(request: HttpRequest, slug: str, arm: str) -> HttpResponseBase:
    """One arm's ledger as a zip of Parquet files."""
    return _download(request, slug, arm, lines=False)


@require_safe
def ledger_lines(request: HttpRequest, slug: str, arm: str) -> HttpResponseBase:
    """The ledger as JSON Lines, one file for each table."""
    return _download(request, slug, arm, lines=True)


def _download(request: HttpRequest, slug: str, arm: str, *, lines: bool) -> HttpResponseBase:
    run = get_object_or_404(
        Run.objects.select_related("experiment"), experiment__slug=slug, name=arm
    )
    if run.experiment.is_live or not run.ledger.is_dir():
        raise Http404("There is no ledger of this run.")
    if request.method == "HEAD":
        return HttpResponse(content_type="application/zip")
    name = f"ledger-{slug}-{run.name}{'-jsonl' if lines else ''}"
    try:
        return downloads.Download(run.ledger, name, lines=lines)
    except downloads.Busy as busy:
        page = render(request, "labs/busy.html", {"message": str(busy), "run": run}, status=503)
        page["Retry-After"] = str(downloads.RETRY_S)
        return page


def experiment_context(request: HttpRequest, slug: str) -> dict[str, Any]:
    """Returns the context of the live part of a page. Raises `Http404` for an unknown
    experiment."""
    experiment = get_object_or_404(selectors.recent(), slug=slug)
    return shown(experiment) | {"may_cancel": visitors.may_cancel(request, experiment)}


def shown(experiment: Experiment) -> dict[str, Any]:
    """Returns the part of the context that is the same for every visitor."""
    runs = list(experiment.runs.all())
    paces = selectors.paces(experiment)
    headlines = presentation.headlines(experiment) if experiment.state == "done" else []
    return {
        "experiment": experiment,
        "no_worker": experiment.is_live and presence.missing(),
        "title": presentation.scenario_title(experiment.scenario),
        "scenario": presentation.scenario(experiment.scenario),
        "standing": presentation.standing(experiment, paces),
        "arms": presentation.arms(experiment, paces),
        "headlines": headlines,
        "headline": " ".join(headlines),
        "settings": presentation.compared(runs),
        "sends": proofs.sent(experiment) if experiment.is_live or experiment.started_at else None,
        "instead_of": sentences.substitution(experiment.request()),
        "conditions": presentation.conditions(runs),
        "staging": list(Conditions.from_spec(experiment.request()).described()),
        "shortened": presentation.shortened(runs),
        "refutations": refutations(experiment),
        "takes_home": experiment.pipeline != ""
        and any(run.name == "recommended" and run.verdict == "holds" for run in runs),
        "labels": [presentation.label(experiment, run.name) for run in runs],
    }


def _with_replays(context: dict[str, Any], partition: int = 0) -> dict[str, Any]:
    return {**context, "replays": replays.arms(context["experiment"], partition)}
