"""Methods that send, and return whether that succeeded: does anything look at what they return?"""

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
_AGAIN = (
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
_FOR = "for (String r : rows) {{ {} }}"

NOBODY_LOOKS = [
    _FOR.format('boolean ok = publish("k", r);'),
    _FOR.format('publish("k", r);'),
    _FOR.format('this.publish("k", r);'),
    _FOR.format('if (!publish("k", r)) { log.error("not sent"); }'),
    'rows.forEach(r -> publish("k", r));',
]
SOMEBODY_LOOKS = [
    _FOR.format('if (!publish("k", r)) { throw new IllegalStateException(); }'),
    _FOR.format('while (!publish("k", r)) { Thread.sleep(100); }'),
    "boolean all = true;\n    "
    + _FOR.format('all &= publish("k", r);')
    + "\n    if (!all) { throw new IllegalStateException(); }",
    _FOR.format('boolean ok = publish("k", r); if (!ok) { throw new IllegalStateException(); }'),
]


@pytest.mark.parametrize("use", NOBODY_LOOKS)
def test_a_send_that_is_false_for_nobody_goes_unnoticed(tmp_path: Path, use: str) -> None:
    text = _JAVA.format(body=_TRY, use=use)
    assert_file(tmp_path / "A.java", text, "", _SETTINGS, 1, "delivery.errors: ignored")


@pytest.mark.parametrize("use", SOMEBODY_LOOKS)
def test_a_send_whose_result_decides_is_no_loss(tmp_path: Path, use: str) -> None:
    text = _JAVA.format(body=_TRY, use=use)
    assert_file(tmp_path / "A.java", text, "", _SETTINGS, 0, "^YES")


def test_a_send_that_is_tried_until_it_succeeds_needs_nobody_to_look(tmp_path: Path) -> None:
    text = _JAVA.format(body=_AGAIN, use=NOBODY_LOOKS[1])
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
def test_kotlin_is_read_alike(tmp_path: Path, use: str, code: int) -> None:
    expected = "delivery.errors: ignored" if code else "^YES"
    assert_file(tmp_path / "A.kt", _KOTLIN.format(use=use), "", _SETTINGS, code, expected)
