"""Programs and files with several clients: which dict a client receives, and which binder counts.

Each row has the code or settings, the exit code, and a pattern of the output.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, C, assert_file

RETRIED = f"{C} application.processing.errors=retry"
READING = (
    f"{TOPIC} application.restart=resumes application.commit=after-processing "
    "application.processing.errors=retry"
)
ALL = '"acks":"all","enable.idempotence":True'
ACKS = "acks: 1 -> all"
UNREADABLE = "what is put into a client's dict here cannot be read"
DEPENDS = "acks depends on a condition of the program"
PROGRAMS = [
    # statement by statement
    ('conf = {}\nconf["bootstrap.servers"]="b"\nconf["acks"] = "1"\np=Producer(conf)', 1, ACKS),
    ('conf = dict()\nconf["acks"] = "1"\np=Producer(conf)', 1, ACKS),
    ('conf = {}\nconf["acks"] = "1"\n', 1, ACKS),
    ('conf = {}\nconf.update({"bootstrap.servers":"b","acks":"1"})\np=Producer(conf)', 1, ACKS),
    ('KEY="acks"\nconf={"acks":"all"}\nconf[KEY]="1"\nProducer(conf)', 1, ACKS),
    ('conf={"acks":"all"}\nconf[KEY]="1"\nProducer(conf)', 2, f":2: {UNREADABLE}"),
    ('conf={"acks":"all"}\nfor k, v in e.items():\n  conf[k]=v\nProducer(conf)', 2, UNREADABLE),
    (f'conf={{"acks":"1"}}\ndel conf["acks"]\nconf.update({{{ALL}}})\nProducer(conf)', 0, "YES"),
    ('conf={"acks":"1", "linger.ms":5}\nconf.pop("acks")\nProducer(conf)', 0, "YES"),
    # dicts that are merged
    ('base={"acks":"1"}\nconf = {**base, "linger.ms": 5}\np=Producer(conf)', 1, ACKS),
    (f'base={{"acks":"1"}}\nconf = {{**base, {ALL}}}\np=Producer(conf)', 0, "YES"),
    (f'base={{{ALL}}}\nconf = {{"acks":"1", **base}}\np=Producer(conf)', 0, "YES"),
    ('from x import base\nconf = {"acks":"all", **base}\np=Producer(conf)', 2, f":2: {UNREADABLE}"),
    (f'conf={{"acks":"1"}}\nconf |= {{{ALL}}}\nProducer(conf)', 0, "YES"),
    ('conf={"acks":"1"} | {"linger.ms":5}\nProducer(conf)', 1, ACKS),
    (f'conf={{"acks":"1"}}\nc=conf.copy()\nc.update({{{ALL}}})\nProducer(c)', 0, "YES"),
    ('cfg={"producer":{"acks":"1"},"consumer":{"group.id":"g"}}\nProducer(cfg["producer"])', 1,
     ACKS),
    ('Producer(**{"acks":"1"})', 1, ACKS),
    # dicts of functions and classes
    ('def conf():\n    return {"acks":"1"}\np=Producer(conf())', 1, ACKS),
    ('def make(c):\n    return Producer(c)\nmake({"bootstrap.servers":"b","acks":"1"})', 1, ACKS),
    ('CONF={}\ndef setup():\n    CONF["acks"]="1"\nsetup()\nProducer(CONF)', 1, ACKS),
    ('class A:\n  def __init__(self):\n    self.c={}\n    self.c["acks"]="1"\n'
     '    self.p=Producer(self.c)', 1, ACKS),
    ('p=Producer(load())\nx={"acks":"all"}', 2, ":1: the dict of this client comes from else"),
    ("def merge(a, b):\n  a.update(b)\n  return a\n"
     'c=merge({"acks":"all"}, {"acks":"1"})\nProducer(c)', 1, ACKS),
    ('class A:\n  def __init__(self, c):\n    self.c = c\n    self.p = Producer(self.c)\n'
     'A({"acks":"1"})', 1, ACKS),
    # a name that is assigned again, or imported
    ('c={"acks":"all"}\nc=load()\nProducer(c)', 2, ":3: the dict of this client comes from"),
    ('from x import c\nd={"acks":"all"}\nProducer(c)', 2, ":3: the dict of this client comes"),
    ('c={"acks":"all"}\nlevel=get()\nc["acks"]=level\nProducer(c)', 2, ":3: acks is not a plain"),
    # attributes of a class, and subclasses that override them
    ('class A:\n  conf={"acks":"1"}\n  def go(self):\n    self.p=Producer(self.conf)', 1, ACKS),
    (f'class A:\n  conf={{{ALL}}}\n  def go(self):\n    Producer(self.conf)', 0, "YES"),
    (f'class B:\n  conf={{{ALL}}}\nclass A(B):\n  conf={{"acks":"1"}}\n  def go(self):\n'
     "    Producer(self.conf)", 2, "acks"),
    (f'class B:\n  conf={{{ALL}}}\n  def go(self):\n    Producer(self.conf)\n'
     'class A(B):\n  conf={"acks":"1"}', 2, "acks"),
    (f'class B:\n  def __init__(self):\n    self.c={{{ALL}}}\nclass A:\n  def go(self):\n'
     "    Producer(self.c)", 2, "the dict of this client comes from"),
    # methods and functions that other code may call
    ('class A:\n  def __init__(self):\n    self.c = {"acks":"all"}\n'
     '  def fast(self):\n    self.c["acks"]="1"\n'
     "  def go(self):\n    self.p = Producer(self.c)", 2, f":5: {DEPENDS}"),
    ('class A:\n  def __init__(self):\n    self.c = {"acks":"all"}\n    self._tune()\n'
     '    self.p = Producer(self.c)\n  def _tune(self):\n    self.c["acks"]="1"\n', 1, ACKS),
    ('C={"acks":"all"}\ndef fast():\n  C["acks"]="1"\ndef go():\n  return Producer(C)', 2, DEPENDS),
    # under a condition
    ('conf = {"acks":"all"}\nif fast:\n    conf["acks"]="1"\nProducer(conf)', 2, f":3: {DEPENDS}"),
    ('conf = {"acks":"all"}\nif tls:\n    conf["security.protocol"]="SSL"\nProducer(conf)', 0,
     "YES"),
    ('if a:\n    c={"acks":"1"}\nelse:\n    c={"acks":"all"}\np=Producer(c)', 2, DEPENDS),
    ('if a:\n    c={"acks":"all"}\nelse:\n    c={"acks":"all","client.id":"x"}\nProducer(c)', 0,
     "YES"),
    ('c={"acks":"all"}\ntry:\n    import x\nexcept ImportError:\n    c["acks"]="1"\nProducer(c)', 2,
     DEPENDS),
    ('c={"acks":"1" if fast else "all"}\nProducer(c)', 2, f":1: {DEPENDS}"),
    ('c={}\nif __name__ == "__main__":\n    c["acks"]="1"\n    Producer(c)', 1, ACKS),
    ('conf={"acks":os.environ.get("ACKS","1")}\nProducer(conf)', 1, ACKS),
    # other clients
    ('c={"bootstrap.servers":"b","acks":"all"}\n'
     'a=AdminClient({"bootstrap.servers":"b","socket.timeout.ms":5})\nProducer(c)', 0, "YES"),
    ('conf={"acks":"all"}\nProducer(conf)\nconf["acks"]="1"\nq=Producer(conf)', 2, "acks differs"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "exit_code", "expected"), PROGRAMS)
def test_the_dict_that_is_passed_to_a_client_counts(
    tmp_path: Path, code: str, exit_code: int, expected: str
) -> None:
    assert_file(tmp_path / "a.py", code, "", RETRIED, exit_code, expected)


@pytest.mark.parametrize(("reset", "code", "expected"), [
    ('"auto.offset.reset":"earliest",', 0, "YES"), ("", 1, "auto.offset.reset: .* -> earliest"),
])  # fmt: skip
def test_a_dict_that_two_clients_share_counts_for_both(
    tmp_path: Path, reset: str, code: int, expected: str
) -> None:
    text = (
        'common={"bootstrap.servers":"b"}\nProducer({**common,"acks":"all"})\n'
        f'Consumer({{**common,{reset}"group.id":"g","enable.auto.commit":False}})'
    )
    assert_file(tmp_path / "a.py", text, "", READING, code, expected)


PREFIX = "mp.messaging.outgoing."
CHANNELS = (
    f"{PREFIX}a.connector=smallrye-kafka\n{PREFIX}a.acks=1\n{PREFIX}b.connector=smallrye-kafka\n"
    f"{PREFIX}b.acks=all\n"
)
TWO_PRODUCERS = (
    "a = Producer({'bootstrap.servers': 'b', 'acks': '1'})\n"
    "b = Producer({'bootstrap.servers': 'b', 'acks': 'all'})\n"
)
CHOSEN = [
    (CHANNELS, "--only a", 1, ACKS),
    (CHANNELS, "--only b", 0, "YES"),
    (CHANNELS.replace("acks=1", "acks=all"), "--only c", 2, "--only 'c': no file has a client"),
    (CHANNELS, "", 2, "choose it on the command line: --only a, --only b"),
    (TWO_PRODUCERS, "", 2, '--only "line 1", --only "line 2"'),
]


@pytest.mark.parametrize(("text", "options", "code", "expected"), CHOSEN)
def test_one_client_of_several_is_chosen(
    tmp_path: Path, text: str, options: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "a.conf", text, options, RETRIED, code, expected)


BINDING = """spring:
  cloud:
    stream:
      bindings:
        in-in-0: {destination: a, group: g, binder: k1}
        out-out-0: {destination: b, binder: %s, producer: {error-channel-enabled: true}}
      binders:
        k1:
          type: %s
          environment:
            spring:
              cloud.stream.kafka.binder:
                brokers: a
                required-acks: %s
        k2:
          type: kafka
          environment:
            spring.cloud.stream.kafka.binder:
              brokers: z
              required-acks: 1
        r1:
          type: rabbit
          environment:
            spring.rabbitmq.host: x
"""
ERROR_CHANNEL = ", producer: {error-channel-enabled: true}"
ENVIRONMENT = "        environment:\n"
AT_ROOT = "spring:\n  kafka:\n    producer:\n      acks: 0\n"
WITH_ROOT = BINDING.replace("spring:\n", AT_ROOT, 1).replace(
    "                required-acks: %s\n", ""
)
NOT_INHERITED = f"          inherit-environment: false\n  {ENVIRONMENT}"
BINDERS = [
    (BINDING % ("k1", "kafka", "1"), 1, ACKS),
    (BINDING % ("k1", "kafka", "all"), 0, "YES"),
    (BINDING % ("k2", "kafka", "all"), 2, "this binder and the one on line 9 differ in"),
    (
        BINDING.replace(ERROR_CHANNEL, "") % ("k1", "kafka", "all"),
        1,
        "delivery.errors: ignored -> handled",
    ),
    (WITH_ROOT % ("k1", "kafka"), 1, "acks: 0 -> all"),
    (WITH_ROOT.replace(f"  {ENVIRONMENT}", NOT_INHERITED, 1) % ("k1", "kafka"), 1, ACKS),
]


@pytest.mark.parametrize(("text", "code", "expected"), BINDERS)
def test_the_environment_of_a_binder_counts(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    settings = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
    assert_file(tmp_path / "application.yml", text, "", settings, code, expected)


def test_a_binder_in_properties_counts(tmp_path: Path) -> None:
    text = (
        "spring.cloud.stream.binders.k.type=kafka\n"
        "spring.cloud.stream.binders.k.environment.spring.kafka.producer.acks=1\n"
        "spring.cloud.stream.bindings.a-out-0.destination=x\n"
        "spring.cloud.stream.bindings.a-out-0.producer.error-channel-enabled=true\n"
    )
    assert_file(tmp_path / "application.properties", text, "", C, 1, ACKS)


IMPORT = "import org.apache.kafka.clients.producer.*;\n"
PROPERTIES = "Properties props = new Properties();\n"
CLIENT = "Producer<String,String> p = new KafkaProducer<>(props);"
EARLIER = "var a = new KafkaProducer<>(props);\n"
JVM_IMPORT = "import org.apache.kafka.clients.producer.KafkaProducer\n"
BLOCK = "Properties props = new Properties() {{\n %s\n}};\n"
KOTLIN = f"{JVM_IMPORT}fun main() {{\n val props = "
KOTLIN_END = "\n val p = KafkaProducer<String, String>(props)\n}\n"
NOT_PLAIN = "acks is not a plain value here"


def java(puts: str, *, client: str = CLIENT, start: str = PROPERTIES) -> str:
    return f"{IMPORT}class A {{\n  void m() {{\n{start}{puts}{client}\n  }}\n}}\n"


JVM_CODE = [
    (java('props.put(ProducerConfig.ACKS_CONFIG, "1");\n'), 1, ACKS),
    (java('props.setProperty("acks", "1");\n'), 1, ACKS),
    (java('props.put("acks", "1");\n', start="Map<String, Object> props = new HashMap<>();\n"), 1,
     ACKS),
    (java('props.put(ProducerConfig.ACKS_CONFIG, "all");\n'), 0, "YES"),
    (java('// props.put("acks", "1");\nprops.put("linger.ms", 5);\n'), 0, "YES"),
    (java("props.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);\n"), 0, "YES"),
    (java("props.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 31 * 1000);\n"), 1, "31000 ->"),
    (java('props.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "tx-" + id);\n'), 0, "YES"),
    (java('props.put("acks", "all");\nLOG.info("x {}", props);\n'), 0, "YES"),
    # values that are not certain
    (java('props.put("acks", acks);\n'), 2, NOT_PLAIN),
    (java('props.put("acks", fast ? "1" : "all");\n'), 2, NOT_PLAIN),
    (java('if (fast) {\n props.put("acks", "1");\n}\n'), 2, DEPENDS),
    (java('if (fast) props.put("acks", "1");\n'), 2, DEPENDS),
    (java("props.putAll(other);\n"), 2, ":5: this use of props is not read"),
    (java("configure(props);\n"), 2, ":5: this use of props is not read"),
    (java('props.put(MyKeys.ACKS, "1");\n'), 2, "the name of this setting is not known"),
    (java("", client='var p = new KafkaProducer<String,String>(Map.of("acks","1"));'), 1, ACKS),
    (java("", client='var p = new KafkaProducer<String,String>(Map.of("acks","all"));'), 0, "YES"),
    (java("", client='var p = new KafkaProducer<String,String>(Map.of(NAME,"all"));'), 2,
     "the name of this setting is not known"),
    (java("", client='new KafkaProducer<String,String>(Map.of("acks","1"));'
          'new KafkaProducer<String,String>(Map.of("acks","all"));'), 2, "acks differs"),
    (f'{JVM_IMPORT}fun main() {{\n KafkaProducer<String, String>(mapOf("acks" to "all") + x)\n}}',
     2, "a map that is built from this one"),
    (f'{JVM_IMPORT}fun main() {{\n val c = mapOf("acks" to "all") + mapOf("acks" to "1")\n'
     " val p = KafkaProducer<String, String>(c)\n}", 2, "a map that is built from this one"),
    (java('props.put("acks","all");props.putAll(Map.of("acks","1"));'), 1, ACKS),
    (java('props.putAll(Map.of("acks","1"));props.put("acks","all");'), 0, "YES"),
    (java('props.put("acks","all");props.putAll(more);'), 2, "this use of props is not read"),
    (java("", client="var p = new KafkaProducer<>(load());"), 2, "the settings of this client are"),
    (java('props.put("acks", "1");\n', start="Properties props = new Properties(more);\n"), 2,
     "the settings of this client"),
    (java("props = load();\n"), 2, ":5: this use of props is not read"),
    (java("", start=BLOCK % 'put("acks","1");\nput(ProducerConfig.LINGER_MS_CONFIG, 5);'), 1, ACKS),
    (java("", start=BLOCK % 'put("acks","all"); if (x) put("acks","1");'), 2, "this object is not"),
    (java("", start=BLOCK % 'put("acks","all"); putAll(x);'), 2, "into this object is not read"),
    (java("", start='Map<String,Object> props = Map.of("acks","1", "linger.ms", 5);\n'), 1, ACKS),
    (java("", start='Map<String,Object> props = Map.of(KEY,"1");\n'), 2, "name of this setting"),
    (java("char c = '\"'; props.put(\"acks\",\"1\");\n"), 1, ACKS),
    (f'{IMPORT}class A {{ void x() {{ String acks = "all"; }}\nvoid m(String acks) {{\n{PROPERTIES}'
     f'props.put("acks", acks);\n{CLIENT}}} }}', 2, NOT_PLAIN),
    (f"{IMPORT}class A {{ {PROPERTIES} A() {{ p = new KafkaProducer<>(props); }}\n"
     '{ props.put("acks","1"); } }', 2, "acks may be put in before or after its"),
    (java(f'props.put("acks","1");\n{EARLIER}props.put("acks","all");\n'), 2,
     'acks differs from line 5.*--only "line 6", --only "line 8"'),
    (java(f'props.put("acks","all");\n{EARLIER}props.put("acks","1");\n', client=""), 0, "YES"),
    # methods and fields
    (f'{IMPORT}class A {{ static final String ACKS = "1";\n void m() {{\n{PROPERTIES}'
     f'props.put("acks", ACKS);\n{CLIENT}}}}}', 1, ACKS),
    (f'{IMPORT}class A {{ Properties cfg() {{\n{PROPERTIES}props.put("acks", "1");\n'
     "return props;\n}\nvoid m() { var p = new KafkaProducer<String,String>(cfg()); } }", 1, ACKS),
    (f"{IMPORT}class A {{ private final Properties props = new Properties();\n"
     'A() { props.put("acks","1"); this.p = new KafkaProducer<>(props); } }', 1, ACKS),
    (f'{IMPORT}class A {{ void m() {{\n{PROPERTIES}props.put("acks", "1");\n{CLIENT}}}\n'
     "void n(Options props) { props.load(x); } }", 1, ACKS),
    (java('props.put("acks","1");\n', start="Map<TopicPartition, OffsetAndMetadata> o = new "
          f'HashMap<>();\no.put(new TopicPartition("a",0), x);\n{PROPERTIES}'), 1, ACKS),
    # a converted value, a value that is not a string, and a method named like the object
    (java('props.put("acks", String.valueOf(1));\n'), 1, ACKS),
    (java('props.put("enable.idempotence", false);\nprops.put("acks", "1");\n'), 1, ACKS),
    (java('props.put("acks", "1");\nprops(1);\n'), 1, ACKS),
    (java('props.put("application.id", "a");\n', client="new KafkaStreams(t, props).start();\n"
          "new KafkaProducer<String, String>(props);"), 2, "Kafka Streams and other clients"),
    # other languages
    (f"{JVM_IMPORT}fun main() {{\n val props = Properties()\n"
     ' props["acks"] = "1"\n val p = KafkaProducer<String, String>(props)\n}\n', 1, ACKS),
    (f"{JVM_IMPORT}object A {{\n"
     ' val props = new Properties()\n props.put("acks", "1")\n'
     " val p = new KafkaProducer[String, String](props)\n}\n", 1, ACKS),
    (f"{KOTLIN}Properties().apply {{\n put(\"acks\", \"1\")\n }}{KOTLIN_END}", 1, ACKS),
    (f"{KOTLIN}Properties().apply {{\n load(x)\n }}{KOTLIN_END}", 2, "this object is not read"),
    (f'{KOTLIN}mapOf("acks" to "1", ProducerConfig.LINGER_MS_CONFIG to 5){KOTLIN_END}', 1, ACKS),
    (f'{KOTLIN}mutableMapOf<String, Any>("acks" to "all")\n props["acks"] = "1"{KOTLIN_END}', 1,
     ACKS),
]  # fmt: skip


@pytest.mark.parametrize(("code", "exit_code", "expected"), JVM_CODE)
def test_settings_are_read_from_jvm_code(
    tmp_path: Path, code: str, exit_code: int, expected: str
) -> None:
    assert_file(tmp_path / "A.java", code, "", RETRIED, exit_code, expected)


STREAMS_CODE = java(
    'props.put(StreamsConfig.APPLICATION_ID_CONFIG, "a");\n'
    "props.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 3);\n"
    "props.put(StreamsConfig.topicPrefix(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG), 2);\n%s",
    client="var s = new KafkaStreams(builder.build(), props);",
)
ONCE = f"{TOPIC} broker.min.insync.replicas=2 application.offsets.topic.min.insync.replicas=2"
STREAMS_PUTS = [
    # a setting of one client overrides the setting of all clients, in any order
    ('props.put("producer.acks", "1");\nprops.put("acks", "all");\n', "", 1, ACKS),
    ('props.put("acks", "all");\nprops.put("producer.acks", "1");\n', "", 1, ACKS),
    ('props.put("producer.acks", "all");\nprops.put("acks", "1");\n', "--want at-least-once", 0,
     "acks does not count for the producer, which has producer.acks"),
    ('props.put(StreamsConfig.producerPrefix(ProducerConfig.ACKS_CONFIG), "1");\n', "", 1, ACKS),
    ("props.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);\n"
     'props.put("consumer.auto.offset.reset", "none");\n', "--want exactly-once", 0, "YES"),
    ("props.put(StreamsConfig.DEFAULT_DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG, "
     "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler.class);\n", "", 2,
     "deserialization.exception.handler is not a plain value"),
    ("props.put(StreamsConfig.DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG, "
     "LogAndContinueExceptionHandler.class);\n", "", 1, "LogAndContinue"),
]  # fmt: skip


@pytest.mark.parametrize(("puts", "options", "code", "expected"), STREAMS_PUTS)
def test_settings_are_read_from_kafka_streams_code(
    tmp_path: Path, puts: str, options: str, code: int, expected: str
) -> None:
    text = "import org.apache.kafka.streams.errors.LogAndContinueExceptionHandler;\n"
    assert_file(tmp_path / "S.java", text + STREAMS_CODE % puts, options, ONCE, code, expected)


HEAD = "bootstrap.servers=b\n"
SIMILAR_NAMES = [
    ("p.properties", f"{HEAD}ACKS=1\n", 2, "There is no producer setting ACKS. Did you mean acks"),
    ("p.properties", f"{HEAD}acks_config=1\nlinger.ms=5\n", 2, "Did you mean acks"),
    ("p.properties", f"{HEAD}enableIdempotence=false\nlinger.ms=5\n", 2, "mean enable.idempotence"),
    ("p.properties", f"{HEAD}enable\u2010idempotence=false\nacks=1\n", 2,
     "setting of this name. Did"),
    ("p.ini", "[DEFAULT]\nacks=1\n[consumer]\ngroup.id=g\n", 2, "sections are not part of"),
    ("a.conf", 'include "base"\nacks=all\n', 2, "this looks like HOCON"),
    (".env", "KAFKA_PRODUCER_ACKS=1\n", 2, "KAFKA_PRODUCER_ACKS is acks of a producer"),
    (".env", "KAFKA_REST_PRODUCER_ACKS=1\n", 2, "is acks of a producer"),
    (".env", "KAFKA__CLIENT__ACKS=1\n", 2, "is acks of a producer"),
    (".env", "KAFKA_ACKS=1\n", 2, "Give acks as properties of the producer"),
    (".env", "KAFKA_AUTO_OFFSET_RESET=latest\n", 2, "auto.offset.reset of a consumer"),
    (".env", "KAFKA_MIN_INSYNC_REPLICAS=2\nKAFKA_GROUP_ID=x\n", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "code", "expected"), SIMILAR_NAMES)
def test_a_name_that_resembles_a_setting_is_not_ignored(
    tmp_path: Path, name: str, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / name, text, "", RETRIED, code, expected)
