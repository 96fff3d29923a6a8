"""Programs that process only some of the polled records and drop the rest.

The position of a consumer is after all records that a poll returned (KafkaConsumer javadoc;
confluent-kafka, Consumer.consume). Dropped records are therefore never read again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA
from tests.advisor.programs.python import BATCH
from tests.advisor.programs.python import READER as PYTHON_READER

_EACH = "for m in ms:\n    save(m)\n"
_FIRST = "for m in ms[:5]:\n    save(m)\n"
_LIST = "List<R> all = rs.records(tp);\n"
_FILLED = "List<R> all = new ArrayList<>();\nrs.forEach(all::add);\n"
_SAVES = "for (R r : all) { save(r); }\n"


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_FIRST}ms = ms[5:]\n", SKIP),
    (f"{_FIRST}del ms[:5]\n", SKIP),
    (f"{_FIRST}del other\n", SKIP),
    (f"ms = ms[:5]\n{_EACH}", SKIP),
    (f"ms = ms[::2]\n{_EACH}", SKIP),
    (f"if len(ms) > 5:\n    ms = ms[:5]\n{_EACH}", SKIP),
    (f"ms = list(islice(ms, 5))\n{_EACH}", SKIP),
    (f"ms = random.sample(ms, 5)\n{_EACH}", SKIP),
    (f"ms.pop()\n{_EACH}", SKIP),
    (f"del ms[5:]\n{_EACH}", SKIP),
    ("for m in ms[::2]:\n    save(m)\n", SKIP),
    ("for _, m in zip(range(5), ms):\n    save(m)\n", SKIP),
    (f"ms = [m for m in ms if m is not None]\n{_FIRST}", SKIP),
    (f"ms = [m for m in ms if good(m)]\n{_EACH}", YES),
    (f"save(ms[0])\nms = ms[1:]\n{_EACH}", YES),
    ("save(ms[0])\nfor m in ms[1:]:\n    save(m)\n", YES),
    ("for m in ms[::-1]:\n    save(m)\n", YES),
    ("while ms:\n    save_all(ms[:5])\n    ms = ms[5:]\n", YES),
    ("while len(ms) > 0:\n    save_all(ms[:5])\n    del ms[:5]\n", YES),
])  # fmt: skip
def test_messages_that_a_python_program_drops_are_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    loop = "".join(f"    {line}\n" for line in f"{body}c.commit()".splitlines())
    assert_program(tmp_path / "a.py", f"{PYTHON_READER}{BATCH}{loop}", expected)


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_LIST}all = all.subList(0, 5);\n{_SAVES}", SKIP),
    (f"{_FILLED}all = all.subList(0, 5);\n{_SAVES}", SKIP),
    (f"{_FILLED}all.subList(5, all.size()).clear();\n{_SAVES}", SKIP),
    (f"{_FILLED}all.remove(0);\n{_SAVES}", SKIP),
    (f"{_LIST}save(all.get(0));\nfor (R r : all.subList(1, all.size())) {{ save(r); }}\n", YES),
    ("List<R> all = new ArrayList<>(rs.records(tp));\nwhile (!all.isEmpty()) {"
     " saveAll(all.subList(0, 5)); all = all.subList(5, all.size()); }\n", YES),
])  # fmt: skip
def test_records_that_a_java_program_drops_are_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % f"{body}c.commitSync();"), expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("var all = rs.toList()\nall = all.take(5)\nall.forEach { save(it) }", SKIP),
    ("var all = rs.toList()\nall = all.drop(1)\nfor (r in all) save(r)", SKIP),
    ("rs.take(5).forEach { save(it) }\nrs.drop(5).forEach { save(it) }", YES),
    ("rs.windowed(9, 9).forEach { saveAll(it) }", SKIP),
    ("rs.windowed(9, 9, partialWindows = true).forEach { saveAll(it) }", YES),
    ("var all = rs.toList()\nall = all.sortedBy { it.offset() }\nfor (r in all) save(r)", YES),
])  # fmt: skip
def test_records_that_a_kotlin_program_drops_are_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{body}\nc.commitSync()", ""), expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("val some = rs.asScala.toSeq.take(5)\nsome.foreach(r => save(r))", SKIP),
    ("rs.asScala.tail.foreach(r => save(r))", SKIP),
    ("rs.asScala.toList.init.foreach(r => save(r))", SKIP),
    ("val all = rs.asScala.toList\nsave(all.head)\nall.tail.foreach(r => save(r))", YES),
])  # fmt: skip
def test_records_that_a_scala_program_drops_are_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{body}\nc.commitSync()", ""), expected)
