"""Classes of Java beside the program that makes a client: what is given is read with it, and what
is not is assumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA, assert_answer, write_files
from tests.advisor.programs import IGNORED

_MAIN = """import org.apache.kafka.clients.producer.*;
class Main {
  public static void main(String[] args) {
    Properties p = new Properties();
    p.put("acks", "all");
    KafkaProducer<String, String> producer = new KafkaProducer<>(p);
    new Sender(producer).start();
    producer.close();
  }
}
"""
_SENDER = """import org.apache.kafka.clients.producer.*;
class Sender {
  final KafkaProducer<String, String> own;
  Sender(KafkaProducer<String, String> own) { this.own = own; }
  void start() throws Exception { own.send(new ProducerRecord<>("t", "v"))%s; }
}
"""


@pytest.mark.parametrize(
    ("sender", "code", "expected"),
    [
        (_SENDER % "", 1, IGNORED),
        (_SENDER % ".get()", 0, "^YES, if the program does what is assumed"),
        ("", 0, "^YES, if the program does what is assumed"),
    ],
)
def test_a_class_that_is_handed_a_client_is_read_with_the_program(
    tmp_path: Path, sender: str, code: int, expected: str
) -> None:
    files = {"Sender.java": sender, "Main.java": _MAIN} if sender else {"Main.java": _MAIN}
    write_files(tmp_path, files)
    options = " ".join(str(tmp_path / name) for name in files)
    assert_answer(options, JAVA, code, expected)
