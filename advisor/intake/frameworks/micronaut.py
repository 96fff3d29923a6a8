"""`kafka.producers.…` and `kafka.consumers.…`: Micronaut's names for its clients.

Annotations of a listener set what it commits, and what it does with a message whose processing
fails. By default the client commits on its timer, and the message is skipped. Source:
micronaut-kafka guide, @KafkaListener (OffsetStrategy.AUTO) and @ErrorStrategy
(ErrorStrategyValue.NONE).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import partial

from advisor.catalog import Component, Family
from advisor.intake.application_file import ApplicationFile, leaves_by_part
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.placeholders import SPRING, fill, with_references
from advisor.intake.clients.streams_properties import take as take_streams
from advisor.intake.formats.dotted import leaves
from advisor.intake.formats.java_properties import Property
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.custom_names import refuse_custom_names
from advisor.intake.frameworks.spring.profiles import Part, with_profiles
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import shown

_CLIENTS = {"producers": Component.PRODUCER, "consumers": Component.CONSUMER}
_CLIENT_PROPERTY = re.compile(
    r"kafka\.(?P<part>producers|consumers)\.(?P<name>\"[^\"]+\"|[^.]+)\.(?P<key>.+)"
)
_DEFAULT = "default"
"""The client for listeners without a client of their name. A named client does not inherit from it
(KafkaConsumerConfiguration, KafkaConsumerProcessor.getConsumerConfigurationDefaults)."""
_STREAMS = "kafka.streams."
_STREAMS_PROPERTY = re.compile(r"kafka\.streams\.(?P<name>\"[^\"]+\"|[^.]+)\.(?P<key>.+)")
_LINE = re.compile(r"^[ \t]*kafka\.(?:producers|consumers|streams)[.:]", re.MULTILINE)
# No line matches two of the alternatives: otherwise the time would double with each line.
_BLOCK = re.compile(
    r"^kafka:[ \t]*\n(?:(?:[ \t].*|#.*|)\n)*?[ \t]+(?:producers|consumers|streams)[.:]",
    re.MULTILINE,
)


def read_files(files: Iterable[ApplicationFile]) -> Reading:
    """Returns the settings that Micronaut passes to the clients of an application. Some files may
    belong to an environment. Raises `IntakeError`."""
    parts = [
        Part(
            part_leaves,
            ((file.profile,),) if file.profile else (),
            file.profile,
            file.holds_variables,
        )
        for file in files
        for part_leaves in leaves_by_part(file, lambda *text: [leaves(*text)])
    ]
    return with_profiles(parts, _read)


def _read(leaves_of_all: Sequence[Leaf]) -> Reading:
    reading = Reading(heads={"family": Family.JAVA})
    resolved_leaves = with_references(reading, leaves_of_all)
    refuse_custom_names(reading, resolved_leaves, leaves_of_all)
    kafka_leaves = [leaf for leaf in resolved_leaves if leaf.path[0].startswith("kafka.")]
    if not any(_CLIENT_PROPERTY.fullmatch(leaf.path[0]) for leaf in kafka_leaves):
        _streams(reading, kafka_leaves)
        if reading.heads["family"] is Family.STREAMS:
            return reading
    matches = (_CLIENT_PROPERTY.fullmatch(leaf.path[0]) for leaf in kafka_leaves)
    named_parts = {match["part"] for match in matches if match and match["name"] != _DEFAULT}
    # The settings of a client take precedence over those for all clients.
    for leaf in sorted(
        kafka_leaves, key=lambda leaf: _CLIENT_PROPERTY.fullmatch(leaf.path[0]) is not None
    ):
        _take(reading, leaf, named_parts)
    _state_defaults(reading)
    return reading


def _streams(reading: Reading, leaves: list[Leaf]) -> None:
    """Takes the properties under `kafka.streams` and a name, for StreamsConfig
    (AbstractKafkaStreamsConfiguration: those for all clients apply as well)."""
    stream_leaves = [
        (match, leaf) for leaf in leaves if (match := _STREAMS_PROPERTY.fullmatch(leaf.path[0]))
    ]
    names = sorted({match["name"] for match, _ in stream_leaves})
    if not stream_leaves:
        return
    reading.heads["family"] = Family.STREAMS
    if len(names) > 1:
        words = f"{', '.join(map(shown, names))}: one pipeline has one Streams application"
        reading.add_problem(Component.STREAMS, "application.id", stream_leaves[0][1].line, words)
    common_leaves = [leaf for leaf in leaves if not _STREAMS_PROPERTY.fullmatch(leaf.path[0])]
    for leaf in common_leaves:
        _take_streams_leaf(reading, leaf.path[0].removeprefix("kafka."), leaf)
    for match, leaf in sorted(stream_leaves, key=lambda row: row[0]["name"] != _DEFAULT):
        _take_streams_leaf(reading, match["key"], leaf)


def _take_streams_leaf(reading: Reading, key: str, leaf: Leaf) -> None:
    def take(text: str) -> None:
        take_streams(reading, Property(leaf.line, key, text))

    fill(reading, SPRING, (key, leaf.text, leaf.line), take)


def _state_defaults(reading: Reading) -> None:
    """Adds Micronaut's default for a message whose processing fails, if there is a consumer."""
    lines = [item.line for item in reading.items if item.component is Component.CONSUMER]
    if lines:
        line = min(lines)
        reading.add_setting(Component.APPLICATION, "processing.errors", "skip", line)
        words = "unless @ErrorStrategy in the code says otherwise, Micronaut skips a message whose "
        words += (
            "processing fails (application.processing.errors), and unless @KafkaListener does, "
        )
        reading.note(line, f"{words}the client commits on its timer (application.commit)")


def _take(reading: Reading, leaf: Leaf, parts: Collection[str]) -> None:
    """Takes a setting; `parts` are the parts with named clients besides the default."""
    name = leaf.path[0]
    if match := _CLIENT_PROPERTY.fullmatch(name):
        is_only = match["name"] == _DEFAULT and match["part"] not in parts
        client = "" if is_only else match["name"]
        reading.clients |= {(_CLIENTS[match["part"]], client)} if client else set()
        _fill(reading, [_CLIENTS[match["part"]]], match["key"], leaf, client)
    elif name.startswith(_STREAMS):
        words = "properties under kafka.streams are not read: give them as streams.properties"
        if not any(note.endswith(f"{words}.") for note in reading.notes):
            reading.note(leaf.line, words)
    else:
        key, java = name.removeprefix("kafka."), newest(Family.JAVA)
        components = [part for part in _CLIENTS.values() if key in known_keys(java, part)]
        _fill(reading, components, key, leaf)


def _fill(
    reading: Reading, components: list[Component], key: str, leaf: Leaf, name: str = ""
) -> None:
    for component in components:
        take = partial(reading.add_setting, component, key, line=leaf.line, process=name)
        fill(reading, SPRING, (key, leaf.text, leaf.line), take)


def _likeness(text: str) -> float:
    return 0.93 if _LINE.search(text) or _BLOCK.search(text) else 0.0


READERS = (
    Reader.of_application("micronaut", "Micronaut's application.yml", _likeness, read_files),
)
