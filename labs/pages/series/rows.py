"""The content of the page of a series: one row per release, and the causes of each change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor import services as advisor
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import agreed, counted
from labs.engine.run.result import JUDGED
from labs.models import Experiment, Series, State
from labs.pages.pace import PHASES
from labs.runs import across, planning

_STATES = {
    State.QUEUED: "waits for its turn",
    State.FAILED: "could not be run to its end",
    State.INTERRUPTED: "interrupted",
    State.CANCELLED: "cancelled",
}
_STARTING = "is starting"
_UNKNOWN = "no verdict"
_NONE = "No release has"


@dataclass(frozen=True, slots=True)
class Line:
    """A release: its verdict with the counts, or in `words` the reason why there is none (yet).

    `link` is the run's page, empty if there is no run, and `why` is the reason for an unknown
    verdict or an early end.
    """

    row: across.Row
    words: str = ""
    link: str = ""
    is_live: bool = False
    why: str = ""

    @property
    def release(self) -> str:
        return self.row.release

    @property
    def verdict(self) -> str:
        """The verdict of the run; empty before its end."""
        return next(iter(self.row.verdicts.values()), "")


def lines(series: Series) -> list[Line]:
    """Returns every release that was requested or run, oldest first."""
    described = planning.saved_pipeline(series.pipeline)
    by_release = {run.kafka: run for run in series.experiments.all()}
    empty = [
        _without_run(series, release) for release in series.releases if release not in by_release
    ]
    rows = [*empty, *(_line(run, described) for run in by_release.values())]
    place = {row.release: number for number, row in enumerate(_ordered(rows))}
    return sorted(rows, key=lambda line: place[line.release])


def changes(series: Series, rows: Sequence[Line]) -> tuple[across.Change, ...]:
    """Returns the changes of the verdict, with causes according to the rules and known bugs."""
    return across.changes([line.row for line in rows], series.scenario)


def standing(series: Series, rows: Sequence[Line], changed: Sequence[across.Change]) -> str:
    """Returns the state or the result of a series, in one or two sentences."""
    judged = sum(bool(line.row.verdict) for line in rows)
    verdicts = f"{counted(judged, 'release')} {agreed(judged, 'has', 'have')}" if judged else _NONE
    if running := [line.release for line in rows if line.is_live]:
        return f"{verdicts} a verdict. Still running: Kafka {' and '.join(running)}."
    if series.is_live:
        return f"{verdicts} a verdict. The next run is queued as soon as the queue has a place."
    stopped = _stopped(series, rows)
    if changed:
        between = "; ".join(f"between {' and '.join(change.releases)}" for change in changed)
        return f"The verdict changes {between}.{stopped}"
    if judged < 2:
        return f"{verdicts} a verdict. A comparison needs two.{stopped}"
    all_judged = "Both" if judged == 2 else f"All {judged}"
    return f"{all_judged} releases that were run have the same verdict."


def _stopped(series: Series, rows: Sequence[Line]) -> str:
    without_verdict = [line.release for line in rows if line.link and not line.row.verdict]
    if not series.bisect or not without_verdict:
        return ""
    return f" The search ended at {without_verdict[0]}, which has none."


def _ordered(rows: Sequence[Line]) -> list[across.Row]:
    return across.in_order([line.row for line in rows])


def _without_run(series: Series, release: str) -> Line:
    cannot = series.impossible.get(release, "")
    if cannot:
        words = f"not run: {cannot}"
    elif series.is_live:
        words = "not run yet"
    else:
        words = "not needed" if series.bisect and not series.reason else "not run"
    return Line(across.Row(release, why_not=words, release=release), words)


def _line(run: Experiment, described: Pipeline | None) -> Line:
    arm = next(iter(run.runs.all()))
    verdict = arm.verdict if not run.is_live else ""
    pipeline = _on_release(described, run.kafka) if verdict in JUDGED else None
    row = across.Row(
        run.kafka, {arm.name: verdict} if verdict else {}, pipeline,
        across.permitted(pipeline, run.scenario) if pipeline else (),
        across.refuted(pipeline, run.scenario, arm.counts) if pipeline else (),
        zookeeper=run.request().zookeeper,
        seen=across.forbidden(pipeline, arm.counts) if pipeline else {}, release=run.kafka,
    )  # fmt: skip
    reason = "" if verdict in JUDGED else str(arm.result.get("reason") or run.reason)
    return Line(row, _words(run, arm.phase, verdict), run.get_absolute_url(), run.is_live, reason)


def _words(run: Experiment, phase: str, verdict: str) -> str:
    if run.state == State.RUNNING:
        return PHASES.get(phase, _STARTING).lower()
    if verdict:
        return ""
    return _STATES.get(State(run.state), _UNKNOWN)


def _on_release(described: Pipeline | None, release: str) -> Pipeline | None:
    try:
        return planning.on_release(described, release) if described else None
    except advisor.PipelineError:
        return None
