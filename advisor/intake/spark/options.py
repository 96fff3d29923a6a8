"""Options of Spark's Kafka source and sink: as properties, as a Python dict, or as the code itself.

An option belongs to the sink if it follows a `writeStream` or `write`, or if only a producer has
it; else to the source. Code is Python, Scala or Java; what stands in a comment is not read.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace
from functools import cache

from advisor.catalog import Component, Family, settings_of
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.several_clients import disagreeing
from advisor.intake.formats.java_properties import properties
from advisor.intake.programs.python import settings_dicts
from advisor.intake.reading import Reader, Reading
from advisor.intake.spark import batch_functions, outside_options, refusals, starting_offsets
from advisor.intake.spark import checkpoints as spark_checkpoints
from advisor.intake.spark import query as spark_query
from advisor.intake.spark import shuffles as spark_shuffles
from advisor.intake.spark import sinks as spark_sinks
from advisor.intake.spark import watermarks as spark_watermarks
from advisor.intake.text import IntakeError, line_of, shown

_TEXT = (
    r"\"{3}[\s\S]*?(?:\"{3}|\Z)|'{3}[\s\S]*?(?:'{3}|\Z)"
    r"|\"(?:[^\"\\\n]|\\.){0,400}+\"|'(?:[^'\\\n]|\\.){0,400}+'"
)
# Atomic: a text that is not a value is not tried again up to each later quote of the file.
_VALUE = rf"(?:(?>{_TEXT})|[\w.+-]{{1,100}})"
_MAPPED = r"kafka\.[\w.]{1,200}|(?:starting|fail|max|min|async|checkpoint)[A-Z]\w{1,100}"
"""What an option in a map of Scala, Java or Kotlin is called: other maps are ignored."""
_CALL = re.compile(
    r"#.*|//.*|/\*[\s\S]*?(?:\*/|\Z)"
    rf"|\.option\(\s*(['\"])(?P<key>[\w.]{{1,200}})\1\s*,(?:\s*(?P<value>{_VALUE})\s*\))?"
    r"|\.(?P<open>options?)\("
    rf"|\"(?P<pair>{_MAPPED})\"\s*(?:->|\bto\b|,(?!\s*\"kafka\.))\s*(?P<held>{_VALUE})"
    rf"|(?<=[(,\s])(?P<word>[a-z]\w{{1,100}})=(?P<given>{_VALUE})(?=\s*[,)])"
    r"|\.(?P<end>readStream|writeStream|read|write)\b"
    rf"|\.(?:config|set)\(\s*(?P<mark>['\"])(?P<session>spark\.[\w.]{{1,200}})(?P=mark)\s*,"
    rf"\s*(?P<set>{_VALUE})\s*\)"
    r"|\.(?P<function>foreachBatch|foreach)\s*[({]"
    r"|\.trigger\(\s*(?:Trigger\s*\.\s*)?(?P<trigger>[A-Za-z]{1,30})"
    rf"|{_TEXT}"
)
"""Comments and texts are parts of their own, so that nothing inside one is taken for code."""

_NUMBER = re.compile(r"[+-]?\d[\d_]*[lL]?")
_KEY = re.compile(r"(?:^|[\"'])kafka\.([a-z.]{1,100})|startingOffsets|failOnDataLoss", re.MULTILINE)
_OF_QUERY = re.compile(
    r"\b(?:readStream|writeStream|SparkSession)\b|\.format\(|[\"']kafka\.[a-z]|startingOffsets"
)
"""Beside an `option(`, which other programs have, too: those of command lines."""
_PLACE = re.compile(r"^(?i:startingOffsets(?:ByTimestamp)?)\s*[=:]\s*\{", re.MULTILINE)
"""A line of properties whose value is JSON, and no dict of Python."""
_SOURCE, _SINK = Component.CONSUMER, Component.PRODUCER
_ENDS = (_SOURCE, _SINK)
_TAKES = "maxoffsetspertrigger"
"""How much a stream takes, which is a variable in much good code."""
_WORDS = {"source": _SOURCE, "consumer": _SOURCE, "sink": _SINK, "producer": _SINK}


def read(text: str) -> Reading:
    """The options of source and sink. Raises `IntakeError`."""
    reading = Reading(heads={"family": Family.SPARK})
    code = _calls(reading, text)
    for item, words in disagreeing(reading.items, newest(Family.SPARK)):
        reading.wrong(item.component, item.name, item.line, words)
    if _PLACE.search(text):
        _properties(reading, text)
    elif settings_dicts.READERS[0].likeness(text):
        try:
            _dicts(reading, text)
        except IntakeError:
            if not code.options:  # Scala and Java have calls, and no dicts
                raise
    elif not code.options and not code.batch:
        _properties(reading, text)
    _in_small_letters(reading)
    spark_query.settle(reading, text)
    starting_offsets.settle(reading)
    if code.function:
        spark_sinks.settle_functions(reading, text)
    else:
        spark_sinks.settle(reading, text)
    refusals.query(reading, text, code.function, code.triggers)
    if code.options:
        spark_shuffles.tell(reading, text)
        spark_watermarks.tell(reading, text)
    _without_prefix(reading)
    return reading


def _properties(reading: Reading, text: str) -> None:
    for entry in properties(text):
        reading.state(_end(entry.key), entry.key, entry.value, entry.line)


def _in_small_letters(reading: Reading) -> None:
    """Options of the clients are names of either case, and Spark hands them on in small letters
    (CaseInsensitiveMap.scala, iterator; KafkaSourceProvider.scala, convertToSpecifiedParams)."""
    small = [item.name.lower() for item in reading.items]
    reading.items = [
        replace(item, name=name) if name.startswith("kafka.") else item
        for item, name in zip(reading.items, small, strict=True)
    ]


def _without_prefix(reading: Reading) -> None:
    """Marks what Spark passes over: of its clients it hands on what begins with `kafka.`
    (KafkaSourceProvider.scala, convertToSpecifiedParams)."""
    clients, words = _of_clients(), "says nothing to Spark without kafka. before it"
    reading.items = [
        replace(item, inert=words) if item.component in _ENDS and item.name in clients else item
        for item in reading.items
    ]


@cache
def _of_clients() -> frozenset[str]:
    java = newest(Family.JAVA)
    return frozenset(name for end in _ENDS for name in known_keys(java, end))


def _dicts(reading: Reading, text: str) -> None:
    for name, pairs in settings_dicts.dicts(text):
        named = [end for word, end in _WORDS.items() if word in name.lower()]
        for key, value, line in pairs:
            if key.lower() == _TAKES and not isinstance(value, ast.Constant):
                reading.note(line, f"{shown(key)} is not a plain value: not read")
                continue
            settings_dicts.take(reading, named[0] if named else _end(key), key, value, line)


@dataclass(slots=True)
class _Code:
    """What was found in code: how many options, and what they are of.

    `opened` are those whose names are not texts.
    `function` is what the query writes to, if it is one; `triggers` are named, each with its line;
    `batch` says whether Kafka is read without a stream.
    """

    options: int = 0
    opened: int = 0
    function: str = ""
    triggers: list[tuple[str, int]] = field(default_factory=list)
    batch: bool = False
    checkpoints: list[tuple[str, int]] = field(default_factory=list)
    """As they are written, each with its line."""


def _calls(reading: Reading, text: str) -> _Code:
    """Takes each option that the code states. Raises `IntakeError`."""
    code, end, begins, batch, function = _Code(), None, 0, False, None
    whose, queries = "", 0
    settings_dicts.check_length(text)
    for match in _CALL.finditer(text):
        if match["end"]:
            batch = match["end"] == "read" and refusals.is_batch(text, match.end())
            end = _SINK if match["end"].startswith("write") else _SOURCE
            queries += 1
            whose = f"{end} {queries}"
            begins = len(reading.items) if end is _SOURCE else begins
            if batch:
                code.batch = True
                refusals.batch(reading, text, line_of(text, match.start()))
        if match["trigger"]:
            code.triggers.append((match["trigger"], line_of(text, match.start())))
            spark_query.trigger(reading, *code.triggers[-1])
        if match["open"] and not batch:
            code.opened += 1
            outside_options.given(reading, text, match, code.opened)
        if match["function"] and end is _SINK:
            function = match
        key = _key(match)
        if key and not batch:
            code.options += 1
            if key.lower() == "checkpointlocation":
                code.checkpoints.append((_argument(text, match), line_of(text, match.start())))
            _take(reading, text, match, key, end, whose)
    reading.items = refusals.of_last_source(reading.items, begins)
    spark_checkpoints.shared(reading, text, code.checkpoints)
    if function:
        code.function = function["function"]
        batch_functions.functions(reading, text)
        spark_query.one_time(reading, text, code.function, line_of(text, function.start()))
    return code


def _take(
    reading: Reading, text: str, match: re.Match[str], key: str, end: Component | None, whose: str
) -> None:
    """One option, for the end of the query that the code speaks of (`whose`)."""
    line = line_of(text, match.start())
    value = _plain(match["value"] or match["given"] or match["held"] or match["set"] or "")
    if value is None:
        if key.lower().startswith("kafka.") or key.lower() == "failondataloss":
            settings_dicts.open_value(reading, end or _end(key), key, line)
        elif starting_offsets.is_place(key):
            starting_offsets.unknown(reading, key, line)
        elif key.lower() == "checkpointlocation":
            named = match["value"] or match["given"] or ""
            spark_checkpoints.checkpoint(reading, text, match.start(), named, line)
        else:
            reading.note(line, f"{shown(key)} is not a plain value: not read")
    elif value.lstrip().startswith("{") and not starting_offsets.is_of_partitions(key):
        reading.note(line, f"{shown(key)} names single partitions: not taken into account")
    else:
        of_sink = match["pair"] and _end(key) is _SINK
        component = _SINK if of_sink else end or _end(key)
        own = whose if match["key"] and component is end else ""
        reading.state(component, key, value, line, process=own)


def _argument(text: str, match: re.Match[str]) -> str:
    """The value of an option as it is written, be it worked out or not."""
    at = match.end("key") if match["key"] else match.start()
    written = match["value"] or match["given"] or match["held"]
    return written or text[at + 1 : at + 300].split("\n", 1)[0].split(").", 1)[0].lstrip(" ,")


def _key(match: re.Match[str]) -> str | None:
    """The name of an option or of the session's setting, where a part of the code states one."""
    if match["word"] in _own() or spark_query.is_option(match["word"] or ""):
        return match["word"]
    session = match["session"] if match["session"] in spark_query.OF_SESSION else None
    return match["key"] or match["pair"] or session


def _plain(written: str) -> str | None:
    """The value of a literal in code; None for a name, whose value is unknown here."""
    if written[:1] in ("'", '"'):
        sign = 3 if written[:3] == written[0] * 3 else 1
        return re.sub(r"\\(.)", r"\1", written[sign:-sign])
    if _NUMBER.fullmatch(written):
        return written.rstrip("lL").replace("_", "")
    return written.lower() if written.lower() in ("true", "false") else None


@cache
def _own() -> frozenset[str]:
    """The source's own options that count: those that a keyword of `.options()` can name."""
    spark = newest(Family.SPARK)
    weighed = settings_of(spark.family, spark.version, spark.kafka, _SOURCE)
    return frozenset(setting.name for setting in weighed if "." not in setting.name)


def _end(key: str) -> Component:
    java, spark = newest(Family.JAVA), newest(Family.SPARK)
    weighed = settings_of(java.family, java.version, java.kafka, _SINK)
    of_sink = known_keys(spark, _SINK) - known_keys(spark, _SOURCE)
    of_sink |= {f"kafka.{setting.name}" for setting in weighed}
    named = key.lower() if key.lower().startswith("kafka.") else key
    return _SINK if {named, f"kafka.{named}"} & of_sink else _SOURCE


def _likeness(text: str) -> float:
    if re.search(r"\.options?\(", text) and _OF_QUERY.search(text):
        return 0.95
    names = (match[1] for match in _KEY.finditer(text))
    return 0.9 if any(name is None or name in _of_clients() for name in names) else 0.0


READERS = (Reader("spark-options", "Options of Spark's Kafka source and sink", _likeness, read),)
