"""`kafka-streams.…` and `quarkus.kafka-streams.…`: Quarkus' names for Kafka Streams.

What stands under `kafka-streams` is handed to StreamsConfig as it is, and goes before what stands
under `quarkus.kafka-streams` (KafkaStreamsProducer, getStreamsProperties;
KafkaStreamsPropertiesUtil). Of the extension's own names one is a setting of Kafka Streams:
`application-id`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial

from advisor.catalog import Family
from advisor.intake.application_file import ApplicationFile
from advisor.intake.clients.placeholders import SPRING, fill
from advisor.intake.clients.streams_properties import take
from advisor.intake.formats.java_properties import Property
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.profiles import Source, of_files, that_count, with_profiles
from advisor.intake.reading import Reader, Reading

_APPLICATION, _EXTENSION = "kafka-streams.", "quarkus.kafka-streams."
_OWN = {"application-id": "application.id"}
_LINE = re.compile(r"^[ \t]*\"?(?:%\w+\"?\.)?(?:quarkus\.)?kafka-streams[.:]", re.MULTILINE)


def read(text: str) -> Reading:
    """What the extension hands to Kafka Streams. Raises `IntakeError`."""
    return read_files([ApplicationFile(text)])


def read_files(files: Iterable[ApplicationFile]) -> Reading:
    """The same of several files of one application."""
    return with_profiles([*of_files(files)], _read)


def _read(stated: Sequence[Source], profiles: Sequence[str]) -> Reading:
    reading = Reading(heads={"family": Family.STREAMS})
    every = [(_key(leaf), leaf) for leaf in that_count(reading, stated, profiles)]
    # What goes first comes last: the last of two counts.
    for key, leaf in sorted(every, key=lambda row: row[1].path[0].startswith(_APPLICATION)):
        if key:
            fill(reading, SPRING, (key, leaf.text, leaf.line), partial(_take, reading, key, leaf))
    return reading


def _key(leaf: Leaf) -> str:
    """The name for StreamsConfig; empty for what is none of its settings."""
    name = leaf.path[0]
    if name.startswith(_APPLICATION):
        return name.removeprefix(_APPLICATION).strip('"')
    own = name.removeprefix(_EXTENSION)
    return _OWN.get(own, own if own != name and "." in own else "")


def _take(reading: Reading, key: str, leaf: Leaf, text: str) -> None:
    take(reading, Property(leaf.line, key, text))


def _likeness(text: str) -> float:
    return 0.96 if _LINE.search(text) else 0.0


READERS = (Reader("quarkus-streams", "Quarkus (Kafka Streams)", _likeness, read, read_files),)
