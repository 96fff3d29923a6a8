"""A topic rejects some outputs of an application, whose inputs are committed."""

from __future__ import annotations

from pathlib import Path

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_client import PastClient

_INPUT, _OUTPUT, _APPLICATION = "orders", "bills", "billing"
_SENDS = 20
_PROGRAM = Path(__file__).parent / "Bills.java"
_SHOWN = 6


def play(past: PastClient) -> Outcome:
    """Counts inputs of twenty that are below the committed offset and have no output."""
    clients.create(past.bootstrap, _INPUT, {})
    clients.create(past.bootstrap, _OUTPUT, {"max.message.bytes": "10000"})
    sender = clients.producer(past.bootstrap)
    for number in range(_SENDS):
        clients.must_send(sender, _INPUT, None, str(number).encode())
    [result] = past.run(_PROGRAM, _APPLICATION, _INPUT, _OUTPUT, str(_SENDS))
    past.timeline.add("the committed offset and the bills are compared")
    committed = max(clients.committed(past.bootstrap, _INPUT, _APPLICATION), 0)
    billed = {int(message.key() or b"") for message in clients.read(past.bootstrap, _OUTPUT)}
    forgotten = {*range(committed)} - billed
    lines = [
        f"inputs: {_SENDS}, processed: {result['processed']}, committed up to offset {committed}",
        f"outputs in the topic: {', '.join(map(str, sorted(billed))) or 'none'}",
        f"committed and without an output: {', '.join(map(str, sorted(forgotten))) or 'none'}",
        f"the application's thread {'ended with an error' if result['died'] else 'went on'}",
    ]
    log = [line[:200] for line in past.log().splitlines() if "RecordTooLarge" in line]
    return Outcome(
        len(forgotten),
        _SENDS,
        (
            Exhibit("What became of the inputs", "\n".join(lines)),
            Exhibit("The application's log, first lines on the refusal", "\n".join(log[:_SHOWN])),
        ),
    )
