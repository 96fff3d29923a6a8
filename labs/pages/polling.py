"""Parts of pages that browsers request repeatedly while they change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.http import HttpResponseStopPolling


def polled(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, is_live: bool
) -> HttpResponse:
    """Returns a part of a page; status 286 tells htmx to stop once it will not change again."""
    return render(request, template, context, status=None if is_live else _STOPPED)


_STOPPED = HttpResponseStopPolling.status_code
