"""Programs and files with several clients: which dict a client is handed, and which binder counts.

One row: what is stated, the exit code, and a pattern of what is said.
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
ONE = "acks: 1 -> all"
ELSEWHERE = "what is put into a client's dict here cannot be read"
DEPENDS = "acks depends on a condition of the program"
PROGRAMS = [
    # line by line
    ('conf = {}\nconf["bootstrap.servers"]="b"\nconf["acks"] = "1"\np=Producer(conf)', 1, ONE),
    ('conf = dict()\nconf["acks"] = "1"\np=Producer(conf)', 1, ONE),
    ('conf = {}\nconf["acks"] = "1"\n', 1, ONE),
    ('conf = {}\nconf.update({"bootstrap.servers":"b","acks":"1"})\np=Producer(conf)', 1, ONE),
    ('KEY="acks"\nconf={"acks":"all"}\nconf[KEY]="1"\nProducer(conf)', 1, ONE),
    ('conf={"acks":"all"}\nconf[KEY]="1"\nProducer(conf)', 2, f":2: {ELSEWHERE}"),
    ('conf={"acks":"all"}\nfor k, v in e.items():\n  conf[k]=v\nProducer(conf)', 2, ELSEWHERE),
    (f'conf={{"acks":"1"}}\ndel conf["acks"]\nconf.update({{{ALL}}})\nProducer(conf)', 0, "YES"),
    ('conf={"acks":"1", "linger.ms":5}\nconf.pop("acks")\nProducer(conf)', 0, "YES"),
    # of parts
    ('base={"acks":"1"}\nconf = {**base, "linger.ms": 5}\np=Producer(conf)', 1, ONE),
    (f'base={{"acks":"1"}}\nconf = {{**base, {ALL}}}\np=Producer(conf)', 0, "YES"),
    (f'base={{{ALL}}}\nconf = {{"acks":"1", **base}}\np=Producer(conf)', 0, "YES"),
    ('from x import base\nconf = {"acks":"all", **base}\np=Producer(conf)', 2, f":2: {ELSEWHERE}"),
    (f'conf={{"acks":"1"}}\nconf |= {{{ALL}}}\nProducer(conf)', 0, "YES"),
    ('conf={"acks":"1"} | {"linger.ms":5}\nProducer(conf)', 1, ONE),
    (f'conf={{"acks":"1"}}\nc=conf.copy()\nc.update({{{ALL}}})\nProducer(c)', 0, "YES"),
    ('cfg={"producer":{"acks":"1"},"consumer":{"group.id":"g"}}\nProducer(cfg["producer"])', 1,
     ONE),
    ('Producer(**{"acks":"1"})', 1, ONE),
    # of functions
    ('def conf():\n    return {"acks":"1"}\np=Producer(conf())', 1, ONE),
    ('def make(c):\n    return Producer(c)\nmake({"bootstrap.servers":"b","acks":"1"})', 1, ONE),
    ('CONF={}\ndef setup():\n    CONF["acks"]="1"\nsetup()\nProducer(CONF)', 1, ONE),
    ('class A:\n  def __init__(self):\n    self.c={}\n    self.c["acks"]="1"\n'
     '    self.p=Producer(self.c)', 1, ONE),
    ('p=Producer(load())\nx={"acks":"all"}', 2, ":1: the dict of this client comes from else"),
    ("def merge(a, b):\n  a.update(b)\n  return a\n"
     'c=merge({"acks":"all"}, {"acks":"1"})\nProducer(c)', 1, ONE),
    ('class A:\n  def __init__(self, c):\n    self.c = c\n    self.p = Producer(self.c)\n'
     'A({"acks":"1"})', 1, ONE),
    # what a name has been given since, or has from elsewhere
    ('c={"acks":"all"}\nc=load()\nProducer(c)', 2, ":3: the dict of this client comes from"),
    ('from x import c\nd={"acks":"all"}\nProducer(c)', 2, ":3: the dict of this client comes"),
    ('c={"acks":"all"}\nlevel=get()\nc["acks"]=level\nProducer(c)', 2, ":3: acks is not a plain"),
    # what a class has for its methods, and what a class of it has instead
    ('class A:\n  conf={"acks":"1"}\n  def go(self):\n    self.p=Producer(self.conf)', 1, ONE),
    (f'class A:\n  conf={{{ALL}}}\n  def go(self):\n    Producer(self.conf)', 0, "YES"),
    (f'class B:\n  conf={{{ALL}}}\nclass A(B):\n  conf={{"acks":"1"}}\n  def go(self):\n'
     "    Producer(self.conf)", 2, "acks"),
    (f'class B:\n  conf={{{ALL}}}\n  def go(self):\n    Producer(self.conf)\n'
     'class A(B):\n  conf={"acks":"1"}', 2, "acks"),
    (f'class B:\n  def __init__(self):\n    self.c={{{ALL}}}\nclass A:\n  def go(self):\n'
     "    Producer(self.c)", 2, "the dict of this client comes from"),
    # methods and functions that somebody else may call
    ('class A:\n  def __init__(self):\n    self.c = {"acks":"all"}\n'
     '  def fast(self):\n    self.c["acks"]="1"\n'
     "  def go(self):\n    self.p = Producer(self.c)", 2, f":5: {DEPENDS}"),
    ('class A:\n  def __init__(self):\n    self.c = {"acks":"all"}\n    self._tune()\n'
     '    self.p = Producer(self.c)\n  def _tune(self):\n    self.c["acks"]="1"\n', 1, ONE),
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
    ('c={}\nif __name__ == "__main__":\n    c["acks"]="1"\n    Producer(c)', 1, ONE),
    ('conf={"acks":os.environ.get("ACKS","1")}\nProducer(conf)', 1, ONE),
    # other clients
    ('c={"bootstrap.servers":"b","acks":"all"}\n'
     'a=AdminClient({"bootstrap.servers":"b","socket.timeout.ms":5})\nProducer(c)', 0, "YES"),
    ('conf={"acks":"all"}\nProducer(conf)\nconf["acks"]="1"\nq=Producer(conf)', 2, "acks differs"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "exit_code", "expected"), PROGRAMS)
def test_the_dict_that_a_client_is_handed_counts(
    tmp_path: Path, code: str, exit_code: int, expected: str
) -> None:
    assert_file(tmp_path / "a.py", code, "", RETRIED, exit_code, expected)


@pytest.mark.parametrize(("reset", "code", "expected"), [
    ('"auto.offset.reset":"earliest",', 0, "YES"), ("", 1, "auto.offset.reset: .* -> earliest"),
])  # fmt: skip
def test_a_part_of_two_clients_counts_for_both(
    tmp_path: Path, reset: str, code: int, expected: str
) -> None:
    text = (
        'common={"bootstrap.servers":"b"}\nProducer({**common,"acks":"all"})\n'
        f'Consumer({{**common,{reset}"group.id":"g","enable.auto.commit":False}})'
    )
    assert_file(tmp_path / "a.py", text, "", READING, code, expected)


OUT = "mp.messaging.outgoing."
CHANNELS = (
    f"{OUT}a.connector=smallrye-kafka\n{OUT}a.acks=1\n{OUT}b.connector=smallrye-kafka\n"
    f"{OUT}b.acks=all\n"
)
TWO = (
    "a = Producer({'bootstrap.servers': 'b', 'acks': '1'})\n"
    "b = Producer({'bootstrap.servers': 'b', 'acks': 'all'})\n"
)
CHOSEN = [
    (CHANNELS, "--only a", 1, ONE),
    (CHANNELS, "--only b", 0, "YES"),
    (CHANNELS.replace("acks=1", "acks=all"), "--only c", 2, "--only 'c': no file has a client"),
    (CHANNELS, "", 2, "choose it on the command line: --only a, --only b"),
    (TWO, "", 2, '--only "line 1", --only "line 2"'),
]


@pytest.mark.parametrize(("text", "options", "code", "expected"), CHOSEN)
def test_one_client_of_several_is_chosen(
    tmp_path: Path, text: str, options: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "a.conf", text, options, RETRIED, code, expected)


BOUND = """spring:
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
HEARD = ", producer: {error-channel-enabled: true}"
ENVIRONMENT = "        environment:\n"
AT_ROOT = "spring:\n  kafka:\n    producer:\n      acks: 0\n"
OF_ROOT = BOUND.replace("spring:\n", AT_ROOT, 1).replace("                required-acks: %s\n", "")
ALONE = f"          inherit-environment: false\n  {ENVIRONMENT}"
BINDERS = [
    (BOUND % ("k1", "kafka", "1"), 1, ONE),
    (BOUND % ("k1", "kafka", "all"), 0, "YES"),
    (BOUND % ("k2", "kafka", "all"), 2, "this binder and the one on line 9 differ in"),
    (BOUND.replace(HEARD, "") % ("k1", "kafka", "all"), 1, "delivery.errors: ignored -> handled"),
    (OF_ROOT % ("k1", "kafka"), 1, "acks: 0 -> all"),
    (OF_ROOT.replace(f"  {ENVIRONMENT}", ALONE, 1) % ("k1", "kafka"), 1, ONE),
]


@pytest.mark.parametrize(("text", "code", "expected"), BINDERS)
def test_the_environment_of_a_binder_counts(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    settings = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
    assert_file(tmp_path / "application.yml", text, "", settings, code, expected)


def test_a_binder_in_properties(tmp_path: Path) -> None:
    text = (
        "spring.cloud.stream.binders.k.type=kafka\n"
        "spring.cloud.stream.binders.k.environment.spring.kafka.producer.acks=1\n"
        "spring.cloud.stream.bindings.a-out-0.destination=x\n"
        "spring.cloud.stream.bindings.a-out-0.producer.error-channel-enabled=true\n"
    )
    assert_file(tmp_path / "application.properties", text, "", C, 1, ONE)


IMPORT = "import org.apache.kafka.clients.producer.*;\n"
PROPERTIES = "Properties props = new Properties();\n"
MADE = "Producer<String,String> p = new KafkaProducer<>(props);"
EARLIER = "var a = new KafkaProducer<>(props);\n"
OTHER = "import org.apache.kafka.clients.producer.KafkaProducer\n"
BLOCK = "Properties props = new Properties() {{\n %s\n}};\n"
KOTLIN = f"{OTHER}fun main() {{\n val props = "
OF_KOTLIN = "\n val p = KafkaProducer<String, String>(props)\n}\n"
PLAIN = "acks is not a plain value here"


def java(puts: str, *, made: str = MADE, start: str = PROPERTIES) -> str:
    return f"{IMPORT}class A {{\n  void m() {{\n{start}{puts}{made}\n  }}\n}}\n"


JAVA_CODE = [
    (java('props.put(ProducerConfig.ACKS_CONFIG, "1");\n'), 1, ONE),
    (java('props.setProperty("acks", "1");\n'), 1, ONE),
    (java('props.put("acks", "1");\n', start="Map<String, Object> props = new HashMap<>();\n"), 1,
     ONE),
    (java('props.put(ProducerConfig.ACKS_CONFIG, "all");\n'), 0, "YES"),
    (java('// props.put("acks", "1");\nprops.put("linger.ms", 5);\n'), 0, "YES"),
    (java("props.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);\n"), 0, "YES"),
    (java("props.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 31 * 1000);\n"), 1, "31000 ->"),
    (java('props.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "tx-" + id);\n'), 0, "YES"),
    (java('props.put("acks", "all");\nLOG.info("x {}", props);\n'), 0, "YES"),
    # what is not sure
    (java('props.put("acks", acks);\n'), 2, PLAIN),
    (java('props.put("acks", fast ? "1" : "all");\n'), 2, PLAIN),
    (java('if (fast) {\n props.put("acks", "1");\n}\n'), 2, DEPENDS),
    (java('if (fast) props.put("acks", "1");\n'), 2, DEPENDS),
    (java("props.putAll(other);\n"), 2, ":5: this use of props is not read"),
    (java("configure(props);\n"), 2, ":5: this use of props is not read"),
    (java('props.put(MyKeys.ACKS, "1");\n'), 2, "the name of this setting is not known"),
    (java("", made='var p = new KafkaProducer<String,String>(Map.of("acks","1"));'), 1, ONE),
    (java("", made='var p = new KafkaProducer<String,String>(Map.of("acks","all"));'), 0, "YES"),
    (java("", made='var p = new KafkaProducer<String,String>(Map.of(NAME,"all"));'), 2,
     "the name of this setting is not known"),
    (java("", made='new KafkaProducer<String,String>(Map.of("acks","1"));'
          'new KafkaProducer<String,String>(Map.of("acks","all"));'), 2, "acks differs"),
    (f'{OTHER}fun main() {{\n KafkaProducer<String, String>(mapOf("acks" to "all") + x)\n}}',
     2, "a map that is built from this one"),
    (f'{OTHER}fun main() {{\n val c = mapOf("acks" to "all") + mapOf("acks" to "1")\n'
     " val p = KafkaProducer<String, String>(c)\n}", 2, "a map that is built from this one"),
    (java('props.put("acks","all");props.putAll(Map.of("acks","1"));'), 1, ONE),
    (java('props.putAll(Map.of("acks","1"));props.put("acks","all");'), 0, "YES"),
    (java('props.put("acks","all");props.putAll(more);'), 2, "this use of props is not read"),
    (java("", made="var p = new KafkaProducer<>(load());"), 2, "the settings of this client are"),
    (java('props.put("acks", "1");\n', start="Properties props = new Properties(more);\n"), 2,
     "the settings of this client"),
    (java("props = load();\n"), 2, ":5: this use of props is not read"),
    (java("", start=BLOCK % 'put("acks","1");\nput(ProducerConfig.LINGER_MS_CONFIG, 5);'), 1, ONE),
    (java("", start=BLOCK % 'put("acks","all"); if (x) put("acks","1");'), 2, "this object is not"),
    (java("", start=BLOCK % 'put("acks","all"); putAll(x);'), 2, "into this object is not read"),
    (java("", start='Map<String,Object> props = Map.of("acks","1", "linger.ms", 5);\n'), 1, ONE),
    (java("", start='Map<String,Object> props = Map.of(KEY,"1");\n'), 2, "name of this setting"),
    (java("char c = '\"'; props.put(\"acks\",\"1\");\n"), 1, ONE),
    (f'{IMPORT}class A {{ void x() {{ String acks = "all"; }}\nvoid m(String acks) {{\n{PROPERTIES}'
     f'props.put("acks", acks);\n{MADE}}} }}', 2, PLAIN),
    (f"{IMPORT}class A {{ {PROPERTIES} A() {{ p = new KafkaProducer<>(props); }}\n"
     '{ props.put("acks","1"); } }', 2, "acks may be put in before or after its"),
    (java(f'props.put("acks","1");\n{EARLIER}props.put("acks","all");\n'), 2,
     'acks differs from line 5.*--only "line 6", --only "line 8"'),
    (java(f'props.put("acks","all");\n{EARLIER}props.put("acks","1");\n', made=""), 0, "YES"),
    # of methods and fields
    (f'{IMPORT}class A {{ static final String ACKS = "1";\n void m() {{\n{PROPERTIES}'
     f'props.put("acks", ACKS);\n{MADE}}}}}', 1, ONE),
    (f'{IMPORT}class A {{ Properties cfg() {{\n{PROPERTIES}props.put("acks", "1");\n'
     "return props;\n}\nvoid m() { var p = new KafkaProducer<String,String>(cfg()); } }", 1, ONE),
    (f"{IMPORT}class A {{ private final Properties props = new Properties();\n"
     'A() { props.put("acks","1"); this.p = new KafkaProducer<>(props); } }', 1, ONE),
    (f'{IMPORT}class A {{ void m() {{\n{PROPERTIES}props.put("acks", "1");\n{MADE}}}\n'
     "void n(Options props) { props.load(x); } }", 1, ONE),
    (java('props.put("acks","1");\n', start="Map<TopicPartition, OffsetAndMetadata> o = new "
          f'HashMap<>();\no.put(new TopicPartition("a",0), x);\n{PROPERTIES}'), 1, ONE),
    # a value in its class, one that is no text, and a method that is called like the object
    (java('props.put("acks", String.valueOf(1));\n'), 1, ONE),
    (java('props.put("enable.idempotence", false);\nprops.put("acks", "1");\n'), 1, ONE),
    (java('props.put("acks", "1");\nprops(1);\n'), 1, ONE),
    (java('props.put("application.id", "a");\n', made="new KafkaStreams(t, props).start();\n"
          "new KafkaProducer<String, String>(props);"), 2, "Kafka Streams and other clients"),
    # other languages
    (f"{OTHER}fun main() {{\n val props = Properties()\n"
     ' props["acks"] = "1"\n val p = KafkaProducer<String, String>(props)\n}\n', 1, ONE),
    (f"{OTHER}object A {{\n"
     ' val props = new Properties()\n props.put("acks", "1")\n'
     " val p = new KafkaProducer[String, String](props)\n}\n", 1, ONE),
    (f"{KOTLIN}Properties().apply {{\n put(\"acks\", \"1\")\n }}{OF_KOTLIN}", 1, ONE),
    (f"{KOTLIN}Properties().apply {{\n load(x)\n }}{OF_KOTLIN}", 2, "this object is not read"),
    (f'{KOTLIN}mapOf("acks" to "1", ProducerConfig.LINGER_MS_CONFIG to 5){OF_KOTLIN}', 1, ONE),
    (f'{KOTLIN}mutableMapOf<String, Any>("acks" to "all")\n props["acks"] = "1"{OF_KOTLIN}', 1,
     ONE),
]  # fmt: skip


@pytest.mark.parametrize(("code", "exit_code", "expected"), JAVA_CODE)
def test_code_of_javas_client(tmp_path: Path, code: str, exit_code: int, expected: str) -> None:
    assert_file(tmp_path / "A.java", code, "", RETRIED, exit_code, expected)


OF_STREAMS = java(
    'props.put(StreamsConfig.APPLICATION_ID_CONFIG, "a");\n'
    "props.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 3);\n"
    "props.put(StreamsConfig.topicPrefix(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG), 2);\n%s",
    made="var s = new KafkaStreams(builder.build(), props);",
)
ONCE = f"{TOPIC} broker.min.insync.replicas=2 application.offsets.topic.min.insync.replicas=2"
STREAMS = [
    # what is said for one client goes before what is said for all, wherever it stands
    ('props.put("producer.acks", "1");\nprops.put("acks", "all");\n', "", 1, ONE),
    ('props.put("acks", "all");\nprops.put("producer.acks", "1");\n', "", 1, ONE),
    ('props.put("producer.acks", "all");\nprops.put("acks", "1");\n', "--want at-least-once", 0,
     "acks does not count for the producer, which has producer.acks"),
    ('props.put(StreamsConfig.producerPrefix(ProducerConfig.ACKS_CONFIG), "1");\n', "", 1, ONE),
    ("props.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);\n"
     'props.put("consumer.auto.offset.reset", "none");\n', "--want exactly-once", 0, "YES"),
    ("props.put(StreamsConfig.DEFAULT_DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG, "
     "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler.class);\n", "", 2,
     "deserialization.exception.handler is not a plain value"),
    ("props.put(StreamsConfig.DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG, "
     "LogAndContinueExceptionHandler.class);\n", "", 1, "LogAndContinue"),
]  # fmt: skip


@pytest.mark.parametrize(("puts", "options", "code", "expected"), STREAMS)
def test_code_of_kafka_streams(
    tmp_path: Path, puts: str, options: str, code: int, expected: str
) -> None:
    text = "import org.apache.kafka.streams.errors.LogAndContinueExceptionHandler;\n"
    assert_file(tmp_path / "S.java", text + OF_STREAMS % puts, options, ONCE, code, expected)


P = "bootstrap.servers=b\n"
ALMOST = [
    ("p.properties", f"{P}ACKS=1\n", 2, "There is no producer setting ACKS. Did you mean acks"),
    ("p.properties", f"{P}acks_config=1\nlinger.ms=5\n", 2, "Did you mean acks"),
    ("p.properties", f"{P}enableIdempotence=false\nlinger.ms=5\n", 2, "mean enable.idempotence"),
    ("p.properties", f"{P}enable\u2010idempotence=false\nacks=1\n", 2, "setting of this name. Did"),
    ("p.ini", "[DEFAULT]\nacks=1\n[consumer]\ngroup.id=g\n", 2, "sections are not part of"),
    ("a.conf", 'include "base"\nacks=all\n', 2, "this looks like HOCON"),
    (".env", "KAFKA_PRODUCER_ACKS=1\n", 2, "KAFKA_PRODUCER_ACKS is acks of a producer"),
    (".env", "KAFKA_REST_PRODUCER_ACKS=1\n", 2, "is acks of a producer"),
    (".env", "KAFKA__CLIENT__ACKS=1\n", 2, "is acks of a producer"),
    (".env", "KAFKA_ACKS=1\n", 2, "Give acks as properties of the producer"),
    (".env", "KAFKA_AUTO_OFFSET_RESET=latest\n", 2, "auto.offset.reset of a consumer"),
    (".env", "KAFKA_MIN_INSYNC_REPLICAS=2\nKAFKA_GROUP_ID=x\n", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "code", "expected"), ALMOST)
def test_what_looks_like_a_setting_is_not_passed_over(
    tmp_path: Path, name: str, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / name, text, "", RETRIED, code, expected)
