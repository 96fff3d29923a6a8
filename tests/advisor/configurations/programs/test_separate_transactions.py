"""Programs that commit offsets in a transaction without the output that was made of these records.

Source: KafkaProducer javadoc (`sendOffsetsToTransaction`: offsets are committed only if the
transaction is); Kafka design.md, Using Transactions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

_STATED = f"{TOPIC} application.restart=resumes application.offsets.topic.min.insync.replicas=2"
_JAVA = """
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.clients.consumer.*;
class A {{
  {helper}
  void run() {{
    Properties pp = new Properties();
    pp.put("transactional.id", "a");
    KafkaProducer<String, String> p = new KafkaProducer<>(pp);
    Properties cp = new Properties();
    cp.put("group.id", "g");
    cp.put("auto.offset.reset", "none");
    cp.put("enable.auto.commit", "false");
    cp.put("isolation.level", "read_committed");
    KafkaConsumer<String, String> c = new KafkaConsumer<>(cp);
    p.initTransactions();
    while (true) {{
      ConsumerRecords<String, String> rs = c.poll(d);
      p.beginTransaction();
      {body}
      p.commitTransaction();
    }}
  }}
}}
"""
_PYTHON = """
p = Producer({{"transactional.id": "a"}})
c = Consumer({{"group.id": "g", "auto.offset.reset": "error", "enable.auto.commit": False,
              "isolation.level": "read_committed"}})
c.subscribe(["t"])
p.init_transactions()
{helper}
while True:
    ms = c.consume(9, 1)
    p.begin_transaction()
    {body}
    p.commit_transaction()
"""
_SEPARATE, _YES = "these offsets are in a transaction of their own", "^YES"
_SEND, _OFFSETS = (
    "for (var r : rs) { p.send(f(r)); }",
    "p.sendOffsetsToTransaction(offsets(rs), c.groupMetadata());",
)
_NEXT = "p.commitTransaction(); p.beginTransaction();"
_PRODUCE = "for m in ms: p.produce('o', m.value())"
_SENT = "p.send_offsets_to_transaction(c.position(c.assignment()), c.consumer_group_metadata())"
_THEN = "p.commit_transaction()\n    p.begin_transaction()"


@pytest.mark.parametrize(("helper", "body", "expected"), [
    ("", f"{_SEND} {_OFFSETS}", _YES),
    ("", f"{_OFFSETS} {_SEND}", _YES),
    ("", f"{_SEND} {_NEXT} {_OFFSETS}", _SEPARATE),
    ("", f"{_OFFSETS} {_NEXT} {_SEND}", _SEPARATE),
    ("void all(ConsumerRecords<String, String> rs) { for (var r : rs) { p.send(f(r)); } }",
     f"all(rs); {_OFFSETS}", _YES),
])  # fmt: skip
def test_offsets_of_java_programs(tmp_path: Path, helper: str, body: str, expected: str) -> None:
    text = _JAVA.format(helper=helper, body=body)
    code = 0 if expected == _YES else 2
    assert_file(tmp_path / "A.java", text, "--want exactly-once", _STATED, code, expected)


@pytest.mark.parametrize(("helper", "body", "expected"), [
    ("", f"{_PRODUCE}\n    {_SENT}", _YES),
    ("", f"{_PRODUCE}\n    {_THEN}\n    {_SENT}", _SEPARATE),
    ("", f"{_SENT}\n    {_THEN}\n    {_PRODUCE}", _SEPARATE),
    ("def all_of(ms):\n    for m in ms: p.produce('o', m.value())", f"all_of(ms)\n    {_SENT}",
     _YES),
])  # fmt: skip
def test_offsets_of_python_programs(tmp_path: Path, helper: str, body: str, expected: str) -> None:
    text = _PYTHON.format(helper=helper, body=body)
    code = 0 if expected == _YES else 2
    assert_file(tmp_path / "a.py", text, "--want exactly-once", _STATED, code, expected)
