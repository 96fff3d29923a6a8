"""Pages for a failure of ours or of the database, and for a method that is not allowed."""

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
    """Answers 405 to methods that no address has, before a token is asked for, and with a page.

    Django's own answer 405 is empty: a form's address that is opened by itself gets it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        known = request.method in _METHODS
        answer = self._get_response(request) if known else HttpResponseNotAllowed(_METHODS)
        if answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED and not answer.content:
            answer.content = render_to_string("405.html").encode()
        return answer


def failed(request: HttpRequest) -> HttpResponse:
    """503 where the database is full, locked, damaged or away, else 500. The log has the trace."""
    error = sys.exc_info()[1]
    # SQLite calls a damaged file a DatabaseError and nothing closer; what is closer is our mistake.
    if (
        not isinstance(error, OperationalError | InterfaceError)
        and type(error) is not DatabaseError
    ):
        return server_error(request)
    page = render_to_string("503.html", {"reading": request.method in ("GET", "HEAD")})
    return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_S)})
