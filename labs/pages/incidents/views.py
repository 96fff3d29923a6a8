"""The pages of the incidents: known bugs on the releases that have them, and their plays."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from labs.incidents import Incident, all_incidents, exhibits, find, record
from labs.pages import selectors
from labs.pages.incidents import plays as incident_plays
from labs.pages.incidents.moments import lanes
from labs.pages.polling import polled
from labs.runs import plays, presence, visitors
from labs.runs.planning import Refused

_COLUMNS = {"affected": "With the bug", "fixed": "Fixed", "today": "Today"}
_HEADINGS = {
    "report": "What was reported",
    "steps": "What is run",
    "mechanism": "How it happens",
    "workaround": "If you cannot upgrade",
}


@require_safe
def incidents(request: HttpRequest) -> HttpResponse:
    """Every incident with the result of its plays on each release."""
    rows = [(incident, _cells(incident)) for incident in all_incidents()]
    return render(request, "labs/incidents.html", {"rows": rows})


@require_safe
@never_cache
def incident(request: HttpRequest, name: str) -> HttpResponse:
    """One incident: its texts, the shipped results, logs and segments, and local plays."""
    return render(request, "labs/incident.html", _context(_incident(name)))


@require_POST
def start(request: HttpRequest, name: str) -> HttpResponse:
    """Queues a play of the sides `side`."""
    incident = _incident(name)
    sides = request.POST.getlist("side")
    try:
        return redirect(plays.start(incident, sides, visitors.identify(request)))
    except Refused as refused:
        context = _context(incident) | {"refused": str(refused), "chosen": sides}
        return render(request, "labs/incident.html", context, status=400)


@require_safe
@never_cache
def play(request: HttpRequest, name: str, slug: str) -> HttpResponse:
    """The permalink of a play: live while it runs, then its observations."""
    return render(request, "labs/incident_play.html", _play(request, name, slug))


@require_safe
@never_cache
def live(request: HttpRequest, name: str, slug: str) -> HttpResponse:
    """The part of the page that changes; status 286 tells htmx that it is final."""
    context = _play(request, name, slug)
    is_live = context["experiment"].is_live
    return polled(request, "labs/incident_play.html#live", context, is_live=is_live)


def _incident(name: str) -> Incident:
    try:
        return find(name)
    except LookupError as unknown:
        raise Http404(f"There is no incident {name}") from unknown


def _context(incident: Incident) -> dict[str, Any]:
    # These are our texts; HTML in them was escaped.
    texts = {key: SafeString(text.plain()) for key, text in incident.texts.items()}
    shipped = record.sides(incident.id)
    return {
        "incident": incident,
        "sides": shipped,
        "opened": exhibits.chosen(shipped[0].exhibits)[-1:] if shipped else [],
        "lanes": lanes(
            [
                (play.release, incident_plays.LABELS[play.side], play.moments, play.harmed)
                for play in shipped
            ],
            incident.harm_in,
        ),
        "report": texts.pop("report"),
        "texts": [(key, _HEADINGS[key], text) for key, text in texts.items()],
        "releases": [
            (side, release, incident_plays.LABELS[side])
            for side, release in incident.releases.items()
        ],
        "chosen": list(incident.releases),
        "plays": incident_plays.latest(incident),
    }


def _play(request: HttpRequest, name: str, slug: str) -> dict[str, Any]:
    incident = _incident(name)
    experiment = get_object_or_404(selectors.plays(incident.slug), slug=slug)
    sides = incident_plays.sides(experiment, incident)
    return {
        "incident": incident,
        "experiment": experiment,
        "standing": incident_plays.standing(experiment, incident),
        "sides": sides,
        "lanes": () if experiment.is_live else incident_plays.steps(sides, incident),
        "no_worker": experiment.is_live and presence.missing(),
        "may_cancel": visitors.may_cancel(request, experiment),
    }


def _cells(incident: Incident) -> list[tuple[str, record.Played | None]]:
    """Returns the result of each side, with the heading of its column.

    If the fix is in today's release, one play counts for both.
    """
    played = {side.side: side for side in record.sides(incident.id)}
    if incident.today == incident.fixed and "fixed" in played:
        played["today"] = played["fixed"]
    return [(heading, played.get(side)) for side, heading in _COLUMNS.items()]
