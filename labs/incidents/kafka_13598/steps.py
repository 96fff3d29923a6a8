"""A producer whose default is idempotence sends batches without a producer id."""

from __future__ import annotations

import re
from pathlib import Path

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_client import PastClient
from labs.incidents.programs import ProgramFailed

_TOPIC, _SENDS = "clicks", 5
_PROGRAM = Path(__file__).parent / "Defaults.java"
_BATCH = re.compile(r"^baseOffset: .* producerId: (-?\d+) ", re.MULTILINE)


def play(past: PastClient) -> Outcome:
    """Counts messages of five that are in the log without a producer id."""
    clients.create(past.bootstrap, _TOPIC, {})
    [data] = past.run(_PROGRAM, _TOPIC)
    dumped = past.dump(_TOPIC)
    ids = _BATCH.findall(dumped)
    if len(ids) != _SENDS:
        raise ProgramFailed(f"{len(ids)} batches in the log instead of {_SENDS}")
    lines = "\n".join(line for line in dumped.splitlines() if line.startswith("baseOffset"))
    past.timeline.add(f"the log has {len(ids)} batches, {ids.count('-1')} without a producer id")
    default = f"enable.idempotence={str(data['default']).lower()}"
    return Outcome(
        ids.count("-1"),
        _SENDS,
        (
            Exhibit("The default that the client states", default),
            Exhibit("The batches in the log", lines),
        ),
    )
