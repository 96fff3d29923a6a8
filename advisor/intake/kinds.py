"""Detects the kind of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.intake.clients.properties_files import may_be_topic
from advisor.intake.formats.yaml_styles import in_block_style
from advisor.intake.reading import Reader
from advisor.intake.registry import detect, find_reader
from advisor.intake.text import MARK

_PROCESS_KINDS = ("environment", "compose", "kubernetes", "systemd", "dockerfile")
"""Kinds that describe how processes are started."""
MANIFESTS = ("kubernetes", "strimzi")
_MANIFEST = tuple(re.compile(rf"^{name}:[ \t]*\S", re.MULTILINE) for name in ("apiVersion", "kind"))
_VARIABLE_FILE_NAME = re.compile(r"(?:[\w-]+)?\.env(?:\.[\w-]+)?|[\w.-]+\.env")
"""Names of files of variables (Compose file reference, `env_file`)."""

_KINDS_BY_NAME = (
    (re.compile(r"(?i)topic"), "topic-properties"),
    (re.compile(r"(?i)server|broker|controller|kraft|cluster|node|kafka"), "broker-properties"),
)
"""The kind that the name of a properties file implies."""


def starts_processes(text: str) -> bool:
    """Whether a file describes how processes are started: it takes precedence over their
    configuration files."""
    return detect_kind(text) in _PROCESS_KINDS or has_workloads(text)


def has_workloads(text: str) -> bool:
    """Whether a text contains resources of Kubernetes, possibly together with those of Strimzi."""
    return detect_kind(text) in MANIFESTS and looks_like("kubernetes", text)


def is_manifest(text: str) -> bool:
    """Whether a text contains resources of Kubernetes, also if none of them sets anything of Kafka,
    such as a user without quotas or a monitor."""
    kind = detect_kind(text)
    return kind in MANIFESTS or (not kind and all(word.search(text) for word in _MANIFEST))


def detect_kind(text: str) -> str:
    """Returns the kind as which a text would be read; empty if no reader matches."""
    reader = detect(text.removeprefix(MARK))
    return reader.kind if reader else ""


def looks_like(kind: str, text: str) -> bool:
    """Whether a text may be of a kind, unless another kind matches better."""
    reader = find_reader(kind)
    return reader is not None and reader.likeness(in_block_style(text)) > 0


def application_reader(texts: Iterable[str], kind: str) -> Reader | None:
    """Returns the reader of an application's files, if one of them belongs to a framework whose
    applications have several files."""
    readers = [find_reader(kind)] if kind else (detect(text.removeprefix(MARK)) for text in texts)
    return next((reader for reader in readers if reader and reader.read_files), None)


def kind_by_name(name: str, text: str) -> str:
    """Returns `environment` for a file that is named as a file of variables and has no variable of
    Kafka or Spring; otherwise an empty string: then the text determines the kind."""
    by_name = _VARIABLE_FILE_NAME.fullmatch(name.rpartition("/")[2])
    return "environment" if by_name and not detect_kind(text) else ""


def server_by_name(name: str, text: str) -> str:
    """Returns the kind that the name of a file implies, if the text may be a topic's or a broker's;
    otherwise an empty string."""
    base = name.rpartition("/")[2]
    kinds = (kind for pattern, kind in _KINDS_BY_NAME if pattern.search(base))
    return next(kinds, "") if may_be_topic(text) else ""
