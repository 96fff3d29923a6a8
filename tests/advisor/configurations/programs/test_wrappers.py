"""Methods that send and return whether the send succeeded: their callers must check the result."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_file

_JAVA = """import org.apache.kafka.clients.producer.*;
class A {{
  KafkaProducer<String, String> producer;
  A() {{
    Properties p = new Properties();
    p.put("acks", "all");
    producer = new KafkaProducer<>(p);
  }}
  boolean publish(String k, String v) {{
    {body}
  }}
  void run(List<String> rows) {{
    {use}
    producer.close();
  }}
}}
"""
_TRY = (
    'try { producer.send(new ProducerRecord<>("t", k, v)).get(); return true; } '
    'catch (Exception e) { log.error("failed", e); return false; }'
)
_RETRY_FOREVER = (
    "while (true) { try { producer.send(r).get(); return true; } "
    'catch (Exception e) { log.warn("again", e); } }'
)
_KOTLIN = """import org.apache.kafka.clients.producer.*
class A(rows: List<String>) {{
  val p = Properties().apply {{ put("acks", "all") }}
  val producer = KafkaProducer<String, String>(p)
  fun publish(k: String, v: String): Boolean {{
    try {{ producer.send(ProducerRecord("t", k, v)).get(); return true }}
    catch (e: Exception) {{ log.error("failed", e); return false }}
  }}
  fun run(rows: List<String>) {{
    for (r in rows) {{
      {use}
    }}
    producer.close()
  }}
}}
"""
_SETTINGS = (
    "topic.replication.factor=3 topic.min.insync.replicas=2 consumer.auto.offset.reset=earliest"
)
_LOOP = "for (String r : rows) {{ {} }}"

UNCHECKED = [
    _LOOP.format('boolean ok = publish("k", r);'),
    _LOOP.format('publish("k", r);'),
    _LOOP.format('this.publish("k", r);'),
    _LOOP.format('if (!publish("k", r)) { log.error("not sent"); }'),
    'rows.forEach(r -> publish("k", r));',
]
CHECKED = [
    _LOOP.format('if (!publish("k", r)) { throw new IllegalStateException(); }'),
    _LOOP.format('while (!publish("k", r)) { Thread.sleep(100); }'),
    "boolean all = true;\n    "
    + _LOOP.format('all &= publish("k", r);')
    + "\n    if (!all) { throw new IllegalStateException(); }",
    _LOOP.format('boolean ok = publish("k", r); if (!ok) { throw new IllegalStateException(); }'),
]


@pytest.mark.parametrize("use", UNCHECKED)
def test_an_unchecked_result_of_a_send_method_is_reported(tmp_path: Path, use: str) -> None:
    text = _JAVA.format(body=_TRY, use=use)
    assert_file(tmp_path / "A.java", text, "", _SETTINGS, 1, "delivery.errors: ignored")


@pytest.mark.parametrize("use", CHECKED)
def test_a_checked_result_of_a_send_method_is_no_loss(tmp_path: Path, use: str) -> None:
    text = _JAVA.format(body=_TRY, use=use)
    assert_file(tmp_path / "A.java", text, "", _SETTINGS, 0, "^YES")


def test_a_send_method_that_retries_until_it_succeeds_needs_no_check(tmp_path: Path) -> None:
    text = _JAVA.format(body=_RETRY_FOREVER, use=UNCHECKED[1])
    assert_file(tmp_path / "A.java", text, "", _SETTINGS, 0, "^YES")


@pytest.mark.parametrize(
    ("use", "code"),
    [
        ('publish("k", r)', 1),
        ('val ok = publish("k", r)', 1),
        ('if (!publish("k", r)) throw IllegalStateException()', 0),
        ('check(publish("k", r))', 0),
    ],
)
def test_send_methods_of_kotlin_are_read_like_those_of_java(
    tmp_path: Path, use: str, code: int
) -> None:
    expected = "delivery.errors: ignored" if code else "^YES"
    assert_file(tmp_path / "A.kt", _KOTLIN.format(use=use), "", _SETTINGS, code, expected)
