"""A send that fails before it is queued does not affect the transaction."""

from __future__ import annotations

from pathlib import Path

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_client import PastClient

_TOPIC, _SENDS = "invoices", 5
_PROGRAM = Path(__file__).parent / "RefusedSend.java"


def play(past: PastClient) -> Outcome:
    """Counts messages of five that are missing in a committed transaction."""
    clients.create(past.bootstrap, _TOPIC, {})
    [data] = past.run(_PROGRAM, _TOPIC)
    there = len(clients.read(past.bootstrap, _TOPIC))
    past.timeline.add(f"a reader of committed messages gets {there} of {_SENDS}")
    text = "committed" if data["committed"] else f"refused: {data['error']}"
    missing = _SENDS - there if data["committed"] else 0
    seen = f"commitTransaction(): {text}\nmessages that a reader of committed ones gets: {there}"
    return Outcome(missing, _SENDS, (Exhibit("What the application saw, and what is there", seen),))
