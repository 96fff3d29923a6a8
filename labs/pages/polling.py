"""The parts of pages that browsers request again and again while they change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.http import HttpResponseStopPolling


def polled(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, is_live: bool
) -> HttpResponse:
    """A part of a page; where it will not change again, its status tells htmx to stop (286)."""
    return render(request, template, context, status=None if is_live else _STOPPED)


_STOPPED = HttpResponseStopPolling.status_code
