"""Constants that a Java program imports.

A local variable of the same name shadows them only in its own method (JLS 6.4, Shadowing).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import C, assert_files

SENDER = """import org.apache.kafka.clients.producer.*;
import static com.acme.Defaults.ACKS;
import java.util.Properties;
class Sender {
  void other() {
    %s
  }
  void send() throws Exception {
    Properties p = new Properties();
    p.put("bootstrap.servers", "k:9092");
    p.put("acks", ACKS);
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(p)) {
      producer.send(new ProducerRecord<>("t", "v")).get();
    }
  }
}
"""
LOCAL = 'final String ACKS = "all"; System.out.println(ACKS);'
CLASS = 'package com.acme;\npublic class Defaults {\n  public static final String ACKS = "1";\n}\n'
INTERFACE = 'package com.acme;\npublic interface Defaults {\n  String ACKS = "1";\n}\n'
ACKS_ONE = "acks: 1 -> all"


@pytest.mark.parametrize(("files", "exit_code", "expected"), [
    ({"Sender.java": SENDER % LOCAL}, 2, "Sender.java:11: acks is not a plain value here"),
    ({"Sender.java": SENDER % LOCAL, "Defaults.java": CLASS}, 1, ACKS_ONE),
    ({"Sender.java": SENDER % "", "Defaults.java": INTERFACE}, 1, ACKS_ONE),
    ({"Sender.java": SENDER % "", "Defaults.java": CLASS.replace('"1"', '"all"')}, 0, "YES"),
    # the name inside a string is not a constant
    ({"Sender.java": SENDER % 'System.out.println("static ACKS = 1");', "Defaults.java":
      CLASS.replace('"1"', '"all"')}, 0, "YES"),
    ({"Sender.java": SENDER % 'System.out.println("static ACKS = 1");', "Defaults.java": CLASS}, 1,
     ACKS_ONE),
])  # fmt: skip
def test_the_value_of_an_imported_constant_is_read(
    tmp_path: Path, files: dict[str, str], exit_code: int, expected: str
) -> None:
    assert_files(tmp_path, files, C, exit_code, expected)
