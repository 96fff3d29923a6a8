"""What is done with a record in a function that is an expression, a chain of calls, or a block of
Kotlin that has a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, WITH_METHOD
from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program

_FUN = "fun handle(r: ConsumerRecord<String, String>) {\nc.commitSync()\nsave(r)\n}"
_ALL = "fun every(rs: ConsumerRecords<String, String>) = rs%s\n" + _FUN
_BATCH = "fun ConsumerRecords<String, String>.every() {\n%s\n}"
_TWO = "fun two(r: R): Boolean = try { save(r); true } catch (e: Exception) { log.error(e); false }"
_UNIT = "fun every(rs: Rs): Unit = work(rs)\nfun work(rs: Rs) { c.commitSync(); save(rs) }"
_CHUNKED = "rs.map { parse(it) }.chunked(10).forEach { part ->\nc.commitSync()\nsave(part)\n}"
_SOCKET = "DatagramSocket()"


@pytest.mark.parametrize(("loop", "more", "expected"), [
    ("every(rs)", _ALL % ".forEach { handle(it) }", BEFORE),
    ("every(rs)", _ALL % ".forEach(::handle)", BEFORE),
    ("every(rs)", _ALL % "\n.filter { it.value() != null }\n.forEach { handle(it) }", BEFORE),
    ("every(rs)", _UNIT, BEFORE),
    ("every(rs)\nc.commitSync()", "fun every(rs: Rs) = rs.forEach { save(it) }", YES),
    # a chain hands on each, or each group of some
    ("rs.filter { it.value() != null }.forEach { c.commitSync(); save(it) }", "", BEFORE),
    (_CHUNKED, "", BEFORE),
    ("rs.groupBy { it.key() }.forEach { (k, all) ->\nc.commitSync()\nsave(all)\n}", "", BEFORE),
    ("rs.filter { it.value() != null }.forEach { save(it) }\nc.commitSync()", "", YES),
    # a statement behind a head needs no braces
    ("for (r in rs) runCatching { save(r) }\nc.commitSync()", "", SKIP),
    ("for (r in rs) if (r.value() == null) dead(r) else runCatching { save(r) }\nc.commitSync()",
     "", SKIP),
    ("for (r in rs) withTimeoutOrNull(5000) { save(r) }\nc.commitSync()", "", SKIP),
    ("for (r in rs) if (!save(r)) log.error(r)\nc.commitSync()", "", SKIP),
    ("for (r in rs) if (!save(r)) dead(r)\nc.commitSync()", "", YES),
    ("for (r in rs)\n  if (it(r))\n    save(r)\n  else die(r)\nc.commitSync()", "", YES),
    ("for (r in rs) handle(r)\nc.commitSync()",
     "fun handle(r: R) {\nval o = runCatching { read(r) }.getOrElse { log.warn(it); return }\n"
     "save(o)\n}", SKIP),
    # what a function calls that has a receiver is of that
    ("rs.every()", _BATCH % "c.commitSync()\nforEach { save(it) }", BEFORE),
    ("rs.every()\nc.commitSync()", _BATCH % "for (r in this) runCatching { save(r) }", SKIP),
    ("rs.every()\nc.commitSync()", _BATCH % "forEach { save(it) }", YES),
    # a function that only calls another one, or hands on
    ("for (r in rs) one(r)\nc.commitSync()", f"fun one(r: R): Boolean = two(r)\n{_TWO}", SKIP),
    ("for (r in rs) one(r)", f"fun one(r: R) = handle(r)\n{_FUN}", BEFORE),
    ("rs.forEach { one(it) }\nc.commitSync()", "fun one(r: R) = scope.launch { save(r) }", ASIDE),
    ("rs.forEach(::one)\nc.commitSync()", "fun one(r: R) = runCatching { save(r) }", SKIP),
    # the first step of a chain commits
    ("rs.also { c.commitSync() }.forEach { save(it) }", "", BEFORE),
    ("rs.onEach { save(it) }.also { c.commitSync() }.forEach { log.info(it) }", "", YES),
    # what a scope calls is of its object
    ("with(c) { commitSync() }\nrs.forEach { save(it) }", "", BEFORE),
    ("c.apply { commitAsync() }\nfor (r in rs) save(r)", "", BEFORE),
    ("rs.forEach { save(it) }\nc.run { commitSync() }", "", YES),
    # a datagram is on the way when send() returns (UDP)
    (f"for (r in rs) {_SOCKET}.use {{ s -> s.send(packet(r)) }}\nc.commitSync()", "", ASIDE),
    (f"for (r in rs) {_SOCKET}.use {{ it.send(packet(r)) }}\nc.commitSync()", "", ASIDE),
    (f"for (r in rs) {_SOCKET}.send(packet(r))\nc.commitSync()", "", ASIDE),
])  # fmt: skip
def test_a_function_of_kotlin_that_is_an_expression(
    loop: str, more: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, more), expected)


_OR_NULL = "fun read(r: R): Order? = try { parse(r) } catch (e: Exception) { null }"
_LINES = (
    "fun read(r: R): Order? =\n  try {\n    log.info(r)\n    parse(\n      r\n    )\n"
    "  } catch (e: Exception) {\n    log.warn(e)\n    null\n  }"
)
_RESULT = "fun read(r: R): Order? = runCatching { parse(r) }.getOrNull()"
_ASKED = "val o = read(r)\nif (o != null) save(o)"


@pytest.mark.parametrize(("each", "more", "expected"), [
    (_ASKED, _OR_NULL, SKIP),
    (_ASKED, _LINES, SKIP),
    (_ASKED, _RESULT, SKIP),
    ("val o = read(r) ?: continue\nsave(o)", _OR_NULL, SKIP),
    ("read(r)?.let { save(it) }", _RESULT, SKIP),
    ("read(r)?.let(::save)", _OR_NULL, SKIP),
    ("val o = try { parse(r) } catch (e: Exception) { null }\nif (o != null) save(o)", "", SKIP),
    ("runCatching { parse(r) }.getOrNull()?.let { save(it) }", "", SKIP),
    ("val o = read(r) ?: throw IllegalStateException()\nsave(o)", _OR_NULL, YES),
    ("val o = read(r)\nif (o == null) dead(r) else save(o)", _LINES, YES),
])  # fmt: skip
def test_an_order_that_cannot_be_read_in_kotlin_is_null(
    each: str, more: str, expected: str, tmp_path: Path
) -> None:
    loop = f"for (r in rs) {{\n{each}\n}}\nc.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, more), expected)


_TRIES = "try { c.commitSync(); } catch (CommitFailedException e) { log.error(e); }"
_OFFSET = "c.commitSync(Map.of(t, new OffsetAndMetadata(r.offset() + 1)));"
_TRIES_ONE = _TRIES.replace("c.commitSync();", _OFFSET)
_WORK = "for (var r : rs) save(r);"
_NULL = (
    "Order read(R r) { try { return parse(r); } catch (Exception e) { log.warn(e); return null; } }"
)
_BATCH_OF = (
    "Statement all(Rs rs) { for (var r : rs) { s.setString(1, r); s.addBatch(); } return s; }"
)
_SENT = "void go(R r) {\nif (r == null) return;\nk.send(of(r), (m, e) -> fail(e));\n}"
_MADE = "KafkaProducer<String, String> k = new KafkaProducer<>(p);\n"


@pytest.mark.parametrize(("loop", "more", "expected"), [
    # behind a commit that is tried, or made where something holds, the program goes on
    (f"{_TRIES}\n{_WORK}", "", BEFORE),
    (f"{_WORK}\n{_TRIES}\nlog.info(rs.count());", "", YES),
    (f"try {{ warm(); }} finally {{ c.commitSync(); }}\n{_WORK}", "", BEFORE),
    (f"try {{ warm(); }} finally {{ done(); }}\n{_WORK}\nc.commitSync();", "", YES),
    (f"if (!rs.isEmpty()) c.commitSync();\n{_WORK}", "", BEFORE),
    (f"if (rs.isEmpty()) c.commitSync();\n{_WORK}\nc.commitSync();", "", YES),
    (f"if (late()) {{ c.commitSync(); }} else {{ {_WORK} c.commitSync(); }}", "", YES),
    (f"for (var r : rs) {{ {_TRIES_ONE} save(r); }}", "", BEFORE),
    (f"for (var r : rs) {{ save(r); {_TRIES_ONE} go(r); }}", "", BEFORE),
    ("for (var r : rs) try { save(r); } catch (Exception e) { log.error(e); }\nc.commitSync();", "",
     SKIP),
    ("for (var r : rs) if (read(r) == null) throw new E();\nc.commitSync();", _NULL, YES),
    ("for (var r : rs) read(r);\nc.commitSync();", _NULL, SKIP),
    ("int[] n = all(rs).executeBatch();\nc.commitSync();", _BATCH_OF, YES),
    ("for (var r : rs) { if (ok(r)) go(r); }\nc.commitSync();", _SENT, BEFORE),
])  # fmt: skip
def test_a_statement_of_java_behind_another(
    loop: str, more: str, expected: str, tmp_path: Path
) -> None:
    made = _MADE if "k.send" in more else ""
    assert_program(tmp_path / "A.java", WITH_METHOD % (made + LOOP % loop, more), expected)


_EACH = "rs.forEach { r -> %s { save(r) } }"


@pytest.mark.parametrize(("loop", "expected"), [
    (f"coroutineScope {{\n{_EACH % 'launch'}\nc.commitSync()\n}}", BEFORE),
    (f"coroutineScope {{\n{_EACH % 'launch'}\n}}\nc.commitSync()", YES),
    (f"runBlocking {{\n{_EACH % 'GlobalScope.launch'}\n}}\nc.commitSync()", ASIDE),
    ("runBlocking { rs.map { r -> other.async { save(r) } }.awaitAll() }\nc.commitSync()", YES),
    ("runBlocking { rs.asFlow().map { save(it) }.catch { e -> log.error(e) }.collect() }\n"
     "c.commitSync()", SKIP),
])  # fmt: skip
def test_a_scope_waits_for_its_own_at_its_end(loop: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)


_READ = (
    "Order read(ConsumerRecord<String, String> r) {\n"
    "try { return parse(r.value()); } catch (Exception e) { log.warn(e); return null; }\n}"
)
_CAUGHT = "Order o;\ntry { o = parse(r.value()); } catch (Exception e) { o = null; }\n"
_GATHERED = (
    "List<CompletableFuture<Void>> all = new ArrayList<>();\n"
    "for (var r : rs) all.add(CompletableFuture.runAsync(() -> save(r)));\n"
)


@pytest.mark.parametrize(("each", "more", "expected"), [
    (f"{_CAUGHT}if (o != null) save(o);", "", SKIP),
    (f"{_CAUGHT}if (o == null) continue;\nsave(o);", "", SKIP),
    (f"{_CAUGHT}if (o == null) {{ dead(r); continue; }}\nsave(o);", "", YES),
    (f"{_CAUGHT}save(o);", "", YES),
    ("Order o = read(r);\nif (o != null) save(o);", _READ, SKIP),
    ("Order o = read(r);\nif (o != null) save(o); else dead(r);", _READ, YES),
])  # fmt: skip
def test_an_order_that_cannot_be_read_in_java_is_null(
    each: str, more: str, expected: str, tmp_path: Path
) -> None:
    loop = LOOP % f"for (var r : rs) {{\n{each}\n}}\nc.commitSync();"
    assert_program(tmp_path / "A.java", WITH_METHOD % (loop, more), expected)


@pytest.mark.parametrize(("behind", "expected"), [
    ("all.forEach(CompletableFuture::join);\nc.commitSync();", YES),
    ("c.commitSync();\nall.forEach(CompletableFuture::join);", BEFORE),
    ("all.forEach(f -> log.info(f));\nc.commitSync();", ASIDE),
])  # fmt: skip
def test_futures_are_joined_by_the_name_of_the_method(
    behind: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.java", WITH_METHOD % (LOOP % f"{_GATHERED}{behind}", ""), expected)


_SCALA = """import org.apache.kafka.clients.consumer._
object A {
def run(): Unit = {
val p = new Properties()
p.put("group.id", "g")
p.put("auto.offset.reset", "earliest")
p.put("enable.auto.commit", "false")
val c = new KafkaConsumer[String, String](p)
while (true) {
val rs = c.poll(Duration.ofSeconds(1))
%s
}
}
%s
}
"""
_EVERY = "def every(rs: ConsumerRecords[String, String]): Unit = %s\n"
_DONE = "def handle(r: ConsumerRecord[String, String]): Unit = {\nc.commitSync()\nsave(r)\n}"
_OPTION = "def read(r: R): Option[O] = Try(parse(r)).toOption"
_CAUGHT = "def read(r: R): Option[O] = try Some(parse(r)) catch { case e: Exception => None }"
_LOOP = "for (r <- rs.asScala) {\n%s\n}\nc.commitSync()"


@pytest.mark.parametrize(("loop", "more", "expected"), [
    ("every(rs)", _EVERY % "rs.asScala.foreach(r => handle(r))" + _DONE, BEFORE),
    ("every(rs)", _EVERY % "rs.asScala.foreach(handle)" + _DONE, BEFORE),
    ("every(rs)", _EVERY % "for (r <- rs.asScala) handle(r)" + _DONE, BEFORE),
    ("every(rs)\nc.commitSync()", _EVERY % "for (r <- rs.asScala) save(r)", YES),
    # an error is a value that nothing takes
    (_LOOP % "Using(open()) { f => f.write(r.value) }", "", SKIP),
    (_LOOP % "Using(open()) { f => f.write(r.value) }.get", "", YES),
    (_LOOP % "Using.resource(open()) { f => f.write(r.value) }", "", YES),
    (_LOOP % "decode[Order](r.value).foreach(save)", "", SKIP),
    (_LOOP % "read(r).foreach(save)", _OPTION, SKIP),
    (_LOOP % "val o = read(r)\no.foreach(save)", _OPTION, SKIP),
    (_LOOP % "read(r) match {\ncase Some(o) => save(o)\ncase None => log.warn(r)\n}",
     _OPTION, SKIP),
    (_LOOP % "read(r) match {\ncase Some(o) => save(o)\ncase None => dead(r)\n}", _OPTION, YES),
    (_LOOP % "read(r).fold(dead(r))(save)", _OPTION, YES),
    (_LOOP % "read(r).foreach(save)", _CAUGHT, SKIP),
    ("rs.asScala.flatMap(read).foreach(save)\nc.commitSync()", _OPTION, SKIP),
    ("for (r <- rs.asScala; o <- read(r)) save(o)\nc.commitSync()", _OPTION, SKIP),
])  # fmt: skip
def test_a_function_of_scala_that_is_an_expression(
    loop: str, more: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.scala", _SCALA % (loop, more), expected)
