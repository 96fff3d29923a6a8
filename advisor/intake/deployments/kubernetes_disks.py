"""Workloads whose logs are lost with their pods.

Source: Kubernetes, Volumes and Persistent Volumes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from advisor.intake.deployments.compose.disks import log_folders
from advisor.intake.deployments.compose.volumes import default_folders
from advisor.intake.formats.yaml_nodes import Leaf

_LASTING_KINDS = {"volumeClaimTemplates", "persistentVolumeClaim", "csi", "nfs", "iscsi"}
"""Types of volumes that outlive their pod."""
_NODE_FIELDS = {"nodeName", "nodeSelector", "nodeAffinity"}
"""Fields that keep a pod on one node, so that its hostPath remains (Kubernetes, Volumes)."""
_SUBPATHS = {"subPath", "subPathExpr"}


def logs_end_with_their_pod(leaves: list[Leaf], variables: Mapping[str, str]) -> int:
    """The first line of a workload whose logs are on no volume that outlives its pods; 0 if they
    are, or if the folder of the logs is unknown."""
    lasting, names, mounts = set[str](), dict[str, str](), dict[str, dict[str, str]]()
    lasting_numbers, lasting_kinds = set[str](), _lasting_kinds(leaves)
    for leaf in leaves:
        match leaf.path:
            case (*_, "volumeClaimTemplates", _, "metadata", "name"):
                lasting.add(leaf.text)
            case (*_, "volumes", number, "name"):
                names[number] = leaf.text
            case (*_, "volumes", number, kind, _) if kind in lasting_kinds:
                lasting_numbers.add(number)
            case (*_, "volumeMounts", number, ("mountPath" | "name") as key):
                mounts.setdefault(number, {})[key] = leaf.text
            case _:
                pass
    first_line = min(leaf.line for leaf in leaves)
    if not any(lasting_kinds.intersection(leaf.path) for leaf in leaves):
        return first_line
    lasting |= {names[number] for number in lasting_numbers if number in names}
    volumes = {
        row["mountPath"]: row.get("name", "") for row in mounts.values() if "mountPath" in row
    }
    image = next((leaf.text for leaf in leaves if leaf.path[-1:] == ("image",)), "")
    folders = log_folders(variables) or (default_folders(image, variables) if volumes else [])
    return (
        first_line if any(_volume_at(folder, volumes) not in lasting for folder in folders) else 0
    )


def _lasting_kinds(leaves: list[Leaf]) -> set[str]:
    """Types of volumes that last here: a hostPath only if pods stay on their nodes."""
    is_pinned = any(_NODE_FIELDS.intersection(leaf.path) for leaf in leaves)
    is_daemon_set = any((leaf.path, leaf.text) == (("kind",), "DaemonSet") for leaf in leaves)
    return _LASTING_KINDS | {"hostPath"} if is_pinned or is_daemon_set else _LASTING_KINDS


def share_a_claim(leaves: list[Leaf]) -> bool:
    """Whether all pods of a workload share the volume of one claim, and the same folder on it."""
    keys = {key for leaf in leaves for key in leaf.path}
    return (
        "persistentVolumeClaim" in keys
        and "volumeClaimTemplates" not in keys
        and not keys & _SUBPATHS
    )


def _volume_at(folder: PurePosixPath, volumes: Mapping[str, str]) -> str:
    """The volume that a folder is on; empty if there is none."""
    places = (str(path) for path in (folder, *folder.parents))
    return next((volumes[place] for place in places if place in volumes), "")
