"""Programs on the JVM that group records by the outcome of processing, or pair each record with its
outcome, and only log what failed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_STREAM = "StreamSupport.stream(rs.spliterator(), false)"
_BY = f"var m = {_STREAM}.collect(Collectors.%s); %s\nc.commitSync();"
_TRIED = "partitioningBy(r -> tryProcess(r), Collectors.counting())"
_LOGGED = 'log.info("{}", m);'


@pytest.mark.parametrize(
    ("collector", "then", "expected"),
    [
        (_TRIED, _LOGGED, SKIP),
        (_TRIED, "long failed = m.get(false); if (failed > 0) log.warn(failed);", SKIP),
        (_TRIED, "long failed = m.get(false); if (failed > 0) throw new X();", YES),
        (_TRIED, "if (m.get(false) > 0) log.warn(m.get(false));", SKIP),
        (_TRIED, "if (m.get(false) > 0) throw new X();", YES),
        ("partitioningBy(this::trySave)", "if (!m.get(false).isEmpty()) log.warn(x);", SKIP),
        ("partitioningBy(this::trySave)", "m.get(false).forEach(r -> log.warn(r));", SKIP),
        ("partitioningBy(this::trySave)", "m.get(false).forEach(r -> letters.store(r));", YES),
        ("groupingBy(this::process, Collectors.counting())", _LOGGED, SKIP),
        ("groupingBy(r -> process(r))", "m.forEach((k, v) -> log.info(k));", SKIP),
        ("groupingBy(ConsumerRecord::topic)", "m.forEach((k, v) -> writer.write(k, v));", YES),
        ("toMap(r -> r.key(), r -> trySave(r))", _LOGGED, SKIP),
        ("toMap(r -> r.key(), r -> trySave(r))", "if (m.containsValue(false)) throw x;", YES),
    ],
)
def test_groups_in_java(collector: str, then: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % (_BY % (collector, then))), expected)


def test_a_method_that_tries_to_process_a_record_returns_whether_it_did(tmp_path: Path) -> None:
    code = 'for (var r : rs) { boolean ok = trySave(r); if (!ok) log.warn("x"); } c.commitSync();'
    assert_program(tmp_path / "A.java", READER % (LOOP % code), SKIP)


_PAIRS = "val all = rs.map { it to runCatching { save(it) } }\n"
_WITH = "val all = rs.associateWith { runCatching { save(it) } }\n"
_TRIES = "val all = rs.map { runCatching { save(it) } }\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("val m = rs.groupBy { process(it) }\nlog.info(m.size)", SKIP),
        ("val m = rs.groupBy { r -> process(r) }\nm.forEach { (k, v) -> log.info(k) }", SKIP),
        ("val m = rs.groupBy { process(it) }\nm[State.BAD]?.forEach { letters.store(it) }", YES),
        ("val m = rs.groupingBy { process(it) }.eachCount()\nlog.info(m)", SKIP),
        ("val (ok, failed) = rs.partition { r -> tryProcess(r) }\nlog.info(failed.size)", SKIP),
        (_PAIRS + "all.forEach { (r, it) -> it.onFailure { e -> log.error(r, e) } }", SKIP),
        (_PAIRS + "all.forEach { (r, it) -> it.onFailure { letters.store(r) } }", YES),
        (_PAIRS + "all.filter { it.second.isFailure }.forEach { (r, _) -> letters.store(r) }",
         YES),
        (_PAIRS + "val bad = all.filter { (_, it) -> it.isFailure }\n"
         "if (bad.isNotEmpty()) log.warn(bad.size)", SKIP),
        (_PAIRS + "all.forEach { (r, it) -> it.getOrThrow() }", YES),
        (_WITH + "all.filterValues { it.isFailure }.forEach { (r, it) -> log.error(it) }", SKIP),
        (_WITH + "all.filterValues { it.isFailure }.forEach { (r, _) -> letters.store(r) }", YES),
        ("val all = rs.map { Outcome(it, runCatching { save(it) }) }\n"
         "all.forEach { o -> o.result.onFailure { log.error(it) } }", SKIP),
        (_TRIES + "all.forEach { r -> r.fold({ ok.add(it) }, { log.error(x, it) }) }", SKIP),
        (_TRIES + "all.forEach { r -> r.fold({ log.info(x) }, { letters.store(it) }) }", YES),
        ("val bad = rs.filter { runCatching { save(it) }.isFailure }\n"
         "if (bad.isNotEmpty()) throw X()", YES),
        ("val bad = rs.filter { runCatching { save(it) }.isFailure }\n"
         "if (bad.isNotEmpty()) log.error(bad.size)", SKIP),
        ("rs.filter { runCatching { save(it) }.isFailure }.forEach { letters.store(it) }", YES),
        ("rs.filter { runCatching { save(it) }.isSuccess }.forEach { audit(it) }", SKIP),
        ("if (rs.any { runCatching { save(it) }.isFailure }) throw X()", YES),
        ("if (!rs.all { runCatching { save(it) }.isSuccess }) log.error(x)", SKIP),
        ("val n = rs.count { runCatching { save(it) }.isFailure }\nif (n > 0) throw X()", YES),
        ("val n = rs.count { runCatching { save(it) }.isFailure }\nlog.info(n)", SKIP),
        ("val (bad, ok) = rs.partition { runCatching { save(it) }.isFailure }\n"
         "bad.forEach { letters.store(it) }", YES),
        ("val (ok, bad) = rs.partition { runCatching { save(it) }.isSuccess }\n"
         "check(bad.isEmpty())", YES),
    ],
)  # fmt: skip
def test_groups_and_pairs_in_kotlin(code: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{code}\nc.commitSync()", ""), expected)


_TRIED_PAIRS = "val all = rs.asScala.map(r => (r, Try(save(r))))\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("val m = rs.asScala.groupBy(r => process(r))\nlog.info(m.size)", SKIP),
        ("val m = rs.asScala.groupMapReduce(r => process(r))(_ => 1)(_ + _)\n"
         "m.foreach { case (k, n) => log.info(k) }", SKIP),
        (_TRIED_PAIRS + "for ((r, t) <- all) t match { case Failure(e) => log.error(e); "
         "case _ => () }", SKIP),
        (_TRIED_PAIRS + "for ((r, t) <- all) t match { case Failure(e) => letters.store(r); "
         "case _ => () }", YES),
        (_TRIED_PAIRS + "val (ok, bad) = all.partition(_._2.isSuccess)\nlog.info(bad.size)", SKIP),
        (_TRIED_PAIRS + "val (ok, bad) = all.partition(_._2.isSuccess)\n"
         "if (bad.nonEmpty) throw new X()", YES),
        ("rs.asScala.map(r => r -> Try(save(r))).foreach { case (r, Failure(e)) => "
         "log.error(e); case (r, Success(_)) => log.info(r) }", SKIP),
    ],
)  # fmt: skip
def test_groups_and_pairs_in_scala(code: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{code}\nc.commitSync()", ""), expected)
