"""Handlers that swallow some errors, or errors of some records, and rethrow the others.

In Scala, an error that matches a case with a guard is handled by that case alone (The Scala
Language Specification, 8.4). The records of a transaction that an error ends are lost
(KafkaProducer javadoc).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_aborts import _IGNORED as IGNORED
from tests.advisor.configurations.programs.test_aborts import _JAVA as IN_JAVA
from tests.advisor.configurations.programs.test_aborts import _READS as READS
from tests.advisor.configurations.programs.test_aborts import _SCALA as IN_SCALA
from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs.python import BATCH
from tests.advisor.programs.python import READER as READER_OF_PYTHON

_CATCH = "for (R r : rs) {{ try {{ save(r); }} catch (Exception e) {{ {} }} }}\nc.commitSync();"
_RETRIES = (
    "for (R r : rs) { for (int i = 0; i < 3; i++) { try { save(r); break; } catch (Exception e) {"
    " if (i < 2) log.warn(e); else throw e; } } }\nc.commitSync();"
)
_SWITCH = "switch (e.getErrorCode()) { case 1: log.error(e); break; default: throw e; }"
_CASES = "for (r <- rs.asScala) {{\ntry {{ save(r) }} catch {{\n{}\n}}\n}}\nc.commitSync()"
_WHEN = (
    "for (r in rs) {{\ntry {{ save(r) }} catch (e: Exception) {{\nwhen (e) {{\n{}\n"
    "else -> throw e\n}}\n}}\n}}\nc.commitSync()"
)
_MATCH = (
    "for (r <- rs.asScala) {{\nTry(save(r)) match {{\ncase Success(_) => ()\n"
    "case Failure(e) if bad(e) => {}\ncase Failure(e) => throw e\n}}\n}}\nc.commitSync()"
)
_COMMITS = "k.beginTransaction(); k.send(r); k.commitTransaction()"


@pytest.mark.parametrize(("statements", "expected"), [
    ("if (isBad(e)) { log.error(e); continue; } throw e;", SKIP),
    ("if (isBad(e)) { log.error(e); } else { throw e; }", SKIP),
    ("if (fatal(e)) throw e; log.warn(e);", SKIP),
    ("if (isBad(r)) { log.error(e); continue; } throw e;", SKIP),
    (_SWITCH, SKIP),
    ("switch (e) { } throw e;", YES),
    ("if (isDuplicate(e)) { log.info(e); } else { throw e; }", YES),
    ("if (!alreadyThere(e)) throw e; log.info(e);", YES),
    ("if (isBad(e)) { letters.send(r).get(); continue; } throw e;", YES),
    ("if (!quarantine(r, e)) { throw e; }", YES),
])  # fmt: skip
def test_swallowing_some_errors_in_java_is_a_skip(
    tmp_path: Path, statements: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % _CATCH.format(statements)), expected)


@pytest.mark.parametrize(("error", "expected"), [
    ("SaveFailed", SKIP), ("Store.SaveFailed", SKIP), ("final SaveFailed", SKIP),
    ("Clients.WakeupException", YES), ("InterruptedException", YES),
])  # fmt: skip
def test_a_caught_error_may_have_any_type(tmp_path: Path, error: str, expected: str) -> None:
    tries = _CATCH.format("log.error(e);").replace("Exception e", f"{error} e")
    assert_program(tmp_path / "A.java", READER % (LOOP % tries), expected)


def test_an_error_that_is_rethrown_after_the_last_attempt_is_no_skip(tmp_path: Path) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % _RETRIES), YES)


@pytest.mark.parametrize(("branch", "expected"), [
    ("is IOException -> log.error(e)", SKIP),
    ("is DuplicateKeyException -> log.error(e)", YES),
    ("is IOException -> letters.send(r).get()", YES),
])  # fmt: skip
def test_swallowing_some_errors_in_kotlin_is_a_skip(
    tmp_path: Path, branch: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (_WHEN.format(branch), ""), expected)


@pytest.mark.parametrize(("loop", "expected"), [
    (_CASES.format("case e if NonFatal(e) => log.error(e)"), SKIP),
    (_CASES.format("case e: Exception if bad(e) => log.error(e)"), SKIP),
    (_CASES.format("case NonFatal(e) if bad(e) => log.error(e)"), SKIP),
    (_CASES.format("case _: IOException | _: SQLException => log.error(1)"), SKIP),
    (_CASES.format("case Broken(e) => log.error(e)"), SKIP),
    (_CASES.format("case e: Exception => e match {\ncase x: IOException => log.error(x)\n"
                   "case x => throw x\n}"), SKIP),
    (_CASES.format("case e: Exception if bad(e) => throw e"), YES),
    (_CASES.format('case e: SQLException if e.getSQLState == "23505" => log.info(e)'), YES),
    (_CASES.format("case e: Exception if bad(e) => letters.send(r).get()"), YES),
    (_MATCH.format("log.error(e)"), SKIP),
    (_MATCH.format("letters.send(r).get()"), YES),
])  # fmt: skip
def test_swallowing_some_errors_in_scala_is_a_skip(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (loop, ""), expected)


@pytest.mark.parametrize(("statements", "expected"), [
    ("if bad(e):\n    log.error(e)\nelse:\n    raise", SKIP),
    ("match e:\n    case IOError():\n        log.error(e)\n    case _:\n        raise", SKIP),
    ("if e.code != 'bad':\n    raise\nlog.error(e)", SKIP),
    ("if is_duplicate(e):\n    log.error(e)\nelse:\n    raise", YES),
    ("if e.pgcode != '23505':\n    raise\nlog.info(e)", YES),
    ("if bad(e):\n    letters.put(m)\nelse:\n    raise", YES),
    ("if not quarantine(m, e):\n    raise", YES),
])  # fmt: skip
def test_swallowing_some_errors_in_python_is_a_skip(
    tmp_path: Path, statements: str, expected: str
) -> None:
    indented = "".join(f"            {line}\n" for line in statements.splitlines())
    loop = (
        f"    for m in ms:\n        try:\n            save(m)\n        except E as e:\n{indented}"
    )
    code = f"{READER_OF_PYTHON}{BATCH}{loop}    c.commit()\n"
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("handlers", "expected"), [
    ("catch (KafkaException e) { log.error(e); }", IGNORED),
    ("catch (E e) { k.abortTransaction(); throw e; } catch (KafkaException e) { log.error(e); }",
     IGNORED),
    ("catch (KafkaException e) { k.abortTransaction(); if (fatal(e)) throw e; log.error(e); }",
     IGNORED),
    ("catch (KafkaException e) { if (k != null) { k.abortTransaction(); } }", IGNORED),
    ("catch (KafkaException e) { log.error(e); throw e; }", YES),
    ("catch (ProducerFencedException e) { k.close(); }", YES),
])  # fmt: skip
def test_swallowed_errors_of_a_transaction_in_java_are_reported(
    tmp_path: Path, handlers: str, expected: str
) -> None:
    code = IN_JAVA % f"for (var r : rows) {{ try {{ {_COMMITS}; }} {handlers} }}"
    assert_program(tmp_path / "A.java", code, expected, READS)


@pytest.mark.parametrize(("last", "expected"), [("log.error(e)", IGNORED), ("throw e", YES)])
def test_swallowed_errors_of_a_transaction_in_scala_are_reported(
    tmp_path: Path, last: str, expected: str
) -> None:
    cases = f"case e: KafkaException if soon(e) => k.abortTransaction(); throw e\ncase e => {last}"
    code = IN_SCALA % f"for (r <- rows) {{\ntry {{ {_COMMITS} }} catch {{\n{cases}\n}}\n}}"
    assert_program(tmp_path / "A.scala", code, expected, READS)


@pytest.mark.parametrize(("handlers", "expected"), [
    ("except KafkaException as e:\n    log.error(e)", IGNORED),
    ("except KafkaException as e:\n    if soon(e):\n        p.abort_transaction()\n"
     "    else:\n        raise", IGNORED),
    ("except KafkaException as e:\n    p.abort_transaction()\n    raise", YES),
    ("except KeyboardInterrupt:\n    log.info('bye')", YES),
])  # fmt: skip
def test_swallowed_errors_of_a_transaction_in_python_are_reported(
    tmp_path: Path, handlers: str, expected: str
) -> None:
    attempt = (
        "try:\n    p.begin_transaction()\n    p.produce('t', b'1')\n    p.commit_transaction()"
    )
    indented = "".join(f"    {line}\n" for line in f"{attempt}\n{handlers}".splitlines())
    head = 'from confluent_kafka import Producer\np = Producer({"transactional.id": "a"})\n'
    code = f"{head}p.init_transactions()\nfor r in rows:\n{indented}"
    assert_program(tmp_path / "a.py", code, expected, READS)
