"""Failed sends that a callback counts or passes to a promise, and outboxes of unsent messages.

Sources: KafkaProducer javadoc, `send` and `Callback`; CompletableFuture; scala.concurrent.Promise;
kotlinx.coroutines, suspendCoroutine.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA as TOPIC
from tests.advisor.configurations.asking import assert_file
from tests.advisor.configurations.programs.test_sends import IGNORED, YES
from tests.advisor.programs.jvm_senders import JAVA, KOTLIN, SCALA

_READS = "consumer.auto.offset.reset=earliest consumer.enable.auto.commit=false"


@pytest.mark.parametrize(("program", "body", "methods", "expected"), [
    (JAVA, "AtomicInteger failed = new AtomicInteger();\nfor (Order o : orders) { "
     'k.send(new ProducerRecord<>("orders", o.id(), json(o)), (m, e) -> { if (e '
     '!= null) failed.incrementAndGet(); }); }\nk.flush();\nlog.info("done, {} '
     'failed", failed.get());', "", IGNORED),
    (JAVA, "AtomicInteger failed = new AtomicInteger();\nfor (Order o : orders) { "
     'k.send(new ProducerRecord<>("orders", o.id(), json(o)), (m, e) -> { if (e '
     "!= null) failed.incrementAndGet(); }); }\nk.flush();\nif (failed.get() > "
     "0) System.exit(1);", "", YES),
    (JAVA, "CountDownLatch latch = new CountDownLatch(orders.size());\n"
     "Queue<Exception> errors = new ConcurrentLinkedQueue<>();\nfor (Order o : "
     'orders) { k.send(new ProducerRecord<>("orders", o.id(), json(o)), (m, e) '
     "-> { if (e != null) errors.add(e); latch.countDown(); }); }\nlatch.await();"
     "\nif (!errors.isEmpty()) throw new IllegalStateException(errors.peek());", "", YES),
    (JAVA, "for (OutboxRow row : outbox.unsent()) { k.send(record(row), (m, e) -> { if "
     '(e == null) outbox.markSent(row.id()); else log.warn("will be sent again '
     '{}", row.id(), e); }); }\nk.flush();', "", YES),
    (JAVA, "for (OutboxRow row : outbox.unsent()) { k.send(record(row), (m, e) -> { if "
     '(e != null) log.warn("failed {}", row.id(), e); outbox.markSent(row.id()); '
     "}); }\nk.flush();", "", IGNORED),
    (JAVA, "CompletableFuture<RecordMetadata> done = new CompletableFuture<>();\n"
     'k.send(new ProducerRecord<>("t", "v"), (m, e) -> { if (e != null) '
     "done.completeExceptionally(e); else done.complete(m); });\n"
     'done.thenAccept(m -> log.info("sent {}", m.offset()));', "", IGNORED),
    (JAVA, "CompletableFuture<RecordMetadata> done = new CompletableFuture<>();\n"
     'k.send(new ProducerRecord<>("t", "v"), (m, e) -> { if (e != null) '
     "done.completeExceptionally(e); else done.complete(m); });\ndone.join();", "", YES),
    (JAVA, "CompletableFuture<RecordMetadata> done = new CompletableFuture<>();\n"
     'k.send(new ProducerRecord<>("t", "v"), (m, e) -> { if (e != null) '
     "done.completeExceptionally(e); else done.complete(m); });\n"
     'done.exceptionally(e -> { log.error("failed", e); return null; }).join();', "", IGNORED),
    (JAVA, 'publishAsync("a").join();',
     "CompletableFuture<RecordMetadata> publishAsync(String v) { "
     "CompletableFuture<RecordMetadata> done = new CompletableFuture<>(); "
     'k.send(new ProducerRecord<>("t", v), (m, e) -> { if (e != null) '
     "done.completeExceptionally(e); else done.complete(m); }); return done; }", YES),
    (JAVA, 'scheduler.scheduleAtFixedRate(() -> k.send(new ProducerRecord<>("metrics", '
     "snapshot())), 0, 1, TimeUnit.SECONDS);", "", IGNORED),
    (KOTLIN, 'runBlocking { for (l in lines) { k.sendAwait(ProducerRecord("t", l)) } }',
     "suspend fun KafkaProducer<String, String>.sendAwait(r: "
     "ProducerRecord<String, String>): RecordMetadata = suspendCoroutine { cont "
     "-> send(r) { m, e -> if (e != null) cont.resumeWithException(e) else "
     "cont.resume(m) } }", YES),
    (KOTLIN, 'runBlocking { for (l in lines) { try { k.sendAwait(ProducerRecord("t", l)) '
     '} catch (e: Exception) { log.error("x", e) } } }',
     "suspend fun KafkaProducer<String, String>.sendAwait(r: "
     "ProducerRecord<String, String>): RecordMetadata = suspendCoroutine { cont "
     "-> send(r) { m, e -> if (e != null) cont.resumeWithException(e) else "
     "cont.resume(m) } }", IGNORED),
    (SCALA, 'val p1 = Promise[RecordMetadata]()\nk.send(new ProducerRecord("t", "v"), '
     "(m: RecordMetadata, e: Exception) => if (e != null) p1.failure(e) else "
     "p1.success(m))\nAwait.result(p1.future, 10.seconds)", "", YES),
    (SCALA, 'val p1 = Promise[RecordMetadata]()\nk.send(new ProducerRecord("t", "v"), '
     "(m: RecordMetadata, e: Exception) => if (e != null) p1.failure(e) else "
     "p1.success(m))\np1.future.foreach(m => log.info(m.offset))", "", IGNORED),
    (SCALA, 'val p1 = Promise[RecordMetadata]()\nk.send(new ProducerRecord("t", "v"), '
     "(m: RecordMetadata, e: Exception) => if (e != null) p1.failure(e) else "
     "p1.success(m))\np1.future.onComplete { case Success(m) => "
     'log.info(m.offset); case Failure(e) => log.error("failed", e) }', "", IGNORED),
])  # fmt: skip
def test_an_error_that_a_callback_passes_on_must_be_read(
    tmp_path: Path, program: str, body: str, methods: str, expected: str
) -> None:
    path, code = tmp_path / "A.java", program % (body, methods)
    assert_file(path, code, "", f"{TOPIC} {_READS}", 0 if expected == YES else 1, expected)
