"""Programs that send: failed sends, and messages that are still queued when the program ends.

Sources: KafkaProducer javadoc, `send` and `Callback`; confluent-kafka, `Producer.produce`,
`produce_batch`, `flush`, `close`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA as TOPIC
from tests.advisor.configurations.asking import assert_file
from tests.advisor.programs import BEFORE
from tests.advisor.programs.jvm_senders import CLASS, JAVA, KOTLIN, SCALA

YES, IGNORED, OPEN = "^YES", "application.delivery.errors: ignored -> handled", "has a callback"
_READS = "consumer.auto.offset.reset=earliest consumer.enable.auto.commit=false"

_LOG = "if (e != null) log.error(e);"
ON_THE_JVM = [
    # a callback that only logs an error
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
    # producers under another name, and sends that are passed to a function
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
    # a function in a variable
    (KOTLIN, "val f = { x: R -> k.send(x) }\nf(r)", "", IGNORED),
    (KOTLIN, "val f = { x: R -> k.send(x) }\nf(r).get()", "", YES),
    (SCALA, "val f = (x: R) => k.send(x)\nf(r)", "", IGNORED),
    (SCALA, "val f = (x: R) => k.send(x)\nf(r).get()", "", YES),
    (SCALA, "Future(k.send(r).get())", "", IGNORED),
    (SCALA, "Await.result(Future(k.send(r).get()), 1.minute)", "", YES),
    (KOTLIN, "when (x) {\n1 -> k.send(r)\nelse -> again(r)\n}", "", IGNORED),
    (JAVA, "retry(() -> k.send(r));", "", YES),
    # a callback that is defined elsewhere
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


@pytest.mark.parametrize(("code", "body", "definitions", "expected"), ON_THE_JVM)
def test_ignored_errors_of_sends_on_the_jvm_are_reported(
    tmp_path: Path, code: str, body: str, definitions: str, expected: str
) -> None:
    reads = "consumer.enable.auto.commit=false application.commit=after-processing"
    exit_code = 1 if expected == IGNORED else 0
    path = tmp_path / "A.java"
    assert_file(path, code % (body, definitions), "", f"{TOPIC} {reads}", exit_code, expected)


SEND = "k.send(r, (m, e) -> { if (e != null) fail(e); });"
MAINS = {
    JAVA: JAVA.replace("void run()", "public static void main(String[] a)"),
    KOTLIN: KOTLIN.replace("fun run()", "fun main()"),
    SCALA: SCALA.replace("def run()", "def main(a: Array[String])"),
}
KOTLIN_SEND = "k.send(r) { _, e -> if (e != null) fail(e) }"


@pytest.mark.parametrize(("code", "body", "definitions", "expected"), [
    (JAVA, SEND, "", IGNORED),
    (JAVA, f"for (var r : rows) {SEND}", "", IGNORED),
    (JAVA, f"while (rows.next()) {SEND}", "", IGNORED),
    (JAVA, f"{SEND} System.exit(0);", "", IGNORED),
    (JAVA, "go(k);", f"static void go(Producer<A, B> k) {{ {SEND} }}", IGNORED),
    (JAVA, "go(k);", f"static void go(Producer<A, B> k) {{ {SEND} k.flush(); }}", YES),
    (JAVA, f"{SEND} k.close();", "", YES),
    (JAVA, f"{SEND} k.close(Duration.ZERO);", "", IGNORED),
    (JAVA, f"Thread t = new Thread(() -> {{ {SEND} }}); t.setDaemon(true); t.start();", "",
     IGNORED),
    (JAVA, f"Thread t = new Thread(() -> {{ {SEND} }}); t.setDaemon(true); t.start(); t.join();"
     " k.close();", "", YES),
    (JAVA, f"try (k) {{ {SEND} }}", "", YES),
    (JAVA, f"while (true) {{ {SEND} }}", "", YES),
    (JAVA, f"{SEND} latch.await();", "", YES),
    (JAVA, f"new Service(k); {SEND}", "", YES),
    (JAVA, f"Runtime.getRuntime().addShutdownHook(new Thread(k::close)); {SEND}", "", YES),
    (JAVA, "k.send(r).get();", "", YES),
    (KOTLIN, KOTLIN_SEND, "", IGNORED),
    (KOTLIN, f"{KOTLIN_SEND}\nk.close()", "", YES),
    (KOTLIN, "k.use { it.send(r) { _, e -> if (e != null) fail(e) } }", "", YES),
    (SCALA, "k.send(r, (m, e) => if (e != null) fail(e))", "", IGNORED),
    (SCALA, "k.send(r, (m, e) => if (e != null) fail(e))\nk.flush()", "", YES),
])  # fmt: skip
def test_a_program_that_ends_must_wait_for_its_sends(
    tmp_path: Path, code: str, body: str, definitions: str, expected: str
) -> None:
    reads = "consumer.enable.auto.commit=false application.commit=after-processing"
    text, exit_code = MAINS[code] % (body, definitions), 1 if expected == IGNORED else 0
    assert_file(tmp_path / "A.java", text, "", f"{TOPIC} {reads}", exit_code, expected)


_HEAD = 'p = Producer({"acks": "all"})\ndef heard(e, m):\n    if e: raise KafkaException(e)\n'
COUNTED = "global n\n        n += 1"
_COUNTS = (
    'p = Producer({"acks": "all"})\nn = 0\nall = []\ndef heard(e, m):\n    if e:\n        %s\n'
)
SENDS = 'p.produce("t", b"x", callback=heard)\n'
ROWS = 'for r in rows:\n    p.produce("t", r, callback=heard)\n    p.poll(0)\n'
_FORWARDS = (
    'c = Consumer({"group.id": "g", "auto.offset.reset": "earliest", '
    '"enable.auto.commit": False})\n'
    f'c.subscribe(["t"])\n{_HEAD}while True:\n    m = c.poll(1)\n'
    '    p.produce("o", m.value(), callback=heard)\n'
)
IN_PYTHON = [
    # messages that a flush with a timeout leaves
    (f"{_HEAD}{SENDS}p.flush(10)\n", IGNORED),
    (f"{_HEAD}{SENDS}p.flush(timeout=10)\n", IGNORED),
    (f"{_HEAD}{SENDS}left = p.flush(10)\n", IGNORED),
    (f"{_HEAD}{SENDS}left = p.flush(10)\nassert left == 0\n", YES),
    (f"{_HEAD}{SENDS}left = p.flush(10)\nif left: log.error(left)\n", IGNORED),
    (f"{_HEAD}{SENDS}if p.flush(10): print('left')\n", IGNORED),
    (f"{_HEAD}{SENDS}print(p.flush(10))\n", IGNORED),
    (f"{_HEAD}{SENDS}left = p.flush(10)\nprint(left)\nif left: raise SystemExit(1)\n", YES),
    (f"{_HEAD}{SENDS}if p.flush(10): raise SystemExit(1)\n", YES),
    (f"{_HEAD}{SENDS}p.flush(-1)\n", YES),
    (f"{_HEAD}{SENDS}p.flush(10)\np.flush()\n", YES),
    (f"{_HEAD}try:\n    {SENDS}finally:\n    p.flush(10)\n", IGNORED),
    (f"{_HEAD}while True:\n    {SENDS}    p.flush(1)\n", YES),
    (f"{_HEAD}for r in rows:\n    {SENDS}    p.flush(1)\n", IGNORED),
    # no flush before the end
    (f"{_HEAD}{ROWS}", IGNORED),
    (f"{_HEAD}{ROWS}sys.stdout.flush()\n", IGNORED),
    (f"{_HEAD}def main():\n    {SENDS}    p.poll(0)\nmain()\n", IGNORED),
    (f"{_HEAD}while running:\n    {SENDS}    p.poll(0)\n", IGNORED),
    (f"{_HEAD}while True:\n    {SENDS}    p.poll(0)\n", YES),
    (f"{_HEAD}@app.post('/')\ndef go(r):\n    {SENDS}    p.poll(0)\n", YES),
    (f"{_HEAD}atexit.register(p.flush)\n{ROWS}", YES),
    (f"{_HEAD}{ROWS}while len(p) > 0:\n    p.poll(1)\n", YES),
    (f"{_HEAD}{ROWS}p.close()\n", YES),
    (_HEAD.replace("p =", "conf =").replace("Producer(", "(")
     + f"with Producer(conf) as p:\n    {SENDS}", YES),
    # whether there is a callback
    (f'{_HEAD}def s(**kw):\n    p.produce("t", **kw)\n    p.poll(0)\n', OPEN),
    (f"{_HEAD}def s(*given):\n    p.produce(*given)\n    p.poll(0)\n", OPEN),
    (f'{_HEAD}def s(**kw):\n    p.produce("t", callback=heard, **kw)\n    p.poll(0)\n', YES),
    (f'{_HEAD}p.produce("t", b"x", b"k", 0, None)\np.flush()\n', IGNORED),
    (f'{_HEAD}p.produce("t", b"x", b"k", 0, heard)\np.flush()\n', YES),
    (f'{_HEAD}p.produce("t", b"x", callback=heard if x else None)\np.flush()\n', IGNORED),
    (f'{_HEAD}p.produce_batch("t", [{{"value": b"x"}}])\np.flush()\n', IGNORED),
    (f'{_HEAD}p.produce_batch("t", [{{"value": b"x", "callback": heard}}])\np.flush()\n', OPEN),
    (f'{_HEAD}p.produce_batch("t", [{{"value": b"x"}}], on_delivery=heard)\np.flush()\n', YES),
    # errors that a callback stores, and whether anything checks them
    (f"{_COUNTS % COUNTED}{SENDS}p.flush()\n", IGNORED),
    (f"{_COUNTS % COUNTED}{SENDS}p.flush()\nif n: raise Gone()\n", YES),
    (f"{_COUNTS % 'all.append(m)'}{SENDS}p.flush()\n", IGNORED),
    (f"{_COUNTS % 'all.append(m)'}{SENDS}p.flush()\nagain(all)\n", YES),
    (f"{_COUNTS % 'capture_exception(e); metrics.increment(1)'}{SENDS}p.flush()\n", IGNORED),
    # errors that the client raises immediately
    (f"{_HEAD}try:\n    {SENDS}except Exception as e:\n    print(e)\np.flush()\n", IGNORED),
    (f"{_HEAD}try:\n    {SENDS}except KafkaException as e:\n    log.error(e)\np.flush()\n",
     IGNORED),
    (f"{_HEAD}while True:\n  try:\n    {SENDS}    break\n  except BufferError as e:\n    sleep(1)\n"
     "p.flush()\n", YES),
    # a class and a method under another name
    (f"from confluent_kafka import Producer as P\n{_HEAD.replace('Producer(', 'P(')}"
     'p.produce("t", b"x")\np.flush()\n', IGNORED),
    (f'{_HEAD}getattr(p, "produce")("t", b"x")\np.flush()\n', IGNORED),
    # messages that are not sent yet when their input is committed
    (f"{_FORWARDS}    p.flush(1)\n    c.commit(m)\n", BEFORE),
    (f"{_FORWARDS}    p.poll(1)\n    c.commit(m)\n", BEFORE),
    (f"{_FORWARDS}    if p.flush(1): raise KafkaException()\n    c.commit(m)\n", YES),
    (f"{_FORWARDS}    while not done:\n        p.poll(1)\n    c.commit(m)\n", YES),
]  # fmt: skip

_AIO = 'async def main():\n    p = AIOProducer({"acks": "all"})\n    %s\n'
_FUTURES = "fs = [await p.produce('t', x) for x in rows]\n    "
IN_PYTHON += [
    # futures of AIOProducer
    (_AIO % "f = await p.produce('t', b'x')\n    await f", YES),
    (_AIO % "await (await p.produce('t', b'x'))", YES),
    (_AIO % "f = await p.produce('t', b'x')\n    await p.flush()", IGNORED),
    (_AIO % f"{_FUTURES}await asyncio.gather(*fs)", YES),
    (_AIO % f"{_FUTURES}await p.flush()", IGNORED),
    (_AIO % f"{_FUTURES}print(len(fs))", IGNORED),
    (_AIO % f"{_FUTURES}await asyncio.gather(*fs, return_exceptions=True)", IGNORED),
    (_AIO % f"{_FUTURES}for f in fs:\n        await f", YES),
    (_AIO % f"{_FUTURES}for f in fs:\n        try:\n            await f\n"
     "        except KafkaException as e:\n            print(e)", IGNORED),
    (_AIO % f"{_FUTURES}for f in fs:\n        try:\n            await f\n"
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
    (f"{_HEAD.replace('(e, m)', '(n, e, m)').replace('raise KafkaException(e)', 'print(e)')}"
     'p.produce("t", b"x", callback=partial(heard, 1))\np.flush()\n', IGNORED),
]  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), IN_PYTHON)
def test_ignored_errors_of_sends_in_python_are_reported(
    tmp_path: Path, code: str, expected: str
) -> None:
    settings = f"{TOPIC} application.restart=resumes"
    if "Consumer(" not in code:
        settings = f"{settings} {_READS} application.commit=after-processing"
    assert_file(tmp_path / "a.py", code, "", settings, {YES: 0, OPEN: 2}.get(expected, 1), expected)
