"""Loops in Scala are read like loops in Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, IGNORED, SKIP, YES, assert_program
from tests.advisor.programs.jvm import SCALA

_LOOP = "for (r <- rs.asScala) {{\n{}\n}}\nc.commitSync()"
_CATCH = "try {{ save(r) }} catch {{\ncase e: IOException => throw e\ncase NonFatal(e) => {} }}"
_TRIED = (
    "def tried(r: R): Boolean =\ntry {\nsave(r)\ntrue\n} catch {\ncase e: Exception => false\n}"
)
_HANDLED = (
    "def handle(r: R): Unit = {\ntry {\nsave(r)\n} catch {\ncase e: Exception =>\nlog.error(e)\n"
    "throw new IllegalStateException(e)\n}\nc.commitSync(Map.of(new TopicPartition(r.topic, "
    "r.partition), new OffsetAndMetadata(r.offset + 1)))\n}"
)
_RETRIES = (
    "var n = 0\nvar done = false\nwhile (!done && n < 3) {{\nn += 1\ntry {{ save(r); done = true }}"
    " catch {{ case e: Exception =>\nlog.warn(e)\n{} }}\n}}"
)


@pytest.mark.parametrize(
    ("loop", "definitions", "expected"),
    [
        (_LOOP.format(_CATCH.format("log.error(e)")), "", SKIP),
        (_LOOP.format(_CATCH.format("throw e")), "", YES),
        (f"var ok = true\n{_LOOP.format(_CATCH.format('ok = false'))}", "", SKIP),
        (f"var ok = true\n{_LOOP.format(_CATCH.format('ok = false'))}".replace(
            "c.commit", "if (!ok) throw new E()\nc.commit"), "", YES),
        (_LOOP.format("try save(r)\ncatch { case e: Exception => log.error(e) }"), "", SKIP),
        (_LOOP.format("Try(save(r)) match {\ncase Success(_) => ()\ncase Failure(e) => throw e\n}"),
         "", YES),
        (_LOOP.format("Try(save(r)) match {\ncase Success(v) => next(v)\ncase Failure(e) => throw e"
                      "\n}"), "", YES),
        (_LOOP.format("Try(save(r)) match {\ncase Success(v) => log.info(v)\ncase Failure(e) => "
                      "log.error(e)\n}"), "", SKIP),
        (_LOOP.format("Try(save(r)).recover { case e => log.error(e) }"), "", SKIP),
        (_LOOP.format("Try(save(r)).failed.foreach { e => log.error(e) }"), "", SKIP),
        (_LOOP.format("Try(save(r)).get"), "", YES),
        # A handler that rethrows is followed by a statement without a `;`.
        ("c.commitSync()\nfor (r <- rs.asScala) { handle(r) }", _HANDLED, BEFORE),
        ("for (r <- rs.asScala) { handle(r) }", _HANDLED, YES),
        (f"breakable {{\n{_LOOP.format('if (!tried(r)) break()')}\n}}", _TRIED, SKIP),
        (_LOOP.format("if (!tried(r)) break()").replace("for", "breakable {\nfor").replace(
            "\n}\nc", "\n}\n}\nc"), _TRIED, SKIP),
        (_LOOP.format(_RETRIES.format("if (n == 3) throw e")), "", YES),
        (_LOOP.format(_RETRIES.format("")), "", SKIP),
        ("c.commitSync\nrs.asScala.foreach(r => save(r))", "", BEFORE),
        ("rs.forEach { r =>\nsave(r)\nc.commitSync\n}", "", BEFORE),
        ("rs.asScala.foreach(r => save(r))\nc.commitSync", "", YES),
    ],
)  # fmt: skip
def test_swallowed_errors_and_early_commits_in_scala_loops_are_reported(
    tmp_path: Path, loop: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (loop, definitions), expected)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [("log.error(e)", IGNORED), ("error = e", IGNORED), ("sys.exit(1)", YES)],
)
def test_a_scala_method_that_is_a_send_callback_is_followed(
    tmp_path: Path, statements: str, expected: str
) -> None:
    callback = (
        "def sent(m: RecordMetadata, e: Exception): Unit = {\n"
        f"if (e != null) {{ {statements} }}\n}}\n"
    )
    loop = "for (r <- rs.asScala) k.send(record(r), sent _)\nk.flush()\nc.commitSync()"
    code = (SCALA % (loop, callback)).replace(
        "while (true)", "val k = new KafkaProducer[String, String](p)\nwhile (true)"
    )
    assert_program(tmp_path / "A.scala", code, expected)
