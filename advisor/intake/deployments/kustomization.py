"""A kustomization that makes ConfigMaps and Secrets, and changes no other resource: what it makes
is as if it were written out. Names get a suffix, and so does whatever refers to them (Kubernetes,
Declarative Management of Objects Using Kustomize; kustomize api/kv/kv.go, ParseLiteralSource).
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
"""What changes nothing that decides, but for images of brokers."""
_OF_BROKERS = re.compile(r"kafka|redpanda|cp-server|strimzi", re.IGNORECASE)
_ELSEWHERE = "made-of-files"
"""Where the files are named whose text is in a ConfigMap."""


def is_one(leaves: Sequence[Leaf]) -> bool:
    """Whether this is a kustomization."""
    kinds = [leaf.text for leaf in leaves if leaf.path == ("kind",)]
    return kinds == ["Kustomization"] or (
        not kinds and any(leaf.path[:1] in (("configMapGenerator",), ("secretGenerator",))
                          for leaf in leaves)
    )  # fmt: skip


def made(leaves: Sequence[Leaf]) -> Iterator[list[Leaf]]:
    """The ConfigMaps and Secrets that it makes. Raises `IntakeError` where it does anything else
    that may decide."""
    parts = dict[tuple[str, str], list[Leaf]]()
    for leaf in leaves:
        is_changed = leaf.path[0] == "images" and _OF_BROKERS.search(leaf.text)
        if leaf.path[0] not in _HARMLESS or is_changed or _is_elsewhere(leaf):
            raise IntakeError(f"Line {leaf.line}: {PATCHED}")
        if leaf.path[0] in _KINDS and len(leaf.path) > 2:
            parts.setdefault((leaf.path[0], leaf.path[1]), []).append(leaf)
    for (generator, _), part in parts.items():
        yield [Leaf(("kind",), _KINDS[generator], part[0].line), *_entries(part)]


def _is_elsewhere(leaf: Leaf) -> bool:
    """Whether a resource is another kustomization, or one that is fetched, or what is made is put
    into what another kustomization makes."""
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
                quoted = value[:1] in ("'", '"') and value[-1:] == value[:1] and len(value) > 1
                text = value[1:-1] if quoted else value
                yield Leaf(("stringData" if _is_secret(part) else "data", key), text, leaf.line)
            case ("files" | "envs", _) | ("env",):
                yield Leaf((_ELSEWHERE,), leaf.text.rpartition("=")[2], leaf.line)
            case _:
                pass


def _is_secret(part: Sequence[Leaf]) -> bool:
    return part[0].path[0] == "secretGenerator"


def say_unread(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Names the files whose text is in a ConfigMap: where they are given, too, they are read."""
    for leaf in leaves:
        if leaf.path == (_ELSEWHERE,):
            name = leaf.text.rpartition("/")[2]
            called = f" {name}" if name in (".env", shown(name)) else ""
            reading.note(leaf.line, f"a file{called} {UNREAD}")


def made_of_files(resources: Iterable[Sequence[Leaf]]) -> str:
    """What is said where a kustomization makes all that may count of files; else nothing."""
    named = any(leaf.path == (_ELSEWHERE,) for leaves in resources for leaf in leaves)
    return "what it makes ConfigMaps of is in files. Give those without it." if named else ""
