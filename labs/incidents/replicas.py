"""Compares the replicas of a topic's only partition."""

from __future__ import annotations

from itertools import combinations

from labs.incidents.past_cluster import PastCluster
from labs.incidents.past_files import by_broker, records

Log = list[tuple[int, str]]
"""Offset and value of each record, in the order of the log."""
_SHOWN = 6


def read_logs(past: PastCluster, topic: str, *brokers: int) -> dict[int, Log]:
    """Returns the log of each of these brokers, from a dump of its segments."""
    dumps = by_broker(past.dump(topic, *brokers))
    return {number: list(records(dumps[number])) for number in brokers}


def differing_offsets(logs: dict[int, Log]) -> set[int]:
    """Returns the offsets at which two replicas have different messages."""
    offsets: set[int] = set()
    for first, second in combinations(map(dict, logs.values()), 2):
        offsets |= {
            offset for offset in first.keys() & second.keys() if first[offset] != second[offset]
        }
    return offsets


def side_by_side(logs: dict[int, Log], shown: int = _SHOWN) -> str:
    """Returns a table of replicas, from the first offset that differs; else of the last offsets."""
    by_offset = {number: dict(log) for number, log in logs.items()}
    last = max(offset for log in by_offset.values() for offset in log)
    first = min(differing_offsets(logs), default=last - shown + 1)
    head = f"{'offset':>8}" + "".join(f"{f'broker {number}':>12}" for number in logs)
    rows = [
        f"{offset:>8}" + "".join(f"{log.get(offset, '-'):>12}" for log in by_offset.values())
        for offset in range(first, first + shown)
    ]
    return "\n".join([head, *rows])
