"""Callbacks that keep errors in an object of another file, sends through an alias, and commits
inside a chain or between two steps of the processing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs import BEFORE, IGNORED, YES, assert_program

_PRODUCER = "KafkaProducer<String, String> k = new KafkaProducer<>(p);\n"
_SENDS = "for (var r : rs) k.send(record(r), (m, e) -> {{ if (e != null) {}; }});\nk.flush();"
_PYTHON = """from confluent_kafka import Consumer, Producer
c = Consumer({{"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"}})
k = Producer({{"acks": "all"}})
def sent(err, msg):
    if err:
        {keeps}
while True:
    ms = c.consume(10, 1.0)
    for m in ms:
        k.produce("out", m.value(), on_delivery={callback})
    k.flush()
    {asks}
    c.commit(asynchronous=False)
"""


@pytest.mark.parametrize(
    ("keeps", "check", "expected"),
    [
        ("state.error = e", "", IGNORED),
        ("failed.set(true)", "", IGNORED),
        ("this.stats.failed++", 'log.warn("{} failed", stats.failed);', IGNORED),
        ("failed.set(true)", "if (failed.get()) throw new E();", YES),
        ("state.error = e", "if (state.error != null) throw state.error;", YES),
        ("error = e", "throwIfFailed();", YES),
        ("state.fail(e)", "state.check();", YES),
    ],
)
def test_an_error_that_a_java_callback_keeps_must_be_checked(
    tmp_path: Path, keeps: str, check: str, expected: str
) -> None:
    code = READER % (_PRODUCER + LOOP % f"{_SENDS.format(keeps)}\n{check}\nc.commitSync();")
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize(
    ("keeps", "callback", "check", "expected"),
    [
        ("state.error = err", "sent", "pass", IGNORED),
        ("errors.append(err)", "sent", "pass", IGNORED),
        ("pass", "lambda e, m: errors.append(e) if e else None", "pass", IGNORED),
        ("pass", "lambda e, m: e and errors.append(e)", "pass", IGNORED),
        ("state.error = err", "sent", "if state.error: raise state.error", YES),
        ("errors.append(err)", "sent", "throw_if_failed()", YES),
    ],
)
def test_an_error_that_a_python_callback_keeps_must_be_checked(
    tmp_path: Path, keeps: str, callback: str, check: str, expected: str
) -> None:
    code = _PYTHON.format(keeps=keeps, callback=callback, asks=check)
    assert_program(tmp_path / "a.py", code, expected)


_FUNCTION = "Function<ProducerRecord<String, String>, Future<RecordMetadata>> f = k::send;\n"


@pytest.mark.parametrize(
    ("name", "setup", "loop", "expected"),
    [
        ("A.java", f"{_PRODUCER}{_FUNCTION}", "for (var r : rs) f.apply(record(r)).get();", YES),
        ("A.java", f"{_PRODUCER}{_FUNCTION}", "for (var r : rs) f.apply(record(r));", IGNORED),
        ("A.scala", "val f = k.send _\n", "for (r <- rs.asScala) f(record(r))", IGNORED),
        ("A.scala", "val f = k.send _\n", "for (r <- rs.asScala) f(record(r)).get()", YES),
        ("A.scala", "val f: R => F = r => k.send(r)\n", "for (r <- rs.asScala) f(record(r))",
         IGNORED),
    ],
)  # fmt: skip
def test_a_send_is_followed_through_an_alias(
    tmp_path: Path, name: str, setup: str, loop: str, expected: str
) -> None:
    loop += "\nk.flush();\nc.commitSync();"
    if name == "A.java":
        code = READER % (setup + LOOP % loop)
    else:
        setup = f"val k = new KafkaProducer[String, String](p)\n{setup}"
        code = (SCALA % (loop, "")).replace("while (true)", f"{setup}while (true)")
    assert_program(tmp_path / name, code, expected)


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("rs.map { parse(it) }.also { c.commitSync() }.forEach { save(it) }", BEFORE),
        ("rs.filter { it.value() != null }.apply { c.commitSync() }.forEach { save(it) }", BEFORE),
        ("rs.toList().also { c.commitSync() }.forEach { save(it) }", BEFORE),
        ("val all = rs.map { parse(it) }.also { c.commitSync() }.map { save(it) }", BEFORE),
        ("rs.onEach { handle(it) }.also { c.commitSync() }.forEach { save(it) }", BEFORE),
        ("rs.asSequence().onEach { save(it) }.also { c.commitSync() }.forEach { log.info(it) }",
         BEFORE),
        ("rs.onEach { save(it) }.also { c.commitSync() }.forEach { log.info(it) }", YES),
        ("rs.onEach { save(it) }.also { c.commitSync() }", YES),
        ("rs.forEach { save(it) }\nc.commitSync()\nrs.forEach { mail(it) }", BEFORE),
        ("rs.forEach { save(it) }\nc.commitSync()\nprogress.add(rs.count())", YES),
    ],
)  # fmt: skip
def test_a_commit_between_two_steps_of_the_processing_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)
