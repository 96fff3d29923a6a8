"""What a cluster's metadata version decides, whichever Kafka its brokers run.

A feature is on from the version on at which a new cluster begins with it
(EligibleLeaderReplicasVersion: 4.1-IV0, TransactionVersion: 4.0-IV2); a cluster that keeps an older
one does not have it.
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.reading import Reading

_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})(?:-IV(\d{1,3}))?.*")
_FEATURES = {
    "eligible.leader.replicas.version": (4, 1, 0),
    "transaction.version": (4, 0, 2),
}


def take_metadata_version(reading: Reading, text: str, line: int) -> None:
    """States that features are off that come with a later metadata version."""
    match = _VERSION.fullmatch(text)
    if match is None:
        reading.note(line, "the metadata version is of a form that is not known: not read")
        return
    major, minor, step = int(match[1]), int(match[2]), match[3]
    stated = (major, minor, 99 if step is None else int(step))
    for name, since in _FEATURES.items():
        if stated < since:
            reading.state(Component.APPLICATION, name, "0", line)
            words = f"a cluster of metadata version {text} has no {name}"
            reading.note(line, f"{words}, unless kafka-features.sh describe says another")
