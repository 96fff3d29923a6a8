"""Handlers that do nothing about some errors, or records, and throw others again.

An error that a guard of Scala takes is handled by its case alone (The Scala Language Specification,
8.4). What was in a transaction that ends by an error is gone (KafkaProducer javadoc).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_aborts import _IGNORED as GIVEN_UP
from tests.advisor.configurations.programs.test_aborts import _JAVA as IN_JAVA
from tests.advisor.configurations.programs.test_aborts import _READS as READS
from tests.advisor.configurations.programs.test_aborts import _SCALA as IN_SCALA
from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER, SCALA
from tests.advisor.configurations.programs.test_loops import BATCH
from tests.advisor.configurations.programs.test_loops import READER as READER_OF_PYTHON
from tests.advisor.programs import SKIP, YES, assert_program

_TRIES = "for (R r : rs) {{ try {{ save(r); }} catch (Exception e) {{ {} }} }}\nc.commitSync();"
_TIMES = (
    "for (R r : rs) { for (int i = 0; i < 3; i++) { try { save(r); break; } catch (Exception e) {"
    " if (i < 2) log.warn(e); else throw e; } } }\nc.commitSync();"
)
_SWITCH = "switch (e.getErrorCode()) { case 1: log.error(e); break; default: throw e; }"
_CASES = "for (r <- rs.asScala) {{\ntry {{ save(r) }} catch {{\n{}\n}}\n}}\nc.commitSync()"
_WHEN = (
    "for (r in rs) {{\ntry {{ save(r) }} catch (e: Exception) {{\nwhen (e) {{\n{}\n"
    "else -> throw e\n}}\n}}\n}}\nc.commitSync()"
)
_MATCHED = (
    "for (r <- rs.asScala) {{\nTry(save(r)) match {{\ncase Success(_) => ()\n"
    "case Failure(e) if bad(e) => {}\ncase Failure(e) => throw e\n}}\n}}\nc.commitSync()"
)
_COMMITS = "k.beginTransaction(); k.send(r); k.commitTransaction()"


@pytest.mark.parametrize(("does", "expected"), [
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
def test_what_java_does_with_some_errors(tmp_path: Path, does: str, expected: str) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % _TRIES.format(does)), expected)


@pytest.mark.parametrize(("error", "expected"), [
    ("SaveFailed", SKIP), ("Store.SaveFailed", SKIP), ("final SaveFailed", SKIP),
    ("Clients.WakeupException", YES), ("InterruptedException", YES),
])  # fmt: skip
def test_an_error_may_have_any_name(tmp_path: Path, error: str, expected: str) -> None:
    tries = _TRIES.format("log.error(e);").replace("Exception e", f"{error} e")
    assert_program(tmp_path / "A.java", READER % (LOOP % tries), expected)


def test_what_is_thrown_behind_the_last_attempt(tmp_path: Path) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % _TIMES), YES)


@pytest.mark.parametrize(("arm", "expected"), [
    ("is IOException -> log.error(e)", SKIP),
    ("is DuplicateKeyException -> log.error(e)", YES),
    ("is IOException -> letters.send(r).get()", YES),
])  # fmt: skip
def test_what_kotlin_does_with_some_errors(tmp_path: Path, arm: str, expected: str) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (_WHEN.format(arm), ""), expected)


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
    (_MATCHED.format("log.error(e)"), SKIP),
    (_MATCHED.format("letters.send(r).get()"), YES),
])  # fmt: skip
def test_what_scala_does_with_some_errors(tmp_path: Path, loop: str, expected: str) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (loop, ""), expected)


@pytest.mark.parametrize(("does", "expected"), [
    ("if bad(e):\n    log.error(e)\nelse:\n    raise", SKIP),
    ("match e:\n    case IOError():\n        log.error(e)\n    case _:\n        raise", SKIP),
    ("if e.code != 'bad':\n    raise\nlog.error(e)", SKIP),
    ("if is_duplicate(e):\n    log.error(e)\nelse:\n    raise", YES),
    ("if e.pgcode != '23505':\n    raise\nlog.info(e)", YES),
    ("if bad(e):\n    letters.put(m)\nelse:\n    raise", YES),
    ("if not quarantine(m, e):\n    raise", YES),
])  # fmt: skip
def test_what_python_does_with_some_errors(tmp_path: Path, does: str, expected: str) -> None:
    own = "".join(f"            {line}\n" for line in does.splitlines())
    loop = f"    for m in ms:\n        try:\n            save(m)\n        except E as e:\n{own}"
    code = f"{READER_OF_PYTHON}{BATCH}{loop}    c.commit()\n"
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("handlers", "expected"), [
    ("catch (KafkaException e) { log.error(e); }", GIVEN_UP),
    ("catch (E e) { k.abortTransaction(); throw e; } catch (KafkaException e) { log.error(e); }",
     GIVEN_UP),
    ("catch (KafkaException e) { k.abortTransaction(); if (fatal(e)) throw e; log.error(e); }",
     GIVEN_UP),
    ("catch (KafkaException e) { if (k != null) { k.abortTransaction(); } }", GIVEN_UP),
    ("catch (KafkaException e) { log.error(e); throw e; }", YES),
    ("catch (ProducerFencedException e) { k.close(); }", YES),
])  # fmt: skip
def test_what_java_does_with_a_transaction(tmp_path: Path, handlers: str, expected: str) -> None:
    code = IN_JAVA % f"for (var r : rows) {{ try {{ {_COMMITS}; }} {handlers} }}"
    assert_program(tmp_path / "A.java", code, expected, READS)


@pytest.mark.parametrize(("last", "expected"), [("log.error(e)", GIVEN_UP), ("throw e", YES)])
def test_what_scala_does_with_a_transaction(tmp_path: Path, last: str, expected: str) -> None:
    cases = f"case e: KafkaException if soon(e) => k.abortTransaction(); throw e\ncase e => {last}"
    code = IN_SCALA % f"for (r <- rows) {{\ntry {{ {_COMMITS} }} catch {{\n{cases}\n}}\n}}"
    assert_program(tmp_path / "A.scala", code, expected, READS)


@pytest.mark.parametrize(("handlers", "expected"), [
    ("except KafkaException as e:\n    log.error(e)", GIVEN_UP),
    ("except KafkaException as e:\n    if soon(e):\n        p.abort_transaction()\n"
     "    else:\n        raise", GIVEN_UP),
    ("except KafkaException as e:\n    p.abort_transaction()\n    raise", YES),
    ("except KeyboardInterrupt:\n    log.info('bye')", YES),
])  # fmt: skip
def test_what_python_does_with_a_transaction(tmp_path: Path, handlers: str, expected: str) -> None:
    tried = "try:\n    p.begin_transaction()\n    p.produce('t', b'1')\n    p.commit_transaction()"
    own = "".join(f"    {line}\n" for line in f"{tried}\n{handlers}".splitlines())
    head = 'from confluent_kafka import Producer\np = Producer({"transactional.id": "a"})\n'
    code = f"{head}p.init_transactions()\nfor r in rows:\n{own}"
    assert_program(tmp_path / "a.py", code, expected, READS)
