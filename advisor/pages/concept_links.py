"""Links to the concepts, in every page and in every part that htmx replaces."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from advisor.concepts.mentions import linked


class ConceptLinksMiddleware:
    """Makes the first mention of each concept in a page's `<main>` a link to the concept's page.

    A downloaded file is not changed: it has no access to this site.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_html = response.get("Content-Type", "").startswith("text/html")
        if is_html and not response.streaming and not response.has_header("Content-Disposition"):
            html = response.content.decode()
            if "<main" in html:
                response.content = _with_links(html)
            elif getattr(request, "htmx", False) and not _keeps_updating(request, response):
                response.content = linked(html, _address)
        return response


def _keeps_updating(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether the response is updated every second: a link in it would lose the keyboard focus."""
    match = request.resolver_match
    live = match is not None and (match.url_name or "").endswith("live")
    return live and response.status_code == HTTPStatus.OK


def _with_links(html: str) -> str:
    before, main, rest = html.partition("<main")
    inside, end, after = rest.partition("</main>")
    return "".join((before, linked(main + inside, _address), end, after))


def _address(name: str) -> str:
    return reverse("concepts:concept", args=[name])
