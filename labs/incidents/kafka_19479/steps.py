"""flush() returns while the parts of a batch that was split are still to be sent."""

from __future__ import annotations

from pathlib import Path

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_client import PastClient

_TOPIC, _SENDS = "results", 50
_PROGRAM = Path(__file__).parent / "Flush.java"


def play(past: PastClient) -> Outcome:
    """Counts messages of fifty that had no result yet when flush() had returned."""
    clients.create(past.bootstrap, _TOPIC, {"max.message.bytes": "5000"})
    [data] = past.run(_PROGRAM, _TOPIC, str(_SENDS))
    seen = f"sent: {_SENDS}\nwithout an answer when flush() had returned: {data['open']}"
    return Outcome(int(data["open"]), _SENDS, (Exhibit("What the application saw", seen),))
