"""The toy: a leader dies in the browser, and one click stages the same on real brokers."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from advisor.reasoning import leader_loss
from labs.pages.lessons import toy
from labs.runs import planning, services, visitors


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """The state in the address (`?acks=1&min_isr=2…`), or the initial one."""
    toy_form = toy.ToyForm(request.GET or toy.USUAL)
    status = 200 if toy_form.is_valid() else 400
    form = toy_form if toy_form.is_valid() else toy.ToyForm(toy.USUAL)
    form.full_clean()
    context = {
        "chosen": form.cleaned_data, "outcome": leader_loss.outcome(form.state()),
        "acks": leader_loss.ACKS, "min_isr": leader_loss.MIN_ISR, "longest": toy.LONGEST_LAG_S,
        "rows": toy.table(), "situations": toy.situations(),
        "problems": _problems(toy_form) if status == 400 else [],
    }  # fmt: skip
    return render(request, "labs/toy.html", context, status=status)


@require_safe
def states(request: HttpRequest) -> JsonResponse:
    """The advisor's answer for every state, for the script."""
    return JsonResponse(toy.data(), headers={"Cache-Control": "max-age=300"})


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Queues the scenario of a state on its settings."""
    form = toy.ToyForm(request.POST)
    if not form.is_valid():
        return redirect_with(request, "; ".join(_problems(form)))
    state = form.state()
    scenario = leader_loss.event_of(state.followers).scenario
    try:
        return redirect(services.start_on(state.fields(), scenario, visitors.identify(request)))
    except planning.Refused as refused:
        return redirect_with(request, str(refused))


def redirect_with(request: HttpRequest, problem: str) -> HttpResponse:
    messages.error(request, problem)
    return redirect(reverse("labs:toy"))


def _problems(form: toy.ToyForm) -> list[str]:
    return [f"{name}: {message}" for name, errors in form.errors.items() for message in errors]
