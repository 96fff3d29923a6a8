"""The pages of the incidents: known bugs that were seen on the releases that had them."""

from __future__ import annotations

from functools import cache

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt

from labs.incidents import Incident, all_incidents, find, record

_COLUMNS = {"affected": "with the bug", "fixed": "fixed", "today": "today"}
_HEADINGS = {
    "report": "What was reported",
    "steps": "What is played",
    "mechanism": "How it comes about",
    "workaround": "If it cannot be upgraded",
}


@require_safe
def incidents(request: HttpRequest) -> HttpResponse:
    """Every incident with what playing it brought on each release."""
    rows = [(incident, _cells(incident)) for incident in all_incidents()]
    return render(request, "labs/incidents.html", {"rows": rows})


@require_safe
def incident(request: HttpRequest, name: str) -> HttpResponse:
    """One incident: its texts, the counts that ship, and what was left to look at."""
    try:
        incident = find(name)
    except LookupError as unknown:
        raise Http404(f"There is no incident {name}") from unknown
    texts = {key: _html(source) for key, source in incident.texts.items()}
    context = {
        "incident": incident,
        "sides": record.sides(incident.id),
        "report": texts.pop("report"),
        "texts": [(key, _HEADINGS[key], text) for key, text in texts.items()],
    }
    return render(request, "labs/incident.html", context)


def _cells(incident: Incident) -> list[tuple[str, record.Played | None]]:
    """What was seen on each side, under the heading of its column.

    A fix that is of today's release has one play for both.
    """
    played = {side.side: side for side in record.sides(incident.id)}
    if incident.today == incident.fixed and "fixed" in played:
        played["today"] = played["fixed"]
    return [(heading, played.get(side)) for side, heading in _COLUMNS.items()]


@cache
def _html(source: str) -> SafeString:
    """Our own text as HTML; what looks like HTML in it is shown as text."""
    return SafeString(MarkdownIt("commonmark", {"html": False}).render(source))
