"""Anomalies that the advisor rules out, and how often runs have tried them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from advisor.reasoning.dependence import dependence
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline
from labs.calibration.bound import runs_for
from labs.calibration.edges import OUTAGES, Edge, event_of
from labs.calibration.table import Observed, possible

Claim = tuple[str, Anomaly]
"""The name of an event, and an anomaly that some settings rule out when it happens."""


class Claims:
    """The claims of some edges, and how often each was tried.

    A claim is open until it was tried so often that never seeing the anomaly bounds its frequency
    below `share`. Runs of older code do not count.
    """

    def __init__(self, edges: Sequence[Edge], share: float, recorded: Iterable[Observed]) -> None:
        self.needed = runs_for(share)
        self._edges = edges
        self._claims_by_edge = [_claims_of(edge) for edge in edges]
        self.all = frozenset().union(*self._claims_by_edge)
        self._tried: Counter[Claim] = Counter()
        self.take(run for run in recorded if not run.older)

    def take(self, runs: Iterable[Observed]) -> None:
        """Counts each run for every claim that it tries."""
        for run in runs:
            self._tried.update(self.all & _ruled_out(event_of(run.event), run.pipeline))

    @property
    def open(self) -> dict[Claim, int]:
        """The claims that were not tried often enough, with the number of runs that tried them."""
        return {claim: self._tried[claim] for claim in sorted(self.all)
                if self._tried[claim] < self.needed}  # fmt: skip

    def draws(self) -> Iterator[Edge]:
        """Yields edges that try an open claim, round by round, until no claim is open."""
        while self.open:
            for edge, claims in zip(self._edges, self._claims_by_edge, strict=True):
                if claims & self.open.keys():
                    yield edge


def _claims_of(edge: Edge) -> frozenset[Claim]:
    return frozenset().union(*(_ruled_out(edge.event, side) for side in edge.sides))


def _ruled_out(event: FailureEvent, pipeline: Pipeline) -> frozenset[Claim]:
    """The claims that the settings of a pipeline rule out, but other settings permit."""
    anomalies = frozenset().union(*dependence(event).anomalies.values()) - OUTAGES
    return frozenset((event.name, anomaly) for anomaly in anomalies - possible(event, pipeline))
