"""A log folder that disappears, like a disk that is unmounted, and its return.

The folder is renamed while its broker runs. Files that are open can still be written, as long as
nothing else is; the next file that a broker makes there cannot be made: at the latest that of the
high watermarks (`replica.high.watermark.checkpoint.interval.ms`). A folder in which a file cannot
be written goes offline, for whatever reason it cannot, a full disk, too (KIP-112). The broker
serves its other folders, and tells the controllers, which let others lead (KIP-858, since 3.7). It
does not look at the folder again until it is restarted.
"""

from __future__ import annotations

from pathlib import Path

from labs.engine.cluster.broker import Broker
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role

_GONE = "gone-"
_STOPPED = "Stopping serving logs in dir"


def detach(rig: Rig, role: Role, log: str, limit_s: float = 30) -> Rows:
    """Takes the folder with this log (`orders-0`) away from the brokers of a role.

    Evidence is the broker's own report that it serves nothing from that folder, and that it runs.
    If it ended instead, the fault `failed`.
    """
    taken: dict[int, tuple[str, int]] = {}

    def act(broker: Broker) -> None:
        folder = broker.disk_of(log)
        if folder is None:
            raise RuntimeError(f"broker {broker.id} has no log {log}")
        taken[broker.id] = str(folder.resolve()), broker.log.stat().st_size
        folder.rename(folder.with_name(_GONE + folder.name))

    def proof(broker: Broker) -> str | None:
        folder, log_size = taken[broker.id]
        if broker.returncode is not None:
            raise ChildProcessError(f"pid {broker.pid} ended with code {broker.returncode}")
        with broker.log.open("rb") as file:
            file.seek(log_size)
            text = file.read().decode("utf-8", "replace")
        if f"{_STOPPED} {folder}" not in text:
            return None
        name = Path(folder).name
        return f"simulated: folder {name} was taken away; pid {broker.pid} serves nothing from it"

    return inject("detach", rig, role, act, proof, limit_s)


def attach(rig: Rig, role: Role) -> Rows:
    """Heals: brings the folders of the brokers of a role, all dead, back with what they hold."""
    brought: dict[int, str] = {}

    def act(broker: Broker) -> None:
        if broker.state != "dead":
            raise RuntimeError(f"broker {broker.id} is {broker.state}: it would not look")
        for gone in _gone(broker):
            brought[broker.id] = gone.name.removeprefix(_GONE)
            gone.rename(gone.with_name(brought[broker.id]))

    def proof(broker: Broker) -> str | None:
        return None if _gone(broker) else f"folder {brought[broker.id]} is back, as it was"

    return inject("mend", rig, role, act, proof, limit_s=10)


def detached() -> Role:
    """All brokers of which a log folder was taken away."""
    return Role("detached", lambda cluster: [b for b in cluster.brokers.values() if _gone(b)])


def _gone(broker: Broker) -> list[Path]:
    return list(broker.data.parent.glob(f"{_GONE}*"))
