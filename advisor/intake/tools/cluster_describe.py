"""Output of `kafka-features.sh describe` and of `kafka-metadata-quorum.sh describe`.

A row of the first is `Feature: … SupportedMinVersion: … SupportedMaxVersion: …
FinalizedVersionLevel: … Epoch: …` (FeatureCommand). The newest metadata version that the brokers
support names their release. The second prints the voters as `[1,2,3]`, from 3.9 on as a list of
objects with an `id`; with `--replication` it prints a row for each node, with its role at the end
(MetadataQuorumCommand).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.catalog import Component
from advisor.catalog.versions import at_least
from advisor.intake.cluster.metadata_version import PROTOCOLS, take_metadata_version
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import IntakeError, shown

_FEATURE = re.compile(
    r"^Feature:\s*(?P<name>[\w.]{1,80})\s+SupportedMinVersion:\s*\S{1,40}\s+"
    r"SupportedMaxVersion:\s*(?P<supported>\S{1,40})\s+"
    r"FinalizedVersionLevel:\s*(?P<level>\S{1,40})",
    re.MULTILINE,
)
_METADATA, _GROUPS, _STREAMS = "metadata.version", "group.version", "streams.version"
_RELEASE = re.compile(r"(\d{1,2}\.\d{1,2})(?:-IV\d{1,3})?")
_MODELLED = ("eligible.leader.replicas.version", "transaction.version")
_FEATURES_SINCE = "4.0"
"""From this release on, the output has a row for each feature. Before, the metadata version
decides."""

_VOTERS = re.compile(r"^CurrentVoters:[ \t]*\[(?P<voters>.*)\][ \t]*$", re.MULTILINE)
_ID = re.compile(r"\"id\"\s*:\s*(\d{1,9})\b")
_PLAIN_ID = re.compile(r"\s*\d{1,9}\s*")
_NODES = re.compile(r"^NodeId\s+(?:DirectoryId\s+)?LogEndOffset\s+Lag\b", re.MULTILINE)
_VOTING = re.compile(r"^\d{1,9}\s.*\s(?:Leader|Follower)[ \t]*$", re.MULTILINE)
_LEADERLESS = re.compile(r"^LeaderId:\s*-1[ \t]*$", re.MULTILINE)


def read_features(text: str) -> Reading:
    """Reads the release of the brokers, and the features that are on. Raises `IntakeError`."""
    reading, rows = Reading(), dict[str, tuple[int, re.Match[str]]]()
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _FEATURE.match(line.strip()):
            rows[match["name"]] = number, match
    if _METADATA not in rows:
        raise IntakeError(f"Line 1: no line begins with Feature: {_METADATA}.")
    number, metadata = rows[_METADATA]
    release = _RELEASE.fullmatch(metadata["supported"])
    if release is None:
        words = f"{shown(metadata['supported'])} is no version of Kafka"
        raise IntakeError(f"Line {number}: {words}.")
    reading.heads["kafka"] = release[1]
    reading.note(number, f"the brokers are of Kafka {release[1]}, whose metadata they support")
    if not at_least(release[1], _FEATURES_SINCE):
        take_metadata_version(reading, metadata["level"], number)
        return reading
    for name in _MODELLED:
        if name in rows:
            at, row = rows[name]
            reading.add_setting(Component.APPLICATION, name, row["level"], at)
    _take_groups(reading, rows)
    return reading


def _take_groups(reading: Reading, rows: dict[str, tuple[int, re.Match[str]]]) -> None:
    """Sets the group protocols if a feature is off: brokers then refuse groups of that protocol,
    whatever their files state (KafkaApis, isConsumerGroupProtocolEnabled)."""
    off = {name: at for name, (at, row) in rows.items() if row["level"] == "0"}
    if _GROUPS not in off and _STREAMS not in off:
        return
    kinds = ["classic"]
    kinds += [] if _GROUPS in off or _GROUPS not in rows else ["consumer"]
    kinds += [] if _STREAMS in off or _STREAMS not in rows else ["streams"]
    line = off.get(_GROUPS) or off[_STREAMS]
    reading.add_setting(Component.BROKER, PROTOCOLS, ",".join(kinds), line)
    reading.note(line, f"the cluster has only {' and '.join(kinds)} groups")


def read_quorum(text: str) -> Reading:
    """Reads the number of voting controllers. Raises `IntakeError`."""
    reading = Reading()
    status = _VOTERS.search(text)
    place, count = (status, len({*_ids(status["voters"])})) if status else (None, 0)
    if status is None and (head := _NODES.search(text)):
        place, count = head, len(_VOTING.findall(text, head.end()))
    if place is None or not count:
        raise IntakeError("Line 1: no line begins with CurrentVoters: or NodeId and has a voter.")
    line = text.count("\n", 0, place.start()) + 1
    reading.add_setting(Component.APPLICATION, "controllers", str(count), line)
    if leaderless := _LEADERLESS.search(text):
        words = "the controllers had no leader when this was printed"
        reading.note(text.count("\n", 0, leaderless.start()) + 1, words)
    return reading


def _ids(text: str) -> Iterator[str]:
    if objects := _ID.findall(text):
        yield from objects
    else:
        yield from (part.strip() for part in text.split(",") if _PLAIN_ID.fullmatch(part))


def _features_likeness(text: str) -> float:
    return 1.0 if _FEATURE.search(text) else 0.0


def _quorum_likeness(text: str) -> float:
    return 1.0 if _VOTERS.search(text) or _NODES.search(text) else 0.0


READERS = (
    Reader(
        "features-describe", "Output of kafka-features describe", _features_likeness, read_features
    ),
    Reader(
        "quorum-describe",
        "Output of kafka-metadata-quorum describe",
        _quorum_likeness,
        read_quorum,
    ),
)
