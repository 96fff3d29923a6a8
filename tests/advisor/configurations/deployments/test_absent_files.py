"""A yes names what is not here and may state something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, JAVA, assert_files
from tests.advisor.test_advise import run

COMPOSE = """services:
  orders:
    image: acme/orders
    {more}
    environment:
      SPRING_KAFKA_CONSUMER_GROUP_ID: orders
      SPRING_KAFKA_PRODUCER_ACKS: all
"""
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: orders}
spec:
  template:
    spec:
      containers:
      - name: orders
        image: acme/orders
        envFrom:
        - configMapRef: {name: common}
        env:
        - {name: SPRING_KAFKA_CONSUMER_GROUP_ID, value: orders}
"""
YML = "spring:\n  kafka.consumer.group-id: orders\n"
IMPORTS = f"{YML}  config.import: configtree:/etc/orders/\n"
PROFILE = f"{YML}  profiles.active: prod\n"
LATER = f"{YML}  profiles.active: ${{STAGE}}\n"
STARTED = COMPOSE.format(more="stop_signal: SIGTERM") + "      SPRING_PROFILES_ACTIVE: prod\n"
RETRIED = f"{JAVA} application.processing.errors=retry"
IF = "^YES, if what is not here states nothing else: .*Not here, and may state what decides: what "


@pytest.mark.parametrize(("files", "expected"), [
    ({"compose.yml": COMPOSE.format(more="env_file: orders.env"), "application.yml": YML},
     IF + r"\S*compose.yml:4 names"),
    ({"compose.yml": COMPOSE.format(more="stop_signal: SIGTERM")}, IF + r"\S*compose.yml:6 names"),
    ({"d.yml": DEPLOYMENT, "application.yml": YML}, IF + r"\S*d.yml:11 names"),
    ({"application.yml": IMPORTS}, IF + r"\S*application.yml:3 names"),
    ({"application.yml": PROFILE}, IF + r"\S*application.yml:3 names"),
    ({"application.yml": LATER}, IF + r"\S*application.yml:3 names"),
    ({"compose.yml": STARTED}, IF + r"\S*compose.yml:8 names"),
    ({"application.yml": YML}, "^YES: "),
    ({"compose.yml": COMPOSE.format(more="stop_signal: SIGTERM"), "application.yml": YML},
     "^YES: "),
])  # fmt: skip
def test_a_yes_goes_as_far_as_what_is_not_here_states_nothing(
    tmp_path: Path, files: dict[str, str], expected: str
) -> None:
    assert_files(tmp_path, files, RETRIED, 0, expected)


def test_tools_are_given_what_is_not_here(tmp_path: Path) -> None:
    path = tmp_path / "application.yml"
    for text, count in ((IMPORTS, 1), (YML, 0)):
        path.write_text(text)
        for kind in ("json", "sarif"):
            _, out, _ = run(str(path), "--format", kind)
            data = json.loads(out)
            given = data["runs"][0]["properties"] if kind == "sarif" else data
            assert len(given.get("not_given", ())) == count


CREATE = "kafka-topics.sh --create --topic a --replication-factor 3 --config min.insync.replicas=2 "
LEFT = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata:\n  name: a\n"
LEFT += "  annotations: {strimzi.io/managed: '%s'}\n"
LEFT += "spec: {replicas: 3, config: {min.insync.replicas: 2}}\n"
IGNORED = 'resource "kafka_topic" "a" {\n  replication_factor = 3\n'
IGNORED += '  config = { "min.insync.replicas" = "2" }\n%s}\n'


@pytest.mark.parametrize(("files", "expected"), [
    ({"s.sh": f"{CREATE}$OPTIONS\n"}, IF + r"\S*s.sh:1 names"),
    ({"s.sh": f"{CREATE}\n"}, "^YES: "),
    ({"t.yaml": LEFT % "false"}, IF + r"\S*t.yaml:5 names"),
    ({"t.yaml": LEFT % "true"}, "^YES: "),
    ({"m.tf": IGNORED % "  lifecycle {\n    ignore_changes = [config]\n  }\n"},
     IF + r"\S*m.tf:5 names"),
    ({"m.tf": IGNORED % ""}, "^YES: "),
])  # fmt: skip
def test_a_yes_goes_as_far_as_what_is_here_counts(
    tmp_path: Path, files: dict[str, str], expected: str
) -> None:
    assert_files(tmp_path, files, COPIES, 0, expected)
