"""The page for a failure of ours, or of the database, while a page was made."""

from __future__ import annotations

import sys

from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error

RETRY_S = 30


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
