"""Programs whose records go to a function by another name: a variable's, a field's, a parameter's,
a method that is handed all of them. What is done there is done to the record."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program

_PYTHON = """from confluent_kafka import Consumer
def careless(m):
    try:
        save(m)
    except Exception as e:
        log.error(e)
def careful(m):
    save(m)
async def eventually(m):
    save(m)
class Worker:
    def __init__(self, m):
        self.m = m
    def __call__(self):
        careless(self.m)
class Each:
    def __call__(self, m):
        careless(m)
{more}
c = Consumer({{"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"}})
while True:
    m = c.poll(1.0)
    if m is None:
        continue
    if m.error():
        raise KafkaException(m.error())
{body}
"""
_KEPT = """class Reader:
    def __init__(self, handler):
        self.handler = handler
    def take(self, m):
        self.handler(m)
reader = Reader(%s)"""
_AGAIN = "c.seek(TopicPartition('t', 0, m.offset()))"
_AHEAD = "c.seek(TopicPartition('t', 0, m.offset() + 1))"


@pytest.mark.parametrize(
    ("more", "body", "expected"),
    [
        ("", "Worker(m)()\nc.commit(m)", SKIP),
        ("h = Each()", "h(m)\nc.commit(m)", SKIP),
        ("h = careless", "h(m)\nc.commit(m)", SKIP),
        ("h = careful", "h(m)\nc.commit(m)", YES),
        ("h = lambda m: pool.submit(save, m)", "h(m)\nc.commit(m)", ASIDE),
        ("h = lambda m: save(m)", "h(m)\nc.commit(m)", YES),
        ("HANDLERS = {'t': careless}", "HANDLERS[m.topic()](m)\nc.commit(m)", SKIP),
        ("HANDLERS = {'t': careless}", "HANDLERS.get(m.topic())(m)\nc.commit(m)", SKIP),
        ("HANDLERS = {'t': careless}", "h = HANDLERS.get(m.topic())\nh(m)\nc.commit(m)", SKIP),
        ("HANDLERS = {'t': careful}", "h = HANDLERS.get(m.topic())\nh(m)\nc.commit(m)", YES),
        (_KEPT % "careless", "reader.take(m)\nc.commit(m)", SKIP),
        (_KEPT % "careful", "reader.take(m)\nc.commit(m)", YES),
        ("", "eventually(m)\nc.commit(m)", ASIDE),
        ("", "asyncio.run(eventually(m))\nc.commit(m)", YES),
        ("", "f = pool.submit(save, m)\nf.add_done_callback(lambda f: c.commit(m))", SKIP),
        ("", "f = pool.submit(save, m)\nf.add_done_callback(lambda f: f.result() and c.commit(m))",
         YES),
        ("", "f = pool.submit(save, m)\nwait([f])\nif f.exception():\n    log.error('x')\n"
         "c.commit(m)", SKIP),
        ("", "f = pool.submit(save, m)\nwait([f])\nif f.exception():\n    raise f.exception()\n"
         "c.commit(m)", YES),
        ("", f"try:\n    save(m)\n    c.commit(m)\nexcept Exception:\n    {_AHEAD}", SKIP),
        ("", f"try:\n    save(m)\n    c.commit(m)\nexcept Exception:\n    {_AGAIN}", YES),
        ("", "try:\n    save(m)\nfinally:\n    continue", SKIP),
        ("def once(m):\n    try:\n        save(m)\n    finally:\n        return",
         "once(m)\nc.commit(m)", SKIP),
    ],
)  # fmt: skip
def test_a_function_of_python_is_followed_by_its_other_names(
    tmp_path: Path, more: str, body: str, expected: str
) -> None:
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    assert_program(tmp_path / "a.py", _PYTHON.format(more=more, body=indented), expected)


_J = "try { save(r); } catch (Exception e) { log.error(e); }"
_ALL = "static void all(KafkaConsumer<K, V> k, ConsumerRecords<K, V> l) { %s }"
_OF = "Map.of(t, new OffsetAndMetadata(%s.offset() + 1))"
_PART = "static void part(TopicPartition t, List<ConsumerRecord<K, V>> l) { %s }"
_EACH_PART = "for (var t : rs.partitions()) part(t, rs.records(t));"
_AHEAD_OF = "c.seek(e.topicPartition(), e.offset() + 1L);"
_SAVED = "for (var r : l) save(r);"

_OF_JAVA = [
    ("all(c, rs);", _ALL % f"k.commitSync(); {_SAVED}", BEFORE),
    ("all(c, rs);", _ALL % f"{_SAVED} k.commitSync();", YES),
    ("all(c, rs);", _ALL % f"if (l.isEmpty()) {{ k.commitSync(); return; }} {_SAVED}", YES),
    (_EACH_PART, _PART % f"c.commitSync({_OF % 'l.get(l.size() - 1)'}); {_SAVED}", BEFORE),
    (_EACH_PART, _PART % f"{_SAVED} c.commitSync({_OF % 'l.get(l.size() - 1)'});", YES),
    ("for (var r : rs) one(r);", f"void one(R r) {{ c.commitSync({_OF % 'r'}); save(r); }}",
     BEFORE),
    ("all(rs); c.commitSync();", "Queue<R> q; void all(Rs l) { for (var r : l) q.add(r); }", ASIDE),
    ("h.accept(r)", f"Consumer<R> h = r -> {{ {_J} }};", SKIP),
    ("h.accept(r)", "Consumer<R> h = r -> { save(r); };", YES),
    ("h.apply(r)", f"Function<R, X> h = (r) -> {{ while (true) {{ {_J} }} }};", YES),
    ("h.accept(r)", "Consumer<R> h = r -> pool.submit(() -> save(r));", ASIDE),
    ("save(r)", f"Consumer<R> h = r -> {{ {_J} }};", YES),
    ("rs.forEach(h); c.commitSync();", f"Consumer<R> h = r -> {{ {_J} }};", SKIP),
    ("c.pause(c.assignment()); pool.submit(() -> rs.forEach(this::save)); c.commitSync();", "",
     BEFORE),
    ("for (var r : rs) { try { save(r); c.commitSync(); } catch (Exception e) { "
     "c.seek(t, r.offset() + 1); } }", "", SKIP),
    ("for (var r : rs) { try { save(r); } finally { c.commitSync(Map.of(tp(r), new "
     "OffsetAndMetadata(r.offset() + 1))); } }", "", SKIP),
    ("for (var r : rs) { try { save(r); c.commitSync(Map.of(tp(r), new OffsetAndMetadata("
     "r.offset() + 1))); } catch (Exception e) { log.error(e); break; } }", "", SKIP),
    ("for (var r : rs) { try { save(r); c.commitSync(Map.of(tp(r), new OffsetAndMetadata("
     "r.offset() + 1))); } catch (Exception e) { c.seek(tp(r), r.offset()); break; } }", "", YES),
    ("for (var r : rs) { boolean bad = false; try { save(r); } catch (Exception e) { bad = true; } "
     "if (!bad) c.commitSync(Map.of(tp(r), new OffsetAndMetadata(r.offset() + 1))); }", "", SKIP),
    ("boolean ok = true; for (var r : rs) { try { save(r); } catch (Exception e) { ok = false; "
     "break; } } if (ok) c.commitSync();", "", SKIP),
    ("boolean ok = true; for (var r : rs) { try { save(r); } catch (Exception e) { ok = false; "
     "break; } } if (ok) c.commitSync(); else c.seek(tp(rs), 0);", "", YES),
    ("for (var r : rs) { one(r); }", "void one(R r) { try { save(r); } finally { "
     "c.commitSync(Map.of(tp(r), new OffsetAndMetadata(r.offset() + 1))); } }", SKIP),
    ("for (var r : rs) { boolean ok = false; try { save(r); ok = true; } finally { if (ok) "
     "c.commitSync(Map.of(tp(r), new OffsetAndMetadata(r.offset() + 1))); } }", "", YES),
    ("try { for (var r : rs) { save(r); offs.put(tp(r), new OffsetAndMetadata(r.offset() + 1)); } }"
     " finally { c.commitSync(offs); }", "", YES),
    ("for (var r : rs) { try { save(r); } finally { done(r); } }", "void done(R r) { "
     "c.commitSync(Map.of(tp(r), new OffsetAndMetadata(r.offset() + 1))); }", SKIP),
    ("for (var r : rs) { try { save(r); } finally { continue; } } c.commitSync();", "", SKIP),
    ("for (var r : rs) one(r); c.commitSync();",
     "void one(R r) { try { save(r); } finally { return; } }", SKIP),
    ("for (var r : rs) { try { save(r); } finally { MDC.clear(); } } c.commitSync();", "", YES),
]  # fmt: skip


@pytest.mark.parametrize(("body", "more", "expected"), _OF_JAVA)
def test_a_function_of_java_is_followed_by_its_other_names(
    tmp_path: Path, body: str, more: str, expected: str
) -> None:
    done = body if body.endswith(("}", ";")) else f"for (var r : rs) {body}; c.commitSync();"
    assert_program(tmp_path / "A.java", f"{READER % (LOOP % done)}\n{more}", expected)


def test_a_record_that_a_poll_cannot_read_and_that_is_passed_over_is_seen(tmp_path: Path) -> None:
    passed = f"catch (RecordDeserializationException e) {{ {_AHEAD_OF} continue; }}"
    read = f"try {{ rs = c.poll(d); }} {passed}"
    code = f"while (true) {{ Rs rs; {read} for (var r : rs) save(r); c.commitSync(); }}"
    assert_program(tmp_path / "A.java", READER % code, SKIP)


_K = "try { save(r) } catch (e: Exception) { log.error(e) }"
_S = "try { save(r) } catch { case e: Exception => log.error(e) }"
_WORKER = f"class Worker(r: R) {{ def run(): Unit = {{ {_S} }} }}"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (KOTLIN % ("for (r in rs) h(r)\nc.commitSync()", f"val h = {{ r: R -> {_K} }}"), SKIP),
        (KOTLIN % ("rs.forEach(h)\nc.commitSync()", f"val h: (R) -> Unit = {{ r -> {_K} }}"), SKIP),
        (KOTLIN % ("for (r in rs) h(r)\nc.commitSync()", "val h = { r: R -> save(r) }"), YES),
        (SCALA % ("rs.asScala.foreach(h)\nc.commitSync()", f"val h: R => Unit = r => {{ {_S} }}"),
         SKIP),
        (SCALA % ("rs.asScala.map(new Worker(_)).foreach(_.run())\nc.commitSync()", _WORKER), SKIP),
        (SCALA % ("rs.asScala.map(Worker).foreach(_.run())\nc.commitSync()", _WORKER), SKIP),
        (SCALA % ("rs.asScala.map(new Worker(_)).foreach(_.run())\nc.commitSync()",
                  _WORKER.replace(_S, "save(r)")), YES),
    ],
)  # fmt: skip
def test_a_function_of_kotlin_or_scala_is_followed_by_its_other_names(
    tmp_path: Path, code: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", code, expected)
