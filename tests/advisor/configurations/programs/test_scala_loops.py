"""Loops of Scala, which are played as those of Java are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import SCALA
from tests.advisor.programs import BEFORE, IGNORED, SKIP, YES, assert_program

_EACH = "for (r <- rs.asScala) {{\n{}\n}}\nc.commitSync()"
_CAUGHT = "try {{ save(r) }} catch {{\ncase e: IOException => throw e\ncase NonFatal(e) => {} }}"
_TRIED = (
    "def tried(r: R): Boolean =\ntry {\nsave(r)\ntrue\n} catch {\ncase e: Exception => false\n}"
)
_AGAIN = (
    "var n = 0\nvar done = false\nwhile (!done && n < 3) {{\nn += 1\ntry {{ save(r); done = true }}"
    " catch {{ case e: Exception =>\nlog.warn(e)\n{} }}\n}}"
)


@pytest.mark.parametrize(
    ("loop", "more", "expected"),
    [
        (_EACH.format(_CAUGHT.format("log.error(e)")), "", SKIP),
        (_EACH.format(_CAUGHT.format("throw e")), "", YES),
        (f"var ok = true\n{_EACH.format(_CAUGHT.format('ok = false'))}", "", SKIP),
        (f"var ok = true\n{_EACH.format(_CAUGHT.format('ok = false'))}".replace(
            "c.commit", "if (!ok) throw new E()\nc.commit"), "", YES),
        (_EACH.format("try save(r)\ncatch { case e: Exception => log.error(e) }"), "", SKIP),
        (_EACH.format("Try(save(r)) match {\ncase Success(_) => ()\ncase Failure(e) => throw e\n}"),
         "", YES),
        (_EACH.format("Try(save(r)) match {\ncase Success(v) => next(v)\ncase Failure(e) => throw e"
                      "\n}"), "", YES),
        (_EACH.format("Try(save(r)) match {\ncase Success(v) => log.info(v)\ncase Failure(e) => "
                      "log.error(e)\n}"), "", SKIP),
        (_EACH.format("Try(save(r)).recover { case e => log.error(e) }"), "", SKIP),
        (_EACH.format("Try(save(r)).failed.foreach { e => log.error(e) }"), "", SKIP),
        (_EACH.format("Try(save(r)).get"), "", YES),
        (f"breakable {{\n{_EACH.format('if (!tried(r)) break()')}\n}}", _TRIED, SKIP),
        (_EACH.format("if (!tried(r)) break()").replace("for", "breakable {\nfor").replace(
            "\n}\nc", "\n}\n}\nc"), _TRIED, SKIP),
        (_EACH.format(_AGAIN.format("if (n == 3) throw e")), "", YES),
        (_EACH.format(_AGAIN.format("")), "", SKIP),
        ("c.commitSync\nrs.asScala.foreach(r => save(r))", "", BEFORE),
        ("rs.forEach { r =>\nsave(r)\nc.commitSync\n}", "", BEFORE),
        ("rs.asScala.foreach(r => save(r))\nc.commitSync", "", YES),
    ],
)  # fmt: skip
def test_what_a_loop_of_scala_does(tmp_path: Path, loop: str, more: str, expected: str) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (loop, more), expected)


@pytest.mark.parametrize(
    ("does", "expected"),
    [("log.error(e)", IGNORED), ("error = e", IGNORED), ("sys.exit(1)", YES)],
)
def test_a_method_of_scala_that_a_send_calls_back(tmp_path: Path, does: str, expected: str) -> None:
    sent = (
        f"def sent(m: RecordMetadata, e: Exception): Unit = {{\nif (e != null) {{ {does} }}\n}}\n"
    )
    loop = "for (r <- rs.asScala) k.send(record(r), sent _)\nk.flush()\nc.commitSync()"
    code = (SCALA % (loop, sent)).replace(
        "while (true)", "val k = new KafkaProducer[String, String](p)\nwhile (true)"
    )
    assert_program(tmp_path / "A.scala", code, expected)
