"""Reduces the settings and the schedule of a run to a minimum that still shows the anomaly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from advisor.reasoning.pipeline import Pipeline
from labs.calibration.draw import Drawn
from labs.engine.scenarios import find
from labs.engine.scenarios.model import draw


@dataclass(frozen=True, slots=True)
class Staged:
    """The drawn pipeline, and the durations in seconds that replace those of the seed."""

    drawn: Drawn
    durations: Mapping[str, float] = field(default_factory=dict)


def shrunk(first: Staged, still: Callable[[Staged], bool], most: int = 30) -> Staged:
    """The smallest run for which `still` is true, found by removing one thing after the other.

    `still` runs a candidate; it is called at most `most` times.
    """
    smallest, number = first, 0
    rejected: set[str] = set()
    while number < most:
        untried = next(
            ((name, run) for name, run in _smaller(smallest) if name not in rejected), None
        )
        if untried is None:
            break
        name, candidate = untried
        number += 1
        if still(candidate):
            smallest = candidate
        else:
            rejected.add(name)
    return smallest


def _smaller(staged: Staged) -> Iterator[tuple[str, Staged]]:
    """Yields runs with one setting less, or one duration at its minimum, and the step's name."""
    pipeline = staged.drawn.pipeline
    for component, values in pipeline.settings.items():
        for name in values:
            without = _without(pipeline, component, name)
            if not without.problems():
                yield (
                    f"{component}.{name}",
                    replace(staged, drawn=replace(staged.drawn, pipeline=without)),
                )
    scenario = find(staged.drawn.event.scenario)
    drawn = draw(scenario, staged.drawn.seed, staged.durations).durations
    for name, (least, _) in scenario.durations.items():
        if drawn[name] > least:
            yield f"{name}: {least}", replace(staged, durations={**staged.durations, name: least})


def _without(pipeline: Pipeline, component: object, name: str) -> Pipeline:
    settings = {
        part: {key: value for key, value in values.items() if (part, key) != (component, name)}
        for part, values in pipeline.settings.items()
    }
    return replace(pipeline, settings=settings)
