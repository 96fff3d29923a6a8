"""What follows from the format that a Spark query writes in.

Sources: Spark structured-streaming-programming-guide.md, Output Sinks (which are fault-tolerant);
FileStreamSink.scala (`addBatch`: a batch that is in its log is passed over); Delta Lake, Table
streaming reads and writes (txnAppId, txnVersion); Apache Iceberg, Structured Streaming (the epoch
is kept in the snapshot).
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.reading import Reading
from advisor.intake.text import line_of

FORMAT = re.compile(r"\.writeStream\b(?:(?!\.readStream\b)[\s\S]){0,600}?\.format\(\s*['\"](\w+)")
"""The format of each query that writes a stream."""
_TO = re.compile(
    r"\.writeStream\b(?:(?!\.(?:readStream|writeStream|format|foreach|foreachBatch)\b)[\s\S]){0,600}?"
    r"\.(?P<verb>toTable|table|start)\((?P<place>\s*[fr]?['\"])?"
)
"""A query that names no format, and a table or a folder: it writes in `spark.sql.sources.default`,
which is parquet, or in the table's own (DataStreamWriter.scala)."""
_DEFAULT = ""
_BY_BATCH = frozenset({
    _DEFAULT,
    "delta", "iceberg", "hudi", "parquet", "orc", "csv", "json", "text", "avro",
})  # fmt: skip
"""Sinks that keep the number of each batch with its rows, and take each batch once."""
_CONSOLE = (
    "a sink of format console keeps nothing that it prints. The answer is for a sink that keeps "
    "what it is given"
)
_TRIALS = {
    "memory": "what is in it is gone with the driver, and its offsets are not",
    "noop": "it keeps nothing",
}


def settle(reading: Reading, code: str) -> None:
    """States that the sink takes each batch once, where each query of the code has such a sink;
    and that one for trials alone is not advised on, or only printed."""
    found = [(match[1].lower(), match.start(1)) for match in FORMAT.finditer(code)]
    found += [
        (_DEFAULT, match.start("verb"))
        for match in _TO.finditer(code)
        if match["place"] or match["verb"] != "start"
    ]
    for name, at in found:
        if name in _TRIALS:
            words = (
                f"a sink of format {name} is for trials: {_TRIALS[name]}. That is not advised on"
            )
            reading.wrong(Component.APPLICATION, "sink", line_of(code, at), words)
        elif name == "console":
            reading.note(line_of(code, at), _CONSOLE)
    if found and all(name in _BY_BATCH for name, _ in found):
        name, at = found[0]
        reading.state(Component.APPLICATION, "sink", "idempotent", line_of(code, at))
        what = "table or folder" if name == _DEFAULT else f"sink of format {name}"
        words = f"a {what} takes each batch once (application.sink)"
        reading.note(line_of(code, at), words)
