"""Kubernetes manifests: files in a ConfigMap, and the variables of a container.

A file in a ConfigMap is read as what it looks like. Source: Kubernetes API reference, ConfigMap v1
(`data`) and Container v1 (`env`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from advisor.catalog import Component
from advisor.intake.commands import of_containers, overrides, take_altered, take_topics
from advisor.intake.compose import Variable, line_of_image, take, without_passed_over
from advisor.intake.compose_disks import log_folders
from advisor.intake.compose_volumes import usual_folders
from advisor.intake.images import refuse_other_brokers
from advisor.intake.reading import Reader, Reading
from advisor.intake.registry import detect
from advisor.intake.strimzi import resources
from advisor.intake.text import IntakeError, shown
from advisor.intake.yaml_nodes import Leaf

_KINDS = "ConfigMap|Deployment|StatefulSet|DaemonSet|Pod|Job|CronJob"
_KIND = re.compile(rf"^kind:[ \t]*['\"]?(?:{_KINDS})\b", re.MULTILINE)
_API = re.compile(r"^apiVersion:", re.MULTILINE)
_WORKLOADS = ("StatefulSet", "Deployment", "DaemonSet", "Pod")
_LASTING = {"volumeClaimTemplates", "persistentVolumeClaim", "csi", "nfs", "iscsi"}
"""What a volume is that is still there when its pod is not."""
_PINNED = {"nodeName", "nodeSelector", "nodeAffinity"}
"""What keeps a pod on one node, so that a hostPath is still there (Kubernetes, Volumes)."""
_SUBPATHS = {"subPath", "subPathExpr"}
_VARIABLE = re.compile(r"KAFKA_\w{1,200}|SPRING_\w{1,200}")
_PLACE = re.compile(r"^Line (\d+): ")
_NOTHING = (
    "Line 1: no file of Kafka's and no variable KAFKA_… or SPRING_KAFKA_… is in these resources."
)


def read(text: str) -> Reading:
    """The settings of files and variables. Raises `IntakeError` where there are none."""
    reading, variables, images = Reading(), dict[str, list[Variable]](), dict[str, str]()
    commands = dict[str, tuple[str, int]]()
    for leaves in resources(text):
        for leaf in leaves:
            match leaf.path:
                case ("data", name) if _VARIABLE.fullmatch(name):
                    variables.setdefault("", []).append((name, leaf.text, leaf.line))
                case ("data", name):
                    _file(reading, name, leaf)
                case _:
                    pass
        own = list(_variables(leaves))
        for container, row in own:
            variables.setdefault(container, []).append(row)
        images |= {"/".join(leaf.path[:-1]): leaf.text for leaf in leaves
                   if leaf.path[-1:] == ("image",)}  # fmt: skip
        _brokers(reading, leaves, {name: text for _, (name, text, _) in own})
        commands |= {"/".join(path): row for path, row in of_containers(leaves).items()}
        _say_unread(reading, leaves, {container for container, _ in own})
    without_passed_over(reading, variables, images)
    take_topics(reading, commands.values(), {})
    take(reading, variables)
    for container, (text, line) in commands.items():
        for name, value in overrides(text):
            reading.state(Component.BROKER, name, value, line, process=container)
    take_altered(reading, commands.values())
    if not (reading.items or reading.problems):
        raise IntakeError(_NOTHING)
    return reading


def _say_unread(reading: Reading, leaves: list[Leaf], ours: Collection[str]) -> None:
    """Names variables of our containers that stand elsewhere. Raises `IntakeError` for brokers
    that are not Apache Kafka."""
    names: dict[tuple[str, ...], str] = {}
    for leaf in leaves:
        match leaf.path:
            case (*before, "env", number, "name"):
                names[(*before, number)] = leaf.text
                continue
            case (*before, "env", number, "valueFrom", kind, "key"):
                name = names.get((*before, number), "")
                if not _VARIABLE.fullmatch(name) or "/".join(before) not in ours:
                    continue
                words = f"{shown(name)} comes from a {shown(kind)}: not read"
            case (*before, "envFrom", _, kind, "name") if "/".join(before) in ours:
                words = f"envFrom: variables come from a {shown(kind)}: not read, if it is not here"
            case (*_, "image"):
                refuse_other_brokers(leaf.text, leaf.line)
                continue
            case _:
                continue
        reading.note(leaf.line, words)


def _brokers(reading: Reading, leaves: list[Leaf], variables: Mapping[str, str]) -> None:
    """How many brokers a workload is, which Kafka they have, and whether their disks last."""
    ours = any(name.startswith("KAFKA_") for name in variables)
    roles = next((text for name, text in variables.items() if name.endswith("PROCESS_ROLES")), "")
    kind = next((leaf.text for leaf in leaves if leaf.path == ("kind",)), "")
    if not ours or kind not in _WORKLOADS:
        return
    if "controller" in roles and (lost := _logs_end_with_their_pod(leaves, variables)):
        reading.lose_metadata(lost, "a controller on no volume that outlives its pod")
    if roles and "broker" not in roles:
        return
    images = [leaf for leaf in leaves if leaf.path[-1:] == ("image",)]
    lines = [(leaf.line, line) for leaf in images if (line := line_of_image(reading, leaf))]
    if not lines:
        return
    counts = [leaf.text for leaf in leaves if leaf.path == ("spec", "replicas")]
    count = int(counts[0]) if counts and counts[0].isdecimal() else 1
    if count > 1 and _share_a_claim(leaves):
        words = "pods with one claim for their logs: the second broker does not get its lock"
        reading.note(lines[0][0], f"{words}, and does not start")
        count = 1
    before = reading.heads.get("brokers", "0")
    reading.heads |= {"kafka": lines[0][1], "brokers": str(int(before) + count)}
    if lost := _logs_end_with_their_pod(leaves, variables):
        reading.lose_disks(lost, "logs on no volume that outlives its pod")


def _logs_end_with_their_pod(leaves: list[Leaf], variables: Mapping[str, str]) -> int:
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
    folders = log_folders(variables) or (usual_folders(image) if volumes else [])
    return first if any(_on(folder, volumes) not in lasting for folder in folders) else 0


def _lasting_kinds(leaves: list[Leaf]) -> set[str]:
    """A folder of a node is another one where a pod may start on another node."""
    pinned = any(_PINNED.intersection(leaf.path) for leaf in leaves)
    daemon = any((leaf.path, leaf.text) == (("kind",), "DaemonSet") for leaf in leaves)
    return _LASTING | {"hostPath"} if pinned or daemon else _LASTING


def _share_a_claim(leaves: list[Leaf]) -> bool:
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


def _file(reading: Reading, name: str, leaf: Leaf) -> None:
    """Takes what a file states; its lines begin below its name."""
    reader = detect(leaf.text)
    if reader is None:
        reading.note(leaf.line, f"{shown(name)} looks like no file that we know: not read")
        return
    try:
        inner = reader.read(leaf.text)
    except IntakeError as error:
        raise IntakeError(_moved(str(error), leaf.line)) from None
    reading.items += [replace(item, line=item.line + leaf.line) for item in inner.items]
    reading.heads |= inner.heads
    reading.notes += [_moved(note, leaf.line) for note in inner.notes]
    reading.problems += [
        replace(problem, message=_moved(problem.message, leaf.line)) for problem in inner.problems
    ]


def _moved(words: str, lines: int) -> str:
    return _PLACE.sub(lambda place: f"Line {int(place[1]) + lines}: ", words)


def _variables(leaves: Iterable[Leaf]) -> Iterable[tuple[str, Variable]]:
    """The variables of each container that are stated as a plain value."""
    named: dict[tuple[str, ...], Leaf] = {}
    for leaf in leaves:
        match leaf.path:
            case (*before, "env", number, "name"):
                named[(*before, number)] = leaf
            case (*before, "env", number, "value"):
                name = named.get((*before, number))
                if name is not None and _VARIABLE.fullmatch(name.text):
                    yield "/".join(before), (name.text, leaf.text, leaf.line)
            case _:
                pass


def _likeness(text: str) -> float:
    return 0.99 if _KIND.search(text) and _API.search(text) else 0.0


READERS = (Reader("kubernetes", "Kubernetes manifests (ConfigMap, env)", _likeness, read),)
