"""Queries that Spark refuses to start, and batch reads of Kafka.

Sources: DataStreamWriter.scala (a continuous trigger has no foreachBatch), error-conditions.json of
Spark 4.2 (STREAMING_REAL_TIME_MODE), AsyncProgressTrackingMicroBatchExecution.scala
(`validateAndGetTrigger`), KafkaSourceProvider.scala (batch queries: `createRelation`),
DataSource.scala and UnsupportedOperationChecker.scala (output modes).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.catalog import Component
from advisor.catalog.combinations import SPARK_PLACES
from advisor.intake.reading import Item, Reading
from advisor.intake.spark.sinks import FORMAT
from advisor.intake.text import line_of

_KAFKA = re.compile(r"\.format\(\s*(['\"])kafka\1\s*\)", re.IGNORECASE)
_MARKER = re.compile(r"\.(?:readStream|writeStream|read|write)\b")
_SUPPORTED_SINKS = ("kafka", "console", "memory", "noop")
"""Sinks that asynchronous progress tracking or real-time mode support, besides functions. Each mode
supports only some of the last three, which are for testing."""
_OUTPUT_MODE = re.compile(r"\.outputMode\(\s*(?:['\"](\w+)['\"]|(?:OutputMode\.)?(\w+)\(\))\s*\)")
_WRITTEN_STREAM = re.compile(
    r"\.writeStream\b(?:(?!\.(?:readStream|writeStream)\b)[\s\S]){0,1500}?"
    r"\.(?:start|toTable|table)\("
)
_ANY_FORMAT = re.compile(r"\.format\(\s*(['\"])(\w+)\1\s*\)")
_FILES = frozenset({"parquet", "orc", "csv", "json", "text", "avro"})
_AGGREGATION = re.compile(
    r"(?i)\b(?:group_?by\w*|agg|cube|rollup|count|reduce\w*|\w*state|distinct|sql|sum|window)\s*[({]"
)
_APPLICATION, _TRIGGER = Component.APPLICATION, "trigger"
_ONE_TIME = ("once", "availablenow")
_NO_FOREACH_BATCH: Mapping[str, str] = {
    "continuous": "'foreachBatch' is not supported with continuous trigger",
    "real-time": "STREAMING_REAL_TIME_MODE.SINK_NOT_SUPPORTED: the sink of foreachBatch is "
    "currently not supported",
}
"""Messages by trigger. The first is DataStreamWriter's."""
_UNSUPPORTED_SINK: Mapping[str, str] = {
    "real-time": "STREAMING_REAL_TIME_MODE.OPERATOR_OR_SINK_NOT_IN_ALLOWLIST: real-time mode has "
    "no sink of format {}",
    "async-progress": "Sink {} does not support async progress tracking",
}


def is_batch_query(code: str, at: int) -> bool:
    """Whether the `.read` that ends at this offset reads Kafka."""
    next_marker = _MARKER.search(code, at)
    return bool(_KAFKA.search(code, at, next_marker.start() if next_marker else len(code)))


def refuse_batch_query(reading: Reading, code: str, line: int) -> None:
    """Notes a batch query, or refuses it if the code has no streaming query."""
    words = "spark.read is a batch query: it has no checkpoint, and no record of what an earlier "
    words += "run read"
    if ".readStream" in code:
        reading.note(line, f"{words}. It is not read")
    else:
        words += ". That is not covered; give a query of readStream"
        reading.add_problem(Component.CONSUMER, "read", line, words)


def mark_earlier_sources(items: Sequence[Item], last_source: int) -> list[Item]:
    """The items, of which the starting offsets of earlier queries are marked as inert."""
    reason = "belongs to another query in this code"
    return [
        replace(item, inert=reason)
        if at < last_source and item.name.lower() in SPARK_PLACES
        else item
        for at, item in enumerate(items)
    ]


def refuse_query(
    reading: Reading, code: str, function: str, triggers: Sequence[tuple[str, int]]
) -> None:
    """Refuses a sink, an output mode or a trigger that no query starts with.

    `function` is `foreachBatch` or `foreach` if the query writes to one, else empty. `triggers` are
    the names of the triggers in the code, each with its line.
    """
    _refuse_output_mode(reading, code)
    kinds = {item.text: item.line for item in reading.items if item.name == _TRIGGER}
    modes = {"real-time", "async-progress"} & kinds.keys()
    formats = (
        [name for name in FORMAT.findall(code) if name.lower() not in _SUPPORTED_SINKS]
        if modes
        else []
    )
    for kind, words in _NO_FOREACH_BATCH.items():
        if kind in kinds and function == "foreachBatch":
            reading.add_problem(_APPLICATION, _TRIGGER, kinds[kind], words)
    for kind in modes if formats else ():
        words = _UNSUPPORTED_SINK[kind].format(formats[0])
        reading.add_problem(_APPLICATION, _TRIGGER, kinds[kind], words)
    if "real-time" in kinds:
        _real_time(reading, code, kinds)
    if "async-progress" in kinds and "real-time" not in kinds:
        _asynchronous(reading, function, triggers, kinds["async-progress"])


def _refuse_output_mode(reading: Reading, code: str) -> None:
    """Refuses an output mode that a sink of files does not have, or that needs an aggregation
    (DataSource.scala, `createSink`; UnsupportedOperationChecker.scala)."""
    for match in _WRITTEN_STREAM.finditer(code):
        stated, sink_format = _OUTPUT_MODE.search(match[0]), _ANY_FORMAT.search(match[0])
        mode = ((stated[1] or stated[2]) if stated else "").capitalize()
        sink = sink_format[2].lower() if sink_format else ""
        words = ""
        if mode in ("Complete", "Update") and sink in _FILES:
            words = f"Data source {sink} does not support {mode} output mode"
        elif mode == "Complete" and not _AGGREGATION.search(code):
            words = "Complete output mode not supported when there are no streaming aggregations"
        if words:
            line = line_of(code, match.start())
            reading.add_problem(_APPLICATION, "output.mode", line, f"{words}: Spark does not start")


def _real_time(reading: Reading, code: str, kinds: Mapping[str, int]) -> None:
    modes = [mode for match in _OUTPUT_MODE.finditer(code) for mode in match.groups() if mode]
    if modes and "update" not in [mode.lower() for mode in modes]:
        words = (
            f"The output mode {modes[-1]} is not supported. To work around this limitation, set "
        )
        reading.add_problem(
            _APPLICATION, _TRIGGER, kinds["real-time"], f"{words}the output mode to Update"
        )
    if "async-progress" in kinds:
        words = "Async progress tracking is not supported in real-time mode. Set option "
        words += "asyncProgressTrackingEnabled to false and retry your query"
        reading.add_problem(_APPLICATION, _TRIGGER, kinds["async-progress"], words)


def _asynchronous(
    reading: Reading, function: str, triggers: Sequence[tuple[str, int]], line: int
) -> None:
    if function == "foreachBatch":
        words = "Sink ForeachBatchSink does not support async progress tracking"
        reading.add_problem(_APPLICATION, _TRIGGER, line, words)
    for name, at in triggers:
        if name.lower() in _ONE_TIME:
            trigger = "Once" if name.lower() == "once" else "AvailableNow"
            words = f"Async progress tracking cannot be used with {trigger} trigger"
            reading.add_problem(_APPLICATION, _TRIGGER, at, words)
