"""Sends whose futures are kept: whether the program reads them.

Source: KafkaProducer javadoc, `send` (only a future that completes with an exception reports that
the record was not written).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA as TOPIC
from tests.advisor.configurations.asking import assert_file
from tests.advisor.configurations.programs.test_sends import IGNORED, YES
from tests.advisor.programs.jvm_senders import JAVA, KOTLIN, SCALA

_TWO_SENDS = (
    "Future<M> go(KafkaProducer<String, String> k) { if (a) return k.send(x); return k.send(y); }"
)
_TRY_GET = "try { k.send(r).get(); } catch (Exception e) { %s }"
_ATTEMPTS = f"int n = 0; %s {{ {_TRY_GET.replace('get();', 'get(); break;')} }}"
_SCRIPT = KOTLIN.replace("fun run() {\n", "").replace("\n}\n%s", "\n%s")
CASES = [
    (KOTLIN, "k.apply { send(r) }", "", IGNORED),
    (KOTLIN, "with(k) { send(r) }", "", IGNORED),
    (KOTLIN, "k.run { send(r) }", "", IGNORED),
    (KOTLIN, "k.run {\n  rows.forEach { send(it) }\n}", "", IGNORED),
    (KOTLIN, "k.run { send(r).get() }", "", YES),
    (KOTLIN, "with(k) { send(r).get() }", "", YES),
    (KOTLIN, "with(k) { send(r) }.get()", "", YES),
    (KOTLIN, "k.run { send(r) }.get()", "", YES),
    (KOTLIN, "val f = with(k) { send(r) }\nf.get()", "", YES),
    (KOTLIN, "val f = with(k) { send(r) }\nk.close()", "", IGNORED),
    (KOTLIN, "with(k) { rows.map { send(it) } }.forEach { it.get() }", "", YES),
    (KOTLIN, "with(k) { rows.map { send(it) }.forEach { it.get() } }", "", YES),
    (KOTLIN, "with(k) { rows.map { send(it) } }", "", IGNORED),
    (KOTLIN, "k.apply { this.send(r) }", "", IGNORED),
    (KOTLIN, "KafkaProducer<String, String>(p).apply { send(r) }", "", IGNORED),
    (KOTLIN, "with(KafkaProducer<String, String>(p)) { send(r) }", "", IGNORED),
    (KOTLIN, "k.apply { send(r) { _, e -> if (e != null) throw e } }", "", IGNORED),
    (KOTLIN, "k.apply { send(r) { _, e -> if (e != null) log.error(e) } }", "", IGNORED),
    (KOTLIN, "with(k) { send(r, null) }", "", IGNORED),
    (KOTLIN, "go(k)", "fun KafkaProducer<String, String>.pub(r: R) {\n  send(r)\n}\nfu"
     "n go(x: KafkaProducer<String, String>) { x.pub(r) }", IGNORED),
    (KOTLIN, "k.pub(r)", "fun Producer<String, String>.pub(r: R) { send(r).get() }", YES),
    (KOTLIN, "k.pub(r).get()", "fun Producer<String, String>.pub(r: R) = send(r)", YES),
    (KOTLIN, "k.pub(r)", "fun Producer<String, String>.pub(r: R) = send(r)", IGNORED),
    (KOTLIN, "k.apply { if (a) send(r) else skip() }", "", IGNORED),
    (KOTLIN, "k.apply { r?.let { send(it) } }", "", IGNORED),
    (KOTLIN, "k.apply { r?.let(::send) }", "", IGNORED),
    (KOTLIN, "k.apply { rows.forEach(::send) }", "", IGNORED),
    (KOTLIN, "rows.map(k::send)", "", IGNORED),
    (KOTLIN, "X(k).go()", "class X(val x: KafkaProducer<String, String>) {\n fun go() { "
     "x.apply { send(r) } }\n}", IGNORED),
    (JAVA, "records.stream().map(k::send).toList();", "", IGNORED),
    (JAVA, "List<Future<RecordMetadata>> fs = records.stream().map(k::send).toList(); for (var f"
     " : fs) f.get();", "", YES),
    (JAVA, 'var fs = records.stream().map(k::send).collect(Collectors.toList()); log.info("sent '
     '{}", fs.size());', "", IGNORED),
    (JAVA, "records.stream().map(r -> k.send(r)).toList();", "", IGNORED),
    (JAVA, "records.stream().map(r -> k.send(r)).forEach(f -> f.get());", "", YES),
    (JAVA, "records.stream().map(r -> k.send(r)).forEach(f -> {});", "", IGNORED),
    (JAVA, "List<Future<RecordMetadata>> futures = new ArrayList<>(); for (R r : rows) futures.a"
     "dd(k.send(r));", "", IGNORED),
    (JAVA, "List<Future<RecordMetadata>> futures = new ArrayList<>(); for (R r : rows) { futures"
     ".add(k.send(r)); } k.flush(); futures.clear();", "", IGNORED),
    (JAVA, "List<Future<RecordMetadata>> futures = new ArrayList<>(); for (R r : rows) { futures"
     ".add(k.send(r)); } for (Future<RecordMetadata> f : futures) { f.get(); }", "", YES),
    (JAVA, "List<Future<RecordMetadata>> futures = new ArrayList<>(); for (R r : rows) { futures"
     ".add(k.send(r)); } for (Future<RecordMetadata> f : futures) { if (!f.isDone()) log.w"
     "arn(1); }", "", IGNORED),
    (JAVA, "List<Future<RecordMetadata>> futures = new ArrayList<>(); for (R r : rows) { futures"
     ".add(k.send(r)); } for (Future<RecordMetadata> f : futures) { try { f.get(); } catch"
     " (Exception e) { log.error(e); } }", "", IGNORED),
    (JAVA, "List<Future<RecordMetadata>> futures = new ArrayList<>(); for (R r : rows) { futures"
     ".add(k.send(r)); } check(futures);", "void check(List<Future<RecordMetadata>> all) thr"
     "ows Exception { for (var f : all) f.get(); }", YES),
    (JAVA, "List<Future<RecordMetadata>> futures = new ArrayList<>(); for (R r : rows) { futures"
     ".add(k.send(r)); } check(futures);", "void check(List<Future<RecordMetadata>> all) { l"
     "og.info(all.size()); }", IGNORED),
    (JAVA, "Future<RecordMetadata>[] fs = new Future[n]; for (int i = 0; i < n; i++) { fs[i] = k"
     ".send(rows[i]); }", "", IGNORED),
    (JAVA, "Future<RecordMetadata>[] fs = new Future[n]; for (int i = 0; i < n; i++) { fs[i] = k"
     ".send(rows[i]); } for (var f : fs) f.get();", "", YES),
    (JAVA, ""
     "Map<String, Future<RecordMetadata>> fs = new HashMap<>(); fs.put(r.key(), k.send(r));", "",
     IGNORED),
    (JAVA, "Map<String, Future<RecordMetadata>> fs = new HashMap<>(); fs.put(r.key(), k.send(r))"
     "; for (var f : fs.values()) f.get();", "", YES),
    (JAVA, "Future<RecordMetadata> f = k.send(r); while (!f.isDone()) Thread.sleep(1);", "",
     IGNORED),
    (JAVA, "Future<RecordMetadata> f; f = k.send(r);", "", IGNORED),
    (JAVA, "Future<RecordMetadata> f = null; for (R r : rows) f = k.send(r); f.get();", "",
     IGNORED),
    (JAVA, "Future<RecordMetadata> f = k.send(r); log.info(f);", "", IGNORED),
    (JAVA, "Optional<Future<RecordMetadata>> f = Optional.of(k.send(r));", "", IGNORED),
    (JAVA, "executor.submit(() -> k.send(r));", "", IGNORED),
    (JAVA, "IntStream.range(0, n).mapToObj(i -> k.send(rows[i])).toList();", "", IGNORED),
    (JAVA, "List<CompletableFuture<Void>> fs = rows.stream().map(r -> CompletableFuture.runAsync"
     "(() -> k.send(r))).toList(); CompletableFuture.allOf(fs).join();", "", IGNORED),
    (SCALA, "val fs = rows.map(r => k.send(r))", "", IGNORED),
    (SCALA, "val fs = rows.map(k.send)", "", IGNORED),
    (SCALA, "rows.foreach(k.send)", "", IGNORED),
    (SCALA, "rows.map(k.send(_)).foreach(_.get())", "", YES),
    (SCALA, "rows.map(k.send(_))", "", IGNORED),
    (SCALA, "val fs = for (r <- rows) yield k.send(r)", "", IGNORED),
    (SCALA, "val fs = for (r <- rows) yield k.send(r)\nfs.foreach(_.get())", "", YES),
    (SCALA, "val buf = ListBuffer[Future]()\nrows.foreach { r => buf += k.send(r) }", "", IGNORED),
    (SCALA, "val buf = ListBuffer[Future]()\nrows.foreach { r => buf += k.send(r) }\nbu"
     "f.foreach(_.get)", "", YES),
    (KOTLIN, "val fs = rows.map { k.send(it) }", "", IGNORED),
    (KOTLIN, "val fs = rows.map { k.send(it) }\nfs.forEach { it.get() }", "", YES),
    (KOTLIN, "val fs = mutableListOf<Future<RecordMetadata>>()\nfor (r in rows) fs += k.send(r)",
     "", IGNORED),
    (KOTLIN, "val fs = mutableListOf<Future<RecordMetadata>>()\nfor (r in rows) fs += k"
     ".send(r)\nfs.forEach { it.get() }", "", YES),
    (JAVA, "List<Future<RecordMetadata>> fs = new ArrayList<>();\nfor (var r : rows) "
     "fs.add(k.send(r));\nIterator<Future<RecordMetadata>> it = fs.iterator();\nwhile (it.ha"
     "sNext()) it.next().get();", "", YES),
    (JAVA, "Map<Long, Future<RecordMetadata>> fs = new HashMap<>();\nfor (var r : row"
     "s) fs.put(r.id(), k.send(r));\nfor (Map.Entry<Long, Future<RecordMetadata>> e : fs.en"
     "trySet()) {\n e.getValue().get();\n}", "", YES),
    (JAVA, "Queue<Future<RecordMetadata>> q = new ArrayDeque<>();\nfor (var r : rows)"
     " { q.add(k.send(r)); if (q.size() > 100) q.poll().get(); }\nwhile (!q.isEmpty()) q.re"
     "move().get();", "", YES),
    (JAVA, "Queue<Future<RecordMetadata>> q = new ArrayDeque<>();\nfor (var r : rows)"
     " { q.add(k.send(r)); }\nFuture<RecordMetadata> f;\nwhile ((f = q.poll()) != null) f.get();",
     "", YES),
    (JAVA, "RecordMetadata m = k.send(r).get();\nlog.info(m.offset());", "", YES),
    (JAVA, "publish(r).get();", "Future<RecordMetadata> publish(R r) { return k.send(r); }", YES),
    (JAVA, "publish(r);", "Future<RecordMetadata> publish(R r) { return k.send(r); }", IGNORED),
    (JAVA, "publish(r);", "Future<RecordMetadata> publish(R r) { var f = k.send(r); return f; }",
     IGNORED),
    (JAVA, "CompletableFuture<RecordMetadata> cf = new CompletableFuture<>();\nk.send"
     "(r, (m, e) -> { if (e != null) cf.completeExceptionally(e); else cf.complete(m); });"
     "\ncf.join();", "", YES),
    (JAVA, "rows.stream().map(r -> k.send(r)).toList().forEach(f -> { try { f.get(); } catch (Ex"
     "ception e) { throw new RuntimeException(e); } });", "", YES),
    (JAVA, "List<Future<RecordMetadata>> fs = rows.stream().map(r -> { return k.send(r); }).coll"
     "ect(Collectors.toList());\nwaitFor(fs);", "void waitFor(List<Future<RecordMetad"
     "ata>> fs) throws Exception { for (Future<RecordMetadata> f : fs) { f.get(); } }", YES),
    (JAVA, "this.pending = k.send(r);", "Future<RecordMetadata> pending; void stop() thro"
     "ws Exception { pending.get(); }", YES),
    (JAVA, "this.pending = k.send(r);", "Future<RecordMetadata> pending;", IGNORED),
    (JAVA, "this.pending.add(k.send(r));", "List<Future<RecordMetadata>> pending = new Array"
     "List<>(); void stop() throws Exception { for (var f : this.pending) f.get(); }", YES),
    (JAVA, "this.pending.add(k.send(r));", "List<Future<RecordMetadata>> pending = new Array"
     "List<>(); void stop() throws Exception { for (var f : pending) { f.get(); } pending."
     "clear(); }", YES),
    (JAVA, "boolean sent = false;\nwhile (!sent) {\n try { k.send(r).get(); sent = tru"
     "e; } catch (Exception e) { log.warn(e); }\n}", "", YES),
    (JAVA, "while (true) {\n try { k.send(r).get(); break; } catch (Exception e) { lo"
     "g.warn(e); }\n}", "", YES),
    (JAVA, "for (int i = 0; i < 3; i++) {\n try { k.send(r).get(); break; } catch (Ex"
     "ception e) { log.warn(e); }\n}", "", IGNORED),
    (JAVA, "for (int i = 0; i < 3; i++) {\n try { k.send(r).get(); return; } catch (E"
     "xception e) { log.warn(e); }\n}\nthrow new IllegalStateException();", "", YES),
    (JAVA, "Future<?> t = pool.submit(() -> { k.send(r).get(); return null; });\nt.get();", "",
     YES),
    (JAVA, "retryTemplate.execute(ctx -> k.send(r).get());", "", YES),
    (JAVA, "transactionTemplate.execute(s -> { k.send(r).get(); return null; });", "", YES),
    (JAVA, ""
     "executor.execute(() -> { try { k.send(r).get(); } catch (Exception e) { fail(e); } });", "",
     YES),
    (JAVA, "Mono.fromFuture(toCompletable(k.send(r))).block();", "", YES),
    (JAVA, "handle(k.send(r));", ""
     "void handle(Future<RecordMetadata> f) { log.info(f.isDone()); }", IGNORED),
    (JAVA, "handle(k.send(r));", "", YES),
    (JAVA, "Future<RecordMetadata> last = null;\nfor (var r : rows) { last = k.send(r"
     "); last.get(); }", "", YES),
    (JAVA, "Future<RecordMetadata> last = null;\nfor (var r : rows) { last = k.send(r"
     "); }\nlast.get();", "", IGNORED),
    (JAVA, "Future<RecordMetadata> f = cond ? k.send(r) : k.send(s);\nf.get();", "", YES),
    (JAVA, "switch (x) { case 1 -> k.send(r).get(); default -> {} }", "", YES),
    (JAVA, "switch (x) { case 1 -> k.send(r); default -> {} }", "", IGNORED),
    (JAVA, "switch (x) { case 1: k.send(r); break; }", "", IGNORED),
    (JAVA, "synchronized (this) { k.send(r); }", "", IGNORED),
    (JAVA, "((KafkaProducer<String,String>) k).send(r);", "", IGNORED),
    (JAVA, "A.this.k.send(r);", "", IGNORED),
    (JAVA, "getProducer().send(r);", "KafkaProducer<String, String> getProducer() { return k; }",
     IGNORED),
    (JAVA, "producers.get(0).send(r);", "List<KafkaProducer<String, String>> producers;", IGNORED),
    (JAVA, "producers[0].send(r);", "KafkaProducer<String, String>[] producers;", IGNORED),
    (JAVA, "var x = k; x.send(r);", "", IGNORED),
    (JAVA, "Function<R, Future<RecordMetadata>> s = k::send; s.apply(r);", "", IGNORED),
    (JAVA, "Function<R, Future<RecordMetadata>> s = x -> k.send(x); s.apply(r);", "", IGNORED),
    (JAVA, "Consumer<R> s = k::send; rows.forEach(s);", "", IGNORED),
    (JAVA, "Runnable s = () -> k.send(r); s.run();", "", IGNORED),
    (JAVA, 'helper.producer().send(new ProducerRecord<>("t", "v"));', "", IGNORED),
    (JAVA, "Future<RecordMetadata> a = k.send(r), b = k.send(s); a.get(); b.get();", "", YES),
    (JAVA, "try (KafkaProducer<String, String> z = new KafkaProducer<>(p)) { z.send(r); }", "",
     IGNORED),
    (KOTLIN, "val f = k.send(r).asDeferred()\nf.await()", "", YES),
    (KOTLIN, "rows.map { async { k.send(it).get() } }.awaitAll()", "", YES),
    (KOTLIN, "rows.map { async { k.send(it) } }.awaitAll()", "", IGNORED),
    (KOTLIN, "rows.asSequence().map { k.send(it) }.toList().map { it.get() }", "", YES),
    (KOTLIN, "rows.map { x -> k.send(x) to x }.forEach { (f, x) -> f.get() }", "", YES),
    (KOTLIN, "k.send(r).apply { get() }", "", YES),
    (KOTLIN, "k.send(r).run { get() }", "", YES),
    (KOTLIN, "val x = k.apply { initTransactions() }\nx.send(r)", "", IGNORED),
    (KOTLIN, "try {\n k.send(r).get()\n} catch (e: Exception) {\n log.error(e)\n}", "", IGNORED),
    (KOTLIN, "when { a -> k.send(r); else -> Unit }", "", IGNORED),
    (KOTLIN, "val f = when (a) { 1 -> k.send(r) else -> k.send(s) }\nf.get()", "", YES),
    (SCALA, "val f = k.send(r)\nf.get()", "", YES),
    (SCALA, "Await.result(Future { k.send(r).get() }, 5.seconds)", "", YES),
    (SCALA, "Future { k.send(r).get() }", "", IGNORED),
    (SCALA, "blocking { k.send(r).get() }", "", YES),
    (SCALA, "val fs = rows.map(r => k.send(r))\nfs.map(_.get)", "", YES),
    (SCALA, "val fs = rows.map(r => k.send(r))\nfs.foreach(f => f.get())", "", YES),
    (SCALA, "Using.resource(new KafkaProducer[String, String](p)) { x => rows.foreach(x.send) }",
     "", IGNORED),
    # functions in variables, with two sends or passed by name
    (KOTLIN, "val f = { x: R -> if (a) k.send(x) else k.send(y) }\nf(r)", "", IGNORED),
    (KOTLIN, "val f = { x: R -> if (a) k.send(x) else k.send(y) }\nf(r).get()", "", YES),
    (KOTLIN, "val f = { x: R -> k.send(x) }\nval fs = rows.map(f)\nlog.info(fs.size)", "", IGNORED),
    (KOTLIN, "val f = { x: R -> k.send(x) }\nrows.map(f).forEach { it.get() }", "", YES),
    (SCALA, "val f = (x: R) => k.send(x)\nrows.foreach(f)", "", IGNORED),
    (SCALA, "val f = (x: R) => k.send(x)\nrows.map(f).foreach(_.get())", "", YES),
    # braces around a send
    (SCALA, "{\nk.send(r)\n}", "", IGNORED),
    (SCALA, "rows.foreach(r => { k.send(r) })", "", IGNORED),
    (SCALA, "rows.map(r => { k.send(r) }).foreach(_.get())", "", YES),
    (SCALA, "for { f <- Try(k.send(r)) } yield f", "", IGNORED),
    # two futures: of one method, in one list, and in two variables
    (JAVA, "go(k);", _TWO_SENDS, IGNORED),
    (JAVA, "go(k).get();", _TWO_SENDS, YES),
    (JAVA, "fs.add(k.send(x)); fs.add(k.send(y)); for (var f : fs) f.get();", "", YES),
    (JAVA, "var f = k.send(x); var g = f; f = g; k.flush();", "", IGNORED),
    # a method of the same file that handles the error
    (JAVA, _TRY_GET % "tell(e);", "void tell(Exception e) { log.error(e); }", IGNORED),
    (JAVA, _TRY_GET % "tell(e);", "void tell(Exception e) { log.error(e); count(e); } void count("
     "Exception e) { errors.increment(); }", IGNORED),
    (JAVA, _TRY_GET % "tell(e);", "void tell(Exception e) { throw new IllegalStateException(e); }",
     YES),
    # a limited number of attempts
    (JAVA, _ATTEMPTS % ("while (n < 3)", "n++;"), "", IGNORED),
    (JAVA, _ATTEMPTS % ("while (n < 3)", "n++; if (n == 3) throw e;"), "", YES),
    (JAVA, _ATTEMPTS % ("for (int n = 0; n < 3; n++)", "log.warn(e);"), "", IGNORED),
    (JAVA, _ATTEMPTS % ("for (int n = 0; n < 3; n++)", "if (n == 2) throw e;"), "", YES),
    # a script without braces
    (_SCRIPT, "k.send(r)", "", IGNORED),
    (_SCRIPT, "k.send(r).get()", "", YES),
]  # fmt: skip


@pytest.mark.parametrize(("code", "body", "declarations", "expected"), CASES)
def test_a_send_whose_future_is_not_read_is_reported(
    tmp_path: Path, code: str, body: str, declarations: str, expected: str
) -> None:
    consumer_settings = "consumer.enable.auto.commit=false application.commit=after-processing"
    path = tmp_path / "A.java"
    settings = f"{TOPIC} {consumer_settings}"
    assert_file(
        path, code % (body, declarations), "", settings, 1 if expected == IGNORED else 0, expected
    )
