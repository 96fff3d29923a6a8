"""Whether a broker's file puts its logs into a folder that is memory, so that a boot empties it.

Sources: Linux shm_overview(7) (`/dev/shm` is a tmpfs); Filesystem Hierarchy Standard 3.0, `/run`
(cleared at the beginning of the boot; `/var/run` is the same folder).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from advisor.catalog import Component
from advisor.catalog.texts import IN_MEMORY
from advisor.intake.reading import Item

WORDS = (
    "is in memory: a machine that starts again brings its broker back by itself, on an empty disk "
    "(application.disk.lost)"
)
_NAMES = ("log.dirs", "log.dir")
_LOST = "disk.lost"
_IN_MEMORY = tuple(map(PurePosixPath, IN_MEMORY))


def in_memory(items: Collection[Item]) -> Iterator[tuple[Item, Item]]:
    """Each folder in memory that counts, and what it says of lost disks, unless that is said."""
    brokers = [item for item in items if item.component is Component.BROKER]
    is_stated = any(
        item.component is Component.APPLICATION and item.name == _LOST for item in items
    )
    # log.dirs goes before log.dir (ServerLogConfigs).
    name = next((name for name in _NAMES if any(item.name == name for item in brokers)), "")
    for item in brokers:
        if not is_stated and item.name == name and _is_in_memory(item.text):
            lost = replace(item, component=Component.APPLICATION, name=_LOST, text="returns-empty")
            yield item, lost


def _is_in_memory(folders: str) -> bool:
    paths = [PurePosixPath(name.strip()) for name in folders.split(",")]
    return any(memory in (path, *path.parents) for path in paths for memory in _IN_MEMORY)
