"""A batch that the topic rejects is split into batches of the same size, in vain."""

from __future__ import annotations

from pathlib import Path

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_client import PastClient

_TOPIC, _SENDS = "measurements", 30
_PROGRAM = Path(__file__).parent / "TooLarge.java"


def play(past: PastClient) -> Outcome:
    """Counts messages of thirty small ones that the client gave up."""
    clients.create(past.bootstrap, _TOPIC, {"max.message.bytes": "2000"})
    [data] = past.run(_PROGRAM, _TOPIC, str(_SENDS))
    there = len(clients.read(past.bootstrap, _TOPIC))
    why = f" ({data['why']})" if data["why"] else ""
    seen = f"failed sends: {data['failed']}{why}\nmessages in the log: {there}"
    return Outcome(int(data["failed"]), _SENDS, (Exhibit("What the application saw", seen),))
