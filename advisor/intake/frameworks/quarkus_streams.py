"""`kafka-streams.…` and `quarkus.kafka-streams.…`: Quarkus' names for Kafka Streams.

Properties under `kafka-streams` are passed to StreamsConfig unchanged, and take precedence over
those under `quarkus.kafka-streams` (KafkaStreamsProducer, getStreamsProperties;
KafkaStreamsPropertiesUtil). One name of the extension is a setting of Kafka Streams:
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
from advisor.intake.frameworks.profiles import (
    Source,
    effective_leaves,
    sources_from_files,
    with_profiles,
)
from advisor.intake.reading import Reader, Reading

_KAFKA_STREAMS, _EXTENSION = "kafka-streams.", "quarkus.kafka-streams."
_EXTENSION_SETTINGS = {"application-id": "application.id"}
_LINE = re.compile(r"^[ \t]*\"?(?:%\w+\"?\.)?(?:quarkus\.)?kafka-streams[.:]", re.MULTILINE)


def read_files(files: Iterable[ApplicationFile]) -> Reading:
    """Returns the settings that the extension passes to Kafka Streams. Raises `IntakeError`."""
    return with_profiles([*sources_from_files(files)], _read)


def _read(sources: Sequence[Source], profiles: Sequence[str]) -> Reading:
    reading = Reading(heads={"family": Family.STREAMS})
    leaves = [(_key(leaf), leaf) for leaf in effective_leaves(reading, sources, profiles)]
    # The highest precedence comes last: the last of two values counts.
    for key, leaf in sorted(leaves, key=lambda row: row[1].path[0].startswith(_KAFKA_STREAMS)):
        if key:
            fill(reading, SPRING, (key, leaf.text, leaf.line), partial(_take, reading, key, leaf))
    return reading


def _key(leaf: Leaf) -> str:
    """Returns the name in StreamsConfig; empty if the property is none of its settings."""
    name = leaf.path[0]
    if name.startswith(_KAFKA_STREAMS):
        return name.removeprefix(_KAFKA_STREAMS).strip('"')
    extension_name = name.removeprefix(_EXTENSION)
    return _EXTENSION_SETTINGS.get(
        extension_name, extension_name if extension_name != name and "." in extension_name else ""
    )


def _take(reading: Reading, key: str, leaf: Leaf, text: str) -> None:
    take(reading, Property(leaf.line, key, text))


def _likeness(text: str) -> float:
    return 0.96 if _LINE.search(text) else 0.0


READERS = (
    Reader.of_application(
        "quarkus-streams", "Quarkus (Kafka Streams)", _likeness, read_files, is_yaml=False
    ),
)
