"""Values that are missing after an error, first records, and deletions of what is already gone.

Sources: java.util.Optional; scala.util.Try (`getOrElse`); KafkaConsumer javadoc (commitSync);
java.util.concurrent.CompletableFuture (`thenRun` is not run after an error).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER, SCALA
from tests.advisor.configurations.programs.test_loops import BATCH
from tests.advisor.configurations.programs.test_loops import LOOP as PYTHON_LOOP
from tests.advisor.configurations.programs.test_loops import READER as PYTHON_READER
from tests.advisor.programs import BEFORE, SKIP, YES, assert_program

_EACH = "for (R r : rs) {{ {} }} c.commitSync();"
_PARSES = "Order o = null; try { o = parse(r); } catch (Exception e) { log.warn(e); } "
_DELETES = "try { api.%s(r.key()); } catch (%s e) { log.info(1); }"
_ALL_OF = (
    "List<CompletableFuture<Void>> fs = new ArrayList<>(); for (R r : rs) { "
    "fs.add(CompletableFuture.runAsync(() -> save(r))); } "
    "CompletableFuture.allOf(fs.toArray(new CompletableFuture[0])).%s.join();"
)
_ITERATOR = "Iterator<R> it = rs.iterator(); "
_MATCH = "%s match {\ncase Some(x) => save(x)\ncase None => %s\n}"
_OPTION = (
    "def parse(r: R): Option[Order] = try { Some(read(r)) } catch { case e: Exception => None }\n"
)
_TRY_PARSE = "val o = try { Some(parse(r)) } catch { case e: Exception => None }\n"
_TRY_PASS = "try:\n        %s\n    except %s:\n        pass"


@pytest.mark.parametrize(("loop", "expected"), [
    (_EACH.format(_PARSES + "if (o != null) save(o);"), SKIP),
    (_EACH.format(_PARSES + "if (o == null) continue; save(o);"), SKIP),
    (_EACH.format(_PARSES + "if (o != null) { save(o); } else { letters.send(r).get(); }"), YES),
    (_EACH.format(_PARSES + "if (o == null) throw new E(); save(o);"), YES),
    (_EACH.format(_DELETES % ("delete", "NotFoundException")), YES),
    (_EACH.format(_DELETES % ("deleteById", "NoSuchElementException")), YES),
    (_EACH.format(_DELETES % ("update", "NotFoundException")), SKIP),
    (_EACH.format(_DELETES % ("delete", "IOException")), SKIP),
    (_ALL_OF % "thenRun(() -> c.commitSync())", YES),
    (_ALL_OF % "whenComplete((v, e) -> c.commitSync())", SKIP),
    (_ITERATOR + "save(it.next()); c.commitSync(); while (it.hasNext()) { save(it.next()); }",
     BEFORE),
    (_ITERATOR + "while (it.hasNext()) { save(it.next()); c.commitSync(); }", BEFORE),
    (_ITERATOR + "save(it.next()); while (it.hasNext()) { save(it.next()); } c.commitSync();", YES),
])  # fmt: skip
def test_a_java_loop_that_skips_records_or_commits_early_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)


@pytest.mark.parametrize(("loop", "expected"), [
    ("val it = rs.iterator()\nsave(it.next())\nc.commitSync()\n"
     "while (it.hasNext()) save(it.next())",
     BEFORE),
    ("val all = rs.toList()\nsave(all.first())\nc.commitSync()\nall.drop(1).forEach { save(it) }",
     BEFORE),
    ("for (r in rs) { try { api.delete(r.key()) } catch (e: NotFoundException) { log.info(1) } }\n"
     "c.commitSync()", YES),
])  # fmt: skip
def test_a_kotlin_commit_after_the_first_record_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)


@pytest.mark.parametrize(("body", "declarations", "expected"), [
    ("val o = Try(parse(r)).getOrElse(null)\nif (o != null) save(o)", "", SKIP),
    ("val o = Try(parse(r)).toOption.orNull\nif (o != null) save(o)", "", SKIP),
    (_TRY_PARSE + _MATCH % ("o", "log.warn(1)"), "", SKIP),
    (_TRY_PARSE + _MATCH % ("o", "throw new E()"), "", YES),
    (_MATCH % ("parse(r)", "log.warn(1)"), _OPTION, SKIP),
    (_MATCH % ("parse(r)", "letters.send(r).get()"), _OPTION, YES),
    (_MATCH % ("find(r)", "insert(r)"), "", YES),
    ("val o = process(r)\no.toOption match { case None => log.error(1); case Some(_) => () }", "",
     SKIP),
    ("process(r).toOption match { case None => log.error(1)\ncase _ => }", "", SKIP),
    ("process(r).toOption match { case None => letters.store(r)\ncase _ => }", "", YES),
    ("try api.delete(r.key()) catch { case e: NotFoundException => log.info(1) }", "", YES),
])  # fmt: skip
def test_a_scala_loop_that_skips_missing_values_is_reported(
    tmp_path: Path, body: str, declarations: str, expected: str
) -> None:
    loop = f"for (r <- rs.asScala) {{\n{body}\n}}\nc.commitSync()"
    assert_program(tmp_path / "A.scala", SCALA % (loop, declarations), expected)


@pytest.mark.parametrize(("body", "expected"), [
    (_TRY_PASS % ("api.delete(m.key())", "NotFoundError"), YES),
    (_TRY_PASS % ("os.remove(m.key())", "FileNotFoundError"), YES),
    (_TRY_PASS % ("api.update(m.key())", "NotFoundError"), SKIP),
    (_TRY_PASS % ("api.delete(m.key())", "TimeoutError"), SKIP),
])  # fmt: skip
def test_a_python_deletion_of_a_missing_object_loses_nothing(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = f"{PYTHON_READER}{PYTHON_LOOP}    {body}\n    c.commit(m)\n"
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("it = iter(ms)\n    save(next(it))\n    c.commit()\n    for m in it:\n        save(m)",
     BEFORE),
    ("it = iter(ms)\n    save(next(it))\n    c.commit()", SKIP),
    ("save(ms[0])\n    c.commit()\n    for m in ms[1:]:\n        save(m)", BEFORE),
    ("it = iter(ms)\n    save(next(it))\n    for m in it:\n        save(m)\n    c.commit()", YES),
    ("it = iter(ms)\n    while (m := next(it, None)) is not None:\n        save(m)\n    c.commit()",
     YES),
])  # fmt: skip
def test_a_python_commit_after_the_first_message_is_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = f"{PYTHON_READER}{BATCH}    {body}\n"
    assert_program(tmp_path / "a.py", code, expected)
