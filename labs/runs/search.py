"""Selects the releases to run in order to find the one that changed a verdict. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Search:
    """A search over releases, or release lines, by name, oldest first; there are at least two.

    With `bisect`, only those are run that show between which two the verdict changed. `earlier` has
    the patch releases before a name in its line, oldest first: once the change lies between two
    neighbours, the search continues among the patch releases of the later one. The earlier
    neighbour is the newest release of its line that runs here, so it includes backports.
    """

    names: tuple[str, ...]
    bisect: bool = False
    earlier: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def upcoming(self, verdicts: Mapping[str, str]) -> tuple[str, ...]:
        """Returns the names to run next, given the verdicts so far by name; empty at the end.

        An empty verdict is inconclusive, for example of a failed run. It ends a bisection, because
        the change could lie on either side of it.
        """
        if not self.bisect:
            return tuple(name for name in self.names if name not in verdicts)
        needed, pair = _bisect(self.names, verdicts)
        if needed or pair is None:
            return needed
        before, after = pair
        return _bisect((before, *self.earlier.get(after, ()), after), verdicts)[0]


def _bisect(
    names: Sequence[str], verdicts: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, str] | None]:
    """Returns the names needed next, or the two neighbours between which the verdict changed."""
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
