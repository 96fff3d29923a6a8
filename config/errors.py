"""The page for what failed while a page was made: our error, or a database that takes no part."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error

RETRY_S = 30


def failed(request: HttpRequest) -> HttpResponse:
    """503 where the database is full, locked or away, else 500. The log has the trace."""
    if not isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return server_error(request)
    page = render_to_string("503.html", {"reading": request.method in ("GET", "HEAD")})
    return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_S)})
