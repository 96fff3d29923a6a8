"""Systemd units, with the files of the processes that they start.

Expected from systemd.exec and systemd.syntax: several assignments in a line, quotes, an empty
assignment that resets the others, and a line that continues in the next one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_answer, write_files

UNIT = "[Unit]\nDescription=SPRING_KAFKA_PRODUCER_ACKS=0\n[Service]\n%s\n[Install]\nWantedBy=a\n"
START = "ExecStart=/usr/bin/java -jar /opt/a.jar"
ACKS = "SPRING_KAFKA_PRODUCER_ACKS=1"
SPRING = "spring.kafka:\n  producer: {acks: all}\n  consumer: {auto-offset-reset: %s}\n"
FILES = {"application.yml": SPRING % "earliest"}
SERVER = "process.roles=broker,controller\nnode.id=1\nlog.dirs=/d\nmin.insync.replicas=2\n"
SERVER += "default.replication.factor=3\n"
BROKER = "ExecStart=/opt/kafka/bin/kafka-server-start.sh /etc/server.properties"
WEAK = "acks: 1 -> all"


@pytest.mark.parametrize(("unit", "files", "code", "expected"), [
    (START, FILES, 0, "^YES"),
    (f"Environment={ACKS}\n{START}", FILES, 1, WEAK),
    (f"Environment=A=b \"{ACKS}\" 'C=d e'\n{START}", FILES, 1, WEAK),
    (f"Environment={ACKS}\nEnvironment=\n{START}", FILES, 0, "^YES"),
    (f"#Environment={ACKS}\n;Environment={ACKS}\n{START}", FILES, 0, "^YES"),
    (f"{START} --spring.kafka.producer.acks=1", FILES, 1, WEAK),
    ("ExecStart=/usr/bin/java \\\n  -Dspring.kafka.producer.acks=1 \\\n  -jar a", FILES, 1, WEAK),
    ("Environment=\"JAVA_OPTS=-Dspring.kafka.producer.acks=1\"", FILES, 1, WEAK),
    (f"ExecStart=/bin/sh -c 'export {ACKS}; exec java -jar a.jar'", FILES, 1, WEAK),
    ("EnvironmentFile=/etc/default/a\n" + START, FILES, 0, "EnvironmentFile a may contain"),
    (f"EnvironmentFile=/etc/a.env\n{START}", FILES | {"a.env": f"{ACKS}\n"}, 1, WEAK),
    ("Environment=SPRING_PROFILES_ACTIVE=prod", FILES | {"application-prod.yml": SPRING % "latest"},
     1, "latest -> earliest"),
    (f"Environment={ACKS}\nEnvironment=SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET=earliest", {}, 1,
     WEAK),
    # variables that are passed to the unit, and variables that are removed from it
    (f"PassEnvironment=A SPRING_KAFKA_PRODUCER_ACKS\n{START}", FILES, 2, "acks has no value here"),
    (f"Environment={ACKS}\nPassEnvironment=SPRING_KAFKA_PRODUCER_ACKS\n{START}", FILES, 1, WEAK),
    (f"Environment=SPRING_KAFKA_PRODUCER_ACKS=all\nUnsetEnvironment=SPRING_KAFKA_PRODUCER_ACKS\n"
     f"{START}", {"application.yml": (SPRING % "earliest").replace("all", "1")}, 1, WEAK),
    (f"Environment={ACKS}\nUnsetEnvironment={ACKS}\n{START}", FILES, 0, "^YES"),
    (f"Environment={ACKS}\nUnsetEnvironment={ACKS}0\n{START}", FILES, 1, WEAK),
    ("Environment=KAFKA_ACKS=1", FILES, 2, "KAFKA_ACKS is acks of a producer"),
    (START, {}, 2, "there is no variable KAFKA_"),
])  # fmt: skip
def test_the_unit_of_an_application_gets_the_expected_answer(
    tmp_path: Path, unit: str, files: dict[str, str], code: int, expected: str
) -> None:
    write_files(tmp_path, {"a.service": UNIT % unit, **files})
    settings = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
    for names in (["a.service", *files], [*files, "a.service"]):
        paths = " ".join(str(tmp_path / name) for name in names)
        assert_answer(paths, settings, code, expected)


@pytest.mark.parametrize(("unit", "code", "expected"), [
    (f"Environment=KAFKA_HEAP_OPTS=-Xmx4g\n{BROKER}", 0, "^YES"),
    (f"{BROKER} --override min.insync.replicas=1", 1, "min.insync.replicas: 1 -> 2"),
])  # fmt: skip
def test_the_unit_of_a_broker_gets_the_expected_answer(
    tmp_path: Path, unit: str, code: int, expected: str
) -> None:
    write_files(tmp_path, {"kafka.service": UNIT % unit, "server.properties": SERVER})
    assert_answer(f"{tmp_path}/kafka.service {tmp_path}/server.properties", COPIES, code, expected)
