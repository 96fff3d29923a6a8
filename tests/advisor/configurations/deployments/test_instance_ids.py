"""Ids that several instances of an application share, by their containers' variables.

Expected from KIP-345 and KIP-98: an instance with such an id fences the one that has it already.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_file

KNOWN = "topic.replication.factor=3 topic.min.insync.replicas=2 application.restart=resumes"
KNOWN += " application.processing.errors=retry"
POD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: orders}
spec:
  replicas: %d
  template:
    spec:
      containers:
      - name: orders
        image: orders
        env:
        - {name: SPRING_KAFKA_CONSUMER_GROUP_ID, value: g}
        - {name: SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET, value: earliest}
        - {name: %s, value: '%s'}
"""
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
    ("pod.yaml", POD % (3, STATIC, "x"), rf":14: {SHARED} {STATIC}: one that starts fences"),
    ("pod.yaml", POD % (3, PREFIX, "tx-"), f"{SHARED} {PREFIX}"),
    ("pod.yaml", POD % (1, STATIC, "x"), NOT_SHARED),
    ("pod.yaml", POD % (3, STATIC, "$(POD_NAME)"), NOT_SHARED),
    ("compose.yml", SERVICE % "deploy: {replicas: 3}", f":8: {SHARED} {STATIC}"),
    ("compose.yml", SERVICE % "scale: 3", SHARED),
    ("compose.yml", SERVICE % "restart: always", NOT_SHARED),
])  # fmt: skip
def test_ids_that_several_instances_share_are_named(
    tmp_path: Path, name: str, text: str, expected: str
):
    assert_file(tmp_path / name, text, "", KNOWN, 0, expected)
