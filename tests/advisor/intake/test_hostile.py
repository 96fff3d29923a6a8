"""Any text gets an answer or a clear problem. Secrets are dropped, and bombs do no harm."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import Family
from advisor.intake import MAX_BYTES, Intake, Product, all_readers, read
from tests.advisor.intake_examples import EXAMPLES

pytestmark = pytest.mark.wide

JAVA = Product(Family.JAVA, "4.3", "4.3")
SECRET = "hunter2"
PIECES = st.sampled_from([
    "spring:\n", "  kafka:\n", "    producer:\n", "acks", "=", ": ", "1", "\n", "{", "}", "[", "]",
    "'", '"', ",", "Topic: a\t", "PartitionCount: 1\t", "ReplicationFactor: 3\t", "Configs: ",
    "All configs for topic a are:\n", "  a=b sensitive=false synonyms={", "kind: Kafka\n", "---\n",
    "apiVersion: kafka.strimzi.io/v1\n", "spec: ", "replicas: ", "services:\n", "  a: ", "*x", "&x",
    "environment: ", "KAFKA_NODE_ID", "<<: ", ".option(", "x = ", "\\", "\\u00", "#", "\t", "  ",
    "retries", "kafka.", "${A}", "!!python/object/apply:os.system ", "-----BEGIN KEY-----",
    "9" * 20,
])  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=25).map("".join),
    st.builds(
        lambda example, at, piece: example.text[:at] + piece + example.text[at:],
        st.sampled_from(EXAMPLES), st.integers(0, 300), PIECES,
    ),
)  # fmt: skip


def _assert_sane(intake: Intake) -> None:
    for message in [*intake.notes, *(problem.message for problem in intake.problems)]:
        assert message.isprintable()
        assert len(message) < 400
    assert intake.settings or intake.heads or intake.notes or intake.problems
    assert intake.lines.keys() >= intake.settings.keys()


@given(TEXTS)
def test_any_text_read_as_any_kind_gives_an_answer_or_a_problem(text: str) -> None:
    _assert_sane(read(text, JAVA))
    for reader in all_readers():
        _assert_sane(read(text, JAVA, reader.kind))


IN = "mp.messaging.incoming."
THROTTLED = "follower.replication.throttled.replicas"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("smallrye", f"{IN}\u2028n.connector=smallrye-kafka\n{IN}in.auto.offset.reset=none\n"),
        ("topic-properties", f"{THROTTLED}=a\tb\n"),
        ("topic-properties", f"{THROTTLED}={'a' * 500}\n"),
        ("topic-properties", f"message.format.version=1\u202e{'9' * 500}\n"),
    ],
)
def test_a_message_shows_no_control_character_and_no_long_value(kind: str, text: str) -> None:
    product = Product(Family.JAVA, "3.9", "3.9")
    intake = read(text, product, kind)
    assert intake.problems
    _assert_sane(intake)


BOMB = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{after}: &{after} [{','.join([f'*{before}'] * 9)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGES = "a: &a {x: 1}\n" + "".join(
    f"{after}: &{after} {{<<: [{','.join([f'*{before}'] * 9)}]}}\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)
MAX_CHARS = 50_000
"""Reading time that grows faster than the text shows at this length; whole texts take a minute."""
LARGE = [
    BOMB, MERGES, "a: &a {<<: *a}", "a: &a [*a]", "[" * 100_000, "{a: " * 100_000, "(" * 100_000,
    "x = " + "-" * 100_000 + "1", "x = " + "not " * 50_000 + "1", "x = a" + ".b" * 50_000,
    "x = 1" + "+1" * 50_000, "x = {" + "'a': 1," * 100_000 + "}", "x = '" + "a" * 1_000_000 + "'",
    "\n" * 1_000_000, "k=v\n" * 200_000, "- " * 300_000, "a: b\n" * 150_000, "? " * 100_000,
    "Topic: a " * 100_000, "Topic:" + " " * 1_000_000, "x" * 1_000_000, ".option(" * 100_000,
    "All configs for topic a are:\n" + "  a=" + " sensitive=" * 80_000, "\\" * 1_000_000,
    "configs for " * 80_000, "a.b" * 300_000 + "=1", "!!python/object/apply:os.system ['id']",
    '"' * 500_000, "'" * 500_000, "<<: " * 100_000, "&a " * 100_000,
    "Topic: a PartitionCount:" * 9999,
    ".option('" * 30_000, "/*" * 75_000, '""" ' * 37_000, "'\\" * 75_000, ",a=" * 50_000,
    ".option('a'," + " " * 140_000, "c = {}\n" + "c['a'] = 1\n" * 14_000, "#---\n" * 30_000,
    "apiVersion: kafka.strimzi.io/v1\nitems:\n" + "- a\n" * 15_000, "- " * 75_000 + "apiVersion",
    "spring.kafka.producer.acks=" + "${A:" * 40_000,
    "spring.kafka.producer.acks=" + "${A:1}" * 9999,
    "[Service]\nExecStart=a\\\n" + "a \\\n" * 100_000, "[Service]\nEnvironment=" + '"A=' * 100_000,
    'resource "kafka_topic" "a" {\n' + "config = merge(var.a, {})\n" * 6_000,
    "SPRING_KAFKA_A=1\n" * 9_000, "SPRING_KAFKA_PRODUCER_" + "A_" * 70_000 + "=1",
    "KAFKA_A=" + "${A:-" * 30_000, "'a':1,\n" * 20_000, "c = " + "dict(a=" * 20_000,
    'new KafkaProducer("\\' + '"\\' * 50_000,
    "KafkaProducer(" * 10_000, "spring.cloud.stream.kafka.bindings.a.producer." + "a." * 60_000,
    "kafka:\n" + "  \n" * 50_000, "kafka:\n" + "  #\n" * 37_000, "mp:\n" + "  \n" * 50_000,
    '.option( (aa=""" ' + '(aa=""" ' * 18_000, "acks:" + " " * 140_000 + "\nx",
    'resource "kafka_topic" "a" {\n  a = 1' + " " * 140_000 + "x\n}",
    "receivers:\n" + f"{'a: b':>14}\n" * 60, "sinks:\n" + f"{'a: b':>14}\n" * 60,
]  # fmt: skip


@pytest.mark.parametrize(
    "large_text",
    [
        pytest.param(text, marks=[pytest.mark.thorough] if number % 4 else [])
        for number, text in enumerate(LARGE)
    ],
    ids=lambda text: f"{text[:20]!r}x{len(text)}",
)
def test_a_bomb_is_refused_or_read_within_seconds(large_text: str) -> None:
    text = large_text[:MAX_CHARS]
    for reader in all_readers():
        started = time.process_time()
        _assert_sane(read(text, JAVA, reader.kind))
        assert time.process_time() - started < 2, reader.kind
    started = time.process_time()
    read(text, JAVA)
    assert time.process_time() - started < 2


_JAVA = (
    "import org.apache.kafka.clients.consumer.*;\nclass A { void f() {\n"
    'Properties p = new Properties();\np.put("group.id", "g");\n'
    "KafkaConsumer<String, String> c = new KafkaConsumer<>(p);\nvar rs = c.poll(d);\n"
)
_LOOP = (
    "while (true) { var rs = c.poll(d); for (var r : rs) { try { work(r); } catch (E e) { } } }\n"
)
_IN_LOOP = _JAVA.replace("{", "{{") + (
    "while (true) {{ var rs = c.poll(d); for (var r : rs) {{ {} }} c.commitSync(); }}"
)
_PYTHON = (
    "from confluent_kafka import Consumer\nc = Consumer({'group.id': 'g'})\nc.subscribe(['t'])\n"
    "while True:\n  ms = c.consume(9)\n  for m in ms:\n"
)
_POLL = (
    "from confluent_kafka import Consumer\nc = Consumer({{'group.id': 'g'}})\nc.subscribe(['t'])\n"
    "while True:\n  ms = c.consume(900)\n{}"
)
_SPRING = "import org.springframework.kafka.annotation.KafkaListener;\nclass A {\n"
_HEAD = '@KafkaListener(topics = "t") void on(String m, Acknowledgment a) {'
PROGRAMS = [
    ("spring-code", f"{_SPRING}{'@KafkaListener(topics = ' * 4_000}"),
    ("spring-code", f"{_SPRING}{'@KafkaListener @Async(a(b)) public ' * 2_000}"),
    ("spring-code", f"{_SPRING}@KafkaListener {'@Async(a(b)) public ' * 4_000} void on() {{ }}"),
    ("spring-code", f"{_SPRING}@KafkaListener void on({'@Header(a) Map<String, ' * 4_000}) {{ }}"),
    ("spring-code", f"{_SPRING}{_HEAD}{'if (x) { a.acknowledge(); return; } ' * 30} }}"),
    ("spring-code", f"{_SPRING}{_HEAD}{'if (x) { return; } ' * 190} a.acknowledge(); }}"),
    ("spring-code", f"{_SPRING}{_HEAD}{'if (x) { return; } ' * 4_000} }}"),
    ("spring-code", f"{_SPRING}{_HEAD}{'a.acknowledge(); ' * 4_000} }}"),
    ("spring-code", f"{_SPRING}{_HEAD}{'{ ' * 9_000}"),
    ("spring-code", f"{_SPRING}{_HEAD}{'b.thenRun(a::acknowledge); ' * 2_000} }}"),
    ("spring-code", f"{_SPRING}{_HEAD}{'b.thenRun(() -> { ' * 2_000} a.acknowledge(); }}"),
    ("spring-code", f"{_SPRING}{_HEAD}{'for (int i = 0; i < 3; i++) { ' * 1_000} return; }}"),
    ("spring-code", f"{_SPRING}{_HEAD}{'if (x) { a.nack(d); } ' * 1_000} }}"),
    ("spring-code", f"{_SPRING}{_HEAD}{'@Async public void go(String m) ' * 2_000}"),
    ("java-code", f"{_JAVA}{_LOOP * 500}"),
    ("java-code", f"{_JAVA}{'list.add(rs ' * 4_000}"),
    ("java-code", f"{_JAVA}var k = new KafkaProducer<>(p);\n{'k.send(rs, ' * 4_000}"),
    ("java-code", f"{_JAVA}{'catch { case e => ' * 2_500}"),
    ("java-code", f"{_JAVA}{'c.poll(d).let { ' * 3_000}"),
    ("java-code", f"{_JAVA}{'try { c.commitSync(); } catch (E e) { x(); } ' * 1_000} save(rs);"),
    ("java-code", f"{_JAVA}{'c.' * 12_000}"),
    ("java-code", f"{_JAVA}c.subscribe(t);{'c . poll ( ' * 5_000}"),
    ("java-code", _JAVA + "".join(f"var a{i} = rs.records(t); for (b{i} : a{i}) {{ }} "
                                  for i in range(500))),
    ("java-code", f"{_JAVA}f(rs); }}\n"
     + "void f(Rs rs) { f(rs); for (var r : rs) f(r); c.commitSync(); }\n" * 500),
    ("java-code", _IN_LOOP.format("{ " * 3_000)),
    ("java-code", _IN_LOOP.format("if (x()) { save(r); } " * 190)),
    ("java-code", _IN_LOOP.format("for (int i = 0; i < 3; i++) { " * 9 + "save(r); " + "}" * 9)),
    ("java-code", _IN_LOOP.format("try { save(r); } catch (Exception e) { log.warn(e); } " * 60)),
    ("java-code", _IN_LOOP.format("try { save(r); } catch (Exception e) { "
                                  + f"switch (e) {{ {'case A -> a(e); ' * 30} }} " * 4 + "}")),
    ("java-code", f"{_JAVA}}}\n" + "void f(Consumer<E> g) { g.accept(e -> f(g)); }\n" * 800),
    ("java-code", _IN_LOOP.format("f(e -> x(e, r)); " * 400)
     + "void f(Consumer<E> g) { g.accept(e); }"),
    ("java-code", _IN_LOOP.format("try { save(r); } catch (Exception e) { "
                                  + "if (isBad(e)) { a(r); } if (d != null) { d.send(r); } " * 6
                                  + "}")),
    ("java-code", _IN_LOOP.format("if (process(r) == Outcome.FAILED) { log.warn(r); } " * 500)),
    ("java-code", _IN_LOOP.format("if (++n > 5) { continue; } " * 800 + "save(r);")),
    ("java-code", _IN_LOOP.format("if (!redis.setnx(r.key(), 1)) { continue; } " * 800)),
    ("java-code", f"{_JAVA}}}\n" + "".join(f"void f{i}(R r) {{ f{i}(r, 1); }} void f{i}(R r, int n)"
     f" {{ f{i}(r); }}\n" for i in range(800))),
    ("java-code", f"{_JAVA}{'{ Consumer<R> h = r -> { return h; }; ' * 800}"),
    ("java-code", f"{_JAVA}{'a . b . ' * 3_000}"),
    ("java-code", _IN_LOOP.format("String error = process(r); if (error != null) { log.error(1); } "
                                  * 500)),
    ("java-code", f"{_JAVA}{'val (a, b) = rs.toList() ' * 4_000}"),
    ("java-code", f"{_JAVA}{'val (a, b) = rs.splitAt(n).splitAt(n);' * 2_500}"),
    ("java-code", _IN_LOOP.format("val a = rs.map { Try(" * 600)),
    ("java-code", _IN_LOOP.format("val e = rs.map { Try(f(r)) };" * 400)),
    ("java-code", _IN_LOOP.format("val e = rs.map(f); " + "val d = e.count(); " * 1_500)),
    ("java-code", _IN_LOOP.format("rs.filter { process(" * 2_000)),
    ("java-code", _IN_LOOP.format("a.thenRun(() -> b.set(true)); if (b) c.commitSync(); " * 400)),
    ("java-code", _IN_LOOP.format("if (f.isDone() && (" * 2_000)),
    ("java-code", _IN_LOOP.format("try { ok = true; } catch (E e) { o = null; } o?.let { " * 400)),
    ("java-code", f"{_JAVA}def f{'for { f <- Try(k.send(r)); m <- Try(f.get(' * 1_500}"),
    ("java-code", f"{_JAVA}runCatching {{ save(r) }}{'.onFailure { log.warn(it) }' * 2_000}"),
    ("java-code", _IN_LOOP.format("a = r; if (a == null) { b = r; } " * 900 + "} f(a, b); {")),
    ("java-code", _IN_LOOP.format("try { save(r); } catch (Exception e) { "
                                  + "if (n < 3) { a(n + 1); } else { log.warn(e); } " * 6 + "}")),
    ("java-code", f"{_JAVA}var k = new KafkaProducer<>(p);\n"
     + "k.send(r, (m, e) -> { if (e != null) p.completeExceptionally(e); a.b(c); }); " * 400),
    ("java-code", f"{_JAVA}rs{'.filter { it.a }' * 2_500}.first()"),
    ("java-code", _IN_LOOP.format("rs.map(r -> Try(f(r))).forEach(x -> " * 300)),
    ("java-code", f"{_JAVA}{'void onPartitionsRevoked(P p) { c.commitSync(); } ' * 900}"),
    ("java-code", f"{_JAVA}{'loggers.forEach(l -> { l.error(' * 1_000}"),
    ("java-code", f"{_JAVA}{'{ fun f(r: R) {' * 2_500}"),
    ("java-code", _IN_LOOP.format("process(r).also { " * 1_000)),
    ("java-code", _IN_LOOP.format("results.add(process(r)); " * 1_500)),
    ("java-code", _IN_LOOP.format("var os = rs.map(r -> process(r)); os"
                                  + ".filter(O::isFailure)" * 1_500 + ";")),
    ("java-code", _IN_LOOP.format("var os = rs.map(p); os.collect { "
                                  + "case Left(e) => log.error(e) " * 2_000 + "}")),
    ("java-code", _IN_LOOP.format("handler.handle(r, e -> { " * 1_000)),
    ("java-code", _IN_LOOP.format("handler.handle(r)" + "(e => x)" * 2_500 + ";")),
    ("java-code", _IN_LOOP.format("a.thenRun(() -> { c.commitSync(); " * 800)),
    ("java-code", f"{_JAVA}a = rs{'.toList()' * 3_000};"),
    ("java-code", f"{_JAVA}var a = rs.toList(){' ' * 20_000}.toList{' ' * 20_000}"),
    ("java-code", _JAVA + "KafkaConsumer(Properties().apply { put(a, b) }) " * 1_200),
    ("java-code", f"{_JAVA}{'KafkaConsumer(Properties().apply { put(' * 1_200}"),
    ("java-code", f"{_JAVA}{'f(' * 300}new Properties() {{{{ put(a, b); }}}}"),
    ("java-code", f"{_JAVA}{'return Map.of(' * 3_000}"),
    ("java-code", f"{_JAVA}{'Map.ofEntries(Map.entry(a, ' * 2_000}"),
    ("java-code", f"{_JAVA}{'var a = new HashMap<>(a); ' * 2_000}"),
    ("java-code", f"{_JAVA}{'{ p -> p.a(' * 4_000}"),
    ("java-code", f"{_JAVA}{'p, p, ' * 9_000}->"),
    ("java-code", _IN_LOOP.format("rs.map { it to runCatching { f(it) } }" * 900)),
    ("java-code", _IN_LOOP.format("val a = rs.map { it to Try(" * 900)),
    ("java-code", _IN_LOOP.format("val a = rs.map { it to Try(f(it)) }; "
                                  + "a.forEach { (b, c) -> c }; " * 1_000)),
    ("java-code", _IN_LOOP.format("val m = rs.groupBy { process(it) }; m.a(" * 600)),
    ("java-code", _IN_LOOP.format("var m = s.collect(partitioningBy(x -> trySave(x))); "
                                  "if (m.get(false) > 0) log.warn(m); " * 400)),
    ("java-code", _IN_LOOP.format("val o = f(r) ?: run { g(r); null } ?: continue; " * 900)),
    ("java-code", _IN_LOOP.format("val o = f(r) ?: run { " * 2_000)),
    ("java-code", _IN_LOOP.format("if (!l.await(9, S)) throw x; pool.submit(() -> { save(r); "
                                  "l.countDown(); }); " * 400)),
    ("java-code", _IN_LOOP.format("int n = a.b.update(r); if (n == 0) { log.warn(n); } " * 600)),
    ("java-code", _IN_LOOP.format("a.update(" * 2_000)),
    ("java-code", _IN_LOOP.format("s.schedule(() -> c.commitSync(), 5); " * 600)),
    ("java-code", f"{_JAVA}{'schedule(' * 4_000}"),
    ("java-code", _IN_LOOP.format("rs" + ".conflate()" * 2_000)),
    ("java-code", _IN_LOOP.format("findAny(f(r)).get(); " * 900)),
    ("java-code", _IN_LOOP.format("x => f(r).toOption " * 1_500)),
    ("java-code", _IN_LOOP.format("f(r, 0);") + "}}"
     + "void f(R r, int n) { if (n > 3) return; try { g(r); } catch (E e) { f(r, n + 1); "
     + "f(r, n + 1); f(r, n + 1); } }"),
    ("java-code", _IN_LOOP.format("f(r, 0);") + "}}" + "".join(
        f"void f{n}(R r, int n) {{ if (n > 3) return; f{n + 1}(r, n + 1); f{n}(r, n + 1); }}\n"
        for n in range(400)).replace("f0", "f")),
    ("python-dict", _PYTHON
     + "    save(m)\ndef f(g):\n  def h(m):\n    return g(g(m))\n  return h\n"
     + "".join(f"x{n} = f(lambda a: x{n - 1}(x{n - 1}(a)))\n" for n in range(1, 60))),
    ("python-dict", _PYTHON + "    n += 1\n    if n > 5:\n      continue\n" * 900),
    ("python-dict", f"{_PYTHON}    try:\n      save(m)\n    except Exception as e:\n"
     + "      if dlq:\n        dlq.send(m)\n" * 14),
    ("python-dict", f"{_PYTHON}    try:\n      save(m)\n    except Exception as e:\n"
     + ("      match e:\n" + "".join(f"        case E{n}():\n          a(e)\n"
                                    for n in range(30))) * 4),
    ("python-dict", _PYTHON + "".join(f"{'  ' * n}if x{n}():\n" for n in range(2, 60))
     + f"{'  ' * 60}save(m)\n"),
    *(("python-dict", _POLL.format(body)) for body in (
        # lists that double, or contain themselves many times
        "  xs = [ms]\n  for i in range(900):\n    xs += xs\n",
        "  xs = ms\n  for i in range(900):\n    xs = (xs, xs)\n    f(xs)\n",
        "  for i in range(900):\n    for j in range(900):\n      zs = ms + ms\n",
        "  ys = [ms for i in range(900)]\n  for i in range(900):\n    zs = zip(*ys)\n",
        "  ms = ms + ms\n" * 60 + "  save(ms)\n",
        "  ms.extend(ms)\n" * 60 + "  save(ms)\n",
        "  ms = [ms, ms]\n" * 90 + "  save(ms)\n",
        "  ms.append(ms)\n  save(ms)\n  c.commit()\n",
        "  n = 10\n" + "  n = n * n\n" * 90 + "  save(ms * n)\n",
        "  for i in range(10**12):\n    for j in range(-10**9, 10**9):\n      save(ms[i])\n",
        "".join(f"  if x{n}():\n    save(ms[{n}])\n" for n in range(300)),
        "".join(f"{'  ' * (n + 1)}for m{n} in ms:\n" for n in range(15)) + " " * 34 + "save(ms)\n",
        "  x = [m " + "for m in ms " * 30 + "]\n  save(x)\n",
        "  def f(x):\n    yield from f(x)\n    yield from x\n  for m in f(ms):\n    save(m)\n",
        "  def f(x):\n    f(x)\n    f(x)\n  f(ms)\n",
        # dicts that double, or whose keys are deep
        "  d = {}\n  for i in range(900):\n    for j in range(900):\n      d[i, j] = dict(d)\n"
        "  save(ms)\n",
        "  d = {}\n  for i in range(60):\n    d = {0: d, 1: d}\n    f(d, ms)\n",
        "  x = (1, 2)\n  for i in range(60):\n    x = (x, x)\n  d = {x: ms}\n  save(d)\n",
        "  d = {}\n  d[0] = d\n  d[1] = ms\n  save(d)\n  c.commit()\n",
        "  for i in range(900):\n    for j in range(900):\n      n = sum(range(900))\n  save(ms)\n",
        # objects that create others, and attempts in attempts
        "  save(ms)\nclass A:\n  def __init__(self):\n    self.a = A()\n    self.b = A()\nA()\n",
        "  save(ms)\nclass A:\n  a = A()\n  b = A()\nA()\n",
        "".join(f"  try:\n    f{n}(ms)\n  except E{n}:\n    log.error(1)\n" for n in range(200)),
        "".join(f"{' ' * n}  try:\n{' ' * n}   f{n}(ms)\n" for n in range(60)) + " " * 62
        + "g(ms)\n" + "".join(f"{' ' * n}  except E:\n{' ' * n}   h(ms)\n"
                              for n in reversed(range(60))),
        "  fs = [pool.submit(f, m) for m in ms]\n  for a in fs:\n    for b in fs:\n"
        "      for d in fs:\n        b.add_done_callback(lambda f: f.result())\n",
    )),
    ("python-dict", _POLL.format("")
     + "def f():\n  while True:\n    b.append(c.poll(1))\n    if len(b) > 900: save(b)\n" * 200),
    ("spark-options", '.readStream.option("subscribe", "a").writeStream.foreachBatch(f)\n'
     + "def f(d, i):\n    g()\n" * 2_000),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_of_many_parts_is_read_within_seconds(kind: str, text: str) -> None:
    started = time.process_time()
    _assert_sane(read(text, JAVA, kind))
    assert time.process_time() - started < 8, "of the process; 3.3 s are usual at most"


def test_a_program_with_more_polls_than_are_followed_is_refused() -> None:
    """A poll that is not followed might be the one that loses a record."""
    polls = "for (var r : c.poll(d)) { save(r); }\nc.commitSync();\n"
    head = 'Properties p = new Properties();\np.put("group.id", "g");\n'
    head += "KafkaConsumer<String, String> c = new KafkaConsumer<>(p);\n"
    [problem] = read(head + polls * 13, JAVA, "java-code").problems
    assert (
        problem.message == "Line 28: there are more than 12 polls. Give the code of one consumer."
    )
    assert read(head + polls * 12, JAVA, "java-code").problems == []


def test_more_than_a_megabyte_is_refused() -> None:
    intake = read("x" * (MAX_BYTES + 1), JAVA)
    assert "longer than 1048576 bytes" in intake.problems[0].message


SECRETS = {
    "producer-properties": f'sasl.jaas.config=x password="{SECRET}";\nssl.key.password={SECRET}\n',
    "broker-properties": f"listener.name.a.plain.sasl.jaas.config={SECRET}\nnode.id=1",
    "spring": "spring:\n  kafka:\n    producer:\n      acks: 1\n"
    f"    ssl: {{key-password: {SECRET}}}\n"
    f"    properties:\n      sasl.jaas.config: {SECRET}\n  datasource: {{password: {SECRET}}}",
    "python-dict": f"c = {{'acks': 1, 'sasl.password': '{SECRET}', 'ssl.key.pem': '{SECRET}'}}",
    "java-code": "import org.apache.kafka.clients.producer.*;\n"
    f'Properties p = new Properties();\np.put("sasl.jaas.config", "{SECRET}");\n'
    f'p.put("ssl.key.password", "{SECRET}" + x);\np.put("acks", "1");\nnew KafkaProducer<>(p);\n',
    "librdkafka-json": f'{{"sasl.password": "{SECRET}", "acks": "1"}}',
    "spark-options": f'a.readStream.option("kafka.sasl.jaas.config", "{SECRET}")',
    "configs-describe": "Dynamic configs for broker 1 are:\n"
    f"  x.y={SECRET} sensitive=true synonyms={{}}\n",
    "strimzi": f"kind: KafkaUser\nspec: {{authentication: {{password: {SECRET}}}}}",
    "environment": f"SPRING_KAFKA_PROPERTIES_SASL_JAAS_CONFIG={SECRET}\nKAFKA_SSL_KEY_PASSWORD="
    f"{SECRET}\nOTHER={SECRET}\nSPRING_KAFKA_PROPERTIES_SASL_PASSWORT=${{A:-{SECRET}}}",
    "compose": f"services: {{a: {{environment: {{KAFKA_SSL_KEYSTORE_PASSWORD: {SECRET}}}}}}}",
}
BROKEN = [
    ("producer-properties", f"sasl.jaas.config=x required\n  username=a password={SECRET};\n"),
    ("producer-properties", f"sasl.password=a\n{SECRET}{'x' * 50}=\n"),
    ("spring", f"spring: {{kafka: {{properties: {{sasl.password: *{SECRET}\n"),
    ("spring", f"password: @{SECRET}"),
    ("spring", f"spring.kafka.properties.sasl.jaas.config=${{JAAS:{SECRET}}}"),
    ("spring", f"spring.kafka.ssl.key-password=${{A:${{B:{SECRET}}}}}"),
    ("spring", f"spring.cloud.stream.kafka.binder.configuration.sasl.jaas.config=${{A:{SECRET}}}"),
    ("spring", f"spring.cloud.stream.kafka.binder.jaas.options.password={SECRET}"),
    ("spring", f"spring.cloud.stream.kafka.binder.{SECRET}{'x' * 50}={SECRET}"),
    ("python-dict", f"KafkaProducer(acks=1, sasl_plain_password='{SECRET}')"),
    ("python-dict", f"c = dict(acks='1', **{{'sasl.password': '{SECRET}'}})"),
    ("python-dict", f"'sasl.password': '{SECRET}',\n'acks': 1"),
    ("environment", f"SPRING_KAFKA_PROPERTIES_{SECRET}{'X' * 50}=1"),
    ("python-dict", f"x = {{'sasl.password': {SECRET}'}}"),
    ("python-dict", f"x = {{'acks': b'{SECRET}', 'sasl.password': 0{SECRET}}}"),
    ("librdkafka-json", f'{{"sasl.password": "{SECRET}'),
    ("strimzi", f"kind: !{SECRET} x\n%{SECRET}"),
    ("compose", f"services: &{SECRET} [*{SECRET}x]"),
    ("topics-describe", f"Topic: a {SECRET}"),
]


@pytest.mark.parametrize(("kind", "text"), [*SECRETS.items(), *BROKEN])
def test_a_secret_is_neither_stored_nor_repeated(kind: str, text: str) -> None:
    assert SECRET not in repr(read(text, JAVA, kind))
    assert SECRET not in repr(read(text, JAVA))


def test_a_note_names_the_dropped_credential() -> None:
    for kind, text in SECRETS.items():
        notes = " ".join(read(text, JAVA, kind).notes)
        assert "dropped, not read" in notes or kind == "strimzi", kind
