"""The pages of what all runs together say: of the advisor, and of release lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labs.calibration.edges import UNSTAGED, UNTRIED
from labs.calibration.staged import Staged
from labs.evidence import over_lines, trials


@require_safe
def evidence(request: HttpRequest) -> HttpResponse:
    """Prediction and observation, claim by claim, each number linked to its runs."""
    held, staged = trials.held(), trials.scenarios_staged()
    own = trials.own_counts()
    unstaged = {f"{setting} in {scenario}": why for (scenario, setting), why in UNSTAGED.items()}
    context = {
        "held": held,
        "staged": [(run, _here(run, own.get(run.scenario.name, []))) for run in staged],
        "runs": held.runs + sum(run.runs for run in staged),
        "untried": sorted({**UNTRIED, **unstaged}.items()),
    }
    return render(request, "labs/evidence.html", context)


@require_safe
def lines(request: HttpRequest) -> HttpResponse:
    """One scenario under one set of settings on several lines of brokers, row by row."""
    rows = over_lines.rows(settings.LAB_RECORD)
    series = [row for row in rows if not row.is_drawn]
    context = {
        "rows": rows,
        "series": series,
        "pairs": [row for row in rows if row.is_drawn],
        "first_pair": len(series),
        "changed": sum(row.is_changed for row in rows),
        "runs": sum(bool(cell.verdict) for row in rows for cell in row.cells),
    }
    return render(request, "labs/over_lines.html", context)


def _here(staged: Staged, own: Sequence[Mapping[str, int | None]]) -> tuple[int, int]:
    """How many of this installation's own arms saw it, and of how many."""
    judged = [counts[staged.anomaly] for counts in own if counts.get(staged.anomaly) is not None]
    return sum(bool(count) for count in judged), len(judged)
