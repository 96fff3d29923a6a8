"""The pages of challenges. They work without JavaScript; attempts are stored by visitor."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from advisor.reasoning.pipeline import Pipeline
from labs.challenges import Challenge, all_challenges, daily_challenge, daily_seed, find
from labs.engine.record import dump
from labs.engine.record.harmed import harmed
from labs.models import Attempt, State
from labs.pages.challenges import grades as challenge_grades
from labs.pages.challenges import pages as challenge_pages
from labs.pages.challenges.forms import CaseForm, LeverForm
from labs.pages.polling import polled
from labs.runs import planning, services, visitors


@require_safe
@never_cache
def challenges(request: HttpRequest) -> HttpResponse:
    """Every challenge by level, with the visitor's best attempts, and the one of today."""
    return render(request, "labs/challenges.html", challenge_pages.listed(request))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def challenge(request: HttpRequest, name: str) -> HttpResponse:
    """One challenge. A POST runs the settings that it contains."""
    challenge = _find(name)
    if request.method == "POST":
        return _play(request, challenge)
    return render(request, "labs/challenge.html", challenge_pages.context(request, challenge))


@require_safe
@never_cache
def live(request: HttpRequest, name: str) -> HttpResponse:
    """The part of the page that changes; 286 once it will not change again."""
    challenge = _find(name)
    context = challenge_pages.context(request, challenge)
    if "experiment" not in context:
        raise Http404("Nothing has been run in this challenge.")
    is_live = context["experiment"].is_live
    return polled(request, "labs/challenge/live.html", context, is_live=is_live)


@require_POST
def answer(request: HttpRequest, name: str) -> HttpResponse:
    """Stores the cause and the message that a visitor names in a case of forensics."""
    challenge = _find(name)
    attempt = _last(request, challenge)
    experiment = attempt.experiment if attempt else None
    if not challenge.is_forensics or attempt is None or experiment is None:
        raise Http404("There is no recording to answer for.")
    if experiment.state != State.DONE:
        return redirect("labs:challenge", name=challenge.name)
    form = CaseForm(challenge, request.POST)
    if form.message is None or not form.cause:
        context = challenge_pages.context(request, challenge) | {"case": form}
        return render(request, "labs/challenge.html", context, status=422)
    is_harmed = _is_harmed(challenge, attempt, form.message)
    tries = int(attempt.answer.get("tries", 0)) + 1
    attempt.answer = {
        "cause": form.cause, "message": form.message, "harmed": is_harmed, "tries": tries,
    }  # fmt: skip
    attempt.save(update_fields=["answer"])
    return redirect(f"{_url(challenge)}#graded")


@require_safe
@never_cache
def evidence(request: HttpRequest, name: str, part: str) -> HttpResponse:
    """One broker's log, or the dump of the log, of the visitor's own recording, as text."""
    challenge = _find(name)
    attempt = _last(request, challenge)
    experiment = attempt.experiment if attempt else None
    run = experiment.runs.filter(name=challenge.arm).first() if experiment else None
    if not challenge.is_forensics or run is None or run.experiment.is_live:
        raise Http404("There is no recording to look into.")
    folder = challenge_pages.logs_folder(run)
    if part == "dump":
        text = "\n".join(dump.records(run.ledger))
    elif part in (logs := dump.broker_logs(folder)):
        text = dump.without_paths(logs[part].read_text("utf-8", "replace"), folder)
    else:
        raise Http404("The recording has no such part.")
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{challenge.name}-{part}.txt"'
    return response


@require_POST
def give_up(request: HttpRequest, name: str) -> HttpResponse:
    """Shows the optimum on request."""
    challenge = _find(name)
    challenge_grades.give_up(request, challenge)
    return redirect(f"{_url(challenge)}#optimum")


@require_safe
@never_cache
def result(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of a share link: the settings of one attempt and its result."""
    attempt = get_object_or_404(
        Attempt.objects.select_related("experiment").prefetch_related("experiment__runs"), slug=slug
    )
    graded = challenge_grades.graded(attempt)
    if graded is None:
        raise Http404("This challenge no longer exists.")
    context = challenge_pages.result_context(request, graded)
    return render(request, "labs/challenge_result.html", context)


def _find(name: str) -> Challenge:
    try:
        return find(name)
    except LookupError as unknown:
        raise Http404("There is no such challenge.") from unknown


def _url(challenge: Challenge) -> str:
    return reverse("labs:challenge", args=[challenge.name])


def _last(request: HttpRequest, challenge: Challenge) -> Attempt | None:
    return next(iter(challenge_grades.tries(request, challenge)), None)


def _play(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """Starts a run with the levers that were sent, or requeues one without a result. Only one run
    may be live."""
    last = _last(request, challenge)
    experiment = last.experiment if last else None
    if experiment is not None and experiment.is_live:
        return redirect(f"{_url(challenge)}#live")
    try:
        if request.POST.get("again") and experiment is not None and experiment.state != State.DONE:
            services.again(experiment, visitors.identify(request))
            return redirect(f"{_url(challenge)}#live")
        form = LeverForm(challenge, request.POST)
        if not form.is_valid() or form.pipeline is None:
            context = challenge_pages.context(request, challenge) | {"form": form}
            return render(request, "labs/challenge.html", context, status=422)
        _start(request, challenge, form.levers, form.pipeline)
    except planning.Refused as refused:
        messages.error(request, str(refused))
    return redirect(f"{_url(challenge)}#live")


def _start(
    request: HttpRequest, challenge: Challenge, levers: dict[str, str], pipeline: Pipeline
) -> None:
    """Queues the run; for the daily challenge on the schedule that is the same for everybody."""
    day = challenge_pages.today()
    is_daily = (
        bool(request.POST.get("daily")) and daily_challenge(day, all_challenges()) == challenge
    )
    started = services.start_challenge(
        challenge, pipeline, visitors.identify(request), daily_seed(day) if is_daily else None
    )
    Attempt.objects.create(
        visitor=visitors.key(request), challenge=challenge.name, levers=levers,
        day=day if is_daily else None, experiment=started,
    )  # fmt: skip


def _is_harmed(challenge: Challenge, attempt: Attempt, message: int) -> bool | None:
    """Whether the ledger shows the harm of the case in a message; None if that is unknown."""
    if attempt.experiment is None:
        return None
    run = attempt.experiment.runs.filter(name=challenge.arm).first()
    count = challenge.conditions[0].count
    seen = run.counts.get(count) if run else None
    if run is None or seen is None:
        return None
    affected = harmed(run.ledger, count, seen)
    return None if affected is None else message in affected
