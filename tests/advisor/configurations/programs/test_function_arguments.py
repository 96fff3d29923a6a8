"""Methods that receive a function for errors, and functions that return functions.

Sources: java.util.function; Kotlin, higher-order functions; The Python Language Reference, 4.2.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs.python import LOOP as PYTHON_LOOP
from tests.advisor.programs.python import READER as PYTHON_READER

_TRY_SAVE = "try { save(x); } catch (Exception e) { onError.accept(%s); }"
_CONSUMER = f"static void attempt(R x, Consumer<Exception> onError) {{ {_TRY_SAVE % 'e'} }}"
_BICONSUMER = (
    f"static void attempt(R x, BiConsumer<R, Exception> onError) {{ {_TRY_SAVE % 'x, e'} }}"
)
_RUNNABLE = (
    "static void attempt(Runnable f, Consumer<Exception> onError) "
    "{ try { f.run(); } catch (Exception e) { onError.accept(e); } }"
)
_INTERFACE = (
    "interface OnError { void on(Exception e); } "
    "static void attempt(R x, OnError onError) "
    "{ try { save(x); } catch (Exception e) { onError.on(e); } }"
)
_RETRIES = (
    "static void tries(Runnable f, int n) { int i = 0; while (true) { try { f.run(); return; } "
    "catch (Exception e) { if (++i >= n) { %s } } } }"
)
_FORWARDS = f"{_CONSUMER} void outer(R r, Consumer<Exception> f) {{ attempt(r, f); }}"
_RETURNS = "Consumer<R> all() { Consumer<R> h = r -> { %s }; return h; }"
_ACK = "Runnable ack() { Runnable a = () -> c.commitSync(); return a; }"
_SAVES = "try { save(r); } catch (Exception e) { %s }"
_KOTLIN = (
    "fun attempt(x: R, onError: (Exception) -> Unit = { log.warn(it) }) "
    "{ try { save(x) } catch (e: Exception) { onError(e) } }"
)
_KOTLIN_INTERFACE = (
    "fun interface OnError { fun on(e: Exception) }\n"
    "fun attempt(x: R, onError: OnError) "
    "{ try { save(x) } catch (e: Exception) { onError.on(e) } }"
)
_LOCAL = "fun all(): (R) -> Unit { fun inner(r: R) { %s }\nreturn ::inner }"
_RETRY = (
    "fun again(n: Int, block: () -> Unit) { repeat(n) { try { block(); return }"
    " catch (e: Exception) { log.warn(e) } }; throw E() }"
)
_LAST_THROWS = (
    "fun <T> again(n: Int, block: () -> T): T { repeat(n - 1) { try { return block() }"
    " catch (e: Exception) { log.warn(e) } }; return block() }"
)
_SCALA = (
    "def attempt(x: R%sonError: Throwable => Unit): Unit = "
    "try save(x) catch { case NonFatal(e) => onError(e) }\n"
)
_SAFELY = (
    "def safely(name: String)(f: => Unit): Unit =\ntry f\ncatch {\n"
    "case NonFatal(e) =>\nlog.warn(name)\n%s\n}\n"
)
_SCALA_LOCAL = (
    "def all(): R => Unit = {\ndef inner(r: R): Unit = try save(r) "
    "catch { case e: Exception => %s }\ninner\n}\n"
)
_PYTHON = (
    "def attempt(m, on_error=log.error):\n    try:\n        save(m)\n"
    "    except Exception as e:\n        on_error(e)\n"
)
_FACTORY = (
    "def make(db):\n    def inner(m):\n        try:\n            db.save(m)\n"
    "        except Exception as e:\n            log.error(e)\n%s    return inner\n"
)
_HANDLE = (
    "def handle(db, m):\n    try:\n        db.save(m)\n    except Exception as e:\n        %s\n"
)
_WRAPPER = _FACTORY.replace("make(db)", "of(f)").replace("db.save", "f") % ""
_COMMITS = "def ack(c):\n    def inner():\n        c.commit()\n    return inner\n"


@pytest.mark.parametrize(("body", "declarations", "expected"), [
    ("attempt(r, e -> log.error(e));", _CONSUMER, SKIP),
    ("attempt(r, log::error);", _CONSUMER, SKIP),
    ("attempt(r, e -> letters.send(r));", _CONSUMER, YES),
    ("attempt(r, e -> { throw new E(e); });", _CONSUMER, YES),
    ("attempt(r, (x, e) -> log.error(e));", _BICONSUMER, SKIP),
    ("attempt(r, e -> log.error(e));", _INTERFACE, SKIP),
    ("attempt(r, log::error);", _INTERFACE, SKIP),
    ("attempt(r, e -> letters.send(r));", _INTERFACE, YES),
    ("attempt(r, e -> { throw new E(e); });", _INTERFACE, YES),
    ("attempt(() -> save(r), e -> log.error(e));", _RUNNABLE, SKIP),
    ("attempt(() -> save(r), e -> letters.send(r));", _RUNNABLE, YES),
    ("outer(r, e -> log.error(e));", _FORWARDS, SKIP),
    ("outer(r, e -> letters.send(r));", _FORWARDS, YES),
    ("tries(() -> save(r), 3);", _RETRIES % "log.error(e); return;", SKIP),
    ("tries(() -> save(r), 3);", _RETRIES % "throw e;", YES),
    ("all().accept(r);", _RETURNS % _SAVES % "log.error(e);", SKIP),
    ("all().accept(r);", _RETURNS % _SAVES % "throw e;", YES),
    ("ack().run(); save(r);", _ACK, BEFORE),
])  # fmt: skip
def test_java_function_arguments_are_followed(
    tmp_path: Path, body: str, declarations: str, expected: str
) -> None:
    loop = LOOP % f"for (R r : rs) {{ {body} }} c.commitSync();"
    code = (READER % loop).removesuffix("}\n") + f"{declarations}\n}}\n"
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize(("body", "declarations", "expected"), [
    ("attempt(r) { e -> log.error(e) }", _KOTLIN, SKIP),
    ("attempt(r)", _KOTLIN, SKIP),
    ("attempt(r, onError = { log.error(it) })", _KOTLIN, SKIP),
    ("attempt(r, log::error)", _KOTLIN, SKIP),
    ("attempt(r) { letters.send(r) }", _KOTLIN, YES),
    ("attempt(r) { throw it }", _KOTLIN, YES),
    ("attempt(r) { log.error(it) }", _KOTLIN_INTERFACE, SKIP),
    ("attempt(r) { letters.send(r) }", _KOTLIN_INTERFACE, YES),
    ("all()(r)", _LOCAL % _SAVES % "log.error(e)", SKIP),
    ("all()(r)", _LOCAL % _SAVES % "throw e", YES),
    ("again(3) { save(r) }", _RETRY, YES),
    ("again(3) { save(r) }", _LAST_THROWS, YES),
])  # fmt: skip
def test_kotlin_function_arguments_are_followed(
    tmp_path: Path, body: str, declarations: str, expected: str
) -> None:
    code = KOTLIN % (f"for (r in rs) {{ {body} }}\nc.commitSync()", declarations)
    assert_program(tmp_path / "A.kt", code, expected)


@pytest.mark.parametrize(("body", "declarations", "expected"), [
    ("attempt(r, e => log.error(e))", _SCALA % ", ", SKIP),
    ("attempt(r)(e => log.error(e))", _SCALA % ")(", SKIP),
    ("attempt(r) { e => log.error(e) }", _SCALA % ")(", SKIP),
    ("attempt(r, log.error(_))", _SCALA % ", ", SKIP),
    ("attempt(r, e => letters.send(r).get())", _SCALA % ", ", YES),
    ('safely("save")(save(r))', _SAFELY % "log.error(e)", SKIP),
    ('safely("save")(save(r))', _SAFELY % "throw e", YES),
    ("all()(r)", _SCALA_LOCAL % "log.error(e)", SKIP),
    ("all()(r)", _SCALA_LOCAL % "throw e", YES),
])  # fmt: skip
def test_scala_function_arguments_are_followed(
    tmp_path: Path, body: str, declarations: str, expected: str
) -> None:
    code = SCALA % (f"for (r <- rs.asScala) {body}\nc.commitSync()", declarations)
    assert_program(tmp_path / "A.scala", code, expected)


@pytest.mark.parametrize(("body", "declarations", "expected"), [
    ("attempt(m, on_error=log.error)", _PYTHON, SKIP),
    ("attempt(m, log.error)", _PYTHON, SKIP),
    ("attempt(m)", _PYTHON, SKIP),
    ("attempt(m, lambda e: log.error(e))", _PYTHON, SKIP),
    ("attempt(m, lambda e: letters.send(m))", _PYTHON, YES),
    ("attempt(m, park)", _PYTHON, YES),
    ("make(db)(m)", _FACTORY % "", SKIP),
    ("make(db)(m)", _FACTORY % "            raise\n", YES),
    ("h = make(db)\n    h(m)", _FACTORY % "", SKIP),
    ("handle(m)", f"{_FACTORY % ''}handle = make(db)\n", SKIP),
    ("of(save)(m)", _WRAPPER, SKIP),
    ("handle(m)", f"{_WRAPPER}handle = of(save)\n", SKIP),
    ("partial(handle, db)(m)", _HANDLE % "log.error(e)", SKIP),
    ("partial(handle, db)(m)", _HANDLE % "raise", YES),
    ("h(m)", f"{_HANDLE % 'log.error(e)'}h = functools.partial(handle, db)\n", SKIP),
    ("ack(c)()\n    save(m)", _COMMITS, BEFORE),
    ("ack(c)()\n    save(m)", "def ack(c):\n    return lambda: c.commit()\n", BEFORE),
    ("save(m)\n    ack(c)()", _COMMITS, YES),
])  # fmt: skip
def test_python_function_arguments_are_followed(
    tmp_path: Path, body: str, declarations: str, expected: str
) -> None:
    code = f"{PYTHON_READER}{declarations}{PYTHON_LOOP}    {body}\n    c.commit(m)\n"
    assert_program(tmp_path / "a.py", code, expected)
