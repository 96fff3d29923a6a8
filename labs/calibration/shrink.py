"""Reduces the settings and the schedule of a run to the least that shows the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from advisor.reasoning.pipeline import Pipeline
from labs.calibration.draw import Drawn
from labs.engine.scenarios import find
from labs.engine.scenarios.model import draw


@dataclass(frozen=True, slots=True)
class Staged:
    """What is run, and the durations in seconds that are not the seed's."""

    drawn: Drawn
    durations: Mapping[str, float] = field(default_factory=dict)


def shrunk(first: Staged, still: Callable[[Staged], bool], most: int = 30) -> Staged:
    """The smallest that `still` shows it, found by leaving out one thing after the other.

    `still` runs it; it is asked at most `most` times.
    """
    smallest, number = first, 0
    refused: set[str] = set()
    while number < most:
        following = next(
            ((name, run) for name, run in _smaller(smallest) if name not in refused), None
        )
        if following is None:
            break
        name, candidate = following
        number += 1
        if still(candidate):
            smallest = candidate
        else:
            refused.add(name)
    return smallest


def _smaller(staged: Staged) -> Iterator[tuple[str, Staged]]:
    """All that have one setting less, or one duration at its least, by the name of that step."""
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
