"""Log directories in memory, which a boot empties.

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
    "is in memory: after a restart of the machine its %s starts by itself, on an empty disk "
    "(application.%s)"
)
LOG_FOLDERS = ("log.dirs", "log.dir")
_METADATA, _EMPTY = "metadata.log.dir", "returns-empty"
TEMPORARY_WORDS = (
    "is in a temporary folder, which many systems empty when they start: with it this machine's "
    "copy of the metadata is gone"
)
_BROKER_LOGS, _CONTROLLER_METADATA = ("broker", "disk.lost"), ("controller", "metadata.disk.lost")


def as_log_dirs(items: Iterable[Item]) -> list[Item]:
    """The items, with `log.dir` renamed to `log.dirs` for processes without `log.dirs`
    (ServerLogConfigs)."""
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


def temporary_metadata(items: Iterable[Item]) -> Iterator[Item]:
    """Yields the items that put the metadata into a folder that a boot may empty."""
    for item in items:
        is_metadata = item.component is Component.BROKER and item.name == _METADATA
        if is_metadata and temporary(item.text.strip()) not in ("", *IN_MEMORY):
            yield item


def folders_in_memory(items: Collection[Item]) -> Iterator[tuple[Item, Item, str]]:
    """Yields, for each folder in memory that counts, its item, the `disk.lost` item that follows
    unless it is stated, and the message."""
    brokers = [item for item in items if item.component is Component.BROKER]
    stated = {item.name for item in items if item.component is Component.APPLICATION}
    # log.dirs overrides log.dir (ServerLogConfigs).
    name = next((name for name in LOG_FOLDERS if any(item.name == name for item in brokers)), "")
    for item in brokers:
        if item.name not in (name, _METADATA) or not _is_in_memory(item.text):
            continue
        for role, setting in _contents(item, brokers):
            if setting not in stated:
                lost_disk = replace(
                    item, component=Component.APPLICATION, name=setting, text=_EMPTY
                )
                yield item, lost_disk, _WORDS % (role, setting)


def _contents(item: Item, brokers: Collection[Item]) -> Iterator[tuple[str, str]]:
    """Yields the role and its `disk.lost` setting for each kind of data in a folder: a broker's
    logs, a controller's metadata.

    The metadata are in metadata.log.dir, else in the first of the log directories.
    """
    server = {other.name: other.text for other in brokers if other.process == item.process}
    roles = server.get(KRAFT, "broker")
    if item.name != _METADATA and "broker" in roles:
        yield _BROKER_LOGS
    if "controller" in roles and (item.name == _METADATA or _METADATA not in server):
        yield _CONTROLLER_METADATA


def _is_in_memory(folders: str) -> bool:
    return any(temporary(folder.strip(), IN_MEMORY) for folder in folders.split(","))
