"""The pages of the incidents: known bugs that were seen on the releases that had them."""

from __future__ import annotations

from functools import cache

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt

from labs.incidents import all_incidents, find, record

_HEADINGS = {
    "report": "What was reported",
    "steps": "What is played",
    "mechanism": "How it comes about",
    "workaround": "If it cannot be upgraded",
}


@require_safe
def incidents(request: HttpRequest) -> HttpResponse:
    """Every incident with what playing it brought on both sides of the fix."""
    rows = [(each, record.sides(each.id)) for each in all_incidents()]
    return render(request, "labs/incidents.html", {"rows": rows})


@require_safe
def incident(request: HttpRequest, name: str) -> HttpResponse:
    """One incident: its texts, the counts that ship, and what was left to look at."""
    try:
        found = find(name)
    except LookupError as unknown:
        raise Http404(f"There is no incident {name}") from unknown
    texts = {key: _html(source) for key, source in found.texts.items()}
    context = {
        "incident": found,
        "sides": record.sides(found.id),
        "report": texts.pop("report"),
        "texts": [(key, _HEADINGS[key], text) for key, text in texts.items()],
    }
    return render(request, "labs/incident.html", context)


@cache
def _html(source: str) -> SafeString:
    """Our own text as HTML; what looks like HTML in it is shown as text."""
    return SafeString(MarkdownIt("commonmark", {"html": False}).render(source))
