"""The progress of a Spark query, read from its checkpointLocation.

`sources/0/0` holds where it began, `offsets/N` the ends of batch N, written before it is run, and
`commits/N` that it is done (Spark structured-streaming-programming-guide.md, "Recovering from
Failures"; OffsetSeqLog.scala, CommitLog.scala).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def has_offsets(checkpoint: Path) -> bool:
    """Whether the checkpoint has the offsets of a first batch."""
    return (checkpoint / "sources" / "0" / "0").exists()


def planned_rows(checkpoint: Path) -> int:
    """How many rows of a generating source are in batches, finished or not."""
    last = max((int(path.name) for path in checkpoint.glob("offsets/[0-9]*")), default=None)
    return 0 if last is None else int(_ends(checkpoint, last)["offset"])


def committed_offsets(checkpoint: Path, topic: str) -> dict[int, int]:
    """By partition, the offset after the last batch that is done; empty where none is."""
    # Those that begin with a dot are checksums and half-written files.
    done = [int(path.name) for path in checkpoint.glob("commits/[0-9]*")]
    if not done:
        return {}
    ends = _ends(checkpoint, max(done))[topic]
    return {int(partition): offset for partition, offset in ends.items()}


def _ends(checkpoint: Path, batch: int) -> dict[str, Any]:
    # Its version, what is true of the whole batch, then a line for each source.
    text = (checkpoint / "offsets" / str(batch)).read_text("utf-8").splitlines()[2]
    ends: dict[str, Any] = json.loads(text)
    return ends
