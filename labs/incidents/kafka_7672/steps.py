"""A task that leaves a thread and comes back is taken for restored, because it was once.

`StoreChangelogReader.completedRestorers` of 2.1 is filled by the first restoration and never
emptied. The store is in memory, so a task that comes back has no checkpoint, as in the report. The
program reads that private field of its own client (releases of today have none).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_client import PastClient

_INPUT, _OUTPUT, _CHANGELOG = "parcels", "counts", "counts-store-changelog"
_LONGS = "org.apache.kafka.tools.api.LongDecoder"
_PROGRAM = Path(__file__).parent / "Counts.java"
_TELLING = re.compile("No checkpoint found|restor|to RUNNING", re.IGNORECASE)
_SHOWN = 12
_COMPLETED = "`completedRestorers` of the first instance's thread"
_NO_SUCH_SET = (
    "This release has no such set. What is known of a changelog goes with its task "
    "(StoreChangelogReader.unregister)."
)


def play(past: PastClient) -> Outcome:
    """How many of ten counts are lower than the records that were sent."""
    clients.create(past.bootstrap, _INPUT, {}, partitions=2)
    clients.create(past.bootstrap, _OUTPUT, {})
    printed = past.run(_PROGRAM, _INPUT, _OUTPUT)
    rows = [row for row in printed if "count" in row]
    last = [row for row in rows if row["when"] == "alone again"]
    short = [row for row in last if row["count"] < row["sent"]]
    log = [line for line in past.log().splitlines() if _TELLING.search(line)]
    number = 1 if any(row["key"] in "bdfhj" for row in short) else 0
    changelog = past.dump(_CHANGELOG, number, "--value-decoder-class", _LONGS).splitlines()
    changes = [line for line in changelog if "payload: " in line][-_SHOWN:]
    return Outcome(
        len(short),
        len(last),
        (
            Exhibit("The counts", _table(rows)),
            Exhibit(_COMPLETED, _noted([row for row in printed if "noted" in row])),
            Exhibit("The application's log, last lines on restoring", "\n".join(log[-_SHOWN:])),
            Exhibit(f"The end of the changelog, partition {number}", "\n".join(changes)),
        ),
    )


def _table(records: list[dict[str, Any]]) -> str:
    """A line a stage: how many records of each key were sent, and the count of each."""
    lines = []
    for when in dict.fromkeys(row["when"] for row in records):
        rows = [row for row in records if row["when"] == when]
        counts = "  ".join(f"{row['key']}: {row['count']}" for row in rows)
        lines.append(f"{when:>14}, {rows[0]['sent']} of each sent: {counts}")
    return "\n".join(lines)


def _noted(rows: list[dict[str, Any]]) -> str:
    """A line a stage: the partitions that the thread holds for restored."""
    if all(row["partitions"] is None for row in rows):
        return _NO_SUCH_SET
    return "\n".join(f"{row['noted']:>14}: {row['partitions']}" for row in rows)
