"""Queries that Spark refuses, and reads of Kafka that are not streaming queries.

Sources: DataStreamWriter.scala (a continuous trigger has no foreachBatch), error-conditions.json of
Spark 4.2 (STREAMING_REAL_TIME_MODE), AsyncProgressTrackingMicroBatchExecution.scala
(`validateAndGetTrigger`), KafkaSourceProvider.scala (batch queries: `createRelation`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.catalog import Component
from advisor.catalog.combinations import SPARK_PLACES
from advisor.intake.reading import Item, Reading
from advisor.intake.spark.sinks import FORMAT

_KAFKA = re.compile(r"\.format\(\s*(['\"])kafka\1\s*\)", re.IGNORECASE)
_ENDS = re.compile(r"\.(?:readStream|writeStream|read|write)\b")
_TAKEN = ("kafka", "console", "memory", "noop")
"""The sinks that go with asynchronous progress tracking and with real-time mode, beside functions;
of these four each mode leaves some out that are for trials alone."""
_UPDATES = re.compile(r"\.outputMode\(\s*(?:['\"](\w+)['\"]|(?:OutputMode\.)?(\w+)\(\))\s*\)")
_APPLICATION, _TRIGGER = Component.APPLICATION, "trigger"
_ONCE = ("once", "availablenow")
_NO_BATCHES: Mapping[str, str] = {
    "continuous": "'foreachBatch' is not supported with continuous trigger",
    "real-time": "STREAMING_REAL_TIME_MODE.SINK_NOT_SUPPORTED: the sink of foreachBatch is "
    "currently not supported",
}
"""By trigger; the first in the words of DataStreamWriter."""
_NO_SINK: Mapping[str, str] = {
    "real-time": "STREAMING_REAL_TIME_MODE.OPERATOR_OR_SINK_NOT_IN_ALLOWLIST: real-time mode has "
    "no sink of format {}",
    "async-progress": "Sink {} does not support async progress tracking",
}


def is_batch(code: str, at: int) -> bool:
    """Whether a `.read` that ends there reads Kafka."""
    ends = _ENDS.search(code, at)
    return bool(_KAFKA.search(code, at, ends.start() if ends else len(code)))


def batch(reading: Reading, code: str, line: int) -> None:
    """Says what a batch query is; one without a stream beside it is refused."""
    words = "spark.read is a batch query: it has no checkpoint, and nothing remembers what a run "
    words += "before it had read"
    if ".readStream" in code:
        reading.note(line, f"{words}. It is not read")
    else:
        words += ". That is not advised on; give a query of readStream"
        reading.wrong(Component.CONSUMER, "read", line, words)


def of_last_source(items: Sequence[Item], begins: int) -> list[Item]:
    """The items, where what an earlier query reads is told apart from what the last one does."""
    words = "is of another query in this code"
    return [
        replace(item, inert=words) if at < begins and item.name.lower() in SPARK_PLACES else item
        for at, item in enumerate(items)
    ]


def query(reading: Reading, code: str, function: str, triggers: Sequence[tuple[str, int]]) -> None:
    """Adds what no query starts with: a sink, an output mode or a trigger that do not go together.

    `function` is what the query writes to (`foreachBatch`, `foreach`), empty for anything else;
    `triggers` are the names of the triggers in the code, each with its line.
    """
    kinds = {item.text: item.line for item in reading.items if item.name == _TRIGGER}
    modes = {"real-time", "async-progress"} & kinds.keys()
    formats = [name for name in FORMAT.findall(code) if name.lower() not in _TAKEN] if modes else []
    for kind, words in _NO_BATCHES.items():
        if kind in kinds and function == "foreachBatch":
            reading.wrong(_APPLICATION, _TRIGGER, kinds[kind], words)
    for kind in modes if formats else ():
        words = _NO_SINK[kind].format(formats[0])
        reading.wrong(_APPLICATION, _TRIGGER, kinds[kind], words)
    if "real-time" in kinds:
        _real_time(reading, code, kinds)
    if "async-progress" in kinds and "real-time" not in kinds:
        _asynchronous(reading, function, triggers, kinds["async-progress"])


def _real_time(reading: Reading, code: str, kinds: Mapping[str, int]) -> None:
    modes = [mode for found in _UPDATES.finditer(code) for mode in found.groups() if mode]
    if modes and "update" not in [mode.lower() for mode in modes]:
        words = (
            f"The output mode {modes[-1]} is not supported. To work around this limitation, set "
        )
        reading.wrong(
            _APPLICATION, _TRIGGER, kinds["real-time"], f"{words}the output mode to Update"
        )
    if "async-progress" in kinds:
        words = "Async progress tracking is not supported in real-time mode. Set option "
        words += "asyncProgressTrackingEnabled to false and retry your query"
        reading.wrong(_APPLICATION, _TRIGGER, kinds["async-progress"], words)


def _asynchronous(
    reading: Reading, function: str, triggers: Sequence[tuple[str, int]], line: int
) -> None:
    if function == "foreachBatch":
        words = "Sink ForeachBatchSink does not support async progress tracking"
        reading.wrong(_APPLICATION, _TRIGGER, line, words)
    for name, at in triggers:
        if name.lower() in _ONCE:
            own = "Once" if name.lower() == "once" else "AvailableNow"
            words = f"Async progress tracking cannot be used with {own} trigger"
            reading.wrong(_APPLICATION, _TRIGGER, at, words)
