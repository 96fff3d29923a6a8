"""Ids that several instances of an application share, by their containers' variables.

Expected from KIP-345 and KIP-98: an instance with such an id fences the one that has it already.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_file
from tests.advisor.configurations.manifests import DEPLOYMENT

KNOWN = "topic.replication.factor=3 topic.min.insync.replicas=2 application.restart=resumes"
KNOWN += " application.processing.errors=retry"
POD = (
    DEPLOYMENT
    + """\
        env:
        - {name: SPRING_KAFKA_CONSUMER_GROUP_ID, value: g}
        - {name: SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET, value: earliest}
        - {name: %s, value: '%s'}
  replicas: %d
"""
)
SERVICE = """services:
  orders:
    image: orders
    %s
    environment:
      SPRING_KAFKA_CONSUMER_GROUP_ID: g
      SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET: earliest
      SPRING_KAFKA_CONSUMER_PROPERTIES_GROUP_INSTANCE_ID: x
"""
STATIC = "SPRING_KAFKA_CONSUMER_PROPERTIES_GROUP_INSTANCE_ID"
PREFIX = "SPRING_KAFKA_PRODUCER_TRANSACTION_ID_PREFIX"
SHARED = "3 instances start with this"
NOT_SHARED = rf"^(?!.*{SHARED}).*YES"


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("pod.yaml", POD % (STATIC, "x", 3), rf":13: {SHARED} {STATIC}: one that starts fences"),
    ("pod.yaml", POD % (PREFIX, "tx-", 3), f"{SHARED} {PREFIX}"),
    ("pod.yaml", POD % (STATIC, "x", 1), NOT_SHARED),
    ("pod.yaml", POD % (STATIC, "$(POD_NAME)", 3), NOT_SHARED),
    ("compose.yml", SERVICE % "deploy: {replicas: 3}", f":8: {SHARED} {STATIC}"),
    ("compose.yml", SERVICE % "scale: 3", SHARED),
    ("compose.yml", SERVICE % "restart: always", NOT_SHARED),
])  # fmt: skip
def test_ids_that_several_instances_share_are_named(
    tmp_path: Path, name: str, text: str, expected: str
):
    assert_file(tmp_path / name, text, "", KNOWN, 0, expected)
