"""An offset that is stored without the leader epoch of its message is not committed."""

from __future__ import annotations

from pathlib import Path

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_python import PastPython
from labs.incidents.programs import ProgramFailed

_TOPIC, _SENDS = "invoices", 20
_PROGRAM = Path(__file__).parent / "consumer.py"


def play(past: PastPython) -> Outcome:
    """Counts messages of twenty processed ones that are redelivered after a clean restart."""
    clients.create(past.bootstrap, _TOPIC, {})
    clients.send_all(clients.producer(past.bootstrap), _TOPIC, range(_SENDS))
    [data] = past.run(_PROGRAM, _TOPIC, str(_SENDS))
    if data["processed"] != _SENDS:
        raise ProgramFailed(f"the consumer got {data['processed']} of {_SENDS} messages")
    again = len(data["again"])
    seen = "\n".join([
        f"librdkafka {data['librdkafka']}",
        f"processed: {_SENDS}, stored: offset {_SENDS}",
        f"commit(): {data['outcome']}",
        f"the group's committed offset: {data['committed']}",
        f"handed out again after the restart: {again}",
    ])  # fmt: skip
    return Outcome(again, _SENDS, (Exhibit("What the application saw", seen),))
