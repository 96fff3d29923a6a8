"""Whether a service of a compose file keeps its data where it outlives the container.

A container that is made anew (`docker compose down`, another image) has what a volume with a name
or a folder of the host holds. A volume without a name, also one that an image declares, is a new
and empty one after `down` (Compose CLI reference, `down`; Compose file reference, `volumes`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from advisor.intake.deployments.compose.disks import log_folders
from advisor.intake.formats.yaml_nodes import Leaf

_IMAGES = (
    (re.compile(r"(?:.*/)?cp-(?:(?:enterprise-)?kafka|server)(?:[:@].*)?"), "/var/lib/kafka/data"),
    (re.compile(r"(?:.*/)?bitnami\w*/kafka(?:[:@].*)?"), "/bitnami/kafka/data"),
    (
        re.compile(r"(?:.*/)?apache/kafka(?:-native)?(?:[:@].*)?"),
        "/tmp/kafka-logs /tmp/kraft-combined-logs",  # noqa: S108 - looked for, not used
    ),
    (re.compile(r"(?:.*/)?cp-zookeeper(?:[:@].*)?"), "/var/lib/zookeeper/data"),
    (re.compile(r"(?:.*/)?bitnami\w*/zookeeper(?:[:@].*)?"), "/bitnami/zookeeper/data"),
    (re.compile(r"(?:library/|docker\.io/(?:library/)?)?zookeeper(?:[:@].*)?"), "/data"),
)
"""Where an image keeps its data unless it is told otherwise. Apache Kafka's has Kafka's own
default as soon as a variable is set, and else that of its file (KafkaDockerWrapper.scala)."""
_METADATA_DIRS = ("KAFKA_METADATA_LOG_DIR", "KAFKA_CFG_METADATA_LOG_DIR")
_VARIABLE = re.compile(r"\$\{[^{}]*\}")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/](?=[^:]*:/)")


def loses_logs(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> int:
    """The first line of a service whose logs end with its container; 0 if they last, or if the
    file does not tell where they are."""
    return _unkept(leaves, service, log_folders(variables) or usual_folders(image))


def loses_metadata(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> int:
    """The same of a controller's metadata, or of a server of ZooKeeper."""
    own = [PurePosixPath(variables[name]) for name in _METADATA_DIRS if name in variables]
    return _unkept(leaves, service, own or log_folders(variables) or usual_folders(image))


def volume_of_logs(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> str:
    """Which volume, or folder of the host, the logs of a service are on, with what is below it;
    empty where that is not known."""
    own = [leaf for leaf in leaves if leaf.path[:2] == ("services", service)]
    for folder in log_folders(variables) or usual_folders(image):
        for place, source in _lasting(own):
            if place in (folder, *folder.parents):
                return f"{source}:{folder.relative_to(place)}"
    return ""


def usual_folders(image: str) -> list[PurePosixPath]:
    """Where an image keeps its data unless it is told otherwise; none where that is not known."""
    usual = next((places for pattern, places in _IMAGES if pattern.fullmatch(image)), "")
    return [PurePosixPath(place) for place in usual.split()]


def _unkept(leaves: Sequence[Leaf], service: str, folders: Collection[PurePosixPath]) -> int:
    own = [leaf for leaf in leaves if leaf.path[:2] == ("services", service)]
    parts = {leaf.path[2] for leaf in own if len(leaf.path) > 2}
    if parts & {"extends", "volumes_from"}:
        return 0
    first = min(leaf.line for leaf in own)
    places = [place for place, _ in _lasting(own) if not place.suffix]
    if not places:
        return first
    # A file of the server's own may say where the logs are.
    is_told = folders and not any("$" in str(folder) for folder in folders)
    is_known = is_told and not any(".properties" in leaf.text for leaf in own)
    kept = any(_is_on(folder, places) for folder in folders)
    return first if is_known and not kept else 0


def _is_on(folder: PurePosixPath, places: Collection[PurePosixPath]) -> bool:
    """Whether a folder, or a part of it that a volume is, is on one of these."""
    return any(place in (folder, *folder.parents) or folder in place.parents for place in places)


def _lasting(own: Sequence[Leaf]) -> Iterator[tuple[PurePosixPath, str]]:
    """Where a service has a volume with a name, or a folder of the host, and which."""
    rows: dict[str, dict[str, str]] = {}
    for leaf in own:
        match leaf.path:
            case (_, _, "volumes", _):
                text = _VARIABLE.sub(lambda match: match[0].replace(":", ""), leaf.text)
                source, _, rest = _DRIVE.sub("/", text).partition(":")
                if rest and source:
                    yield PurePosixPath(rest.partition(":")[0]), source
            case (_, _, "volumes", number, key):
                rows.setdefault(number, {})[key] = leaf.text
            case _:
                pass
    for row in rows.values():
        if row.get("type") != "tmpfs" and "source" in row and "target" in row:
            yield PurePosixPath(row["target"]), row["source"]
