"""Functions that are passed along with a record, and are called with its error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA, WITH_METHOD

_LISTENER = "new Listener() { public void done() {} public void onError(Exception e) { %s } }"


@pytest.mark.parametrize(("call", "expected"), [
    ('processor.process(r, e -> log.error("failed", e));', SKIP),
    ("handler.handle(r, e -> { log.error(1, e); });", SKIP),
    ("handler.handle(r, log::error);", SKIP),
    ("handler.handle(r, (v, e) -> { if (e != null) log.error(e); });", SKIP),
    ("handler.handle(r, v -> log.info(v), e -> log.error(e));", SKIP),
    (f"handler.handle(r, {_LISTENER % 'log.error(e);'});", SKIP),
    (f"handler.handle(r, {_LISTENER % 'throw e;'});", YES),
    ("handler.handle(r, e -> letters.send(r, e));", YES),
    ("handler.handle(r, e -> { log.error(e); letters.send(r, e); });", YES),
    ("handler.handle(r, (v, e) -> { if (e != null) { throw new E(e); } });", YES),
    ("handler.handle(r, v -> log.info(v));", YES),
    ("handler.handle(r, () -> log.info(1));", YES),
    ("handler.handle(r, this::save);", YES),
    ("store.save(r, o -> o.error());", YES),
])  # fmt: skip
def test_a_java_error_callback_that_only_logs_is_reported(
    tmp_path: Path, call: str, expected: str
) -> None:
    loop = LOOP % f"for (var r : rs) {{ {call} }} c.commitSync();"
    assert_program(tmp_path / "A.java", READER % loop, expected)


@pytest.mark.parametrize(("call", "expected"), [
    ("handler.handle(r) { e -> log.error(e) }", SKIP),
    ("handler.handle(r) { log.error(it) }", SKIP),
    ("handler.handle(r, onError = { log.info(it) })", SKIP),
    ("handler.handle(r, onError = { throw it })", YES),
    ("handler.handle(r) { done -> log.info(done) }", YES),
    ("transaction { save(r) }", YES),
])  # fmt: skip
def test_a_kotlin_error_callback_that_only_logs_is_reported(
    tmp_path: Path, call: str, expected: str
) -> None:
    loop = f"for (r in rs) {{\n{call}\n}}\nc.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)


@pytest.mark.parametrize(("call", "expected"), [
    ("handler.handle(r)(e => log.error(e))", SKIP),
    ("handler.handle(r) { e => log.error(e) }", SKIP),
    ("handler.handle(r, onError = e => log.error(e))", SKIP),
    ("handler.handle(r)(e => throw e)", YES),
    ("handler.handle(r)(v => log.info(v))", YES),
])  # fmt: skip
def test_a_scala_error_callback_that_only_logs_is_reported(
    tmp_path: Path, call: str, expected: str
) -> None:
    loop = f"for (r <- rs.asScala) {{\n{call}\n}}\nc.commitSync()"
    assert_program(tmp_path / "A.scala", SCALA % (loop, ""), expected)


_ATTEMPTS = (
    "void tried(R r) { for (int i = 0; i < 3; i++) { try { save(r); return; } catch (Exception e) {"
    " log.warn(e); } } %s }"
)
_GIVE_UP = " void giveUp(R r) { log.error(r); %s }"


@pytest.mark.parametrize(("final_statement", "expected"), [
    ("letters.store(r);", YES),
    ("throw new E();", YES),
    ("log.error(r);", SKIP),
    ("giveUp(r);" , SKIP),
])  # fmt: skip
def test_a_method_that_only_logs_after_its_last_attempt_is_reported(
    tmp_path: Path, final_statement: str, expected: str
) -> None:
    methods = _ATTEMPTS % final_statement + (
        _GIVE_UP % "failures.increment();" if "giveUp" in final_statement else ""
    )
    code = WITH_METHOD % (LOOP % "for (var r : rs) tried(r); c.commitSync();", methods)
    assert_program(tmp_path / "A.java", code, expected)
