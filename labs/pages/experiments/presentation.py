"""The content of the pages of an experiment, from the database."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labs.engine.record import fault_words
from labs.engine.record.fault_words import FaultEvent
from labs.engine.scenarios import ScenarioError
from labs.engine.scenarios import find as find_scenario
from labs.engine.scenarios.model import Scenario
from labs.lessons import Outcome
from labs.lessons import find as find_lesson
from labs.models import Experiment, Run, State, Trial
from labs.pages import picture, plots, selectors, sentences
from labs.pages.pace import PHASES, Pace
from labs.pages.time_left import time_left

_LABELS = {
    "described": "As described",
    "recommended": "As recommended",
    "weak": "Weak settings",
    "safe": "Safe settings",
    "yours": "Your settings",
    "recorded": "The recording",
}


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of an arm: `done`, `now` or `todo`. The current one may have a `progress`."""

    words: str
    state: str
    progress: str = ""


@dataclass(frozen=True, slots=True)
class Examples:
    """Example messages of one anomaly, as a table."""

    words: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of all arms: those that differ, with a value per arm, and the same ones."""

    differ: tuple[tuple[str, tuple[Any, ...]], ...]
    same: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm as a page shows it, whether it is waiting, running or done."""

    run: Run
    label: str
    phases: tuple[Phase, ...]
    picture: picture.Picture
    spark: str
    events: tuple[FaultEvent, ...]
    sentence: str
    counted: str
    missing: str
    groups: tuple[str, ...]
    all_counts: tuple[tuple[str, int | None], ...]
    unavailable: str
    blocked: str
    longest_pause: str
    evidence: str
    examples: tuple[Examples, ...]
    has_ledger: bool
    plot: plots.Plot | None


def scenario_title(name: str) -> str:
    """Returns the title of a scenario; its name if it no longer exists."""
    staged = scenario(name)
    return staged.title if staged else name


def scenario(name: str) -> Scenario | None:
    """Returns a scenario; None if it no longer exists, since experiments may outlive theirs."""
    try:
        return find_scenario(name)
    except ScenarioError:
        return None


def label(experiment: Experiment, name: str) -> str:
    """Returns the name of an arm in words."""
    if experiment.lesson:
        try:
            return find_lesson(experiment.lesson).arm(name).label
        except LookupError:
            return name
    trial: Trial | None = getattr(experiment, "trial", None)
    return trial.label(name) if trial else _LABELS.get(name, name)


def arms(experiment: Experiment, paces: Mapping[str, Pace]) -> list[Arm]:
    """Returns every arm in order, with the pace of running ones; all plots share one scale."""
    runs = list(experiment.runs.all())
    scale = plots.shared_scale(run.result.get("timeline") or {} for run in runs)
    drawn = _pictures(experiment, runs)
    return [_arm(experiment, run, scale, paces.get(run.name), drawn[run.name]) for run in runs]


def headline(experiment: Experiment) -> str:
    """Returns the results of an experiment that is done, in one line."""
    return " ".join(headlines(experiment))


def headlines(experiment: Experiment) -> list[str]:
    """Returns a sentence for each arm of an experiment that is done."""
    return sentences.arm_sentences(
        (label(experiment, run.name), run.verdict, run.result) for run in experiment.runs.all()
    )


def outcomes(experiment: Experiment) -> dict[str, Outcome]:
    """Returns the result of each arm, by name, as lessons use it."""
    return {run.name: Outcome(run.verdict, run.counts) for run in experiment.runs.all()}


def standing(experiment: Experiment, paces: Mapping[str, Pace]) -> str:
    """Returns the state of the experiment in one line; `paces` are those of its arms."""
    if experiment.state == State.QUEUED:
        place, duration = selectors.place_in_queue(experiment), selectors.time_to_run(experiment)
        return _waiting(place, duration) + _progress_ahead()
    if experiment.state == State.RUNNING:
        return f"Running: {time_left(paces.values())}."
    return {
        State.DONE: "Done.",
        State.FAILED: "Failed.",
        State.INTERRUPTED: "Interrupted.",
        State.CANCELLED: "Cancelled.",
    }[State(experiment.state)]


def standings(experiments: Sequence[Experiment]) -> list[str]:
    """Returns the state of many experiments; data that queued ones share is read once."""
    places, times = selectors.places_in_queue(), dict[tuple[str, int], str]()
    progress_ahead = _progress_ahead() if places else ""

    def time_to_run(experiment: Experiment) -> str:
        key = (experiment.scenario, len(experiment.spec["arms"]))
        if key not in times:
            times[key] = selectors.time_to_run(experiment)
        return times[key]

    return [
        _waiting(places[experiment.slug], time_to_run(experiment)) + progress_ahead
        if experiment.slug in places and experiment.state == State.QUEUED
        else standing(experiment, selectors.paces(experiment))
        for experiment in experiments
    ]


def _progress_ahead() -> str:
    """Returns the progress of the running experiment, for those in the queue; not its subject."""
    running = selectors.oldest_running()
    paces = selectors.paces(running) if running else {}
    begun = [pace for pace in paces.values() if not pace.waits]
    if not begun:
        return ""
    left = time_left(paces.values())
    # A phase that takes longer than usual is already named in `left`.
    now = [] if any(pace.late for pace in begun) else [pace.words.lower() for pace in begun]
    return f" Running now: {'; '.join(filter(None, (', '.join(dict.fromkeys(now)), left)))}."


def _waiting(place: int, duration: str) -> str:
    ahead = "next in the queue" if place == 1 else f"number {place} in the queue"
    return f"Waiting: {ahead}, {duration}."


_PRODUCTS = {"kafka": "Kafka", "spark": "Spark", "java": "Java", "delivery-lab": "Delivery Lab"}


def conditions(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Returns the versions of the runs, and their clients: (name, value)."""
    versions: Mapping[str, Any] = next(
        (r.result["versions"] for r in runs if r.result.get("versions")), {}
    )
    rows = [(_PRODUCTS.get(name, name), str(value)) for name, value in versions.items() if value]
    played = [run.result["clients"] for run in runs if run.result.get("clients")]
    roles = {role for item in played for role in item}
    return rows + [
        (role, " / ".join(dict.fromkeys(item[role] for item in played if role in item)))
        for role in sorted(roles, reverse=True)
    ]


def shortened(runs: Sequence[Run]) -> list[Mapping[str, Any]]:
    """Returns the differences from a product: rows of `setting`, `lab`, `product` and `why`."""
    return next((r.result["shortened"] for r in runs if r.result.get("shortened")), [])


def compared(runs: Sequence[Run]) -> Settings:
    """Returns every setting of the runs; a setting that an arm does not have is None."""
    parts = [(part, settings) for run in runs for part, settings in run.settings.items()]
    keys = sorted({(part, key) for part, settings in parts for key in settings})
    rows = [
        (f"{part}.{key}", tuple(run.settings.get(part, {}).get(key) for run in runs))
        for part, key in keys
    ]
    releases = tuple(run.release for run in runs)
    if not _equal(releases):
        # A setting that a line lacks could not be chosen; only answers on the application differ.
        shown = (row for row in rows if None not in row[1] or row[0].startswith("application."))
        rows = [("kafka", releases), *shown]
    return Settings(
        differ=tuple((key, values) for key, values in rows if not _equal(values)),
        same=tuple((key, values[0]) for key, values in rows if _equal(values)),
    )


def _equal(values: Sequence[Any]) -> bool:
    return len({str(value) for value in values}) == 1


def run_plot(run: Run, scale: plots.Scale | None = None) -> plots.Plot | None:
    """Returns the timeline plot of a judged run; None without a timeline."""
    timeline = run.result.get("timeline") or {}
    if not timeline.get("buckets"):
        return None
    return plots.plot(
        timeline, _marks(run), _leaderless(run), scale or plots.shared_scale([timeline])
    )


def _arm(
    experiment: Experiment, run: Run, scale: plots.Scale, pace: Pace | None,
    drawn: picture.Picture,
) -> Arm:  # fmt: skip
    counts = run.result.get("counts") or {}
    judged = bool(run.verdict)
    return Arm(
        run=run,
        label=label(experiment, run.name),
        phases=_phases(run.phase, pace),
        picture=drawn,
        spark=plots.sparkline([sample.get("acknowledged_per_s") for sample in run.samples]),
        events=fault_words.events(list(_faults(run))),
        sentence=sentences.run_sentence(run.verdict, run.result, run.want) if judged else "",
        counted=sentences.base(run.result),
        missing=sentences.missing_sentence(counts),
        groups=tuple(sentences.group_sentences(run.result)),
        all_counts=tuple(
            (words, counts.get(name))
            for name, words in sentences.COUNT_WORDS.items()
            if name in counts
        ),
        unavailable=sentences.seconds(counts.get("unavailable_ms")) if counts else "",
        blocked=sentences.seconds(counts.get("blocked_ms")) if counts else "",
        longest_pause=sentences.longest_pause(run.result.get("timeline") or {}),
        evidence=_evidence(experiment, run),
        examples=tuple(_examples(run.result.get("examples") or {})),
        has_ledger=judged and run.ledger.is_dir(),
        plot=run_plot(run, scale),
    )


def _pictures(experiment: Experiment, runs: Sequence[Run]) -> dict[str, picture.Picture]:
    """Returns the current picture of each arm; all logs are drawn on one scale."""
    staged = scenario(experiment.scenario)
    rate, workload = (staged.rate_per_s, staged.workload) if staged else (0, "")
    stated = experiment.spec.get("overrides", {}).get("rate_per_s", rate)
    shares = experiment.spec.get("partitions") or 1
    full = picture.scale((end for run in runs for end in picture.ends(run.live)), stated / shares)
    return {
        run.name: picture.picture(
            run.phase, run.live, run.faults, fault_words.events(list(_faults(run))), workload, full
        )
        for run in runs
    }


def _evidence(experiment: Experiment, run: Run) -> str:
    if experiment.state != State.DONE or not run.judged:
        return ""
    return sentences.evidence_sentence(selectors.evidence(run))


def _examples(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[Examples]:
    for name, rows in results.items():
        if rows:
            columns = tuple(rows[0])
            cells = tuple(tuple(row.get(column) for column in columns) for row in rows)
            yield Examples(sentences.COUNT_WORDS.get(name, name), columns, cells)


def _phases(current: str, pace: Pace | None) -> tuple[Phase, ...]:
    names = list(PHASES)
    at = names.index(current) if current in names else -1
    spent = _spent(pace) if pace else ""
    return tuple(
        Phase(words, "now", "" if pace is None or pace.waits else spent)
        if i == at and current != "done"
        else Phase(words, "done" if i <= at else "todo")
        for i, words in enumerate(PHASES.values())
    )


def _spent(pace: Pace) -> str:
    spent_s, usual_s = round(pace.spent_s), math.ceil(pace.usual_s)
    if spent_s > usual_s:
        return f"{spent_s} s, usually about {usual_s} s"
    return f"{spent_s} of about {usual_s} s"


def _faults(run: Run) -> Iterator[Mapping[str, Any]]:
    """Yields the faults, in seconds since the first send, as in the plot and the replay.

    Until the run is judged, sending begins with its phase.
    """
    judged = bool(run.result.get("timeline"))
    begin = timeline_begin_s(run) if judged else run.live.get("began", {}).get("producing") or 0.0
    for row in run.faults:
        at_s = row.get("at_s")
        yield {**row, "at_s": None if at_s is None else at_s - begin}


def _marks(run: Run) -> list[Mapping[str, Any]]:
    """Returns the faults that happened, on the axis of the timeline."""
    begin = timeline_begin_s(run)
    return [
        {**row, "second": row["at_s"] - begin}
        for row in run.result.get("fault_evidence") or ()
        if row["phase"] == "complete"
    ]


def _leaderless(run: Run) -> list[tuple[float, float]]:
    """Returns the spans without a leader, as precise as the samples, in seconds."""
    begin = timeline_begin_s(run)
    spans: list[tuple[float, float]] = []
    last: float | None = None
    for sample in run.samples:
        at = sample["at_s"] - begin
        if last is not None:
            spans[-1] = (last, at)
        if sample["leader"] is not None:
            last = None
        elif last is None:
            last = at
            spans.append((at, at))
    return spans


def timeline_begin_s(run: Run) -> float:
    """Returns the start of the judge's timeline on the axis of the experiment's events."""
    began: int = run.result["axis_began_ns"]
    return float(run.result["timeline"]["start_ns"] - began) / 1e9
