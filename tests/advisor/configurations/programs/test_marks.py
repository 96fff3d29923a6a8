"""Messages that a program marks as done, so that it skips them when they are delivered again.

A mark that is stored before the message is processed remains if the processing fails.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import STREAMS as STREAMS_SETTINGS
from tests.advisor.configurations.asking import TOPIC, assert_answer, assert_file, write_files
from tests.advisor.configurations.frameworks.test_spring_code import STATED, YES_IF, YML, java
from tests.advisor.programs import YES, assert_program
from tests.advisor.programs.jvm import JAVA_APP, KOTLIN

PYTHON = """from confluent_kafka import Consumer
c = Consumer({"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"})
c.subscribe(["t"])
def is_new(key):
    return r.set(key, 1, nx=True)
while True:
    m = c.poll(1)
    if m is None or m.error():
        continue
%s
    c.commit(m)
"""
SKIP = "marked as done here before it is processed: .*application.processing.errors=skip"
NEW = 'redis.opsForValue().setIfAbsent(r.key(), "1")'
HELPER = f"boolean isNew(ConsumerRecord<String, String> r) {{ return {NEW}; }}"
NX = 'jedis.set(r.key(), "1", SetParams.setParams().nx().ex(60))'


@pytest.mark.parametrize(("body", "expected"), [
    ("    if not r.set(m.key(), 1, nx=True):\n        continue\n    save(m)", SKIP),
    ("    if r.setnx(m.key(), 1):\n        save(m)", SKIP),
    ("    first = r.set(m.key(), 1, nx=True, ex=86400)\n    if first:\n        save(m)", SKIP),
    ("    if is_new(m.key()):\n        save(m)", SKIP),
    ("    if r.setnx(m.key(), 1):\n        save(m)\n        continue\n    log.info(m)", SKIP),
    ("    if r.setnx(m.key(), 1):\n        save(m)\n        continue\n    raise Busy", YES),
    ("    if r.setnx(m.key(), 1):\n        if not m.value():\n            raise Bad\n"
     "        save(m)", SKIP),
    ("    if not r.setnx(m.key(), 1):\n        continue\n    try:\n        save(m)\n"
     "    except Bad:\n        r.delete(m.key())\n        raise", SKIP),
    ("    if not r.setnx(m.key(), 1):\n        c.seek(m)\n        continue\n    save(m)", YES),
    ("    if not r.exists(m.key()):\n        r.set(m.key(), 1)\n        save(m)\n"
     "        c.commit(m)\n        continue", SKIP),
    ("    if not cache.add(m.key(), 1):\n        continue\n    save(m)", SKIP),
    ("    if r.exists(m.key()):\n        continue\n    r.set(m.key(), 1)\n    save(m)", SKIP),
    ("    if r.exists(m.key()):\n        continue\n    save(m)\n    r.set(m.key(), 1)", YES),
    ('    if not r.set("lock", 1, nx=True):\n        raise Busy\n    save(m)', YES),
    ('    if not r.set(m.key(), m.value(), nx=True):\n        log.info("again")', YES),
    ("    if r.setnx(m.key(), 1):\n        r.expire(m.key(), 60)\n    save(m)", YES),
    ('    save(m)\n    if not r.setnx(m.key(), 1):\n        log.info("again")', YES),
    ("    for n in [n for n in [m] if r.setnx(n.key(), 1)]:\n        save(n)", SKIP),
    ("    for n in filter(lambda n: r.setnx(n.key(), 1), [m]):\n        save(n)", SKIP),
    ("    for n in [n for n in [m] if not r.exists(n.key())]:\n        save(n)", YES),
])  # fmt: skip
def test_a_python_program_marks_a_message_after_it_is_processed(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "app.py", PYTHON % body, expected)


@pytest.mark.parametrize(("body", "more", "expected"), [
    (f"if (Boolean.FALSE.equals({NEW})) {{ continue; }} save(r);", "", SKIP),
    (f"Boolean first = {NEW}; if (!first) {{ continue; }} save(r);", "", SKIP),
    (f"if ({NEW}) {{ save(r); }} else {{ log.info(r); }}", "", SKIP),
    (f"if ({NEW}) {{ save(r); continue; }} log.info(r);", "", SKIP),
    (f"if ({NEW}) {{ if (r.value() == null) throw new Bad(); save(r); }}", "", SKIP),
    (f"if ({NEW}) {{ try {{ save(r); }} catch (Bad e) {{ redis.delete(r.key()); throw e; }} }}",
     "", SKIP),
    (f"if ({NEW}) {{ save(r); continue; }} throw new Busy();", "", YES),
    ('if (!jedis.exists(r.key())) { jedis.set(r.key(), "1"); save(r); continue; }', "", SKIP),
    ('if (jedis.exists(r.key())) { audit(r); continue; } jedis.set(r.key(), "1"); save(r);', "",
     SKIP),
    ("if (!isNew(r)) { continue; } save(r);", HELPER, SKIP),
    (f"if ({NX} == null) {{ continue; }} save(r);", "", SKIP),
    ('if (jedis.exists(r.key())) { continue; } jedis.set(r.key(), "1"); save(r);', "", SKIP),
    ('if (jedis.exists(r.key())) { continue; } save(r); jedis.set(r.key(), "1");', "", YES),
    (f"if ({NX} == null) {{ throw new Busy(); }} save(r);", "", YES),
    (f"if ({NEW}) {{ log.info(r); }} save(r);", "", YES),
    (f"if ({NEW}) {{ redis.expire(r.key(), DAY); }} save(r);", "", YES),
    ('} rs.stream().filter(r -> jedis.setnx(r.key(), "1") == 1).forEach(r -> save(r)); for (;;) {',
     "", SKIP),
    # a set in memory is empty when the program starts again
    ("if (!seen.add(r.key())) { continue; } save(r);", "", YES),
])  # fmt: skip
def test_a_java_program_marks_a_record_after_it_is_processed(
    tmp_path: Path, body: str, more: str, expected: str
) -> None:
    loop = f"for (ConsumerRecord<String, String> r : rs) {{ {body} }} c.commitSync();"
    code = JAVA_APP.format(before="", more=more, body=loop)
    assert_program(tmp_path / "App.java", code, expected)


def test_a_kotlin_function_may_return_whether_a_mark_is_new(tmp_path: Path) -> None:
    body = "for (r in rs) {\nif (!isNew(r)) continue\nsave(r)\n}\nc.commitSync()"
    code = KOTLIN % (body, f"fun isNew(r: R): Boolean = {NEW} == true")
    assert_program(tmp_path / "A.kt", code, SKIP)


@pytest.mark.parametrize(("body", "code"), [
    ("if (!seen.add(m)) { return; }\nstore.save(m);", 2),
    ("if (seen.add(m)) { store.save(m); }", 2),
    ("if (seen.contains(m)) { return; }\nseen.add(m);\nstore.save(m);", 2),
    ("if (cache.putIfAbsent(m, true) != null) return;\nstore.save(m);", 2),
    ("if (seen.contains(m)) { return; }\nstore.save(m);\nseen.add(m);", 0),
    ("if (!seen.add(m)) { return; }\ntry { store.save(m); } catch (Error e) { seen.remove(m); "
     "throw e; }", 0),
])  # fmt: skip
def test_a_listener_is_called_again_in_the_same_process(
    tmp_path: Path, body: str, code: int
) -> None:
    write_files(tmp_path, {"L.java": java("String m", body), "application.yml": YML})
    paths = f"{tmp_path / 'application.yml'} {tmp_path / 'L.java'}"
    assert_answer(paths, f"{TOPIC} {STATED}", code, "rethrows none" if code else YES_IF)


TOPOLOGY = """import org.apache.kafka.streams.*;
class App {
  void run() {
    Properties p = new Properties();
    p.put("application.id", "a");
    StreamsBuilder b = new StreamsBuilder();
    b.stream("in")%s;
    new KafkaStreams(b.build(), p).start();
  }
}
"""


@pytest.mark.parametrize("operators", [
    '.filter((k, v) -> jedis.setnx(k, "1") == 1).foreach((k, v) -> save(v))',
    '.foreach((k, v) -> { if (jedis.setnx(k, "1") == 0) return; save(v); })',
])  # fmt: skip
def test_a_streams_application_marks_a_record_after_it_is_processed(
    tmp_path: Path, operators: str
) -> None:
    assert_file(tmp_path / "App.java", TOPOLOGY % operators, "", STREAMS_SETTINGS, 1, SKIP)
