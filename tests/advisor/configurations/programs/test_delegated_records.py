"""Programs that pass records to a Kotlin scope function, a Scala case or an object of the same
file. An error that is swallowed there skips the record.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_TRY = "try { save(%s); } catch (Exception e) { log.error(e); }"
_KOTLIN_TRY = "try { save(%s) } catch (e: Exception) { log.error(e) }"
_SCALA_TRY = "try { save(%s) } catch { case e: Exception => log.error(e) }"
_ATTEMPT = "try { save(r); done = true; } catch (Exception e) { log.error(e); }"
_WORKER = f"class Worker {{ R m; Worker(R m) {{ this.m = m; }} void run() {{ {_TRY % 'm'} }} }}"
_QUEUE = "Queue<R> q = new ArrayDeque<>(); rs.forEach(q::add);"

_JAVA_CASES = [
    (f"List<R> l = rs.records(t); int n = 0; do {{ {_TRY % 'l.get(n)'} }} "
     "while (++n < l.size());", "", SKIP),
    (f"for (var r : rs) {{ boolean done = false; do {{ {_ATTEMPT} }} while (!done); }}", "", YES),
    (f"for (var r : rs) {{ int n = 0; do {{ {_ATTEMPT} }} while (!done && n++ < 3); "
     "if (!done) throw new E(); }", "", YES),
    (f"{_QUEUE} while (q.size() > 0) {{ var r = q.poll(); {_TRY % 'r'} }}", "", SKIP),
    (f"{_QUEUE} while (!q.isEmpty()) {{ var r = q.poll(); {_TRY % 'r'} }}", "", SKIP),
    (f"{_QUEUE} R r; while ((r = q.poll()) != null) {{ {_TRY % 'r'} }}", "", SKIP),
    (f"{_QUEUE} while (!q.isEmpty()) {{ try {{ save(q.peek()); q.remove(); }} "
     "catch (Exception e) { log.error(e); } }", "", YES),
    ("for (var r : rs) new Worker(r).run();", _WORKER, SKIP),
    ("for (var r : rs) { Worker w = new Worker(r); w.run(); }", _WORKER, SKIP),
    ("rs.forEach(r -> new Worker(r).run());", _WORKER, SKIP),
    ("rs.forEach(new Worker());",
     f"class Worker implements Consumer<R> {{ public void accept(R m) {{ {_TRY % 'm'} }} }}",
     SKIP),
    ("for (var r : rs) new Worker(r).run();",
     _WORKER.replace("log.error(e);", "throw new RuntimeException(e);"), YES),
    ("for (var r : rs) save(r);", _WORKER, YES),
]  # fmt: skip
_KOTLIN_CASES = [
    (f"with(rs) {{ forEach {{ r -> {_KOTLIN_TRY % 'r'} }} }}", "", SKIP),
    (f"rs.apply {{ forEach {{ r -> {_KOTLIN_TRY % 'r'} }} }}", "", SKIP),
    (f"rs.run {{ for (r in this) {{ {_KOTLIN_TRY % 'r'} }} }}", "", SKIP),
    (f"rs.partitions().forEach {{ t -> with(rs.records(t)) "
     f"{{ forEach {{ {_KOTLIN_TRY % 'it'} }} }} }}", "", SKIP),
    (f"rs.forEach {{ with(it) {{ {_KOTLIN_TRY % 'value()'} }} }}", "", SKIP),
    ("rs.forEach { it.keep() }", f"fun R.keep() {{ {_KOTLIN_TRY % 'value()'} }}", SKIP),
    ("rs.forEach { Worker(it).run() }",
     f"class Worker(private val m: R) : Runnable {{ override fun run() "
     f"{{ {_KOTLIN_TRY % 'm'} }} }}",
     SKIP),
    ("with(rs) { forEach { save(it) } }", "", YES),
    (f"with(metrics) {{ {_KOTLIN_TRY % '1'} }}\nfor (r in rs) save(r)", "", YES),
]  # fmt: skip
_SCALA_CASES = [
    (f"rs.asScala.foreach {{ case r if r.value != null => {_SCALA_TRY % 'r'} }}", SKIP),
    (f"rs.asScala.foreach {{ case r: R if ok(r) => {_SCALA_TRY % 'r'} case _ => () }}", SKIP),
    (f"rs.asScala.foreach {{ case Rec(k, v) => {_SCALA_TRY % 'v'} }}", SKIP),
    (f"rs.asScala.foreach {{ r => r match {{ case x if ok(x) => {_SCALA_TRY % 'x'} }} }}", SKIP),
    (f"val i = rs.iterator\ndo {{ val r = i.next; {_SCALA_TRY % 'r'} }} while (i.hasNext)", SKIP),
    ("rs.asScala.foreach { case r if ok(r) => save(r) }", YES),
]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"{READER % (LOOP % f'{body} c.commitSync();')}\n{declarations}", answer)
        for body, declarations, answer in _JAVA_CASES
    ]
    + [
        (KOTLIN % (f"{body}\nc.commitSync()", declarations), answer)
        for body, declarations, answer in _KOTLIN_CASES
    ]
    + [(SCALA % (f"{body}\nc.commitSync()", ""), answer) for body, answer in _SCALA_CASES],
)
def test_swallowing_the_error_of_a_delegated_record_is_reported(
    tmp_path: Path, code: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", code, expected)


_PYTHON = """from confluent_kafka import Consumer
class Worker:
    def __init__(self, m):
        self.m = m
    def run(self):
        try:
            save(self.m)
        except Exception as e:
            {handler}
    def start(self):
        self.run()
class Eager(Worker):
    def __init__(self, m):
        self.m = m
        self.run()
c = Consumer({{"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"}})
while True:
    m = c.poll(1.0)
    if m is None:
        continue
    if m.error():
        raise KafkaException(m.error())
    {use}
    c.commit(m)
"""


@pytest.mark.parametrize(
    ("use", "handler", "expected"),
    [
        ("Worker(m).run()", "log.error(e)", SKIP),
        ("Worker(m.value()).run()", "log.error(e)", SKIP),
        ("w = Worker(m); w.run()", "log.error(e)", SKIP),
        ("Worker(m).run()", "raise", YES),
        ("Worker(m).start()", "log.error(e)", SKIP),
        ("Worker(m).start()", "raise", YES),
        ("Eager(m)", "log.error(e)", SKIP),
        ("Eager(m)", "raise", YES),
        ("save(m)", "log.error(e)", YES),
    ],
)
def test_a_python_object_that_is_built_with_a_message_is_followed(
    tmp_path: Path, use: str, handler: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _PYTHON.format(use=use, handler=handler), expected)


@pytest.mark.parametrize(
    "pairs",
    [
        ('"topic", topic', '"partition", partition', '"offset", offset'),
        ('"debug", true', '"retries", 3'),
        ('"ssl.protocol", tls', '"ssl.truststore.type", "JKS"'),
    ],
)
def test_an_unrelated_map_is_not_read_as_producer_settings(
    tmp_path: Path, pairs: tuple[str, ...]
) -> None:
    puts = "\n".join(f"m.put({pair});" for pair in pairs)
    code = "import org.apache.kafka.clients.producer.*;\nclass A { Map<String, Object> f() {\n"
    code += f"Map<String, Object> m = new HashMap<>();\n{puts}\nreturn m;\n}}}}\n"
    assert_file(tmp_path / "A.java", code, "", TOPIC, 2, "no settings are in it as plain values")


@pytest.mark.parametrize(
    "call",
    ["s.poll(r -> save(r));", "s.poll(this::save);", "s.pollAndProduce((r) -> made(r), t -> {});"],
)
def test_a_parallel_consumer_is_refused_by_name(tmp_path: Path, call: str) -> None:
    code = (
        "import io.confluent.parallelconsumer.*;\nclass A { void f() {\n"
        'Properties p = new Properties(); p.put("group.id", "g");\n'
        "var c = new KafkaConsumer<String, String>(p);\n"
        f"ParallelStreamProcessor<String, String> s = made(c);\n{call}\n}}}}\n"
    )
    expected = r"A\.java:6: poll\w*: Confluent's parallel consumer"
    assert_file(tmp_path / "A.java", code, "", TOPIC, 2, expected)


def test_settings_of_an_admin_client_are_not_read_as_producer_settings(
    tmp_path: Path,
) -> None:
    code = (
        "import org.apache.kafka.clients.producer.ProducerConfig;\nclass A {\n"
        "static Properties props() { Properties p = new Properties();\n"
        'p.put("key.serializer", "S"); p.put("acks", "all"); return p; }\n'
        "void f() { Properties p = props(); AdminClient a = KafkaAdminClient.create(p); }\n}\n"
    )
    assert_file(tmp_path / "A.java", code, "", TOPIC, 2, "no settings are in it as plain values")
