"""Targets of faults in tests: a cluster without clients, or one client without a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from labs.engine.clients.process import ClientProcess
from labs.engine.faults.record import FaultLog
from labs.engine.faults.rig import Rig


@dataclass(frozen=True)
class SingleClient:
    """One client that has every role; `start` starts its successor."""

    playing: ClientProcess
    start: Callable[[], ClientProcess] | None = None
    checkpoint: Path | None = None
    stopped_for_operators: bool = False

    def topic_created(self, created_ns: int) -> None:
        assert created_ns > 0

    def set_clock(self, *, right: bool) -> int:
        return 0 if right else 1

    def client(self, _: str) -> ClientProcess:
        return self.playing

    first_client = held_client = client

    def committed_positions(self) -> dict[int, int]:
        return {}

    def join(self) -> ClientProcess:
        return self.start_successor("consumer")

    def start_successor(self, _: str) -> ClientProcess:
        assert self.start is not None
        return self.start()


def rig(cluster: Any, log: FaultLog) -> Rig:
    """A rig of a cluster without clients."""
    return Rig(cluster, log, cast(Any, None))


def client_rig(
    client: Any, log: FaultLog, start: Callable[[], ClientProcess] | None = None,
    checkpoint: Path | None = None,
) -> Rig:  # fmt: skip
    """A rig of a client (None if there is none yet) without a cluster."""
    return Rig(cast(Any, None), log, SingleClient(client, start, checkpoint))
