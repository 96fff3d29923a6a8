"""Programs that process only some of the polled records: they copy them and take a part, drop a
part, or leave out those of a small group or all but one of a key.

The position of a consumer is after all records that a poll returned (KafkaConsumer javadoc, `poll`
and `commitSync()`; confluent-kafka, Consumer.consume). The others are therefore never read again.
Sources of the copies: Guava, Lists; java.util.stream; kotlin.collections; scala.collection.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.advisor.programs import ASIDE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import JAVA_APP, KOTLIN, LOOP, READER, SCALA, WITH_METHOD
from tests.advisor.programs.python import BATCH
from tests.advisor.programs.python import READER as PYTHON_READER

_STREAM = "StreamSupport.stream(rs.spliterator(), false)"
_LIST = "List<R> all = rs.records(tp);\n"
_FILLED = "List<R> all = new ArrayList<>();\nrs.forEach(all::add);\n"
_SAVES = "for (R r : all) { save(r); }\n"
JAVA_CASES = [
    ("Set<K> seen = new HashSet<>(); for (var r : rs) { seen.add(r.key()); save(r); } "
     "report(seen.iterator().next());", YES),
    ("Set<K> seen = new HashSet<>(); for (var r : rs) { seen.add(r.key()); meter.processed(r); } "
     "save(seen.iterator().next());", SKIP),
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
    (f"{_LIST}all = all.subList(0, 5);\n{_SAVES}", SKIP),
    (f"{_FILLED}all = all.subList(0, 5);\n{_SAVES}", SKIP),
    (f"{_FILLED}all.subList(5, all.size()).clear();\n{_SAVES}", SKIP),
    (f"{_FILLED}all.remove(0);\n{_SAVES}", SKIP),
    (f"{_LIST}save(all.get(0));\nfor (R r : all.subList(1, all.size())) {{ save(r); }}\n", YES),
    ("List<R> all = new ArrayList<>(rs.records(tp));\nwhile (!all.isEmpty()) {"
     " saveAll(all.subList(0, 5)); all = all.subList(5, all.size()); }\n", YES),
]  # fmt: skip
KOTLIN_CASES = [
    ("val l = mutableListOf<R>()\nfor (r in rs) { l.add(r) }\nsave(l.first())", SKIP),
    ("val l = mutableListOf<R>()\nfor (r in rs) l.add(r)\nl.take(9).forEach { save(it) }", SKIP),
    ("val l = mutableListOf<R>()\nfor (r in rs) { l.add(r)\nsave(r) }\nreport(l.first())", YES),
    ("val l = mutableListOf<R>()\nfor (r in rs) { l.add(r) }\nsaveAll(l)", YES),
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
    ("var all = rs.toList()\nall = all.take(5)\nall.forEach { save(it) }", SKIP),
    ("var all = rs.toList()\nall = all.drop(1)\nfor (r in all) save(r)", SKIP),
    ("rs.take(5).forEach { save(it) }\nrs.drop(5).forEach { save(it) }", YES),
    ("rs.windowed(9, 9).forEach { saveAll(it) }", SKIP),
    ("rs.windowed(9, 9, partialWindows = true).forEach { saveAll(it) }", YES),
    ("var all = rs.toList()\nall = all.sortedBy { it.offset() }\nfor (r in all) save(r)", YES),
    ("rs.chunked(10).filter { it.size == 10 }.forEach { save(it) }", SKIP),
    ("rs.chunked(10).filter { it.isNotEmpty() }.forEach { save(it) }", YES),
    ("rs.chunked(10).forEach { b -> if (b.size == 10) save(b) }", SKIP),
    ("rs.chunked(10).forEach { b -> if (b.size == 10) full(); save(b) }", YES),
    ("for (b in rs.chunked(10)) { if (b.size < 10) continue\nsave(b) }", SKIP),
    ("rs.associateBy { it.key() }.values.forEach { save(it) }", SKIP),
    ("rs.associateBy { it.key() to it.offset() }.values.forEach { save(it) }", YES),
    ("rs.groupBy { it.key() }.values.forEach { save(it.last()) }", SKIP),
    ("rs.groupBy { it.key() }.forEach { (_, group) -> save(group.last()) }", SKIP),
    ("rs.groupBy { it.key() }.values.forEach { group -> group.forEach { save(it) } }", YES),
]  # fmt: skip
SCALA_CASES = [
    ("val l = mutable.ListBuffer[R]()\nfor (r <- rs.asScala) l += r\nsave(l.head)", SKIP),
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
    ("val some = rs.asScala.toSeq.take(5)\nsome.foreach(r => save(r))", SKIP),
    ("rs.asScala.tail.foreach(r => save(r))", SKIP),
    ("rs.asScala.toList.init.foreach(r => save(r))", SKIP),
    ("val all = rs.asScala.toList\nsave(all.head)\nall.tail.foreach(r => save(r))", YES),
    ("rs.asScala.toSeq.sliding(9, 9).filter(_.size == 9).foreach(save)", SKIP),
    ("rs.asScala.toSeq.grouped(9).filter(_.nonEmpty).foreach(save)", YES),
    ("rs.asScala.toSeq.grouped(9).withPartial(false).foreach(save)", SKIP),
    ("for (b <- rs.asScala.toSeq.grouped(9) if b.length == 9) save(b)", SKIP),
    ("rs.asScala.map(r => r.key -> r).toMap.values.foreach(save)", SKIP),
]  # fmt: skip


@pytest.mark.parametrize(("program", "body", "expected"), [
    *[(READER % (LOOP % "%s c.commitSync();"), *case) for case in JAVA_CASES],
    *[(KOTLIN % ("%s\nc.commitSync()", ""), *case) for case in KOTLIN_CASES],
    *[(SCALA % ("%s\nc.commitSync()", ""), *case) for case in SCALA_CASES],
])  # fmt: skip
def test_processing_a_part_of_a_poll_is_reported(
    tmp_path: Path, program: str, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", program % body, expected)


@pytest.mark.parametrize(("method", "expected"), [
    ("void handle(List<R> all) { save(all.get(0)); }", SKIP),
    ("void handle(List<R> all) { for (R r : all) save(r); }", YES),
])  # fmt: skip
def test_a_method_that_processes_part_of_a_copy_is_reported(
    tmp_path: Path, method: str, expected: str
) -> None:
    loop = LOOP % "var all = list(rs); handle(all); c.commitSync();"
    assert_program(tmp_path / "A.java", WITH_METHOD % (loop, method), expected)


_EACH = "for m in ms:\n    save(m)\n"
_FIRST = "for m in ms[:5]:\n    save(m)\n"


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
    loop = indent(f"{body}c.commit()\n", "    ")
    assert_program(tmp_path / "a.py", f"{PYTHON_READER}{BATCH}{loop}", expected)


_FOR = "for (ConsumerRecord<String, String> r : rs) "
_LATEST = "Map<String, ConsumerRecord<String, String>> latest = new HashMap<>(); "
_VALUES = "for (ConsumerRecord<String, String> r : latest.values()) store.save(r.value());"
_QUEUE = "private final BlockingQueue<ConsumerRecord<String, String>> work = create();"
_COLLECTED = f"{_STREAM}.collect(Collectors."


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_LATEST}{_FOR}latest.put(r.key(), r); {_VALUES}", SKIP),
    (f"{_LATEST}{_FOR}{{ store.save(r); latest.put(r.key(), r); }} {_VALUES}", YES),
    (f"{_COLLECTED}toMap(ConsumerRecord::key, r -> r, (a, b) -> b)).values().forEach(store::save);",
     SKIP),
    (f"{_COLLECTED}groupingBy(ConsumerRecord::key)).values()"
     ".forEach(list -> store.save(list.get(list.size() - 1)));", SKIP),
    (f"{_FOR}work.put(r); while (!work.isEmpty()) {{ Thread.sleep(10); }}", ASIDE),
    (f"{_FOR}work.put(r); while (!work.isEmpty()) {{ store.save(work.poll()); }}", YES),
])  # fmt: skip
def test_a_java_program_must_process_every_record(tmp_path: Path, body: str, expected: str) -> None:
    code = JAVA_APP.format(more=_QUEUE, before="", body=f"{body} c.commitSync();")
    assert_program(tmp_path / "App.java", code, expected)


_NEW = "try (var pool = Executors.newVirtualThreadPerTaskExecutor())"
_SUBMITTED = f"{_NEW} {{ {_FOR}fs.add(pool.submit(() -> save(r))); }}"
_FUTURES = f"List<Future<?>> fs = new ArrayList<>(); {_SUBMITTED} "


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_NEW} {{ {_FOR}pool.submit(() -> save(r)); }}", SKIP),
    (f"ExecutorService pool = pool(); try (pool) {{ {_FOR}pool.submit(() -> save(r)); }}", SKIP),
    (f"{_FUTURES}for (Future<?> f : fs) f.get();", YES),
    (f"ForkJoinPool pool = pool(); {_FOR}pool.execute(() -> save(r)); "
     "pool.awaitQuiescence(1, TimeUnit.MINUTES);", SKIP),
])  # fmt: skip
def test_the_end_of_an_executor_waits_but_throws_no_error(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = JAVA_APP.format(more="", before="", body=f"{body} c.commitSync();")
    assert_program(tmp_path / "App.java", code, expected)
    if expected == SKIP:
        assert_program(tmp_path / "App.java", code, "application.commit=after-processing")
