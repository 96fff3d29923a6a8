"""What follows from the format that a Spark query writes in.

Sources: Spark structured-streaming-programming-guide.md, Output Sinks (which are fault-tolerant);
FileStreamSink.scala (`addBatch`: a batch that is in its log is passed over); Delta Lake, Table
streaming reads and writes (txnAppId, txnVersion); Apache Iceberg, Structured Streaming (the epoch
is kept in the snapshot).
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.clients.generated_names import is_new, with_assigned
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
_WRITE = re.compile(r"\.write\b")
_WRITTEN = re.compile(
    r"\.write\b(?:(?!\.write\b)[\s\S]){0,600}?\.(?:save|saveAsTable|insertInto)\("
)
_BY_FUNCTION = re.compile(r"\.foreachBatch\s*[({]")
_OF_BATCH = re.compile(
    r"\bdef\s+\w+\s*\(\s*(?:self\s*,\s*)?(\w+)\s*(?::[^,()]+)?,\s*\w+|[({]\s*\(?\s*(?:Dataset<Row>\s+)?"
    r"(\w+)\s*(?::\s*[\w\[\]]+)?\s*,\s*[\w: ]+\)?\s*(?:=>|->)|\blambda\s+(\w+)\s*,"
)
"""What a function calls the batch that it is given."""
_TRANSACTION = (
    re.compile(r"['\"]txnAppId['\"]\s*,\s*(['\"]|[A-Za-z_]\w*(?=\s*\)))"),
    re.compile(r"['\"]txnVersion['\"]\s*,\s*[A-Za-z_]\w*(?:\.toString)?\s*\)"),
)
"""Of Delta, whose table passes over a version that it has of an application."""
_OTHER = re.compile(
    r"\.(?:writeTo|jdbc|foreach|foreachPartition|merge|execute\w*|sql|send\w*|produce|post|put\w*"
    r"|insert|commit|collect\w*|toPandas|toLocalIterator)\s*[({]|\brequests\b"
)
"""What writes to another system, or may."""
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


def settle_functions(reading: Reading, code: str) -> None:
    """States that the sink takes each batch once, where all that the functions of the queries do is
    to write to tables of Delta that know the application and the batch."""
    writes = [match.start() for match in _WRITE.finditer(code)]
    functions = len(_BY_FUNCTION.findall(code))
    if not writes or functions != len(re.findall(r"\.writeStream\b", code)) or _OTHER.search(code):
        return
    names = "|".join(
        {name for match in _OF_BATCH.finditer(code) for name in match.groups() if name}
    )
    if not names or re.search(rf"\b(?<!def )\w+\s*\((?:[^()\n]*,)?\s*(?:{names})\s*[,)]", code):
        return  # a function of elsewhere is given the batch
    statements = (_WRITTEN.match(code, at) for at in writes)
    for match in statements:
        told = [own.search(match[0]) for own in _TRANSACTION] if match else []
        if not told or not all(told):
            return
        if is_new(with_assigned(code, "".join(own[1] for own in told[:1] if own))):
            return
    line = line_of(code, writes[0])
    reading.state(Component.APPLICATION, "sink", "idempotent", line)
    words = "a table that is told txnAppId and txnVersion takes each batch once (application.sink)"
    reading.note(line, words)
