"""`key_reordered` in plain Python, from its definition in `docs/ledger.md`."""

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
    """The values that a group got after a later value of their key from another partition.

    `firsts` has the time and partition of the first delivery by (reader, topic, value), `sent` has
    an attempt of each value, and `invoked` returns the time of the first attempt.
    """
    lines: dict[tuple[Any, ...], list[tuple[int, int, Any, int]]] = defaultdict(list)
    for (group, topic, value), (time, partition) in firsts.items():
        send = sent.get(value, {})
        if send.get("key") is not None:
            line = lines[group, topic, send.get("producer"), send["key"]]
            line.append((time, invoked(value), partition, value))
    late = set()
    for line in lines.values():
        for time, sent_at, partition, value in line:
            earlier = [
                (earlier_sent_at, where)
                for delivered_at, earlier_sent_at, where, _ in line
                if delivered_at < time
            ]
            latest, where = max(earlier, default=(sent_at, partition))
            if latest > sent_at and where != partition:
                late.add(value)
    return late
