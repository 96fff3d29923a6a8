"""Compares runs: two experiments side by side, and the spread of one run's repetitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.utils.text import capfirst

from labs.models import Experiment, Run
from labs.pages import plots, selectors, sentences
from labs.pages.experiments import presentation
from labs.pages.plots import Plot
from labs.runs.conditions import Conditions
from labs.runs.repeating import Tally

PLACES = ("First", "Second")
"""The names of the experiments in a comparison."""


@dataclass(frozen=True, slots=True)
class Column:
    """One run of a comparison. Its `plot` has the common scale; None if the run was not judged.

    `place` is the name of its experiment in the comparison, one of `PLACES`.
    """

    run: Run
    label: str
    plot: Plot | None = None
    place: str = ""

    @property
    def name(self) -> str:
        """The name of the experiment and of its arm."""
        return f"{self.place}: {self.label}"


@dataclass(frozen=True, slots=True)
class Counts:
    """One count over several runs; None for a run that was not judged for it."""

    words: str
    values: tuple[int | None, ...]

    @property
    def differ(self) -> bool:
        return len(set(self.values)) > 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """All arms of some experiments, without counts that are 0 or not judged in all of them.

    `conditions` has those that were chosen for any of them; None if the scenario decided.
    """

    columns: tuple[Column, ...]
    counts: tuple[Counts, ...]
    conditions: tuple[tuple[str, tuple[str | None, ...]], ...]
    settings: presentation.Settings

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each column, for the layout in which columns become lines."""
        return tuple(column.name for column in self.columns)

    @property
    def drawn(self) -> tuple[Column, ...]:
        """The columns whose plots can be overlaid."""
        return tuple(column for column in self.columns if column.plot)


@dataclass(frozen=True, slots=True)
class Spread:
    """One count over the repetitions of a run that were judged for it."""

    words: str
    least: int
    middle: float
    most: int
    runs: int


@dataclass(frozen=True, slots=True)
class Repetitions:
    """All judged runs of one scenario, release and settings, including `run`, newest first."""

    run: Run
    label: str
    runs: tuple[Run, ...]
    spreads: tuple[Spread, ...]

    @property
    def headline(self) -> str:
        """How many of the runs were broken, and what that bounds; empty without a verdict."""
        tally = Tally(self.label)
        for run in self.runs:
            tally.take(run.verdict)
        return f"{capfirst(tally.result)}." if tally.broken + tally.holds else ""


def compare(*experiments: Experiment) -> Comparison:
    """Returns the arms of the experiments, side by side."""
    arms = [
        (place, experiment, run)
        for place, experiment in zip(PLACES, experiments, strict=False)
        for run in experiment.runs.all()
    ]
    scale = plots.shared_scale(run.result.get("timeline") or {} for *_, run in arms)
    columns = tuple(
        Column(
            run, presentation.label(experiment, run.name), presentation.run_plot(run, scale), place
        )
        for place, experiment, run in arms
    )
    runs = [column.run for column in columns]
    counts = (Counts(words, _values(runs, name)) for name, words in _distinct_counts(runs))
    return Comparison(
        columns,
        tuple(count for count in counts if any(count.values)),
        tuple(_conditions(runs)),
        presentation.compared(runs),
    )


def _conditions(runs: Sequence[Run]) -> Iterable[tuple[str, tuple[str | None, ...]]]:
    rows = [dict(Conditions.from_spec(run.experiment.request()).described()) for run in runs]
    for name in dict.fromkeys(name for row in rows for name in row):
        yield name, tuple(row.get(name) for row in rows)


def repetitions(experiment: Experiment) -> list[Repetitions]:
    """Returns, for each arm, its runs so far and the spread of their counts."""
    results = []
    for run in experiment.runs.all():
        same = tuple(selectors.repetitions(run).select_related("experiment"))
        label = presentation.label(experiment, run.name)
        results.append(Repetitions(run, label, same, tuple(_spreads(same))))
    return results


def _spreads(runs: Sequence[Run]) -> Iterable[Spread]:
    for name, words in _distinct_counts(runs):
        entries = [value for value in _values(runs, name) if value is not None]
        if any(entries) or (entries and name == "lost_write"):
            yield Spread(words, min(entries), median(entries), max(entries), len(entries))


def _distinct_counts(runs: Sequence[Run]) -> Iterable[tuple[str, str]]:
    """Yields each count and its words; what was acknowledged is not said twice where no transaction
    was aborted."""
    for name, words in sentences.COUNT_WORDS.items():
        if name != "obliged" or _values(runs, name) != _values(runs, "ok"):
            yield name, words


def _values(runs: Sequence[Run], name: str) -> tuple[Any, ...]:
    return tuple(run.counts.get(name) for run in runs)
