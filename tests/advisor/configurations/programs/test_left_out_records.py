"""Programs in Java, Kotlin and Scala that leave out the records of a small group, or all but one
record of a key. The position of a consumer is after all records that `poll()` returned
(KafkaConsumer javadoc)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import ASIDE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import JAVA_APP, KOTLIN, SCALA

_EACH = "for (ConsumerRecord<String, String> r : rs) "
_LATEST = "Map<String, ConsumerRecord<String, String>> latest = new HashMap<>(); "
_VALUES = "for (ConsumerRecord<String, String> r : latest.values()) store.save(r.value());"
_QUEUE = "private final BlockingQueue<ConsumerRecord<String, String>> work = create();"
_STREAM = "StreamSupport.stream(rs.spliterator(), false).collect(Collectors."


@pytest.mark.parametrize(("body", "expected"), [
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
])  # fmt: skip
def test_a_kotlin_program_must_process_every_record(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{body}\nc.commitSync()", ""), expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("rs.asScala.toSeq.sliding(9, 9).filter(_.size == 9).foreach(save)", SKIP),
    ("rs.asScala.toSeq.grouped(9).filter(_.nonEmpty).foreach(save)", YES),
    ("rs.asScala.toSeq.grouped(9).withPartial(false).foreach(save)", SKIP),
    ("for (b <- rs.asScala.toSeq.grouped(9) if b.length == 9) save(b)", SKIP),
    ("rs.asScala.map(r => r.key -> r).toMap.values.foreach(save)", SKIP),
])  # fmt: skip
def test_a_scala_program_must_process_every_record(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{body}\nc.commitSync()", ""), expected)


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_LATEST}{_EACH}latest.put(r.key(), r); {_VALUES}", SKIP),
    (f"{_LATEST}{_EACH}{{ store.save(r); latest.put(r.key(), r); }} {_VALUES}", YES),
    (f"{_STREAM}toMap(ConsumerRecord::key, r -> r, (a, b) -> b)).values().forEach(store::save);",
     SKIP),
    (f"{_STREAM}groupingBy(ConsumerRecord::key)).values()"
     ".forEach(list -> store.save(list.get(list.size() - 1)));", SKIP),
    (f"{_EACH}work.put(r); while (!work.isEmpty()) {{ Thread.sleep(10); }}", ASIDE),
    (f"{_EACH}work.put(r); while (!work.isEmpty()) {{ store.save(work.poll()); }}", YES),
])  # fmt: skip
def test_a_java_program_must_process_every_record(tmp_path: Path, body: str, expected: str) -> None:
    code = JAVA_APP.format(more=_QUEUE, before="", body=f"{body} c.commitSync();")
    assert_program(tmp_path / "App.java", code, expected)


_NEW = "try (var pool = Executors.newVirtualThreadPerTaskExecutor())"
_SUBMITTED = f"{_NEW} {{ {_EACH}fs.add(pool.submit(() -> save(r))); }}"
_FUTURES = f"List<Future<?>> fs = new ArrayList<>(); {_SUBMITTED} "


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_NEW} {{ {_EACH}pool.submit(() -> save(r)); }}", SKIP),
    (f"ExecutorService pool = pool(); try (pool) {{ {_EACH}pool.submit(() -> save(r)); }}", SKIP),
    (f"{_FUTURES}for (Future<?> f : fs) f.get();", YES),
    (f"ForkJoinPool pool = pool(); {_EACH}pool.execute(() -> save(r)); "
     "pool.awaitQuiescence(1, TimeUnit.MINUTES);", SKIP),
])  # fmt: skip
def test_the_end_of_an_executor_waits_but_throws_no_error(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = JAVA_APP.format(more="", before="", body=f"{body} c.commitSync();")
    assert_program(tmp_path / "App.java", code, expected)
    if expected == SKIP:
        assert_program(tmp_path / "App.java", code, "application.commit=after-processing")
