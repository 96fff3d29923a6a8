"""Values of a Python program that is run with example messages (`example_run`).

Numbers, lists and messages are computed as Python does it. Any other value is `UNKNOWN`, or, if it
comes from messages, a `Message` that stands for all of them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.intake.programs.python.processing.example_program import NotRun

UNKNOWN, ENDLESS, MISSING = object(), object(), object()
"""A value that is not known, an iterator without an end (itertools.count, cycle, repeat), and what
a dict does not have."""
SAMPLE = 3
"""The value of an unknown number, such as a limit that a setting states."""
LONGEST = 2_000


_KEYS = frozenset({"key", "topic", "partition", "offset"})
_POSITION = frozenset({"partition", "offset"})


class Message:
    """A message, or a value that is computed from messages; `offsets` are theirs.

    `key_parts` are the parts of a message from which the value is computed. Messages may have each
    of them in common, but not their partition and their offset. They are empty if they are not
    known.
    """

    def __init__(
        self, offsets: frozenset[int], *, is_polled: bool = False,
        key_parts: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self.offsets, self.is_polled, self.key_parts = offsets, is_polled, key_parts


class Failure(Message):
    """The error of a message."""


class Future(Message):
    """The future of a task that takes messages; `failure` is the error of the task."""

    def __init__(self, offsets: frozenset[int], result: Any, failure: Failure | None) -> None:
        super().__init__(offsets)
        self.result, self.failure = result, failure


class Table:
    """A dict. `default` is the function that creates what it does not have."""

    def __init__(self, default: Callable[[], Any] | None = None) -> None:
        self.entries: dict[Any, tuple[Any, Any]] = {}
        self.default = default


@dataclass(slots=True)
class Instance:
    """An object of a class of the program."""

    definition: ast.ClassDef
    fields: dict[str, Any]


class ItemIterator(list[Any]):
    """An iterator: what takes an item from it leaves the others. `failure` is an error that it
    raises."""

    failure: Failure | None = None

    def take(self, count: int) -> list[Any]:
        """Removes and returns the next items."""
        taken = self[:count]
        del self[:count]
        return taken


class Queue(list[Any]):
    """A queue; `unfinished` is the number of items that no `task_done` was called for."""

    unfinished: int = 0
    was_empty: bool = False
    """Whether the last call with a time limit found nothing."""


class PythonError(Exception):
    """The program raises an error; `value` is that of a message, if it is one."""

    def __init__(self, value: Failure | None = None) -> None:
        self.value = value


class Exited(PythonError):
    """The program ends itself, by `sys.exit` or the like."""


def parts(value: Any) -> Iterator[Any]:
    """Yields a value and everything in it. A list may contain itself."""
    seen, pending = set[int](), [value]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, list | Table | Instance) and id(part) not in seen:
            seen.add(id(part))
            pending += _inner_values(part)


def _inner_values(value: list[Any] | Table | Instance) -> Iterable[Any]:
    match value:
        case Table():
            return [inner for pair in value.entries.values() for inner in pair]
        case Instance():
            return value.fields.values()
        case _:
            return value


def offsets_in(value: Any) -> frozenset[int]:
    """The offsets of all messages in a value."""
    messages = (part.offsets for part in parts(value) if isinstance(part, Message))
    return frozenset().union(*messages)


def merged(values: Iterable[Any]) -> Any:
    """A value that is computed from others in an unknown way."""
    messages = [part for part in parts([*values]) if isinstance(part, Message)]
    offsets = frozenset[int]().union(*(message.offsets for message in messages))
    key_parts = frozenset[str]().union(*(message.key_parts for message in messages))
    is_known = all(message.key_parts for message in messages) or key_parts >= _POSITION
    key_parts = key_parts if is_known else frozenset()
    return Message(offsets, key_parts=key_parts) if offsets else UNKNOWN


def number(value: Any) -> int:
    """A value as a number; `SAMPLE` if it is unknown."""
    return value if isinstance(value, int) else SAMPLE


def truth(value: Any) -> bool | None:
    """Whether a value is true; None if that is unknown."""
    match value:
        case Failure():
            return True
        case Message():
            return True if value.is_polled else None
        case Table():
            return bool(value.entries)
        case Instance():
            return None
        case _:
            return None if value is UNKNOWN else bool(value)


_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Mod": operator.mod,
    "FloorDiv": operator.floordiv, "Div": operator.truediv, "Lt": operator.lt, "LtE": operator.le,
    "Gt": operator.gt, "GtE": operator.ge, "Eq": operator.eq, "NotEq": operator.ne,
}  # fmt: skip


def operation(name: str, left: Any, right: Any) -> Any:
    """The result of a binary operator or a comparison, by the name of its class in `ast`."""
    if name in ("Is", "IsNot") and right is None and truth(left) is not None:
        return (left is None) == (name == "Is")
    if name in ("In", "NotIn") and isinstance(right, Table):
        place = key(left)
        return merged((left,)) if place is None else (place in right.entries) == (name == "In")
    are_numbers = isinstance(left, int | float) and isinstance(right, int | float)
    are_lists = isinstance(left, list) and isinstance(right, list) and name == "Add"
    repeats = isinstance(left, list) and isinstance(right, int) and name == "Mult"
    is_large = (
        (are_numbers and max(abs(left), abs(right)) > LONGEST**2)
        or (are_lists and len(left) + len(right) > LONGEST)
        or (repeats and len(left) * right > LONGEST)
    )
    if name not in _OPERATORS or is_large or not (are_numbers or are_lists or repeats):
        return merged((left, right))
    try:
        return _OPERATORS[name](left, right)
    except ArithmeticError:
        raise PythonError from None


def extend(values: list[Any], others: Iterable[Any]) -> None:
    """Appends to a list. Raises `NotRun` if it gets too long: `xs += xs` doubles it each time."""
    values += others
    if len(values) > LONGEST:
        raise NotRun


def key(value: Any) -> Any:
    """What makes a value the key of a dict; None if it is unknown whether another value equals
    it."""
    match value:
        case bool() | int() | float() | str():
            return (type(value), value)
        case Future():
            return (Future, id(value))
        case Message(key_parts=key_parts):
            is_position = key_parts >= _POSITION
            return (key_parts, value.offsets if is_position else None) if key_parts else None
        case list():
            if isinstance(message := merged(value), Message):
                return key(message)
            is_flat = not any(isinstance(part, list) for part in value)
            keys = tuple(map(key, value)) if is_flat else (None,)
            return None if None in keys else keys
        case _:
            return None


def of_message(message: Message, name: str) -> Message:
    """What a method of a message returns: its key, its offset or another value."""
    return Message(message.offsets, key_parts=_KEYS & {name})


def element(source: Any, index: Any) -> Any:
    """The element or the slice of a value."""
    if isinstance(source, Table):
        return _entry(source, index)
    if isinstance(source, Message) and source.is_polled and isinstance(index, str):
        return of_message(source, index)
    if not isinstance(source, list) or not isinstance(index, int | slice):
        return merged((source, index))
    try:
        return source[index]
    except (IndexError, ValueError):
        raise PythonError from None


def _entry(table: Table, index: Any) -> Any:
    """The value of a key in a dict."""
    place = key(index)
    if place is None:
        return merged((table, index))
    if place not in table.entries:
        if table.default is None:
            raise PythonError
        table.entries[place] = (index, table.default())
    return table.entries[place][1]


def store(source: Any, index: Any, value: Any) -> bool:
    """Stores a value in a list or a dict; returns whether its place is known."""
    if isinstance(source, list) and isinstance(index, int) and -len(source) <= index < len(source):
        source[index] = value
        return True
    place = key(index) if isinstance(source, Table) else None
    if place is None:
        return False
    source.entries[place] = (index, value)
    return True


def items(value: Any) -> list[Any]:
    """The items over which a loop iterates; one unknown item stands for any number."""
    if isinstance(value, Table):
        return [index for index, _ in value.entries.values()]
    if isinstance(value, ItemIterator) and value.failure:
        raise PythonError(value.failure)
    return value if isinstance(value, list) else [value]
