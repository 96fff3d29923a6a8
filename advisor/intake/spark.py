"""Options of Spark's Kafka source and sink: as properties, as a Python dict, or as the code itself.

An option belongs to the sink if it follows a `writeStream` or `write`, or if only a producer has
it; else to the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.catalog import Component, Family, settings_of
from advisor.intake import python_dict
from advisor.intake.java_properties import Property, properties
from advisor.intake.known import known_keys, newest
from advisor.intake.reading import Reader, Reading

_CALL = re.compile(
    r"\.option\(\s*(['\"])(?P<key>[\w.]{1,200})\1\s*,\s*"
    r"(?:(['\"])(?P<quoted>[^'\"\n]{0,400})\3|(?P<plain>[\w.+-]{1,100}))\s*\)"
    r"|\.(?P<end>readStream|writeStream|read|write)\b"
)
_KEY = re.compile(r"(?:^|[\"'])kafka\.[a-z]|startingOffsets|failOnDataLoss", re.MULTILINE)
_SOURCE, _SINK = Component.CONSUMER, Component.PRODUCER
_WORDS = {"source": _SOURCE, "consumer": _SOURCE, "sink": _SINK, "producer": _SINK}


def read(text: str) -> Reading:
    """The options of source and sink. Raises `IntakeError`."""
    reading = Reading(heads={"family": Family.SPARK})
    calls = list(_calls(text))
    for component, found in calls:
        reading.state(component, found.key, found.value, found.line)
    if python_dict.READERS[0].likeness(text):
        _dicts(reading, text)
    elif not calls:
        for found in properties(text):
            reading.state(_end(found.key), found.key, found.value, found.line)
    return reading


def _dicts(reading: Reading, text: str) -> None:
    for name, pairs in python_dict.dicts(text):
        named = [end for word, end in _WORDS.items() if word in name.lower()]
        for key, value, line in pairs:
            python_dict.take(reading, named[0] if named else _end(key), key, value, line)


def _calls(text: str) -> Iterator[tuple[Component, Property]]:
    end = None
    for match in _CALL.finditer(text):
        if match["end"]:
            end = _SINK if match["end"].startswith("write") else _SOURCE
            continue
        value = match["quoted"] if match["quoted"] is not None else match["plain"]
        line = text.count("\n", 0, match.start()) + 1
        yield end or _end(match["key"]), Property(line, match["key"], value)


def _end(key: str) -> Component:
    java, spark = newest(Family.JAVA), newest(Family.SPARK)
    weighed = settings_of(java.family, java.version, java.kafka, _SINK)
    of_sink = known_keys(spark, _SINK) - known_keys(spark, _SOURCE)
    of_sink |= {f"kafka.{each.name}" for each in weighed}
    return _SINK if {key, f"kafka.{key}"} & of_sink else _SOURCE


def _likeness(text: str) -> float:
    if ".option(" in text and "kafka" in text:
        return 0.95
    return 0.9 if _KEY.search(text) else 0.0


READERS = (Reader("spark-options", "Options of Spark's Kafka source and sink", _likeness, read),)
