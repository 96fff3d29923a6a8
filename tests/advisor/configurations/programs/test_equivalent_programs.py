"""A file in another form has the same answer.

Each program exercises a rule that reads code, and each file of settings exercises a reader. Only
the form changes: line breaks, the form of class names, the names of variables.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.advisor.configurations.asking import TOPIC, given

_JAVA = """import org.apache.kafka.clients.consumer.*;
class A {{ void run() {{
Properties p = new Properties();
p.put("group.id", "g");
p.put("auto.offset.reset", "earliest");
p.put("enable.auto.commit", "false");
KafkaConsumer<String, String> consumer = new KafkaConsumer<>(p);
while (true) {{
ConsumerRecords<String, String> records = consumer.poll(Duration.ofSeconds(1));
{}
}}
}} }}
"""
_SWALLOWED = "try { save(r); } catch (Exception e) { log.error(e); }"
_SENDER = """import org.apache.kafka.clients.producer.*;
class A {{ void run() {{
Properties p = new Properties();
p.put("acks", "all");
KafkaProducer<String, String> out = new KafkaProducer<>(p);
for (int i : all) {{ {} }}
out.flush();
}} }}
"""
_KOTLIN = """import org.apache.kafka.clients.consumer.*
fun main() {{
val p = Properties()
p["group.id"] = "g"
p["auto.offset.reset"] = "earliest"
p["enable.auto.commit"] = "false"
val consumer = KafkaConsumer<String, String>(p)
while (true) {{
val records = consumer.poll(d)
{}
}}
}}
fun handle(r: R) = runCatching {{ save(r) }}
"""
JVM = {
    "a.java": _JAVA.format("for (var r : records) save(r); consumer.commitSync();"),
    "b.java": _JAVA.format(f"for (var r : records) {{ {_SWALLOWED} }} consumer.commitSync();"),
    "c.java": _JAVA.format("consumer.commitSync(); for (var r : records) save(r);"),
    "d.java": _JAVA.format(
        "for (var r : records) pool.submit(() -> save(r)).get(); consumer.commitSync();"
    ),
    "e.java": _JAVA.format("records.forEach(r -> pool.submit(() -> save(r)));"),
    "k.java": _JAVA.format(
        'for (var r : records) producer.send(new ProducerRecord<>("o", r.value())).get(); '
        "consumer.commitSync();"
    ),
    "f.java": _SENDER.format('out.send(new ProducerRecord<>("t", f(i)));'),
    "g.java": _SENDER.format('out.send(new ProducerRecord<>("t", f(i))).get();'),
    "h.java": _SENDER.format("out.send(r(i), (m, e) -> { if (e != null) n.of(1).add(); });"),
    "i.kt": _KOTLIN.format("records.forEach { handle(it) }; consumer.commitSync()"),
    "j.kt": _KOTLIN.format("records.forEach { handle(it).getOrThrow() }; consumer.commitSync()"),
}
_LOOP = r"for \(var r : records\) (?:\{ (.*?) \} (?=consumer)|([^{}\n]*?;))"


def _with_loop(loop: str, methods: str = "") -> Callable[[str], str]:
    """Returns a form that replaces the loop over the records and adds methods to the class."""

    def rewrite(text: str) -> str:
        match = re.search(_LOOP, text)
        if match is None:
            return text
        body = match[1] or match[2]
        begin, end = text[: match.start()], text[match.end() :].removesuffix("}\n")
        return begin + loop.replace("BODY", body) + end + methods.replace("BODY", body) + "}\n"

    return rewrite


_CLASS = r"(?<![\w.])Kafka(Producer|Consumer)\b"
JVM_FORMS: dict[str, Callable[[str], str]] = {
    "type arguments": lambda text: re.sub(r"new (\w+)<>\(", r"new \1<String, String>(", text),
    "qualified names": lambda text: re.sub(
        _CLASS, lambda match: f"org.apache.kafka.clients.{match[1].lower()}.Kafka{match[1]}", text
    ),
    "chains on several lines": lambda text: re.sub(r"\)\.(?=\w)", ")\n        .", text),
    "an infinite for": lambda text: text.replace("while (true)", "for (;;)"),
    "an iterator": _with_loop(
        "var it = records.iterator();\nwhile (it.hasNext()) {\nvar r = it.next();\nBODY\n}"
    ),
    "a loop over partitions": _with_loop(
        "for (var part : records.partitions()) { for (var r : records.records(part)) { BODY } }"
    ),
    "a lock": _with_loop("for (var r : records) { synchronized (lock) { BODY } }"),
    "a logging context": _with_loop(
        'for (var r : records) { try (var c = MDC.putCloseable("k", r.key())) { BODY } }'
    ),
    "a timer": _with_loop(
        "for (var r : records) { long begun = System.nanoTime(); "
        "try { BODY } finally { timer.record(System.nanoTime() - begun); } }"
    ),
    "a rethrow": _with_loop(
        "for (var r : records) { try { BODY } catch (RuntimeException failure) "
        '{ log.error("failed", failure); throw failure; } }'
    ),
    "a thread": lambda text: re.sub(
        r"(?s)(while \(true\) \{\nConsumerRecords.*?\n\})(?=\n\} \})",
        r"new Thread(() -> {\n\1\n}).start();",
        text,
    ),
    "a method": _with_loop("for (var r : records) { one(r); }", "void one(R r) {\nBODY\n}"),
    "two methods": _with_loop(
        "all(records);",
        "void all(Rs batch) { for (var x : batch) { one(x); } }\nvoid one(R r) { BODY }",
    ),
    "a condition": _with_loop(
        "for (var r : records) { if (r.key() != null) { BODY } "
        "else { throw new IllegalStateException(); } }"
    ),
    "a method with a value": _with_loop(
        "for (var r : records) { boolean ok = one(r); count(ok); }",
        "boolean one(R r) {\nBODY\nreturn true;\n}",
    ),
    "a method whose result is checked": _with_loop(
        "for (var r : records) { if (!one(r)) { throw new IllegalStateException(); } }",
        "boolean one(R r) {\nBODY\nreturn true;\n}",
    ),
    "a method of an object": _with_loop(
        "for (var r : records) { new Handlers().one(r); }",
        "class Handlers { void one(R r) { BODY } }",
    ),
    "a method of a field": _with_loop(
        "for (var r : records) { handlers.one(r); }",
        "Handlers handlers = new Handlers();\nclass Handlers { void one(R r) { BODY } }",
    ),
    "a copy": _with_loop(
        "List<R> all = new ArrayList<>();\nfor (var x : records) { all.add(x); }\n"
        "for (var r : all) { BODY }"
    ),
    "a copy by index": _with_loop(
        "List<R> all = new ArrayList<>();\nrecords.forEach(all::add);\n"
        "for (int i = 0; i < all.size(); i++) { R r = all.get(i); BODY }"
    ),
    "a loop flag": lambda text: text.replace("while (true)", "while (running.get())"),
    "braces on separate lines": lambda text: re.sub(r"(?m)^(.*\S) \{$", r"\1\n{", text),
    "no spaces": lambda text: re.sub(r"\b(if|for|while|catch) \(", r"\1(", text),
    "comments": lambda text: text.replace(";\n", "; // if (x) {\n").replace("{ ", "{ /* ) */ "),
    "Windows line endings": lambda text: text.replace("\n", "\r\n"),
    "names of clients": lambda text: re.sub(
        r"\bout\b", "sender", re.sub(r"\bconsumer\b(?!\.\*)", "c", text)
    ),
    "names of records": lambda text: re.sub(
        r"\br\b", "message", re.sub(r"\brecords\b", "batch", text)
    ),
}
_CONSUMER = """from confluent_kafka import Consumer, KafkaException
consumer = Consumer(
    {{"group.id": "g", "auto.offset.reset": "earliest", "enable.auto.commit": False}}
)
while True:
    msg = consumer.poll(1.0)
    if msg is None:
        continue
    if msg.error():
        raise KafkaException(msg.error())
    {}
"""
_PRODUCER = """from confluent_kafka import Producer
import threading
producer = Producer({{"acks": "all"}})
def heard(error, message):
    if error:
        raise SystemExit(1)
{}
"""
_BACKGROUND_POLL = """def serve():
    while True:
        producer.poll(0.1)
threading.Thread(target=serve, daemon=True).start()
producer.produce("t", b"x", callback=heard)"""
PYTHON = {
    "a.py": _CONSUMER.format("save(msg); consumer.commit(msg)"),
    "b.py": _CONSUMER.format("consumer.commit(msg); save(msg)"),
    "c.py": _PRODUCER.format('producer.produce("t", b"x")\nproducer.flush()'),
    "d.py": _PRODUCER.format('producer.produce("t", b"x", callback=heard)\nproducer.flush()'),
    "e.py": _PRODUCER.format(_BACKGROUND_POLL),
    "f.py": _CONSUMER.format(
        "for _ in range(3):\n        try:\n            save(msg)\n            break\n"
        "        except Exception as error:\n            print(error)\n    consumer.commit(msg)"
    ),
    "g.py": _CONSUMER.format("wait([pool.submit(save, msg)])\n    consumer.commit(msg)"),
    "h.py": _CONSUMER.format(
        "try:\n        save(msg)\n    except Exception as error:\n        print(error)\n"
        "        raise\n    consumer.commit(msg)"
    ),
}
_ERROR_CHECK = "raise KafkaException(msg.error())\n"


def _with_block(block: str, functions: str = "") -> Callable[[str], str]:
    """Returns a form that moves the work on each message into a block or into functions."""

    def rewrite(text: str) -> str:
        begin, check, rest = text.partition(_ERROR_CHECK)
        body = textwrap.dedent(rest).strip("\n")
        if not body:
            return text
        parts = [
            re.sub(r"(?m)^( *)BODY", lambda match: textwrap.indent(body, str(match[1])), template)
            for template in (functions, textwrap.indent(block, "    "))
        ]
        return f"{parts[0]}\n{begin}{check}{parts[1]}\n"

    return rewrite


PYTHON_FORMS: dict[str, Callable[[str], str]] = {
    "annotations": lambda text: re.sub(
        r"(?m)^(\w+) = (Consumer|Producer)\(", r"\1: \2 = \2(", text
    ),
    "a lock": _with_block("with lock:\n    BODY"),
    "a trace": _with_block(
        'with tracer.start_as_current_span("x") as span:\n'
        '    span.set_attribute("key", msg.key())\n    BODY'
    ),
    "a timer": _with_block(
        "begun = time.time()\ntry:\n    BODY\nfinally:\n    print(time.time() - begun)"
    ),
    "a rethrow": _with_block(
        "try:\n    BODY\nexcept Exception as failure:\n    print(failure)\n    raise"
    ),
    "a match": _with_block(
        'match msg.topic():\n    case "t":\n        BODY\n'
        "    case other:\n        raise ValueError(other)"
    ),
    "a function": _with_block("one(msg, consumer)", "def one(msg, consumer):\n    BODY\n"),
    "two functions": _with_block(
        "one(msg, consumer)",
        "def two(m, own):\n    if m.key() is None:\n        return\n    three(m, own)\n"
        "def three(msg, consumer):\n    BODY\ndef one(msg, consumer):\n    two(msg, consumer)\n",
    ),
    "a condition": _with_block("if msg.key():\n    BODY\nelse:\n    raise ValueError(msg)"),
    "a function with a value": _with_block(
        "done = one(msg, consumer)\nCOUNT.inc(done)",
        "def one(msg, consumer):\n    BODY\n    return True\n",
    ),
    "a function whose result is checked": _with_block(
        "if not one(msg, consumer):\n    raise ValueError(msg)",
        "def one(msg, consumer):\n    BODY\n    return True\n",
    ),
    "a loop flag": lambda text: text.replace("while True:", "while running:"),
    "comments": lambda text: re.sub(r"(?m)(?<=[)\w])$", "  # if x:", text),
    "Windows line endings": lambda text: text.replace("\n", "\r\n"),
    "names of variables": lambda text: re.sub(
        r"\bmsg\b", "m", re.sub(r"\b(consum|produc)er\b", r"\1", text)
    ),
    "wider indentation": lambda text: re.sub(r"(?m)^( +)", r"\1\1", text),
}
SETTINGS = {
    "a.properties": "acks=1\nenable.idempotence=false\nretries=0\n",
    "application.yml": "kafka:\n  streams:\n    default:\n      producer.acks: 1\n",
    "quarkus.yml": """mp:
  messaging:
    outgoing:
      o:
        connector: smallrye-kafka
        acks: 1
""",
    "cm.yaml": """apiVersion: v1
kind: ConfigMap
metadata:
  name: c
data:
  topic.properties: "replication.factor=1\\nretention.ms=60000"
""",
    "strimzi.yaml": """apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: t
spec:
  replicas: 2
  config:
    retention.ms: 60000
""",
    "spring.yml": "spring:\n  kafka:\n    producer:\n      acks: 1\n",
    "compose.yml": """services:
  k:
    image: apache/kafka:4.1.0
    environment:
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE: "true"
""",
    "topics.sh": """OPTS="--config unclean.leader.election.enable=true"
kafka-topics.sh --create --topic a --replication-factor 3 --config retention.ms=60000 ${OPTS}
""",
    "msk.tf": """resource "aws_msk_configuration" "c" {
  server_properties = "unclean.leader.election.enable = true"
}
resource "aws_msk_cluster" "c" {
  number_of_broker_nodes = 2
}
""",
    "topic.tf": """resource "kafka_topic" "t" {
  replication_factor = var.copies
  config = { "unclean.leader.election.enable" = "true" }
}
variable "copies" {
  default = 3
}
""",
}
SETTINGS_FORMS: dict[str, Callable[[str], str]] = {
    "Windows line endings": lambda text: text.replace("\n", "\r\n"),
    "old Mac line endings": lambda text: text.replace("\n", "\r"),
    "comments": lambda text: (
        re.sub(r"(?m)(?<=[\w\"])$", "  # acks=0", text)
        if "resource" in text or "services" in text
        else text.replace("\n", "\n# acks=0\n")
    ),
}
YAML_FORMS: dict[str, Callable[[str], str]] = SETTINGS_FORMS | {
    "JSON": lambda text: json.dumps(yaml.safe_load(text)),
    "JSON on several lines": lambda text: json.dumps(yaml.safe_load(text), indent=2),
    "flow style": lambda text: yaml.safe_dump(yaml.safe_load(text), default_flow_style=True),
    "quoted keys": lambda text: re.sub(r"(?m)^( *)(\w\S*):(?= |$)", r'\1"\2":', text),
    "a document marker": lambda text: f"# ours\n---\n{text}",
}
FORMS = {
    ".yml": YAML_FORMS,
    ".yaml": YAML_FORMS,
    ".py": PYTHON_FORMS,
    ".java": JVM_FORMS,
    ".kt": JVM_FORMS,
}
ROWS = [
    (name, text, form)
    for name, text in {**JVM, **PYTHON, **SETTINGS}.items()
    for form in FORMS.get(Path(name).suffix, SETTINGS_FORMS)
]


def _answer(path: Path, text: str) -> tuple[int, str]:
    path.write_text(text, newline="")
    code, output = given(f"{path} --ordering", "" if path.name in SETTINGS else TOPIC)
    changes = re.findall(r"(?m)^  ([a-z]+\.[\w.]+: \S+ -> \S+)", output)
    return code, " ".join([*re.findall(r"(?m)^(?:YES|NO)\b", output), *changes])


@pytest.mark.parametrize(("name", "text", "form"), ROWS, ids=[f"{n}-{f}" for n, _, f in ROWS])
def test_the_answer_is_the_same_in_each_form(
    tmp_path: Path, name: str, text: str, form: str
) -> None:
    rewrite = FORMS.get(Path(name).suffix, SETTINGS_FORMS)[form]
    assert _answer(tmp_path / name, rewrite(text)) == _answer(tmp_path / name, text)


def test_a_block_that_has_a_value_is_read_as_a_whole(tmp_path: Path) -> None:
    """Otherwise its value would be the value of its first statement, which nothing checks."""
    body = "for (r in records) { val done = try { save(r); true } catch (e: E) { throw e } }"
    code = _KOTLIN.format(f"{body}\nconsumer.commitSync()")
    assert _answer(tmp_path / "a.kt", code)[0] == 0


def test_a_method_is_followed_after_many_other_calls(tmp_path: Path) -> None:
    many = "log.info(1);\n" * 60
    code = _JAVA.format(f"for (var r : records) {{\n{many}one(r);\n}}\nconsumer.commitSync();")
    rest = "void one(R r) { Handlers handlers = new Handlers(); handlers.two(r); }\n"
    rest += "class Handlers { void two(R r) { consumer.commitSync(); save(r); } }\n}\n"
    assert "before-processing" in _answer(tmp_path / "A.java", code.removesuffix("}\n") + rest)[1]


def test_the_answers_are_not_all_the_same(tmp_path: Path) -> None:
    files = {**JVM, **PYTHON, **SETTINGS}
    answers = {_answer(tmp_path / name, text) for name, text in files.items()}
    assert {code for code, _ in answers} == {0, 1}
    assert len(answers) > 8
