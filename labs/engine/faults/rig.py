"""The rig of faults: a cluster, its clients, and the log of faults with their proof.

Every fault and every heal is a function `(rig, …) -> rows`. A scenario passes it:
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
"""The role of a client, which means the process that has the role now."""
Rows = tuple[FaultRow, ...]
"""The closing rows of a fault, one for each target; empty if there was nothing to do."""


class Clients(Protocol):
    """The clients of an arm (`labs.engine.workloads`)."""

    @property
    def checkpoint(self) -> Path | None:
        """The checkpoint folder of a query, if it can be lost with a machine; else None."""

    @property
    def stopped_for_operators(self) -> bool:
        """Whether the team stops all clients before an operator deletes their topic."""

    def topic_created(self, created_ns: int) -> None:
        """Records when the topic was recreated, in nanoseconds of the monotonic clock."""

    def set_clock(self, *, right: bool) -> int:
        """Sets the clock of the next producer; returns by how many ms it is ahead."""

    def committed_positions(self) -> dict[int, int]:
        """Returns partition → offset at which the group would resume; empty if it is unknown."""

    def client(self, role: str) -> ClientProcess:
        """Returns the client that plays a role now."""

    def first_client(self, role: str) -> ClientProcess:
        """Returns the client that played a role first."""

    def held_client(self, role: str) -> ClientProcess:
        """Returns the held client of a role; if none is held, the client that has the role now."""

    def join(self) -> ClientProcess:
        """Starts one more member of the group."""

    def start_successor(self, role: str) -> ClientProcess:
        """Starts the successor of a dead client."""


@dataclass(frozen=True, slots=True)
class Rig:
    """The cluster and the clients of an arm, and the log of their faults.

    `first_leader` is the broker that led the first partition before the first fault.
    """

    cluster: Cluster
    log: FaultLog
    clients: Clients
    first_leader: int | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that a scenario waits for.

    The drawing of the schedule shows `until {words}`, the page shows `awaits` during the wait, and
    `missing` is the message if the condition never holds. If it `is_optional`, the arm then
    continues with a note.
    """

    words: str
    awaits: str
    missing: str
    holds: Callable[[Rig], object]
    is_optional: bool = False
