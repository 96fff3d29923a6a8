"""Settings files: which component they belong to, and in which format they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import (
    COPIES,
    TOPIC,
    assert_answer,
    assert_file,
    given,
    write_files,
)

TOPIC_SETTINGS = "min.insync.replicas=2\nunclean.leader.election.enable=false\n"
THREE_COPIES = "topic.replication.factor=3"
OFFSETS = "offsets.topic.replication.factor=3 with min.insync.replicas=1"


@pytest.mark.parametrize(("name", "code", "expected"), [
    ("topic.properties", 0, OFFSETS),
    ("orders-topic-config.properties", 0, OFFSETS),
    ("server.properties", 0, "B001 high"),
    ("broker-1.properties", 0, "B001 high"),
    ("a.properties", 2, "a.properties:1: this may be of one topic, or of a broker for all topics"),
])  # fmt: skip
def test_a_file_name_shows_whether_settings_are_for_a_topic_or_for_brokers(
    tmp_path: Path, name: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / name, TOPIC_SETTINGS, "", f"{COPIES} {THREE_COPIES}", code, expected)


@pytest.mark.parametrize("name", ["topic.properties", "a.properties"])
def test_a_file_with_broker_settings_is_for_brokers_whatever_its_name(
    tmp_path: Path, name: str
) -> None:
    text = f"{TOPIC_SETTINGS}log.dirs=/data\n"
    assert_file(tmp_path / name, text, "", f"{COPIES} {THREE_COPIES}", 0, "B001 high")


@pytest.mark.parametrize("text", [
    'conf: dict[str, str] = {"bootstrap.servers": "k:9092", "acks": "1"}\n',
    'CONF: Final = dict(acks="1", **{"linger.ms": 5})\n',
])  # fmt: skip
def test_an_annotated_dict_is_python(tmp_path: Path, text: str) -> None:
    assert_file(tmp_path / "c.py", text, "", f"{COPIES} {TOPIC}", 1, "producer.acks: 1 -> all")


def test_librdkafka_refuses_a_choice_with_a_blank(tmp_path: Path) -> None:
    text, expected = '{"acks": "all ", "linger.ms": 5}', "j.json:1: acks has white space around"
    assert_file(tmp_path / "j.json", text, "", f"{COPIES} {TOPIC}", 2, expected)


CREATE = "kafka-topics.sh --create --topic t --config min.insync.replicas=2 --replication-factor "


@pytest.mark.parametrize(("text", "code", "expected"), [
    (f'RF="${{RF:-3}}"\n{CREATE}"$RF"\n', 0, "YES"),
    (f": ${{RF:=3}}\n{CREATE}$RF\n", 0, "YES"),
    (f"RF=${{1:-1}}\n{CREATE}$RF\n", 1, "replication.factor: 1 -> 3"),
    (f"readonly RF=3\n{CREATE}$RF\n", 0, "YES"),
    (f'RF="${{RF:-3}}"\nRF=1\n{CREATE}"$RF"\n', 2, "filled in when the command runs"),
    # the arguments of a function are known only where it is called
    (f"make() {{\n{CREATE}${{2:-3}}\n}}\nmake t 1\n", 2, "filled in when the command runs"),
    (f"make() {{\nlocal rf=${{2:-3}}\n{CREATE}$rf\n}}\n", 2, "filled in when the command runs"),
])  # fmt: skip
def test_a_variable_of_a_script_has_its_default_value(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "t.sh", text, "", COPIES, code, expected)


WITH_PREFIX = """apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  %s
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  template:
    spec:
      containers:
      - name: app
        envFrom:
        - prefix: %s
          configMapRef: {name: c}
"""


@pytest.mark.parametrize(("entry", "prefix", "code", "expected"), [
    ('KAFKA_PRODUCER_ACKS: "1"', "SPRING_", 1, "producer.acks: 1 -> all"),
    ('SPRING_KAFKA_PRODUCER_ACKS: "1"', '""', 1, "producer.acks: 1 -> all"),
    ('SPRING_KAFKA_PRODUCER_ACKS: "1"', "X_", 2, "X_SPRING_KAFKA_PRODUCER_ACKS is acks of a prod"),
])  # fmt: skip
def test_variables_of_a_container_may_have_a_prefix(
    tmp_path: Path, entry: str, prefix: str, code: int, expected: str
) -> None:
    text = WITH_PREFIX % (entry, prefix)
    assert_file(tmp_path / "d.yaml", text, "", f"{COPIES} {TOPIC}", code, expected)


SPRING = "spring:\n  kafka:\n    consumer:\n      auto-offset-reset: earliest\n"
SERVICE = "services:\n  a:\n    image: a\n    environment:\n      SPRING_KAFKA_%s\n"


@pytest.mark.parametrize("files", [
    {"application.yml": SPRING, "c.yml": SERVICE % 'CONSUMER_ENABLE_AUTO_COMMIT: "true"'},
    {"c.properties": "enable.auto.commit=true\n", "c.yml": SERVICE % "CONSUMER_GROUP_ID: g"},
])  # fmt: skip
def test_the_default_of_a_framework_does_not_disagree_with_files(
    tmp_path: Path, files: dict[str, str]
) -> None:
    write_files(tmp_path, files)
    paths = " ".join(str(tmp_path / name) for name in files)
    _, text = given(paths, f"{TOPIC} application.processing=asynchronous")
    assert "disagree" not in text
    assert "enable.auto.commit=true with application.processing" in " ".join(text.split())


@pytest.mark.parametrize(("name", "code"), [("broker.env", 0), ("other.env", 1)])
def test_an_env_file_that_is_given_is_not_reported_as_missing(
    tmp_path: Path, name: str, code: int
) -> None:
    text = "services:\n  k:\n    image: apache/kafka:4.1.0\n    env_file: broker.env\n"
    write_files(tmp_path, {"c.yml": text, name: "KAFKA_MIN_INSYNC_REPLICAS=2\n"})
    _, output = given(f"{tmp_path / 'c.yml'} {tmp_path / name}", COPIES)
    assert ("env_file broker.env may contain settings" in output) is bool(code)


BROKER = """  k{0}:
    image: apache/kafka:4.1.0
    environment:
      KAFKA_NODE_ID: {0}
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@k1:9093,2@k2:9093,3@k3:9093
      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
      KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
      KAFKA_LOG_DIRS: /data
      KAFKA_DEFAULT_REPLICATION_FACTOR: 3
      KAFKA_MIN_INSYNC_REPLICAS: 1
    volumes: ["d{0}:/data"]
"""
IDS = ("1", "2", "3")


def compose(part: str, ids: tuple[str, ...] = IDS) -> str:
    return "services:\n" + "".join(part.format(broker_id) for broker_id in ids)


OVERRIDE = "  k{0}:\n    environment:\n      KAFKA_MIN_INSYNC_REPLICAS: 2\n"
LISTED = OVERRIDE.replace("KAFKA", "- KAFKA").replace(": 2", "=2")


@pytest.mark.parametrize(("name", "text", "code", "expected"), [
    ("docker-compose.override.yml", compose(OVERRIDE), 0, "YES"),
    ("docker-compose.override.yml", compose(LISTED), 0, "YES"),
    ("docker-compose.override.yml", compose(OVERRIDE, ("1", "2")), 1,
     "min.insync.replicas: 1 -> 2"),
    ("docker-compose.override.yml", compose(f"{OVERRIDE}    volumes: ['./d{{0}}:/data']\n"), 0,
     "YES"),
    ("docker-compose.override.yml", compose(f"{OVERRIDE}    tmpfs: [/data]\n"), 1,
     "override.yml:5: the broker's logs are on a tmpfs"),
    ("docker-compose.override.yml", compose(f"{OVERRIDE}    volumes: ['d:/data']\n"), 1,
     "brokers with one volume for their logs"),
    ("other.yml", compose(OVERRIDE), 1, "min.insync.replicas: 1 -> 2"),
    ("docker-compose.prod.yml", compose(OVERRIDE), 0, "YES"),
    ("docker-compose.prod.yml", compose(OVERRIDE.replace("env", "image: apache/kafka\n    env", 1)),
     1,
     "the two disagree"),  # since it may be a whole one
])  # fmt: skip
def test_a_compose_file_may_override_another(
    tmp_path: Path, name: str, text: str, code: int, expected: str
) -> None:
    write_files(tmp_path, {"docker-compose.yml": compose(BROKER), name: text})
    paths = f"{tmp_path / name} {tmp_path / 'docker-compose.yml'}"
    assert_answer(paths, COPIES, code, expected)


UNCLEAN_LINE = "      KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE: 'true'\n    volumes:"
UNCLEAN = BROKER.replace("REPLICAS: 1", "REPLICAS: 2").replace("    volumes:", UNCLEAN_LINE)
RESET = "  k{0}:\n    environment:\n      KAFKA_%s: !reset null\n"


@pytest.mark.parametrize(("override", "code", "expected"), [
    (RESET % "UNCLEAN_LEADER_ELECTION_ENABLE", 0, "YES"),
    (RESET % "MIN_INSYNC_REPLICAS", 1, "min.insync.replicas: 1 -> 2"),
    ("  k{0}: {{volumes: !override ['e{0}:/data']}}\n", 1, "unclean.leader.election.enable: true"),
    ("  k{0}: {{volumes: !reset []}}\n", 1, "no volume"),
    (BROKER[:8] + BROKER[BROKER.index("    env"):].replace("REPLICAS: 1", "REPLICAS: 2")
     .replace("environment:", "environment: !override"), 0, "YES"),
])  # fmt: skip
def test_a_compose_override_may_reset_settings(
    tmp_path: Path, override: str, code: int, expected: str
) -> None:
    files = {"compose.yaml": compose(UNCLEAN), "compose.override.yaml": compose(override)}
    write_files(tmp_path, files)
    paths = f"{tmp_path / 'compose.override.yaml'} {tmp_path / 'compose.yaml'}"
    assert_answer(paths, COPIES, code, expected)


def test_all_of_kafka_may_be_in_the_compose_override(tmp_path: Path) -> None:
    base = "services:\n  db:\n    image: postgres\n"
    write_files(tmp_path, {"compose.yaml": base, "compose.override.yaml": compose(BROKER)})
    paths = f"{tmp_path / 'compose.yaml'} {tmp_path / 'compose.override.yaml'}"
    assert_answer(paths, COPIES, 1, "min.insync.replicas: 1 -> 2")


@pytest.mark.parametrize(
    "text", ['{"acks": [1], "linger.ms": 5}', '{"a": {"acks": 0}, "linger.ms": 5}']
)
def test_a_list_is_not_a_valid_value_of_librdkafka(tmp_path: Path, text: str) -> None:
    assert_file(tmp_path / "j.json", text, "", f"{COPIES} {TOPIC}", 2, "acks is inside another")


NODE = "node.id={}\nlog.dirs=/d\nadvertised.listeners=PLAINTEXT://{}:9092\n"
NODE += "default.replication.factor=3\nmin.insync.replicas=2\n"


@pytest.mark.parametrize(("second", "code", "expected"), [
    (NODE.format(2, "b"), 0, "YES"),
    (NODE.format(1, "b"), 2, "b.properties: its id is that of .*a.properties, which has other adv"),
    (NODE.format(1, "a"), 0, "YES"),
    ("node.id=1\nlog.retention.hours=200\n", 0, "YES"),
])  # fmt: skip
def test_two_servers_must_have_different_ids(
    tmp_path: Path, second: str, code: int, expected: str
) -> None:
    write_files(tmp_path, {"a.properties": NODE.format(1, "a"), "b.properties": second})
    paths = f"{tmp_path / 'a.properties'} {tmp_path / 'b.properties'}"
    assert_answer(paths, COPIES, code, expected)


STREAM = "spring.cloud.stream."
OUT = f"{STREAM}bindings.p-out-0.destination=u\n{STREAM}kafka.binder.required-acks=all\n"
SYNC = f"{STREAM}kafka.%s.producer.sync=%s\n"
IN = f"{STREAM}bindings.%s.destination=t\n"
GROUP = f"{STREAM}bindings.%s.group=%s\n"
IGNORED = "delivery.errors: ignored -> handled"
TWO_BINDINGS = IN % "c-in-0" + GROUP % ("c-in-0", "g") + IN % "d-in-0"


@pytest.mark.parametrize(("text", "options", "code", "expected"), [
    (OUT + SYNC % ("default", "true"), "", 0, "YES"),
    (OUT + SYNC % ("default", "true") + SYNC % ("bindings.p-out-0", "false"), "", 1, IGNORED),
    (OUT + SYNC % ("bindings.p-out-0", "true") + SYNC % ("bindings.p-out-0", "false"), "", 1,
     IGNORED),
    (OUT + SYNC % ("default", "true") + IN.replace("t\n", "u\n") % "q-out-0"
     + SYNC % ("bindings.q-out-0", "false"), "", 1, IGNORED),
    (f"{OUT}{STREAM}kafka.bindings.p-out-0.producer.configuration.acks=0\n"
     f"{STREAM}kafka.default.producer.configuration.acks=all\n", "", 1, "acks: 0 -> all"),
    (IN % "c-in-0" + GROUP % ("c-in-0", "g")
     + f"{STREAM}kafka.bindings.c-in-0.consumer.start-offset=latest\n"
     f"{STREAM}kafka.default.consumer.start-offset=earliest\n", "", 1, "latest -> earliest"),
    # a binding without a group begins at the end of the topic
    (TWO_BINDINGS, "", 2, "auto.offset.reset differs .* --only .line 1., --only .line 3."),
    (TWO_BINDINGS, "--only c-in-0", 0, "YES"),
    (TWO_BINDINGS, "--only d-in-0", 1, "auto.offset.reset: latest -> earliest"),
    (TWO_BINDINGS + GROUP % ("d-in-0", "h"), "", 0, "YES"),
    (IN % "c-in-0" + GROUP % ("c-in-0", ""), "", 1, "auto.offset.reset: latest -> earliest"),
    (IN % "c-in-0" + f"{STREAM}default.group=g\n", "", 0, "YES"),
])  # fmt: skip
def test_settings_of_a_binding_override_the_common_ones(
    tmp_path: Path, text: str, options: str, code: int, expected: str
) -> None:
    path = tmp_path / "application.properties"
    settings = f"{TOPIC} application.processing.errors=retry"
    settings += " consumer.auto.offset.reset=earliest" if text.startswith(OUT) else ""
    assert_file(path, text, options, settings, code, expected)
