"""The pages of the known bugs: a list with a search, and a page for each bug."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from advisor.advisories import FEATURES, Advisory, Part, VersionError, advisories
from advisor.advisories.mentions import Mention, mentions
from advisor.pages import advisory_search

MAX_WORDS = 100
MAX_VERSION = 4_000
"""The number of characters in an address: longer texts need the command line."""


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every known bug, or those that match a search and a version; htmx requests only the list.

    Text that is not a version comes back as typed, with status 400.
    """
    words = request.GET.get("q", "").strip()[:MAX_WORDS]
    version = request.GET.get("version", "")[:MAX_VERSION]
    part = request.GET.get("component", "")
    part = part if part in list(Part) else ""
    advisories, rows, wrong = list[Advisory](), tuple[Mention, ...](), ""
    try:
        rows = mentions(version) if version.strip() else ()
        advisories = advisory_search.search(words, part, version)
    except VersionError as error:
        wrong = str(error)
    groups = [
        (part, [advisory for advisory in advisories if advisory.part is part]) for part in Part
    ]
    context = {
        "words": words, "version": version, "component": part, "components": list(Part),
        "count": len(advisories), "groups": [(name, listed) for name, listed in groups if listed],
        "mentions": rows, "wrong": wrong,
    }  # fmt: skip
    block = "#found" if request.htmx else ""  # type: ignore[attr-defined]
    page = render(request, f"advisor/advisories.html{block}", context, status=400 if wrong else 200)
    page.headers["Vary"] = "HX-Request, Cookie"
    return page


@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """One known bug with its sources."""
    advisory = next((item for item in advisories() if item.slug == slug), None)
    if advisory is None:
        raise Http404(f"There is no advisory {slug}")
    context = {
        "advisory": advisory,
        "features": [FEATURES[name].words for name in advisory.features],
        "links": [source for source in advisory.sources if source.startswith("https://")],
        "texts": [source for source in advisory.sources if not source.startswith("https://")],
    }
    return render(request, "advisor/advisory.html", context)
