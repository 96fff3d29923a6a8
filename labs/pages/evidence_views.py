"""The pages of evidence: all runs for or against the advisor, by failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labs.calibration.edges import UNSTAGED, UNTRIED
from labs.calibration.staged import Staged
from labs.evidence import trials


@require_safe
def evidence(request: HttpRequest) -> HttpResponse:
    """Prediction and observation for each claim; each number links to its runs."""
    comparison, staged = trials.comparison(), trials.scenarios_staged()
    by_scenario = trials.local_counts()
    unstaged = {f"{setting} in {scenario}": why for (scenario, setting), why in UNSTAGED.items()}
    context = {
        "comparison": comparison,
        "staged": [
            (run, _local_share(run, by_scenario.get(run.scenario.name, []))) for run in staged
        ],
        "runs": comparison.runs + sum(run.runs for run in staged),
        "untried": sorted({**UNTRIED, **unstaged}.items()),
    }
    return render(request, "labs/evidence.html", context)


@require_safe
def failure(request: HttpRequest, name: str) -> HttpResponse:
    """The runs of one failure event: the settings and the result of each."""
    section = trials.comparison().section(name)
    if section is None:
        raise Http404(f"There is no failure event {name}.")
    return render(request, "labs/evidence_failure.html", {"section": section})


def _local_share(staged: Staged, arms: Sequence[Mapping[str, int | None]]) -> tuple[int, int]:
    """Returns the number of arms of this installation that showed the anomaly, and of all."""
    judged = [counts[staged.anomaly] for counts in arms if counts.get(staged.anomaly) is not None]
    return sum(bool(count) for count in judged), len(judged)
