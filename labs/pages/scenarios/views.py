"""The page of all scenarios, each of which can be run from its card."""

from __future__ import annotations

from urllib.parse import urlsplit

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
"""The choices of a card: the arms that it runs."""


@require_safe
def scenarios(request: HttpRequest) -> HttpResponse:
    """Every scenario, or those of `?harm=` and `?layer=`; `?pipeline=` offers its settings.

    Without it, those of the visitor's latest experiment are offered.
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
    """Queues a scenario with the settings of its card: `choice` is weak, safe or both."""
    case = scenario_cards.find_case(name)
    chosen = CHOICES.get(request.POST.get("choice", "both"))
    if case is None or chosen is None:
        raise Http404(f"There are no such settings for {name}.")
    try:
        return redirect(services.start_case(case, chosen, visitors.identify(request)))
    except planning.Refused as refused:
        # The page opens at the card, and the card has the message.
        messages.error(request, str(refused), extra_tags=name)
        query = _query_of(request)
        return redirect(f"{reverse('labs:scenarios')}{query and '?'}{query}#{name}")


def _query_of(request: HttpRequest) -> str:
    """Returns the filters of the page on which the button was pressed, as in its address."""
    page = urlsplit(request.headers.get("Referer", ""))
    is_ours = page.netloc == request.get_host() and page.path == reverse("labs:scenarios")
    return page.query if is_ours else ""


def _pipeline(request: HttpRequest) -> str:
    """Returns the description whose settings the cards offer; empty if there is none."""
    requested = slug(request.GET.get("pipeline", ""))
    if requested:
        return requested if _exists(requested) else ""
    visitor = visitors.existing_key(request)
    if not visitor:
        return ""
    experiments = (
        Experiment.objects.filter(visitor=visitor).exclude(pipeline="").order_by("-created_at")
    )
    latest = (
        experiments.values_list("pipeline", "runs__name").filter(runs__name="described").first()
    )
    return latest[0] if latest else ""


def _exists(pipeline: str) -> bool:
    try:
        advisor.find(pipeline)
    except (Description.DoesNotExist, advisor.StaleDescription):
        return False
    return True
