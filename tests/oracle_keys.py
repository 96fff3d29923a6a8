"""`key_reordered` in plain Python, from its sentence in `docs/ledger.md`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from tests.oracle_rows import Row


def late_by_key(
    firsts: Mapping[tuple[Any, ...], tuple[int, Any]],
    sent: Mapping[int, Row],
    invoked: Callable[[int], int],
) -> set[int]:
    """The values that a group was handed after a later one of their key, from elsewhere.

    `firsts` says by (reader, topic, value) when that was handed out first, and of which partition;
    `sent` has an attempt of each value, and `invoked` the moment of its first one.
    """
    lines: dict[tuple[Any, ...], list[tuple[int, int, Any, int]]] = defaultdict(list)
    for (who, topic, value), (time, partition) in firsts.items():
        send = sent.get(value, {})
        if send.get("key") is not None:
            line = lines[who, topic, send.get("producer"), send["key"]]
            line.append((time, invoked(value), partition, value))
    late = set()
    for line in lines.values():
        for time, moment, partition, value in line:
            before = [(sooner, where) for then, sooner, where, _ in line if then < time]
            latest, where = max(before, default=(moment, partition))
            if latest > moment and where != partition:
                late.add(value)
    return late
