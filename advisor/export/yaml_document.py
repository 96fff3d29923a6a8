"""Settings as YAML that reads the same under YAML 1.1 and 1.2.

What may have been typed is always in quotes: left plain, `no`, `1e3` or `12:30:45` are a switch or
a number to one reader and a text to the next.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

import yaml

from advisor.export.choice import Chosen, typed

Node = dict[str, "Node"] | str | int | bool


class _Quoted(str):
    """A text that is written in double quotes, whatever it looks like."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes no anchors, and quotes what was typed."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _in_quotes(dumper: yaml.SafeDumper, text: _Quoted) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Dumper.add_representer(_Quoted, _in_quotes)


def settings(chosen: Iterable[Chosen]) -> dict[str, Node]:
    """Settings by their names; switches and numbers are YAML's own, the rest is in quotes."""
    return {setting.name: scalar(setting) for setting in chosen}


def scalar(setting: Chosen) -> Node:
    """One value, as `settings` writes it."""
    value = typed(setting)
    return _Quoted(value) if isinstance(value, str) else value


def document(data: dict[str, Node]) -> str:
    """One YAML document in ASCII, keys in the order given."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=sys.maxsize)
