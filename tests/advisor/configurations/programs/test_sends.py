"""Programs that send: what becomes of a send that fails, and of what is queued when they end.

Sources: KafkaProducer javadoc, `send` and `Callback`; confluent-kafka, `Producer.produce`,
`produce_batch`, `flush`, `close`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA as TOPIC
from tests.advisor.configurations.asking import assert_file
from tests.advisor.programs import BEFORE

YES, IGNORED, OPEN = "^YES", "application.delivery.errors: ignored -> handled", "has a callback"
_READS = "consumer.auto.offset.reset=earliest consumer.enable.auto.commit=false"

JAVA = (
    "import org.apache.kafka.clients.producer.*;\nclass A { void run() {\n"
    'Properties p = new Properties();\np.put("acks", "all");\n'
    "KafkaProducer<String, String> k = new KafkaProducer<>(p);\n%s\n}%s\n}\n"
)
KOTLIN = (
    "import org.apache.kafka.clients.producer.*\nfun run() {\nval p = Properties()\n"
    'p["acks"] = "all"\nval k = KafkaProducer<String, String>(p)\n%s\n}\n%s\n'
)
SCALA = (
    "import org.apache.kafka.clients.producer._\nobject A { def run(): Unit = {\n"
    'val p = new Properties()\np.put("acks", "all")\n'
    "val k = new KafkaProducer[String, String](p)\n%s\n}\n%s\n}\n"
)
CLASS = "new Callback() { public void onCompletion(RecordMetadata m, Exception e) { %s } }"
_LOG = "if (e != null) log.error(e);"
ON_THE_JVM = [
    # a callback that only writes of an error
    (JAVA, "k.send(r, (m, e) -> { if (e != null) log.error(1, e); });", "", IGNORED),
    (JAVA, "k.send(r, (m, e) -> { if (e == null) { done(m); } else { log.error(e); } });", "",
     IGNORED),
    (JAVA, "k.send(r, (m, e) -> { if (e == null) return; again(r); });", "", YES),
    (JAVA, "k.send(r, (m, e) -> { if (e != null) { log.error(e); again(r); } });", "", YES),
    (JAVA, f"k.send(r, {CLASS % 'if (e != null) e.printStackTrace();'});", "", IGNORED),
    (JAVA, f"k.send(r, {CLASS % 'if (e != null) { errors.increment(); }'});", "", IGNORED),
    (JAVA, f"k.send(r, {CLASS % 'if (e != null) { failed.set(e); }'});", "", YES),
    (JAVA, "try { k.send(r).get(); } catch (Exception e) { log.error(e); }", "", IGNORED),
    (JAVA, "try { k.send(r).get(); } catch (Exception e) { log.error(e); throw e; }", "", YES),
    # whose name is another one, and who is handed the send
    (JAVA, "go(k);", "void go(Producer<String, String> x) { x.send(r); }", IGNORED),
    (JAVA, "pool.execute(() -> k.send(r));", "", IGNORED),
    (JAVA, "all.add(k.send(r)); for (Future f : all) f.get();", "", YES),
    (JAVA, "k.send(r)\n  .get(5, SECONDS);", "", YES),
    (JAVA, "CompletableFuture.supplyAsync(() -> k.send(r));", "", IGNORED),
    (JAVA, "new Thread(() -> k.send(r)).start();", "", IGNORED),
    (JAVA, "Optional.of(r).ifPresent(k::send);", "", IGNORED),
    (JAVA, "for (var f : rows.stream().map(k::send).toList()) f.get();", "", YES),
    (JAVA, "all.forEach(s -> sent(k, s)); k.flush();", "Future<R> sent(Producer<K, V> k, String s) "
     "{ return k.send(new ProducerRecord<>(t, s)); }", IGNORED),
    # a function that a variable has
    (KOTLIN, "val f = { x: R -> k.send(x) }\nf(r)", "", IGNORED),
    (KOTLIN, "val f = { x: R -> k.send(x) }\nf(r).get()", "", YES),
    (SCALA, "val f = (x: R) => k.send(x)\nf(r)", "", IGNORED),
    (SCALA, "val f = (x: R) => k.send(x)\nf(r).get()", "", YES),
    (SCALA, "Future(k.send(r).get())", "", IGNORED),
    (SCALA, "Await.result(Future(k.send(r).get()), 1.minute)", "", YES),
    (KOTLIN, "when (x) {\n1 -> k.send(r)\nelse -> again(r)\n}", "", IGNORED),
    (JAVA, "retry(() -> k.send(r));", "", YES),
    # a callback that stands elsewhere
    (JAVA, "k.send(r, A::done);", f"void done(R m, Exception e) {{ {_LOG} }}", IGNORED),
    (JAVA, "k.send(r, A::done);", "void done(R m, Exception e) { if (e != null) again(m); }", YES),
    (JAVA, "k.send(r, (m, e) -> done(e));", f"void done(Exception e) {{ {_LOG} }}", IGNORED),
    (JAVA, f"Callback cb = (m, e) -> {{ {_LOG} }}; k.send(r, cb);", "", IGNORED),
    (JAVA, "k.send(r, new Own());", "class Own implements Callback {\n"
     f"public void onCompletion(R m, Exception e) {{ {_LOG} }} }}", IGNORED),
    (JAVA, 'k.send(r, (m, e) -> { if (e != null) { count.of("x").increment(); } });', "", IGNORED),
    (JAVA, "k.send(r, (m, e) -> Optional.ofNullable(e).ifPresent(x -> log.error(x)));", "",
     IGNORED),
    (JAVA, "try { k.send(r).get(); } catch (InterruptedException | ExecutionException e) "
     "{ log.error(e); }", "", IGNORED),
    (JAVA, "try { k.send(r).get(); } catch (InterruptedException e) { log.error(e); } "
     "catch (ExecutionException e) { throw new RuntimeException(e); }", "", YES),
    # Kotlin
    (KOTLIN, "k.send(r) { m, e -> e?.printStackTrace() }", "", IGNORED),
    (KOTLIN, 'k.send(r, Callback { m, e -> log.error("x", e) })', "", IGNORED),
    (KOTLIN, "scope.launch { k.send(r) }", "", IGNORED),
    (KOTLIN, "when (x) {\n 1 -> k.send(r)\n else -> {}\n}", "", IGNORED),
    (KOTLIN, "k?.send(r)", "", IGNORED),
    (KOTLIN, "k.send(r)\nk.flush()", "", IGNORED),
    (KOTLIN, "k.send(r).get()", "", YES),
    (KOTLIN, "val f = k.send(r)\nk.close()", "", IGNORED),
    (KOTLIN, "val f = k.send(r)\nf.get()", "", YES),
    (KOTLIN, "k.use { it.send(r) }", "", IGNORED),
    (KOTLIN, "KafkaProducer<String, String>(p).use { it.send(r) }", "", IGNORED),
    (KOTLIN, "KafkaProducer<String, String>(p).use { x ->\n  x.send(r)\n}", "", IGNORED),
    (KOTLIN, "k.use { it.send(r).get() }", "", YES),
    (KOTLIN, "rows.forEach { k.send(it) }", "", IGNORED),
    (KOTLIN, "rows.map { k.send(it) }.forEach { it.get() }", "", YES),
    (KOTLIN, "for (r in rows) k.send(r)", "", IGNORED),
    (KOTLIN, "go(k)", "fun go(x: KafkaProducer<String, String>) {\n  x.send(r)\n}", IGNORED),
    (KOTLIN, "go(k).get()", "fun go(x: KafkaProducer<String, String>) = x.send(r)", YES),
    (KOTLIN, "k.send(r) { _, e -> if (e != null) logger.error(e) { e.message } }", "", IGNORED),
    (KOTLIN, "k.send(r) { _, e -> e?.let { log.error(it) } }", "", IGNORED),
    (KOTLIN, "k.send(r) { m, _ -> println(m) }", "", IGNORED),
    (KOTLIN, "k.send(r) { _, e -> if (e != null) throw e }", "", IGNORED),
    (KOTLIN, "runCatching { k.send(r).get() }", "", IGNORED),
    # Scala
    (SCALA, "Future { k.send(r) }", "", IGNORED),
    (SCALA, "x match {\n case 1 => k.send(r)\n case _ =>\n}", "", IGNORED),
    (SCALA, "val _ = k.send(r)", "", IGNORED),
    (SCALA, "k.send(r)\nk.close()", "", IGNORED),
    (SCALA, "k.send(r).get()", "", YES),
    (SCALA, "rows.foreach(r => k.send(r))", "", IGNORED),
    (SCALA, "rows.foreach { r =>\n  k.send(r)\n}", "", IGNORED),
    (SCALA, "rows.map(r => k.send(r)).foreach(_.get())", "", YES),
    (SCALA, "Using(new KafkaProducer[String, String](p)) { x => x.send(r) }", "", IGNORED),
    (SCALA, "go()", "def go(): Unit = {\n  k.send(r)\n}", IGNORED),
    (SCALA, "go().get()", "def go() = k.send(r)", YES),
    (SCALA, "k.send(r, (m: RecordMetadata, e: Exception) => if (e != null) log.warn(e))", "",
     IGNORED),
    (SCALA, "k.send(r, new Callback {\n override def onCompletion(m: RecordMetadata, "
     "e: Exception): Unit = if (e != null) result.failure(e)\n})", "", YES),
    (SCALA, "k.send(r, (m: RecordMetadata, e: Exception) => "
     "if (e == null) x.success(m) else x.failure(e))", "", YES),
    (SCALA, "k.send(r, (m: RecordMetadata, e: Exception) => "
     "if (e == null) x.success(m) else log.error(e))", "", IGNORED),
    (SCALA, "Try(k.send(r).get())", "", IGNORED),
]  # fmt: skip


@pytest.mark.parametrize(("code", "body", "behind", "expected"), ON_THE_JVM)
def test_what_becomes_of_a_send_of_javas_client_that_fails(
    tmp_path: Path, code: str, body: str, behind: str, expected: str
) -> None:
    reads = "consumer.enable.auto.commit=false application.commit=after-processing"
    exit_code = 1 if expected == IGNORED else 0
    path = tmp_path / "A.java"
    assert_file(path, code % (body, behind), "", f"{TOPIC} {reads}", exit_code, expected)


HEARD = "k.send(r, (m, e) -> { if (e != null) fail(e); });"
MAINS = {
    JAVA: JAVA.replace("void run()", "public static void main(String[] a)"),
    KOTLIN: KOTLIN.replace("fun run()", "fun main()"),
    SCALA: SCALA.replace("def run()", "def main(a: Array[String])"),
}
IN_KOTLIN = "k.send(r) { _, e -> if (e != null) fail(e) }"


@pytest.mark.parametrize(("code", "body", "behind", "expected"), [
    (JAVA, HEARD, "", IGNORED),
    (JAVA, f"for (var r : rows) {HEARD}", "", IGNORED),
    (JAVA, f"while (rows.next()) {HEARD}", "", IGNORED),
    (JAVA, f"{HEARD} System.exit(0);", "", IGNORED),
    (JAVA, "go(k);", f"static void go(Producer<A, B> k) {{ {HEARD} }}", IGNORED),
    (JAVA, "go(k);", f"static void go(Producer<A, B> k) {{ {HEARD} k.flush(); }}", YES),
    (JAVA, f"{HEARD} k.close();", "", YES),
    (JAVA, f"{HEARD} k.close(Duration.ZERO);", "", IGNORED),
    (JAVA, f"Thread t = new Thread(() -> {{ {HEARD} }}); t.setDaemon(true); t.start();", "",
     IGNORED),
    (JAVA, f"Thread t = new Thread(() -> {{ {HEARD} }}); t.setDaemon(true); t.start(); t.join();"
     " k.close();", "", YES),
    (JAVA, f"try (k) {{ {HEARD} }}", "", YES),
    (JAVA, f"while (true) {{ {HEARD} }}", "", YES),
    (JAVA, f"{HEARD} latch.await();", "", YES),
    (JAVA, f"new Service(k); {HEARD}", "", YES),
    (JAVA, f"Runtime.getRuntime().addShutdownHook(new Thread(k::close)); {HEARD}", "", YES),
    (JAVA, "k.send(r).get();", "", YES),
    (KOTLIN, IN_KOTLIN, "", IGNORED),
    (KOTLIN, f"{IN_KOTLIN}\nk.close()", "", YES),
    (KOTLIN, "k.use { it.send(r) { _, e -> if (e != null) fail(e) } }", "", YES),
    (SCALA, "k.send(r, (m, e) => if (e != null) fail(e))", "", IGNORED),
    (SCALA, "k.send(r, (m, e) => if (e != null) fail(e))\nk.flush()", "", YES),
])  # fmt: skip
def test_a_program_that_ends_waits_for_what_it_sent(
    tmp_path: Path, code: str, body: str, behind: str, expected: str
) -> None:
    reads = "consumer.enable.auto.commit=false application.commit=after-processing"
    text, exit_code = MAINS[code] % (body, behind), 1 if expected == IGNORED else 0
    assert_file(tmp_path / "A.java", text, "", f"{TOPIC} {reads}", exit_code, expected)


_P = 'p = Producer({"acks": "all"})\ndef heard(e, m):\n    if e: raise KafkaException(e)\n'
COUNTED = "global n\n        n += 1"
_COUNTS = (
    'p = Producer({"acks": "all"})\nn = 0\nall = []\ndef heard(e, m):\n    if e:\n        %s\n'
)
SENDS = 'p.produce("t", b"x", callback=heard)\n'
ROWS = 'for r in rows:\n    p.produce("t", r, callback=heard)\n    p.poll(0)\n'
_MOVES = (
    'c = Consumer({"group.id": "g", "auto.offset.reset": "earliest", '
    '"enable.auto.commit": False})\n'
    f'c.subscribe(["t"])\n{_P}while True:\n    m = c.poll(1)\n'
    '    p.produce("o", m.value(), callback=heard)\n'
)
IN_PYTHON = [
    # what a flush with a timeout leaves
    (f"{_P}{SENDS}p.flush(10)\n", IGNORED),
    (f"{_P}{SENDS}p.flush(timeout=10)\n", IGNORED),
    (f"{_P}{SENDS}left = p.flush(10)\n", IGNORED),
    (f"{_P}{SENDS}left = p.flush(10)\nassert left == 0\n", YES),
    (f"{_P}{SENDS}left = p.flush(10)\nif left: log.error(left)\n", IGNORED),
    (f"{_P}{SENDS}if p.flush(10): print('left')\n", IGNORED),
    (f"{_P}{SENDS}print(p.flush(10))\n", IGNORED),
    (f"{_P}{SENDS}left = p.flush(10)\nprint(left)\nif left: raise SystemExit(1)\n", YES),
    (f"{_P}{SENDS}if p.flush(10): raise SystemExit(1)\n", YES),
    (f"{_P}{SENDS}p.flush(-1)\n", YES),
    (f"{_P}{SENDS}p.flush(10)\np.flush()\n", YES),
    (f"{_P}try:\n    {SENDS}finally:\n    p.flush(10)\n", IGNORED),
    (f"{_P}while True:\n    {SENDS}    p.flush(1)\n", YES),
    (f"{_P}for r in rows:\n    {SENDS}    p.flush(1)\n", IGNORED),
    # no flush before the end
    (f"{_P}{ROWS}", IGNORED),
    (f"{_P}{ROWS}sys.stdout.flush()\n", IGNORED),
    (f"{_P}def main():\n    {SENDS}    p.poll(0)\nmain()\n", IGNORED),
    (f"{_P}while running:\n    {SENDS}    p.poll(0)\n", IGNORED),
    (f"{_P}while True:\n    {SENDS}    p.poll(0)\n", YES),
    (f"{_P}@app.post('/')\ndef go(r):\n    {SENDS}    p.poll(0)\n", YES),
    (f"{_P}atexit.register(p.flush)\n{ROWS}", YES),
    (f"{_P}{ROWS}while len(p) > 0:\n    p.poll(1)\n", YES),
    (f"{_P}{ROWS}p.close()\n", YES),
    (_P.replace("p =", "conf =").replace("Producer(", "(")
     + f"with Producer(conf) as p:\n    {SENDS}", YES),
    # whether there is a callback
    (f'{_P}def s(**kw):\n    p.produce("t", **kw)\n    p.poll(0)\n', OPEN),
    (f"{_P}def s(*given):\n    p.produce(*given)\n    p.poll(0)\n", OPEN),
    (f'{_P}def s(**kw):\n    p.produce("t", callback=heard, **kw)\n    p.poll(0)\n', YES),
    (f'{_P}p.produce("t", b"x", b"k", 0, None)\np.flush()\n', IGNORED),
    (f'{_P}p.produce("t", b"x", b"k", 0, heard)\np.flush()\n', YES),
    (f'{_P}p.produce("t", b"x", callback=heard if x else None)\np.flush()\n', IGNORED),
    (f'{_P}p.produce_batch("t", [{{"value": b"x"}}])\np.flush()\n', IGNORED),
    (f'{_P}p.produce_batch("t", [{{"value": b"x", "callback": heard}}])\np.flush()\n', OPEN),
    (f'{_P}p.produce_batch("t", [{{"value": b"x"}}], on_delivery=heard)\np.flush()\n', YES),
    # what a callback keeps, and whether anything looks at it
    (f"{_COUNTS % COUNTED}{SENDS}p.flush()\n", IGNORED),
    (f"{_COUNTS % COUNTED}{SENDS}p.flush()\nif n: raise Gone()\n", YES),
    (f"{_COUNTS % 'all.append(m)'}{SENDS}p.flush()\n", IGNORED),
    (f"{_COUNTS % 'all.append(m)'}{SENDS}p.flush()\nagain(all)\n", YES),
    (f"{_COUNTS % 'capture_exception(e); metrics.increment(1)'}{SENDS}p.flush()\n", IGNORED),
    # what the client refuses at once
    (f"{_P}try:\n    {SENDS}except Exception as e:\n    print(e)\np.flush()\n", IGNORED),
    (f"{_P}try:\n    {SENDS}except KafkaException as e:\n    log.error(e)\np.flush()\n", IGNORED),
    (f"{_P}while True:\n  try:\n    {SENDS}    break\n  except BufferError as e:\n    sleep(1)\n"
     "p.flush()\n", YES),
    # a class, and a method, by another name
    (f"from confluent_kafka import Producer as P\n{_P.replace('Producer(', 'P(')}"
     'p.produce("t", b"x")\np.flush()\n', IGNORED),
    (f'{_P}getattr(p, "produce")("t", b"x")\np.flush()\n', IGNORED),
    # what is not sent yet when its input is committed
    (f"{_MOVES}    p.flush(1)\n    c.commit(m)\n", BEFORE),
    (f"{_MOVES}    p.poll(1)\n    c.commit(m)\n", BEFORE),
    (f"{_MOVES}    if p.flush(1): raise KafkaException()\n    c.commit(m)\n", YES),
    (f"{_MOVES}    while not done:\n        p.poll(1)\n    c.commit(m)\n", YES),
]  # fmt: skip

_AIO = 'async def main():\n    p = AIOProducer({"acks": "all"})\n    %s\n'
_ALL = "fs = [await p.produce('t', x) for x in rows]\n    "
IN_PYTHON += [
    # futures of AIOProducer
    (_AIO % "f = await p.produce('t', b'x')\n    await f", YES),
    (_AIO % "await (await p.produce('t', b'x'))", YES),
    (_AIO % "f = await p.produce('t', b'x')\n    await p.flush()", IGNORED),
    (_AIO % f"{_ALL}await asyncio.gather(*fs)", YES),
    (_AIO % f"{_ALL}await p.flush()", IGNORED),
    (_AIO % f"{_ALL}print(len(fs))", IGNORED),
    (_AIO % f"{_ALL}await asyncio.gather(*fs, return_exceptions=True)", IGNORED),
    (_AIO % f"{_ALL}for f in fs:\n        await f", YES),
    (_AIO % f"{_ALL}for f in fs:\n        try:\n            await f\n"
     "        except KafkaException as e:\n            print(e)", IGNORED),
    (_AIO % f"{_ALL}for f in fs:\n        try:\n            await f\n"
     "        except Exception as e:\n            print(e)", IGNORED),
    (_AIO % "fs = []\n    fs.append(await p.produce('t', x))\n    await p.flush()", IGNORED),
    (_AIO % "fs = []\n    fs.append(await p.produce('t', x))\n    for f in fs:\n        await f",
     YES),
    (_AIO % "await asyncio.gather(await p.produce('t', x))", YES),
    (_AIO % "await asyncio.gather(await p.produce('t', x), return_exceptions=True)", IGNORED),
    (_AIO % "keep(await p.produce('t', x))", YES),
    (_AIO % "return await p.produce('t', x)", YES),
    (_AIO % "f = await p.produce('t', x)\n    f.add_done_callback(told)", YES),
    (_AIO % "f = await p.produce('t', x)\n    return f", YES),
    (_AIO % "asyncio.create_task(p.produce('t', b'x'))\n    await p.flush()", IGNORED),
    (f"{_P.replace('(e, m)', '(n, e, m)').replace('raise KafkaException(e)', 'print(e)')}"
     'p.produce("t", b"x", callback=partial(heard, 1))\np.flush()\n', IGNORED),
]  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), IN_PYTHON)
def test_what_becomes_of_a_send_of_confluent_kafka_that_fails(
    tmp_path: Path, code: str, expected: str
) -> None:
    settings = f"{TOPIC} application.restart=resumes"
    if "Consumer(" not in code:
        settings = f"{settings} {_READS} application.commit=after-processing"
    assert_file(tmp_path / "a.py", code, "", settings, {YES: 0, OPEN: 2}.get(expected, 1), expected)
