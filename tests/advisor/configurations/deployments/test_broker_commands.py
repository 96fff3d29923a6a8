"""Broker settings that the command of a container writes before it starts the broker.

Expected from sh(1): exported variables are passed to the processes that it starts; and from the
images' documentation: a variable is a line of server.properties, which a command may also write.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, assert_file

POD = """apiVersion: apps/v1
kind: StatefulSet
metadata: {name: kafka}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: kafka
        image: confluentinc/cp-kafka:7.6.0
        command: [sh, -c, %s]
        env:
        - {name: KAFKA_PROCESS_ROLES, value: 'broker,controller'}
        - {name: KAFKA_DEFAULT_REPLICATION_FACTOR, value: '3'}
        - {name: KAFKA_MIN_INSYNC_REPLICAS, value: '2'}
        volumeMounts: [{name: d, mountPath: /var/lib/kafka/data}]
  volumeClaimTemplates: [{metadata: {name: d}}]
"""
SERVICES = "services:\n" + "".join(
    f"""  k{number}:
    image: apache/kafka:3.9.0
    command: %s
    volumes: ['d{number}:/tmp/kafka-logs']
    environment:
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_NODE_ID: {number}
      KAFKA_MIN_INSYNC_REPLICAS: 2
      KAFKA_DEFAULT_REPLICATION_FACTOR: 3
"""
    for number in range(3)
)
RUN = "exec /etc/confluent/docker/run"
UNCLEAN = "unclean.leader.election.enable"
BY_COMMAND = "is written by this command"


@pytest.mark.parametrize(("command", "code", "expected"), [
    (f"'export KAFKA_NODE_ID=${{HOSTNAME##*-}} && {RUN}'", 0, "YES"),
    (f"'export KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE=true && {RUN}'", 1, "enable: true -> false"),
    (f"'export KAFKA_MIN_INSYNC_REPLICAS=\"1\"; {RUN}'", 1, "min.insync.replicas: 1 -> 2"),
    (f"'KAFKA_MIN_INSYNC_REPLICAS=2 {RUN}'", 0, "YES"),
    (f"'export KAFKA_MIN_INSYNC_REPLICAS=$LEAST; {RUN}'", 2,
     "min.insync.replicas is filled in"),
    (f"'echo {UNCLEAN}=true >> /etc/kafka/kafka.properties; {RUN}'", 2, f"{UNCLEAN} {BY_COMMAND}"),
    (f"\"cat > /s.properties <<E\\nnode.id=1\\n{UNCLEAN}=true\\nE\\n{RUN}\"", 2, BY_COMMAND),
    (f"'sed -i s/^min\\.insync\\.replicas=.*/x/ /s.properties; {RUN}'", 2, BY_COMMAND),
    (f"'echo node.id=7 >> /etc/kafka/server.properties; {RUN}'", 0,
     "YES.*what this command writes into a properties file is not read"),
    (f"'{RUN} > /var/log/kafka.log 2>&1'", 0, "YES"),
])  # fmt: skip
@pytest.mark.parametrize("text", [POD, SERVICES], ids=["pod", "services"])
def test_the_command_of_a_broker_gets_the_expected_answer(
    tmp_path: Path, text: str, command: str, code: int, expected: str
) -> None:
    filled = text.replace("%s", command if text is POD else f"[sh, -c, {command}]")
    assert_file(tmp_path / "f.yml", filled, "", COPIES, code, expected)


def test_an_included_compose_file_is_reported(tmp_path: Path) -> None:
    text = f"include: [more.yml]\n{SERVICES.replace('%s', 'run')}"
    assert_file(tmp_path / "f.yml", text, "", COPIES, 0, "a file that is included may contain")
