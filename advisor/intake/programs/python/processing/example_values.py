"""Values of a Python program that is run with example messages (`example_run`).

Numbers, lists and messages are computed as Python does it. Any other value is `UNKNOWN`, or, if it
comes from messages, a `Message` that stands for all of them.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from advisor.intake.programs.python.processing.example_program import NotRun

UNKNOWN, ENDLESS = object(), object()
"""A value that is not known, and an iterator without an end (itertools.count, cycle, repeat)."""
SAMPLE = 3
"""The value of an unknown number, such as a limit that a setting states."""
_LONGEST = 2_000


class Message:
    """A message, or a value that is computed from messages; `offsets` are theirs."""

    def __init__(self, offsets: frozenset[int], *, is_polled: bool = False) -> None:
        self.offsets, self.is_polled = offsets, is_polled


class ItemIterator(list[Any]):
    """An iterator: what takes an item from it leaves the others."""

    def take(self, count: int) -> list[Any]:
        """Removes and returns the next items."""
        taken = self[:count]
        del self[:count]
        return taken


class PythonError(Exception):
    """The program raises an error."""


def parts(value: Any) -> Iterator[Any]:
    """Yields a value and everything in it. A list may contain itself."""
    seen, pending = set[int](), [value]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, list) and id(part) not in seen:
            seen.add(id(part))
            pending += part


def offsets_in(value: Any) -> frozenset[int]:
    """The offsets of all messages in a value."""
    messages = (part.offsets for part in parts(value) if isinstance(part, Message))
    return frozenset().union(*messages)


def merged(values: Iterable[Any]) -> Any:
    """A value that is computed from others in an unknown way."""
    offsets = offsets_in([*values])
    return Message(offsets) if offsets else UNKNOWN


def number(value: Any) -> int:
    """A value as a number; `SAMPLE` if it is unknown."""
    return value if isinstance(value, int) else SAMPLE


def truth(value: Any) -> bool | None:
    """Whether a value is true; None if that is unknown."""
    if value is UNKNOWN or (isinstance(value, Message) and not value.is_polled):
        return None
    return bool(value)


_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Mod": operator.mod,
    "FloorDiv": operator.floordiv, "Div": operator.truediv, "Lt": operator.lt, "LtE": operator.le,
    "Gt": operator.gt, "GtE": operator.ge, "Eq": operator.eq, "NotEq": operator.ne,
}  # fmt: skip


def operation(name: str, left: Any, right: Any) -> Any:
    """The result of a binary operator or a comparison, by the name of its class in `ast`."""
    if name in ("Is", "IsNot") and right is None and truth(left) is not None:
        return (left is None) == (name == "Is")
    are_numbers = isinstance(left, int | float) and isinstance(right, int | float)
    are_lists = isinstance(left, list) and isinstance(right, list) and name == "Add"
    repeats = isinstance(left, list) and isinstance(right, int) and name == "Mult"
    is_large = (
        (are_numbers and max(abs(left), abs(right)) > _LONGEST**2)
        or (are_lists and len(left) + len(right) > _LONGEST)
        or (repeats and len(left) * right > _LONGEST)
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
    if len(values) > _LONGEST:
        raise NotRun


def element(source: Any, index: Any) -> Any:
    """The element or the slice of a value."""
    if not isinstance(source, list) or not isinstance(index, int | slice):
        return merged((source, index))
    try:
        return source[index]
    except (IndexError, ValueError):
        raise PythonError from None


def items(value: Any) -> list[Any]:
    """The items over which a loop iterates; one unknown item stands for any number."""
    return value if isinstance(value, list) else [value]


def _zip(*lists: Any) -> list[Any]:
    return _zipped(lists, fills=False)


def _zip_longest(*lists: Any) -> list[Any]:
    return _zipped(lists, fills=True)


def _zipped(lists: Sequence[Any], *, fills: bool) -> list[Any]:
    """The tuples of `zip`. An unknown list has a limited length, such as one of workers."""
    if len(lists) > 1 and all(
        isinstance(value, ItemIterator) and value is lists[0] for value in lists
    ):
        return _groups(lists[0].take(_LONGEST), len(lists), fills=fills)
    columns = [[UNKNOWN] * SAMPLE if value is UNKNOWN else value for value in lists]
    lengths = [len(value) for value in columns if isinstance(value, list)]
    if not lengths or any(isinstance(value, Message) for value in columns):
        return [merged(lists)]
    length = max(lengths) if fills else min(lengths)
    filled = [
        [UNKNOWN if value is ENDLESS else None] * length
        if not isinstance(value, list) else [*value, *[None] * length][:length]
        for value in columns
    ]  # fmt: skip
    return [[*row] for row in zip(*filled, strict=True)]


def _groups(values: list[Any], size: int, *, fills: bool = True) -> list[Any]:
    """Groups of a size; the last one is smaller, or is left out."""
    groups = [values[at : at + size] for at in range(0, len(values), size)]
    return groups if fills else [group for group in groups if len(group) == size]


def _islice(source: Any, *bounds: Any) -> Any:
    limits = slice(*(None if bound is None else number(bound) for bound in bounds))
    if isinstance(source, ItemIterator) and len(bounds) == 1:
        return source.take(number(bounds[0]))
    return source[limits] if isinstance(source, list) else merged((source,))


def _range(*bounds: Any) -> list[Any]:
    numbers = [*map(number, bounds)]
    try:
        return [*itertools.islice(range(*numbers), _LONGEST)]
    except (TypeError, ValueError):
        raise PythonError from None


def _copy(source: Any = None, *_: Any) -> Any:
    return [] if source is None else source if source is ENDLESS else [*items(source)]


def _iter(source: Any, *_: Any) -> Any:
    return source if isinstance(source, ItemIterator) else ItemIterator(items(source))


def _enumerate(source: Any, start: Any = 0) -> list[Any]:
    return [[index, value] for index, value in enumerate(items(source), number(start))]


def _length(source: Any) -> Any:
    return len(source) if isinstance(source, list) else UNKNOWN


def _next(source: Any, *default: Any) -> Any:
    if not isinstance(source, ItemIterator):
        return merged((source,))
    if not source and not default:
        raise PythonError
    return source.take(1)[0] if source else default[0]


def _extreme(choose: Callable[[Iterable[int]], int], *values: Any) -> Any:
    """`max` or `min`: of several numbers, or some element of one list."""
    if len(values) > 1 and any(isinstance(value, int) for value in values):
        return choose(map(number, values))
    source = values[0]
    return source[-1] if isinstance(source, list) and source else merged(values)


def _max(*values: Any) -> Any:
    return _extreme(max, *values)


def _min(*values: Any) -> Any:
    return _extreme(min, *values)


def _sample(source: Any, count: Any = 1) -> Any:
    return source[: number(count)] if isinstance(source, list) else merged((source,))


def _chunks(source: Any, size: Any) -> list[Any]:
    return _groups(items(source), max(1, number(size)))


def _chain(*lists: Any) -> list[Any]:
    chained = list[Any]()
    for source in lists:
        extend(chained, items(source))
    return chained


def _endless(*_: Any) -> Any:
    return ENDLESS


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "len": _length, "range": _range, "enumerate": _enumerate, "list": _copy, "tuple": _copy,
    "iter": _iter, "set": _copy, "deque": _copy, "sorted": _copy, "tqdm": _copy,
    "filter": lambda _, source: _iter(source), "next": _next, "islice": _islice, "max": _max,
    "min": _min, "reversed": lambda source: [*reversed(items(source))], "choice": _max,
    "sample": _sample, "choices": _sample, "nlargest": lambda count, source: _sample(source, count),
    "nsmallest": lambda count, source: _sample(source, count), "batched": _chunks,
    "chunked": _chunks, "chain": _chain, "count": _endless, "cycle": _endless, "repeat": _endless,
    "zip": _zip, "zip_longest": _zip_longest, "takewhile": lambda _, source: _sample(source),
}  # fmt: skip
"""Functions of Python, itertools, random, heapq and more_itertools that take lists."""


def _pop(values: list[Any], index: Any = -1) -> Any:
    try:
        return values.pop(number(index))
    except IndexError:
        raise PythonError from None


METHODS: Mapping[str, Callable[..., Any]] = {
    "append": lambda values, value: values.append(value),
    "add": lambda values, value: values.append(value),
    "extend": lambda values, others: extend(values, [*items(others)]),
    "pop": _pop, "popleft": lambda values: _pop(values, 0),
    "clear": lambda values: values.clear(), "copy": lambda values: [*values],
    "sort": lambda values: None, "reverse": lambda values: values.reverse(),
    "insert": lambda values, at, value: values.insert(number(at), value),
    "appendleft": lambda values, value: values.insert(0, value),
    "collect": lambda values: [*values], "toLocalIterator": lambda values: ItemIterator(values),
    "persist": lambda values: values, "cache": lambda values: values,
    "unpersist": lambda values: values, "isEmpty": lambda values: not values,
}  # fmt: skip
"""Methods of lists and deques, and those of a batch of Spark that give its rows."""
