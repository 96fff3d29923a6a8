"""`kafka.producers.…` and `kafka.consumers.…`: Micronaut's names for its clients.

What a listener commits, and what it does with a message that fails, its annotations say; where
they say nothing, the client commits on its timer, and the message is passed over. Source:
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
from advisor.intake.clients.placeholders import SPRING, fill, resolved
from advisor.intake.clients.streams_properties import take as take_streams
from advisor.intake.formats.dotted import leaves
from advisor.intake.formats.java_properties import Property
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.custom_names import refuse_custom_names
from advisor.intake.frameworks.spring.profiles import Part, with_profiles
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import shown

_CLIENTS = {"producers": Component.PRODUCER, "consumers": Component.CONSUMER}
_NAMED = re.compile(
    r"kafka\.(?P<part>producers|consumers)\.(?P<name>\"[^\"]+\"|[^.]+)\.(?P<key>.+)"
)
_DEFAULT = "default"
"""The client of whatever has none of its own name: that one has nothing of this one's
(KafkaConsumerConfiguration, KafkaConsumerProcessor.getConsumerConfigurationDefaults)."""
_STREAMS = "kafka.streams."
_STREAM = re.compile(r"kafka\.streams\.(?P<name>\"[^\"]+\"|[^.]+)\.(?P<key>.+)")
_LINE = re.compile(r"^[ \t]*kafka\.(?:producers|consumers|streams)[.:]", re.MULTILINE)
# No line fits two of the alternatives: the time would double with each line.
_BLOCK = re.compile(
    r"^kafka:[ \t]*\n(?:(?:[ \t].*|#.*|)\n)*?[ \t]+(?:producers|consumers|streams)[.:]",
    re.MULTILINE,
)


def read(text: str) -> Reading:
    """What Micronaut hands to its clients. Raises `IntakeError`."""
    return read_files([ApplicationFile(text)])


def read_files(files: Iterable[ApplicationFile]) -> Reading:
    """The same of several files of one application, some of them of an environment."""
    parts = [
        Part(own, ((file.profile,),) if file.profile else (), file.profile, file.holds_variables)
        for file in files
        for own in leaves_by_part(file, lambda *text: [leaves(*text)])
    ]
    return with_profiles(parts, _read)


def _read(stated: Sequence[Leaf]) -> Reading:
    reading = Reading(heads={"family": Family.JAVA})
    found = resolved(reading, stated)
    refuse_custom_names(reading, found, stated)
    every = [leaf for leaf in found if leaf.path[0].startswith("kafka.")]
    if not any(_NAMED.fullmatch(leaf.path[0]) for leaf in every):
        _streams(reading, every)
        if reading.heads["family"] is Family.STREAMS:
            return reading
    parts = {match["part"] for leaf in every if (match := _NAMED.fullmatch(leaf.path[0]))
             and match["name"] != _DEFAULT}  # fmt: skip
    # A client's own goes before what is said for all of them.
    for leaf in sorted(every, key=lambda leaf: _NAMED.fullmatch(leaf.path[0]) is not None):
        _take(reading, leaf, parts)
    _state_defaults(reading)
    return reading


def _streams(reading: Reading, every: list[Leaf]) -> None:
    """What stands under `kafka.streams` and a name, for StreamsConfig
    (AbstractKafkaStreamsConfiguration: what is said for all clients counts, too)."""
    named = [(match, leaf) for leaf in every if (match := _STREAM.fullmatch(leaf.path[0]))]
    names = sorted({match["name"] for match, _ in named})
    if not named:
        return
    reading.heads["family"] = Family.STREAMS
    if len(names) > 1:
        words = f"{', '.join(map(shown, names))}: one pipeline has one Streams application"
        reading.wrong(Component.STREAMS, "application.id", named[0][1].line, words)
    of_all = [leaf for leaf in every if not _STREAM.fullmatch(leaf.path[0])]
    for leaf in of_all:
        _hand_on(reading, leaf.path[0].removeprefix("kafka."), leaf)
    for match, leaf in sorted(named, key=lambda row: row[0]["name"] != _DEFAULT):
        _hand_on(reading, match["key"], leaf)


def _hand_on(reading: Reading, key: str, leaf: Leaf) -> None:
    def take(text: str) -> None:
        take_streams(reading, Property(leaf.line, key, text))

    fill(reading, SPRING, (key, leaf.text, leaf.line), take)


def _state_defaults(reading: Reading) -> None:
    """What Micronaut does with a message that fails, where it reads any."""
    lines = [item.line for item in reading.items if item.component is Component.CONSUMER]
    if lines:
        line = min(lines)
        reading.state(Component.APPLICATION, "processing.errors", "skip", line)
        words = "unless @ErrorStrategy of the code says otherwise, Micronaut passes over a message "
        words += (
            "that fails (application.processing.errors), and unless @KafkaListener says so, the "
        )
        reading.note(line, f"{words}client commits on its timer (application.commit)")


def _take(reading: Reading, leaf: Leaf, parts: Collection[str]) -> None:
    """Takes a setting; `parts` have clients with names of their own beside the default."""
    name = leaf.path[0]
    if match := _NAMED.fullmatch(name):
        is_only = match["name"] == _DEFAULT and match["part"] not in parts
        client = "" if is_only else match["name"]
        reading.clients |= {(_CLIENTS[match["part"]], client)} if client else set()
        _fill(reading, [_CLIENTS[match["part"]]], match["key"], leaf, client)
    elif name.startswith(_STREAMS):
        words = "what stands under kafka.streams is not read: give it as streams.properties"
        if not any(note.endswith(f"{words}.") for note in reading.notes):
            reading.note(leaf.line, words)
    else:
        key, java = name.removeprefix("kafka."), newest(Family.JAVA)
        having = [part for part in _CLIENTS.values() if key in known_keys(java, part)]
        _fill(reading, having, key, leaf)


def _fill(
    reading: Reading, components: list[Component], key: str, leaf: Leaf, name: str = ""
) -> None:
    for component in components:
        take = partial(reading.state, component, key, line=leaf.line, process=name)
        fill(reading, SPRING, (key, leaf.text, leaf.line), take)


def _likeness(text: str) -> float:
    return 0.93 if _LINE.search(text) or _BLOCK.search(text) else 0.0


READERS = (
    Reader("micronaut", "Micronaut's application.yml", _likeness, read, read_files, is_yaml=True),
)
