"""A record whose key has the bytes of a commit marker's key makes the cleaner remove the marker.

The marker's key is a version and a type of two bytes each (ControlRecordType): `00 00 00 01`.
"""

from __future__ import annotations

from confluent_kafka import Producer

from labs.engine.base.wait import until
from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_cluster import PastCluster

BROKERS = 1
SETTINGS = {
    "log.cleaner.backoff.ms": 300,
    "log.cleaner.min.cleanable.ratio": "0.0",
    "log.cleaner.dedupe.buffer.size": 20_000_000,
}
_TOPIC, _COMMIT_KEY = "accounts", bytes([0, 0, 0, 1])
_KEYS = (b"a", b"b", b"c", b"d", b"e")
_COMPACTED = {
    "cleanup.policy": "compact",
    "segment.bytes": str(1024 * 1024),
    "min.cleanable.dirty.ratio": "0.0",
    "delete.retention.ms": "100",
}
_FILLING = b"x" * 600_000
"""Two of these begin a segment. Since 4.0 a segment has at least 1 MiB (KIP-1030)."""
_LONGEST = 240
_FILLERS = ("key: filler-", "key: round-")
_STATE = ("*.snapshot", "*.txnindex")
"""Files that a new replica does not have, and rebuilds from the log."""


def play(past: PastCluster) -> Outcome:
    """Counts messages of five committed ones that a read_committed consumer misses."""
    clients.create(past.bootstrap, _TOPIC, _COMPACTED)
    transactional = clients.producer(past.bootstrap, transactional_id="accounts-1")
    transactional.init_transactions(30)
    _commit(transactional)
    until(lambda: _committed(past) == set(_KEYS), 20, "the commit was not seen")
    past.timeline.add(f"a transaction of {len(_KEYS)} messages is committed")
    before = past.dump(_TOPIC)
    _overwrite_marker(past)
    past.timeline.add("the key 00 00 00 01 is in the log, and the cleaner has been there")
    after = past.dump(_TOPIC)
    _abort(transactional)
    past.timeline.add("another transaction of the same producer is aborted")
    _rebuild(past)
    missing = set(_KEYS) - _committed(past)
    return Outcome(
        len(missing),
        len(_KEYS),
        (
            Exhibit("The log after the commit", _records(before)),
            Exhibit("The log after the cleaner", _records(after)),
        ),
    )


def _commit(producer: Producer) -> None:
    producer.begin_transaction()
    for number, key in enumerate(_KEYS):
        producer.produce(_TOPIC, key=key, value=str(number))
    producer.commit_transaction(30)


def _overwrite_marker(past: PastCluster) -> None:
    """Sends a record with the marker's key, and enough others that the cleaner passes it."""
    plain = clients.producer(past.bootstrap)
    clients.must_send(plain, _TOPIC, _COMMIT_KEY, b"an integer key, 1")
    for number in range(3):
        clients.must_send(plain, _TOPIC, f"filler-{number}".encode(), _FILLING)
    # The cleaner keeps a removable marker for delete.retention.ms, and removes it in a later
    # round; a round needs new records.
    for number in range(6):
        cleaned = past.checkpointed("cleaner", _TOPIC)
        for half in ("a", "b"):
            clients.must_send(plain, _TOPIC, f"round-{number}-{half}".encode(), _FILLING)
        _await_round(past, cleaned)


def _await_round(past: PastCluster, cleaned: int) -> None:
    """Waits until the cleaner has read further than it had."""
    until(lambda: past.checkpointed("cleaner", _TOPIC) > cleaned, 20, "the cleaner did not run")


def _abort(producer: Producer) -> None:
    """Aborts another transaction of the same producer, independent of the first."""
    producer.begin_transaction()
    producer.produce(_TOPIC, key=b"unrelated", value="1")
    producer.flush(20)
    producer.abort_transaction(30)


def _rebuild(past: PastCluster) -> None:
    """Kills the broker and removes its producer snapshots, so that it reads its log like a new
    replica, or like one that restarts without snapshots."""
    past.kill(1)
    for pattern in _STATE:
        for file in past.partition(_TOPIC).glob(pattern):
            file.unlink()
    (past.brokers[1].data / "recovery-point-offset-checkpoint").unlink(missing_ok=True)
    past.start(1)


def _committed(past: PastCluster) -> set[bytes]:
    results = {message.key() for message in clients.read(past.bootstrap, _TOPIC)}
    return {key for key in _KEYS if key in results}


def _records(dump: str) -> str:
    """Returns the lines of a dump with records and markers; fillers are only counted."""
    wanted = ("isTransactional: true", "endTxnMarker", "key: ")
    lines = [line for line in dump.splitlines() if any(word in line for word in wanted)]
    filling = [line for line in lines if any(key in line for key in _FILLERS)]
    shown = [line[:_LONGEST] for line in lines if line not in filling]
    return "\n".join([*shown, *([f"and {len(filling)} that fill segments"] if filling else [])])
