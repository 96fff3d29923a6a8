"""Records that are not processed, or whose processing failed, and the commit that covers them.

The same commit ends the body of each case: `commitSync()` covers all polled records (KafkaConsumer
javadoc). Errors and outcomes are collected as in kotlin.collections (`fold`, `mapNotNull`),
scala.collection (`foldLeft`, `partition`) and java.util.stream.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, SCALA, WITH_METHOD

JAVA = WITH_METHOD % (LOOP % "%s", "%s")
CHOSEN_RECORDS = [
    (KOTLIN, "rs.filter { it.key() != null }.first().let { process(it) }", "", SKIP),
    (JAVA, "StreamSupport.stream(rs.spliterator(), false).filter(r -> r.key() != "
     "null).limit(10).forEach(this::process);", "", SKIP),
    (JAVA, "StreamSupport.stream(rs.spliterator(), false).filter(r -> r.key() != "
     "null).forEach(this::process);", "", YES),
    (KOTLIN, 'val first = rs.firstOrNull { it.key() == "x" }\nrs.forEach { process(it) }', "", YES),
    (JAVA, "Order latest = null;\nfor (var r : rs) { Order o = parse(r.value()); "
     "latest = o; }\nrepo.save(latest);", "", SKIP),
    (JAVA, "R last = null;\nfor (var r : rs) { process(r); last = r; }\nif (last != "
     "null) c.commitSync(Map.of(tp, new OffsetAndMetadata(last.offset() + 1)));", "", YES),
    (JAVA, "R previous = null;\nfor (var r : rs) { if (previous != null && "
     "!previous.key().equals(r.key())) flush(previous.key()); add(r); previous = "
     "r; }", "", YES),
    (JAVA, "for (var r : rs) { current = r; process(r); }", "", YES),
    (JAVA, "ConsumerRecord<String, String> latest = null;\nfor (ConsumerRecord<String, "
     "String> r : rs) { if (latest == null || r.timestamp() > "
     "latest.timestamp()) latest = r; }\nif (latest != null) "
     "store.put(latest.key(), latest.value());", "", SKIP),
    (KOTLIN, "rs.asSequence().filter { it.key() != null }.take(100).forEach { "
     "process(it) }", "", SKIP),
    (JAVA, "process(rs.iterator().next());\nc.commitSync(offsets(rs));", "", SKIP),
    (JAVA, "rs.forEach(this::process);\nc.commitSync(offsets(rs));", "", YES),
]  # fmt: skip
"""Loops and chains that process one of the polled records, or a part of them."""
LAST_ATTEMPTS = [
    (JAVA, "for (var r : rs) { attempt(r, 3); }",
     "void attempt(R r, int left) { try { process(r); } catch (Exception e) { if "
     '(left > 0) { attempt(r, left - 1); } else { log.error("gave up", e); } } }', SKIP),
    (JAVA, "for (var r : rs) { attempt(r, 3); }",
     "void attempt(R r, int left) { try { process(r); } catch (Exception e) { if "
     "(left > 0) { attempt(r, left - 1); } else { throw e; } } }", YES),
    (JAVA, "for (var r : rs) { attempt(r, 3); }",
     "void attempt(R r, int left) { try { process(r); } catch (Exception e) { if "
     "(left > 0) { attempt(r, left - 1); } else { letters.store(r); } } }", YES),
    (JAVA, "for (var r : rs) { handle(r); }",
     "void handle(R r) { int n = attempts(r); try { process(r); } catch "
     "(Exception e) { if (n < 3) { republish(r, n + 1); } else { "
     "letters.store(r); } } }", YES),
    (JAVA, "for (var r : rs) { handle(r); }",
     "void handle(R r) { int n = attempts(r); try { process(r); } catch "
     '(Exception e) { if (n < 3) { republish(r, n + 1); } else { log.error("gave '
     'up", e); } } }', SKIP),
    (KOTLIN, "for (r in rs) attempt(r, 3)",
     "fun attempt(r: R, left: Int) { runCatching { process(r) }.onFailure { if "
     '(left > 0) attempt(r, left - 1) else log.error("gave up", it) } }', SKIP),
    (JAVA, "for (var r : rs) { try { post(r); } catch (HttpException e) { if "
     '(e.status() >= 500) throw e; log.warn("dropped", e); } }', "", SKIP),
    (JAVA, "for (var r : rs) { handle(r); }",
     "void handle(R r) { int n = attempts(r); try { process(r); } catch "
     "(Exception e) { if (n < 3) { republish(r, n + 1); return; } "
     'log.error("gave up", e); } }', SKIP),
    (JAVA, "for (var r : rs) { handle(r); }",
     "void handle(R r) { int n = attempts(r); try { process(r); } catch "
     "(Exception e) { if (n < 3) { republish(r, n + 1); return; } "
     "letters.store(r); } }", YES),
    (JAVA, "for (var r : rs) { handle(r); }",
     "void handle(R r) { int n = 0; while (true) { try { process(r); return; } "
     'catch (Exception e) { if (++n >= 3) { throw e; } else { log.warn("again", '
     "e); } } } }", YES),
    (JAVA, "for (var r : rs) { for (int i = 1; ; i++) { try { process(r); break; } "
     'catch (Exception e) { if (i >= 3) { throw e; } log.warn("again", e); } } }', "", YES),
    (SCALA, "rs.asScala.foreach { r => Try(post(r)) match {\ncase Success(_) => ()\n"
     'case Failure(e: HttpException) => log.warn("dropped", e)\ncase Failure(e) '
     "=> throw e\n} }", "", SKIP),
    (SCALA, "rs.asScala.foreach { r => Try(post(r)) match {\ncase Success(_) => ()\n"
     'case Failure(e: DuplicateKeyException) => log.debug("seen before")\ncase '
     "Failure(e) => throw e\n} }", "", YES),
    (SCALA, "rs.asScala.foreach { r => Try(post(r)) match {\ncase Failure(e) => "
     "letters.store(r)\ncase _ => ()\n} }", "", YES),
    (SCALA, "rs.asScala.foreach { r => Try(post(r)).recover {\ncase e: "
     'DuplicateKeyException => log.debug("seen before")\n}.get }', "", YES),
    (SCALA, "@tailrec\ndef attempt(r: ConsumerRecord[String, String], n: Int): Unit = "
     "Try(process(r)) match {\n  case Success(_) => ()\n  case Failure(_) if n > "
     "0 => attempt(r, n - 1)\n  case Failure(e) => throw e\n}\n"
     "rs.asScala.foreach(r => attempt(r, 3))", "", YES),
    (SCALA, "@tailrec\ndef attempt(r: ConsumerRecord[String, String], n: Int): Unit = "
     "Try(process(r)) match {\n  case Success(_) => ()\n  case Failure(_) if n > "
     '0 => attempt(r, n - 1)\n  case Failure(e) => logger.error("gave up", e)\n}'
     "\nrs.asScala.foreach(r => attempt(r, 3))", "", SKIP),
    (JAVA, "for (ConsumerRecord<String, String> r : rs) {\nfor (int attempt = 1; "
     "attempt <= MAX_ATTEMPTS; attempt++) {\ntry { process(r); break; } catch "
     '(RetriableException e) { log.warn("attempt {} failed", attempt, e); '
     "backoff(attempt); }\n}\n}", "", SKIP),
]  # fmt: skip
"""Handlers that do something about an error except after the last attempt, or for some errors."""
ASSIGNED_ATTEMPTS = [
    (KOTLIN, "for (r in rs) { val n = runCatching { process(r) }.onFailure { log.error(it) } }", "",
     SKIP),
    (KOTLIN, "for (r in rs) { val n = runCatching { process(r) }.onFailure { log.error(it) }"
     '.getOrNull()\nlog.info("saved $n") }', "", SKIP),
    (KOTLIN, "for (r in rs) { val n = runCatching { process(r) }.onFailure { log.error(it) }\n"
     "n.getOrThrow() }", "", YES),
    (KOTLIN, "for (r in rs) { val n = runCatching { process(r) }.onFailure { log.error(it) }\n"
     "if (n.isFailure) letters.store(r) }", "", YES),
    (KOTLIN, 'val lag = runCatching { metrics.lag() }.getOrDefault(0)\nlog.info("lag $lag")\n'
     "rs.forEach { process(it) }", "", YES),
    (JAVA, 'for (var r : rs) { var t = Try.run(() -> process(r)).onFailure(e -> log.error(e)); '
     "if (t.isFailure()) letters.store(r); }", "", YES),
    (JAVA, "for (var r : rs) { Integer n = Try.of(() -> process(r)).onFailure(e -> log.error(e))"
     ".getOrElseThrow(e -> e); }", "", YES),
]  # fmt: skip
"""Attempts whose error is only logged, and whose value a variable takes."""
LOGGED_ATTEMPTS = [
    (KOTLIN, 'for (r in rs) log.info("ok: {}", runCatching { process(r) }.isSuccess)', "", SKIP),
    (KOTLIN, 'for (r in rs) log.info("ok: {}", runCatching { process(r) }.getOrThrow())', "", YES),
    (KOTLIN, 'log.info("bad: {}", rs.map { runCatching { process(it) } }.count { it.isFailure })',
     "", SKIP),
    (KOTLIN, 'log.info("failed: " + rs.map { process(it) }.count { it.isFailure })', "", SKIP),
    (KOTLIN, 'log.info("lag {}", runCatching { metrics.lag() }.getOrNull())\n'
     "rs.forEach { process(it) }", "", YES),
    (KOTLIN, "check(runCatching { processAll(rs) }.isSuccess)", "", YES),
    (SCALA, 'for (r <- rs.asScala) log.info("ok: {}", Try(process(r)))', "", SKIP),
]  # fmt: skip
"""Attempts in the arguments of a log."""
UNNAMED_OUTCOMES = [
    (JAVA, "for (ConsumerRecord<String, String> r : rs) {\nif (!seen.add(r.key())) "
     'continue;\nif (!validator.isValid(r)) { log.warn("invalid {}", r); '
     "continue; }\nboolean stored = store.put(r.key(), r.value());\nif (!stored) "
     'log.warn("not stored {}", r.key());\n}', "", SKIP),
    (JAVA, "List<String> failedIds = service.processBatch(rs);\nif "
     '(!failedIds.isEmpty()) { log.warn("failed ids: {}", failedIds); }', "", SKIP),
    (JAVA, "List<String> failedIds = service.processBatch(rs);\nif "
     "(!failedIds.isEmpty()) { retryTopic.sendAll(failedIds); }", "", YES),
    (KOTLIN, "val response = httpClient.post(url) { setBody(rs.map { it.value() }) }\nif "
     '(!response.status.isSuccess()) { logger.error("post failed '
     '${response.status}") }', "", SKIP),
    (KOTLIN, "val response = httpClient.post(url) { setBody(rs.map { it.value() }) }\n"
     'check(response.status.isSuccess()) { "post failed ${response.status}" }', "", YES),
    (KOTLIN, "var ok = true\nfor (r in rs) { ok = ok && handler.handle(r) }\nif (ok) "
     "c.commitSync()", "", SKIP),
    (KOTLIN, "var ok = true\nfor (r in rs) { ok = ok && handler.handle(r) }\nif (!ok) "
     'error("some failed")', "", YES),
    (JAVA, "for (var r : rs) { boolean queued = queue.offer(r); if (!queued) "
     'log.warn("full"); }', "", SKIP),
    (JAVA, "for (var r : rs) { switch (process(r)) { case OK -> ok++; case RETRY -> throw new "
     'Again(); case FATAL -> log.error("fatal"); } }', "", SKIP),
    (JAVA, "Set<String> seen = new HashSet<>();\nfor (var r : rs) { boolean added = "
     'seen.add(r.key()); if (!added) { log.debug("duplicate"); continue; } '
     "process(r); }", "", YES),
]  # fmt: skip
"""Outcomes that are only logged: lists of failures, statuses, accumulated flags."""
COLLECTED_ERRORS = [
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
]  # fmt: skip
"""Errors that a chain of calls collects in a variable."""
FILTERED_RECORDS = [(program, body, "", expected) for program, body, expected in [
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
]]  # fmt: skip
"""Records that are filtered or counted by whether a method of another file processed them."""
CASES = {
    "chosen-record": CHOSEN_RECORDS,
    "last-attempt": LAST_ATTEMPTS,
    "assigned-attempt": ASSIGNED_ATTEMPTS,
    "logged-attempt": LOGGED_ATTEMPTS,
    "unnamed-outcome": UNNAMED_OUTCOMES,
    "collected-error": COLLECTED_ERRORS,
    "filtered-record": FILTERED_RECORDS,
}


@pytest.mark.parametrize(
    ("program", "body", "methods", "expected"),
    [pytest.param(*case, id=f"{name}-{i}") for name in CASES for i, case in enumerate(CASES[name])],
)
def test_a_commit_after_a_record_that_is_not_processed_skips_it(
    tmp_path: Path, program: str, body: str, methods: str, expected: str
) -> None:
    commit = "c.commitSync();" if program is JAVA else "c.commitSync()"
    assert_program(tmp_path / "A.java", program % (f"{body}\n{commit}", methods), expected)
