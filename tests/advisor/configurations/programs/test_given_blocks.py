"""Functions that take the errors of a block that they are given, and handlers of Scala's library.

Sources: scala.util.control.Exception (`ignoring`, `catching`, `nonFatalCatch`); Kotlin, Result
(`recoverCatching`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER, SCALA
from tests.advisor.configurations.programs.test_loops import LOOP as LOOP_OF_PYTHON
from tests.advisor.configurations.programs.test_loops import READER as READER_OF_PYTHON
from tests.advisor.programs import SKIP, YES, assert_program

_LOGS = "fun quietly(block: () -> Unit) { try { block() } catch (e: Exception) { log.warn(e) } }"
_THROWS = _LOGS.replace("log.warn(e)", "log.warn(e); throw e")
_NULL = "inline fun <T> quietly(block: () -> T): T? = try { block() } catch (e: Exception) { null }"
_RESULT = "inline fun <T> quietly(block: () -> T): T? = runCatching(block).getOrNull()"
_AGAIN = (
    "fun quietly(block: () -> Unit) { while (true) { try { block(); break }"
    " catch (e: Exception) { log.warn(e) } } }"
)
_TIMED = "fun <T> quietly(block: () -> T): T = try { block() } finally { log.info(1) }"
_CALLS = "for (r in rs) { quietly { save(r) } }"
_IN_SCALA = "for (r <- rs.asScala) {\n%s\n}\nc.commitSync()"
_BY_NAME = (
    "def quietly[T](block: => T): Option[T] =\ntry {\nSome(block)\n} catch {\n"
    "case NonFatal(e) =>\nlog.warn(e)\nNone\n}\n"
)
_TELLS = "val tells: PartialFunction[Throwable, Unit] = { case NonFatal(e) => log.error(e) }\n"


@pytest.mark.parametrize(("loop", "more", "expected"), [
    (_CALLS, _LOGS, SKIP),
    ("for (r in rs) quietly { save(r) }", _LOGS, SKIP),
    (_CALLS, _THROWS, YES),
    (_CALLS, _NULL, SKIP),
    (_CALLS, _RESULT, SKIP),
    (_CALLS, _AGAIN, YES),
    ("for (r in rs) { val x = quietly { save(r) }\nnext(x) }", _TIMED, YES),
    ("for (r in rs) runCatching { save(r) }.recoverCatching { log.warn(it) }.getOrThrow()", "",
     SKIP),
    ("for (r in rs) { try { save(r) } catch (e: Exception) { null } }", "", SKIP),
])  # fmt: skip
def test_what_kotlin_does_with_a_block(tmp_path: Path, loop: str, more: str, expected: str) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{loop}\nc.commitSync()", more), expected)


@pytest.mark.parametrize(("does", "more", "expected"), [
    ("quietly {\nsave(r)\n}", _BY_NAME, SKIP),
    ("quietly(save(r))", _BY_NAME, SKIP),
    ("quietly(save(r))", _BY_NAME.replace("None", "throw e"), YES),
    ("ignoring(classOf[IOException]) { save(r) }", "", SKIP),
    ("catching(classOf[IOException]).opt(save(r))", "", SKIP),
    ("nonFatalCatch.either(save(r))", "", SKIP),
    ("try { save(r) } catch tells", _TELLS, SKIP),
    ("Try(save(r)).recoverWith { case e: IOException => Try(letters.send(r).get()) }.get", "", YES),
    ("try { save(r) } catch tells", _TELLS.replace("log.error(e)", "throw e"), YES),
])  # fmt: skip
def test_what_scala_does_with_a_block(tmp_path: Path, does: str, more: str, expected: str) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (_IN_SCALA % does, more), expected)


@pytest.mark.parametrize(("asks", "expected"), [
    ("if (lock.tryLock())", SKIP), ("lock.lock();", YES),
])  # fmt: skip
def test_what_a_lock_refuses_that_is_given_back(tmp_path: Path, asks: str, expected: str) -> None:
    does = f"for (R r : rs) {{ {asks} {{ try {{ save(r); }} finally {{ lock.unlock(); }} }} }}"
    assert_program(tmp_path / "A.java", READER % (LOOP % f"{does} c.commitSync();"), expected)


@pytest.mark.parametrize(("call", "of", "does", "expected"), [
    ("attempt(lambda: save(m))", "f", "f()", SKIP),
    ("attempt(partial(save, m))", "f", "f()", SKIP),
    ("attempt(save, m)", "f, *args", "f(*args)", SKIP),
    ("attempt(lambda: save(m))", "f", "f()\n    raise", YES),
])  # fmt: skip
def test_what_python_does_with_a_function(
    tmp_path: Path, call: str, of: str, does: str, expected: str
) -> None:
    handler = does.partition("\n")[2].strip() or "log.error(e)"
    made = f"def attempt({of}):\n    try:\n        {does.partition(chr(10))[0]}\n"
    made += f"    except Exception as e:\n        {handler}\n"
    code = f"{READER_OF_PYTHON}{made}{LOOP_OF_PYTHON}    {call}\n    c.commit(m)\n"
    assert_program(tmp_path / "a.py", code, expected)
