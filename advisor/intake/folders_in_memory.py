"""Whether a broker's file puts its logs into a folder that is memory, so that a boot empties it.

Sources: Linux shm_overview(7) (`/dev/shm` is a tmpfs); Filesystem Hierarchy Standard 3.0, `/run`
(cleared at the beginning of the boot; `/var/run` is the same folder).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from advisor.catalog import Component
from advisor.catalog.texts import IN_MEMORY, temporary
from advisor.intake.reading import Item

WORDS = (
    "is in memory: a machine that starts again brings its broker back by itself, on an empty disk "
    "(application.disk.lost)"
)
_NAMES = ("log.dirs", "log.dir")
_METADATA = "metadata.log.dir"
TEMPORARY_WORDS = (
    "is in a temporary folder, which many systems empty when they start: with it this machine's "
    "copy of the metadata is gone"
)
_LOST = "disk.lost"


def as_log_dirs(items: Iterable[Item]) -> list[Item]:
    """The items, of which `log.dir` is `log.dirs` where its process has none (ServerLogConfigs)."""
    items = list(items)
    with_several = {item.process for item in items if item.name == "log.dirs"}
    return [
        replace(item, name="log.dirs")
        if item.component is Component.BROKER
        and item.name == "log.dir"
        and item.process not in with_several
        else item
        for item in items
    ]


def metadata_in_temporary(items: Iterable[Item]) -> Iterator[Item]:
    """Where a process keeps its metadata in a folder that a boot may empty."""
    for item in items:
        is_metadata = item.component is Component.BROKER and item.name == _METADATA
        if is_metadata and temporary(item.text.strip()) not in ("", *IN_MEMORY):
            yield item


def in_memory(items: Collection[Item]) -> Iterator[tuple[Item, Item]]:
    """Each folder in memory that counts, and what it says of lost disks, unless that is said."""
    brokers = [item for item in items if item.component is Component.BROKER]
    is_stated = any(
        item.component is Component.APPLICATION and item.name == _LOST for item in items
    )
    # log.dirs goes before log.dir (ServerLogConfigs).
    name = next((name for name in _NAMES if any(item.name == name for item in brokers)), "")
    for item in brokers:
        counts = item.name in (name, _METADATA)
        if not is_stated and counts and _is_in_memory(item.text):
            lost = replace(item, component=Component.APPLICATION, name=_LOST, text="returns-empty")
            yield item, lost


def _is_in_memory(folders: str) -> bool:
    return any(temporary(folder.strip(), IN_MEMORY) for folder in folders.split(","))
