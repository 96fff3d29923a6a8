"""Leaders move while a consumer fetches, and it fetches the same records again."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from labs.engine.protocol import reassign
from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_python import PastPython
from labs.incidents.programs import ProgramFailed

BROKERS = 3
SETTINGS = {
    # The controller moves the leadership back to the first replica of each partition.
    "leader.imbalance.check.interval.seconds": 1,
    "leader.imbalance.per.broker.percentage": 0,
}
_TOPIC, _PARTITIONS, _SENDS = "readings", 12, 20_000
_TOGETHER, _PAUSE_S = 100, 0.1
_LIMIT_S = 30.0
_MOVE_S = 2.0
_PROGRAM = Path(__file__).parent / "consumer.py"


def play(past: PastPython) -> Outcome:
    """Counts messages that one consumer got twice without a restart or a rebalance."""
    clients.create(past.bootstrap, _TOPIC, {}, copies=BROKERS, partitions=_PARTITIONS)
    with _busy(past.bootstrap) as moved:
        past.timeline.add(
            "a producer sends, and every other second each partition gets another leader"
        )
        [data] = past.run(_PROGRAM, _TOPIC, str(_PARTITIONS), str(_SENDS))
    if data["messages"] != _SENDS:
        raise ProgramFailed(f"the consumer got {data['messages']} of {_SENDS} messages")
    seen = "\n".join([
        f"librdkafka {data['librdkafka']}",
        f"times that the leaders were moved: {len(moved)}",
        f"messages sent and acknowledged: {_SENDS}",
        f"handed out twice: {data['twice']}",
    ])  # fmt: skip
    return Outcome(data["twice"], _SENDS, (Exhibit("What the application saw", seen),))


@contextmanager
def _busy(bootstrap: str) -> Iterator[list[int]]:
    """Runs a producer, and moves leaders until it has sent everything.

    The list has the intended leader of each move.
    """
    over, moved = Event(), list[int]()
    with ThreadPoolExecutor(2) as pool:
        work = [pool.submit(_send, bootstrap, over), pool.submit(_move, bootstrap, over, moved)]
        work[0].add_done_callback(lambda _: over.set())
        try:
            yield moved
        finally:
            over.set()
        for part in work:
            part.result()


def _send(bootstrap: str, over: Event) -> None:
    sender = clients.producer(bootstrap, enable_idempotence="true")
    for value in range(_SENDS):
        if value % _TOGETHER == 0 and over.wait(_PAUSE_S):
            return
        sender.produce(_TOPIC, str(value), partition=value % _PARTITIONS)
        sender.poll(0)
    if left := sender.flush(_LIMIT_S):
        raise ProgramFailed(f"{left} messages were not acknowledged within {_LIMIT_S:.0f} s")


def _move(bootstrap: str, over: Event, moved: list[int]) -> None:
    """Makes another broker the first replica of each partition, repeatedly."""
    port = int(bootstrap.partition(",")[0].rpartition(":")[2])
    while not over.wait(_MOVE_S):
        first = len(moved) % BROKERS
        replicas = [(first + place) % BROKERS + 1 for place in range(BROKERS)]
        for partition in range(_PARTITIONS):
            reassign.request_replicas(port, _TOPIC, partition, replicas, limit_s=10)
        moved.append(replicas[0])
