"""Programs in Java, Kotlin and Scala: how they process all records of a poll, and check the results
of their work.

The position of a consumer, and a commit without offsets, are after all records that the last
`poll()` returned (KafkaConsumer javadoc).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, IGNORED, SKIP, YES, assert_program

JAVA = (
    "import org.apache.kafka.clients.consumer.*;\nclass A {\n"
    "private final KafkaConsumer<String, String> consumer;\nA() {\n"
    'Properties p = new Properties();\np.put("group.id", "g");\n'
    'p.put("auto.offset.reset", "earliest");\n%s\n'
    "this.consumer = new KafkaConsumer<>(p);\n}\npublic void run() {\n"
    "while (true) { var rs = consumer.poll(d); %s }\n}\n%s}\n"
)
MANUAL, ONE_RECORD = 'p.put("enable.auto.commit", "false");', 'p.put("max.poll.records", "1");'
KOTLIN = (
    "import org.apache.kafka.clients.consumer.*\nclass A(private val repo: Repo) {\n"
    'private val props = Properties().apply {\nput("group.id", "g")\n'
    'put("auto.offset.reset", "earliest")\nput("enable.auto.commit", "false")\n}\n'
    "private val consumer = KafkaConsumer<String, String>(props)\nfun run() {\n%s\n}\n%s}\n"
)
CAUGHT = (
    "while (true) {\n%s\ntry { save(r) } catch (e: Exception) { log.warn(e) }\n%s\n}\n"
    "consumer.commitSync()\n}"
)
"""A block that receives the records and swallows errors. Its head varies."""
POLLING = "while (true) {\nval rs = consumer.poll(d)\n%s\n}"
SCALA = (
    "import org.apache.kafka.clients.consumer._\nclass A(repo: Repo) {\n"
    'val p = new Properties()\np.put("group.id", "g")\np.put("auto.offset.reset", "earliest")\n'
    'p.put("enable.auto.commit", "false")\nval consumer = new KafkaConsumer[String, String](p)\n'
    "def run(): Unit = {\n%s\n}\n}\n"
)


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    ("var f = pool.submit(() -> process(rs)); consumer.commitSync(); f.get();", "", BEFORE),
    ("var f = pool.submit(() -> process(rs)); f.get(); consumer.commitSync();", "", YES),
    ("var it = rs.iterator(); while (it.hasNext()) { try { save(it.next()); } "
     "catch (Exception e) { log.warn(e); } } consumer.commitSync();", "", SKIP),
    ("List<V> vs = new ArrayList<>(); for (var r : rs) { vs.add(r.value()); } for (V v : vs) { "
     "try { save(v); } catch (Exception e) { log.warn(e); } } consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { var o = read(r.value()); for (Line l : o.lines()) { try { save(l); } "
     "catch (Exception e) { log.warn(e); } } } consumer.commitSync();", "", SKIP),
    ("var it = rs.iterator(); while (it.hasNext()) { save(it.next()); } consumer.commitSync();", "",
     YES),
    ("Map<P, O> offsets = new HashMap<>(); for (var r : rs) { save(r); offsets.put(at(r), of(r)); "
     "} try { consumer.commitSync(offsets); } catch (Exception e) { log.warn(e); }", "", YES),
    ("StreamSupport.stream(rs.spliterator(), false).reduce(0, (n, r) -> { try { save(r); } "
     "catch (Exception e) { log.warn(e); } return n + 1; }, Integer::sum); "
     "consumer.commitSync();", "", SKIP),
    ("process(rs.iterator().next()); consumer.commitSync();", "", SKIP),
    ("var r = rs.iterator().next(); process(r); consumer.commitSync();", "", SKIP),
    ("if (!rs.isEmpty()) { ConsumerRecord<String,String> r = "
     "rs.iterator().next(); process(r); } consumer.commitSync();", "", SKIP),
    ("Iterator<R> it = rs.iterator(); if (it.hasNext()) { "
     "process(it.next()); } consumer.commitSync();", "", SKIP),
    ("for (TopicPartition tp : rs.partitions()) { var list = "
     "rs.records(tp); process(list.get(0)); } consumer.commitSync();", "", SKIP),
    ("for (TopicPartition tp : rs.partitions()) { var list = "
     "rs.records(tp); for (var r : list.subList(0, 10)) process(r); } "
     "consumer.commitSync();", "", SKIP),
    ("StreamSupport.stream(rs.spliterator(), "
     "false).limit(10).forEach(this::process); consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { process(r); break; } consumer.commitSync();", "", SKIP),
    ("int n = 0; for (var r : rs) { if (n++ >= 10) break; process(r); } "
     "consumer.commitSync();", "", SKIP),
    ("for (var r : Iterables.limit(rs, 10)) { process(r); } consumer.commitSync();", "", SKIP),
    ("process(Iterables.getFirst(rs, null)); consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { if (!running) break; process(r); } consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { for (var x : parts(r)) { if (x.bad()) break; "
     "process(x); } } consumer.commitSync();", "", YES),
    ("for (var r : rs) { switch (r.topic()) { case 1: process(r); "
     "break; default: other(r); } } consumer.commitSync();", "", YES),
    ("for (TopicPartition tp : rs.partitions()) { var list = "
     "rs.records(tp); for (var r : list) process(r); long last = "
     "list.get(list.size() - 1).offset(); "
     "consumer.commitSync(Map.of(tp, new OffsetAndMetadata(last + 1))); "
     "}", "", YES),
    ("for (TopicPartition tp : rs.partitions()) { var list = "
     "rs.records(tp); long first = list.get(0).offset(); "
     "log.info(first); process(list); } consumer.commitSync();", "", YES),
    ("Iterator<R> it = rs.iterator(); while (it.hasNext()) { "
     "process(it.next()); } consumer.commitSync();", "", YES),
    ("for (Iterator<R> it = rs.iterator(); it.hasNext();) { "
     "process(it.next()); } consumer.commitSync();", "", YES),
    ("for (var r : rs) { boolean ok = save(r); } consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { Boolean stored = repo.save(r.value()); "
     "log.info(stored); } consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { final boolean ok = repo.insert(r.value()); } "
     "consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { boolean ok = save(r); if (!ok) throw new X(); "
     "} consumer.commitSync();", "", YES),
    ("for (var r : rs) { boolean ok = save(r); while (!ok) { ok = "
     "save(r); } } consumer.commitSync();", "", YES),
    ("boolean all = true; for (var r : rs) { all = all && save(r); } if "
     "(all) consumer.commitSync();", "", SKIP),
    ("boolean all = true; for (var r : rs) { all = all && save(r); } if "
     "(!all) throw new X(); consumer.commitSync();", "", YES),
    ("for (var r : rs) { boolean seen = cache.contains(r.key()); "
     "work(r); } consumer.commitSync();", "", YES),
    ("CompletableFuture.allOf(all(rs)).whenComplete((v, e) -> "
     "consumer.commitSync()).join();", "", SKIP),
    ("CompletableFuture.allOf(all(rs)).handle((v, e) -> { "
     "consumer.commitSync(); return null; }).join();", "", SKIP),
    ("CompletableFuture.allOf(all(rs)).thenRun(() -> consumer.commitSync()).join();", "", YES),
    ("CompletableFuture.allOf(all(rs)).whenComplete((v, e) -> { if (e "
     "== null) consumer.commitSync(); }).join();", "", YES),
    ("for (var r : rs) { Failsafe.with(Fallback.of(() -> {})).run(() -> "
     "work(r)); } consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { Failsafe.with(fallback, retryPolicy).run(() -> "
     "work(r)); } consumer.commitSync();",
     "Fallback<Object> fallback = Fallback.of((Object) null);", SKIP),
    ("for (var r : rs) { Failsafe.with(retryPolicy).run(() -> work(r)); "
     "} consumer.commitSync();", "", YES),
    ("for (var r : rs) { Try.of(() -> work(r)).recover(e -> null); } "
     "consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { Try.run(() -> work(r)).onFailure(e -> "
     'log.error("x", e)); } consumer.commitSync();', "", SKIP),
    ("for (var r : rs) { Try.run(() -> work(r)).get(); } consumer.commitSync();", "", YES),
    ("for (var r : rs) { Try.of(() -> work(r)).getOrElse(() -> null); } "
     "consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { Decorators.ofRunnable(() -> "
     "work(r)).withFallback(e -> null).run(); } consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { Decorators.ofSupplier(() -> "
     "work(r)).withRetry(retry).withFallback(List.of(X.class), e -> "
     "null).get(); } consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { Decorators.ofSupplier(() -> "
     "work(r)).withRetry(retry).get(); } consumer.commitSync();", "", YES),
    ("for (var r : rs) { Retry.decorateRunnable(retry, () -> "
     "work(r)).run(); } consumer.commitSync();", "", YES),
    ("for (var r : rs) { Try.ofSupplier(Retry.decorateSupplier(retry, "
     '() -> work(r))).recover(t -> "failed").get(); } '
     "consumer.commitSync();", "", SKIP),
    ('for (var r : rs) { vertx.eventBus().send("x", r.value()); } '
     "consumer.commitSync();", "", BEFORE),
    ('for (var r : rs) { vertx.eventBus().publish("x", r.value()); } '
     "consumer.commitSync();", "", BEFORE),
    ('for (var r : rs) { eventBus.request("x", r.value(), reply -> '
     "log.info(reply)); } consumer.commitSync();", "", BEFORE),
    ('for (var r : rs) { eventBus.request("x", '
     "r.value()).toCompletionStage().toCompletableFuture().get(); } "
     "consumer.commitSync();", "", YES),
    ("for (var r : rs) { okhttp.newCall(req(r)).enqueue(cb); } "
     "consumer.commitSync();", "", BEFORE),
    ("for (var r : rs) { Request q = new "
     "Request.Builder().url(u).post(body(r.value())).build(); "
     "client.newCall(q).enqueue(new Callback() { public void "
     "onFailure(Call c, IOException e) { log.error(e); } public void "
     "onResponse(Call c, Response x) { x.close(); } }); } "
     "consumer.commitSync();", "", BEFORE),
    ("for (var r : rs) { String v = r.value(); pool.submit(() -> "
     "save(v)); } consumer.commitSync();", "", BEFORE),
    ("for (var r : rs) { Order o = mapper.readValue(r.value(), "
     "Order.class); executor.execute(() -> save(o)); } "
     "consumer.commitSync();", "", BEFORE),
    ("for (var r : rs) { Order o = mapper.readValue(r.value(), "
     "Order.class); client.sendAsync(req(o), h); } "
     "consumer.commitSync();", "", BEFORE),
    ("for (var r : rs) { Order o = mapper.readValue(r.value(), "
     "Order.class); client.sendAsync(req(o), h).join(); } "
     "consumer.commitSync();", "", YES),
    ("for (var r : rs) { webClient.post().bodyValue(r.value()).retrieve("
     ").toBodilessEntity().subscribe(); } consumer.commitSync();", "", BEFORE),
    ("for (var r : rs) { webClient.post().bodyValue(r.value()).retrieve("
     ").toBodilessEntity().block(); } consumer.commitSync();", "", YES),
    ('for (var r : rs) { kafkaTemplate.send("o", r.value()); } '
     "consumer.commitSync();", "", BEFORE),
    ('for (var r : rs) { template.send(new ProducerRecord<>("o", '
     "r.value())); } consumer.commitSync();", "", BEFORE),
    ('for (var r : rs) { producer.send(new ProducerRecord<>("o", '
     "r.value())); } consumer.commitSync();", "", BEFORE),
    ('for (var r : rs) { producer.send(new ProducerRecord<>("o", '
     "r.value())).get(); } consumer.commitSync();", "", YES),
    ('for (var r : rs) { kafkaTemplate.send("o", r.value()).get(); } '
     "consumer.commitSync();", "", YES),
    ('for (var r : rs) { kafkaTemplate.send("o", '
     "r.value()).whenComplete((x, e) -> { if (e != null) log.error(e); "
     "}); } consumer.commitSync();", "", BEFORE),
    ("var fs = new ArrayList<CompletableFuture<?>>(); for (var r : rs) "
     '{ fs.add(kafkaTemplate.send("o", r.value())); } '
     "CompletableFuture.allOf(fs.toArray(new "
     "CompletableFuture[0])).join(); consumer.commitSync();", "", YES),
    ("for (var r : rs) { Out o = map(r); producer.send(new "
     'ProducerRecord<>("o", o)); } consumer.commitSync();', "", IGNORED),
    ("for (var r : rs) { mailSender.send(mail(r)); } consumer.commitSync();", "", YES),
    ("for (var r : rs) { emailClient.send(r.value()); } consumer.commitSync();", "", YES),
    ("for (var r : rs) { boolean ok = save(r); if (!ok) "
     'log.error("failed {}", r); } consumer.commitSync();', "", SKIP),
    ("for (var r : rs) { boolean ok = save(r); if (!ok) { "
     'log.error("failed {}", r); } } consumer.commitSync();', "", SKIP),
    ('for (var r : rs) { if (!save(r)) { log.error("failed {}", r); } } '
     "consumer.commitSync();", "", SKIP),
    ('for (var r : rs) { if (!repo.save(r.value())) log.error("failed '
     '{}", r); } consumer.commitSync();', "", SKIP),
    ('for (var r : rs) { if (!repo.save(r.value())) { log.error("failed '
     '{}", r); throw new X(); } } consumer.commitSync();', "", YES),
    ('for (var r : rs) { if (!valid(r)) { log.warn("bad"); continue; } '
     "save(r); } consumer.commitSync();", "", YES),
    ("for (var r : rs) { String v = r.value(); try { save(v); } catch "
     "(Exception e) { log.error(e); } } consumer.commitSync();", "", SKIP),
    ("for (var r : rs) { String v = r.value(); Order o = parse(v); "
     "consumer.commitSync(Map.of(t, new OffsetAndMetadata(r.offset() + "
     "1))); save(o); }", "", BEFORE),
    ("for (var r : rs) { var h = handlers.get(r.topic()); "
     "pool.submit(() -> h.handle(r)); } consumer.commitSync();", "", BEFORE),
    ("List<Order> os = new ArrayList<>(); for (var r : rs) { "
     "os.add(mapper.readValue(r.value(), Order.class)); } "
     "consumer.commitSync(); repo.saveAll(os);", "", BEFORE),
    ("List<Order> os = new ArrayList<>(); for (var r : rs) { Order o = "
     "mapper.readValue(r.value(), Order.class); os.add(o); } "
     "consumer.commitSync(); repo.saveAll(os);", "", BEFORE),
    ("List<Order> os = new ArrayList<>(); for (var r : rs) { Order o = "
     "mapper.readValue(r.value(), Order.class); os.add(o); } "
     "repo.saveAll(os); consumer.commitSync();", "", YES),
    ('for (var r : rs) { log.info("got {}", r.value()); } '
     "consumer.commitSync(); for (var r : rs) save(r);", "", BEFORE),
    ('log.info("polled {}", rs); consumer.commitSync(); process(rs);', "", BEFORE),
    ("for (var r : rs) { System.out.println(r.value()); } consumer.commitSync();", "", YES),
    ('for (var r : rs) { save(r); } consumer.commitSync(); log.info("done {}", rs);', "", YES),
    ("for (var r : rs) { String k = r.key(); String v = r.value(); "
     "Instant t = Instant.ofEpochMilli(r.timestamp()); db.insert(k, v, "
     "t); } consumer.commitSync();", "", YES),
    ("for (var r : rs) { Order o = parse(r.value()); if (o == null) "
     'continue; service.handle(o); metrics.timer("x").record(now() - '
     "r.timestamp()); } consumer.commitSync();", "", YES),
    ("Map<String, List<R>> by = new HashMap<>(); for (var r : rs) "
     "by.computeIfAbsent(r.key(), k -> new ArrayList<>()).add(r); "
     "by.values().forEach(this::handle); consumer.commitSync();", "", YES),
    ("var futures = new ArrayList<Future<?>>(); for (var r : rs) { "
     "String v = r.value(); futures.add(pool.submit(() -> save(v))); } "
     "for (var f : futures) f.get(); consumer.commitSync();", "", YES),
    ("var latch = new CountDownLatch(rs.count()); for (var r : rs) { "
     "String v = r.value(); pool.submit(() -> { try { save(v); } "
     "finally { latch.countDown(); } }); } latch.await(); "
     "consumer.commitSync();", "", SKIP),
    ('for (var r : rs) { kafkaTemplate.send("o", r.key(), '
     "r.value()).get(10, TimeUnit.SECONDS); } consumer.commitSync();", "", YES),
    ("for (var r : rs) { process(r); offsets.put(new "
     "TopicPartition(r.topic(), r.partition()), new "
     "OffsetAndMetadata(r.offset() + 1)); } "
     "consumer.commitSync(offsets);", "", YES),
    ("boolean ok = true; for (var r : rs) { if (!save(r)) { ok = false; "
     "break; } } if (ok) consumer.commitSync(); else "
     "consumer.seekToCommitted();", "", YES),
])  # fmt: skip
def test_a_java_loop_must_process_all_records_before_the_commit(
    tmp_path: Path, body: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", JAVA % (MANUAL, body, definitions), expected)


@pytest.mark.parametrize(("settings", "body", "expected"), [
    ("", "process(rs.iterator().next());", SKIP),
    ("", "for (var r : rs) process(r);", YES),
    (MANUAL + ONE_RECORD, "process(rs.iterator().next()); consumer.commitSync();", YES),
    (MANUAL + ONE_RECORD, "for (var r : rs) { process(r); break; } consumer.commitSync();", YES),
])  # fmt: skip
def test_one_record_is_the_whole_poll_only_with_max_poll_records_of_one(
    tmp_path: Path, settings: str, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", JAVA % (settings, body, ""), expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("rs.first().let { save(it) }\nconsumer.commitSync()", SKIP),
    ("save(rs.first())\nconsumer.commitSync()", SKIP),
    ("rs.take(10).forEach { save(it) }\nconsumer.commitSync()", SKIP),
    ("val r = rs.firstOrNull() ?: continue\nsave(r)\nconsumer.commitSync()", SKIP),
    ("rs.drop(1).forEach { save(it) }\nconsumer.commitSync()", SKIP),
    ("rs.forEach { save(it) }\nval last = "
     "rs.last()\nconsumer.commitSync(mapOf(tp(last) to "
     "OffsetAndMetadata(last.offset() + 1)))", YES),
    ('rs.forEach { save(it) }\nlog.info("at ${rs.last().offset()}")\nconsumer.commitSync()', YES),
    ("for (r in rs) { val ok = save(r) }\nconsumer.commitSync()", SKIP),
    ("rs.forEach { val saved: Boolean = repo.save(it) }\nconsumer.commitSync()", SKIP),
    ('for (r in rs) { val ok = save(r)\nif (!ok) error("x") }\nconsumer.commitSync()', YES),
    ("rs.forEach { save(it) }\nconsumer.commitSync()", YES),
    ("for (r in rs) { withTimeoutOrNull(5000) { process(r) } }\nconsumer.commitSync()", SKIP),
    ("withTimeoutOrNull(1000) { rs.forEach { work(it) } }\nconsumer.commitSync()", SKIP),
    ("for (r in rs) { val x = withTimeoutOrNull(5000) { process(r) } "
     "}\nconsumer.commitSync()", SKIP),
    ("for (r in rs) { withTimeoutOrNull(5000) { process(r) } ?: throw "
     "X() }\nconsumer.commitSync()", YES),
    ("for (r in rs) { val x = withTimeoutOrNull(5000) { process(r) }\nif "
     "(x == null) throw X() }\nconsumer.commitSync()", YES),
    ("for (r in rs) { withTimeoutOrNull(5000) { process(r) } ?: "
     'log.warn("slow") }\nconsumer.commitSync()', SKIP),
    ("for (r in rs) { withTimeout(5000) { process(r) } }\nconsumer.commitSync()", YES),
    ("for (r in rs) { try { withTimeout(5000) { process(r) } } catch "
     '(e: TimeoutCancellationException) { log.warn("slow") } '
     "}\nconsumer.commitSync()", SKIP),
    ("for (r in rs) { try { withTimeout(5000) { process(r) } } catch "
     '(e: CancellationException) { log.warn("slow") } '
     "}\nconsumer.commitSync()", SKIP),
    ("rs.forEach { channel.send(it) }\nconsumer.commitSync()", BEFORE),
    ("for (r in rs) { _events.tryEmit(r.value()) }\nconsumer.commitSync()", BEFORE),
    ('for (r in rs) { producer.send(ProducerRecord("o", r.value())) '
     "}\nconsumer.commitSync()", BEFORE),
    ('for (r in rs) { producer.send(ProducerRecord("o", '
     "r.value())).get() }\nconsumer.commitSync()", YES),
    ("for (r in rs) { val order = "
     "json.decodeFromString<Order>(r.value())\nscope.launch { "
     "repo.save(order) } }\nconsumer.commitSync()", BEFORE),
    ("val orders = rs.map { json.decodeFromString<Order>(it.value()) "
     "}\nconsumer.commitSync()\nrepo.saveAll(orders)", BEFORE),
    ("val orders = rs.map { json.decodeFromString<Order>(it.value()) "
     "}\nrepo.saveAll(orders)\nconsumer.commitSync()", YES),
    ("runBlocking { rs.map { async { save(it) } }.awaitAll() }\nconsumer.commitSync()", YES),
    ("rs.groupBy { it.key() }.forEach { (k, v) -> handle(k, v) }\nconsumer.commitSync()", YES),
    ("rs.asSequence().map { it.value() }.chunked(100).forEach { "
     "repo.saveAll(it) }\nconsumer.commitSync()", YES),
    ("if (!rs.isEmpty) rs.forEach { handle(it) }\nconsumer.commitSync()", YES),
])  # fmt: skip
def test_a_kotlin_loop_must_process_all_records_before_the_commit(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (POLLING % body, ""), expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("while (true) {\nval rs = consumer.poll(d).also { "
     "consumer.commitSync() }\nrs.forEach { save(it) }\n}", BEFORE),
    ("while (true) {\nfor (r in consumer.poll(d).also { "
     "consumer.commitSync() }) save(r)\n}", BEFORE),
    ("while (true) {\nconsumer.poll(d).also { consumer.commitAsync() "
     "}.forEach { save(it) }\n}", BEFORE),
    ("while (true) {\nconsumer.poll(d).apply { consumer.commitSync() "
     "}.forEach { save(it) }\n}", BEFORE),
    ("while (true) {\nconsumer.poll(d).also { rs -> rs.forEach { "
     "save(it) } }.also { consumer.commitSync() }\n}", YES),
    ("while (true) {\nconsumer.poll(d).also { rs -> rs.forEach { "
     "save(it) }\nconsumer.commitSync() }\n}", YES),
    ("generateSequence { consumer.poll(d) }.onEach { "
     "consumer.commitSync() }.flatten().forEach { save(it) }", BEFORE),
    ("generateSequence { consumer.poll(d).also { consumer.commitSync() "
     "} }.flatMap { it.asSequence() }.forEach { save(it) }", BEFORE),
    ("generateSequence { consumer.poll(d) }.flatten().forEach { "
     "save(it); consumer.commitSync() }", BEFORE),
    ("generateSequence { consumer.poll(d) }.flatMap { it }.forEach { r "
     "-> consumer.commitSync(); save(r) }", BEFORE),
    ("generateSequence { consumer.poll(d) }.forEach { rs -> "
     "consumer.commitSync(); rs.forEach { save(it) } }", BEFORE),
    ("generateSequence { consumer.poll(d) }.forEach { rs -> rs.forEach "
     "{ save(it) }; consumer.commitSync() }", YES),
    ("generateSequence { consumer.poll(d) }.forEach { rs ->\nrs.forEach "
     "{ save(it) }\nconsumer.commitSync()\n}", YES),
    ("while (true) {\nval done = consumer.poll(d).map { r -> runCatching { save(r) } }\n"
     "consumer.commitSync()\n}", SKIP),
    ("while (true) {\nval done = consumer.poll(d).map { r -> save(r) }\n"
     "consumer.commitSync()\n}", YES),
    (CAUGHT % ("n = consumer.poll(d).fold(n) { all, r ->", "all + 1"), SKIP),
    (CAUGHT % ("n = consumer.poll(d)\n.fold(n) { all, r ->", "all + 1"), SKIP),
    (CAUGHT % ("consumer.poll(d).forEachIndexed { i, r ->", ""), SKIP),
    (CAUGHT % ("val (a, b) = consumer.poll(d).partition { r ->", "true"), SKIP),
    (CAUGHT % ("val rs = consumer.poll(d)\nrs.fold(n) { all, r ->", "all + 1"), SKIP),
    (CAUGHT % ("val rs = consumer.poll(d)\nrs.forEachIndexed { i, r ->", ""), SKIP),
    (CAUGHT % ("val rs = consumer.poll(d)\nrs.groupBy { it.key() }.forEach { (k, r) ->", ""), SKIP),
    (CAUGHT % ("val rs = consumer.poll(d)\nfor ((i, r) in rs.withIndex()) {", ""), SKIP),
    ("while (true) {\nn = consumer.poll(d).fold(n) { all, r -> save(r); all + 1 }\n"
     "consumer.commitSync()\n}", YES),
    ("while (true) {\nconsumer.poll(d).forEachIndexed { i, r -> save(r) }\n"
     "consumer.commitSync()\n}", YES),
])  # fmt: skip
def test_a_kotlin_chain_must_process_all_records_before_the_commit(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (body, ""), expected)


@pytest.mark.parametrize(("body", "expected"), [
    (POLLING % "rs.asScala.take(10).foreach(save)\nconsumer.commitSync()", SKIP),
    (POLLING % "save(rs.asScala.head)\nconsumer.commitSync()", SKIP),
    (POLLING % "rs.asScala.headOption.foreach(save)\nconsumer.commitSync()", SKIP),
    (POLLING % "rs.asScala.foreach { r => val ok = save(r) }\nconsumer.commitSync()", SKIP),
    (POLLING % "for (r <- rs.asScala) { val ok: Boolean = save(r)\nif (!ok) "
     "throw new X }\nconsumer.commitSync()", YES),
    (POLLING % "Future.traverse(rs.asScala)(process).onComplete(_ => "
     "consumer.commitSync())", SKIP),
    (POLLING % "Future.traverse(rs.asScala.toList)(r => process(r)).onComplete "
     "{ _ => consumer.commitSync() }", SKIP),
    (POLLING % "Future.sequence(rs.asScala.toList.map(process)).onComplete { "
     "case _ => consumer.commitSync() }", SKIP),
    (POLLING % "val f = Future.traverse(rs.asScala.toList)(process).andThen { "
     "case _ => consumer.commitSync() }\nAwait.result(f, t)", SKIP),
    (POLLING % "val f = Future.traverse(rs.asScala.toList)(process).andThen { "
     "case Success(_) => consumer.commitSync() }\nAwait.result(f, t)", YES),
    (POLLING % "Await.result(Future.traverse(rs.asScala.toList)(process), "
     "t)\nconsumer.commitSync()", YES),
    (POLLING % "Await.ready(Future.traverse(rs.asScala.toList)(process), "
     "t)\nconsumer.commitSync()", SKIP),
    (POLLING % "val f = Future.traverse(rs.asScala.toList)(process).map(_ => "
     "consumer.commitSync())\nAwait.result(f, t)", YES),
    (POLLING % "rs.asScala.map(_.value).foreach(save)\nconsumer.commitSync()", YES),
    (POLLING % "rs.asScala.foldLeft(0) { (n, r) => try { save(r) } catch { case e: Exception => "
     "log.warn(e) }; n + 1 }\nconsumer.commitSync()", SKIP),
    (POLLING % "rs.asScala.zipWithIndex.foreach { case (r, n) => try { save(r) } catch { case e: "
     "Exception => log.warn(e) } }\nconsumer.commitSync()", SKIP),
    (POLLING % "for { r <- rs.asScala } yield try { save(r) } catch { case e: Exception => "
     "log.warn(e) }\nconsumer.commitSync()", SKIP),
    (POLLING % "rs.asScala.foldLeft(0) { (n, r) => save(r); n + 1 }\nconsumer.commitSync()", YES),
    (POLLING % "val orders = rs.asScala.map(r => "
     "decode(r.value))\nconsumer.commitSync()\norders.foreach(save)", BEFORE),
    (POLLING % "rs.iterator.asScala.foreach(r => save(r.value))\nconsumer.commitSync()", YES),
    (POLLING % "rs.asScala.grouped(100).foreach(b => "
     "repo.saveAll(b.toSeq))\nconsumer.commitSync()", YES),
    ("Iterator.continually(consumer.poll(d)).flatMap(_.asScala).foreach "
     "{ r => save(r); consumer.commitSync() }", BEFORE),
])  # fmt: skip
def test_a_scala_program_must_process_all_records_before_the_commit(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % body, expected)
