"""A lost disk: a dead broker's folder is emptied, and formatted like a new disk."""

from __future__ import annotations

from pathlib import Path

from labs.engine.cluster.broker import Broker
from labs.engine.cluster.storage import directory_id, reformat
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role


def wipe(rig: Rig, role: Role) -> Rows:
    """Empties the data folders of the dead brokers of a role: records and metadata.

    In KRaft mode each folder is then formatted for the same cluster and node, with a new directory
    id (KIP-858), so that the broker can start on it; with ZooKeeper the broker itself does that.
    The evidence is what was removed, and that neither a log segment nor the old directory id is
    left (with ZooKeeper: nothing is left).
    """
    before: dict[int, tuple[str, int, int]] = {}

    def act(broker: Broker) -> None:
        if broker.state != "dead":
            raise RuntimeError(f"broker {broker.id} is {broker.state}: its disk is in use")
        segments = _segments(broker.data)
        size = sum(segment.stat().st_size for segment in segments)
        before[broker.id] = directory_id(broker.data), len(segments), size
        reformat(broker.data)

    def proof(broker: Broker) -> str | None:
        old_id, segments, size = before[broker.id]
        is_empty = not any(broker.data.iterdir())
        if _segments(broker.data) or (directory_id(broker.data) == old_id and not is_empty):
            return None
        left = "empty" if is_empty else "formatted anew"
        return f"{segments} log segments of {size} bytes removed; the folder is {left}"

    return inject("wipe", rig, role, act, proof, limit_s=10)


def _segments(data: Path) -> list[Path]:
    return list(data.glob("*/*.log"))
