"""An application is killed when its store has flushed writes of an open transaction."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_client import PastClient

_INPUT, _OUTPUT = "parcels", "counts"
_PROGRAM = Path(__file__).parent / "Crash.java"
_KEYS = "abcdefghij"
_FILLERS, _LONG = 300, 1000
"""Keys so long that RocksDB, with a write buffer of 64 KiB here, flushes them to disk."""


def play(past: PastClient) -> Outcome:
    """Counts keys of ten whose count is higher than the number of records sent."""
    clients.create(past.bootstrap, _INPUT, {})
    clients.create(past.bootstrap, _OUTPUT, {})
    sender = clients.producer(past.bootstrap)

    def send(keys: Iterable[str]) -> None:
        for key in keys:
            clients.must_send(sender, _INPUT, key.encode(), b"x")

    send(_KEYS)
    files = past.run(_PROGRAM, _INPUT, _OUTPUT, "close", str(len(_KEYS)))
    fillers = [f"{number:03}".ljust(_LONG, "-") for number in range(_FILLERS)]
    past.timeline.add("each key counted once and committed; a second record of each is sent")
    send([*_KEYS, *fillers])
    files += past.run(_PROGRAM, _INPUT, _OUTPUT, "crash", str(len(_KEYS) + _FILLERS))
    files += past.run(_PROGRAM, _INPUT, _OUTPUT, "close", str(len(_KEYS) + _FILLERS))
    counts = {
        key: int(message.value() or b"")
        for message in clients.read(past.bootstrap, _OUTPUT)
        if (key := (message.key() or b"").decode()) in _KEYS
    }
    past.timeline.add(f"the last count of each key is read: {sorted({*counts.values()})}")
    wrong = [key for key, count in counts.items() if count > 2]
    table = "  ".join(f"{key}: {count}" for key, count in sorted(counts.items()))
    return Outcome(
        len(wrong),
        len(_KEYS),
        (
            Exhibit("The counts, where two of each key were sent", table),
            Exhibit("The folder of the store", "\n".join(map(_line, files))),
        ),
    )


def _line(row: dict[str, str]) -> str:
    return f"{row['when']:>22}: {row['files']}"
