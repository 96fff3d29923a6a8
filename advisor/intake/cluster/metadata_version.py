"""What a cluster's metadata version decides, whichever Kafka its brokers run.

A feature is on from the version on at which a new cluster begins with it
(EligibleLeaderReplicasVersion: 4.1-IV0, TransactionVersion: 4.0-IV2, GroupVersion: 4.0-IV0,
StreamsVersion: 4.2-IV1); a cluster that keeps an older one does not have it.
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.reading import Reading

PROTOCOLS = "group.coordinator.rebalance.protocols"

_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})(?:-IV(\d{1,3}))?.*")
_FEATURES = {
    "eligible.leader.replicas.version": (4, 1, 0),
    "transaction.version": (4, 0, 2),
}

_GROUPS = {"classic": (0, 0, 0), "consumer": (4, 0, 0), "streams": (4, 2, 1)}
_UNLESS = "unless kafka-features.sh describe says another"


def take_metadata_version(reading: Reading, text: str, line: int) -> None:
    """States that features are off that come with a later metadata version."""
    stated = _parts(text)
    if stated is None:
        reading.note(line, "the metadata version is of a form that is not known: not read")
        return
    for name, since in _FEATURES.items():
        if stated < since:
            reading.state(Component.APPLICATION, name, "0", line)
            words = f"a cluster of metadata version {text} has no {name}"
            reading.note(line, f"{words}, {_UNLESS}")


def take_kinds_of_groups(reading: Reading, text: str, kafka: str, line: int) -> None:
    """States which groups brokers of a Kafka take while the metadata version is older than it: they
    refuse one of another kind, whatever they state (KafkaApis, isConsumerGroupProtocolEnabled)."""
    stated, newest = _parts(text), _parts(kafka)
    if stated is None or newest is None:
        return
    known, all_kinds = (
        [kind for kind, since in _GROUPS.items() if since <= version]
        for version in (stated, newest)
    )
    if known != all_kinds:
        reading.state(Component.BROKER, PROTOCOLS, ",".join(known), line)
        words = f"a cluster of metadata version {text} has groups of {' and '.join(known)} alone"
        reading.note(line, f"{words}, {_UNLESS}")


def _parts(text: str) -> tuple[int, int, int] | None:
    """A version such as `4.1-IV0`, or None; the last step of its line where none is stated."""
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    return int(match[1]), int(match[2]), 99 if match[3] is None else int(match[3])
