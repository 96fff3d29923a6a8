"""The pages of the concepts: a drawing, a few paragraphs, demonstrations, and sources."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from advisor.concepts import Concept, Demonstration, all_concepts, find


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a demonstration of a concept; `does` is the verb for it."""

    does: str
    see: Demonstration
    url: str


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every concept, in the order in which they build on each other."""
    drawn = [(concept, _drawing(concept)) for concept in all_concepts()]
    return render(request, "advisor/concepts.html", {"concepts": drawn})


@require_safe
def concept(request: HttpRequest, name: str) -> HttpResponse:
    """One concept, with the ones before and after it."""
    try:
        concept = find(name)
    except LookupError as missing:
        raise Http404(f"There is no concept {name}") from missing
    concepts = all_concepts()
    at = concepts.index(concept)
    context = {
        "concept": concept,
        # This is one of our files: visitors typed nothing in it.
        "text": mark_safe(concept.html),  # noqa: S308
        "svg": _drawing(concept),
        "links": [_link(see) for see in concept.see],
        "before": concepts[at - 1] if at else None,
        "after": concepts[at + 1] if at + 1 < len(concepts) else None,
    }
    return render(request, "advisor/concept.html", context)


def _drawing(concept: Concept) -> SafeString:
    """Returns the SVG of a concept, one of our files: visitors typed nothing in it."""
    return mark_safe(concept.svg)  # noqa: S308


def _link(see: Demonstration) -> Link:
    if see.kind == "toy":
        return Link("Try", see, reverse("labs:toy"))
    if see.kind == "lesson":
        return Link("Learn", see, reverse("labs:lesson", args=[see.names[0], "story"]))
    if see.kind == "scenario":
        return Link("Run", see, f"{reverse('labs:scenarios')}#{see.names[0]}")
    return Link("Read", see, reverse(f"reference:{see.kind}", args=see.names))
