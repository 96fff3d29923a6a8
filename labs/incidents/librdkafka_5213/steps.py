"""A batch call counts an end of partition as a message, so the stored offset is one too high."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_python import PastPython
from labs.incidents.programs import ProgramFailed

_TOPIC, _PARTITIONS, _MESSAGES = "parcels", 5, 4
_PROGRAM = Path(__file__).parent / "consumer.py"


def play(past: PastPython) -> Outcome:
    """Counts messages of five, one per partition, that are skipped after a clean restart."""
    clients.create(past.bootstrap, _TOPIC, {}, partitions=_PARTITIONS)
    _send(past, range(_PARTITIONS * _MESSAGES))
    first = _read(past)
    new = range(_PARTITIONS * _MESSAGES, _PARTITIONS * (_MESSAGES + 1))
    past.timeline.add(f"committed: {first['committed']}; one more message in each partition")
    _send(past, new)
    second = _read(past)
    missing = sorted(set(new) - set(second["values"]))
    seen = "\n".join([
        f"librdkafka {first['librdkafka']}",
        f"messages in each partition: {_MESSAGES}, committed: {first['committed']}",
        f"then one more in each; handed out after the restart: {len(second['values'])}",
        f"messages in each partition: {_MESSAGES + 1}, committed: {second['committed']}",
        f"never handed out: {len(missing)}",
    ])  # fmt: skip
    return Outcome(len(missing), len(new), (Exhibit("What the application saw", seen),))


def _send(past: PastPython, values: range) -> None:
    """Sends values to the partitions in turn."""
    sender = clients.producer(past.bootstrap)
    answered = clients.send_all(sender, _TOPIC, values, lambda value: value % _PARTITIONS)
    if answered != set(values):
        raise ProgramFailed(f"{len(answered)} of {len(values)} messages were acknowledged")


def _read(past: PastPython) -> dict[str, Any]:
    [data] = past.run(_PROGRAM, _TOPIC, str(_PARTITIONS))
    if data["ends"] != _PARTITIONS:
        raise ProgramFailed(f"the consumer reached {data['ends']} of {_PARTITIONS} ends")
    return data
