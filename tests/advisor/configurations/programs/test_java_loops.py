"""Programs of Java's clients whose poll loops decide what happens to a record.

`commitSync()` without offsets, and `close()` with automatic commits, commit the position after
everything that the last `poll()` returned (KafkaConsumer javadoc).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA as TOPIC
from tests.advisor.configurations.asking import assert_file
from tests.advisor.programs import ASIDE, BEFORE, CLOSE, SKIP, YES
from tests.advisor.programs.jvm import (
    AUTO_COMMIT,
    IN_METHOD,
    KOTLIN,
    LOOP,
    POLL,
    READER,
    SCALA,
    STREAMS,
    WITH_METHOD,
)

WORK = "for (ConsumerRecord<String, String> r : rs) work(r);"

READERS = [
    (READER, LOOP % f"{WORK} c.commitSync();", YES),
    (READER, LOOP % f"c.commitSync(); {WORK}", BEFORE),
    (READER, LOOP % f"c.commitAsync((o, e) -> warn(e)); {WORK}", BEFORE),
    (READER, LOOP % "c.commitSync(); rs.forEach(r -> work(r));", BEFORE),
    (READER, LOOP % f"c.commitSync(done); {WORK}", YES),
    (READER, LOOP % f"if (rs.isEmpty()) {{ c.commitSync(); continue; }} {WORK} c.commitSync();",
     YES),
    (READER, LOOP % f"db.commit(); {WORK} c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) pool.submit(() -> work(r)); c.commitSync();", BEFORE),
    (READER, LOOP % "for (var r : rs) pool.execute(() -> work(r));", ASIDE),
    (READER, LOOP % "for (var r : rs) all.add(pool.submit(() -> work(r)));\n"
     "for (var f : all) f.get(); c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) { log.error(e); } }\n"
     "c.commitSync();", SKIP),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (RuntimeException e) { } }\n"
     "c.commitSync();", SKIP),
    (READER, f"while (true) {{ try {{ {POLL} {WORK} c.commitSync(); }}\n"
     "catch (Exception e) { e.printStackTrace(); } }", SKIP),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) { letters(r); } }\n"
     "c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) { throw e; } }\n"
     "c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) { while (true) { try { work(r); break; }\n"
     "catch (Exception e) { log.warn(e); } } }\nc.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) { if (c.assignment().isEmpty()) break; work(r); }\n"
     "c.commitSync();", SKIP),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (SQLException e) { } }\n"
     "c.commitSync();", SKIP),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (DuplicateKeyException e) { } }\n"
     "c.commitSync();", YES),
    (READER, LOOP % f"try {{ {WORK} }} finally {{ c.commitSync(); }}", SKIP),
    (READER, f"try {{ {LOOP % WORK} }} catch (WakeupException e) {{ }} "
     "finally { c.commitSync(); }", SKIP),
    (AUTO_COMMIT, f"try {{ {LOOP % WORK} }} finally {{ c.close(); }}", CLOSE),
    (AUTO_COMMIT, f"try (c) {{ {LOOP % WORK} }}", CLOSE),
    (AUTO_COMMIT, LOOP % WORK, YES),
    (READER, f"c.seekToEnd(c.assignment()); {LOOP % WORK}", "seekToEnd: a consumer"),
]  # fmt: skip


PRODUCER = "KafkaProducer<String, String> k = new KafkaProducer<>(p);"
NEXT = "Map.of(t, new OffsetAndMetadata(r.offset() + 1))"
SAVES = "try { db.save(r); } catch (Exception e) { log.error(e); %s}"
EACH = LOOP % "for (var r : rs) h(r);"
LANGUAGES = [
    # a method of the same file that receives a record
    (IN_METHOD % ("%s", SAVES % ""), EACH, SKIP),
    (IN_METHOD % ("%s", SAVES % "throw e; "), EACH, YES),
    (IN_METHOD % ("%s", f"while (true) {{ {SAVES % ''} }}"), EACH, YES),
    # the position after all polled records, committed after one of them
    (READER, LOOP % "for (var r : rs) { work(r); c.commitSync(); }", BEFORE),
    (READER, LOOP % "for (var r : rs) { work(r); c.commitSync(Map.of(t, o)); }", YES),
    (READER, LOOP % "for (var t : rs.partitions()) { work(rs.records(t)); c.commitSync(); }",
     BEFORE),
    (READER, LOOP % "rs.forEach(r -> { work(r); c.commitAsync(); });", BEFORE),
    (WITH_METHOD % ("%s", "void full() { db.insert(batch); batch.clear(); }"),
     LOOP % "for (var r : rs) batch.add(r); if (batch.size() > 9) full(); c.commitSync();", BEFORE),
    (WITH_METHOD % ("%s", "void full() { db.insert(batch); batch.clear(); }"),
     LOOP % "for (var r : rs) batch.add(r); full(); c.commitSync();", YES),
    # calls that return before the work is done, and calls that do it immediately
    (READER, LOOP % "for (var r : rs) actor.tell(r, self); c.commitSync();", BEFORE),
    (READER, LOOP % "for (var r : rs) bulkProcessor.add(row(r)); c.commitSync();", BEFORE),
    (READER, LOOP % "for (var r : rs) tx.execute(s -> { save(r); return 1; });\n"
     "c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) jdbc.execute(sql(r)); c.commitSync();", YES),
    # writes that another system has not committed yet
    (READER, LOOP % f"{WORK} s.addBatch(); c.commitSync(); s.executeBatch();", BEFORE),
    (READER, LOOP % f"{WORK} c.commitSync(); db.commit();", BEFORE),
    (READER, LOOP % f"{WORK} db.commit(); c.commitSync();", YES),
    # polled records without a variable
    (READER, "while (true) { for (var r : c.poll(d)) { work(r); } c.commitSync(); }", YES),
    (READER, "while (true) { for (var r : c.poll(d)) { c.commitSync(); work(r); } }", BEFORE),
    (READER, "while (true) { for (var r : c.poll(d)) {\n"
     "try { work(r); } catch (Exception e) { log.warn(e); } } }", SKIP),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) {\n"
     "MDC.put(1, 2); if (log.isWarnEnabled()) { log.warn(e); } } }", SKIP),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) {\n"
     "if (fatal(e)) { again(r); } } }", SKIP),
    (KOTLIN % ("%s", ""), "rs.forEach {\ntry { work(it) } catch (e: Exception) { log.warn(e) }\n}",
     SKIP),
    (KOTLIN % ("%s", ""), "c.commitSync()\nrs.forEach { work(it) }", BEFORE),
    # the offset after a record, committed before the record is processed
    (READER, LOOP % f"for (var r : rs) {{ c.commitSync({NEXT}); work(r); }}", BEFORE),
    (READER, LOOP % f"for (var r : rs) {{ work(r); c.commitSync({NEXT}); }}", YES),
    (READER, LOOP % "for (var r : rs) m.put(t, new OffsetAndMetadata(r.offset() + 1));\n"
     f"c.commitSync(m); {WORK}", BEFORE),
    (READER, LOOP % "for (var r : rs) { work(r); m.put(t, new OffsetAndMetadata(r.offset() + 1)); "
     "} c.commitSync(m);", YES),
    # a commit in a block, or in a method
    (READER, LOOP % f"if (!rs.isEmpty()) {{ c.commitSync(); {WORK} }}", BEFORE),
    (WITH_METHOD % ("%s", "void ack() { c.commitSync(); }"), LOOP % f"ack(); {WORK}", BEFORE),
    (WITH_METHOD % ("%s", "void ack() { c.commitSync(); }"), LOOP % f"{WORK} ack();", YES),
    (WITH_METHOD % ("%s", "void h(R r) { work(r); c.commitSync(); }"), EACH, BEFORE),
    (WITH_METHOD % ("%s", "Rs next() { return c.poll(d); }"),
     f"while (true) {{ var rs = next(); c.commitSync(); {WORK} }}", BEFORE),
    # records that are buffered, queued or sent, but not processed yet
    (READER, LOOP % "buffer.addAll(rs); c.commitSync(); if (full) flush(buffer);", BEFORE),
    (READER, LOOP % "buffer.addAll(rs); if (full) { flush(buffer); c.commitSync(); }", YES),
    (READER, LOOP % "for (var r : rs) queue.put(r); c.commitSync();", BEFORE),
    (READER, LOOP % f"{PRODUCER} for (var r : rs) k.send(r, this::heard); c.commitSync();", BEFORE),
    (READER, LOOP % f"{PRODUCER} for (var r : rs) k.send(r, this::heard);\n"
     "k.flush(); c.commitSync();", YES),
    # a limited number of attempts, and then the next record
    (READER, LOOP % f"for (var r : rs) {{ for (int i = 0; i < 3; i++) {{ {SAVES % ''} }} }}", SKIP),
    (READER, LOOP % f"for (var r : rs) {{ int i = 0; while (i++ < 3) {{ {SAVES % ''} }} }}", SKIP),
    (READER, LOOP % f"for (var r : rs) {{ for (int i = 0; i < 3; i++) {{ {SAVES % ''} }}\n"
     "if (!done) throw new E(); }", YES),
    (KOTLIN % ("%s", ""), "for (r in rs) work(r)\nc.commitSync()", YES),
    (KOTLIN % ("%s", ""), "c.commitSync()\nfor (r in rs) work(r)", BEFORE),
    (KOTLIN % ("%s", ""), "for (r in rs) {\ntry {\nwork(r)\n} catch (e: Exception) {\n"
     "logger.error(e) { 1 }\n}\n}", SKIP),
    (KOTLIN % ("%s", ""), "rs.forEach { r ->\nrunCatching { work(r) }\n}", SKIP),
    (KOTLIN % ("%s", ""), "rs.forEach { r ->\n"
     "runCatching { work(r) }.onFailure { e -> log.error(e) }\n}", SKIP),
    (KOTLIN % ("%s", ""), "rs.forEach { r ->\nrunCatching { work(r) }.getOrThrow()\n}", YES),
    (KOTLIN % ("%s", "fun h(r: Record) {\ntry { save(r) } catch (e: Exception) { println(e) }\n}"),
     "for (r in rs) h(r)", SKIP),
    (KOTLIN % ("%s", ""), "for (r in rs) scope.launch { work(r) }", ASIDE),
    (KOTLIN % ("%s", ""), "coroutineScope { for (r in rs) launch { work(r) } }", YES),
    (SCALA % ("%s", ""), "for (r <- rs.asScala) {\nwork(r)\n}\nc.commitSync()", YES),
    (SCALA % ("%s", ""), "c.commitSync()\nrs.asScala.foreach(r => work(r))", BEFORE),
    (SCALA % ("%s", ""), "for (r <- rs.asScala) {\ntry {\nwork(r)\n} catch {\n"
     "case e: Exception => log.error(e)\n}\n}", SKIP),
    (SCALA % ("%s", ""), "rs.asScala.foreach { r =>\ntry work(r)\n"
     "catch { case NonFatal(e) => log.error(e) }\n}", SKIP),
    (SCALA % ("%s", ""), "rs.asScala.foreach { r =>\nTry(work(r)) match {\ncase Success(_) => ()\n"
     "case Failure(e) => log.error(e)\n}\n}", SKIP),
    (SCALA % ("%s", ""), "rs.asScala.foreach { r =>\nTry(work(r)).get\n}", YES),
    (SCALA % ("%s", ""), "for (r <- rs.asScala) {\nFuture { work(r) }\n}", ASIDE),
]  # fmt: skip

SUBMITS = "for (var r : rs) fs.add(pool.submit(() -> work(r)));"
RUNS = "fs.add(CompletableFuture.runAsync(() -> work(r)))"
STREAM = "StreamSupport.stream(rs.spliterator(), false)"
COUNTS = "for (var r : rs) pool.execute(() -> { try { work(r); } %sfinally { l.countDown(); } });"
LAST = "long last = ps.get(ps.size() - 1).offset(); "
LAST += "c.commitSync(Map.of(t, new OffsetAndMetadata(last + 1)));"
LOGS = "catch (Exception e) { String m = e.getMessage(); span.recordException(e); log.error(m); }"
BOOLEAN = (
    "boolean saved(R r) { try { work(r); return true; } catch (Exception e) { return false; } }"
)
IN_KOTLIN, IN_SCALA = (KOTLIN % ("%s", ""), SCALA % ("%s", ""))
OTHERS = [
    # waiting for tasks without checking their errors (ExecutorService, CountDownLatch,
    # Thread.join; kotlinx.coroutines, supervisorScope; scala.concurrent, Await.ready)
    (READER, LOOP % "for (var r : rs) ts.add(() -> work(r)); pool.invokeAll(ts); c.commitSync();",
     SKIP),
    (READER, LOOP % "for (var f : pool.invokeAll(tasks(rs))) f.get(); c.commitSync();", YES),
    (READER, LOOP % f"{SUBMITS} pool.shutdown(); pool.awaitTermination(1, HOURS); c.commitSync();",
     SKIP),
    (READER, LOOP % f"{SUBMITS} for (var f : fs) f.get(); c.commitSync();", YES),
    (READER, LOOP % f"{COUNTS % ''} l.await(); c.commitSync();", SKIP),
    (READER, LOOP % f"{COUNTS % 'catch (Exception e) { bad.set(e); } '} l.await();\n"
     "if (bad.get() != null) throw bad.get(); c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) { var t = new Thread(() -> work(r)); t.start(); t.join(); }\n"
     "c.commitSync();", SKIP),
    (READER, LOOP % f"for (var r : rs) {RUNS};\nallOf(fs).join(); c.commitSync();", YES),
    (READER, LOOP % f"for (var r : rs) {RUNS};\nallOf(fs); c.commitSync();", BEFORE),
    (READER, LOOP % f"for (var r : rs) {RUNS[:-1]}.exceptionally(e -> {{ log.error(e); "
     "return null; }}));\nallOf(fs).join(); c.commitSync();", SKIP),
    (READER, LOOP % "for (var r : rs) db.save(r).handle((x, e) -> { if (e != null) log.error(e); "
     "return null; }).join();\nc.commitSync();", SKIP),
    (READER, LOOP % "for (var r : rs) http.sendAsync(q(r), h).thenAccept(x -> log.info(x));\n"
     "c.commitSync();", BEFORE),
    (READER, LOOP % "for (var r : rs) http.sendAsync(q(r), h).join(); c.commitSync();", YES),
    (WITH_METHOD % ("%s", "void all(Rs rs) { for (var r : rs) pool.submit(() -> work(r)); }"),
     LOOP % "all(rs); c.commitSync();", BEFORE),
    (WITH_METHOD % ("%s", f"void all(Rs rs) {{ for (var r : rs) {{ {SAVES % ''} }} }}"),
     LOOP % "all(rs); c.commitSync();", SKIP),
    # the loop ends early, and all polled records are committed
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) { log.error(e); "
     "break; } } c.commitSync();", SKIP),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) { log.error(e); "
     "return; } } c.commitSync();", YES),
    (READER, LOOP % "for (var r : rs) { try { work(r); } catch (Exception e) {\n"
     "if (log.isWarnEnabled()) log.warn(e); } } c.commitSync();", SKIP),
    # values that are extracted from records, but not processed yet
    (READER, LOOP % f"var vs = {STREAM}.map(r -> r.value()).toList(); c.commitSync(); save(vs);",
     BEFORE),
    (READER, LOOP % f"var vs = {STREAM}.map(r -> r.value()).toList(); save(vs); c.commitSync();",
     YES),
    (READER, LOOP % "var vs = new ArrayList<>(rs.records(t)); c.commitSync(); save(vs);", BEFORE),
    (READER, LOOP % "int n = save(rs); c.commitSync(); log.info(n);", YES),
    (READER, LOOP % "queue.addAll(rs.records(t)); c.commitSync();", BEFORE),
    (READER, LOOP % "for (var t : rs.partitions()) { c.commitSync(Map.of(t, "
     "new OffsetAndMetadata(c.position(t)))); save(rs.records(t)); }", BEFORE),
    # Kotlin and Scala
    (IN_KOTLIN, "runBlocking { supervisorScope { rs.forEach { launch { work(it) } } } }\n"
     "c.commitSync()", SKIP),
    (IN_KOTLIN, "runBlocking { rs.forEach { launch { work(it) } } }\nc.commitSync()", YES),
    (IN_KOTLIN, "rs.asSequence().map { runCatching { work(it) } }.toList()\nc.commitSync()", SKIP),
    (IN_KOTLIN, "val vs = rs.map { it.value() }\nc.commitSync()\nsave(vs)", BEFORE),
    (IN_SCALA, "Await.ready(Future.sequence(rs.asScala.map(r => Future(work(r)))), 1.minute)\n"
     "c.commitSync()", SKIP),
    (IN_SCALA, "Await.result(Future.sequence(rs.asScala.map(r => Future(work(r)))), 1.minute)\n"
     "c.commitSync()", YES),
    (IN_SCALA, "rs.asScala.foreach { r => work(r).recover { case _ => () } }\n"
     "c.commitSync()", SKIP),
    (IN_SCALA, "rs.asScala.foreach(r => Either.catchNonFatal(work(r)))\nc.commitSync()", SKIP),
    (IN_SCALA, "rs.asScala.foreach(r => allCatch.opt(work(r)))\nc.commitSync()", SKIP),
    (IN_SCALA, "rs.asScala.foreach(r => work(r).attempt.unsafeRunSync())\nc.commitSync()", SKIP),
    (IN_SCALA, "rs.asScala.foreach(r => work(r).unsafeRunAndForget())\nc.commitSync()", BEFORE),
    (IN_SCALA, "rs.asScala.foreach(r => work(r).unsafeRunSync())\nc.commitSync()", YES),
    # polled records without a variable, or with another one
    (READER, "while (true) { c.poll(d).forEach(r -> { c.commitSync(); work(r); }); }", BEFORE),
    (READER, "while (true) { c.poll(d).forEach(r -> pool.submit(() -> work(r))); c.commitSync(); }",
     BEFORE),
    (READER, f"while (true) {{ c.poll(d).forEach(r -> {{ {SAVES % ''} }});\nc.commitSync(); }}",
     SKIP),
    (READER, "while (true) { c.poll(d).forEach(this::work); c.commitSync(); }", YES),
    (READER, LOOP % "this.c.commitSync(); rs.forEach(this::work);", BEFORE),
    (READER, LOOP % f"for (var t : rs.partitions()) {{ var ps = rs.records(t); %s {LAST} }}" % (
        "for (var r : ps) work(r);"), YES),
    (READER, LOOP % f"for (var t : rs.partitions()) {{ var ps = rs.records(t); %s {LAST} }}" % (
        f"for (var r : ps) {{ {SAVES % ''} }}"), SKIP),
    (READER, LOOP % f"for (var t : rs.partitions()) {{ var ps = rs.records(t); {LAST} %s }}" % (
        "for (var r : ps) work(r);"), BEFORE),
    (IN_KOTLIN, "c.poll(d).let { ps -> c.commitSync(); ps.forEach { work(it) } }", BEFORE),
    # a method that polls and is called in a loop
    (WITH_METHOD % ("while (true) { once(); }", f"void once() {{ %s try {{ {POLL} {WORK} "
     "c.commitSync(); } catch (Exception e) { log.error(e); } }"), "", SKIP),
    (WITH_METHOD % ("while (true) { try { once(); } catch (Exception e) { log.error(e); } }",
     f"void once() {{ %s {POLL} {WORK} c.commitSync(); }}"), "", SKIP),
    (WITH_METHOD % ("try { while (true) { once(); } } catch (Exception e) { log.error(e); }",
     f"void once() {{ %s {POLL} {WORK} c.commitSync(); }}"), "", YES),
    # handlers that only log, directly or through a method
    (READER, LOOP % f"for (var r : rs) {{ try {{ work(r); }} {LOGS} }} c.commitSync();", SKIP),
    (WITH_METHOD % ("%s", "void failed(R r, Exception e) { log.error(e); }"), LOOP %
     "for (var r : rs) { try { work(r); } catch (Exception e) { failed(r, e); } } c.commitSync();",
     SKIP),
    (WITH_METHOD % ("%s", "void failed(R r, Exception e) { letters.save(r); }"), LOOP %
     "for (var r : rs) { try { work(r); } catch (Exception e) { failed(r, e); } } c.commitSync();",
     YES),
    (WITH_METHOD % ("%s", BOOLEAN), LOOP % "for (var r : rs) { saved(r); } c.commitSync();", SKIP),
    (WITH_METHOD % ("%s", BOOLEAN),
     LOOP % "for (var r : rs) { if (!saved(r)) throw new E(); }", YES),
    (WITH_METHOD % ("%s", BOOLEAN), LOOP % "for (var r : rs) { while (!saved(r)) wait(1); }", YES),
    # loops without a loop keyword
    (READER, f"timer.scheduleAtFixedRate(() -> {{ try {{ {POLL} {WORK} c.commitSync(); }}\n"
     "catch (Exception e) { log.error(e); } }, 0, 1, SECONDS);", SKIP),
    (IN_SCALA, "Iterator.continually(c.poll(d)).foreach { rs =>\nc.commitSync()\n"
     "rs.asScala.foreach(save)\n}", BEFORE),
    (SCALA % ("%s", "def h(r: R): Unit = try save(r) catch { case NonFatal(e) => log.error(e) }"),
     "rs.asScala.foreach(h)\nc.commitSync()", SKIP),
    # functions whose body is an expression
    (KOTLIN % ("%s", "fun h(r: R) = try { work(r) } catch (e: Exception) { log.error(e) }"),
     "rs.forEach { h(it) }\nc.commitSync()", SKIP),
    (KOTLIN % ("%s", "fun h(r: R) = runCatching { work(r) }.onFailure { log.error(it) }"),
     "rs.forEach { h(it) }\nc.commitSync()", SKIP),
    (KOTLIN % ("%s", "fun h(r: R) = runCatching { work(r) }"),
     "rs.forEach { h(it).getOrThrow() }\nc.commitSync()", YES),
    (KOTLIN % ("%s", "fun h(r: R) = work(r)"), "rs.forEach { h(it) }\nc.commitSync()", YES),
    (KOTLIN % ("%s", "fun h(r: R) = scope.launch { work(r) }"),
     "rs.forEach { h(it) }\nc.commitSync()", BEFORE),
]  # fmt: skip


@pytest.mark.parametrize(("code", "body", "expected"), [*READERS, *LANGUAGES, *OTHERS])
def test_a_loop_that_loses_records_is_reported(
    tmp_path: Path, code: str, body: str, expected: str
) -> None:
    exit_code = {YES: 0, "seekToEnd: a consumer": 2}.get(expected, 1)
    assert_file(tmp_path / "A.java", code % body, "", TOPIC, exit_code, expected)


_SENDER = (
    "import org.apache.kafka.clients.producer.*;\nclass A { void run() {\n"
    'Properties p = new Properties();\np.put("acks", "all");\n'
    "KafkaProducer<String, String> out = new KafkaProducer<>(p);\n%s\n}}\n"
)
IGNORED = "application.delivery.errors: ignored -> handled"
SENDS = "try { out.send(record).get(); } catch (Exception e) { throw new E(e); }"
WRITERS = [
    ("out.send(record, null);", IGNORED),
    ("out.send(record, (m, e) -> {});", IGNORED),
    ("out.send(record, (m, e) -> { seen(m.offset()); });", IGNORED),
    ("out.send(record, new Callback() { public void onCompletion(RecordMetadata m, Exception e)\n"
     "{ seen(m); } });", IGNORED),
    ("out.send(record, new Callback() { public void onCompletion(RecordMetadata m, Exception e)\n"
     "{ if (e != null) fail(e); } });", YES),
    ("out.send(record, (m, e) -> { if (e != null) fail(e); });", YES),
    ("out.send(record, this::heard);", YES),
    ("try { out.send(record).get(); } catch (Exception e) { }", IGNORED),
    ("try { out.send(record).get(); } catch (Exception e) { fail(e); }", YES),
    ("var sent = out.send(record);", IGNORED),
    # a future keeps the exception that leaves a lambda
    (f"CompletableFuture.runAsync(() -> {{ {SENDS} }});", IGNORED),
    (f"pool.submit(() -> {{ {SENDS} }});", IGNORED),
    (f"CompletableFuture.runAsync(() -> {{ {SENDS} }}).join();", YES),
    (f"pool.submit(() -> {{ {SENDS} }}).get();", YES),
    (SENDS, YES),
    ("pool.submit(() -> { try { out.send(record).get(); } catch (Exception e) { put(e); } });",
     YES),
    (f"CompletableFuture.supplyAsync(() -> {{ {SENDS} }}).thenAccept(m -> log.info(m));", IGNORED),
    (f"CompletableFuture.runAsync(() -> {{ {SENDS} }}).exceptionally(e -> {{ log.error(e); "
     "return null; }).join();", IGNORED),
    (f"CompletableFuture.runAsync(() -> {{ {SENDS} }}).thenRun(() -> done()).join();", YES),
    # Spring's template, which the file may receive without creating it
    ("kafkaTemplate.send(t, v);", IGNORED),
    ("kafkaTemplate.send(t, v).get();", YES),
    ("kafkaTemplate.send(t, v).whenComplete((x, e) -> { if (e != null) log.error(e); });", IGNORED),
    ("kafkaTemplate.send(t, v).whenComplete((x, e) -> { if (e != null) fail(e); });", YES),
    ("kafkaTemplate.send(t, v).whenComplete((x, e) -> log.info(e)).join();", YES),
    ("producer.send(f(v));", IGNORED),
    ("Outbox producer = outbox(); producer.send(f(v));", YES),
    ("var sent = out.send(record); sent.get();", YES),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), WRITERS)
def test_a_program_that_ignores_a_failed_send_is_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    reader = "consumer.enable.auto.commit=false application.commit=after-processing"
    exit_code = 1 if expected == IGNORED else 0
    assert_file(tmp_path / "A.java", _SENDER % body, "", f"{TOPIC} {reader}", exit_code, expected)


SKIPS = "processing.errors: skip -> retry"
PROCESSOR, BUFFERED = "b.process(P::new);", "records are buffered in memory here"
LIST = "class P { List<R> buf = new ArrayList<>();"


@pytest.mark.parametrize(("body", "members", "expected"), [
    ("b.foreach((k, v) -> db.save(v));", "", YES),
    ("b.foreach((k, v) -> { try { db.save(v); } catch (Exception e) { log.error(e); } });", "",
     SKIPS),
    ("b.foreach((k, v) -> { try { db.save(v); } catch (Exception e) { throw new E(e); } });", "",
     YES),
    ("b.mapValues(v -> { try { return parse(v); } catch (Exception e) { return null; } });", "",
     SKIPS),
    ("b.foreach((k, v) -> save(v));",
     "void save(V v) { try { db.save(v); } catch (Exception e) { log.error(e); } }", SKIPS),
    ("b.process(P::new);", "class P { public void process(R r) { try { db.save(r); } "
     "catch (Exception e) { log.error(e); } } }", SKIPS),
    ("b.foreach((k, v) -> pool.submit(() -> db.save(v)));", "", "a record is handed over"),
    ("b.foreach((k, v) -> pool.submit(() -> db.save(v)).get());", "", YES),
    ("b.foreach((k, v) -> http.sendAsync(q(v), h));", "", "a record is handed over"),
    ("b.foreach((k, v) -> http.sendAsync(q(v), h).join());", "", YES),
    ("b.foreach((k, v) -> db.save(v).subscribe());", "", "a record is handed over"),
    ("b.filter((k, v) -> { try { return ok(v); } catch (Exception e) { return false; } });", "",
     SKIPS),
    ("b.filter((k, v) -> { try { return ok(v); } catch (Exception e) { throw e; } });", "", YES),
    ("b.foreach((k, v) -> { boolean ok = db.save(v); });", "", SKIPS),
    ("b.foreach((k, v) -> { if (!db.save(v)) log.error(1); });", "", SKIPS),
    ("b.foreach((k, v) -> { if (!db.save(v)) throw new E(); });", "", YES),
    ("b.foreach((k, v) -> buf.add(v));", "List<V> buf = new ArrayList<>();", BUFFERED),
    (PROCESSOR, f"{LIST} public void process(R r) {{ buf.add(r); }} }}", BUFFERED),
    (PROCESSOR, f"{LIST} public void process(R r) {{ buf.add(r); if (full()) put(buf); }}}}",
     BUFFERED),
    (PROCESSOR, "class P { Map<K, V> last = new HashMap<>(); public void process(R r) "
     "{ last.put(r.key(), r.value()); } }", BUFFERED),
    (PROCESSOR, "class P { KeyValueStore<K, V> last; public void process(R r) "
     "{ last.put(r.key(), r.value()); } }", YES),
    (PROCESSOR, "class P { Set<K> seen = new HashSet<>(); public void process(R r) "
     "{ if (seen.add(r.key())) c.forward(r); } }", YES),
    (PROCESSOR, "class P { public void process(R r) { List<V> out = new ArrayList<>(); "
     "out.add(r.value()); for (V v : out) c.forward(v); } }", YES),
])  # fmt: skip
def test_a_kafka_streams_operator_that_skips_or_buffers_records_is_reported(
    tmp_path: Path, body: str, members: str, expected: str
) -> None:
    topic = "topic.replication.factor=3 topic.min.insync.replicas=2"
    topic += " streams.topic.min.insync.replicas=2"
    exit_code = {YES: 0, SKIPS: 1}.get(expected, 2)
    assert_file(tmp_path / "A.java", STREAMS % (body, members), "", topic, exit_code, expected)


@pytest.mark.parametrize(("operation", "expected"), [
    ("b.windowedBy(TimeWindows.ofSizeWithNoGrace(d)).count();", "TimeWindows: a message that"),
    ("b.join(c, f, JoinWindows.ofTimeDifferenceAndGrace(d, g));", "JoinWindows: a message that"),
    ("b.groupByKey().count();", "^(?!.*Windows)"),
])  # fmt: skip
def test_windows_that_drop_records_are_named(tmp_path: Path, operation: str, expected: str) -> None:
    topic = "topic.replication.factor=3 topic.min.insync.replicas=2"
    topic += " streams.topic.min.insync.replicas=2"
    assert_file(tmp_path / "A.java", STREAMS % (operation, ""), "", topic, 0, expected)


@pytest.mark.parametrize(("topology", "members", "expected"), [
    ("b.process(Other::new);", "", "application.sink=plain"),
    ("b.process { Other() }", "", "application.sink=plain"),
    ('t.addProcessor("p", Other::new, "s");', "", "application.sink=plain"),
    ('t.addProcessor("p", Other::new, "s").addSink(o);', "", YES),
    ("b.peek { _, v -> http.post(v) }.to(o)", "", "application.sink=plain"),
    ("b.peek { case (k, v) => http.post(v) }.to(o)", "", "application.sink=plain"),
    ("b.peek { k, v -> log.info(v) }.to(o)", "", YES),
    ("b.peek { case (k, v) => log.info(v) }.to(o)", "", YES),
    ("b.process(Other::new).to(o);", "", YES),
    ("b.process(Other::new);", "class Other { KeyValueStore<K, V> s; }", YES),
])  # fmt: skip
def test_writes_to_another_system_are_outside_the_transaction(
    tmp_path: Path, topology: str, members: str, expected: str
) -> None:
    topic = "topic.replication.factor=3 topic.min.insync.replicas=2 consumer.auto.offset.reset=none"
    topic += " streams.topic.min.insync.replicas=2 application.offsets.topic.min.insync.replicas=2"
    topic += " streams.processing.guarantee=exactly_once_v2"
    program, exit_code = STREAMS % (topology, members), 0 if expected == YES else 1
    assert_file(tmp_path / "A.java", program, "--want exactly-once", topic, exit_code, expected)
