"""Brokers of a compose file that keep their logs in memory, and lose them when they stop.

Compose file reference: `tmpfs`, `volumes` with `type: tmpfs`, and `driver_opts` of a named volume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from advisor.intake.formats.yaml_nodes import Leaf

_LOG_DIRS = ("KAFKA_LOG_DIRS", "KAFKA_CFG_LOG_DIRS", "KAFKA_LOG_DIR", "KAFKA_CFG_LOG_DIR")
_DEFAULT_LOG_DIRS = (
    "/var/lib/kafka/data,/bitnami/kafka/data,/tmp/kraft-combined-logs,/tmp/kafka-logs"
)
"""The default log folders of the images of Confluent, Bitnami and Apache Kafka."""


def logs_in_memory(leaves: Sequence[Leaf], service: str, variables: Mapping[str, str]) -> int:
    """The line of the tmpfs that holds a log folder of the service; 0 if there is none."""
    folders = log_folders(variables) or _folders(_DEFAULT_LOG_DIRS)
    for place, line in (*_memory_folders(leaves, service), *_shared_memory(leaves, service)):
        if any(PurePosixPath(place) in (folder, *folder.parents) for folder in folders):
            return line
    return 0


def log_folders(variables: Mapping[str, str]) -> list[PurePosixPath]:
    """The log folders that the variables of a broker state."""
    return _folders(",".join(variables[name] for name in _LOG_DIRS if name in variables))


def _folders(names: str) -> list[PurePosixPath]:
    return [PurePosixPath(name.strip()) for name in names.split(",") if name.strip()]


def _shared_memory(leaves: Sequence[Leaf], service: str) -> Iterator[tuple[str, int]]:
    """Yields the shared memory that each container has, with the first line of the service (Compose
    file reference, `shm_size`)."""
    lines = [leaf.line for leaf in leaves if leaf.path[:2] == ("services", service)]
    yield "/dev/shm", min(lines, default=0)  # noqa: S108 - looked for, not used


def _memory_folders(leaves: Sequence[Leaf], service: str) -> Iterator[tuple[str, int]]:
    """Yields each folder of a service that is a tmpfs, with its line."""
    memory_volumes = {
        leaf.path[1]
        for leaf in leaves
        if leaf.path[:1] == ("volumes",) and leaf.path[2:] == ("driver_opts", "type")
        and leaf.text == "tmpfs"
    }  # fmt: skip
    mounts: dict[str, dict[str, Leaf]] = {}
    for leaf in leaves:
        match leaf.path:
            case ("services", name, "tmpfs", *_) if name == service:
                yield leaf.text.partition(":")[0], leaf.line
            case ("services", name, "volumes", _) if name == service:
                source, _, place = leaf.text.partition(":")
                if source in memory_volumes:
                    yield place.partition(":")[0], leaf.line
            case ("services", name, "volumes", number, key) if name == service:
                mounts.setdefault(number, {})[key] = leaf
            case _:
                pass
    for mount in mounts.values():
        texts = {key: leaf.text for key, leaf in mount.items()}
        is_in_memory = texts.get("type") == "tmpfs" or texts.get("source") in memory_volumes
        if is_in_memory and "target" in mount:
            yield texts["target"], mount["target"].line
