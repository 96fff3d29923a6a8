"""A task that returns to its thread counts as restored, because it was restored once.

`StoreChangelogReader.completedRestorers` of 2.1 is filled by the first restoration and never
emptied. The store is in memory, so a task that returns has no checkpoint, as in the report. The
program reads that private field of its client (today's releases do not have it).
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
_RELEVANT = re.compile("No checkpoint found|restor|to RUNNING", re.IGNORECASE)
_SHOWN = 12
_COMPLETED = "`completedRestorers` of the first instance's thread"
_NO_SUCH_SET = (
    "This release has no such set. What is known of a changelog goes with its task "
    "(StoreChangelogReader.unregister)."
)


def play(past: PastClient) -> Outcome:
    """Counts keys of ten whose count is lower than the number of records sent."""
    clients.create(past.bootstrap, _INPUT, {}, partitions=2)
    clients.create(past.bootstrap, _OUTPUT, {})
    printed = past.run(_PROGRAM, _INPUT, _OUTPUT)
    rows = [row for row in printed if "count" in row]
    final = [row for row in rows if row["when"] == "alone again"]
    too_low = [row for row in final if row["count"] < row["sent"]]
    log = [line for line in past.log().splitlines() if _RELEVANT.search(line)]
    number = 1 if any(row["key"] in "bdfhj" for row in too_low) else 0
    changelog = past.dump(_CHANGELOG, number, "--value-decoder-class", _LONGS).splitlines()
    changes = [line for line in changelog if "payload: " in line][-_SHOWN:]
    return Outcome(
        len(too_low),
        len(final),
        (
            Exhibit("The counts", _table(rows)),
            Exhibit(_COMPLETED, _noted([row for row in printed if "noted" in row])),
            Exhibit("The application's log, last lines on restoring", "\n".join(log[-_SHOWN:])),
            Exhibit(f"The end of the changelog, partition {number}", "\n".join(changes)),
        ),
    )


def _table(records: list[dict[str, Any]]) -> str:
    """Returns one line per stage: the records sent per key, and the count of each key."""
    lines = []
    for when in dict.fromkeys(row["when"] for row in records):
        rows = [row for row in records if row["when"] == when]
        counts = "  ".join(f"{row['key']}: {row['count']}" for row in rows)
        lines.append(f"{when:>14}, {rows[0]['sent']} of each sent: {counts}")
    return "\n".join(lines)


def _noted(rows: list[dict[str, Any]]) -> str:
    """Returns one line per stage: the partitions that the thread considers restored."""
    if all(row["partitions"] is None for row in rows):
        return _NO_SUCH_SET
    return "\n".join(f"{row['noted']:>14}: {row['partitions']}" for row in rows)
