"""Files as teams publish them: relevant settings are read or refused, and the rest is skipped.

Each case has a file's name and text, the exit code, and a pattern of the output.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.configurations.manifests import DEPLOYMENT

SETTINGS = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
FIX = "acks: 1 -> all"
READS = "group.id=g\nauto.offset.reset=earliest\nenable.auto.commit=false\n"
_DICT = '{"acks":"1","group.id":"g","auto.offset.reset":"earliest"'
JAVA = (
    "import org.apache.kafka.clients.*;\n"
    "class A { Properties p() {\nProperties p = new Properties();\n"
)
PUTS = 'p.put("group.id", "g");\np.put("auto.offset.reset", "earliest");\n'
RETURN = "return p;\n}}\n"
SHARED = [
    ("a.properties", f"bootstrap.servers=b\nacks=1\n{READS}", 1, FIX),
    ("a.properties", f"bootstrap.servers=b\nacks=1\n{READS}", 1, "for both. If only one of them"),
    ("a.properties", "acks=0\nauto.offset.reset=earliest\n", 1, "1 change for at-least-once"),
    ("a.properties", f"acks=all\n{READS}", 0, "YES"),
    ("a.json", f"{_DICT}, \"enable.auto.commit\":false}}", 1, FIX),
    ("a.py", f"conf = {_DICT}, 'enable.auto.commit': False}}\n", 1, FIX),
    ("A.java", f'{JAVA}p.put("acks", "1");\n{PUTS}{RETURN}', 1, FIX),
    ("A.java", f'{JAVA}p.put("acks", "all");\n{PUTS}{RETURN}', 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "code", "expected"), SHARED)
def test_settings_in_a_shared_file_count_for_the_producer_and_the_consumer(
    tmp_path: Path, name: str, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / name, text, "", SETTINGS, code, expected)


def test_a_file_of_a_stated_kind_is_read_for_that_client_only(tmp_path: Path) -> None:
    text, file = f"acks=1\n{READS}", tmp_path / "a.properties"
    assert_file(
        file, text, "--kind consumer-properties", SETTINGS, 0, "acks is a setting of produce"
    )
    assert_file(file, text, "--kind producer-properties", SETTINGS, 1, FIX)


_POD = DEPLOYMENT + '        env: [{name: %s, value: "%s"}]\n'
_SERVICE = """services:
  shop:
    image: shop:1
    environment: {%s: "%s"}
"""
_BROKER = """  kafka:
    image: apache/kafka:4.0.0
    environment: {KAFKA_NODE_ID: "1", KAFKA_ACKS: "0"}
"""
_ADDRESSES = 'KAFKA_BOOTSTRAP_SERVERS="b:9092"\nKAFKA_TOPIC="orders"\n'
VARIABLES = [
    ("a.yaml", _POD % ("KAFKA_ACKS", "0"), 2, "KAFKA_ACKS is acks of a producer"),
    ("a.yaml", _POD % ("ORDERS_ACKS", "0"), 2, "ORDERS_ACKS is acks of a producer"),
    ("a.yml", _SERVICE % ("ACKS", "0") + _BROKER, 2, ":4: ACKS is acks of a producer"),
    ("a.yml", _SERVICE % ("CONNECT_PRODUCER_ACKS", "0") + _BROKER, 1, "CONNECT_… of"),
    (".env", "KAFKA_SERVERS=b:1\nORDERS_PRODUCER_ACKS=0\n", 2, ":2: ORDERS_PRODUCER_ACKS is acks"),
    ("a.yaml", _POD % ("KAFKA_PRODUCER_ACKS", "0"), 2, "is acks of a producer"),
    ("a.yml", _SERVICE % ("KAFKA_ACKS", "0"), 2, ":4: KAFKA_ACKS is acks of a producer"),
    ("a.yml", _SERVICE % ("KAFKA_ACKS", "0") + _BROKER, 2, ":4: KAFKA_ACKS is acks of a producer"),
    ("a.yml", _SERVICE % ("KAFKA_TOPIC", "t") + _BROKER, 1, "acks is a setting of producers"),
    (".env", f"KAFKA_HOST=h\nKAFKA_PORT=9092\n{_ADDRESSES}", 2, ":1: no setting of Kafka is in"),
    ("a.sh", f"CONNECT_HOST=h\n{_ADDRESSES}", 2, ":1: no setting of Kafka is in this file"),
]


@pytest.mark.parametrize(("name", "text", "code", "expected"), VARIABLES)
def test_client_variables_of_an_application_are_not_read_as_broker_settings(
    tmp_path: Path, name: str, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / name, text, "", "", code, expected)


_CLICK = """import click
from shop.kafka import Reader

@click.option("--group", help="its group")
def run(group):
    Reader(tags={"group": group}).run()
"""
_OF_KAFKA_PYTHON = """from kafka import KafkaProducer
NAMES = {"A": {"default": None, "message": "kafka.shop.test"}}
producer = KafkaProducer(bootstrap_servers=["b"])
"""
_ADMIN = """from confluent_kafka.admin import AdminClient
admin = AdminClient({"bootstrap.servers": "b"})
if True:
    print({"create": 1, "delete": 2})
"""
_ADMINISTERED = """from confluent_kafka.admin import AdminClient
conf = {"bootstrap.servers": "b", "client.id": "a", "group.id": "g", "enable.auto.commit": False}
AdminClient(conf).create_topics([topic])
"""
_MOVE = """from shop import Task
def place(client, task):
    client.move(task.owner, {"topic": task.topic, "partition": task.partition})
"""
_OF_ANOTHER_FILE = """from shop.kafka import KafkaProducer
producer = KafkaProducer("b:9092")
producer.send("orders", {"key": "a"}, b"value")
"""
_OWN_CLASS = """from confluent_kafka import Producer
class KafkaProducer:
    def __init__(self):
        self.producer = Producer({"bootstrap.servers": "b", "acks": "1"})
KafkaProducer()
"""
_NO_CLIENT = ":1: no producer or consumer of confluent-kafka is in this program"
_AVRO = 'AvroProducer({"acks": "%s", "schema.registry.url": "http://r"}, default_key_schema=k)'
_NESTED = 'Consumer({"group.id": "g", "default.topic.config": {"auto.offset.reset": "%s"}})'
_LATEST = "auto.offset.reset: latest -> earliest"
_AIO = 'from confluent_kafka.aio import AIOProducer\np = AIOProducer({"acks": "1"}, max_workers=5)'
PYTHON = [
    ("a.py", _CLICK, 2, _NO_CLIENT),
    ("a.py", _OF_KAFKA_PYTHON, 2, ":3: KafkaProducer is a client of kafka-python"),
    ("a.py", _OF_ANOTHER_FILE, 2, ":2: KafkaProducer is a class of another file"),
    ("a.py", _OWN_CLASS, 1, FIX),
    ("a.py", _ADMIN, 2, _NO_CLIENT),
    ("a.py", _ADMINISTERED, 2, _NO_CLIENT),
    ("a.py", _MOVE, 2, _NO_CLIENT),
    ("a.py", _AVRO % "1", 1, FIX),
    ("a.py", _NESTED % "latest", 1, _LATEST),
    ("a.py", _NESTED % "earliest", 1, "enable.auto.offset.store: true -> false"),
    ("a.py", _AIO, 1, FIX),
    ("a.js", 'consumer.commit({"group.id": "g"});\nlet x = 1;', 2, "If it is another language"),
]


@pytest.mark.parametrize(("name", "text", "code", "expected"), PYTHON)
def test_programs_are_read_for_the_client_that_they_create(
    tmp_path: Path, name: str, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / name, text, "", SETTINGS, code, expected)


_REGISTRY = 'p.put(AbstractKafkaSchemaSerDeConfig.SCHEMA_REGISTRY_URL_CONFIG, "http://r");\n'
_JSON_TYPE = "p.put(KafkaJsonDeserializerConfig.JSON_VALUE_TYPE, Ride.class);\n"
_JAAS = 'p.put(SaslConfigs.SASL_JAAS_CONFIG, "x");\n'
_CONSUMER = "new KafkaConsumer<>(p);\n}}\n"
_ID = 'p.put(StreamsConfig.APPLICATION_ID_CONFIG, "a");\n'
_INTERVAL = "p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 2000);\n"
_STREAMS = f"{JAVA}{_ID}{_INTERVAL}{RETURN}"
_ADMIN_OF_JAVA = """import org.apache.kafka.clients.CommonClientConfigs;
class A {
  Admin own = Admin.create(settings());
  Map<String, Object> settings() {
    Map<String, Object> m = new HashMap<>();
    m.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "k");
    return m;
  }
}
"""
PROGRAMS = [
    (f"{JAVA}{_REGISTRY}{_JSON_TYPE}{_JAAS}{PUTS}{_CONSUMER}", 0, "YES"),
    (f'{JAVA}{_REGISTRY}p.put("acks", "1");\nnew KafkaProducer<>(p);\n}}}}\n', 1, FIX),
    (
        f'{JAVA}p.put("client.id", "a");\nAdmin.create(p).createTopics(ts);\n}}}}\n',
        2,
        "no settings are in it as plain values",
    ),
    (_ADMIN_OF_JAVA, 2, "no settings are in it as plain values"),
    (f'{JAVA}p.put(Names.ACKS, "1");\nnew KafkaProducer<>(p);\n}}}}\n', 2, "name of this setting"),
]


@pytest.mark.parametrize(("text", "code", "expected"), PROGRAMS)
def test_java_constants_of_serializers_and_kafka_streams_are_recognised(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "A.java", text, "", SETTINGS, code, expected)


def test_a_map_with_an_application_id_is_for_kafka_streams(tmp_path: Path) -> None:
    assert_file(tmp_path / "A.java", _STREAMS, "", TOPIC, 1, "For streams 4.3 clients")


_SPRING = """spring:
  kafka:
    producer:
      %s
    consumer:
      auto-offset-reset: earliest
      topic: orders
"""
_STREAM = "spring.cloud.stream"
_BOUND = f"{_STREAM}.bindings.orders.destination=t\n{_STREAM}.kafka.binder.brokers=b\n"
OTHER_FILES = [
    ("a.yml", _SPRING % "key-deserializer: x", 0, "key-deserializer: Spring ignores it"),
    ("a.yml", _SPRING % "acks: all", 0, "consumer.topic: Spring ignores it"),
    ("a.yml", _SPRING % "enable-idempotence: false", 2, "mean properties.enable.idempotence"),
    ("a.yml", _SPRING % "ack: 1", 2, "Did you mean acks"),
    ("a.properties", _BOUND, 2, "nothing shows whether this binding reads or writes"),
    ("a.properties", "acks={{ acks }}\nlinger.ms=5\n", 2, ":1: a template .Jinja, Helm. fills in"),
    ("a.properties", "acks=1\nbootstrap.servers={{ b }}\n", 1, FIX),
    ("a.properties", "{% if a %}\nacks=1\n{% endif %}\n", 2, ":1: a template"),
    ("a.properties", "acks=1\nkey.deserializer=x\n", 1, "deserializer is a setting of consumers"),
    ("a.properties", f"{READS}schema.registry.url=http://r\n", 0, "setting of a serializer, and"),
    ("a.properties", "auto.commit.enable=true\ngroup.id=g\n", 1, "For java"),
    ("a.json", '{"Kafka": {"BootstrapServers": "b", "Acks": "None"}}', 2, "appsettings.json"),
    ("a.properties", "application.id=a\nprocessing.guarantee=exactly_once\n", 2,
     "3.9 is the last version with this value: say which one you use .--client-version 3.9"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "code", "expected"), OTHER_FILES)
def test_irrelevant_settings_are_skipped_and_ambiguous_ones_are_refused(
    tmp_path: Path, name: str, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / name, text, "", SETTINGS, code, expected)


_NEW = "KafkaProducer<String, String> out = new KafkaProducer<>(p);\n"
_SENDS = f'{JAVA}p.put("acks", "all");\n{_NEW}%s\n}}}}\n'
_PRODUCES = 'p = Producer({"acks": "all"%s})\np.produce("t", %s)\np.flush()\n'
IGNORED = "application.delivery.errors: ignored -> handled"
SENDS = [
    ("A.java", _SENDS % 'out.send(new ProducerRecord<>("t", f(1, 2)));', 1, IGNORED),
    ("A.java", _SENDS % 'for (int i : n) { out.send(record(i)); }', 1, ":6: nothing checks the"),
    ("A.java", _SENDS % "for (var one : n) out.send(one);", 1, IGNORED),
    ("A.java", _SENDS % "if (a) stop(); else out.send(record);", 1, IGNORED),
    ("A.java", _SENDS % "n.forEach(one -> out.send(one));", 1, IGNORED),
    ("A.java", _SENDS % "n.forEach(out::send);", 1, IGNORED),
    ("A.java", _SENDS % "n.map(one -> out.send(one)).forEach(f -> f.get());", 0, "YES"),
    ("A.java", _SENDS % "out.send(record, (metadata, error) -> { stop(error); });", 0, "YES"),
    ("A.java", _SENDS % "out.send(record).get();", 0, "YES"),
    ("A.java", _SENDS % "futures.add(out.send(record));", 0, "YES"),
    ("A.java", _SENDS % "var sent = out.send(record); sent.get();", 0, "YES"),
    ("A.java", _SENDS % "out.send(record); out.commitTransaction();", 0, "YES"),
    ("A.java", _SENDS % "socket.send(record);", 0, "YES"),
    ("a.py", _PRODUCES % ("", "b'x', callback=None"), 1, ":2: nothing checks the result of"),
    ("a.py", _PRODUCES % ("", "b'x', key=k"), 1, ":2: nothing checks the result of"),
    ("a.py", _PRODUCES % ("", "b'x', callback=heard"), 0, "YES"),
    ("a.py", _PRODUCES % ("", "b'x', on_delivery=heard"), 0, "YES"),
    ("a.py", _PRODUCES % ("", "b'x', None, -1, heard"), 0, "YES"),
    ("a.py", _PRODUCES % ("", "**given"), 2, "whether this send has a callback"),
    ("a.py", _PRODUCES % (', "on_delivery": heard', "b'x'"), 0, "YES"),
    ("a.py", _PRODUCES % ("", "b'x'") + "p.commit_transaction()\n", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "code", "expected"), SENDS)
def test_a_send_whose_result_is_ignored_is_reported(
    tmp_path: Path, name: str, text: str, code: int, expected: str
) -> None:
    reads = f"{SETTINGS} consumer.auto.offset.reset=earliest consumer.enable.auto.commit=false"
    settings = f"{reads} application.commit=after-processing"
    assert_file(tmp_path / name, text, "", settings, code, expected)
