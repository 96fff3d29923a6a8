"""What the advisor rules out, and how often runs tried it: until they bound how rare it is."""

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
"""An event by its name, and an anomaly that settings rule out where it happens."""


class Claims:
    """The claims of some edges, each to be tried so often that never seeing it bounds its share.

    Runs of the code as it was before do not count.
    """

    def __init__(self, chosen: Sequence[Edge], share: float, kept: Iterable[Observed]) -> None:
        self.needed = runs_for(share)
        self._chosen = chosen
        self._of = [_of(edge) for edge in chosen]
        self.all = frozenset().union(*self._of)
        self._tried: Counter[Claim] = Counter()
        self.take(run for run in kept if not run.older)

    def take(self, runs: Iterable[Observed]) -> None:
        """Counts runs, each for every claim that it tries."""
        for run in runs:
            self._tried.update(self.all & _ruled_out(event_of(run.event), run.pipeline))

    @property
    def open(self) -> dict[Claim, int]:
        """The claims that were not tried often enough, and how often they were."""
        return {item: self._tried[item] for item in sorted(self.all)
                if self._tried[item] < self.needed}  # fmt: skip

    def draws(self) -> Iterator[Edge]:
        """Edges that try an open claim, round by round, until there is none."""
        while self.open:
            for edge, claims in zip(self._chosen, self._of, strict=True):
                if claims & self.open.keys():
                    yield edge


def _of(edge: Edge) -> frozenset[Claim]:
    return frozenset().union(*(_ruled_out(edge.event, side) for side in edge.sides))


def _ruled_out(event: FailureEvent, pipeline: Pipeline) -> frozenset[Claim]:
    """What an event may do under other settings, and cannot under these."""
    may = frozenset().union(*dependence(event).anomalies.values()) - OUTAGES
    return frozenset((event.name, anomaly) for anomaly in may - possible(event, pipeline))
