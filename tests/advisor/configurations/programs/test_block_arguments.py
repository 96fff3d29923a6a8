"""Functions that catch the errors of a block that they receive, and handlers of Scala's library.

Sources: scala.util.control.Exception (`ignoring`, `catching`, `nonFatalCatch`); Kotlin, Result
(`recoverCatching`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs.python import LOOP as PYTHON_LOOP
from tests.advisor.programs.python import READER as PYTHON_READER

_LOGS = "fun quietly(block: () -> Unit) { try { block() } catch (e: Exception) { log.warn(e) } }"
_THROWS = _LOGS.replace("log.warn(e)", "log.warn(e); throw e")
_NULL = "inline fun <T> quietly(block: () -> T): T? = try { block() } catch (e: Exception) { null }"
_RESULT = "inline fun <T> quietly(block: () -> T): T? = runCatching(block).getOrNull()"
_RETRIES = (
    "fun quietly(block: () -> Unit) { while (true) { try { block(); break }"
    " catch (e: Exception) { log.warn(e) } } }"
)
_TIMED = "fun <T> quietly(block: () -> T): T = try { block() } finally { log.info(1) }"
_CALLS = "for (r in rs) { quietly { save(r) } }"
_SCALA_LOOP = "for (r <- rs.asScala) {\n%s\n}\nc.commitSync()"
_BY_NAME = (
    "def quietly[T](block: => T): Option[T] =\ntry {\nSome(block)\n} catch {\n"
    "case NonFatal(e) =>\nlog.warn(e)\nNone\n}\n"
)
_HANDLER = "val tells: PartialFunction[Throwable, Unit] = { case NonFatal(e) => log.error(e) }\n"


@pytest.mark.parametrize(("loop", "declarations", "expected"), [
    (_CALLS, _LOGS, SKIP),
    ("for (r in rs) quietly { save(r) }", _LOGS, SKIP),
    (_CALLS, _THROWS, YES),
    (_CALLS, _NULL, SKIP),
    (_CALLS, _RESULT, SKIP),
    (_CALLS, _RETRIES, YES),
    ("for (r in rs) { val x = quietly { save(r) }\nnext(x) }", _TIMED, YES),
    ("for (r in rs) runCatching { save(r) }.recoverCatching { log.warn(it) }.getOrThrow()", "",
     SKIP),
    ("for (r in rs) { try { save(r) } catch (e: Exception) { null } }", "", SKIP),
])  # fmt: skip
def test_a_kotlin_function_that_swallows_the_errors_of_a_block_is_reported(
    tmp_path: Path, loop: str, declarations: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{loop}\nc.commitSync()", declarations), expected)


@pytest.mark.parametrize(("body", "declarations", "expected"), [
    ("quietly {\nsave(r)\n}", _BY_NAME, SKIP),
    ("quietly(save(r))", _BY_NAME, SKIP),
    ("quietly(save(r))", _BY_NAME.replace("None", "throw e"), YES),
    ("ignoring(classOf[IOException]) { save(r) }", "", SKIP),
    ("catching(classOf[IOException]).opt(save(r))", "", SKIP),
    ("nonFatalCatch.either(save(r))", "", SKIP),
    ("try { save(r) } catch tells", _HANDLER, SKIP),
    ("Try(save(r)).recoverWith { case e: IOException => Try(letters.send(r).get()) }.get", "", YES),
    ("try { save(r) } catch tells", _HANDLER.replace("log.error(e)", "throw e"), YES),
])  # fmt: skip
def test_a_scala_function_that_swallows_the_errors_of_a_block_is_reported(
    tmp_path: Path, body: str, declarations: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (_SCALA_LOOP % body, declarations), expected)


@pytest.mark.parametrize(("acquires", "expected"), [
    ("if (lock.tryLock())", SKIP), ("lock.lock();", YES),
])  # fmt: skip
def test_records_that_a_lock_refuses_are_reported(
    tmp_path: Path, acquires: str, expected: str
) -> None:
    loop = f"for (R r : rs) {{ {acquires} {{ try {{ save(r); }} finally {{ lock.unlock(); }} }} }}"
    assert_program(tmp_path / "A.java", READER % (LOOP % f"{loop} c.commitSync();"), expected)


@pytest.mark.parametrize(("call", "parameters", "body", "expected"), [
    ("attempt(lambda: save(m))", "f", "f()", SKIP),
    ("attempt(partial(save, m))", "f", "f()", SKIP),
    ("attempt(save, m)", "f, *args", "f(*args)", SKIP),
    ("attempt(lambda: save(m))", "f", "f()\n    raise", YES),
])  # fmt: skip
def test_a_python_function_that_swallows_the_errors_of_its_argument_is_reported(
    tmp_path: Path, call: str, parameters: str, body: str, expected: str
) -> None:
    handler = body.partition("\n")[2].strip() or "log.error(e)"
    function = f"def attempt({parameters}):\n    try:\n        {body.partition(chr(10))[0]}\n"
    function += f"    except Exception as e:\n        {handler}\n"
    code = f"{PYTHON_READER}{function}{PYTHON_LOOP}    {call}\n    c.commit(m)\n"
    assert_program(tmp_path / "a.py", code, expected)
