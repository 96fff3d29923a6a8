"""YAML as values with their paths and lines.

Nodes are composed and never constructed, so that tags have no effect. Aliases are followed up to a
limit, so that they cannot multiply without bound.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import yaml

from advisor.intake.text import IntakeError

MAX_DEPTH = 50
MAX_NODES = 20_000

LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_BOOL, _NULL, _MERGE, _INT = (
    f"tag:yaml.org,2002:{kind}" for kind in ("bool", "null", "merge", "int")
)
_TEMPLATE = (
    "this is a template: {{ … }} is filled in before anything reads the file. Give the rendered "
    "file; for a Helm chart, that is the output of `helm template`."
)
_FILLED_IN = "{{ }}"
"""The text of a value that a template fills in."""
_DUPLICATE_KEY = "this key is on line {} already. A mapping has each key once: leave one of them."
"""YAML 1.2, 3.2.1.1; Spring Boot does not start (OriginTrackedYamlLoader, createYaml)."""
_TRUE = frozenset({"true", "yes", "on"})


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar value: the keys that lead to it, its text, and the line of its key or of the value.

    A boolean is `true` or `false`, however it is written. An empty value has an empty text;
    `is_null` says whether the value is missing or `null`.
    """

    path: tuple[str, ...]
    text: str
    line: int
    is_null: bool = False


def documents(text: str) -> list[list[Leaf]]:
    """The values of each document. Raises `IntakeError` for a text that is not YAML, or is too
    long.

    The message quotes nothing of the text: a malformed file may have secrets anywhere.
    """
    try:
        check_size(text)
        nodes = list(yaml.compose_all(text, Loader=LOADER))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"Line {mark.line + 1}" if mark else "The file"
        words = _TEMPLATE if "{{" in text else "this is not well-formed YAML."
        raise IntakeError(f"{where}: {words}") from None
    except UnicodeEncodeError:
        raise IntakeError("The file is not text.") from None
    return [list(_Walk().leaves(node, (), 1)) for node in nodes]


def tagged_paths(text: str, tags: Collection[str]) -> list[dict[tuple[str, ...], str]]:
    """The paths of values with one of these tags, each with its tag, for each document of a
    well-formed text."""
    documents_found = list[dict[tuple[str, ...], str]]()
    for document in yaml.compose_all(text, Loader=LOADER):
        places, seen = dict[tuple[str, ...], str](), set[int]()
        pending = [(document, tuple[str, ...]())]
        while pending:
            node, path = pending.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if node.tag in tags:
                places[path] = node.tag
            if isinstance(node, yaml.MappingNode):
                pending += [(value, (*path, str(key.value))) for key, value in node.value]
        documents_found.append(places)
    return documents_found


def with_joined_lists(leaves: Iterable[Leaf]) -> Iterator[Leaf]:
    """Yields the values, with each list of scalars joined by commas, as Kafka writes a list."""
    for (path, is_list), group in groupby(leaves, lambda leaf: _list_path(leaf.path)):
        first, *others = group
        text = ",".join([first.text, *(leaf.text for leaf in others)])
        yield replace(first, path=path, text=text) if is_list else first


def _list_path(path: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    is_entry = bool(path) and path[-1].isdecimal()
    return (path[:-1] if is_entry else path), is_entry


def check_size(text: str) -> None:
    """Raises `IntakeError` for a text that is nested too deeply or is too long, before its nodes
    are composed."""
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=LOADER)):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH or count > MAX_NODES:
            reason = "nested too deeply" if depth > MAX_DEPTH else "too long for a configuration"
            raise IntakeError(f"Line {_line(event)}: the file is {reason}.")


class _Walk:
    """A walk through one document that counts its steps, so that aliases cannot multiply."""

    def __init__(self) -> None:
        self._steps = 0

    def leaves(self, node: yaml.Node, path: tuple[str, ...], line: int) -> Iterator[Leaf]:
        """Yields every value below a node."""
        self._step(path, line)
        if isinstance(node, yaml.ScalarNode):
            yield Leaf(path, _text(node), line, node.tag == _NULL)
        elif isinstance(node, yaml.MappingNode) and any(
            isinstance(key, yaml.MappingNode) for key, _ in node.value
        ):  # {{ .Values.acks }} without quotes
            yield Leaf(path, _FILLED_IN, line)
        elif isinstance(node, yaml.MappingNode):
            for key, (value, at) in self._entries(node, 0).items():
                yield from self.leaves(value, (*path, key), at)
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                yield from self.leaves(item, (*path, str(index)), _line(item))

    def _entries(self, node: yaml.MappingNode, depth: int) -> dict[str, tuple[yaml.Node, int]]:
        """The entries of a mapping. They override those that it merges (`<<`)."""
        merged: dict[str, tuple[yaml.Node, int]] = {}
        entries: dict[str, tuple[yaml.Node, int]] = {}
        for key, value in node.value:
            line = _line(key)
            self._step(("",) * depth, line)
            if key.tag == _MERGE:
                mappings = value.value if isinstance(value, yaml.SequenceNode) else [value]
                for mapping in mappings:
                    if isinstance(mapping, yaml.MappingNode):
                        merged = {**self._entries(mapping, depth + 1), **merged}
            elif isinstance(key, yaml.ScalarNode):
                if key.value in entries:
                    raise IntakeError(
                        f"Line {line}: {_DUPLICATE_KEY.format(entries[key.value][1])}"
                    )
                entries[key.value] = (value, line)
        return merged | entries

    def _step(self, path: tuple[str, ...], line: int) -> None:
        self._steps += 1
        if self._steps > MAX_NODES or len(path) > MAX_DEPTH:
            raise IntakeError(f"Line {line}: the file refers to itself or is too long.")


def _line(mark_owner: yaml.Node | yaml.Event) -> int:
    return mark_owner.start_mark.line + 1 if mark_owner.start_mark else 1


def _text(node: yaml.ScalarNode) -> str:
    if node.tag == _BOOL:
        return "true" if node.value.lower() in _TRUE else "false"
    # 604_800_000, 0x2 and 02 are numbers in YAML 1.1. So is 1:30, which is mostly meant as text.
    if node.tag == _INT and ":" not in node.value:
        return str(yaml.constructor.SafeConstructor().construct_yaml_int(node))
    return "" if node.tag == _NULL else str(node.value)
