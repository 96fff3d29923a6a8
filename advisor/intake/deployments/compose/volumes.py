"""Whether a service of a compose file keeps its data where it outlives the container.

A container that is made anew (`docker compose down`, another image) has what a volume with a name
or a folder of the host holds. A volume without a name, also one that an image declares, is a new
and empty one after `down` (Compose CLI reference, `down`; Compose file reference, `volumes`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from advisor.intake.deployments.compose.disks import log_folders
from advisor.intake.deployments.images import is_apache, starts_with_its_file
from advisor.intake.formats.yaml_nodes import Leaf

_IMAGES = (
    (re.compile(r"(?:.*/)?cp-(?:(?:enterprise-)?kafka|server)(?:[:@].*)?"), "/var/lib/kafka/data"),
    (re.compile(r"(?:.*/)?bitnami\w*/kafka(?:[:@].*)?"), "/bitnami/kafka/data"),
    (re.compile(r"(?:.*/)?cp-zookeeper(?:[:@].*)?"), "/var/lib/zookeeper/data"),
    (re.compile(r"(?:.*/)?bitnami\w*/zookeeper(?:[:@].*)?"), "/bitnami/zookeeper/data"),
    (re.compile(r"(?:library/|docker\.io/(?:library/)?)?zookeeper(?:[:@].*)?"), "/data"),
)
"""Where an image keeps its data unless it is told otherwise."""
_BY_DEFAULT, _BY_FILE = "/tmp/kafka-logs", "/tmp/kraft-combined-logs"  # noqa: S108 - looked for
"""Where Apache Kafka's image has them: Kafka's own default, and what its file says."""
_METADATA_DIRS = ("KAFKA_METADATA_LOG_DIR", "KAFKA_CFG_METADATA_LOG_DIR")
_VARIABLE = re.compile(r"\$\{[^{}]*\}")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/](?=[^:]*:/)")


def loses_logs(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> int:
    """The first line of a service whose logs end with its container; 0 if they last, or if the
    file does not tell where they are."""
    return _unkept(leaves, service, _log_folders(leaves, service, image, variables))


def loses_metadata(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> int:
    """The same of a controller's metadata, or of a server of ZooKeeper."""
    own = [PurePosixPath(variables[name]) for name in _METADATA_DIRS if name in variables]
    logs = _log_folders(leaves, service, image, variables)
    return _unkept(leaves, service, own or logs[:1])  # the first, KafkaConfig.metadataLogDir


def volume_of_logs(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> str:
    """Which volume, or folder of the host, the logs of a service are on, with what is below it;
    empty where that is not known."""
    own = [leaf for leaf in leaves if leaf.path[:2] == ("services", service)]
    for folder in _log_folders(leaves, service, image, variables):
        for place, source in _lasting(own):
            if place in (folder, *folder.parents):
                return f"{source}:{folder.relative_to(place)}"
    return ""


def _log_folders(
    leaves: Sequence[Leaf], service: str, image: str, variables: Mapping[str, str]
) -> list[PurePosixPath]:
    """The log folders of a service. What an env_file holds is taken for settings."""
    elsewhere = any(leaf.path[:3] == ("services", service, "env_file") for leaf in leaves)
    names = [*variables, *(["KAFKA_"] if elsewhere else [])]
    return log_folders(variables) or usual_folders(image, names)


def usual_folders(image: str, variables: Iterable[str]) -> list[PurePosixPath]:
    """Where an image keeps its data unless it is told otherwise; none where that is not known."""
    usual = next((places for pattern, places in _IMAGES if pattern.fullmatch(image)), "")
    if is_apache(image):
        usual = _BY_FILE if starts_with_its_file(image, variables) else _BY_DEFAULT
    return [PurePosixPath(usual)] if usual else []


def _unkept(leaves: Sequence[Leaf], service: str, folders: Collection[PurePosixPath]) -> int:
    own = [leaf for leaf in leaves if leaf.path[:2] == ("services", service)]
    parts = {leaf.path[2] for leaf in own if len(leaf.path) > 2}
    if "volumes_from" in parts:
        return 0
    first = min(leaf.line for leaf in own)
    places = [place for place, _ in _lasting(own) if not place.suffix]
    if not places:
        return first
    # A file of the server's own may say where the logs are.
    has_folders = folders and not any("$" in str(folder) for folder in folders)
    is_known = has_folders and not any(".properties" in leaf.text for leaf in own)
    kept = all(_is_on(folder, places) for folder in folders)
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
