"""Whether a broker's file puts its logs into a folder that is memory, so that a boot empties it.

Sources: Linux shm_overview(7) (`/dev/shm` is a tmpfs); Filesystem Hierarchy Standard 3.0, `/run`
(cleared at the beginning of the boot; `/var/run` is the same folder).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from advisor.catalog import Component
from advisor.catalog.texts import IN_MEMORY, temporary
from advisor.intake.cluster.mode import KRAFT
from advisor.intake.reading import Item

_WORDS = (
    "is in memory: a machine that starts again brings its %s back by itself, on an empty disk "
    "(application.%s)"
)
_NAMES = ("log.dirs", "log.dir")
_METADATA, _EMPTY = "metadata.log.dir", "returns-empty"
TEMPORARY_WORDS = (
    "is in a temporary folder, which many systems empty when they start: with it this machine's "
    "copy of the metadata is gone"
)
_OF_LOGS, _OF_METADATA = ("broker", "disk.lost"), ("controller", "metadata.disk.lost")


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


def in_memory(items: Collection[Item]) -> Iterator[tuple[Item, Item, str]]:
    """Each folder in memory that counts, what it says of lost disks unless that is said, and the
    words for it."""
    brokers = [item for item in items if item.component is Component.BROKER]
    stated = {item.name for item in items if item.component is Component.APPLICATION}
    # log.dirs goes before log.dir (ServerLogConfigs).
    name = next((name for name in _NAMES if any(item.name == name for item in brokers)), "")
    for item in brokers:
        if item.name not in (name, _METADATA) or not _is_in_memory(item.text):
            continue
        for who, lost in _what_is_there(item, brokers):
            if lost not in stated:
                fact = replace(item, component=Component.APPLICATION, name=lost, text=_EMPTY)
                yield item, fact, _WORDS % (who, lost)


def _what_is_there(item: Item, brokers: Collection[Item]) -> Iterator[tuple[str, str]]:
    """Whether a folder holds a broker's logs, a controller's metadata, or both.

    The metadata are in metadata.log.dir, else in the first of the log directories.
    """
    own = {other.name: other.text for other in brokers if other.process == item.process}
    roles = own.get(KRAFT, "broker")
    if item.name != _METADATA and "broker" in roles:
        yield _OF_LOGS
    if "controller" in roles and (item.name == _METADATA or _METADATA not in own):
        yield _OF_METADATA


def _is_in_memory(folders: str) -> bool:
    return any(temporary(folder.strip(), IN_MEMORY) for folder in folders.split(","))
