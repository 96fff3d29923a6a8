"""Files of frameworks that are one tree of dotted names, as YAML or as properties."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.intake.formats.java_properties import properties
from advisor.intake.formats.yaml_nodes import Leaf, documents

_PROPERTY = re.compile(
    r"^[ \t]*(?:[^\s#!:=][^\s:=]*[ \t]*=|[\w%\"-]+\.[\w.%\"-]+[ \t]+[\w$])", re.MULTILINE
)
_BLOCK = re.compile(r"^[ \t]*[^\s#:=]+:[ \t]*$", re.MULTILINE)


def leaves(text: str) -> Iterator[Leaf]:
    """Each value under its whole name. Raises `IntakeError` for what is neither."""
    if _BLOCK.search(text) or not _PROPERTY.search(text):
        for part in documents(text):
            yield from (Leaf((".".join(leaf.path),), leaf.text, leaf.line) for leaf in part)
    else:
        for entry in properties(text):
            yield Leaf((entry.key,), entry.value, entry.line)
