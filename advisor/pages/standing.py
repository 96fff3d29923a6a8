"""Compares the stored answer of a link with today's rules, for the pages that show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_POST, require_safe

from advisor import services
from advisor.models import Description
from advisor.pages import presentation, rules_changelog
from advisor.reasoning.difference import Section, difference
from advisor.reasoning.fields import field_of
from advisor.services import Saved, StaleDescription
from advisor.templatetags.look import GUARANTEES

_TITLES = {
    "guarantees": ("The guarantee", "Boundary"),
    "failures": ("What failures may do", "Failure"),
    "findings": ("Things to know", "Rule"),
    "possible": ("What is possible", "Guarantee"),
    "numbers": ("Numbers", "Number"),
    "assumed": ("What is assumed", "Setting"),
    "in_force": ("Settings in force", "Setting"),
}


def find_or_404(slug: str) -> Saved:
    """Returns a saved answer. Raises `Http404` if there is none, and `StaleDescription`."""
    try:
        return services.find(slug)
    except Description.DoesNotExist:
        raise Http404(f"No pipeline is saved as {slug}") from None


def standing(saved: Saved) -> dict[str, Any]:
    """Returns, for a page with the answer, the version of its rules, and whether it can be used.

    A pipeline that today's catalog no longer accepts can be viewed, but neither run nor exported.
    Today's rules are not applied here, because that takes time: `compared` does it.
    """
    context: dict[str, Any] = {
        "slug": saved.slug, "saved": saved, "today": services.RULES_VERSION,
        "is_older": bool(rules_changelog.since(saved.rules_version)), "in_the_way": (),
        "comparable": False,
    }  # fmt: skip
    try:
        saved.described()
        context["comparable"] = saved.rules_version != services.RULES_VERSION
        saved.recommended()
    except StaleDescription as stale:
        context["in_the_way"] = obstacles(stale)
    return context


@require_safe
def compared(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of a page that says whether today's rules give a different answer."""
    saved = _kept_or_404(slug)
    context = standing(saved) | {"newer": difference(saved.answer, saved.today())}
    return render(request, "advisor/compared.html", context)


@require_safe
def newer(request: HttpRequest, slug: str) -> HttpResponse:
    """The differences between today's answer and the stored one, and their versions of the
    rules."""
    saved = _kept_or_404(slug)
    today = saved.today()
    context = {
        "slug": slug, "saved": saved, "today": services.RULES_VERSION,
        "before": presentation.card(saved.answer.judgement),
        "after": presentation.card(today.judgement),
        "sections": [(*_titles(section), section) for section in difference(saved.answer, today)],
        "releases": rules_changelog.since(saved.rules_version),
    }  # fmt: skip
    return render(request, "advisor/newer.html", context)


def _kept_or_404(slug: str) -> Saved:
    saved = find_or_404(slug)
    if not saved.is_kept:
        raise Http404(f"No answer was kept with {slug}")
    return saved


def _titles(section: Section) -> tuple[str, str]:
    """Returns the title of a section, and the heading of its lines."""
    if section.guarantee is not None:
        return f"Changes for {GUARANTEES[section.guarantee]}", "Setting"
    return _TITLES[section.kind]


@require_POST
def renew(request: HttpRequest, slug: str) -> HttpResponse:
    """Stores today's answer under a new link; the old link keeps the old one."""
    return redirect("advisor:advice", services.save(find_or_404(slug).described()).slug)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One answer that is no longer valid: its field, the saved value, and the reason."""

    name: str
    saved: str
    message: str


class StaleDescriptionMiddleware:
    """Answers 410 with a page that has the reasons, whichever view loads the description.

    410 and not 404, because it exists; and not 409, because no other request would help.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Returns the page for a `StaleDescription`; other errors are not handled."""
        if not isinstance(error, services.StaleDescription):
            return None
        page = render(request, "advisor/stale.html", _context(error), status=HTTPStatus.GONE)
        add_never_cache_headers(page)  # the next release may accept it again
        return page


def obstacles(stale: services.StaleDescription) -> list[Obstacle]:
    """Returns each answer that is no longer valid, with the saved value."""
    answers = _answers(stale.description)
    results = []
    for problem in stale.problems:
        field = field_of(problem)
        name = field if field in answers else problem.setting
        results.append(Obstacle(name, answers.get(name, ""), problem.message))
    return results


def _context(stale: services.StaleDescription) -> dict[str, object]:
    return {
        "description": stale.description, "answers": _answers(stale.description).items(),
        "in_the_way": obstacles(stale), "has_answer": _has_answer(stale.description),
    }  # fmt: skip


def _answers(description: Description) -> dict[str, str]:
    try:
        return services.answers(description)
    except services.StaleDescription:
        return {}


def _has_answer(description: Description) -> bool:
    try:
        services.find(description.slug)
    except services.StaleDescription:
        return False
    return True
