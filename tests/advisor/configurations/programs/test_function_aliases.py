"""Programs that call the function for a record by another name: a variable, a field, a parameter,
or a method that receives all records. What it does counts as the processing of the record.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

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
_FIELD = """class Reader:
    def __init__(self, handler):
        self.handler = handler
    def take(self, m):
        self.handler(m)
reader = Reader(%s)"""
_SEEK_BACK = "c.seek(TopicPartition('t', 0, m.offset()))"
_SEEK_NEXT = "c.seek(TopicPartition('t', 0, m.offset() + 1))"


@pytest.mark.parametrize(
    ("declarations", "body", "expected"),
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
        (_FIELD % "careless", "reader.take(m)\nc.commit(m)", SKIP),
        (_FIELD % "careful", "reader.take(m)\nc.commit(m)", YES),
        ("", "eventually(m)\nc.commit(m)", ASIDE),
        ("", "asyncio.run(eventually(m))\nc.commit(m)", YES),
        ("", "f = pool.submit(save, m)\nf.add_done_callback(lambda f: c.commit(m))", SKIP),
        ("", "f = pool.submit(save, m)\nf.add_done_callback(lambda f: f.result() and c.commit(m))",
         SKIP),  # the commit of a later message covers the one that failed
        ("", "f = pool.submit(save, m)\nwait([f])\nif f.exception():\n    log.error('x')\n"
         "c.commit(m)", SKIP),
        ("", "f = pool.submit(save, m)\nwait([f])\nif f.exception():\n    raise f.exception()\n"
         "c.commit(m)", YES),
        ("", f"try:\n    save(m)\n    c.commit(m)\nexcept Exception:\n    {_SEEK_NEXT}", SKIP),
        ("", f"try:\n    save(m)\n    c.commit(m)\nexcept Exception:\n    {_SEEK_BACK}", YES),
        ("", "try:\n    save(m)\nfinally:\n    continue", SKIP),
        ("def once(m):\n    try:\n        save(m)\n    finally:\n        return",
         "once(m)\nc.commit(m)", SKIP),
    ],
)  # fmt: skip
def test_a_python_function_is_followed_through_its_aliases(
    tmp_path: Path, declarations: str, body: str, expected: str
) -> None:
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    assert_program(tmp_path / "a.py", _PYTHON.format(more=declarations, body=indented), expected)


_TRY = "try { save(r); } catch (Exception e) { log.error(e); }"
_ALL = "static void all(KafkaConsumer<K, V> k, ConsumerRecords<K, V> l) { %s }"
_NEXT = "Map.of(t, new OffsetAndMetadata(%s.offset() + 1))"
_PART = "static void part(TopicPartition t, List<ConsumerRecord<K, V>> l) { %s }"
_EACH_PART = "for (var t : rs.partitions()) part(t, rs.records(t));"
_SEEK_PAST = "c.seek(e.topicPartition(), e.offset() + 1L);"
_SAVE = "for (var r : l) save(r);"

_JAVA_CASES = [
    ("all(c, rs);", _ALL % f"k.commitSync(); {_SAVE}", BEFORE),
    ("all(c, rs);", _ALL % f"{_SAVE} k.commitSync();", YES),
    ("all(c, rs);", _ALL % f"if (l.isEmpty()) {{ k.commitSync(); return; }} {_SAVE}", YES),
    (_EACH_PART, _PART % f"c.commitSync({_NEXT % 'l.get(l.size() - 1)'}); {_SAVE}", BEFORE),
    (_EACH_PART, _PART % f"{_SAVE} c.commitSync({_NEXT % 'l.get(l.size() - 1)'});", YES),
    ("for (var r : rs) one(r);", f"void one(R r) {{ c.commitSync({_NEXT % 'r'}); save(r); }}",
     BEFORE),
    ("all(rs); c.commitSync();", "Queue<R> q; void all(Rs l) { for (var r : l) q.add(r); }", ASIDE),
    ("h.accept(r)", f"Consumer<R> h = r -> {{ {_TRY} }};", SKIP),
    ("h.accept(r)", "Consumer<R> h = r -> { save(r); };", YES),
    ("h.apply(r)", f"Function<R, X> h = (r) -> {{ while (true) {{ {_TRY} }} }};", YES),
    ("h.accept(r)", "Consumer<R> h = r -> pool.submit(() -> save(r));", ASIDE),
    ("save(r)", f"Consumer<R> h = r -> {{ {_TRY} }};", YES),
    ("rs.forEach(h); c.commitSync();", f"Consumer<R> h = r -> {{ {_TRY} }};", SKIP),
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


@pytest.mark.parametrize(("body", "declarations", "expected"), _JAVA_CASES)
def test_a_java_function_is_followed_through_its_aliases(
    tmp_path: Path, body: str, declarations: str, expected: str
) -> None:
    loop = body if body.endswith(("}", ";")) else f"for (var r : rs) {body}; c.commitSync();"
    assert_program(tmp_path / "A.java", f"{READER % (LOOP % loop)}\n{declarations}", expected)


def test_skipping_a_record_that_cannot_be_deserialized_is_reported(tmp_path: Path) -> None:
    handler = f"catch (RecordDeserializationException e) {{ {_SEEK_PAST} continue; }}"
    poll = f"try {{ rs = c.poll(d); }} {handler}"
    code = f"while (true) {{ Rs rs; {poll} for (var r : rs) save(r); c.commitSync(); }}"
    assert_program(tmp_path / "A.java", READER % code, SKIP)


_KOTLIN_TRY = "try { save(r) } catch (e: Exception) { log.error(e) }"
_SCALA_TRY = "try { save(r) } catch { case e: Exception => log.error(e) }"
_WORKER = f"class Worker(r: R) {{ def run(): Unit = {{ {_SCALA_TRY} }} }}"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (KOTLIN % ("for (r in rs) h(r)\nc.commitSync()", f"val h = {{ r: R -> {_KOTLIN_TRY} }}"),
         SKIP),
        (KOTLIN % ("rs.forEach(h)\nc.commitSync()",
                   f"val h: (R) -> Unit = {{ r -> {_KOTLIN_TRY} }}"), SKIP),
        (KOTLIN % ("for (r in rs) h(r)\nc.commitSync()", "val h = { r: R -> save(r) }"), YES),
        (SCALA % ("rs.asScala.foreach(h)\nc.commitSync()",
                  f"val h: R => Unit = r => {{ {_SCALA_TRY} }}"), SKIP),
        (SCALA % ("rs.asScala.map(new Worker(_)).foreach(_.run())\nc.commitSync()", _WORKER), SKIP),
        (SCALA % ("rs.asScala.map(Worker).foreach(_.run())\nc.commitSync()", _WORKER), SKIP),
        (SCALA % ("rs.asScala.map(new Worker(_)).foreach(_.run())\nc.commitSync()",
                  _WORKER.replace(_SCALA_TRY, "save(r)")), YES),
    ],
)  # fmt: skip
def test_a_kotlin_or_scala_function_is_followed_through_its_aliases(
    tmp_path: Path, code: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", code, expected)
