"""Errors that a chain of calls collects in a variable, and records that are filtered or counted by
whether a method of another file processed them.

Sources: kotlin.collections (`fold`, `mapNotNull`); scala.collection (`foldLeft`, `partition`);
java.util.stream. A commit of all polled records covers those that failed (KafkaConsumer javadoc).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, SCALA, WITH_METHOD

JAVA = WITH_METHOD % (LOOP % "%s", "%s")


@pytest.mark.parametrize(("program", "body", "methods", "expected"), [
    (SCALA, "val errors = rs.asScala.foldLeft(List.empty[Throwable]) { (acc, r) => "
     "Try(process(r)) match { case Failure(e) => e :: acc; case Success(_) => acc } }\nif "
     '(errors.nonEmpty) log.error(s"failed ${errors.size}")', "", SKIP),
    (SCALA, "val (ok, failed) = rs.asScala.foldLeft((0, 0)) { case ((ok, failed), r) => "
     "Try(process(r)) match { case Success(_) => (ok + 1, failed); case Failure(_) => (ok, "
     'failed + 1) } }\nlog.info(s"$ok ok, $failed failed")', "", SKIP),
    (SCALA, "val (ok, failed) = rs.asScala.foldLeft((0, 0)) { case ((ok, failed), r) => "
     "Try(process(r)) match { case Success(_) => (ok + 1, failed); case Failure(_) => (ok, "
     'failed + 1) } }\nif (failed > 0) throw new IllegalStateException(s"$failed failed")', "",
     YES),
    (SCALA, "val failed = rs.asScala.foldLeft(0)((n, r) => if (Try(process(r)).isFailure) n + 1 "
     'else n)\nlog.info(s"$failed failed")', "", SKIP),
    (SCALA, 'val total = rs.asScala.foldLeft(0)((n, r) => n + save(r))\nlog.info(s"$total rows")',
     "", YES),
    (KOTLIN, "val errors = rs.fold(emptyList<Throwable>()) { acc, r -> runCatching { process(r) "
     '}.fold({ acc }, { acc + it }) }\nif (errors.isNotEmpty()) log.error("failed '
     '${errors.size}")', "", SKIP),
    (KOTLIN, "val errors = rs.fold(emptyList<Throwable>()) { acc, r -> runCatching { process(r) "
     "}.fold({ acc }, { acc + it }) }\nif (errors.isNotEmpty()) throw errors.first()", "", YES),
    (KOTLIN, "val errors = rs.mapNotNull { runCatching { process(it) }.exceptionOrNull() }\nif "
     '(errors.isNotEmpty()) log.error("failed ${errors.size}")', "", SKIP),
    (KOTLIN, "val errors = rs.mapNotNull { r -> try { process(r); null } catch (e: Exception) { e "
     '} }\nif (errors.isNotEmpty()) log.error("failed ${errors.size}")', "", SKIP),
    (SCALA, "val errors = rs.asScala.flatMap { r => try { process(r); None } catch { case "
     'NonFatal(e) => Some(e) } }\nif (errors.nonEmpty) log.error(s"failed ${errors.size}")', "",
     SKIP),
    (SCALA, "val errors = for { r <- rs.asScala.toList; e <- Try(process(r)).failed.toOption } "
     'yield e\nif (errors.nonEmpty) log.error(s"failed ${errors.size}")', "", SKIP),
    (JAVA, "List<Exception> errors = StreamSupport.stream(rs.spliterator(), false).map(r -> { "
     "try { process(r); return null; } catch (Exception e) { return e; } "
     '}).filter(Objects::nonNull).toList();\nif (!errors.isEmpty()) log.error("failed {}", '
     "errors.size());", "", SKIP),
    (JAVA, "List<Exception> errors = StreamSupport.stream(rs.spliterator(), false).map(r -> { "
     "try { process(r); return null; } catch (Exception e) { return e; } "
     "}).filter(Objects::nonNull).toList();\nif (!errors.isEmpty()) throw new "
     "IllegalStateException(errors.get(0));", "", YES),
    (JAVA, "List<Exception> errors = StreamSupport.stream(rs.spliterator(), "
     "false).map(this::attempt).filter(Objects::nonNull).toList();\nif (!errors.isEmpty()) "
     'log.error("failed {}", errors.size());',
     "Exception attempt(R r) { try { process(r); return null; } catch (Exception e) { "
     "return e; } }", SKIP),
    (JAVA, "List<Optional<Exception>> results = new ArrayList<>();\nfor (var r : rs) "
     "results.add(attempt(r));\nlong failed = "
     'results.stream().filter(Optional::isPresent).count();\nlog.info("{} failed", failed);',
     "Optional<Exception> attempt(R r) { try { process(r); return Optional.empty(); } "
     "catch (Exception e) { return Optional.of(e); } }", SKIP),
    (KOTLIN, "val errors = rs.mapNotNull { r -> try { process(r); null } catch (e: Exception) { "
     'letters.store(r); e } }\nlog.error("failed ${errors.size}")', "", YES),
    (KOTLIN, "val errors = rs.mapNotNull { r -> runCatching { process(r) }.onFailure { "
     'letters.store(r) }.exceptionOrNull() }\nlog.error("failed ${errors.size}")', "", YES),
    (KOTLIN, "val errors = rs.mapNotNull { r -> runCatching { process(r) }.exceptionOrNull() }\n"
     "reporter.report(errors)", "", YES),
    (KOTLIN, "val saved = rs.map { r -> try { process(r); r } catch (e: Exception) { throw "
     'IllegalStateException(e) } }\nlog.info("saved ${saved.size}")', "", YES),
    (JAVA, "List<Result> results = new ArrayList<>();\nfor (var r : rs) results.add(attempt(r));"
     "\nif (results.stream().anyMatch(Result::failed)) throw new IllegalStateException();",
     "Result attempt(R r) { try { return Result.of(process(r)); } catch (Exception e) { "
     "return Result.failure(e); } }", YES),
    (JAVA, "List<Row> rows = new ArrayList<>();\nfor (var r : rs) rows.add(parse(r));\n"
     'db.saveAll(rows);\nlog.info("{} rows", rows.size());',
     "Row parse(R r) { try { return mapper.readValue(r.value(), Row.class); } catch "
     "(IOException e) { return Row.invalid(r.value()); } }", YES),
    (SCALA, "val (failures, rows) = rs.asScala.toList.partitionMap(r => Try(parse(r)).toEither)\n"
     "if (failures.nonEmpty) throw failures.head\ndb.saveAll(rows)", "", YES),
    (JAVA, "for (var r : rs) {\nlong start = System.nanoTime();\nString key = r.key();\nOutcome "
     "o = tracer.trace(() -> { try { return save(r); } catch (Exception e) { throw new "
     'IllegalStateException(e); } });\nlog.info("{} {}", key, o);\n}', "", YES),
    (SCALA, "rs.asScala.map(r => (r, Try(process(r)))).foreach { case (r, Failure(e)) => "
     "log.error(r, e); case _ => () }", "", SKIP),
    (SCALA, "rs.asScala.map(r => (r, Try(process(r)))).foreach { case (r, Failure(e)) => "
     "letters.store(r, e); case _ => () }", "", YES),
    (JAVA, "for (var r : rs) { CompletableFuture.supplyAsync(() -> process(r))"
     ".handle((v, e) -> { if (e != null) log.error(e); return v; }).join(); }", "", SKIP),
    (JAVA, "for (var r : rs) { CompletableFuture.supplyAsync(() -> process(r))"
     ".handle((v, e) -> { if (e != null) letters.store(r); return v; }).join(); }", "", YES),
])  # fmt: skip
def test_collected_errors_that_are_only_logged_are_reported(
    tmp_path: Path, program: str, body: str, methods: str, expected: str
) -> None:
    end = ";" if program is JAVA else ""
    assert_program(
        tmp_path / "A.java", program % (f"{body}\nc.commitSync(){end}", methods), expected
    )


@pytest.mark.parametrize(("program", "body", "expected"), [
    (KOTLIN, 'val failed = rs.count { !process(it) }\nlog.warn("$failed failed")', SKIP),
    (KOTLIN, "val failed = rs.count { !process(it) }\nif (failed > 0) throw "
     'IllegalStateException("$failed")', YES),
    (KOTLIN, 'val failed = rs.count { !process(it) }\ncheck(failed == 0) { "$failed failed" }',
     YES),
    (KOTLIN, "rs.filterNot { process(it) }.forEach { letters.store(it) }", YES),
    (KOTLIN, 'rs.filterNot { process(it) }.forEach { log.warn("failed $it") }', SKIP),
    (KOTLIN, 'val (ok, failed) = rs.partition { process(it) }\nlog.info("${ok.size} ok, '
     '${failed.size} failed")', SKIP),
    (KOTLIN, "val (ok, failed) = rs.partition { process(it) }\n"
     "failed.forEach { letters.store(it) }", YES),
    (KOTLIN, "val ok = rs.all { process(it) }\nif (ok)", SKIP),
    (KOTLIN, "if (!rs.all { process(it) }) throw IllegalStateException()", YES),
    (KOTLIN, "rs.filter { needs(it) }.forEach { save(it) }", YES),
    (KOTLIN, "rs.filter { saveIfAbsent(it) }.forEach { notify(it) }", YES),
    (JAVA, "long failed = StreamSupport.stream(rs.spliterator(), false).filter(r -> "
     '!service.process(r)).count();\nlog.warn("{} failed", failed);', SKIP),
    (JAVA, "List<R> failed = StreamSupport.stream(rs.spliterator(), false).filter(r -> "
     '!service.handle(r)).toList();\nif (!failed.isEmpty()) log.warn("{} failed", failed);', SKIP),
    (JAVA, "List<R> failed = StreamSupport.stream(rs.spliterator(), false).filter(r -> "
     "!service.handle(r)).toList();\nif (!failed.isEmpty()) letters.storeAll(failed);", YES),
    (JAVA, "boolean ok = StreamSupport.stream(rs.spliterator(), false).allMatch(service::handle);"
     '\nif (!ok) log.error("some failed");', SKIP),
    (SCALA, 'val failed = rs.asScala.filterNot(process)\nfailed.foreach(r => log.warn(s"failed '
     '$r"))', SKIP),
    (SCALA, "if (rs.asScala.exists(r => !process(r))) throw new IllegalStateException", YES),
    (SCALA, 'if (rs.asScala.exists(r => !process(r))) log.error("failed")', SKIP),
])  # fmt: skip
def test_records_filtered_by_another_method_are_reported(
    tmp_path: Path, program: str, body: str, expected: str
) -> None:
    end = ";" if program is JAVA else ""
    assert_program(tmp_path / "A.java", program % (f"{body}\nc.commitSync(){end}", ""), expected)
