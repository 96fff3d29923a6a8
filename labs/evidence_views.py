"""The page that holds the advisor against every run of `manage.py calibrate`."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labs import trials
from labs.calibration.edges import UNSTAGED, UNTRIED


@require_safe
def evidence(request: HttpRequest) -> HttpResponse:
    """Prediction beside observation, claim by claim, each number linked to its runs."""
    held = trials.held()
    unstaged = {f"{setting} in {scenario}": why for (scenario, setting), why in UNSTAGED.items()}
    context = {
        "held": held,
        "untried": sorted({**UNTRIED, **unstaged}.items()),
    }
    return render(request, "labs/evidence.html", context)
