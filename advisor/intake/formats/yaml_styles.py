"""YAML in one style. What files of a kind look like is said of blocks with bare keys; JSON, braces
and quoted keys are YAML, too."""

from __future__ import annotations

import re

import yaml

from advisor.intake.formats.yaml_nodes import LOADER, check

_DUMPER = yaml.CSafeDumper if yaml.__with_libyaml__ else yaml.SafeDumper
_OTHER_STYLE = re.compile(
    r"\A(?:\s|#[^\n]*\n|---)*+\{|^[ \t-]*+(?:\"[\w./-]+\"|'[\w./-]+')[ \t]*:|:[ \t]+\{",
    re.MULTILINE,
)


def in_blocks(text: str) -> str:
    """The text with its mappings in blocks and its keys bare, where it is YAML of another style;
    else as it is. To tell its kind: its lines are others."""
    if not _OTHER_STYLE.search(text):
        return text
    try:
        check(text)
        nodes = list(yaml.compose_all(text, Loader=LOADER))
    except (yaml.YAMLError, UnicodeEncodeError, ValueError):  # told where the file is read
        return text
    if not all(isinstance(node, yaml.MappingNode) for node in nodes):
        return text
    for node in nodes:
        _open(node)
    return str(yaml.serialize_all(nodes, Dumper=_DUMPER, width=10**6, allow_unicode=True))


def _open(whole: yaml.Node) -> None:
    """Takes away how collections and keys are written. What is referred to is opened once."""
    todo, seen = [whole], set[int]()
    while todo:
        node = todo.pop()
        if id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        node.flow_style = False
        for part in node.value:
            key, value = part if isinstance(part, tuple) else (None, part)
            todo.append(value)
            if isinstance(key, yaml.ScalarNode):
                key.style = None
