"""Methods that are given a function for an error, and functions that a name has to be returned.

Sources: java.util.function; Kotlin, higher-order functions; The Python Language Reference, 4.2.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER, SCALA
from tests.advisor.configurations.programs.test_loops import LOOP as LOOP_OF_PYTHON
from tests.advisor.configurations.programs.test_loops import READER as READER_OF_PYTHON
from tests.advisor.programs import BEFORE, SKIP, YES, assert_program

_TRIES = "try { save(x); } catch (Exception e) { onError.accept(%s); }"
_OF_ERROR = f"static void attempt(R x, Consumer<Exception> onError) {{ {_TRIES % 'e'} }}"
_OF_BOTH = f"static void attempt(R x, BiConsumer<R, Exception> onError) {{ {_TRIES % 'x, e'} }}"
_OF_TWO = (
    "static void attempt(Runnable f, Consumer<Exception> onError) "
    "{ try { f.run(); } catch (Exception e) { onError.accept(e); } }"
)
_OF_INTERFACE = (
    "interface OnError { void on(Exception e); } "
    "static void attempt(R x, OnError onError) "
    "{ try { save(x); } catch (Exception e) { onError.on(e); } }"
)
_OF_RUNS = (
    "static void tries(Runnable f, int n) { int i = 0; while (true) { try { f.run(); return; } "
    "catch (Exception e) { if (++i >= n) { %s } } } }"
)
_HANDED_ON = f"{_OF_ERROR} void outer(R r, Consumer<Exception> f) {{ attempt(r, f); }}"
_NAMED = "Consumer<R> all() { Consumer<R> h = r -> { %s }; return h; }"
_ACK = "Runnable ack() { Runnable a = () -> c.commitSync(); return a; }"
_SAVES = "try { save(r); } catch (Exception e) { %s }"
_IN_KOTLIN = (
    "fun attempt(x: R, onError: (Exception) -> Unit = { log.warn(it) }) "
    "{ try { save(x) } catch (e: Exception) { onError(e) } }"
)
_INTERFACE_IN_KOTLIN = (
    "fun interface OnError { fun on(e: Exception) }\n"
    "fun attempt(x: R, onError: OnError) "
    "{ try { save(x) } catch (e: Exception) { onError.on(e) } }"
)
_LOCAL = "fun all(): (R) -> Unit { fun inner(r: R) { %s }\nreturn ::inner }"
_AGAIN = (
    "fun again(n: Int, block: () -> Unit) { repeat(n) { try { block(); return }"
    " catch (e: Exception) { log.warn(e) } }; throw E() }"
)
_AND_ONCE_MORE = (
    "fun <T> again(n: Int, block: () -> T): T { repeat(n - 1) { try { return block() }"
    " catch (e: Exception) { log.warn(e) } }; return block() }"
)
_IN_SCALA = (
    "def attempt(x: R%sonError: Throwable => Unit): Unit = "
    "try save(x) catch { case NonFatal(e) => onError(e) }\n"
)
_SAFELY = (
    "def safely(name: String)(f: => Unit): Unit =\ntry f\ncatch {\n"
    "case NonFatal(e) =>\nlog.warn(name)\n%s\n}\n"
)
_LOCAL_DEF = (
    "def all(): R => Unit = {\ndef inner(r: R): Unit = try save(r) "
    "catch { case e: Exception => %s }\ninner\n}\n"
)
_IN_PYTHON = (
    "def attempt(m, on_error=log.error):\n    try:\n        save(m)\n"
    "    except Exception as e:\n        on_error(e)\n"
)
_MAKES = (
    "def make(db):\n    def inner(m):\n        try:\n            db.save(m)\n"
    "        except Exception as e:\n            log.error(e)\n%s    return inner\n"
)
_HANDLE = (
    "def handle(db, m):\n    try:\n        db.save(m)\n    except Exception as e:\n        %s\n"
)
_AROUND = _MAKES.replace("make(db)", "of(f)").replace("db.save", "f") % ""
_COMMITS = "def ack(c):\n    def inner():\n        c.commit()\n    return inner\n"


@pytest.mark.parametrize(("does", "more", "expected"), [
    ("attempt(r, e -> log.error(e));", _OF_ERROR, SKIP),
    ("attempt(r, log::error);", _OF_ERROR, SKIP),
    ("attempt(r, e -> letters.send(r));", _OF_ERROR, YES),
    ("attempt(r, e -> { throw new E(e); });", _OF_ERROR, YES),
    ("attempt(r, (x, e) -> log.error(e));", _OF_BOTH, SKIP),
    ("attempt(r, e -> log.error(e));", _OF_INTERFACE, SKIP),
    ("attempt(r, log::error);", _OF_INTERFACE, SKIP),
    ("attempt(r, e -> letters.send(r));", _OF_INTERFACE, YES),
    ("attempt(r, e -> { throw new E(e); });", _OF_INTERFACE, YES),
    ("attempt(() -> save(r), e -> log.error(e));", _OF_TWO, SKIP),
    ("attempt(() -> save(r), e -> letters.send(r));", _OF_TWO, YES),
    ("outer(r, e -> log.error(e));", _HANDED_ON, SKIP),
    ("outer(r, e -> letters.send(r));", _HANDED_ON, YES),
    ("tries(() -> save(r), 3);", _OF_RUNS % "log.error(e); return;", SKIP),
    ("tries(() -> save(r), 3);", _OF_RUNS % "throw e;", YES),
    ("all().accept(r);", _NAMED % _SAVES % "log.error(e);", SKIP),
    ("all().accept(r);", _NAMED % _SAVES % "throw e;", YES),
    ("ack().run(); save(r);", _ACK, BEFORE),
])  # fmt: skip
def test_what_java_is_given(tmp_path: Path, does: str, more: str, expected: str) -> None:
    loop = LOOP % f"for (R r : rs) {{ {does} }} c.commitSync();"
    code = (READER % loop).removesuffix("}\n") + f"{more}\n}}\n"
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize(("does", "more", "expected"), [
    ("attempt(r) { e -> log.error(e) }", _IN_KOTLIN, SKIP),
    ("attempt(r)", _IN_KOTLIN, SKIP),
    ("attempt(r, onError = { log.error(it) })", _IN_KOTLIN, SKIP),
    ("attempt(r, log::error)", _IN_KOTLIN, SKIP),
    ("attempt(r) { letters.send(r) }", _IN_KOTLIN, YES),
    ("attempt(r) { throw it }", _IN_KOTLIN, YES),
    ("attempt(r) { log.error(it) }", _INTERFACE_IN_KOTLIN, SKIP),
    ("attempt(r) { letters.send(r) }", _INTERFACE_IN_KOTLIN, YES),
    ("all()(r)", _LOCAL % _SAVES % "log.error(e)", SKIP),
    ("all()(r)", _LOCAL % _SAVES % "throw e", YES),
    ("again(3) { save(r) }", _AGAIN, YES),
    ("again(3) { save(r) }", _AND_ONCE_MORE, YES),
])  # fmt: skip
def test_what_kotlin_is_given(tmp_path: Path, does: str, more: str, expected: str) -> None:
    code = KOTLIN % (f"for (r in rs) {{ {does} }}\nc.commitSync()", more)
    assert_program(tmp_path / "A.kt", code, expected)


@pytest.mark.parametrize(("does", "more", "expected"), [
    ("attempt(r, e => log.error(e))", _IN_SCALA % ", ", SKIP),
    ("attempt(r)(e => log.error(e))", _IN_SCALA % ")(", SKIP),
    ("attempt(r) { e => log.error(e) }", _IN_SCALA % ")(", SKIP),
    ("attempt(r, log.error(_))", _IN_SCALA % ", ", SKIP),
    ("attempt(r, e => letters.send(r).get())", _IN_SCALA % ", ", YES),
    ('safely("save")(save(r))', _SAFELY % "log.error(e)", SKIP),
    ('safely("save")(save(r))', _SAFELY % "throw e", YES),
    ("all()(r)", _LOCAL_DEF % "log.error(e)", SKIP),
    ("all()(r)", _LOCAL_DEF % "throw e", YES),
])  # fmt: skip
def test_what_scala_is_given(tmp_path: Path, does: str, more: str, expected: str) -> None:
    code = SCALA % (f"for (r <- rs.asScala) {does}\nc.commitSync()", more)
    assert_program(tmp_path / "A.scala", code, expected)


@pytest.mark.parametrize(("does", "more", "expected"), [
    ("attempt(m, on_error=log.error)", _IN_PYTHON, SKIP),
    ("attempt(m, log.error)", _IN_PYTHON, SKIP),
    ("attempt(m)", _IN_PYTHON, SKIP),
    ("attempt(m, lambda e: log.error(e))", _IN_PYTHON, SKIP),
    ("attempt(m, lambda e: letters.send(m))", _IN_PYTHON, YES),
    ("attempt(m, park)", _IN_PYTHON, YES),
    ("make(db)(m)", _MAKES % "", SKIP),
    ("make(db)(m)", _MAKES % "            raise\n", YES),
    ("h = make(db)\n    h(m)", _MAKES % "", SKIP),
    ("handle(m)", f"{_MAKES % ''}handle = make(db)\n", SKIP),
    ("of(save)(m)", _AROUND, SKIP),
    ("handle(m)", f"{_AROUND}handle = of(save)\n", SKIP),
    ("partial(handle, db)(m)", _HANDLE % "log.error(e)", SKIP),
    ("partial(handle, db)(m)", _HANDLE % "raise", YES),
    ("h(m)", f"{_HANDLE % 'log.error(e)'}h = functools.partial(handle, db)\n", SKIP),
    ("ack(c)()\n    save(m)", _COMMITS, BEFORE),
    ("ack(c)()\n    save(m)", "def ack(c):\n    return lambda: c.commit()\n", BEFORE),
    ("save(m)\n    ack(c)()", _COMMITS, YES),
])  # fmt: skip
def test_what_python_is_given(tmp_path: Path, does: str, more: str, expected: str) -> None:
    code = f"{READER_OF_PYTHON}{more}{LOOP_OF_PYTHON}    {does}\n    c.commit(m)\n"
    assert_program(tmp_path / "a.py", code, expected)
