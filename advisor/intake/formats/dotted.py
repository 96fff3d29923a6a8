"""Files of frameworks that hold a tree of dotted names, as YAML or as properties."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.intake.formats.java_properties import properties
from advisor.intake.formats.yaml_nodes import Leaf, documents

_PROPERTY = re.compile(
    r"^[ \t]*(?:[^\s#!:=\"'][^\s:=]*[ \t]*=|[\w%\"-]+\.[\w.%\"\[\]-]+(?:[ \t]+[\w$\[]|:[^\s:]))"
    r"|^[ \t]*(?:[\w%\"-]+\.[^\n#]*(?<!\\)\\$|!(?:[ \t]|$))",
    re.MULTILINE,
)
"""A line that YAML does not have: a name before `=` or whitespace, a value directly after a colon,
a continued line, or a comment after an exclamation mark."""
_BLOCK = re.compile(r"^[ \t]*[^\s#:=]+:[ \t]*(?:#.*)?$", re.MULTILINE)
_YAML = ("yml", "yaml")


def is_yaml(text: str, ending: str = "") -> bool:
    """Whether a tree of names is written as YAML; `ending` is the extension of its file, if
    known."""
    if ending:
        return ending in _YAML
    return _BLOCK.search(text) is not None or not _PROPERTY.search(text)


def leaves(text: str, ending: str = "") -> Iterator[Leaf]:
    """Yields each value with its full name. Raises `IntakeError` for a text of neither format."""
    if is_yaml(text, ending):
        for document in documents(text):
            yield from (Leaf((".".join(leaf.path),), leaf.text, leaf.line) for leaf in document)
    else:
        for entry in properties(text):
            yield Leaf((entry.key,), entry.value, entry.line)
