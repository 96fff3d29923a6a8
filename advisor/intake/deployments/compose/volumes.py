"""Services of a compose file whose data is lost with their container.

A container that is created anew (`docker compose down`, another image) keeps the data in a named
volume or in a folder of the host. An anonymous volume, also one that an image declares, is new and
empty after `down` (Compose CLI reference, `down`; Compose file reference, `volumes`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from advisor.intake.deployments.compose.disks import log_folders
from advisor.intake.deployments.images import is_apache, starts_with_its_file
from advisor.intake.formats.yaml_nodes import Leaf

_DATA_FOLDERS = (
    (re.compile(r"(?:.*/)?cp-(?:(?:enterprise-)?kafka|server)(?:[:@].*)?"), "/var/lib/kafka/data"),
    (re.compile(r"(?:.*/)?bitnami\w*/kafka(?:[:@].*)?"), "/bitnami/kafka/data"),
    (re.compile(r"(?:.*/)?cp-zookeeper(?:[:@].*)?"), "/var/lib/zookeeper/data"),
    (re.compile(r"(?:.*/)?bitnami\w*/zookeeper(?:[:@].*)?"), "/bitnami/zookeeper/data"),
    (re.compile(r"(?:library/|docker\.io/(?:library/)?)?zookeeper(?:[:@].*)?"), "/data"),
)
"""The folder where an image keeps its data by default."""
_KAFKA_DEFAULT, _FILE_DEFAULT = "/tmp/kafka-logs", "/tmp/kraft-combined-logs"  # noqa: S108 - looked for
"""The log folders of Apache Kafka's image: Kafka's default, and the one in its file."""
_METADATA_DIRS = ("KAFKA_METADATA_LOG_DIR", "KAFKA_CFG_METADATA_LOG_DIR")
_VARIABLE = re.compile(r"\$\{[^{}]*\}")
_WINDOWS_DRIVE = re.compile(r"^[A-Za-z]:[\\/](?=[^:]*:/)")


def loses_logs(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> int:
    """The first line of a service whose logs are lost with its container; 0 if they are kept, or if
    the file does not state where they are."""
    return _loss_line(leaves, service, _log_folders(leaves, service, image, variables))


def loses_metadata(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> int:
    """The same for the metadata of a controller, or the data of a ZooKeeper server."""
    folders = [PurePosixPath(variables[name]) for name in _METADATA_DIRS if name in variables]
    logs = _log_folders(leaves, service, image, variables)
    return _loss_line(leaves, service, folders or logs[:1])  # the first, KafkaConfig.metadataLogDir


def log_volume(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> str:
    """The volume, or folder of the host, that holds the logs of a service, with the path below it;
    empty if unknown."""
    service_leaves = [leaf for leaf in leaves if leaf.path[:2] == ("services", service)]
    for folder in _log_folders(leaves, service, image, variables):
        for place, source in _lasting_mounts(service_leaves):
            if place in (folder, *folder.parents):
                return f"{source}:{folder.relative_to(place)}"
    return ""


def _log_folders(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> list[PurePosixPath]:
    """The log folders of a service. An env_file is assumed to hold settings."""
    elsewhere = any(leaf.path[:3] == ("services", service, "env_file") for leaf in leaves)
    names = [*variables, *(["KAFKA_"] if elsewhere else [])]
    return log_folders(variables) or default_folders(image, names)


def default_folders(image: str, variables: Iterable[str]) -> list[PurePosixPath]:
    """The folders where an image keeps its data by default; empty if unknown."""
    folder = next((default for pattern, default in _DATA_FOLDERS if pattern.fullmatch(image)), "")
    if is_apache(image):
        folder = _FILE_DEFAULT if starts_with_its_file(image, variables) else _KAFKA_DEFAULT
    return [PurePosixPath(folder)] if folder else []


def _loss_line(leaves: Sequence[Leaf], service: str, folders: Collection[PurePosixPath]) -> int:
    service_leaves = [leaf for leaf in leaves if leaf.path[:2] == ("services", service)]
    keys = {leaf.path[2] for leaf in service_leaves if len(leaf.path) > 2}
    if "volumes_from" in keys:
        return 0
    first_line = min(leaf.line for leaf in service_leaves)
    places = [place for place, _ in _lasting_mounts(service_leaves) if not place.suffix]
    if not places:
        return first_line
    # A file of the server may state where the logs are.
    has_folders = folders and not any("$" in str(folder) for folder in folders)
    is_known = has_folders and not any(".properties" in leaf.text for leaf in service_leaves)
    is_kept = all(_is_mounted(folder, places) for folder in folders)
    return first_line if is_known and not is_kept else 0


def _is_mounted(folder: PurePosixPath, places: Collection[PurePosixPath]) -> bool:
    """Whether a folder is on one of these places, or contains one."""
    return any(place in (folder, *folder.parents) or folder in place.parents for place in places)


def _lasting_mounts(service_leaves: Sequence[Leaf]) -> Iterator[tuple[PurePosixPath, str]]:
    """Yields the mount point and the source of each named volume and folder of the host."""
    mounts: dict[str, dict[str, str]] = {}
    for leaf in service_leaves:
        match leaf.path:
            case (_, _, "volumes", _):
                text = _VARIABLE.sub(lambda match: match[0].replace(":", ""), leaf.text)
                source, _, rest = _WINDOWS_DRIVE.sub("/", text).partition(":")
                if rest and source:
                    yield PurePosixPath(rest.partition(":")[0]), source
            case (_, _, "volumes", number, key):
                mounts.setdefault(number, {})[key] = leaf.text
            case _:
                pass
    for mount in mounts.values():
        if mount.get("type") != "tmpfs" and "source" in mount and "target" in mount:
            yield PurePosixPath(mount["target"]), mount["source"]
