"""Whether the logs of a workload outlive its pods.

Source: Kubernetes, Volumes and Persistent Volumes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from advisor.intake.deployments.compose.disks import log_folders
from advisor.intake.deployments.compose.volumes import default_folders
from advisor.intake.formats.yaml_nodes import Leaf

_LASTING = {"volumeClaimTemplates", "persistentVolumeClaim", "csi", "nfs", "iscsi"}
"""What a volume is that is still there when its pod is not."""
_PINNED = {"nodeName", "nodeSelector", "nodeAffinity"}
"""What keeps a pod on one node, so that a hostPath is still there (Kubernetes, Volumes)."""
_SUBPATHS = {"subPath", "subPathExpr"}


def logs_end_with_their_pod(leaves: list[Leaf], variables: Mapping[str, str]) -> int:
    """The first line of a workload without a volume that lasts, or whose logs are on none; 0 if
    they last, or nothing says where they are."""
    lasting, named, mounts = set[str](), dict[str, str](), dict[str, dict[str, str]]()
    kept, kinds = set[str](), _lasting_kinds(leaves)
    for leaf in leaves:
        match leaf.path:
            case (*_, "volumeClaimTemplates", _, "metadata", "name"):
                lasting.add(leaf.text)
            case (*_, "volumes", number, "name"):
                named[number] = leaf.text
            case (*_, "volumes", number, kind, _) if kind in kinds:
                kept.add(number)
            case (*_, "volumeMounts", number, ("mountPath" | "name") as key):
                mounts.setdefault(number, {})[key] = leaf.text
            case _:
                pass
    first = min(leaf.line for leaf in leaves)
    if not any(kinds.intersection(leaf.path) for leaf in leaves):
        return first
    lasting |= {named[number] for number in kept if number in named}
    volumes = {
        row["mountPath"]: row.get("name", "") for row in mounts.values() if "mountPath" in row
    }
    image = next((leaf.text for leaf in leaves if leaf.path[-1:] == ("image",)), "")
    folders = log_folders(variables) or (default_folders(image, variables) if volumes else [])
    return first if any(_on(folder, volumes) not in lasting for folder in folders) else 0


def _lasting_kinds(leaves: list[Leaf]) -> set[str]:
    """A folder of a node is another one where a pod may start on another node."""
    pinned = any(_PINNED.intersection(leaf.path) for leaf in leaves)
    daemon = any((leaf.path, leaf.text) == (("kind",), "DaemonSet") for leaf in leaves)
    return _LASTING | {"hostPath"} if pinned or daemon else _LASTING


def share_a_claim(leaves: list[Leaf]) -> bool:
    """Whether all pods of a workload have the one volume of a claim, and the same folder of it."""
    inside = {part for leaf in leaves for part in leaf.path}
    return (
        "persistentVolumeClaim" in inside
        and "volumeClaimTemplates" not in inside
        and not inside & _SUBPATHS
    )


def _on(folder: PurePosixPath, volumes: Mapping[str, str]) -> str:
    """The volume that a folder is on, empty if it is on none."""
    places = (str(path) for path in (folder, *folder.parents))
    return next((volumes[place] for place in places if place in volumes), "")
