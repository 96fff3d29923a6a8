"""Programs that hand records on: into a scope of Kotlin's, a case of Scala's, an object of a class
of the file. What passes over an error there passes over it for the record."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs import SKIP, YES, assert_program

_J = "try { save(%s); } catch (Exception e) { log.error(e); }"
_K = "try { save(%s) } catch (e: Exception) { log.error(e) }"
_S = "try { save(%s) } catch { case e: Exception => log.error(e) }"
_AGAIN = "try { save(r); done = true; } catch (Exception e) { log.error(e); }"
_WORKER = f"class Worker {{ R m; Worker(R m) {{ this.m = m; }} void run() {{ {_J % 'm'} }} }}"
_QUEUE = "Queue<R> q = new ArrayDeque<>(); rs.forEach(q::add);"

_OF_JAVA = [
    (f"List<R> l = rs.records(t); int n = 0; do {{ {_J % 'l.get(n)'} }} while (++n < l.size());",
     "", SKIP),
    (f"for (var r : rs) {{ boolean done = false; do {{ {_AGAIN} }} while (!done); }}", "", YES),
    (f"for (var r : rs) {{ int n = 0; do {{ {_AGAIN} }} while (!done && n++ < 3); "
     "if (!done) throw new E(); }", "", YES),
    (f"{_QUEUE} while (q.size() > 0) {{ var r = q.poll(); {_J % 'r'} }}", "", SKIP),
    (f"{_QUEUE} while (!q.isEmpty()) {{ var r = q.poll(); {_J % 'r'} }}", "", SKIP),
    (f"{_QUEUE} R r; while ((r = q.poll()) != null) {{ {_J % 'r'} }}", "", SKIP),
    (f"{_QUEUE} while (!q.isEmpty()) {{ try {{ save(q.peek()); q.remove(); }} "
     "catch (Exception e) { log.error(e); } }", "", YES),
    ("for (var r : rs) new Worker(r).run();", _WORKER, SKIP),
    ("for (var r : rs) { Worker w = new Worker(r); w.run(); }", _WORKER, SKIP),
    ("rs.forEach(r -> new Worker(r).run());", _WORKER, SKIP),
    ("rs.forEach(new Worker());",
     f"class Worker implements Consumer<R> {{ public void accept(R m) {{ {_J % 'm'} }} }}", SKIP),
    ("for (var r : rs) new Worker(r).run();",
     _WORKER.replace("log.error(e);", "throw new RuntimeException(e);"), YES),
    ("for (var r : rs) save(r);", _WORKER, YES),
]  # fmt: skip
_OF_KOTLIN = [
    (f"with(rs) {{ forEach {{ r -> {_K % 'r'} }} }}", "", SKIP),
    (f"rs.apply {{ forEach {{ r -> {_K % 'r'} }} }}", "", SKIP),
    (f"rs.run {{ for (r in this) {{ {_K % 'r'} }} }}", "", SKIP),
    (f"rs.partitions().forEach {{ t -> with(rs.records(t)) {{ forEach {{ {_K % 'it'} }} }} }}",
     "", SKIP),
    (f"rs.forEach {{ with(it) {{ {_K % 'value()'} }} }}", "", SKIP),
    ("rs.forEach { it.keep() }", f"fun R.keep() {{ {_K % 'value()'} }}", SKIP),
    ("rs.forEach { Worker(it).run() }",
     f"class Worker(private val m: R) : Runnable {{ override fun run() {{ {_K % 'm'} }} }}", SKIP),
    ("with(rs) { forEach { save(it) } }", "", YES),
    (f"with(metrics) {{ {_K % '1'} }}\nfor (r in rs) save(r)", "", YES),
]  # fmt: skip
_OF_SCALA = [
    (f"rs.asScala.foreach {{ case r if r.value != null => {_S % 'r'} }}", SKIP),
    (f"rs.asScala.foreach {{ case r: R if ok(r) => {_S % 'r'} case _ => () }}", SKIP),
    (f"rs.asScala.foreach {{ case Rec(k, v) => {_S % 'v'} }}", SKIP),
    (f"rs.asScala.foreach {{ r => r match {{ case x if ok(x) => {_S % 'x'} }} }}", SKIP),
    (f"val i = rs.iterator\ndo {{ val r = i.next; {_S % 'r'} }} while (i.hasNext)", SKIP),
    ("rs.asScala.foreach { case r if ok(r) => save(r) }", YES),
]


@pytest.mark.parametrize(
    ("code", "expected"),
    [(f"{READER % (LOOP % f'{body} c.commitSync();')}\n{more}", it) for body, more, it in _OF_JAVA]
    + [(KOTLIN % (f"{body}\nc.commitSync()", more), it) for body, more, it in _OF_KOTLIN]
    + [(SCALA % (f"{body}\nc.commitSync()", ""), it) for body, it in _OF_SCALA],
)
def test_an_error_that_is_passed_over_where_a_record_is_handed_on_is_seen(
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
def test_an_object_of_python_that_is_made_with_a_message_is_followed(
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
def test_a_map_of_something_else_is_no_producers(tmp_path: Path, pairs: tuple[str, ...]) -> None:
    put = "\n".join(f"m.put({pair});" for pair in pairs)
    code = "import org.apache.kafka.clients.producer.*;\nclass A { Map<String, Object> f() {\n"
    code += f"Map<String, Object> m = new HashMap<>();\n{put}\nreturn m;\n}}}}\n"
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


def test_settings_of_a_method_that_an_admin_client_alone_has_are_no_producers(
    tmp_path: Path,
) -> None:
    code = (
        "import org.apache.kafka.clients.producer.ProducerConfig;\nclass A {\n"
        "static Properties props() { Properties p = new Properties();\n"
        'p.put("key.serializer", "S"); p.put("acks", "all"); return p; }\n'
        "void f() { Properties p = props(); AdminClient a = KafkaAdminClient.create(p); }\n}\n"
    )
    assert_file(tmp_path / "A.java", code, "", TOPIC, 2, "no settings are in it as plain values")
