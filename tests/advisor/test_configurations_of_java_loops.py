"""Code of Java's clients whose loops say what becomes of a record.

`commitSync()` without offsets, and `close()` with automatic commits, commit behind all that the
last `poll()` returned (KafkaConsumer javadoc).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.test_configurations import JAVA as TOPIC
from tests.advisor.test_configurations import assert_file

_HEAD = (
    "import org.apache.kafka.clients.consumer.*;\nclass A { void run() {\n"
    "Properties p = new Properties();\n"
    'p.put("group.id", "g");\np.put("auto.offset.reset", "earliest");\n'
)
_MADE = "KafkaConsumer<String, String> c = new KafkaConsumer<>(p);\n"
READER = f'{_HEAD}p.put("enable.auto.commit", "false");\n{_MADE}%s\n}}}}\n'
BY_TIMER = f"{_HEAD}{_MADE}%s\n}}}}\n"
POLL = "ConsumerRecords<String, String> rs = c.poll(Duration.ofSeconds(1));\n"
LOOP = f"while (true) {{\n{POLL}%s\n}}"
DO = "for (ConsumerRecord<String, String> r : rs) work(r);"
BEFORE = "application.commit=before-processing"
SKIP = "application.processing.errors=skip"
CLOSE = "application.processing.errors=close"
ASIDE = "application.processing=asynchronous"
YES = "^YES"

OF_READERS = [
    (READER, LOOP % f"{DO} c.commitSync();", YES),
    (READER, LOOP % f"c.commitSync(); {DO}", BEFORE),
    (READER, LOOP % f"c.commitAsync((o, e) -> warn(e)); {DO}", BEFORE),
    (READER, LOOP % "c.commitSync(); rs.forEach(r -> work(r));", BEFORE),
    (READER, LOOP % f"c.commitSync(done); {DO}", YES),
    (READER, LOOP % f"if (rs.isEmpty()) {{ c.commitSync(); continue; }} {DO} c.commitSync();", YES),
    (READER, LOOP % f"db.commit(); {DO} c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) pool.submit(() -> work(r)); c.commitSync();", BEFORE),
    (READER, LOOP % "for (var r : rs) pool.execute(() -> work(r));", ASIDE),
    (READER, LOOP % "for (var r : rs) all.add(pool.submit(() -> work(r)));\n"
     "for (var f : all) f.get(); c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) { log.error(e); } }\n"
     "c.commitSync();", SKIP),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (RuntimeException e) { } }\n"
     "c.commitSync();", SKIP),
    (READER, f"while (true) {{ try {{ {POLL} {DO} c.commitSync(); }}\n"
     "catch (Exception e) { e.printStackTrace(); } }", SKIP),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) { letters(r); } }\n"
     "c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) { throw e; } }\n"
     "c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) { while (true) { try { work(r); break; }\n"
     "catch (Exception e) { log.warn(e); } } }\nc.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (SQLException e) { } }\n"
     "c.commitSync();", YES),
    (READER, LOOP % f"try {{ {DO} }} finally {{ c.commitSync(); }}", SKIP),
    (READER, f"try {{ {LOOP % DO} }} catch (WakeupException e) {{ }} finally {{ c.commitSync(); }}",
     SKIP),
    (BY_TIMER, f"try {{ {LOOP % DO} }} finally {{ c.close(); }}", CLOSE),
    (BY_TIMER, f"try (c) {{ {LOOP % DO} }}", CLOSE),
    (BY_TIMER, LOOP % DO, YES),
    (READER, f"c.seekToEnd(c.assignment()); {LOOP % DO}", "seekToEnd: a reader"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "body", "expected"), OF_READERS)
def test_what_a_loop_does_with_a_record(
    tmp_path: Path, code: str, body: str, expected: str
) -> None:
    exit_code = {YES: 0, "seekToEnd: a reader": 2}.get(expected, 1)
    assert_file(tmp_path / "A.java", code % body, "", TOPIC, exit_code, expected)


_WRITER = (
    "import org.apache.kafka.clients.producer.*;\nclass A { void run() {\n"
    'Properties p = new Properties();\np.put("acks", "all");\n'
    "KafkaProducer<String, String> out = new KafkaProducer<>(p);\n%s\n}}\n"
)
IGNORED = "application.delivery.errors: ignored -> handled"
OF_WRITERS = [
    ("out.send(record, null);", IGNORED),
    ("out.send(record, (m, e) -> {});", IGNORED),
    ("out.send(record, (m, e) -> { seen(m.offset()); });", IGNORED),
    ("out.send(record, new Callback() { public void onCompletion(RecordMetadata m, Exception e)\n"
     "{ seen(m); } });", IGNORED),
    ("out.send(record, new Callback() { public void onCompletion(RecordMetadata m, Exception e)\n"
     "{ if (e != null) fail(e); } });", YES),
    ("out.send(record, (m, e) -> { if (e != null) fail(e); });", YES),
    ("out.send(record, this::heard);", YES),
    ("try { out.send(record).get(); } catch (Exception e) { }", IGNORED),
    ("try { out.send(record).get(); } catch (Exception e) { fail(e); }", YES),
    ("var sent = out.send(record);", IGNORED),
    ("var sent = out.send(record); sent.get();", YES),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), OF_WRITERS)
def test_what_a_program_does_with_a_send_that_fails(
    tmp_path: Path, body: str, expected: str
) -> None:
    reads = "consumer.enable.auto.commit=false application.commit=after-processing"
    exit_code = 1 if expected == IGNORED else 0
    assert_file(tmp_path / "A.java", _WRITER % body, "", f"{TOPIC} {reads}", exit_code, expected)
