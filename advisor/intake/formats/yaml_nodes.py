"""YAML as values with their paths and lines, and nothing that a text could make of it.

Nodes are composed and never constructed, so that no tag is obeyed. References are followed, but
only so far that no bomb of them goes off.
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
    "this is a template: what is in {{ … }} is filled in before anything reads it. Give what it "
    "renders; of a Helm chart, that is what `helm template` prints."
)
_FILLED_IN = "{{ }}"
"""What a template fills in, whatever that is."""
_TWICE = "this key is on line {} already. A mapping has each key once: leave one of them."
"""YAML 1.2, 3.2.1.1; Spring Boot does not start (OriginTrackedYamlLoader, createYaml)."""
_TRUE = frozenset({"true", "yes", "on"})


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value: the keys that lead to it, its text, and the line of its key or of itself.

    A switch is `true` or `false`, however it was written; an empty value has no text, and
    `is_null` says that nothing stands there, or `null`.
    """

    path: tuple[str, ...]
    text: str
    line: int
    is_null: bool = False


def documents(text: str) -> list[list[Leaf]]:
    """The values of each document. Raises `IntakeError` for what is no YAML, or too much of it.

    The message repeats nothing of the text: a broken file may have its secrets anywhere.
    """
    try:
        check(text)
        nodes = list(yaml.compose_all(text, Loader=LOADER))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"Line {mark.line + 1}" if mark else "The file"
        words = _TEMPLATE if "{{" in text else "this is not well-formed YAML."
        raise IntakeError(f"{where}: {words}") from None
    except UnicodeEncodeError:
        raise IntakeError("The file is not text.") from None
    return [list(_Walk().leaves(node, (), 1)) for node in nodes]


def tagged(text: str, tags: Collection[str]) -> list[dict[tuple[str, ...], str]]:
    """Where a value has one of these tags, for each document of a text that is well-formed."""
    found = list[dict[tuple[str, ...], str]]()
    for document in yaml.compose_all(text, Loader=LOADER):
        places, seen = dict[tuple[str, ...], str](), set[int]()
        open_nodes = [(document, tuple[str, ...]())]
        while open_nodes:
            node, path = open_nodes.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if node.tag in tags:
                places[path] = node.tag
            if isinstance(node, yaml.MappingNode):
                open_nodes += [(value, (*path, str(key.value))) for key, value in node.value]
        found.append(places)
    return found


def with_lists(leaves: Iterable[Leaf]) -> Iterator[Leaf]:
    """The values, where each list of plain texts is one value, as Kafka writes a list."""
    for (path, of_list), found in groupby(leaves, lambda leaf: _list_of(leaf.path)):
        first, *others = found
        text = ",".join([first.text, *(leaf.text for leaf in others)])
        yield replace(first, path=path, text=text) if of_list else first


def _list_of(path: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    is_entry = bool(path) and path[-1].isdecimal()
    return (path[:-1] if is_entry else path), is_entry


def check(text: str) -> None:
    """Refuses what is nested deeper or is more than any configuration, before it is built."""
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=LOADER)):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH or count > MAX_NODES:
            what = "nested too deeply" if depth > MAX_DEPTH else "too long for a configuration"
            raise IntakeError(f"Line {_line(event)}: the file is {what}.")


class _Walk:
    """One walk through a document; counts its steps, so that references cannot multiply."""

    def __init__(self) -> None:
        self._steps = 0

    def leaves(self, node: yaml.Node, path: tuple[str, ...], line: int) -> Iterator[Leaf]:
        """Every value below a node."""
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
        """The entries of a mapping. Its own go before those that it merges in (`<<`)."""
        merged: dict[str, tuple[yaml.Node, int]] = {}
        own: dict[str, tuple[yaml.Node, int]] = {}
        for key, value in node.value:
            line = _line(key)
            self._step(("",) * depth, line)
            if key.tag == _MERGE:
                parts = value.value if isinstance(value, yaml.SequenceNode) else [value]
                for part in parts:
                    if isinstance(part, yaml.MappingNode):
                        merged = {**self._entries(part, depth + 1), **merged}
            elif isinstance(key, yaml.ScalarNode):
                if key.value in own:
                    raise IntakeError(f"Line {line}: {_TWICE.format(own[key.value][1])}")
                own[key.value] = (value, line)
        return merged | own

    def _step(self, path: tuple[str, ...], line: int) -> None:
        self._steps += 1
        if self._steps > MAX_NODES or len(path) > MAX_DEPTH:
            raise IntakeError(f"Line {line}: the file refers to itself or is too long.")


def _line(part: yaml.Node | yaml.Event) -> int:
    return part.start_mark.line + 1 if part.start_mark else 1


def _text(node: yaml.ScalarNode) -> str:
    if node.tag == _BOOL:
        return "true" if node.value.lower() in _TRUE else "false"
    # 604_800_000, 0x2 and 02 are numbers of YAML 1.1; 1:30 is one, too, and mostly meant as a text.
    if node.tag == _INT and ":" not in node.value:
        return str(yaml.constructor.SafeConstructor().construct_yaml_int(node))
    return "" if node.tag == _NULL else str(node.value)
