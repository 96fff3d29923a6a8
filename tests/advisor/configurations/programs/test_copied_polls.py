"""Programs that copy the polled records and process only some of them.

Sources: KafkaConsumer javadoc (`poll`, `commitSync()`); Guava, Lists; java.util.stream;
kotlin.collections; scala.collection.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA, WITH_METHOD

_STREAM = "StreamSupport.stream(rs.spliterator(), false)"


@pytest.mark.parametrize(("body", "expected"), [
    ("List<R> all = list(rs); save(all.get(0));", SKIP),
    ("List<R> all = Lists.newArrayList(rs); save(all.get(0));", SKIP),
    ("var all = ImmutableList.copyOf(rs); save(all.get(0));", SKIP),
    ("var all = IterableUtils.toList(rs); save(all.get(all.size() - 1));", SKIP),
    (f"List<R> all = {_STREAM}.toList(); save(all.get(0));", SKIP),
    (f"List<R> all = {_STREAM}.collect(Collectors.toList()); save(all.getFirst());", SKIP),
    (f"List<V> all = {_STREAM}.map(R::value).toList(); save(all.get(0));", SKIP),
    (f"List<V> all = {_STREAM}.map(R::value).toList(); saveAll(all);", YES),
    ("R[] all = Iterables.toArray(rs, R.class); save(all[0]);", SKIP),
    ("var all = list(rs); var first = all.get(0); save(first);", SKIP),
    ("var all = list(rs); all.sort(byKey); save(all.get(0));", SKIP),
    ("var all = list(rs); Collections.sort(all); save(all.get(0));", SKIP),
    ("var all = list(rs); if (all.isEmpty()) continue; save(all.iterator().next());", SKIP),
    ("save(Lists.newArrayList(rs).get(0));", SKIP),
    ("var q = new ArrayDeque<>(list(rs)); save(q.poll());", SKIP),
    ("var q = new ArrayDeque<>(list(rs)); while (!q.isEmpty()) { save(q.poll()); }", YES),
    ("var all = list(rs); while (!all.isEmpty()) { save(all.get(0)); all.remove(0); }", YES),
    ("var all = list(rs); for (var r : all) save(r); log.info(all.get(0));", YES),
    ("var all = list(rs); save(all.get(0)); for (var r : all.subList(1, all.size())) save(r);",
     YES),
    ("var all = list(rs); if (all.size() == 1) save(all.get(0)); else saveAll(all);", YES),
    ("var all = list(rs); for (int i = 0; i < all.size(); i++) { save(all.get(i)); }", YES),
])  # fmt: skip
def test_processing_part_of_a_java_copy_is_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % f"{body} c.commitSync();"), expected)


@pytest.mark.parametrize(("method", "expected"), [
    ("void handle(List<R> all) { save(all.get(0)); }", SKIP),
    ("void handle(List<R> all) { for (R r : all) save(r); }", YES),
])  # fmt: skip
def test_a_method_that_processes_part_of_a_copy_is_reported(
    tmp_path: Path, method: str, expected: str
) -> None:
    loop = LOOP % "var all = list(rs); handle(all); c.commitSync();"
    assert_program(tmp_path / "A.java", WITH_METHOD % (loop, method), expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("val all = rs.map { it.value() }\nsave(all.first())", SKIP),
    ("val all = rs.toMutableList()\nsave(all[0])", SKIP),
    ("save(rs.toList()[0])", SKIP),
    ("val all = ArrayList(rs.toList())\nsave(all.first())", SKIP),
    ("val all = rs.sortedBy { it.timestamp() }\nsave(all.first())", SKIP),
    ("val newest = rs.maxByOrNull { it.timestamp() } ?: continue\nsave(newest)", SKIP),
    ("val all = rs.toList()\nval first = all.firstOrNull() ?: continue\nsave(first)", SKIP),
    ("val all = rs.toList()\nfor (i in 0 until all.size) save(all[i])", YES),
    ("val all = rs.map { parse(it) }\nsaveAll(all)", YES),
    ("rs.chunked(100).forEach { saveAll(it) }", YES),
    ("val (first) = rs.toList()\nsave(first)", SKIP),
    ("val (first, second) = rs.map { it.value() }\nsave(first)\nsave(second)", SKIP),
    ("val (first, second) = parse(rs)\nsave(first)\nsave(second)", YES),
    ("rs.takeWhile { running }.forEach { save(it) }", SKIP),
])  # fmt: skip
def test_processing_part_of_a_kotlin_copy_is_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{body}\nc.commitSync()", ""), expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("val all = rs.asScala.toVector\nsave(all(0))", SKIP),
    ("val all = Vector.from(rs.asScala)\nsave(all.head)", SKIP),
    ("val all = rs.asScala.map(_.value).toList\nsave(all.head)", SKIP),
    ("val newest = rs.asScala.maxBy(_.timestamp)\nsave(newest)", SKIP),
    ("val all = rs.asScala.toList\nsave(all.head)\nall.tail.foreach(save)", YES),
    ("val all = rs.asScala.toIndexedSeq\nfor (i <- all.indices) save(all(i))", YES),
    ("val all = rs.asScala.toList\nall.grouped(10).foreach(saveAll)", YES),
    ("val Seq(first, _*) = rs.asScala.toSeq\nsave(first)", SKIP),
    ("val List(a, b, _*) = rs.asScala.toList\nsave(a)\nsave(b)", SKIP),
    ("val first :: rest = rs.asScala.toList\nsave(first)", SKIP),
    ("val first :: rest = rs.asScala.toList\nsave(first)\nlog.debug(rest)", SKIP),
    ("val first :: rest = rs.asScala.toList\nsave(first)\nrest.foreach(save)", YES),
    ("val all = rs.asScala.toVector\nval init :+ last = all\ninit.foreach(save)", SKIP),
    ("val (now, later) = rs.asScala.toList.splitAt(9)\nnow.foreach(save)", SKIP),
    ("val (now, later) = rs.asScala.toList.splitAt(9)\nnow.foreach(save)\nlater.foreach(save)",
     YES),
    ("val (good, bad) = rs.asScala.toList.span(valid)\ngood.foreach(save)", SKIP),
    ("val (good, bad) = rs.asScala.toList.span(valid)\ngood.foreach(save)\nbad.foreach(park)",
     YES),
    ("rs.asScala.toList match { case first :: rest => save(first); case Nil => () }", SKIP),
])  # fmt: skip
def test_processing_part_of_a_scala_copy_is_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{body}\nc.commitSync()", ""), expected)
