"""The target of faults: a cluster, its clients, and the log of faults with their proof.

Every fault and every heal is one function `(rig, …) -> rows`. A scenario names it:
`stage.do(kill, leader("orders"))`, `stage.heal(restart, dead())`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from labs.engine.clients.process import ClientProcess
from labs.engine.cluster.cluster import Cluster
from labs.engine.faults.record import FaultLog, FaultRow

Client = Literal["producer", "consumer"]
"""A client by its role: the process that has the role now."""
Rows = tuple[FaultRow, ...]
"""The closing rows of a fault, one for each target; empty if there was nothing to do."""


class Clients(Protocol):
    """The clients of an arm (`labs.engine.workloads`)."""

    @property
    def checkpoint(self) -> Path | None:
        """Where a query keeps how far it is, if that can be lost with a machine."""

    @property
    def stopped_for_operators(self) -> bool:
        """Whether the team stops all clients before an operator deletes their topic."""

    def topic_created(self, created_ns: int) -> None:
        """Notes when the topic was created again, in nanoseconds of the monotonic clock."""

    def set_clock(self, *, right: bool) -> int:
        """Sets the clock of the next producer; by how much it is ahead then, in ms."""

    def committed_positions(self) -> dict[int, int]:
        """The offset by partition from which the group would resume; empty if it is unknown."""

    def client(self, role: str) -> ClientProcess:
        """The client that plays a role now."""

    def first_client(self, role: str) -> ClientProcess:
        """The client that played a role first."""

    def held_client(self, role: str) -> ClientProcess:
        """The client of a role that is held; if none is, the one that has the role now."""

    def join(self) -> ClientProcess:
        """Starts one more member of the group."""

    def start_successor(self, role: str) -> ClientProcess:
        """Starts the successor of one that died."""


@dataclass(frozen=True, slots=True)
class Rig:
    """The cluster and the clients of an arm, and the log of what is done to them.

    `first_leader` is the broker that led the first partition before the first fault.
    """

    cluster: Cluster
    log: FaultLog
    clients: Clients
    first_leader: int | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """What a play waits for: `until {words}` in the drawing of its schedule, `awaits` on the page
    while it is waited for, `missing` where it never came true.

    Without one that `is_optional` the arm goes on, and says so.
    """

    words: str
    awaits: str
    missing: str
    holds: Callable[[Rig], object]
    is_optional: bool = False
