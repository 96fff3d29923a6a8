"""Callbacks that only keep an error of a send: whether anything checks it before the commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import IGNORED, YES, assert_program
from tests.advisor.programs.jvm import LOOP, READER

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
        ("errors.append(err)", "sent", "if len(errors) > 0: raise errors[0]", YES),
        ("errors.append(err)", "sent", "log.error(errors)", IGNORED),
        (
            "late.append(msg)",
            "sent",
            "for m in late: k.produce('out', m.value(), callback=sent)\n    k.flush()",
            YES,
        ),
        ("k.produce('out', msg.value(), on_delivery=sent)", "sent", "pass", YES),
        ("raise err", "sent", "pass", YES),
    ],
)
def test_an_error_that_a_python_callback_keeps_must_be_checked(
    tmp_path: Path, keeps: str, callback: str, check: str, expected: str
) -> None:
    code = _PYTHON.format(keeps=keeps, callback=callback, asks=check)
    assert_program(tmp_path / "a.py", code, expected)
