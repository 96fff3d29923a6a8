"""Failed results that are only logged, handlers that send a record to an optional producer,
and records that are skipped by a counter.

Sources: The Java Language Specification, 14.11 (`switch` throws nothing for a value); Kotlin, null
safety; confluent-kafka, Consumer.commit.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs.python import BATCH
from tests.advisor.programs.python import LOOP as LOOP_OF_PYTHON
from tests.advisor.programs.python import READER as READER_OF_PYTHON

_CATCH = "try { save(r); } catch (Exception e) { %s }"
_MATCH = "process(r) match {\ncase Ok => ()\ncase Failed(e) => %s\n}"
_EXCEPT = "try:\n        save(m)\n    except Exception as e:\n        %s"
_LOGGERS = "for l in loggers:\n            l.error(e)"
_PYTHON_MATCH = "match process(m):\n        case Ok():\n            pass\n        case Failed():\n"
_STATUS_MATCH = (
    "s = handle(m)\n    match s.status:\n        case 'ok':\n            pass\n"
    "        case 'failed':\n            %s"
)
_BATCHES = "batch.add(r); if (++n >= 500) { save(batch); batch.clear(); n = 0; }"


@pytest.mark.parametrize(("statements", "expected"), [
    ("switch (process(r)) { case OK: break; case FAILED: log.warn(r); break; }", SKIP),
    ("switch (process(r)) { case OK -> {} default -> log.warn(r); }", SKIP),
    ("switch (process(r)) { case OK -> {} case FAILED -> throw new E(); }", YES),
    ("switch (process(r)) { case OK -> {} case FAILED -> letters.send(r).get(); }", YES),
    ("switch (kind(r)) { case OK -> save(r); default -> log.warn(r); }", YES),
    ("Outcome o = process(r); if (o == Outcome.FAILED) log.warn(r);", SKIP),
    ("Outcome o = process(r); if (o == Outcome.FAILED) throw new E();", YES),
    ("if (process(r) == Outcome.FAILED) log.warn(r);", SKIP),
    ("if (process(r) != Outcome.OK) { log.warn(r); }", SKIP),
    ("Result o = process(r); if (o instanceof Failure f) { log.warn(f); }", SKIP),
    (_CATCH % "if (dlq != null) dlq.send(r);", SKIP),
    (_CATCH % "if (dlq != null) { dlq.send(r); } else { throw e; }", YES),
    (_CATCH % "if (dlq == null) { log.warn(e); continue; } dlq.send(r);", SKIP),
    (_CATCH % "if (dlqEnabled) { letters.send(r); }", SKIP),
    (_CATCH % "dlq.ifPresent(d -> d.send(r));", SKIP),
    (_CATCH % "if (r.value() != null) letters.send(r); else letters.send(k);", YES),
    (_CATCH % "loggers.forEach(l -> l.error(e));", SKIP),
    (_CATCH % "List.of(log, audit).forEach(l -> l.error(e));", SKIP),
    (_CATCH % "listeners.forEach(l -> l.failed(r, e));", YES),
    ("if (++n > 5) continue; save(r);", SKIP),
    ("n++; if (n > 5) continue; save(r);", SKIP),
    ("n += 1; if (n <= 5) { save(r); }", SKIP),
    ("if (n++ % 10 != 0) continue; save(r);", SKIP),
    ("if (++n % 10 == 0) log.info(r); save(r);", YES),
    ("if (n++ < 10) { audit(r); } save(r);", YES),
    (_BATCHES, YES),
    ("String error = process(r); if (error != null) { log.error(error); }", SKIP),
    ("String error = process(r); if (error != null) { throw new E(error); }", YES),
    ("List<F> errors = check(r); if (!errors.isEmpty()) { log.warn(errors); continue; } save(r);",
     YES),
    (_CATCH % "conn.rollback(); log.error(e);", SKIP),
    (_CATCH % "conn.rollback(); throw e;", YES),
    ("if (breaker.isOpen()) { log.warn(1); continue; } save(r);", SKIP),
    ("while (breaker.isOpen()) { Thread.sleep(9); } save(r);", YES),
    ("Result o = process(r); if (!o.isOk()) { counter.increment(); }", SKIP),
    ("Result o = process(r); if (!o.isOk()) { throw new E(); }", YES),
    ("Either<F, O> o = process(r); o.peekLeft(f -> log.error(f));", SKIP),
])  # fmt: skip
def test_unhandled_failures_in_java_are_skips(
    tmp_path: Path, statements: str, expected: str
) -> None:
    rest = "save(batch); " if "batch" in statements else ""
    loop = LOOP % f"int n = 0; for (R r : rs) {{ {statements} }} {rest}c.commitSync();"
    assert_program(tmp_path / "A.java", READER % loop, expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("when (process(r)) { Outcome.OK -> {}\nOutcome.FAILED -> log.warn(r) }", SKIP),
    ("when (process(r)) { Outcome.OK -> Unit\nelse -> log.warn(r) }", SKIP),
    ("when (process(r)) { Outcome.OK -> Unit\nOutcome.FAILED -> throw E() }", YES),
    ("val o = process(r)\nif (o == Outcome.FAILED) log.warn(r)", SKIP),
    ("val o = process(r)\nwhen {\no is Done -> {}\no is Failed -> log.warn(o)\n}", SKIP),
    ("val o = process(r)\nwhen {\no is Done -> {}\no is Failed -> throw E()\n}", YES),
    (_CATCH % "dlq?.send(r)", SKIP),
    (_CATCH % "log.warn(e)\ndlq?.send(r)", SKIP),
    (_CATCH % "dlq?.let { it.send(r) }", SKIP),
    (_CATCH % "dlq?.send(r) ?: throw e", YES),
    (_CATCH % "dlq!!.send(r)", YES),
    (_CATCH % "loggers.forEach { it.error(e) }", SKIP),
    ("if (++n > 5) continue\nsave(r)", SKIP),
])  # fmt: skip
def test_unhandled_failures_in_kotlin_are_skips(
    tmp_path: Path, statements: str, expected: str
) -> None:
    loop = f"var n = 0\nfor (r in rs) {{ {statements.replace('Exception e', 'e: Exception')} }}\n"
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{loop}c.commitSync()", ""), expected)


@pytest.mark.parametrize(("loop", "expected"), [
    ("for ((i, r) in rs.withIndex()) { if (i >= 5) continue\nsave(r) }", SKIP),
    ("rs.forEachIndexed { i, r -> if (i < 5) save(r) }", SKIP),
    ("rs.forEachIndexed { i, r -> save(r)\nif (i % 100 == 0) log.info(i) }", YES),
])  # fmt: skip
def test_records_skipped_by_their_index_in_kotlin_are_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{loop}\nc.commitSync()", ""), expected)


@pytest.mark.parametrize(("statements", "expected"), [
    (_MATCH % "log.warn(e)", SKIP),
    (_MATCH % "throw e", YES),
    ("val o = process(r)\nif (o == Failed) log.warn(r)", SKIP),
    ("try save(r) catch { case e: Exception => dlq.foreach(_.send(r)) }", SKIP),
    ("try save(r) catch { case e: Exception => loggers.foreach(_.error(e)) }", SKIP),
    ("n += 1\nif (n <= 5) save(r)", SKIP),
    ("process(r).left.foreach(e => log.error(e))", SKIP),
])  # fmt: skip
def test_unhandled_failures_in_scala_are_skips(
    tmp_path: Path, statements: str, expected: str
) -> None:
    loop = f"var n = 0\nfor (r <- rs.asScala) {{\n{statements}\n}}\nc.commitSync()"
    assert_program(tmp_path / "A.scala", SCALA % (loop, ""), expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("r = process(m)\n    if r == Outcome.FAILED:\n        log.warning(m)", SKIP),
    ("r = process(m)\n    if r is Outcome.FAILED:\n        raise E()", YES),
    ("r = process(m)\n    if r != Outcome.OK:\n        log.warning(m)", SKIP),
    ("r = process(m)\n    if isinstance(r, Failed):\n        log.warning(r.error)", SKIP),
    ("if process(m) == Outcome.FAILED:\n        log.warning(m)", SKIP),
    (f"{_PYTHON_MATCH}            log.warning(m)", SKIP),
    (f"{_PYTHON_MATCH}            raise E()", YES),
    (_EXCEPT % "if dlq:\n            dlq.send(m)", SKIP),
    (_EXCEPT % "if dlq:\n            dlq.send(m)\n        else:\n            raise", YES),
    (_EXCEPT % _LOGGERS, SKIP),
    ("r = process(m)\n    if r.status == Status.FAILED:\n        log.error(r)", SKIP),
    ("saved, err = handle(m)\n    if err:\n        log.error(err)", SKIP),
    ("s = handle(m)\n    if s == 'failed':\n        log.error(s)", SKIP),
    ("s = handle(m)\n    if s == 'failed':\n        raise E(s)", YES),
    (_STATUS_MATCH % "log.error(s)", SKIP),
    (_STATUS_MATCH % "raise E(s)", YES),
    ("saved, err = handle(m)\n    if err:\n        raise err", YES),
    ("r = process(m)\n    if r.status == Status.FAILED:\n        raise E()", YES),
    ("n += 1\n    if n > 5:\n        continue\n    save(m)", SKIP),
    ("n += 1\n    if n % 10:\n        continue\n    save(m)", SKIP),
    ("n += 1\n    if n % 10 == 0:\n        log.info(n)\n    save(m)", YES),
    ("b.append(m)\n    if len(b) < 5:\n        continue\n    save(b)\n    b.clear()", YES),
])  # fmt: skip
def test_unhandled_failures_in_python_are_skips(
    tmp_path: Path, statements: str, expected: str
) -> None:
    code = f"{READER_OF_PYTHON}n, b = 0, []\n{LOOP_OF_PYTHON}    {statements}\n    c.commit(m)\n"
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("    if i > 5:\n            continue\n        save(m)", SKIP),
    ("    if i < 5:\n            save(m)", SKIP),
    ("    save(m)\n        if i % 100 == 0:\n            log.info(i)", YES),
])  # fmt: skip
def test_messages_skipped_by_their_index_in_python_are_reported(
    tmp_path: Path, statements: str, expected: str
) -> None:
    loop = f"    for i, m in enumerate(ms):\n    {statements}\n    c.commit()\n"
    assert_program(tmp_path / "a.py", f"{READER_OF_PYTHON}{BATCH}{loop}", expected)


@pytest.mark.parametrize(("reaction", "expected"), [("log.warn(1)", SKIP), ("throw new E()", YES)])
def test_logging_a_partition_of_failures_in_scala_is_a_skip(
    tmp_path: Path, reaction: str, expected: str
) -> None:
    loop = (
        "val (bad, good) = rs.asScala.toList.partitionMap(r => parse(r.value()))\nsaveAll(good)\n"
    )
    loop += f"if (bad.nonEmpty) {reaction}\nc.commitSync()"
    assert_program(tmp_path / "A.scala", SCALA % (loop, ""), expected)


@pytest.mark.parametrize(
    ("reaction", "expected"), [("log.error(1)", SKIP), ("raise E(failed)", YES)]
)
def test_logging_gathered_exceptions_in_python_is_a_skip(
    tmp_path: Path, reaction: str, expected: str
) -> None:
    code = (
        f"{READER_OF_PYTHON}async def main():\n  while True:\n    ms = c.consume(10, 1)\n"
        "    rs = await asyncio.gather(*(save(m) for m in ms), return_exceptions=True)\n"
        "    failed = [r for r in rs if isinstance(r, Exception)]\n"
        f"    if failed:\n        {reaction}\n    c.commit()\n"
    )
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(
    ("reaction", "expected"), [("log.error(1);", SKIP), ("throw new E();", YES)]
)
def test_logging_collected_failures_in_java_is_a_skip(
    tmp_path: Path, reaction: str, expected: str
) -> None:
    loop = "for (R r : rs) { try { save(r); } catch (Exception e) { failures.add(r); } } "
    loop += f"if (!failures.isEmpty()) {{ {reaction} failures.clear(); }} c.commitSync();"
    program = f"List<R> failures = new ArrayList<>(); {LOOP % loop}"
    assert_program(tmp_path / "A.java", READER % program, expected)


@pytest.mark.parametrize(("reaction", "expected"), [
    ("if (ok) { c.commitSync(); }", SKIP), ("if (!ok) { throw new E(); } c.commitSync();", YES),
])  # fmt: skip
def test_a_combined_flag_in_java_must_stop_the_program(
    tmp_path: Path, reaction: str, expected: str
) -> None:
    loop = f"boolean ok = true; for (R r : rs) {{ ok &= process(r); }} {reaction}"
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)
