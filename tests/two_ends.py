"""How two workers share what is timed: one goes from the front to the back, the other comes from
there.

`tests/conftest.py` puts what needs clusters in front. So one worker boots them, and the other has
what needs none, until they meet. A file stays with one worker, which boots its cluster once.

xdist's own ways do neither: its groups are written into `_nodeid`, which pytest 9.2 does not read,
and all of its workers take from the front.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController


class FromBothEnds(LoadScopeScheduling):
    """Hands whole files out in the order of the tests, to all but the first worker from the end."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.split("::", 1)[0]

    def _assign_work_unit(self, node: WorkerController) -> None:
        if node is not self.nodes[0]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
