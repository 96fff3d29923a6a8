"""Programs whose consumers start at another offset than the committed offset of their group."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

SETTINGS = f"{TOPIC} application.restart=resumes"
LOOP = """while (true) {
ConsumerRecords<String, String> rs = c.poll(Duration.ofMillis(100));
for (ConsumerRecord<String, String> r : rs) db.insert(r.value());
c.commitSync(); }
"""
JAVA = (
    """import org.apache.kafka.clients.consumer.*;
class A { void run() {
Properties conf = new Properties();
conf.put("group.id", "g");
conf.put("auto.offset.reset", "earliest");
conf.put("enable.auto.commit", "false");
KafkaConsumer<String, String> c = new KafkaConsumer<>(conf);
c.subscribe(List.of("t"));
%s
"""
    + LOOP
    + "%s\n}}\n"
)
KOTLIN = """import org.apache.kafka.clients.consumer.*
fun main() {
val conf = Properties()
conf["group.id"] = "g"
conf["auto.offset.reset"] = "earliest"
conf["enable.auto.commit"] = "false"
val c = KafkaConsumer<String, String>(conf)
c.subscribe(listOf("t"))
%s
while (true) {
val rs = c.poll(Duration.ofMillis(100))
for (r in rs) db.insert(r.value())
c.commitSync()
}
}
"""
PYTHON = """from confluent_kafka import Consumer
%s
c = Consumer({"bootstrap.servers": "k", "group.id": "g", "auto.offset.reset": "earliest",
              "enable.auto.commit": False})
c.subscribe(["t"], on_assign=on)
%s
while True:
    m = c.poll(1.0)
    if m is not None:
        save(m)
        c.commit(m, asynchronous=False)
"""
SEEK_EACH = "for (var e : %s.entrySet()) { c.seek(e.getKey(), e.getValue()%s); }"
WATERMARKS = "def on(c, ps):\n    for p in ps:\n        low, high = c.get_watermark_offsets(p)\n"
SEEKS, DROPS, YES = "seek: a consumer that begins", "poll: nothing uses", "YES"
OFFSET = "offset: a consumer that begins"


@pytest.mark.parametrize(("before", "after", "expected"), [
    (SEEK_EACH % ("c.endOffsets(ps)", ""), "", SEEKS),
    (f"var ends =\n    c.endOffsets(ps);\n{SEEK_EACH % ('ends', '')}", "", SEEKS),
    (f"var found = c.offsetsForTimes(times);\n{SEEK_EACH % ('found', '.offset()')}", "", SEEKS),
    ("var ends = c.endOffsets(ps); for (var p : ps) { var end = ends.get(p); c.seek(p, end - 9); }",
     "", SEEKS),
    ("c.endOffsets(ps).forEach((p, end) -> c.seek(p, Math.max(0, end - 9)));", "", SEEKS),
    ("c.endOffsets(ps).forEach(c::seek);", "", SEEKS),
    # the lag of a consumer, and its committed offsets
    ("var ends = c.endOffsets(ps); for (var p : ps) { lag(ends.get(p) - c.position(p)); }",
     "c.committed(ps).forEach((p, o) -> c.seek(p, o.offset()));", YES),
    ("c.seekToBeginning(ps); lag(c.endOffsets(ps));", "", YES),
    # records that nothing uses
    ("c.poll(Duration.ofSeconds(5));", "", DROPS),
    ("this.c.poll(Duration.ZERO);", "", DROPS),
    ("c.poll(Duration.ZERO); c.seekToBeginning(c.assignment());", "", YES),
    ("c.pause(c.assignment()); c.poll(Duration.ZERO); c.resume(c.assignment());", "", YES),
])  # fmt: skip
def test_a_java_consumer_that_starts_at_another_offset_is_refused(
    tmp_path: Path, before: str, after: str, expected: str
) -> None:
    code = 0 if expected == YES else 2
    assert_file(tmp_path / "A.java", JAVA % (before, after), "", SETTINGS, code, expected)


@pytest.mark.parametrize(("before", "expected"), [
    ("val ends = c.endOffsets(ps)\nfor ((p, end) in ends) c.seek(p, end - 1)", SEEKS),
    ("c.endOffsets(ps).forEach { (p, end) -> c.seek(p, end) }", SEEKS),
    ("c.endOffsets(ps).forEach { p, end -> c.seek(p, end) }", SEEKS),
    ("val saved = store.offsets()\nval ends = c.endOffsets(ps)\nfor ((p, o) in saved) c.seek(p, o)",
     YES),
])  # fmt: skip
def test_a_kotlin_consumer_that_starts_at_another_offset_is_refused(
    tmp_path: Path, before: str, expected: str
) -> None:
    code = 0 if expected == YES else 2
    assert_file(tmp_path / "a.kt", KOTLIN % before, "", SETTINGS, code, expected)


@pytest.mark.parametrize(("function", "before", "expected"), [
    (f"{WATERMARKS}        p.offset = high - 9\n    c.assign(ps)", "", OFFSET),
    ("def on(c, ps):\n    for p in ps:\n        p.offset = c.get_watermark_offsets(p)[1]\n", "",
     OFFSET),
    (f"{WATERMARKS}        c.seek(TopicPartition(p.topic, p.partition, high))\n", "", OFFSET),
    ("def on(c, ps):\n    c.assign(c.offsets_for_times(ps))\n", "", OFFSET),
    (f"{WATERMARKS}        p.offset = low\n        lag(high)\n    c.assign(ps)", "", YES),
    ("def on(c, ps):\n    print(ps)\n", "c.poll(0)", DROPS),
    ("def on(c, ps):\n    print(ps)\n", "c.pause(ps)\nc.poll(0)\nc.resume(ps)", YES),
])  # fmt: skip
def test_a_python_consumer_that_starts_at_another_offset_is_refused(
    tmp_path: Path, function: str, before: str, expected: str
) -> None:
    code = 0 if expected == YES else 2
    text = PYTHON % (function, before)
    assert_file(tmp_path / "a.py", text, "", SETTINGS, code, expected)
