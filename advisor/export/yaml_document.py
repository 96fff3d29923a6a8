"""Settings as YAML that reads the same under YAML 1.1 and 1.2.

Text of a user is always quoted: unquoted, `no`, `1e3` or `12:30:45` are a boolean or a number to
one parser and a string to another.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

import yaml

from advisor.export.choice import Chosen, typed

Node = dict[str, "Node"] | str | int | bool


class _Quoted(str):
    """A string that is always written in double quotes."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes no anchors, and quotes text of a user."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _in_quotes(dumper: yaml.SafeDumper, text: _Quoted) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Dumper.add_representer(_Quoted, _in_quotes)


def settings(chosen: Iterable[Chosen]) -> dict[str, Node]:
    """Returns settings by name; booleans and numbers are plain, the rest is quoted."""
    return {setting.name: scalar(setting) for setting in chosen}


def scalar(setting: Chosen) -> Node:
    """Returns one value, as `settings` writes it."""
    value = typed(setting)
    return _Quoted(value) if isinstance(value, str) else value


def document(data: dict[str, Node]) -> str:
    """Returns one YAML document in ASCII, with the keys in the order of `data`."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=sys.maxsize)
