"""The progress of a Spark query, read from its checkpointLocation.

`sources/0/0` holds the start offsets. `offsets/N` holds the end offsets of batch N and is written
before the batch runs. `commits/N` is written when batch N is done (Spark
structured-streaming-programming-guide.md, "Recovering from Failures"; OffsetSeqLog.scala,
CommitLog.scala).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def has_offsets(checkpoint: Path) -> bool:
    """Whether the checkpoint has the offsets of a first batch."""
    return (checkpoint / "sources" / "0" / "0").exists()


def planned_rows(checkpoint: Path) -> int:
    """Returns how many rows of a generating source are in planned batches, finished or not."""
    last = max((int(path.name) for path in checkpoint.glob("offsets/[0-9]*")), default=None)
    return 0 if last is None else int(_ends(checkpoint, last)["offset"])


def committed_offsets(checkpoint: Path, topic: str) -> dict[int, int]:
    """Returns partition → offset after the last finished batch; empty if no batch is finished."""
    # Names that begin with a dot are checksums and half-written files.
    batches = [int(path.name) for path in checkpoint.glob("commits/[0-9]*")]
    if not batches:
        return {}
    ends = _ends(checkpoint, max(batches))[topic]
    return {int(partition): offset for partition, offset in ends.items()}


def _ends(checkpoint: Path, batch: int) -> dict[str, Any]:
    # The lines: a version, the metadata of the batch, then one line per source.
    text = (checkpoint / "offsets" / str(batch)).read_text("utf-8").splitlines()[2]
    ends: dict[str, Any] = json.loads(text)
    return ends
