"""Which files are of which kind."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.intake.clients.properties_files import may_be_of_topic
from advisor.intake.formats.yaml_styles import in_blocks
from advisor.intake.reading import Reader
from advisor.intake.registry import detect, find
from advisor.intake.text import MARK

_STARTS = ("environment", "compose", "kubernetes", "systemd", "dockerfile")
"""Kinds that say what processes are started with."""
MANIFESTS = ("kubernetes", "strimzi")
_MANIFEST = tuple(re.compile(rf"^{name}:[ \t]*\S", re.MULTILINE) for name in ("apiVersion", "kind"))
_SURE = 0.9
_OF_VARIABLES = re.compile(r"(?:[\w-]+)?\.env(?:\.[\w-]+)?|[\w.-]+\.env")
"""Names of files of variables (Compose file reference, `env_file`)."""

_OF_SERVERS = (
    (re.compile(r"(?i)topic"), "topic-properties"),
    (re.compile(r"(?i)server|broker|controller|kraft|cluster|node|kafka"), "broker-properties"),
)
"""What the names of files say whose they are."""


def goes_first(text: str) -> bool:
    """Whether a file says what processes are started with: that goes before their own files."""
    return kind_of(text) in _STARTS or has_workloads(text)


def has_workloads(text: str) -> bool:
    """Whether resources of Kubernetes are in a text, perhaps beside those of Strimzi."""
    return kind_of(text) in MANIFESTS and looks_like("kubernetes", text)


def is_manifest(text: str) -> bool:
    """Whether a text is of resources that Kubernetes is given: also one that sets up nothing of
    Kafka's, such as a user without quotas or a monitor."""
    kind = kind_of(text)
    return kind in MANIFESTS or (not kind and all(word.search(text) for word in _MANIFEST))


def kind_of(text: str) -> str:
    """How a text would be read; empty for one that nothing reads."""
    reader = detect(text.removeprefix(MARK))
    return reader.kind if reader else ""


def looks_like(kind: str, text: str) -> bool:
    """Whether a text may be of a kind, if no other kind is surer."""
    reader = find(kind)
    return reader is not None and reader.likeness(in_blocks(text)) > 0


def of_application(texts: Iterable[str], kind: str) -> Reader | None:
    """The reader of an application's files, if one of them is of a framework that has several."""
    readers = [find(kind)] if kind else (detect(text.removeprefix(MARK)) for text in texts)
    return next((reader for reader in readers if reader and reader.read_files), None)


def kind_by_name(name: str, text: str) -> str:
    """`environment` for a file of variables by its name, which no variable of which is Kafka's or
    Spring's; else empty: then its text tells the kind."""
    by_name = _OF_VARIABLES.fullmatch(name.rpartition("/")[2])
    return "environment" if by_name and not kind_of(text) else ""


def server_by_name(name: str, text: str) -> str:
    """Of a file that may be a topic's or a broker's, which its name says it is; else empty."""
    base = name.rpartition("/")[2]
    kinds = (kind for pattern, kind in _OF_SERVERS if pattern.search(base))
    return next(kinds, "") if may_be_of_topic(text) else ""
