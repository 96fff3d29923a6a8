"""Features that depend on a cluster's metadata version, not on the version of its brokers.

A feature is on from the metadata version with which a new cluster has it
(EligibleLeaderReplicasVersion: 4.1-IV0, TransactionVersion: 4.0-IV2, GroupVersion: 4.0-IV0,
StreamsVersion: 4.2-IV1). A cluster that stays on an older version does not have it.
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
_UNLESS = "unless kafka-features.sh describe shows another"


def take_metadata_version(reading: Reading, text: str, line: int) -> None:
    """Turns off the features that need a later metadata version than that of `text`."""
    stated = _parts(text)
    if stated is None:
        reading.note(line, "the metadata version has an unknown form: not read")
        return
    for name, since in _FEATURES.items():
        if stated < since:
            reading.add_setting(Component.APPLICATION, name, "0", line)
            words = f"a cluster of metadata version {text} has no {name}"
            reading.note(line, f"{words}, {_UNLESS}")


def take_group_protocols(reading: Reading, text: str, kafka: str, line: int) -> None:
    """Sets the group protocols of brokers of version `kafka` whose metadata version, `text`, is
    older: they refuse groups of another protocol, whatever their files state (KafkaApis,
    isConsumerGroupProtocolEnabled)."""
    stated, newest = _parts(text), _parts(kafka)
    if stated is None or newest is None:
        return
    supported, all_kinds = (
        [kind for kind, since in _GROUPS.items() if since <= version]
        for version in (stated, newest)
    )
    if supported != all_kinds:
        reading.add_setting(Component.BROKER, PROTOCOLS, ",".join(supported), line)
        words = f"a cluster of metadata version {text} has only {' and '.join(supported)} groups"
        reading.note(line, f"{words}, {_UNLESS}")


def _parts(text: str) -> tuple[int, int, int] | None:
    """The numbers of a version such as `4.1-IV0`; None for any other text. Without `IV` it counts
    as the last of its line."""
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    return int(match[1]), int(match[2]), 99 if match[3] is None else int(match[3])
