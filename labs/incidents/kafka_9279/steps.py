"""A send that is refused before it is queued leaves the transaction as it was."""

from __future__ import annotations

from pathlib import Path

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_client import PastClient

_TOPIC, _SENDS = "invoices", 5
_PROGRAM = Path(__file__).parent / "RefusedSend.java"


def play(past: PastClient) -> Outcome:
    """How many of five messages are missing in a transaction that was committed."""
    clients.create(past.bootstrap, _TOPIC, {})
    [data] = past.run(_PROGRAM, _TOPIC)
    there = len(clients.read(past.bootstrap, _TOPIC))
    past.timeline.add(f"a reader of committed messages gets {there} of {_SENDS}")
    text = "committed" if data["committed"] else f"refused: {data['error']}"
    missing = _SENDS - there if data["committed"] else 0
    seen = f"commitTransaction(): {text}\nmessages that a reader of committed ones gets: {there}"
    return Outcome(missing, _SENDS, (Exhibit("What the application saw, and what is there", seen),))
