"""Pages for server errors, database errors, and methods that are not allowed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from http import HTTPStatus

from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.loader import render_to_string
from django.views.defaults import server_error

RETRY_S = 30
_METHODS = ("GET", "HEAD", "OPTIONS", "POST")


class MethodMiddleware:
    """Answers unknown methods with a 405 page, before the CSRF check.

    Django's own 405 response is empty, for example when the address of a form is opened.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_allowed = request.method in _METHODS
        answer = self._get_response(request) if is_allowed else HttpResponseNotAllowed(_METHODS)
        if answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED and not answer.content:
            answer.content = render_to_string("405.html").encode()
        return answer


def failed(request: HttpRequest) -> HttpResponse:
    """Returns 503 if the database is full, locked, damaged or down, else 500. Django logs it."""
    error = sys.exc_info()[1]
    # SQLite raises a plain DatabaseError for a damaged file; its other subclasses are our bugs.
    if (
        not isinstance(error, OperationalError | InterfaceError)
        and type(error) is not DatabaseError
    ):
        return server_error(request)
    page = render_to_string("503.html", {"reading": request.method in ("GET", "HEAD")})
    return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_S)})
