"""What is answered where a saved description would be used and the catalog no longer takes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

from advisor import services
from advisor.models import Description
from advisor.reasoning.fields import field_of


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One answer that can no longer stand: its field, what was saved, and why not."""

    name: str
    saved: str
    message: str


class StaleDescriptionMiddleware:
    """Answers with 410 and a page that says why, whichever view met the description.

    410 and not 404, because it is there; and not 409, because nothing in the request would help.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page for a `StaleDescription`; other errors are not ours."""
        if not isinstance(error, services.StaleDescription):
            return None
        page = render(request, "advisor/stale.html", _context(error), status=HTTPStatus.GONE)
        add_never_cache_headers(page)  # the next release may take it again
        return page


def obstacles(stale: services.StaleDescription) -> list[Obstacle]:
    """Each answer that is in the way, beside what was saved."""
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
