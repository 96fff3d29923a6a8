"""Options of Spark's Kafka source and sink: as properties, as a Python dict, or as the code itself.

An option belongs to the sink if it follows a `writeStream` or `write`, or if only a producer has
it; else to the source. Code is Python, Scala or Java. Comments are not read.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace
from functools import cache

from advisor.catalog import Component, Family, settings_of
from advisor.catalog.combinations import SPARK_PLACES
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.several_clients import differences
from advisor.intake.formats.java_properties import properties
from advisor.intake.programs.python import settings_dicts
from advisor.intake.reading import Reader, Reading
from advisor.intake.spark import (
    aggregations,
    batch_functions,
    outside_options,
    partial_streams,
    refusals,
    starting_offsets,
)
from advisor.intake.spark import checkpoints as spark_checkpoints
from advisor.intake.spark import query as spark_query
from advisor.intake.spark import shuffles as spark_shuffles
from advisor.intake.spark import sinks as spark_sinks
from advisor.intake.spark import watermarks as spark_watermarks
from advisor.intake.text import IntakeError, line_of, shown

_STRING = (
    r"\"{3}[\s\S]*?(?:\"{3}|\Z)|'{3}[\s\S]*?(?:'{3}|\Z)"
    r"|\"(?:[^\"\\\n]|\\.){0,400}+\"|'(?:[^'\\\n]|\\.){0,400}+'"
)
# Atomic: a string that is not a value is not tried again up to each later quote of the file.
_VALUE = rf"(?:(?>{_STRING})|[\w.+-]{{1,100}})"
_MAP_KEY = r"kafka\.[\w.]{1,200}|(?:starting|fail|max|min|async|checkpoint)[A-Z]\w{1,100}"
"""The name of an option in a map of Scala, Java or Kotlin. Other maps are ignored."""
_CALL = re.compile(
    r"#.*|//.*|/\*[\s\S]*?(?:\*/|\Z)"
    rf"|\.option\(\s*(['\"])(?P<key>[\w.]{{1,200}})\1\s*,(?:\s*(?P<value>{_VALUE})\s*\))?"
    r"|\.(?P<indirect>options?)\("
    rf"|\"(?P<pair>{_MAP_KEY})\"\s*(?:->|\bto\b|,(?!\s*\"kafka\.))\s*(?P<mapped>{_VALUE})"
    rf"|(?<=[(,\s])(?P<word>[a-z]\w{{1,100}})=(?P<keyword>{_VALUE})(?=\s*[,)])"
    r"|\.(?P<end>readStream|writeStream|read|write)\b"
    rf"|\.(?:config|set)\(\s*(?P<mark>['\"])(?P<session>spark\.[\w.]{{1,200}})(?P=mark)\s*,"
    rf"\s*(?P<config>{_VALUE})\s*\)"
    r"|\.(?P<function>foreachBatch|foreach)\s*[({]"
    r"|\.trigger\(\s*(?:Trigger\s*\.\s*)?(?P<trigger>[A-Za-z]{1,30})"
    rf"|{_STRING}"
)
"""Comments and string literals are alternatives of their own, so that nothing in them is taken for
code."""

_NUMBER = re.compile(r"[+-]?\d[\d_]*[lL]?")
_OPTION_KEY = re.compile(
    r"(?:^|[\"'])kafka\.([a-z.]{1,100})|startingOffsets|failOnDataLoss", re.MULTILINE
)
_QUERY = re.compile(
    r"\b(?:readStream|writeStream|SparkSession)\b|\.format\(|[\"']kafka\.[a-z]|startingOffsets"
)
"""Needed in addition to an `option(`, which command-line programs have, too."""
_JSON_OFFSETS = re.compile(r"^(?i:startingOffsets(?:ByTimestamp)?)\s*[=:]\s*\{", re.MULTILINE)
"""A line of properties whose value is JSON, and no dict of Python."""
_SOURCE, _SINK = Component.CONSUMER, Component.PRODUCER
_ENDS = (_SOURCE, _SINK)
_NAMES_OF_KAFKA = frozenset({*SPARK_PLACES, "topic", "kafka.bootstrap.servers"})
"""Options that show that a source or a sink is one of Kafka, in lower case."""
_NEVER_GIVEN = frozenset({
    "kafka.auto.offset.reset", "kafka.enable.auto.commit", "kafka.key.deserializer",
    "kafka.value.deserializer", "kafka.key.serializer", "kafka.value.serializer",
})  # fmt: skip
"""What Spark refuses (Structured Streaming + Kafka Integration Guide, "Kafka Specific
Configurations"), and files of Quarkus and others have."""
_OTHER_NAME = re.compile(r"^[ \t]*(?!kafka\.|[#!\s]|\Z)", re.MULTILINE)
"""A line that begins with another name."""
_BATCH_SIZE = "maxoffsetspertrigger"
"""The size of a batch, which is often a variable in good code."""
_ENDS_BY_WORD = {"source": _SOURCE, "consumer": _SOURCE, "sink": _SINK, "producer": _SINK}


def read(text: str) -> Reading:
    """The options of source and sink. Raises `IntakeError`."""
    reading = Reading(heads={"family": Family.SPARK})
    code = _read_calls(reading, text)
    ends = {(item.component, item.process) for item in reading.items
            if item.process and item.name.lower() in _NAMES_OF_KAFKA}  # fmt: skip
    for item, words in differences(reading.items, newest(Family.SPARK), sorted(ends)):
        reading.add_problem(item.component, item.name, item.line, words)
    if _JSON_OFFSETS.search(text):
        _properties(reading, text)
    elif settings_dicts.READERS[0].likeness(text):
        try:
            _dicts(reading, text)
        except IntakeError:
            if not code.options:  # Scala and Java have calls, and no dicts
                raise
    elif not code.options and not code.batch:
        _properties(reading, text)
    _lower_names(reading)
    spark_query.resolve_options(reading, text)
    starting_offsets.resolve_start(reading)
    if code.function:
        spark_sinks.check_functions(reading, text)
    else:
        spark_sinks.check_formats(reading, text)
    refusals.refuse_query(reading, text, code.function, code.triggers)
    if code.options:
        spark_sinks.refuse_skipped_batches(reading, text)
        partial_streams.refuse_parts(reading, text)
        aggregations.refuse_aggregation(reading, text)
        partial_streams.add_dropped_rows(reading, text)
        spark_shuffles.note_shuffles(reading, text)
        spark_watermarks.note_watermark(reading, text)
    _mark_unprefixed(reading)
    return reading


def _properties(reading: Reading, text: str) -> None:
    for entry in properties(text):
        reading.add_setting(_end(entry.key), entry.key, entry.value, entry.line)


def refuse_own_names(text: str) -> None:
    """Raises `IntakeError` for properties with `kafka.` before all names, one of which Spark
    refuses: so the files of Quarkus and others call settings that code of a team's own takes."""
    if _OTHER_NAME.search(text):
        return
    for entry in properties(text):
        if entry.key in _NEVER_GIVEN:
            name = entry.key.removeprefix("kafka.")
            words = f"{entry.key} is {name} of a client as code of your own has it (Spark refuses "
            words += "it). Give the settings of that client as properties, without kafka. before "
            raise IntakeError(f"Line {entry.line}: {words}their names.")


def _lower_names(reading: Reading) -> None:
    """Converts the names of client options to lower case. Spark ignores their case, and passes them
    to the clients in lower case (CaseInsensitiveMap.scala, iterator; KafkaSourceProvider.scala,
    convertToSpecifiedParams)."""
    small = [item.name.lower() for item in reading.items]
    reading.items = [
        replace(item, name=name) if name.startswith("kafka.") else item
        for item, name in zip(reading.items, small, strict=True)
    ]


def _mark_unprefixed(reading: Reading) -> None:
    """Marks client settings that Spark ignores: it passes to its clients only options that begin
    with `kafka.` (KafkaSourceProvider.scala, convertToSpecifiedParams)."""
    names, reason = _client_settings(), "needs the prefix kafka. to have an effect in Spark"
    reading.items = [
        replace(item, inert=reason) if item.component in _ENDS and item.name in names else item
        for item in reading.items
    ]


@cache
def _client_settings() -> frozenset[str]:
    java = newest(Family.JAVA)
    return frozenset(name for end in _ENDS for name in known_keys(java, end))


def _dicts(reading: Reading, text: str) -> None:
    for name, pairs in settings_dicts.dicts(text):
        ends = [end for word, end in _ENDS_BY_WORD.items() if word in name.lower()]
        for key, value, line in pairs:
            if key.lower() == _BATCH_SIZE and not isinstance(value, ast.Constant):
                reading.note(line, f"{shown(key)} is not a plain value: not read")
                continue
            settings_dicts.take_pair(reading, ends[0] if ends else _end(key), key, value, line)


@dataclass(slots=True)
class _Code:
    """Facts about the code of a query.

    `options` is the number of options that are read, and `indirect` the number of calls whose names
    are not string literals. `function` is `foreachBatch` or `foreach` if the query writes to one.
    `triggers` are the names of the triggers, each with its line. `batch` says whether Kafka is read
    without a stream.
    """

    options: int = 0
    indirect: int = 0
    function: str = ""
    triggers: list[tuple[str, int]] = field(default_factory=list)
    batch: bool = False
    checkpoints: list[tuple[str, int]] = field(default_factory=list)
    """The values as they are written, each with its line."""


def _read_calls(reading: Reading, text: str) -> _Code:
    """Takes each option that the code states. Raises `IntakeError`."""
    code, end, last_source, batch, function = _Code(), None, 0, False, None
    query, queries = "", 0
    settings_dicts.check_length(text)
    for match in _CALL.finditer(text):
        if match["end"]:
            batch = match["end"] == "read" and refusals.is_batch_query(text, match.end())
            end = _SINK if match["end"].startswith("write") else _SOURCE
            queries += 1
            query = f"{end} {queries}"
            last_source = len(reading.items) if end is _SOURCE else last_source
            if batch:
                code.batch = True
                refusals.refuse_batch_query(reading, text, line_of(text, match.start()))
        if match["trigger"]:
            code.triggers.append((match["trigger"], line_of(text, match.start())))
            spark_query.set_trigger(reading, *code.triggers[-1])
        if match["indirect"] and not batch:
            code.indirect += 1
            outside_options.check_call(reading, text, match, code.indirect)
        if match["function"] and end is _SINK:
            function = match
        key = _key(match)
        if key and not batch:
            code.options += 1
            if key.lower() == "checkpointlocation":
                code.checkpoints.append((_argument(text, match), line_of(text, match.start())))
            _take(reading, text, match, key, end, query)
    reading.items = refusals.mark_earlier_sources(reading.items, last_source)
    spark_checkpoints.refuse_shared(reading, text, code.checkpoints)
    if function:
        code.function = function["function"]
        batch_functions.check_functions(reading, text)
        spark_query.set_temporary_checkpoint(
            reading, text, code.function, line_of(text, function.start())
        )
    return code


def _take(
    reading: Reading, text: str, match: re.Match[str], key: str, end: Component | None, query: str
) -> None:
    """Takes one option for `end`, the source or the sink that the code before it begins. `query`
    identifies this end among several queries."""
    line = line_of(text, match.start())
    value = _literal(match["value"] or match["keyword"] or match["mapped"] or match["config"] or "")
    if value is None:
        if key.lower().startswith("kafka.") or key.lower() == "failondataloss":
            settings_dicts.report_open_value(reading, end or _end(key), key, line)
        elif starting_offsets.is_start_option(key):
            starting_offsets.assume_start(reading, key, line)
        elif key.lower() == "checkpointlocation":
            variable = match["value"] or match["keyword"] or ""
            spark_checkpoints.check_generated_name(reading, text, match.start(), variable, line)
        else:
            reading.note(line, f"{shown(key)} is not a plain value: not read")
    elif value.lstrip().startswith("{") and not starting_offsets.is_json_option(key):
        reading.note(line, f"{shown(key)} names single partitions: not taken into account")
    else:
        is_sink = match["pair"] and _end(key) is _SINK
        component = _SINK if is_sink else end or _end(key)
        process = query if match["key"] and component is end else ""
        reading.add_setting(component, key, value, line, process=process)


def _argument(text: str, match: re.Match[str]) -> str:
    """The value of an option as it is written, whether or not it is a literal."""
    at = match.end("key") if match["key"] else match.start()
    written = match["value"] or match["keyword"] or match["mapped"]
    return written or text[at + 1 : at + 300].split("\n", 1)[0].split(").", 1)[0].lstrip(" ,")


def _key(match: re.Match[str]) -> str | None:
    """The name of the option or of the session setting that a match states; None if it states
    none."""
    if match["word"] in _source_options() or spark_query.is_query_option(match["word"] or ""):
        return match["word"]
    session = match["session"] if match["session"] in spark_query.SESSION_SETTINGS else None
    return match["key"] or match["pair"] or session


def _literal(written: str) -> str | None:
    """The value of a literal in code; None for a name, whose value is unknown here."""
    if written[:1] in ("'", '"'):
        quotes = 3 if written[:3] == written[0] * 3 else 1
        return re.sub(r"\\(.)", r"\1", written[quotes:-quotes])
    if _NUMBER.fullmatch(written):
        return written.rstrip("lL").replace("_", "")
    return written.lower() if written.lower() in ("true", "false") else None


@cache
def _source_options() -> frozenset[str]:
    """The source's options that count and that a keyword of `.options()` can name."""
    spark = newest(Family.SPARK)
    modelled = settings_of(spark.family, spark.version, spark.kafka, _SOURCE)
    return frozenset(setting.name for setting in modelled if "." not in setting.name)


def _end(key: str) -> Component:
    java, spark = newest(Family.JAVA), newest(Family.SPARK)
    modelled = settings_of(java.family, java.version, java.kafka, _SINK)
    sink_names = known_keys(spark, _SINK) - known_keys(spark, _SOURCE)
    sink_names |= {f"kafka.{setting.name}" for setting in modelled}
    name = key.lower() if key.lower().startswith("kafka.") else key
    return _SINK if {name, f"kafka.{name}"} & sink_names else _SOURCE


def _likeness(text: str) -> float:
    if re.search(r"\.options?\(", text) and _QUERY.search(text):
        return 0.95
    names = (match[1] for match in _OPTION_KEY.finditer(text))
    return 0.9 if any(name is None or name in _client_settings() for name in names) else 0.0


READERS = (Reader("spark-options", "Options of Spark's Kafka source and sink", _likeness, read),)
