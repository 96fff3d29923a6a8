"""Programs in several files: the given files are read together, and assumptions cover the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import (
    JAVA,
    TOPIC,
    assert_answer,
    assert_files,
    write_files,
)
from tests.advisor.programs import BEFORE, IGNORED, SKIP, YES
from tests.advisor.programs.jvm import LOOP, WITH_METHOD

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
    ("sender", "exit_code", "expected"),
    [
        (_SENDER % "", 1, IGNORED),
        (_SENDER % ".get()", 0, "^YES, if the program does what is assumed"),
        ("", 0, "^YES, if the program does what is assumed"),
    ],
)
def test_a_class_that_receives_a_client_is_read_with_the_program(
    tmp_path: Path, sender: str, exit_code: int, expected: str
) -> None:
    files = {"Sender.java": sender, "Main.java": _MAIN} if sender else {"Main.java": _MAIN}
    assert_files(tmp_path, files, JAVA, exit_code, expected)


_CALLER = WITH_METHOD % (
    LOOP % "for (var r : rs) handler.handle(r);\nc.commitSync();",
    "final Handler handler;",
)
_HANDLER = "class %s {\n  void handle(ConsumerRecord<String, String> r) {\n    %s\n  }\n}\n"
_LOGS = 'try { db.insert(r.value()); } catch (Exception e) { log.error("x", e); }'
_DELEGATES = "store.handle(r);"
_INTERFACE = "interface Handler { void handle(ConsumerRecord<String, String> r); }\n"
_RABBIT = WITH_METHOD % (
    LOOP % "for (var r : rs) rabbitTemplate.convertAndSend(r.value());\nc.commitSync();",
    "",
)
_TRANSACTED = """@Configuration class Beans {
  @Bean RabbitTemplate template(ConnectionFactory f) {
    RabbitTemplate made = new RabbitTemplate(f);
    made.setChannelTransacted(true);
    return made;
  }
}
"""
_APP = """from confluent_kafka import Consumer
%s
c = Consumer({"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"})
c.subscribe(["t"])
%s:
    m = c.poll(1.0)
    if m is None or m.error():
        continue
    %s
    c.commit(m)
"""
_SAVES = "def handle(m):\n    db.save(m.value())\n"
_DROPS = (
    "def handle(m):\n    try:\n        db.save(m.value())\n    except Exception:\n"
    "        log.exception('x')\n"
)
_ENDLESS = "while True"
_LOOP = "def run(handle):\n  while True"


def _app(imports: str, processing: str) -> str:
    return _APP % (imports, _ENDLESS, processing)


@pytest.mark.parametrize("reverse_order", [False, True])
@pytest.mark.parametrize(("files", "expected"), [
    ({"A.java": _CALLER, "Handler.java": _HANDLER % ("Handler", _LOGS)}, SKIP),
    ({"A.java": _CALLER, "Handler.java": _HANDLER % ("Handler", "db.insert(r.value());")}, YES),
    # a class that the handler uses, and implementations of its interface
    ({"A.java": _CALLER, "Handler.java": _HANDLER % ("Handler", "Store store; " + _DELEGATES),
      "Store.java": _HANDLER % ("Store", _LOGS)}, SKIP),
    ({"A.java": _CALLER, "Handler.java": _INTERFACE,
      "Rows.java": _HANDLER % ("Rows implements Handler", _LOGS)}, SKIP),
    ({"A.java": _CALLER, "Handler.java": _INTERFACE,
      "Rows.java": _HANDLER % ("Rows implements Handler", "db.insert(r.value());")}, YES),
    # the class that starts the program, and the class that builds an object for it
    ({"A.java": _CALLER, "Main.java": "class Main { void main() { new A(new Rows()).run(); } }",
      "Rows.java": _HANDLER % ("Rows", _LOGS)}, SKIP),
    ({"A.java": _RABBIT + "// RabbitTemplate\nclass Own { RabbitTemplate rabbitTemplate; }",
      "Beans.java": _TRANSACTED}, YES),
    # modules that a Python program imports
    ({"app.py": _app("from rows import handle", "handle(m)"), "rows.py": _DROPS}, SKIP),
    ({"app.py": _app("from rows import handle", "handle(m)"), "rows.py": _SAVES}, YES),
    ({"app.py": _app("import app.rows as r", "r.handle(m)"), "rows.py": _DROPS}, SKIP),
    ({"app.py": _app("from . import rows", "rows.handle(m)"), "rows.py": _DROPS}, SKIP),
    ({"app.py": _app("from rows import handle as do", "do(m)"), "rows.py": _DROPS}, SKIP),
    ({"app.py": _app("from rows import *", "handle(c, m)"),
      "rows.py": "def handle(c, m):\n    c.commit(m)\n    save(m)\n"}, BEFORE),
    ({"app.py": _app("from rows import handle", "handle(m)"),
      "rows.py": "from store import keep\ndef handle(m):\n    keep(m)\n",
      "store.py": _DROPS.replace("handle", "keep")}, SKIP),
    ({"main.py": "from reader import run\nfrom rows import handle\nrun(handle)\n",
      "reader.py": _APP % ("", _LOOP, "handle(m)"), "rows.py": _DROPS}, SKIP),
])  # fmt: skip
def test_code_in_other_files_is_read_with_the_program(
    tmp_path: Path, files: dict[str, str], expected: str, reverse_order: bool
) -> None:
    write_files(tmp_path, files)
    paths = " ".join(str(tmp_path / name) for name in sorted(files, reverse=reverse_order))
    settings = f"{TOPIC} application.restart=resumes"
    assert_answer(paths, settings, 0 if expected == YES else 1, expected)


def test_a_file_that_no_program_refers_to_is_not_read(tmp_path: Path) -> None:
    write_files(tmp_path, {"A.java": _CALLER, "Other.java": _HANDLER % ("Other", _LOGS)})
    paths = f"{tmp_path / 'A.java'} {tmp_path / 'Other.java'}"
    assert_answer(paths, TOPIC, 2, "Other.java: Nothing here looks like a file")
