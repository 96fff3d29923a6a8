"""A log folder that disappears, like an unmounted disk, and its return.

The folder is renamed while its broker runs. Open files can still be written, but the broker cannot
create files there any more; at the latest it fails to checkpoint the high watermarks
(`replica.high.watermark.checkpoint.interval.ms`). A folder in which a write fails goes offline,
whatever the reason, for example a full disk (KIP-112). The broker continues to serve its other
folders and notifies the controllers, which elect other leaders (KIP-858, since 3.7). It does not
use the folder again until it is restarted.
"""

from __future__ import annotations

from pathlib import Path

from labs.engine.cluster.broker import Broker
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role

_DETACHED = "gone-"
_STOPPED_SERVING = "Stopping serving logs in dir"


def detach(rig: Rig, role: Role, log: str, limit_s: float = 30) -> Rows:
    """Renames the folder with this log (`orders-0`) at the brokers of a role.

    The evidence is the line in the broker's log that it has stopped serving that folder, and that
    it is still running. If it ended instead, the fault `failed`.
    """
    detached_folders: dict[int, tuple[str, int]] = {}

    def act(broker: Broker) -> None:
        folder = broker.disk_of(log)
        if folder is None:
            raise RuntimeError(f"broker {broker.id} has no log {log}")
        detached_folders[broker.id] = str(folder.resolve()), broker.log.stat().st_size
        folder.rename(folder.with_name(_DETACHED + folder.name))

    def proof(broker: Broker) -> str | None:
        folder, log_size = detached_folders[broker.id]
        if broker.returncode is not None:
            raise ChildProcessError(f"pid {broker.pid} ended with code {broker.returncode}")
        with broker.log.open("rb") as file:
            file.seek(log_size)
            text = file.read().decode("utf-8", "replace")
        if f"{_STOPPED_SERVING} {folder}" not in text:
            return None
        name = Path(folder).name
        return f"simulated: folder {name} was removed; pid {broker.pid} serves nothing from it"

    return inject("detach", rig, role, act, proof, limit_s)


def attach(rig: Rig, role: Role) -> Rows:
    """Heals: restores the folders of the dead brokers of a role, with their content."""
    attached: dict[int, str] = {}

    def act(broker: Broker) -> None:
        if broker.state != "dead":
            raise RuntimeError(f"broker {broker.id} is {broker.state}: it would not use the folder")
        for folder in _detached_folders(broker):
            attached[broker.id] = folder.name.removeprefix(_DETACHED)
            folder.rename(folder.with_name(attached[broker.id]))

    def proof(broker: Broker) -> str | None:
        return (
            None
            if _detached_folders(broker)
            else f"folder {attached[broker.id]} is back, unchanged"
        )

    return inject("mend", rig, role, act, proof, limit_s=10)


def detached() -> Role:
    """All brokers that have lost a log folder."""
    return Role(
        "detached", lambda cluster: [b for b in cluster.brokers.values() if _detached_folders(b)]
    )


def _detached_folders(broker: Broker) -> list[Path]:
    return list(broker.data.parent.glob(f"{_DETACHED}*"))
