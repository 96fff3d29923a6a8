"""Sinks of a Spark query, by their format, that take each batch once.

Sources: Spark structured-streaming-programming-guide.md, Output Sinks (which are fault-tolerant);
FileStreamSink.scala (`addBatch`: a batch that is in its log is skipped); Delta Lake, Table
streaming reads and writes (txnAppId, txnVersion); Apache Iceberg, Structured Streaming (the
snapshot stores the epoch).
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.clients.generated_names import is_generated, with_assignments
from advisor.intake.programs.facts import add_skipped_messages
from advisor.intake.reading import Reading
from advisor.intake.text import line_of

FORMAT = re.compile(r"\.writeStream\b(?:(?!\.readStream\b)[\s\S]){0,600}?\.format\(\s*['\"](\w+)")
"""The format of each query that writes a stream."""
_DEFAULT_FORMAT = re.compile(
    r"\.writeStream\b(?:(?!\.(?:readStream|writeStream|format|foreach|foreachBatch)\b)[\s\S]){0,600}?"
    r"\.(?P<verb>toTable|table|start)\((?P<literal>\s*[fr]?['\"])?"
)
"""A query that names a table or a folder, and no format: it writes in the table's format, or in
`spark.sql.sources.default`, which is parquet (DataStreamWriter.scala)."""
_DEFAULT = ""
_ONCE_PER_BATCH = frozenset({
    _DEFAULT,
    "delta", "iceberg", "hudi", "parquet", "orc", "csv", "json", "text", "avro",
})  # fmt: skip
"""Sinks that store the number of each batch with its rows, and so take each batch once."""
_WRITE = re.compile(r"\.write\b")
_WRITE_STATEMENT = re.compile(
    r"\.write\b(?:(?!\.write\b)[\s\S]){0,600}?\.(?:save|saveAsTable|insertInto)\("
)
_FOREACH_BATCH = re.compile(r"\.foreachBatch\s*[({]")
_BATCH_PARAMETER = re.compile(
    r"\bdef\s+\w+\s*\(\s*(?:self\s*,\s*)?(\w+)\s*(?::[^,()]+)?,\s*\w+|[({]\s*\(?\s*(?:Dataset<Row>\s+)?"
    r"(\w+)\s*(?::\s*[\w\[\]]+)?\s*,\s*[\w: ]+\)?\s*(?:=>|->)|\blambda\s+(\w+)\s*,"
)
"""The parameter of a function that holds the batch."""
_TRANSACTION = (
    re.compile(r"['\"]txnAppId['\"]\s*,\s*(['\"]|[A-Za-z_]\w*(?=\s*\)))"),
    re.compile(r"['\"]txnVersion['\"]\s*,\s*[A-Za-z_]\w*(?:\.toString)?\s*\)"),
)
"""Options of Delta: a table skips a version that an application wrote before."""
_CONSTANT_VERSION = re.compile(r"['\"]txnVersion['\"]\s*,\s*(?:str\()?['\"]?\d+[lL]?['\"]?\)?\s*\)")
_SKIPPED_VERSION = (
    "Delta skips a batch whose txnVersion is not above the last one of its txnAppId, and with one "
    "value for all only the first batch is written. State the number of the batch"
)
_IGNORED_BATCH = re.compile(
    r"hoodie\.datasource\.write\.streaming\.ignore\.failed\.batch['\"]?\s*(?:,|:|=|->)\s*['\"]?"
    r"(?i:true)\b"
)
_OTHER_WRITE = re.compile(
    r"\.(?:writeTo|jdbc|foreach|foreachPartition|merge|execute\w*|sql|send\w*|produce|post|put\w*"
    r"|insert|commit|collect\w*|toPandas|toLocalIterator)\s*[({]|\brequests\b"
)
"""Calls that write, or may write, to another system."""
_CONSOLE = (
    "a sink of format console stores nothing. The answer is for a sink that stores what is written "
    "to it"
)
_TESTING = {
    "memory": "its rows are gone with the driver, and its offsets are not",
    "noop": "it stores nothing",
}


def refuse_skipped_batches(reading: Reading, code: str) -> None:
    """Adds a problem for a version of Delta's that is the same for all batches, and the fact that
    Hudi skips a batch that it cannot write (HoodieStreamingSink.scala)."""
    if match := _CONSTANT_VERSION.search(code):
        line = line_of(code, match.start())
        reading.add_problem(Component.APPLICATION, "processing", line, _SKIPPED_VERSION)
    if match := _IGNORED_BATCH.search(code):
        words = "ignore.failed.batch=true: Hudi logs the error of a batch, and the query takes the "
        words += "batch as done"
        add_skipped_messages(reading, line_of(code, match.start()), words)


def check_formats(reading: Reading, code: str) -> None:
    """Declares the sink idempotent if every query of the code has a sink that takes each batch
    once. Refuses a sink for testing, and notes the console."""
    formats = [(match[1].lower(), match.start(1)) for match in FORMAT.finditer(code)]
    formats += [
        (_DEFAULT, match.start("verb"))
        for match in _DEFAULT_FORMAT.finditer(code)
        if match["literal"] or match["verb"] != "start"
    ]
    for name, at in formats:
        if name in _TESTING:
            words = f"a sink of format {name} is for tests: {_TESTING[name]}. That is not covered"
            reading.add_problem(Component.APPLICATION, "sink", line_of(code, at), words)
        elif name == "console":
            reading.note(line_of(code, at), _CONSOLE)
    if formats and all(name in _ONCE_PER_BATCH for name, _ in formats):
        name, at = formats[0]
        reading.add_setting(Component.APPLICATION, "sink", "idempotent", line_of(code, at))
        noun = "table or folder" if name == _DEFAULT else f"sink of format {name}"
        words = f"a {noun} takes each batch once (application.sink)"
        reading.note(line_of(code, at), words)


def check_functions(reading: Reading, code: str) -> None:
    """Declares the sink idempotent if the functions of the queries only write to tables of Delta,
    and state the application and the batch."""
    writes = [match.start() for match in _WRITE.finditer(code)]
    functions = len(_FOREACH_BATCH.findall(code))
    if (
        not writes
        or functions != len(re.findall(r"\.writeStream\b", code))
        or _OTHER_WRITE.search(code)
    ):
        return
    names = "|".join(
        {name for match in _BATCH_PARAMETER.finditer(code) for name in match.groups() if name}
    )
    if not names or re.search(rf"\b(?<!def )\w+\s*\((?:[^()\n]*,)?\s*(?:{names})\s*[,)]", code):
        return  # the batch is passed to another function
    statements = (_WRITE_STATEMENT.match(code, at) for at in writes)
    for match in statements:
        options = [option.search(match[0]) for option in _TRANSACTION] if match else []
        if not options or not all(options):
            return
        if is_generated(
            with_assignments(code, "".join(option[1] for option in options[:1] if option))
        ):
            return
    line = line_of(code, writes[0])
    reading.add_setting(Component.APPLICATION, "sink", "idempotent", line)
    words = "a table takes each batch with txnAppId and txnVersion once (application.sink)"
    reading.note(line, words)
