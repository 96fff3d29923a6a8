"""Programs that call `send` through a variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import IGNORED, YES, assert_program
from tests.advisor.programs.jvm import LOOP, READER, SCALA

_PRODUCER = "KafkaProducer<String, String> k = new KafkaProducer<>(p);\n"
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
