"""The page of all scenarios: what can be staged, and each run from its card."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from advisor import services as advisor
from advisor.models import Description
from labs.models import Experiment
from labs.pages.parameters import slug
from labs.pages.scenarios import cards as scenario_cards
from labs.runs import planning, services, visitors

CHOICES = {
    "both": (services.WEAK, services.SAFE),
    "weak": (services.WEAK,),
    "safe": (services.SAFE,),
}
"""What a card can run by itself."""


@require_safe
def scenarios(request: HttpRequest) -> HttpResponse:
    """Every scenario, or those of `?harm=` and `?layer=`; `?pipeline=` offers one's own settings.

    Without it, those with which this visitor started an experiment last.
    """
    harm, layer = (request.GET.get(field, "") for field in ("harm", "layer"))
    cards = scenario_cards.shown(harm, layer)
    context = {
        "groups": scenario_cards.by_layer(cards), "count": len(cards), "harm": harm, "layer": layer,
        "harms": scenario_cards.harms(), "layers": scenario_cards.LAYERS.items(),
        "pipeline": _pipeline(request),
    }  # fmt: skip
    part = "#found" if request.htmx else ""  # type: ignore[attr-defined]
    page = render(request, f"labs/scenarios.html{part}", context)
    page.headers["Vary"] = "HX-Request, Cookie"
    return page


@require_POST
def start(request: HttpRequest, name: str) -> HttpResponse:
    """Queues a scenario with the settings that its card names: `choice` is weak, safe or both."""
    case = scenario_cards.find_case(name)
    chosen = CHOICES.get(request.POST.get("choice", "both"))
    if case is None or chosen is None:
        raise Http404(f"There are no such settings for {name}.")
    try:
        return redirect(services.start_case(case, chosen, visitors.identify(request)))
    except planning.Refused as refused:
        messages.error(request, str(refused))
        return redirect(f"{reverse('labs:scenarios')}#{name}")


def _pipeline(request: HttpRequest) -> str:
    """The description whose settings the cards offer; empty if there is none."""
    asked = slug(request.GET.get("pipeline", ""))
    if asked:
        return asked if _is_there(asked) else ""
    mine = visitors.existing_key(request)
    if not mine:
        return ""
    last = Experiment.objects.filter(visitor=mine).exclude(pipeline="").order_by("-created_at")
    own = last.values_list("pipeline", "runs__name").filter(runs__name="described").first()
    return own[0] if own else ""


def _is_there(asked: str) -> bool:
    try:
        advisor.find(asked)
    except (Description.DoesNotExist, advisor.StaleDescription):
        return False
    return True
