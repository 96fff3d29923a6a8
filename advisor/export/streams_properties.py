"""`streams.properties` for Kafka Streams: StreamsConfig, and the clients inside by prefix."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.catalog.streams_overrides import forced
from advisor.export.base import Export, Revision, Stamp, comment, head
from advisor.export.choice import Chosen, chosen, code_notes, file_notes
from advisor.export.java_properties import line
from advisor.reasoning.pipeline import Pipeline

PREFIXES = {Component.STREAMS: "", Component.PRODUCER: "producer.", Component.CONSUMER: "consumer."}
"""Component → the prefix of its settings (StreamsConfig, PRODUCER_PREFIX and CONSUMER_PREFIX)."""

_NEEDED = "Put in bootstrap.servers, and application.id if it is not here."


def file_settings(revision: Revision) -> tuple[tuple[str, Chosen], ...]:
    """Returns the settings in the file by key: all except those that Streams overrides with a
    warning."""
    overruled = forced(revision.exported.settings)
    return tuple(
        (f"{prefix}{setting.name}", setting)
        for component, prefix in PREFIXES.items()
        for setting in chosen(revision, component)
        if (component, setting.name) not in overruled
    )


def _write(revision: Revision, stamp: Stamp) -> str:
    notes = (*code_notes(revision.exported, *PREFIXES), *file_notes(revision, *PREFIXES))
    settings = file_settings(revision)
    parts = [head("Settings for Kafka Streams.", stamp, _NEEDED, *notes)]
    parts += [line(setting, key) for key, setting in settings if setting.stated]
    words = "In force already, and written down because the guarantee rests on it:"
    in_force = [line(setting, key) for key, setting in settings if not setting.stated]
    return "".join([*parts, "\n", comment(words), *in_force])


def _applies(pipeline: Pipeline) -> bool:
    return pipeline.family is Family.STREAMS


EXPORTS = (
    Export("java-streams", "Kafka Streams", "streams.properties", "text/plain", _applies, _write),
)
