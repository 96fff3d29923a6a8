"""Several files at once: whose version is stated, and which go before which."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_answer, given, write_files
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
def test_a_version_is_that_of_the_client_of_one_of_several_files(
    tmp_path: Path, version: str, files: dict[str, str]
) -> None:
    write_files(tmp_path, files)
    paths = " ".join(str(tmp_path / name) for name in files)
    number = version.partition(" ")[2]
    assert_answer(f"--client-version {number} {paths}", TOPIC, 1, f"For {version} ")


SENDER = "bootstrap.servers=k:9092\nlinger.ms=%d\nacks=%s\n"
WAITS, PLAIN = "enable.auto.commit=false\nauto.offset.reset=earliest\n", "group.id=g\n"
SPRING = "spring:\n  kafka:\n    consumer:\n      auto-offset-reset: %s\n      group-id: g\n"
SERVICE = "services:\n  a:\n    image: a\n    environment:\n"
SERVICE += "      SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET: %s\n"
ONE = "spring:\n  kafka:\n    bootstrap-servers: k:9092\n    client-id: a\n"
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
    # one that states nothing has the default, if it is a client's own
    ({"c": PLAIN + WAITS, "d": PLAIN}, READS, 2, "a consumer with other settings"),
    ({"c": PLAIN, "d": WAITS}, READS, 0, "YES"),
    ({"a.py": SENDS % '"acks": 1', "b.py": SENDS % '"acks": "all"'}, COPIES, 2, "laid over"),
    ({"a.py": SENDS % '"enable.idempotence": True', "b.py": SENDS % ""}, COPIES, 2,
     "a producer with other settings"),
    # what a process is started with goes before its file
    ({"application.yml": SPRING % "latest", "c.yml": SERVICE % "earliest"}, READS, 0, "YES"),
    ({"application.yml": SPRING % "earliest", "c.yml": SERVICE % "latest"}, READS, 1, "NO"),
    # a service that sends and one that reads, each told where the brokers are
    ({"s/application.yml": ONE + "    producer: {acks: all}\n",
      "r/application.yml": ONE + "    consumer: {auto-offset-reset: earliest}\n"}, READS, 0, "YES"),
    ({"s/application.yml": ONE + "    producer: {acks: all}\n",
      "r/application.yml": ONE + "    producer: {retries: 0}\n"}, READS, 2,
     "a producer with other settings"),
    # what becomes of what cannot be processed is of a consumer, too
    ({"a/application.properties": CHANNEL + "dead-letter-queue\n",
      "b/application.properties": CHANNEL + "ignore\n"}, COPIES, 2, "a consumer with other"),
    ({"p.toml": '[producer]\nacks = "1"\n', "q": SENDER % (5, "all")}, COPIES, 0, "YES"),
    ({"p.toml": '[producer]\nacks = "1"\n', "q.toml": '[producer]\nacks = "all"\n'}, COPIES, 2,
     "laid over"),
])  # fmt: skip
def test_a_pipeline_has_one_client_of_a_kind(
    tmp_path: Path, files: dict[str, str], settings: str, code: int, expected: str
) -> None:
    write_files(tmp_path, files)
    for names in ([*files], [*files][::-1]):
        paths = " ".join(str(tmp_path / name) for name in names)
        assert_answer(paths, f"{settings} {TOPIC}", code, expected)


def test_a_file_that_is_laid_over_another_is_given_as_such(tmp_path: Path) -> None:
    own, weak = tmp_path / "own.properties", tmp_path / "weak.properties"
    own.write_text(SENDER % (5, "all"))
    weak.write_text(SENDER % (5, "1"))
    assert_answer(f"{weak} --producer {own}", f"{COPIES} {TOPIC}", 0, "^YES")
    assert_answer(f"{own} --producer {weak}", f"{COPIES} {TOPIC}", 1, "^NO")


MADE = (
    "kafka-topics.sh --create --topic %s --replication-factor %d --config min.insync.replicas=2\n"
)
LEFT = "kafka-topics.sh --create --topic %s --replication-factor 3\n"
CHANGED = "kafka-configs.sh --alter --topic a --add-config min.insync.replicas=1\n"
NAMELESS = "replication.factor=3\nmin.insync.replicas=%d\n"
SEEN = "Topic: a\tPartitionCount: 1\tReplicationFactor: %d\tConfigs: min.insync.replicas=2\n"


@pytest.mark.parametrize(("one", "other", "code", "expected"), [
    # of one topic the weaker value counts, of two none
    (MADE % ("a", 3), SEEN % 3, 0, "YES"),
    (MADE % ("a", 3), SEEN % 1, 1, "replication.factor: 1 -> 3"),
    (MADE % ("a", 3), MADE % ("a", 1), 2, "sets up a topic with other settings"),
    (MADE % ("a", 3), LEFT % "a", 2, "sets up a topic with other settings"),
    (MADE % ("a", 3), SEEN.replace("min.insync.replicas=2", "") % 3, 2, "does not show it"),
    (LEFT % "a", SEEN.replace("min.insync.replicas=2", "") % 3, 1, "min.insync.replicas: 1 -> 2"),
    (MADE % ("a", 3), CHANGED, 1, "min.insync.replicas: 1 -> 2"),
    (MADE % ("a", 3), LEFT % "b", 2, "is of another topic"),
    (MADE % ("a", 3) + MADE % ("b", 3), SEEN % 3, 0, "YES"),
    (NAMELESS % 2, NAMELESS % 1, 2, "a topic with other settings"),
    (NAMELESS % 2, "replication.factor=3\n", 2, "a topic with other settings"),
    (NAMELESS % 2, "min.insync.replicas=1\nretention.ms=-1\n", 1, "min.insync.replicas: 1 -> 2"),
    (NAMELESS % 2, "retention.ms=-1\n", 0, "YES"),
    (NAMELESS % 2 + "cleanup.policy=delete\n", "cleanup.policy=compact\n", 2, "laid over"),
    ("node.id=1\nlog.dirs=/d\ndefault.replication.factor=3\nmin.insync.replicas=2\n",
     "node.id=1\nlog.dirs=/d\nmin.insync.replicas=1\n", 1, "min.insync.replicas: 1 -> 2"),
    (MADE % ("a", 3), f"{MADE % ('a', 3)}kafka-configs.sh --alter --entity-type brokers "
     "--entity-default --add-config log.retention.ms=604800000\n", 0, "YES"),
])  # fmt: skip
def test_a_pipeline_has_one_topic_and_one_cluster(
    tmp_path: Path, one: str, other: str, code: int, expected: str
) -> None:
    files = [tmp_path / "one.txt", tmp_path / "other.txt"]
    for file, text in zip(files, (one, other), strict=True):
        file.write_text(text)
    for order in (files, files[::-1]):
        assert_answer(" ".join(map(str, order)), COPIES, code, expected)


COMMON = "bootstrap.servers=k:9092\nsecurity.protocol=SSL\nclient.id=all\n"


@pytest.mark.parametrize("order", [("common", "sender", "reader"), ("reader", "sender", "common")])
@pytest.mark.parametrize(("more", "code", "expected"), [
    ("", 0, "YES"), ("acks=1\n", 2, "of another producer"),
])  # fmt: skip
def test_what_all_clients_have_sets_up_none(
    tmp_path: Path, order: tuple[str, ...], more: str, code: int, expected: str
) -> None:
    texts = {
        "common": COMMON + more,
        "sender": f"client.id=s\n{SENDER % (5, 'all')}",
        "reader": f"client.id=r\nbootstrap.servers=k:9092\n{PLAIN}{WAITS}",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    paths = " ".join(str(tmp_path / name) for name in order)
    assert_answer(paths, f"{TOPIC} {READS}", code, expected)


GIVES = """class Config { static Properties make() {
Properties p = new Properties();
p.put("bootstrap.servers", "k");
p.put("acks", "%s");
return p; } }
"""
GIVEN = """import org.apache.kafka.clients.producer.*;
class A { void run() throws Exception {
KafkaProducer<String, String> k = new KafkaProducer<>(%s);
k.send(new ProducerRecord<>("t", "a")).get();
} }
"""
MODULE = "CONF = {'bootstrap.servers': 'k', 'acks': '%s', 'enable.idempotence': %s}\n"
IMPORTS = """from confluent_kafka import Producer
from config import CONF
p = Producer(CONF)
def done(error, message):
    if error: raise SystemExit(1)
p.produce('t', b'x', on_delivery=done)
p.flush()
"""


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("files", "code", "expected"), [
    ({"A.java": GIVEN % "Config.make()", "Config.java": GIVES % "all"}, 0, "YES"),
    ({"A.java": GIVEN % "Config.make()", "Config.java": GIVES % "1"}, 1, "acks: 1 -> all"),
    ({"app.py": IMPORTS, "config.py": MODULE % ("all", True)}, 0, "YES"),
    ({"app.py": IMPORTS, "config.py": MODULE % ("1", False)}, 1, "acks: 1 -> all"),
    # by the name of its file, and only where the program says it
    ({"A.java": GIVEN % "Config.make()", "Other.java": GIVES % "all"}, 2, "are not in the file"),
    ({"A.java": GIVEN % "load()", "Config.java": GIVES % "all"}, 2, "are not in the file"),
    # with the place of what is wrong there
    ({"A.java": GIVEN % "Config.make()", "Config.java": GIVES % "two"}, 2, "Config.java:4: .*acks"),
])  # fmt: skip
def test_a_program_is_read_with_what_another_file_gives_it(
    tmp_path: Path, files: dict[str, str], code: int, expected: str, backwards: bool
) -> None:
    write_files(tmp_path, files)
    names = sorted(files, reverse=backwards)
    rest = f"{TOPIC} {READS} consumer.auto.offset.reset=earliest "
    rest += "consumer.enable.auto." + ("offset.store" if "app.py" in files else "commit") + "=false"
    assert_answer(" ".join(str(tmp_path / name) for name in names), rest, code, expected)


def test_one_client_of_a_program_in_two_files_can_be_chosen(tmp_path: Path) -> None:
    own = 'Properties o = new Properties();\no.put("acks", "all");\nKafkaProducer<String'
    program = (GIVEN % "o").replace("KafkaProducer<String", own, 1) + "// not Config.make()\n"
    for name, text in {"A.java": program, "Config.java": GIVES % "1"}.items():
        (tmp_path / name).write_text(text)
    files = f"{tmp_path / 'A.java'} {tmp_path / 'Config.java'}"
    rest = f"{TOPIC} {READS} consumer.auto.offset.reset=earliest consumer.enable.auto.commit=false"
    code, refused = given(files, rest)
    options = re.findall(r'--only "(line \d+)"', refused)
    assert (code, len(options)) == (2, 2), refused
    stated = [each for setting in rest.split() for each in ("--set", setting)]
    codes = {int(str(run("--only", it, *files.split(), *stated)[0])) for it in options}
    assert codes == {0, 1}
