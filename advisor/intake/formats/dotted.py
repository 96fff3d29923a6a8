"""Files of frameworks that are one tree of dotted names, as YAML or as properties."""

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
"""What YAML has on no line of its own: a name before `=` or a blank, a value right behind a colon,
a line that goes on, a comment behind an exclamation mark."""
_BLOCK = re.compile(r"^[ \t]*[^\s#:=]+:[ \t]*(?:#.*)?$", re.MULTILINE)
_YAML = ("yml", "yaml")


def is_yaml(text: str, ending: str = "") -> bool:
    """Whether a tree of names is written as YAML, by how its file's name ends, if that is known."""
    if ending:
        return ending in _YAML
    return _BLOCK.search(text) is not None or not _PROPERTY.search(text)


def leaves(text: str, ending: str = "") -> Iterator[Leaf]:
    """Each value under its whole name. Raises `IntakeError` for what is neither."""
    if is_yaml(text, ending):
        for part in documents(text):
            yield from (Leaf((".".join(leaf.path),), leaf.text, leaf.line) for leaf in part)
    else:
        for entry in properties(text):
            yield Leaf((entry.key,), entry.value, entry.line)
