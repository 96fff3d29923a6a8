"""Functions and methods of Python's lists and dicts, for programs that are run with example
messages (`example_run`)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from advisor.intake.programs.python.processing.example_values import (
    ENDLESS,
    LONGEST,
    MISSING,
    SAMPLE,
    UNKNOWN,
    ItemIterator,
    Message,
    PythonError,
    Table,
    extend,
    items,
    key,
    merged,
    number,
    store,
    truth,
)


def _zip(*lists: Any) -> list[Any]:
    return _zipped(lists, fills=False)


def _zip_longest(*lists: Any) -> list[Any]:
    return _zipped(lists, fills=True)


def _zipped(lists: Sequence[Any], *, fills: bool) -> list[Any]:
    """The tuples of `zip`. An unknown list has a limited length, such as one of workers."""
    if len(lists) > 1 and all(
        isinstance(value, ItemIterator) and value is lists[0] for value in lists
    ):
        return _groups(lists[0].take(LONGEST), len(lists), fills=fills)
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
        return [*itertools.islice(range(*numbers), LONGEST)]
    except (TypeError, ValueError):
        raise PythonError from None


def _copy(source: Any = None, *_: Any) -> Any:
    return [] if source is None else source if source is ENDLESS else [*items(source)]


def _iter(source: Any, *_: Any) -> Any:
    return source if isinstance(source, ItemIterator) else ItemIterator(items(source))


def _enumerate(source: Any, start: Any = 0) -> list[Any]:
    return [[index, value] for index, value in enumerate(items(source), number(start))]


def _length(source: Any) -> Any:
    if isinstance(source, Table):
        return len(source.entries)
    return len(source) if isinstance(source, list) else UNKNOWN


def _all(source: Any) -> Any:
    truths = [truth(value) for value in items(source)]
    return False if False in truths else merged((source,)) if None in truths else True


def _any(source: Any) -> Any:
    truths = [truth(value) for value in items(source)]
    return True if True in truths else merged((source,)) if None in truths else False


def _sum(source: Any, start: Any = 0) -> Any:
    numbers = [start, *items(source)]
    return sum(numbers) if all(isinstance(value, int) for value in numbers) else merged(numbers)


def _bool(source: Any = False) -> Any:
    known = truth(source)
    return merged((source,)) if known is None else known


def _table(*sources: Any) -> Any:
    table = Table()
    for source in sources:
        _update(table, source)
    return table


def _default_table(default: Any = None, *_: Any) -> Table:
    return Table(default if callable(default) else lambda: UNKNOWN)


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
    "filter": lambda _, source: _iter(source), "filterfalse": lambda _, source: _iter(source),
    "next": _next, "islice": _islice, "max": _max,
    "min": _min, "reversed": lambda source: [*reversed(items(source))], "choice": _max,
    "sample": _sample, "choices": _sample, "nlargest": lambda count, source: _sample(source, count),
    "nsmallest": lambda count, source: _sample(source, count), "batched": _chunks,
    "chunked": _chunks, "all": _all, "any": _any, "sum": _sum, "bool": _bool,
    "dict": _table, "OrderedDict": _table, "defaultdict": _default_table,
    "chain": _chain, "count": _endless, "cycle": _endless, "repeat": _endless, "zip": _zip,
    "zip_longest": _zip_longest, "takewhile": lambda _, source: _sample(source),
}  # fmt: skip
"""Functions of Python, itertools, random, heapq and more_itertools that take lists."""


def _count(values: list[Any], value: Any) -> Any:
    is_known = all(isinstance(part, bool | int | str | None) for part in (*values, value))
    return values.count(value) if is_known else merged(values)


def _pop(values: list[Any], index: Any = -1) -> Any:
    try:
        return values.pop(number(index))
    except IndexError:
        raise PythonError from None


def _update(table: Table, source: Any) -> None:
    if isinstance(source, Table):
        table.entries |= source.entries
        return
    for pair in items(source):
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and store(table, *pair)):
            raise TypeError  # what it holds is not known


def _get(table: Table, index: Any, default: Any = None) -> Any:
    place = key(index)
    if place is None:
        return merged((table, index))
    return table.entries.get(place, (index, default))[1]


def _set_default(table: Table, index: Any, default: Any = None) -> Any:
    if key(index) is None:
        raise TypeError
    table.entries.setdefault(key(index), (index, default))
    return _get(table, index)


def _pop_entry(table: Table, index: Any, default: Any = MISSING) -> Any:
    if key(index) is None:
        raise TypeError
    value = table.entries.pop(key(index), (index, default))[1]
    if value is MISSING:
        raise PythonError
    return value


TABLE_METHODS: Mapping[str, Callable[..., Any]] = {
    "get": _get, "setdefault": _set_default, "pop": _pop_entry, "update": _update,
    "items": lambda table: [[*pair] for pair in table.entries.values()],
    "values": lambda table: [value for _, value in table.entries.values()],
    "keys": items, "clear": lambda table: table.entries.clear(), "copy": _table,
}  # fmt: skip
"""Methods of dicts."""
METHODS: Mapping[str, Callable[..., Any]] = {
    "append": lambda values, value: values.append(value),
    "add": lambda values, value: values.append(value),
    "extend": lambda values, others: extend(values, [*items(others)]),
    "pop": _pop, "popleft": lambda values: _pop(values, 0),
    "clear": lambda values: values.clear(), "copy": lambda values: [*values],
    "sort": lambda values: None, "reverse": lambda values: values.reverse(),
    "count": lambda values, value: _count(values, value),
    "insert": lambda values, at, value: values.insert(number(at), value),
    "appendleft": lambda values, value: values.insert(0, value),
    "collect": lambda values: [*values], "toLocalIterator": lambda values: ItemIterator(values),
    "persist": lambda values: values, "cache": lambda values: values,
    "unpersist": lambda values: values, "isEmpty": lambda values: not values,
}  # fmt: skip
"""Methods of lists and deques, and those of a batch of Spark that give its rows."""
