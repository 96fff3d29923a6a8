"""Several files together: which client a stated version is for, and which files take precedence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.advisor.configurations.asking import (
    COPIES,
    TOPIC,
    assert_answer,
    assert_in_any_order,
    given,
    write_files,
)
from tests.advisor.test_advise import run

QUARKUS = (
    "kafka-streams.processing.guarantee=exactly_once\nquarkus.kafka-streams.application-id=a\n"
)
SERVER = "log.dirs=/var/lib/kafka\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
LIBRDKAFKA = '{"bootstrap.servers": "k", "enable.idempotence": true, "queue.buffering.max.ms": 5}'


@pytest.mark.parametrize(("version", "files"), [
    ("streams 3.9", {"application.properties": QUARKUS, "application-prod.properties": "a=1\n"}),
    ("librdkafka 2.3", {"server.properties": SERVER, "client.json": LIBRDKAFKA}),
    ("librdkafka 2.3", {"client.json": LIBRDKAFKA, "server.properties": SERVER}),
])  # fmt: skip
def test_a_version_applies_to_the_client_that_one_of_the_files_sets_up(
    tmp_path: Path, version: str, files: dict[str, str]
) -> None:
    write_files(tmp_path, files)
    paths = " ".join(str(tmp_path / name) for name in files)
    number = version.partition(" ")[2]
    assert_answer(f"--client-version {number} {paths}", TOPIC, 1, f"For {version} ")


SENDER = "bootstrap.servers=k:9092\nlinger.ms=%d\nacks=%s\n"
MANUAL, GROUP = "enable.auto.commit=false\nauto.offset.reset=earliest\n", "group.id=g\n"
SPRING = "spring:\n  kafka:\n    consumer:\n      auto-offset-reset: %s\n      group-id: g\n"
SERVICE = "services:\n  a:\n    image: a\n    environment:\n"
SERVICE += "      SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET: %s\n"
ADDRESSES = "spring:\n  kafka:\n    bootstrap-servers: k:9092\n    client-id: a\n"
CHANNEL = "mp.messaging.incoming.i.connector=smallrye-kafka\n"
CHANNEL += "mp.messaging.incoming.i.failure-strategy="
SENDS = """from confluent_kafka import Producer
p = Producer({"bootstrap.servers": "k", %s})
p.produce("t", b"a")
p.flush()
"""
READS = "application.commit=after-processing application.restart=resumes "
READS += "application.processing.errors=retry"


@pytest.mark.parametrize(("files", "settings", "code", "expected"), [
    ({"p": SENDER % (5, "1"), "q": SENDER % (5, "all")}, COPIES, 2, "laid over"),
    ({"p": SENDER % (5, "all"), "q": SENDER % (5, "-1")}, COPIES, 0, "YES"),
    # a file for one client that does not state a setting has the default
    ({"c": GROUP + MANUAL, "d": GROUP}, READS, 2, "a consumer with other settings"),
    ({"c": GROUP, "d": MANUAL}, READS, 0, "YES"),
    ({"a.py": SENDS % '"acks": 1', "b.py": SENDS % '"acks": "all"'}, COPIES, 2, "laid over"),
    ({"a.py": SENDS % '"enable.idempotence": True', "b.py": SENDS % ""}, COPIES, 2,
     "a producer with other settings"),
    # variables of a process override its file
    ({"application.yml": SPRING % "latest", "c.yml": SERVICE % "earliest"}, READS, 0, "YES"),
    ({"application.yml": SPRING % "earliest", "c.yml": SERVICE % "latest"}, READS, 1, "NO"),
    # a service with a producer and one with a consumer, both with the broker addresses
    ({"s/application.yml": ADDRESSES + "    producer: {acks: all}\n",
      "r/application.yml": ADDRESSES + "    consumer: {auto-offset-reset: earliest}\n"}, READS, 0,
     "YES"),
    ({"s/application.yml": ADDRESSES + "    producer: {acks: all}\n",
      "r/application.yml": ADDRESSES + "    producer: {retries: 0}\n"}, READS, 2,
     "a producer with other settings"),
    # the handling of failed messages also belongs to a consumer
    ({"a/application.properties": CHANNEL + "dead-letter-queue\n",
      "b/application.properties": CHANNEL + "ignore\n"}, COPIES, 2, "a consumer with other"),
    ({"p.toml": '[producer]\nacks = "1"\n', "q": SENDER % (5, "all")}, COPIES, 0, "YES"),
    ({"p.toml": '[producer]\nacks = "1"\n', "q.toml": '[producer]\nacks = "all"\n'}, COPIES, 2,
     "laid over"),
])  # fmt: skip
def test_a_pipeline_has_one_client_of_each_kind(
    tmp_path: Path, files: dict[str, str], settings: str, code: int, expected: str
) -> None:
    assert_in_any_order(tmp_path, files, f"{settings} {TOPIC}", code, expected)


def test_a_file_that_overrides_another_is_passed_with_its_option(tmp_path: Path) -> None:
    strong, weak = tmp_path / "own.properties", tmp_path / "weak.properties"
    strong.write_text(SENDER % (5, "all"))
    weak.write_text(SENDER % (5, "1"))
    assert_answer(f"{weak} --producer {strong}", f"{COPIES} {TOPIC}", 0, "^YES")
    assert_answer(f"{strong} --producer {weak}", f"{COPIES} {TOPIC}", 1, "^NO")


CREATE = (
    "kafka-topics.sh --create --topic %s --replication-factor %d --config min.insync.replicas=2\n"
)
NO_MINIMUM = "kafka-topics.sh --create --topic %s --replication-factor 3\n"
ALTERED = "kafka-configs.sh --alter --topic a --add-config min.insync.replicas=1\n"
NAMELESS = "replication.factor=3\nmin.insync.replicas=%d\n"
DESCRIBED = "Topic: a\tPartitionCount: 1\tReplicationFactor: %d\tConfigs: min.insync.replicas=2\n"


@pytest.mark.parametrize(("one", "other", "code", "expected"), [
    # the weaker value of one topic counts; two topics are refused
    (CREATE % ("a", 3), DESCRIBED % 3, 0, "YES"),
    (CREATE % ("a", 3), DESCRIBED % 1, 1, "replication.factor: 1 -> 3"),
    (CREATE % ("a", 3), CREATE % ("a", 1), 2, "sets up a topic with other settings"),
    (CREATE % ("a", 3), NO_MINIMUM % "a", 2, "sets up a topic with other settings"),
    (CREATE % ("a", 3), DESCRIBED.replace("min.insync.replicas=2", "") % 3, 2, "does not show it"),
    (NO_MINIMUM % "a", DESCRIBED.replace("min.insync.replicas=2", "") % 3, 1,
     "min.insync.replicas: 1 -> 2"),
    (CREATE % ("a", 3), ALTERED, 1, "min.insync.replicas: 1 -> 2"),
    (CREATE % ("a", 3), NO_MINIMUM % "b", 2, "belongs to another topic"),
    (CREATE % ("a", 3) + CREATE % ("b", 3), DESCRIBED % 3, 0, "YES"),
    (NAMELESS % 2, NAMELESS % 1, 2, "a topic with other settings"),
    (NAMELESS % 2, "replication.factor=3\n", 2, "a topic with other settings"),
    (NAMELESS % 2, "min.insync.replicas=1\nretention.ms=-1\n", 1, "min.insync.replicas: 1 -> 2"),
    (NAMELESS % 2, "retention.ms=-1\n", 0, "YES"),
    (NAMELESS % 2 + "cleanup.policy=delete\n", "cleanup.policy=compact\n", 2, "laid over"),
    ("node.id=1\nlog.dirs=/d\ndefault.replication.factor=3\nmin.insync.replicas=2\n",
     "node.id=1\nlog.dirs=/d\nmin.insync.replicas=1\n", 1, "min.insync.replicas: 1 -> 2"),
    (CREATE % ("a", 3), f"{CREATE % ('a', 3)}kafka-configs.sh --alter --entity-type brokers "
     "--entity-default --add-config log.retention.ms=604800000\n", 0, "YES"),
])  # fmt: skip
def test_a_pipeline_has_one_topic_and_one_cluster(
    tmp_path: Path, one: str, other: str, code: int, expected: str
) -> None:
    files = {"one.txt": one, "other.txt": other}
    assert_in_any_order(tmp_path, files, COPIES, code, expected)


COMMON = "bootstrap.servers=k:9092\nsecurity.protocol=SSL\nclient.id=all\n"


@pytest.mark.parametrize("order", [("common", "sender", "reader"), ("reader", "sender", "common")])
@pytest.mark.parametrize(("more", "code", "expected"), [
    ("", 0, "YES"), ("acks=1\n", 2, "to another producer"),
])  # fmt: skip
def test_a_file_with_only_common_settings_does_not_set_up_a_client(
    tmp_path: Path, order: tuple[str, ...], more: str, code: int, expected: str
) -> None:
    texts = {
        "common": COMMON + more,
        "sender": f"client.id=s\n{SENDER % (5, 'all')}",
        "reader": f"client.id=r\nbootstrap.servers=k:9092\n{GROUP}{MANUAL}",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    paths = " ".join(str(tmp_path / name) for name in order)
    assert_answer(paths, f"{TOPIC} {READS}", code, expected)


CONFIG_CLASS = """class Config { static Properties make() {
Properties p = new Properties();
p.put("bootstrap.servers", "k");
p.put("acks", "%s");
return p; } }
"""
PROGRAM = """import org.apache.kafka.clients.producer.*;
class A { void run() throws Exception {
KafkaProducer<String, String> k = new KafkaProducer<>(%s);
k.send(new ProducerRecord<>("t", "a")).get();
} }
"""
PY_MODULE = "CONF = {'bootstrap.servers': 'k', 'acks': '%s', 'enable.idempotence': %s}\n"
PY_PROGRAM = """from confluent_kafka import Producer
from config import CONF
p = Producer(CONF)
def done(error, message):
    if error: raise SystemExit(1)
p.produce('t', b'x', on_delivery=done)
p.flush()
"""


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize(("files", "code", "expected"), [
    ({"A.java": PROGRAM % "Config.make()", "Config.java": CONFIG_CLASS % "all"}, 0, "YES"),
    ({"A.java": PROGRAM % "Config.make()", "Config.java": CONFIG_CLASS % "1"}, 1, "acks: 1 -> all"),
    ({"app.py": PY_PROGRAM, "config.py": PY_MODULE % ("all", True)}, 0, "YES"),
    ({"app.py": PY_PROGRAM, "config.py": PY_MODULE % ("1", False)}, 1, "acks: 1 -> all"),
    # found by the file name, and only if the program names it
    ({"A.java": PROGRAM % "Config.make()", "Other.java": CONFIG_CLASS % "all"}, 2,
     "are not in the file"),
    ({"A.java": PROGRAM % "load()", "Config.java": CONFIG_CLASS % "all"}, 2, "are not in the file"),
    # an error is reported with its place in the other file
    ({"A.java": PROGRAM % "Config.make()", "Config.java": CONFIG_CLASS % "two"}, 2,
     "Config.java:4: .*acks"),
])  # fmt: skip
def test_a_program_is_read_with_settings_from_another_file(
    tmp_path: Path, files: dict[str, str], code: int, expected: str, is_reversed: bool
) -> None:
    write_files(tmp_path, files)
    names = sorted(files, reverse=is_reversed)
    rest = f"{TOPIC} {READS} consumer.auto.offset.reset=earliest "
    rest += "consumer.enable.auto." + ("offset.store" if "app.py" in files else "commit") + "=false"
    assert_answer(" ".join(str(tmp_path / name) for name in names), rest, code, expected)


def test_one_client_of_a_program_in_two_files_can_be_chosen(tmp_path: Path) -> None:
    client = 'Properties o = new Properties();\no.put("acks", "all");\nKafkaProducer<String'
    program = (PROGRAM % "o").replace("KafkaProducer<String", client, 1) + "// not Config.make()\n"
    for name, text in {"A.java": program, "Config.java": CONFIG_CLASS % "1"}.items():
        (tmp_path / name).write_text(text)
    files = f"{tmp_path / 'A.java'} {tmp_path / 'Config.java'}"
    rest = f"{TOPIC} {READS} consumer.auto.offset.reset=earliest consumer.enable.auto.commit=false"
    code, refused = given(files, rest)
    options = re.findall(r'--only "(line \d+)"', refused)
    assert (code, len(options)) == (2, 2), refused
    stated = [argument for setting in rest.split() for argument in ("--set", setting)]
    codes = {int(str(run("--only", option, *files.split(), *stated)[0])) for option in options}
    assert codes == {0, 1}
