"""Java, Kotlin and Scala programs that filter records by whether a method succeeded, or that remove
failed records from a list.

A commit of everything that was polled skips the dropped records, unless the program handles them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA, WITH_METHOD

_SCALA = (
    "def tried(r: R): Boolean = try { save(r); true } catch { case e: Exception => log.error(e);"
    " false }"
)
_KOTLIN = (
    "fun tried(r: R): Boolean { try { save(r); return true } catch (e: Exception) { log.warn(e);"
    " return false } }"
)
_JAVA = (
    "} boolean tried(R r) { try { save(r); return true; } catch (Exception e) { log.warn(e);"
    " return false; }"
)
_ALL = "List<R> all = new ArrayList<>();\nfor (R r : rs) { all.add(r); }\n"
_SAVE_ALL = "\nfor (R r : all) { save(r); }"
_THROWS, _LOGS = "throw new IllegalStateException()", "log.warn(all)"
_FAILED = f"{'StreamSupport.stream(rs.spliterator(), false)'}.filter(r -> !tried(r)).toList();"


@pytest.mark.parametrize(("loop", "expected"), [
    ("rs.asScala.filterNot(tried)", SKIP),
    ('val failed = rs.asScala.filterNot(tried)\nlog.warn(s"${failed.size}")', SKIP),
    (f"val failed = rs.asScala.filterNot(r => tried(r))\nif (failed.nonEmpty) {_LOGS}", SKIP),
    ("rs.asScala.filterNot(tried).foreach(r => log.warn(r))", SKIP),
    (f"val failed = rs.asScala.filterNot(r => tried(r))\nif (failed.nonEmpty) {_THROWS}", YES),
    ("rs.asScala.filterNot(tried).foreach(r => letters.send(r).get())", YES),
    (f"rs.asScala.find(r => !tried(r)).foreach(r => {_THROWS})", YES),
])  # fmt: skip
def test_records_that_a_scala_filter_drops_are_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{loop}\nc.commitSync()", _SCALA), expected)


@pytest.mark.parametrize(("loop", "expected"), [
    (f"if (!rs.all {{ tried(it) }}) {_LOGS}", SKIP),
    ("val good = rs.filter { tried(it) }\ngood.forEach { index(it) }", SKIP),
    (f"val (ok, bad) = rs.partition {{ tried(it) }}\nif (bad.isNotEmpty()) {_LOGS}", SKIP),
    ("if (!rs.all { tried(it) }) throw E()", YES),
    ("val failed = rs.filter { !tried(it) }\nfailed.forEach { letters.send(it) }", YES),
    ("val (ok, bad) = rs.partition { tried(it) }\nif (bad.isNotEmpty()) throw E()", YES),
])  # fmt: skip
def test_records_that_a_kotlin_filter_drops_are_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{loop}\nc.commitSync()", _KOTLIN), expected)


@pytest.mark.parametrize(("loop", "expected"), [
    (f"{_ALL}all.removeIf(r -> !tried(r));{_SAVE_ALL}", SKIP),
    (f"{_ALL}all.removeIf(this::tried);\nif (!all.isEmpty()) {{ {_LOGS}; }}", SKIP),
    (f"var failed = {_FAILED}\nif (!failed.isEmpty()) {{ {_LOGS}; }}", SKIP),
    (f"long ok = {_FAILED.replace('!', '').replace('toList', 'count')}\nlog.info(ok);", SKIP),
    (f"{_ALL}all.removeIf(this::tried);\nif (!all.isEmpty()) {{ {_THROWS}; }}", YES),
    (f"var failed = {_FAILED}\nif (!failed.isEmpty()) {{ {_THROWS}; }}", YES),
    (f"long ok = {_FAILED.replace('!', '').replace('toList', 'count')}\n"
     f"if (ok < rs.count()) {{ {_THROWS}; }}", YES),
])  # fmt: skip
def test_records_that_a_java_filter_drops_are_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    code = WITH_METHOD % (LOOP % f"{loop}\nc.commitSync();", _JAVA)
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize(("handler", "expected"), [
    ("log.warn(e); it.remove();", SKIP),
    ("it.remove();", SKIP),
    ("letters.send(r).get(); it.remove();", YES),
    ("it.remove(); throw e;", YES),
])  # fmt: skip
def test_a_handler_that_removes_its_record_from_a_list_is_reported(
    tmp_path: Path, handler: str, expected: str
) -> None:
    loop = (
        f"{_ALL}Iterator<R> it = all.iterator();\nwhile (it.hasNext()) {{\nR r = it.next();\n"
        f"try {{ parse(r); }} catch (Exception e) {{ {handler} }}\n}}{_SAVE_ALL}\nc.commitSync();"
    )
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)
    by_name = loop.replace("it.remove()", "all.remove(r)")
    assert_program(tmp_path / "A.java", READER % (LOOP % by_name), expected)


@pytest.mark.parametrize(("loop", "expected"), [
    (f"{_ALL}for (R r : all.subList(0, Math.min(10, all.size()))) {{ save(r); }}", SKIP),
    (f"{_ALL}for (int i = 0; i < all.size(); i += 9) {{"
     " save(all.subList(i, Math.min(i + 9, all.size()))); }", YES),
    (f"{_ALL}while (!all.isEmpty()) {{ save(all.subList(0, Math.min(9, all.size())));"
     " drop(all); }", YES),
])  # fmt: skip
def test_processing_part_of_a_list_of_polled_records_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    code = READER % (LOOP % f"{loop}\nc.commitSync();")
    assert_program(tmp_path / "A.java", code, expected)


def test_counting_the_records_that_succeeded_prevents_the_commit(tmp_path: Path) -> None:
    loop = (
        "Set<R> done = new HashSet<>(all);\nfor (R r : rs) {\ntry { save(r); }"
        " catch (Exception e) { done.remove(r); }\n}\n"
        f"if (done.size() < rs.count()) {{ {_THROWS}; }}\nc.commitSync();"
    )
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), YES)
