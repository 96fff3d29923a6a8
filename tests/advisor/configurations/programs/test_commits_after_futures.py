"""Commits that run after futures complete: whether the poll loop waits for them.

Sources: KafkaConsumer javadoc (commitSync; "Multi-threaded Processing"); CompletableFuture
(`thenRun` is not run after an error); scala.concurrent.Future; kotlinx.coroutines, structured
concurrency.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA, WITH_METHOD

_FUTURES = "var fs = new ArrayList<CompletableFuture<Void>>(); for (var r : rs) fs.add(%s); "
_ALL = "CompletableFuture.allOf(fs.toArray(new CompletableFuture[0]))"
_SERVICE = _FUTURES % "service.process(r)"
_POOL = _FUTURES % "CompletableFuture.runAsync(() -> work(r), pool)"
_STARTED = _FUTURES % "CompletableFuture.runAsync(() -> save(r))"
_NEXT = "c.commitSync(Map.of(t, new OffsetAndMetadata(r.offset() + 1)))"
_FINISH = (
    "CompletableFuture<Void> finish(List<F> fs) {{ return {}.thenRun(() -> c.commitSync()); }}"
)


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_POOL}{_ALL}.thenRun(() -> c.commitSync());", BEFORE),
    (f"{_POOL}{_ALL}.thenRun(() -> c.commitSync()).join();", YES),
    (f"{_POOL}{_ALL}.thenRun(c::commitSync).join();", YES),
    (f"{_SERVICE}{_ALL}.thenRun(() -> c.commitSync());", BEFORE),
    (f"{_SERVICE}{_ALL}.thenRunAsync(() -> c.commitSync(), pool);", BEFORE),
    (f"{_SERVICE}{_ALL}.thenAccept(v -> c.commitSync());", BEFORE),
    (f"{_SERVICE}{_ALL}.whenComplete((v, e) -> {{ if (e == null) c.commitSync(); }});", BEFORE),
    (f"{_SERVICE}{_ALL}.thenRun(() -> c.commitSync()).get(1, TimeUnit.MINUTES);", YES),
    (f"{_SERVICE}var all = {_ALL}.thenRun(() -> c.commitSync());", BEFORE),
    (f"{_SERVICE}var all = {_ALL}.thenRun(() -> c.commitSync()); all.get();", YES),
    (f"{_SERVICE}{_ALL}.thenRun(() -> {{ c.commitSync(); latch.countDown(); }}); latch.await();",
     YES),
    (f"{_STARTED}{_ALL}.thenRun(() -> c.commitSync()).join();", YES),
    (f"{_STARTED}{_ALL}.whenComplete((v, e) -> c.commitSync()).join();", SKIP),
    (f"for (var r : rs) service.process(r).thenRun(() -> {_NEXT});", BEFORE),
    (f"for (var r : rs) service.process(r).thenRun(() -> {_NEXT}).join();", YES),
    # a commit that depends on whether the work is done already
    (f"{_SERVICE}{_ALL}.thenRun(() -> ready.set(true)); if (ready.get()) c.commitSync();", BEFORE),
    (f"{_SERVICE}{_ALL}.thenRun(() -> ready.set(true)); while (!ready.get()) sleep(9);\n"
     "if (ready.get()) c.commitSync();", YES),
    (f"{_SERVICE}{_ALL}.thenRun(() -> ready.set(true)).join(); if (ready.get()) c.commitSync();",
     YES),
    ("c.pause(c.assignment()); service.process(rs).thenRun(() -> ready.set(true));\n"
     "if (ready.getAndSet(false)) { c.commitSync(); c.resume(c.paused()); }", YES),
    ("service.process(rs).thenAccept(n -> done = true); if (done) { c.commitSync(); }", BEFORE),
    ("CompletableFuture<Void> f = service.process(rs); if (f.isDone()) c.commitSync();", BEFORE),
    ("Batch b = pending.peek(); if (b.isDone()) { c.commitSync(b.offsets()); } save(rs);", YES),
    ("for (var r : rs) process(r).thenRun(latch::countDown);\n"
     "if (latch.getCount() == 0) c.commitSync();", BEFORE),
])  # fmt: skip
def test_a_java_commit_that_the_poll_loop_does_not_wait_for_is_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % body), expected)


@pytest.mark.parametrize(("call", "expected"), [
    ("finish(fs);", BEFORE), ("finish(fs).join();", YES), ("finish(fs); latch.await();", YES),
])  # fmt: skip
def test_a_commit_future_that_a_method_returns_must_be_waited_for(
    tmp_path: Path, call: str, expected: str
) -> None:
    code = WITH_METHOD % (LOOP % f"{_SERVICE}{call}", _FINISH.format(_ALL))
    assert_program(tmp_path / "A.java", code, expected)


_KOTLIN_ALL = (
    "val fs = rs.map { r -> CompletableFuture.runAsync { work(r) } }\n"
    "CompletableFuture.allOf(*fs.toTypedArray()).thenRun { c.commitSync() }%s"
)


@pytest.mark.parametrize(("body", "expected"), [
    (_KOTLIN_ALL % "", BEFORE),
    (_KOTLIN_ALL % ".join()", YES),
    ("val jobs = rs.map { r -> scope.async { work(r) } }\nscope.launch {\njobs.awaitAll()\n"
     "c.commitSync()\n}", BEFORE),
    ("val jobs = rs.map { r -> scope.async { work(r) } }\nrunBlocking {\njobs.awaitAll()\n"
     "c.commitSync()\n}", YES),
    ("coroutineScope {\nlaunch {\nfor (r in rs) save(r)\nc.commitSync()\n}\n}", YES),
    ("withContext(Dispatchers.IO) {\nrs.forEach { save(it) }\nc.commitSync()\n}", YES),
    ("withContext(Dispatchers.IO) {\nc.commitSync()\nrs.forEach { save(it) }\n}", BEFORE),
    ("val d = scope.async {\nfor (r in rs) save(r)\nc.commitSync()\n}\nd.await()", YES),
    ("service.process(rs).whenComplete { _, e -> if (e == null) c.commitSync() }", BEFORE),
    ("val done = service.process(rs).thenAccept { c.commitSync() }\ndone.get()", YES),
])  # fmt: skip
def test_a_kotlin_commit_that_the_poll_loop_does_not_wait_for_is_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (body, ""), expected)


_TASKS = "val fs = rs.asScala.map(r => Future { work(r) }).toSeq\n"


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_TASKS}Future.sequence(fs).map(_ => c.commitSync())", BEFORE),
    (f"{_TASKS}Await.result(Future.sequence(fs).map(_ => c.commitSync()), 1.minute)", YES),
    (f"{_TASKS}val done = Future.sequence(fs).map(_ => c.commitSync())\n"
     "Await.result(done, 1.minute)", YES),
    ("val fs = rs.asScala.map(r => service.process(r)).toSeq\n"
     "Future.sequence(fs).map(_ => c.commitSync())", BEFORE),
    ("Future.traverse(rs.asScala.toSeq)(r => service.process(r)).map(_ => c.commitSync())", BEFORE),
    ("service.process(rs).map(_ => c.commitSync())", BEFORE),
    ("Await.result(service.process(rs).map(_ => c.commitSync()), 1.minute)", YES),
    ("val done: Future[Unit] = service.process(rs)\ndone.foreach(_ => c.commitSync())", BEFORE),
    ("rs.asScala.map(r => save(r)).foreach(_ => log.info(1))\nc.commitSync()", YES),
    ("val f = Future.sequence(rs.asScala.map(process))\nif (f.isCompleted) c.commitSync()", BEFORE),
])  # fmt: skip
def test_a_scala_commit_that_the_poll_loop_does_not_wait_for_is_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = f"import scala.concurrent.Future\n{SCALA % (body, '')}"
    assert_program(tmp_path / "A.scala", code, expected)
