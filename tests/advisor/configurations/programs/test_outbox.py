"""Programs that send the rows of a query, and mark each as sent after that.

A row whose send fails is not marked, so that the next query has it again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_file
from tests.advisor.programs import IGNORED, YES

JAVA = """import org.apache.kafka.clients.producer.*;
class Relay {
  private final KafkaProducer<String, String> producer;
  Relay() {
    Properties p = new Properties();
    p.put("acks", "all");
    producer = new KafkaProducer<>(p);
  }
  %s
}
"""
ROWS = "void relay() { for (Row r : rows.pending()) { %s } }"
SEND = 'producer.send(new ProducerRecord<>("t", r.text())).get();'
CATCH = 'catch (Exception e) { log.warn("later", e); }'
FUTURE = (
    "CompletableFuture<RecordMetadata> send(String v) {\n"
    "CompletableFuture<RecordMetadata> f = new CompletableFuture<>();\n"
    'producer.send(new ProducerRecord<>("t", v), (m, e) -> {\n'
    "if (e != null) { f.completeExceptionally(e); } else { f.complete(m); } });\nreturn f; }"
)
PYTHON = """from confluent_kafka import Producer
p = Producer({"acks": "all"})
%s
"""
LOOP = (
    "for row in db.pending():\n"
    '    p.produce("t", row.text, key=row.id, on_delivery=done)\n'
    "p.flush()"
)
RAISES = "def done(e, m):\n    if e: raise E(e)\n"
TRIED = (
    "for row in db.pending():\n    try:\n        {}\n"
    '        p.produce("t", row.text, on_delivery=done)\n        p.flush()\n        {}\n'
    "    except Exception as e:\n        log.warn(e)"
)


def _assert_answer(path: Path, code: str, expected: str) -> None:
    assert_file(path, code, "", f"{TOPIC} {COPIES}", 0 if expected == YES else 1, expected)


@pytest.mark.parametrize(("body", "expected"), [
    (ROWS % f"try {{ {SEND} rows.delete(r); }} {CATCH}", YES),
    (ROWS % f"try {{ {SEND} rows.markSent(r.id()); }} {CATCH}", YES),
    (ROWS % f"try {{ {SEND} r.setStatus(SENT); rows.save(r); }} {CATCH}", YES),
    (ROWS % f"try {{ {SEND} }} {CATCH} rows.delete(r);", IGNORED),
    (ROWS % f"try {{ rows.delete(r); {SEND} }} {CATCH}", IGNORED),
    (ROWS % f"try {{ {SEND} sent.increment(); }} {CATCH}", IGNORED),
    # its own method has the name of the producer's
    (FUTURE, YES),
])  # fmt: skip
def test_a_java_program_leaves_unsent_rows(tmp_path: Path, body: str, expected: str) -> None:
    _assert_answer(tmp_path / "Relay.java", JAVA % body, expected)


@pytest.mark.parametrize(("code", "expected"), [
    (f"def done(e, m):\n    if not e: db.mark_sent(m.key())\n{LOOP}", YES),
    (f"def done(e, m):\n    if e: log.error(e)\n    else: db.delete(m.key())\n{LOOP}", YES),
    (f"def done(e, m):\n    if e: log.error(e)\n    db.mark_sent(m.key())\n{LOOP}", IGNORED),
    (f"def done(e, m):\n    if not e: print(m.key())\n{LOOP}", IGNORED),
    (f"{RAISES}{TRIED.format('pass', 'db.mark_sent(row.id)')}", YES),
    (f"{RAISES}{TRIED.format('db.mark_sent(row.id)', 'pass')}", IGNORED),
])  # fmt: skip
def test_a_python_program_leaves_unsent_rows(tmp_path: Path, code: str, expected: str) -> None:
    _assert_answer(tmp_path / "relay.py", PYTHON % code, expected)
