"""Whether a broker of a compose file keeps its logs in memory, so that they end with it.

Compose file reference: `tmpfs`, `volumes` with `type: tmpfs`, and `driver_opts` of a named volume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from advisor.intake.formats.yaml_nodes import Leaf

_LOG_DIRS = ("KAFKA_LOG_DIRS", "KAFKA_CFG_LOG_DIRS", "KAFKA_LOG_DIR", "KAFKA_CFG_LOG_DIR")
_USUAL = "/var/lib/kafka/data,/bitnami/kafka/data,/tmp/kraft-combined-logs,/tmp/kafka-logs"
"""Where the images of Confluent, Bitnami and Apache Kafka keep the logs unless told otherwise."""


def logs_in_memory(leaves: Sequence[Leaf], service: str, variables: Mapping[str, str]) -> int:
    """The line of a tmpfs on which a log folder of the service is; 0 if there is none."""
    folders = log_folders(variables) or _folders(_USUAL)
    for place, line in (*_in_memory(leaves, service), *_shared_memory(leaves, service)):
        if any(PurePosixPath(place) in (folder, *folder.parents) for folder in folders):
            return line
    return 0


def log_folders(variables: Mapping[str, str]) -> list[PurePosixPath]:
    """The log folders that a broker's variables state."""
    return _folders(",".join(variables[name] for name in _LOG_DIRS if name in variables))


def _folders(names: str) -> list[PurePosixPath]:
    return [PurePosixPath(name.strip()) for name in names.split(",") if name.strip()]


def _shared_memory(leaves: Sequence[Leaf], service: str) -> Iterator[tuple[str, int]]:
    """What each container has (Compose file reference, `shm_size`), with its first line."""
    lines = [leaf.line for leaf in leaves if leaf.path[:2] == ("services", service)]
    yield "/dev/shm", min(lines, default=0)  # noqa: S108 - looked for, not used


def _in_memory(leaves: Sequence[Leaf], service: str) -> Iterator[tuple[str, int]]:
    """Each folder of a service that is a tmpfs, with its line."""
    named = {
        leaf.path[1]
        for leaf in leaves
        if leaf.path[:1] == ("volumes",) and leaf.path[2:] == ("driver_opts", "type")
        and leaf.text == "tmpfs"
    }  # fmt: skip
    rows: dict[str, dict[str, Leaf]] = {}
    for leaf in leaves:
        match leaf.path:
            case ("services", name, "tmpfs", *_) if name == service:
                yield leaf.text.partition(":")[0], leaf.line
            case ("services", name, "volumes", _) if name == service:
                source, _, place = leaf.text.partition(":")
                if source in named:
                    yield place.partition(":")[0], leaf.line
            case ("services", name, "volumes", number, key) if name == service:
                rows.setdefault(number, {})[key] = leaf
            case _:
                pass
    for row in rows.values():
        words = {key: leaf.text for key, leaf in row.items()}
        is_in_memory = words.get("type") == "tmpfs" or words.get("source") in named
        if is_in_memory and "target" in row:
            yield words["target"], row["target"].line
