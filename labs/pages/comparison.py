"""Runs beside runs: two experiments side by side, and the spread of one run's repetitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from labs.models import Experiment, Run
from labs.pages import plots, presentation, selectors, sentences
from labs.pages.plots import Plot
from labs.runs.conditions import Conditions


@dataclass(frozen=True, slots=True)
class Column:
    """One run of a comparison; `plot` is on one scale for all, None where nothing was judged."""

    run: Run
    label: str
    plot: Plot | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """One count over several runs; None where a run was not judged, or not for it."""

    words: str
    values: tuple[int | None, ...]

    @property
    def differ(self) -> bool:
        return len(set(self.values)) > 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """All arms of some experiments; counts that are 0 or not judged everywhere are left out.

    `conditions` are those that were chosen for any of them: None where the scenario decided.
    """

    columns: tuple[Column, ...]
    counts: tuple[Counts, ...]
    conditions: tuple[tuple[str, tuple[str | None, ...]], ...]
    settings: presentation.Settings

    @property
    def names(self) -> tuple[str, ...]:
        """Of each column, where columns become lines."""
        return tuple(f"{each.run.experiment.slug}, {each.label}" for each in self.columns)

    @property
    def drawn(self) -> tuple[Column, ...]:
        """Those whose plots can be laid over each other."""
        return tuple(each for each in self.columns if each.plot)


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
    """All judged runs of one scenario, release and settings, `run` among them, newest first."""

    run: Run
    label: str
    runs: tuple[Run, ...]
    spreads: tuple[Spread, ...]


def compare(*experiments: Experiment) -> Comparison:
    """The experiments' arms, side by side."""
    own = [(each, run) for each in experiments for run in each.runs.all()]
    scale = plots.shared_scale(run.result.get("timeline") or {} for _, run in own)
    columns = tuple(
        Column(run, presentation.label(each, run.name), presentation.plot_of(run, scale))
        for each, run in own
    )
    runs = [column.run for column in columns]
    counts = (Counts(words, _values(runs, name)) for name, words in sentences.COUNT_WORDS.items())
    return Comparison(
        columns,
        tuple(each for each in counts if any(each.values)),
        tuple(_conditions(runs)),
        presentation.compared(runs),
    )


def _conditions(runs: Sequence[Run]) -> Iterable[tuple[str, tuple[str | None, ...]]]:
    told = [dict(Conditions.of(run.experiment.request()).told()) for run in runs]
    for name in dict.fromkeys(name for each in told for name in each):
        yield name, tuple(each.get(name) for each in told)


def repetitions(experiment: Experiment) -> list[Repetitions]:
    """For each arm, its runs so far and how far apart their counts lie."""
    found = []
    for run in experiment.runs.all():
        same = tuple(selectors.repetitions(run).select_related("experiment"))
        label = presentation.label(experiment, run.name)
        found.append(Repetitions(run, label, same, tuple(_spreads(same))))
    return found


def _spreads(runs: Sequence[Run]) -> Iterable[Spread]:
    for name, words in sentences.COUNT_WORDS.items():
        known = [value for value in _values(runs, name) if value is not None]
        if any(known) or (known and name == "lost_write"):
            yield Spread(words, min(known), median(known), max(known), len(known))


def _values(runs: Sequence[Run], name: str) -> tuple[Any, ...]:
    return tuple(run.counts.get(name) for run in runs)
