"""Refuses requests whose body cannot be decoded, before anything tries to read it."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

_BOUNDARY = re.compile(r"[ -~]{0,200}[!-~]")
"""The boundary of RFC 2046, 5.1.1, with all characters that Django accepts."""
_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii"})


class ContentMiddleware:
    """Answers 415 to a charset other than UTF-8, and 400 to parts without a boundary."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        status, text = _refusal(request)
        if not status:
            return self._get_response(request)
        # Rendered without the request: a page that reads its form would read the body after all.
        return HttpResponse(
            render_to_string("400.html", {"status": status, "message": text}), status=status
        )


def _refusal(request: HttpRequest) -> tuple[int, str]:
    parameters = request.content_params or {}
    if parameters.get("charset", "utf-8").strip().lower() not in _CHARSETS:
        return 415, "Its text must be UTF-8, but it names another character set."
    if request.content_type == "multipart/form-data" and not _BOUNDARY.fullmatch(
        parameters.get("boundary", "")
    ):
        return 400, "It has parts, but it does not name the boundary between them."
    return 0, ""
