"""Which releases are run to find the one that changed a verdict: pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Search:
    """What is asked of releases, or of release lines, by name, oldest first; two at least.

    With `bisect` only those are run that show between which two the verdict changed. `earlier` has
    the patch releases before a name in its line, oldest first: where the change lies between two
    neighbours, the search goes on among those of the later one. The earlier neighbour is the newest
    release of its line that runs here, so what was backported to it by then is in it.
    """

    names: tuple[str, ...]
    bisect: bool = False
    earlier: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def upcoming(self, verdicts: Mapping[str, str]) -> tuple[str, ...]:
        """What has to be run next, given the verdicts so far by name; empty at the end.

        An empty verdict says nothing, as of a run that failed. It ends a bisection, because the
        change could lie on either side of it.
        """
        if not self.bisect:
            return tuple(name for name in self.names if name not in verdicts)
        wanted, pair = _halved(self.names, verdicts)
        if wanted or pair is None:
            return wanted
        before, after = pair
        return _halved((before, *self.earlier.get(after, ()), after), verdicts)[0]


def _halved(
    names: Sequence[str], verdicts: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, str] | None]:
    """What is needed next, or the two neighbours between which the verdict changed, or neither."""
    if ends := tuple(name for name in (names[0], names[-1]) if name not in verdicts):
        return ends, None
    before, after = verdicts[names[0]], verdicts[names[-1]]
    if not before or not after or before == after:
        return (), None
    low, high = 0, len(names) - 1
    while high - low > 1:
        middle = (low + high) // 2
        verdict = verdicts.get(names[middle])
        if verdict is None:
            return (names[middle],), None
        if not verdict:
            return (), None
        low, high = (middle, high) if verdict == before else (low, middle)
    return (), (names[low], names[high])
