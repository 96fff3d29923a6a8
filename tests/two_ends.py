"""How two workers share the timed tests: one takes files from the front, the other from the end.

`tests/conftest.py` sorts tests that need clusters to the front. So one worker boots clusters and
the other runs the rest, until they meet. A file stays with one worker: its cluster is booted once.

The schedulers of xdist do not do this: they write groups into `_nodeid`, which pytest 9.2 does not
read, and all workers take tests from the front.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController


class FromBothEnds(LoadScopeScheduling):
    """Assigns whole files: to the first worker from the front, to the others from the end."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.split("::", 1)[0]

    def _assign_work_unit(self, node: WorkerController) -> None:
        if node is not self.nodes[0]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
