"""poll() delivers records between the commit before a rebalance and its response."""

from __future__ import annotations

from pathlib import Path

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_client import PastClient
from labs.incidents.programs import ProgramFailed

_TOPIC, _SENDS, _ROUNDS = "clicks", 20_000, 3
_PROGRAM = Path(__file__).parent / "Rebalance.java"


def play(past: PastClient) -> Outcome:
    """Counts messages delivered twice to a group while a member joins and leaves three times."""
    clients.create(past.bootstrap, _TOPIC, {}, partitions=2)
    sender = clients.producer(past.bootstrap)
    clients.send_all(sender, _TOPIC, range(_SENDS), lambda value: value % 2)
    [data] = past.run(_PROGRAM, _TOPIC, str(_SENDS), str(_ROUNDS))
    if data["distinct"] != _SENDS:
        raise ProgramFailed(f"the group got {data['distinct']} of {_SENDS} messages")
    twice = int(data["handed"]) - _SENDS
    seen = (
        f"members that joined and left: {_ROUNDS}\nmessages in the topic: {_SENDS}\n"
        f"handed to the group: {data['handed']}\nof these once more: {twice}"
    )
    return Outcome(twice, _SENDS, (Exhibit("What the group was handed", seen),))
