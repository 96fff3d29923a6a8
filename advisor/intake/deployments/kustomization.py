"""Kustomizations that only generate ConfigMaps and Secrets: these are read as if they were written
out. Their names and all references to them get the same suffix (Kubernetes, Declarative Management
of Objects Using Kustomize; kustomize api/kv/kv.go, ParseLiteralSource).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from advisor.intake.deployments.compose.files import UNREAD
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.registry import PATCHED
from advisor.intake.text import IntakeError, shown

LIKE = re.compile(r"^(?:configMap|secret)Generator:|^kind:[ \t]*Kustomization\b", re.MULTILINE)
_KINDS = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}
_HARMLESS = frozenset({
    *_KINDS, "apiVersion", "kind", "metadata", "namespace", "resources", "generatorOptions",
    "labels", "commonLabels", "commonAnnotations", "images",
})  # fmt: skip
"""Fields that change nothing that decides, except for the images of brokers."""
_BROKER_IMAGE = re.compile(r"kafka|redpanda|cp-server|strimzi", re.IGNORECASE)
_FILES = "made-of-files"
"""The path of leaves that name the files whose text is in a ConfigMap."""


def is_kustomization(leaves: Sequence[Leaf]) -> bool:
    """Whether a document is a kustomization."""
    kinds = [leaf.text for leaf in leaves if leaf.path == ("kind",)]
    return kinds == ["Kustomization"] or (
        not kinds and any(leaf.path[:1] in (("configMapGenerator",), ("secretGenerator",))
                          for leaf in leaves)
    )  # fmt: skip


def generated(leaves: Sequence[Leaf]) -> Iterator[list[Leaf]]:
    """Yields the ConfigMaps and Secrets that a kustomization generates. Raises `IntakeError` for
    any other field that may decide."""
    parts = dict[tuple[str, str], list[Leaf]]()
    for leaf in leaves:
        is_changed = leaf.path[0] == "images" and _BROKER_IMAGE.search(leaf.text)
        if leaf.path[0] not in _HARMLESS or is_changed or _is_elsewhere(leaf):
            raise IntakeError(f"Line {leaf.line}: {PATCHED}")
        if leaf.path[0] in _KINDS and len(leaf.path) > 2:
            parts.setdefault((leaf.path[0], leaf.path[1]), []).append(leaf)
    for (generator, _), part in parts.items():
        yield [Leaf(("kind",), _KINDS[generator], part[0].line), *_entries(part)]


def _is_elsewhere(leaf: Leaf) -> bool:
    """Whether a resource is another kustomization or a remote file, or a generator changes the
    ConfigMap of another kustomization."""
    match leaf.path:
        case ("resources", _):
            return not leaf.text.endswith((".yaml", ".yml", ".json")) or "//" in leaf.text
        case (_, _, "behavior"):
            return leaf.text != "create"
        case _:
            return False


def _entries(part: Sequence[Leaf]) -> Iterator[Leaf]:
    for leaf in part:
        match leaf.path[2:]:
            case ("name",):
                yield Leaf(("metadata", "name"), leaf.text, leaf.line)
            case ("literals", _):
                key, _, value = leaf.text.partition("=")
                is_quoted = value[:1] in ("'", '"') and value[-1:] == value[:1] and len(value) > 1
                text = value[1:-1] if is_quoted else value
                yield Leaf(("stringData" if _is_secret(part) else "data", key), text, leaf.line)
            case ("files" | "envs", _) | ("env",):
                yield Leaf((_FILES,), leaf.text.rpartition("=")[2], leaf.line)
            case _:
                pass


def _is_secret(part: Sequence[Leaf]) -> bool:
    return part[0].path[0] == "secretGenerator"


def say_unread(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Notes the files whose text is in a ConfigMap: they are read only if they are given, too."""
    for leaf in leaves:
        if leaf.path == (_FILES,):
            name = leaf.text.rpartition("/")[2]
            called = f" {name}" if name in (".env", shown(name)) else ""
            reading.note(leaf.line, f"a file{called} {UNREAD}")


def files_message(resources: Iterable[Sequence[Leaf]]) -> str:
    """The message for a kustomization whose ConfigMaps are made of files; empty for any other."""
    has_files = any(leaf.path == (_FILES,) for leaves in resources for leaf in leaves)
    return "its ConfigMaps are made from files. Give those files instead." if has_files else ""
