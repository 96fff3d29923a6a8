"""Programs in the JVM's languages whose work for a record is a value: a publisher, an effect, a
future, or a stored error. Each row has the body of the loop, the definitions outside the loop, and
the answer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, SCALA, STREAMS, WITH_METHOD

_IN_JAVA = LOOP % "for (var r : rs) {\n%s\n}\nc.commitSync();"
_REPO = "interface Repo extends ReactiveCrudRepository<O, Long> {}\nRepo repo;"
_METHOD = "\n{} h(ConsumerRecord<String, String> r) {{ return {}; }}"
_MONGO = "com.mongodb.reactivestreams.client.MongoCollection<Document> users;"
_APACHE = "CloseableHttpClient http;"
_RESPONSE = "try (CloseableHttpResponse res = http.execute(post(r))) { %s }"
_BATCH = 'RBatch b = redisson.createBatch();\nb.getMap("m").fastPutAsync(r.key(), r.value());\n'
_EMPTY = 'e -> { log.error("x", e); return Mono.empty(); }'


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    # publishers without a subscriber
    ("users.insertOne(new Document(r.value()));", _MONGO, BEFORE),
    ("repo.save(new O(r.value()));", _REPO, BEFORE),
    ("repo.save(new O(r.value())).block();", _REPO, YES),
    ("Mono<O> m = repo.save(new O(r.value()));", _REPO, BEFORE),
    ("Mono<O> m = repo.save(new O(r.value()));\nm.block();", _REPO, YES),
    ("all.add(repo.save(new O(r.value())));\nFlux.concat(all).blockLast();", _REPO, YES),
    ("repo.save(new O(r.value())).doOnNext(o -> repo.save(o)).block();", _REPO, BEFORE),
    ("redis.opsForValue().set(r.key(), r.value());", "ReactiveRedisTemplate<A, B> redis;", BEFORE),
    ("t.insert(r.value());", "ReactiveMongoTemplate t;", BEFORE),
    ("t.insert(r.value());", "MongoTemplate t;", YES),
    ("Mono.fromCallable(() -> save(r)).subscribeOn(Schedulers.parallel());", "", BEFORE),
    ("Mono.fromCallable(() -> save(r)).subscribeOn(Schedulers.parallel()).block();", "", YES),
    ("Uni.createFrom().item(() -> save(r));", "", BEFORE),
    ("Uni.createFrom().item(() -> save(r)).await().indefinitely();", "", YES),
    ("h(r);", _METHOD.format("Mono<Void>", "db.save(r)"), BEFORE),
    ("h(r).block();", _METHOD.format("Mono<Void>", "db.save(r)"), YES),
    ("h(r);", _METHOD.format("CompletableFuture<Void>", "db.save(r)"), ASIDE),
    ("h(r).join();", _METHOD.format("CompletableFuture<Void>", "db.save(r)"), YES),
    ("h(r);", "CompletableFuture<Void> h(R r) { db.save(r).join(); return null; }", YES),
    ("db.save(r.value()).toCompletableFuture();", "", ASIDE),
    # errors that a chain drops
    (f"Mono.fromCallable(() -> save(r)).onErrorResume({_EMPTY}).block();", "", SKIP),
    ("db.save(r).onErrorReturn(null).block();", "", SKIP),
    ("look(r).onErrorReturn(none).flatMap(it -> save(it)).block();", "", YES),
    ("h(r).block();", _METHOD.format("Mono<O>", f"db.save(r).onErrorResume({_EMPTY})"), SKIP),
    ("h(r).block();", _METHOD.format("Mono<O>", "db.save(r).onErrorResume(e -> dead(r))"), YES),
    ("h(r);", "void h(R r) { db.put(r).exceptionally(e -> { log.error(e); return null; })\n"
     ".join(); }", SKIP),
    ("Uni.createFrom().item(() -> save(r)).onFailure().retry().atMost(3).await().indefinitely();",
     "", YES),
    ("Uni.createFrom().item(() -> save(r)).onFailure().recoverWithNull().await().indefinitely();",
     "", SKIP),
    # clients whose methods return immediately, and clients whose methods block
    ("f.document(r.key()).set(v(r));", "com.google.cloud.firestore.Firestore f;", ASIDE),
    ("f.document(r.key()).set(v(r)).get();", "com.google.cloud.firestore.Firestore f;", YES),
    ("asyncStub.save(r, seen);", "", ASIDE),
    ("blockingStub.save(r);", "", YES),
    ("db.preparedQuery(x).execute(r);", "io.vertx.sqlclient.Pool db;", ASIDE),
    ("web.post().body(r).retrieve().toBodilessEntity();", "RestClient web;", YES),
    ("web.post().body(r).retrieve().toBodilessEntity();", "WebClient web;", BEFORE),
    # results that report success or failure
    ("httpClient.execute(post(r));", "CloseableHttpClient httpClient;", SKIP),
    ("Result res = save(r);\nif (res.isFailure()) { log.error(res); }", "", SKIP),
    ("Result res = save(r);\nif (res.isFailure()) { throw res.error(); }", "", YES),
    ("Result res = save(r);\nif (res.isFailure()) { log.error(res); }\ndead(res);", "", YES),
    ("switch (save(r)) { case Success s -> log.info(s); case Failure f -> log.error(f); }", "",
     SKIP),
    ("switch (save(r)) { case Success s -> log.info(s); case Failure f -> throw f.error(); }", "",
     YES),
    ("save(r).ifPresentOrElse(x -> log.info(x), () -> log.warn(r));", "", SKIP),
    ("save(r).ifPresentOrElse(x -> log.info(x), () -> dead(r));", "", YES),
    ("Optional<R> o = save(r);\no.ifPresentOrElse(x -> log.info(x), () -> log.warn(r));", "", SKIP),
    ("find(r).ifPresentOrElse(x -> save(x, r), () -> log.info(r));", "", YES),
    # responses whose status nothing checks
    (_RESPONSE % "EntityUtils.consume(res.getEntity());", _APACHE, SKIP),
    (_RESPONSE % "String b = EntityUtils.toString(res.getEntity()); log.info(b);", _APACHE, SKIP),
    (_RESPONSE % "if (res.getCode() >= 300) throw new X();", _APACHE, YES),
    (_RESPONSE % "check(res);", _APACHE, YES),
    ("http.execute(post(r), res -> { EntityUtils.consume(res.getEntity()); return 1; });", _APACHE,
     SKIP),
    ("http.execute(post(r), res -> { if (res.getCode() > 299) throw new X(); return 1; });",
     _APACHE, YES),
    ("http.execute(post(r), new BasicHttpClientResponseHandler());", _APACHE, YES),
    ("var res = http.send(post(r), BodyHandlers.ofString());\nint st = res.statusCode();\n"
     "if (st > 299) log.error(st);", "", SKIP),
    ("http.newCall(post(r)).execute().close();", "", SKIP),
    # datagrams, and a batch that is sent as a whole
    ("socket.send(packet(r));", "DatagramSocket socket = new DatagramSocket();", ASIDE),
    (f"{_BATCH}b.execute();", "", YES),
    (_BATCH, "", BEFORE),
    # other message brokers
    ('ch.basicPublish("", "q", null, r.value());', "Channel ch;", ASIDE),
    ('ch.basicPublish("", "q", null, r.value());\nch.waitForConfirmsOrDie(5);', "Channel ch;", YES),
    ('ch.basicPublish("", "q", null, r.value());\nch.waitForConfirms(5);', "Channel ch;", SKIP),
    ('ch.basicPublish("", "q", null, r.value());\nch.txCommit();', "Channel ch;", YES),
    ("rabbitTemplate.convertAndSend(r.value());", "RabbitTemplate rabbitTemplate;", ASIDE),
    ("jmsTemplate.convertAndSend(r.value());", "JmsTemplate jmsTemplate;", YES),
    ('mqtt.publish("t", r.value(), 0, false);', "MqttClient mqtt;", ASIDE),
    ('mqtt.publish("t", r.value(), 1, false);', "MqttClient mqtt;", YES),
    ('nats.publish("t", r.value());', "io.nats.client.Connection nats;", ASIDE),
])  # fmt: skip
def test_unsubscribed_publishers_and_swallowed_errors_in_java_are_reported(
    body: str, definitions: str, expected: str, tmp_path: Path
) -> None:
    code = WITH_METHOD % (_IN_JAVA % body, definitions)
    assert_program(tmp_path / "A.java", code, expected)


_COMMIT = "c.commitSync(mapOf(t to OffsetAndMetadata(r.offset() + 1)))"
_KOTLIN_REPO = "interface Repo : ReactiveCrudRepository<O, Long>\nlateinit var repo: Repo"
_WHEN = "val res = runCatching { save(r) }\nwhen { res.isSuccess -> %s; else -> %s }"


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    (f"runCatching {{ save(r) }}.fold(onSuccess = {{ {_COMMIT} }},\n"
     "onFailure = { log.error(it) },)", "", SKIP),
    ("runCatching { save(r) }.fold(onSuccess = { log.info(it) }, onFailure = { dead(r, it) },)",
     "", YES),
    ("runCatching { save(r) }.fold({ log.info(it) }, { throw it })", "", YES),
    ("Either.catch { save(r) }.fold({ log.error(it) }, { log.info(it) })", "", SKIP),
    ("Either.catch { save(r) }.mapLeft { log.error(it) }", "", SKIP),
    ("save(r).fold(ifLeft = { log.error(it) }, ifRight = { log.info(it) })", "", SKIP),
    ("save(r).fold(ifLeft = { throw it }, ifRight = { log.info(it) })", "", YES),
    (_WHEN % (_COMMIT, "log.error(res)"), "", SKIP),
    (_WHEN % (_COMMIT, "throw res.exceptionOrNull()"), "", YES),
    (f"val ok = save(r)\nwhen (ok) {{ true -> {_COMMIT}\nfalse -> log.error(r) }}", "", SKIP),
    ("val known = has(r)\nwhen { known -> update(r)\nelse -> insert(r) }", "", YES),
    ("save(r).getOrElse { log.error(it) }", "", SKIP),
    ("save(r).getOrElse { throw it }", "", YES),
    # results of a type that is not in this file
    ("val res = handle(r)\nres.fold({ log.info(it) }, { log.error(it) })", "", SKIP),
    ("val res = handle(r)\nres.fold({ log.info(it) }, { throw it })", "", YES),
    ("handle(r).fold({ v -> repo.save(v) }, { e -> log.error(e) })", "", SKIP),
    ("handle(r).fold({ e -> dead(e, r) }, { v -> log.info(v) })", "", YES),
    ("val res = handle(r)\nres.onFailure { log.error(it) }", "", SKIP),
    ("val res = handle(r)\nres.onFailure { log.error(it) }\nres.getOrThrow()", "", YES),
    ("http.newCall(post(r)).execute().use { if (!it.isSuccessful) log.error(it) }", "", SKIP),
    ("http.newCall(post(r)).execute().use { check(it.isSuccessful) }", "", YES),
    # records in string templates
    ('try { db.run("insert ${r.value()}") } catch (e: Exception) { log.error(e) }', "", SKIP),
    ('try { db.run("insert $r") } catch (e: Exception) { log.error(e) }', "", SKIP),
    ('pool.submit { db.run("insert ${r.value()}") }', "", ASIDE),
    ('logger.info { "got ${r.value()}" }\ndb.run("insert ${r.value()}")', "", YES),
    # publishers, flows and deferred values
    ("runBlocking { repo.save(r) }", _KOTLIN_REPO, BEFORE),
    ("runBlocking { repo.save(r).awaitSingle() }", _KOTLIN_REPO, YES),
    ("flowOf(r).onEach { save(it) }", "", BEFORE),
    ("runBlocking { flowOf(r).collect { save(it) } }", "", YES),
    ("h(r)", "fun h(r: R): Deferred<Unit> = scope.async { save(r) }", ASIDE),
])  # fmt: skip
def test_unsubscribed_publishers_and_swallowed_errors_in_kotlin_are_reported(
    body: str, definitions: str, expected: str, tmp_path: Path
) -> None:
    code = KOTLIN % (f"for (r in rs) {{\n{body}\n}}\nc.commitSync()", definitions)
    assert_program(tmp_path / "A.kt", code, expected)


_FOR = "for {\nx <- %s\n_ <- %s\n} yield ()"
_EITHER = "def look(r: R): Either[E, X] = ???"
_RECOVERS = "Future { save(r) }.recover { case NonFatal(e) => log.error(e) }"


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    ("Either.catchNonFatal(save(r)).leftMap(e => log.error(e))", "", SKIP),
    ("Either.catchNonFatal(save(r)).leftMap(e => dead.put(r, e))", "", YES),
    ("Try(save(r)).toEither.left.foreach(e => log.error(e))", "", SKIP),
    ("Try(save(r)).toEither.left.foreach(e => dead.put(r, e))", "", YES),
    ("Try(save(r)).failed.foreach(e => log.error(e))", "", SKIP),
    ("val res = Try(save(r))\nres match {\ncase Success(_) => log.info(r)\n"
     "case Failure(e) => log.error(e)\n}", "", SKIP),
    ("IO(save(r)).handleErrorWith(e => IO(log.error(e))).unsafeRunSync()", "", SKIP),
    ("IO(save(r)).handleErrorWith(e => IO(log.error(e)) *> IO.raiseError(e)).unsafeRunSync()", "",
     YES),
    ("IO(save(r)).handleErrorWith(e => dead(r, e)).unsafeRunSync()", "", YES),
    ("IO(save(r)).voidError.unsafeRunSync()", "", SKIP),
    ("IO(save(r)).redeem(e => log.error(e), identity).unsafeRunSync()", "", SKIP),
    ("IO(save(r))", "", BEFORE),
    ("IO(save(r)).unsafeRunSync()", "", YES),
    ("runtime.unsafeRun(ZIO.attempt(save(r)).catchAll(_ => ZIO.unit))", "", SKIP),
    ('runtime.unsafeRun(ZIO.attempt(save(r)).catchAll(e => ZIO.logError("x")))', "", SKIP),
    ("runtime.unsafeRun(ZIO.attempt(save(r)).orElse(ZIO.unit))", "", SKIP),
    ("runtime.unsafeRun(ZIO.attempt(save(r)).ignore)", "", SKIP),
    ("runtime.unsafeRun(ZIO.attempt(save(r)).either)", "", SKIP),
    ("runtime.unsafeRun(ZIO.attempt(save(r)).retryN(3))", "", YES),
    ("h(r)", "def h(r: R): IO[Unit] = IO(save(r))", BEFORE),
    ("h(r)", "def h(r: R): Future[Unit] = Future { save(r) }", ASIDE),
    ("Await.result(h(r), 1.minute)", "def h(r: R): Future[Unit] = Future { save(r) }", YES),
    ("Await.result(h(r), 1.minute)", f"def h(r: R): Future[Unit] = {_RECOVERS}", SKIP),
    ("db.run(orders += r)", "import slick.jdbc.PostgresProfile.api._", ASIDE),
    ('try { db.run(s"insert ${r.value}") } catch { case NonFatal(e) => log.error(e) }', "", SKIP),
    # values of `for` comprehensions
    (_FOR % ("IO(look(r))", "IO(save(x))"), "", BEFORE),
    (f"val io = {_FOR % ('IO(look(r))', 'IO(save(x))')}\nio.unsafeRunSync()", "", YES),
    (f"({_FOR % ('IO(look(r))', 'IO(save(x))')}).unsafeRunSync()", "", YES),
    (_FOR % ("ZIO.attempt(look(r))", "repo.save(x)"), "", BEFORE),
    (_FOR % ("look(r)", "repo.save(x)"), "import scala.concurrent.Future", ASIDE),
    (f"Await.result({_FOR % ('look(r)', 'repo.save(x)')}, 5.seconds)",
     "import scala.concurrent.Future", YES),
    (_FOR % ("look(r)", "store(x)"), _EITHER, SKIP),
    (f"val res = {_FOR % ('look(r)', 'store(x)')}\nres.fold(e => log.error(e), v => log.info(v))",
     _EITHER, SKIP),
    (f"val res = {_FOR % ('look(r)', 'store(x)')}\nres.fold(e => throw e, v => log.info(v))",
     _EITHER, YES),
    ("for (x <- r.value.split(',')) yield save(x)", "", YES),
    ('sql"insert into t values (${r.value})".update.run.transact(xa)', "import doobie._", BEFORE),
    ('sql"insert into t values (${r.value})".update.run.transact(xa).unsafeRunSync()',
     "import doobie._", YES),
])  # fmt: skip
def test_effects_that_never_run_and_swallowed_errors_in_scala_are_reported(
    body: str, definitions: str, expected: str, tmp_path: Path
) -> None:
    code = SCALA % (f"rs.asScala.foreach {{ r =>\n{body}\n}}\nc.commitSync()", definitions)
    assert_program(tmp_path / "A.scala", code, expected)


_HANDED, _SKIPS = "a record is handed over", "processing.errors: skip -> retry"


@pytest.mark.parametrize(("body", "definitions", "code", "expected"), [
    ("b.foreach((k, v) -> repo.save(v));", _REPO, 2, _HANDED),
    ("b.foreach((k, v) -> repo.save(v).block());", _REPO, 0, YES),
    ("b.foreach((k, v) -> h(v));", "Mono<Void> h(V v) { return db.save(v); }", 2, _HANDED),
    ("b.foreach((k, v) -> h(v));", "Future<O> h(V v) { return db.save(v); }", 2, _HANDED),
    ("b.foreach((k, v) -> s3.putObject(v));", "S3AsyncClient s3;", 2, _HANDED),
    ("b.foreach((k, v) -> s3.putObject(v).join());", "S3AsyncClient s3;", 0, YES),
    ('b.foreach((k, v) -> ch.basicPublish("", "q", null, v));', "", 2, _HANDED),
    ("b.mapValues(v -> db.put(v).exceptionally(e -> { log.error(e); return null; }).join());", "",
     1, _SKIPS),
    ("b.foreach((k, v) -> kinesis.putRecords(v));", "", 1, _SKIPS),
])  # fmt: skip
def test_publishers_and_swallowed_errors_in_a_topology_are_reported(
    body: str, definitions: str, code: int, expected: str, tmp_path: Path
) -> None:
    topic = f"{TOPIC} streams.topic.min.insync.replicas=2"
    assert_file(tmp_path / "A.java", STREAMS % (body, definitions), "", topic, code, expected)
