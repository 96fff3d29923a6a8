"""The pages of the concepts: a drawing, a few paragraphs, where to see it, where it is from."""

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
    """One way to see a concept: what one does there, which page it is, and its address."""

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
        # A file of the house: nothing in it was typed by a visitor.
        "text": mark_safe(concept.html),  # noqa: S308
        "svg": _drawing(concept),
        "links": [_link(see) for see in concept.see],
        "before": concepts[at - 1] if at else None,
        "after": concepts[at + 1] if at + 1 < len(concepts) else None,
    }
    return render(request, "advisor/concept.html", context)


def _drawing(concept: Concept) -> SafeString:
    """Its SVG, a file of the house: nothing in it was typed by a visitor."""
    return mark_safe(concept.svg)  # noqa: S308


def _link(see: Demonstration) -> Link:
    if see.kind == "toy":
        return Link("Try", see, reverse("labs:toy"))
    if see.kind == "lesson":
        return Link("Learn", see, reverse("labs:lesson", args=[see.names[0], "story"]))
    if see.kind == "scenario":
        return Link("Run", see, f"{reverse('labs:scenarios')}#{see.names[0]}")
    return Link("Read", see, reverse(f"reference:{see.kind}", args=see.names))
