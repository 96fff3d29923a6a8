"""What a cluster prints of itself: `kafka-features.sh` and `kafka-metadata-quorum.sh describe`.

Expected from FeatureCommand and MetadataQuorumCommand of Kafka 3.3 to 4.3: the newest metadata
version that brokers support is that of their release, and only voters elect a leader.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import C, assert_files

RANGE = "Feature: %s\tSupportedMinVersion: 0\tSupportedMaxVersion: 2\tFinalizedVersionLevel: %s\t"
METADATA = "Feature: metadata.version\tSupportedMinVersion: 3.3-IV3\tSupportedMaxVersion: %s\t"
METADATA += "FinalizedVersionLevel: %s\tEpoch: 8\n"
STATUS = "ClusterId:              x\nLeaderId:               %s\nCurrentVoters:          %s\n"
STATUS += "CurrentObservers:       [4,5,6]\n"
OBJECTS = '[{"id": 1, "directoryId": "x", "endpoints": ["C://a:9093"]}, {"id": 2, "endpoints": []}]'
NODES = "NodeId\tDirectoryId\tLogEndOffset\tLag\tLastFetchTimestamp\tStatus\t\n"
NODES += "1\tx\t10\t0\t1\tLeader\t\n2\ty\t10\t0\t1\tFollower\t\n3\tz\t9\t1\t1\tObserver\t\n"
EMPTY_DISK = f"{C} application.disk.lost=returns-empty"
GROUPS = f"{C} consumer.group.protocol=consumer"


def features(version: str, **levels: int) -> str:
    rows = (f"{RANGE % (name.replace('_', '.'), level)}Epoch: 8" for name, level in levels.items())
    return METADATA % (version, version) + "\n".join(rows)


@pytest.mark.parametrize(("text", "settings", "code", "expected"), [
    (features("4.1-IV1", transaction_version=2), C, 0, "^YES.*3 brokers of Kafka 4.1"),
    (features("3.6-IV2"), C, 0, "3 brokers of Kafka 3.6"),
    (features("4.1-IV1", eligible_leader_replicas_version=0), EMPTY_DISK, 1,
     "returns-empty without eligible leader replicas"),
    (METADATA % ("3.9-IV0", "3.3-IV3"), C, 0, "3 brokers of Kafka 3.9"),
    (features("4.2-IV1", group_version=0, streams_version=0), GROUPS, 2,
     "rebalance.protocols=classic: the brokers refuse group.protocol=consumer"),
    (features("4.2-IV1", group_version=1, streams_version=0), GROUPS, 0, "^YES"),
    (features("9.9-IV1"), C, 2, "We know Kafka 4.3 to 2.8; '9.9' is none of them"),
    (STATUS % (1, "[1,2,3]"), C, 0, "^YES"),
    (STATUS % (1, "[1]"), C, 1, "application.controllers: 1 -> 3"),
    (STATUS % (1, OBJECTS), C, 0, "application.controllers=2"),
    (STATUS % (-1, "[1,2,3]"), C, 0, ":2: the controllers had no leader"),
    (NODES, C, 0, "application.controllers=2"),
    (STATUS % (1, "[]"), C, 2, "has a voter"),
])  # fmt: skip
def test_what_a_cluster_prints_of_itself_counts(
    tmp_path: Path, text: str, settings: str, code: int, expected: str
):
    assert_files(tmp_path, {"printed.txt": text}, settings, code, expected)
