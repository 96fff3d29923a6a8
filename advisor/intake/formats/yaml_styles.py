"""YAML in block style. The patterns that recognise kinds of files expect blocks and unquoted keys,
but JSON, flow mappings and quoted keys are YAML, too."""

from __future__ import annotations

import re

import yaml

from advisor.intake.formats.yaml_nodes import LOADER, check_size

_DUMPER = yaml.CSafeDumper if yaml.__with_libyaml__ else yaml.SafeDumper
_OTHER_STYLE = re.compile(
    r"\A(?:\s|#[^\n]*\n|---)*+\{|^[ \t-]*+(?:\"[\w./-]+\"|'[\w./-]+')[ \t]*:|:[ \t]+\{",
    re.MULTILINE,
)


def in_block_style(text: str) -> str:
    """The text in block style with unquoted keys; unchanged if it is not YAML of another style.
    Only for recognising the kind of a file, because the line numbers change."""
    if not _OTHER_STYLE.search(text):
        return text
    try:
        check_size(text)
        nodes = list(yaml.compose_all(text, Loader=LOADER))
    except (yaml.YAMLError, UnicodeEncodeError, ValueError):  # reported when the file is read
        return text
    if not all(isinstance(node, yaml.MappingNode) for node in nodes):
        return text
    for node in nodes:
        _remove_styles(node)
    return str(yaml.serialize_all(nodes, Dumper=_DUMPER, width=10**6, allow_unicode=True))


def _remove_styles(root: yaml.Node) -> None:
    """Removes the style of collections and keys. Each node is visited once, however often it is
    referenced."""
    pending, seen = [root], set[int]()
    while pending:
        node = pending.pop()
        if id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        node.flow_style = False
        for entry in node.value:
            key, value = entry if isinstance(entry, tuple) else (None, entry)
            pending.append(value)
            if isinstance(key, yaml.ScalarNode):
                key.style = None
