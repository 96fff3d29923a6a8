"""Work on a record in a function that is an expression, in a chain of calls, or in a Kotlin block
that has a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, WITH_METHOD

_FUN = "fun handle(r: ConsumerRecord<String, String>) {\nc.commitSync()\nsave(r)\n}"
_EXPRESSION = "fun every(rs: ConsumerRecords<String, String>) = rs%s\n" + _FUN
_EXTENSION = "fun ConsumerRecords<String, String>.every() {\n%s\n}"
_TWO = "fun two(r: R): Boolean = try { save(r); true } catch (e: Exception) { log.error(e); false }"
_UNIT = "fun every(rs: Rs): Unit = work(rs)\nfun work(rs: Rs) { c.commitSync(); save(rs) }"
_CHUNKED = "rs.map { parse(it) }.chunked(10).forEach { part ->\nc.commitSync()\nsave(part)\n}"
_SOCKET = "DatagramSocket()"


@pytest.mark.parametrize(("loop", "definitions", "expected"), [
    ("every(rs)", _EXPRESSION % ".forEach { handle(it) }", BEFORE),
    ("every(rs)", _EXPRESSION % ".forEach(::handle)", BEFORE),
    ("every(rs)", _EXPRESSION % "\n.filter { it.value() != null }\n.forEach { handle(it) }",
     BEFORE),
    ("every(rs)", _UNIT, BEFORE),
    ("every(rs)\nc.commitSync()", "fun every(rs: Rs) = rs.forEach { save(it) }", YES),
    # a chain that passes on each record, or groups of records
    ("rs.filter { it.value() != null }.forEach { c.commitSync(); save(it) }", "", BEFORE),
    (_CHUNKED, "", BEFORE),
    ("rs.groupBy { it.key() }.forEach { (k, all) ->\nc.commitSync()\nsave(all)\n}", "", BEFORE),
    ("rs.filter { it.value() != null }.forEach { save(it) }\nc.commitSync()", "", YES),
    # a statement after `for` or `if` needs no braces
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
    # calls in an extension function belong to its receiver
    ("rs.every()", _EXTENSION % "c.commitSync()\nforEach { save(it) }", BEFORE),
    ("rs.every()\nc.commitSync()", _EXTENSION % "for (r in this) runCatching { save(r) }", SKIP),
    ("rs.every()\nc.commitSync()", _EXTENSION % "forEach { save(it) }", YES),
    # a function that only calls another function, or starts a coroutine
    ("for (r in rs) one(r)\nc.commitSync()", f"fun one(r: R): Boolean = two(r)\n{_TWO}", SKIP),
    ("for (r in rs) one(r)", f"fun one(r: R) = handle(r)\n{_FUN}", BEFORE),
    ("rs.forEach { one(it) }\nc.commitSync()", "fun one(r: R) = scope.launch { save(r) }", ASIDE),
    ("rs.forEach(::one)\nc.commitSync()", "fun one(r: R) = runCatching { save(r) }", SKIP),
    # the first step of a chain commits
    ("rs.also { c.commitSync() }.forEach { save(it) }", "", BEFORE),
    ("rs.onEach { save(it) }.also { c.commitSync() }.forEach { log.info(it) }", "", YES),
    # calls in a scope function belong to its object
    ("with(c) { commitSync() }\nrs.forEach { save(it) }", "", BEFORE),
    ("c.apply { commitAsync() }\nfor (r in rs) save(r)", "", BEFORE),
    ("rs.forEach { save(it) }\nc.run { commitSync() }", "", YES),
    # a datagram may still be in flight when send() returns (UDP)
    (f"for (r in rs) {_SOCKET}.use {{ s -> s.send(packet(r)) }}\nc.commitSync()", "", ASIDE),
    (f"for (r in rs) {_SOCKET}.use {{ it.send(packet(r)) }}\nc.commitSync()", "", ASIDE),
    (f"for (r in rs) {_SOCKET}.send(packet(r))\nc.commitSync()", "", ASIDE),
])  # fmt: skip
def test_kotlin_expressions_and_chains_are_followed(
    loop: str, definitions: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, definitions), expected)


_OR_NULL = "fun read(r: R): Order? = try { parse(r) } catch (e: Exception) { null }"
_OR_NULL_LINES = (
    "fun read(r: R): Order? =\n  try {\n    log.info(r)\n    parse(\n      r\n    )\n"
    "  } catch (e: Exception) {\n    log.warn(e)\n    null\n  }"
)
_RESULT = "fun read(r: R): Order? = runCatching { parse(r) }.getOrNull()"
_IF_NOT_NULL = "val o = read(r)\nif (o != null) save(o)"


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    (_IF_NOT_NULL, _OR_NULL, SKIP),
    (_IF_NOT_NULL, _OR_NULL_LINES, SKIP),
    (_IF_NOT_NULL, _RESULT, SKIP),
    ("val o = read(r) ?: continue\nsave(o)", _OR_NULL, SKIP),
    ("read(r)?.let { save(it) }", _RESULT, SKIP),
    ("read(r)?.let(::save)", _OR_NULL, SKIP),
    ("val o = try { parse(r) } catch (e: Exception) { null }\nif (o != null) save(o)", "", SKIP),
    ("runCatching { parse(r) }.getOrNull()?.let { save(it) }", "", SKIP),
    ("val o = read(r) ?: throw IllegalStateException()\nsave(o)", _OR_NULL, YES),
    ("val o = read(r)\nif (o == null) dead(r) else save(o)", _OR_NULL_LINES, YES),
])  # fmt: skip
def test_ignoring_the_null_of_a_failed_read_in_kotlin_is_a_skip(
    body: str, definitions: str, expected: str, tmp_path: Path
) -> None:
    loop = f"for (r in rs) {{\n{body}\n}}\nc.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, definitions), expected)


_GUARDED_COMMIT = "try { c.commitSync(); } catch (CommitFailedException e) { log.error(e); }"
_OFFSET = "c.commitSync(Map.of(t, new OffsetAndMetadata(r.offset() + 1)));"
_GUARDED_OFFSET = _GUARDED_COMMIT.replace("c.commitSync();", _OFFSET)
_WORK = "for (var r : rs) save(r);"
_READ_OR_NULL = (
    "Order read(R r) { try { return parse(r); } catch (Exception e) { log.warn(e); return null; } }"
)
_ADD_BATCH = (
    "Statement all(Rs rs) { for (var r : rs) { s.setString(1, r); s.addBatch(); } return s; }"
)
_SENDS = "void go(R r) {\nif (r == null) return;\nk.send(of(r), (m, e) -> fail(e));\n}"
_PRODUCER = "KafkaProducer<String, String> k = new KafkaProducer<>(p);\n"


@pytest.mark.parametrize(("loop", "definitions", "expected"), [
    # the program continues after a commit in a `try` or under a condition
    (f"{_GUARDED_COMMIT}\n{_WORK}", "", BEFORE),
    (f"{_WORK}\n{_GUARDED_COMMIT}\nlog.info(rs.count());", "", YES),
    (f"try {{ warm(); }} finally {{ c.commitSync(); }}\n{_WORK}", "", BEFORE),
    (f"try {{ warm(); }} finally {{ done(); }}\n{_WORK}\nc.commitSync();", "", YES),
    (f"if (!rs.isEmpty()) c.commitSync();\n{_WORK}", "", BEFORE),
    (f"if (rs.isEmpty()) c.commitSync();\n{_WORK}\nc.commitSync();", "", YES),
    (f"if (late()) {{ c.commitSync(); }} else {{ {_WORK} c.commitSync(); }}", "", YES),
    (f"for (var r : rs) {{ {_GUARDED_OFFSET} save(r); }}", "", BEFORE),
    (f"for (var r : rs) {{ save(r); {_GUARDED_OFFSET} go(r); }}", "", BEFORE),
    ("for (var r : rs) try { save(r); } catch (Exception e) { log.error(e); }\nc.commitSync();", "",
     SKIP),
    ("for (var r : rs) if (read(r) == null) throw new E();\nc.commitSync();", _READ_OR_NULL, YES),
    ("for (var r : rs) read(r);\nc.commitSync();", _READ_OR_NULL, SKIP),
    ("int[] n = all(rs).executeBatch();\nc.commitSync();", _ADD_BATCH, YES),
    ("for (var r : rs) { if (ok(r)) go(r); }\nc.commitSync();", _SENDS, BEFORE),
])  # fmt: skip
def test_java_statements_after_a_commit_are_followed(
    loop: str, definitions: str, expected: str, tmp_path: Path
) -> None:
    producer = _PRODUCER if "k.send" in definitions else ""
    assert_program(
        tmp_path / "A.java", WITH_METHOD % (producer + LOOP % loop, definitions), expected
    )


_START_EACH = "rs.forEach { r -> %s { save(r) } }"


@pytest.mark.parametrize(("loop", "expected"), [
    (f"coroutineScope {{\n{_START_EACH % 'launch'}\nc.commitSync()\n}}", BEFORE),
    (f"coroutineScope {{\n{_START_EACH % 'launch'}\n}}\nc.commitSync()", YES),
    (f"runBlocking {{\n{_START_EACH % 'GlobalScope.launch'}\n}}\nc.commitSync()", ASIDE),
    ("runBlocking { rs.map { r -> other.async { save(r) } }.awaitAll() }\nc.commitSync()", YES),
    ("runBlocking { rs.asFlow().map { save(it) }.catch { e -> log.error(e) }.collect() }\n"
     "c.commitSync()", SKIP),
])  # fmt: skip
def test_a_coroutine_scope_waits_for_its_own_children(
    loop: str, expected: str, tmp_path: Path
) -> None:
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


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    (f"{_CAUGHT}if (o != null) save(o);", "", SKIP),
    (f"{_CAUGHT}if (o == null) continue;\nsave(o);", "", SKIP),
    (f"{_CAUGHT}if (o == null) {{ dead(r); continue; }}\nsave(o);", "", YES),
    (f"{_CAUGHT}save(o);", "", YES),
    ("Order o = read(r);\nif (o != null) save(o);", _READ, SKIP),
    ("Order o = read(r);\nif (o != null) save(o); else dead(r);", _READ, YES),
])  # fmt: skip
def test_ignoring_the_null_of_a_failed_read_in_java_is_a_skip(
    body: str, definitions: str, expected: str, tmp_path: Path
) -> None:
    loop = LOOP % f"for (var r : rs) {{\n{body}\n}}\nc.commitSync();"
    assert_program(tmp_path / "A.java", WITH_METHOD % (loop, definitions), expected)


@pytest.mark.parametrize(("rest", "expected"), [
    ("all.forEach(CompletableFuture::join);\nc.commitSync();", YES),
    ("c.commitSync();\nall.forEach(CompletableFuture::join);", BEFORE),
    ("all.forEach(f -> log.info(f));\nc.commitSync();", ASIDE),
])  # fmt: skip
def test_futures_are_joined_by_a_method_reference(rest: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.java", WITH_METHOD % (LOOP % f"{_GATHERED}{rest}", ""), expected)


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
_COMMITS_FIRST = (
    "def handle(r: ConsumerRecord[String, String]): Unit = {\nc.commitSync()\nsave(r)\n}"
)
_OPTION = "def read(r: R): Option[O] = Try(parse(r)).toOption"
_CAUGHT_OPTION = (
    "def read(r: R): Option[O] = try Some(parse(r)) catch { case e: Exception => None }"
)
_LOOP = "for (r <- rs.asScala) {\n%s\n}\nc.commitSync()"


@pytest.mark.parametrize(("loop", "definitions", "expected"), [
    ("every(rs)", _EVERY % "rs.asScala.foreach(r => handle(r))" + _COMMITS_FIRST, BEFORE),
    ("every(rs)", _EVERY % "rs.asScala.foreach(handle)" + _COMMITS_FIRST, BEFORE),
    ("every(rs)", _EVERY % "for (r <- rs.asScala) handle(r)" + _COMMITS_FIRST, BEFORE),
    ("every(rs)\nc.commitSync()", _EVERY % "for (r <- rs.asScala) save(r)", YES),
    # an error is a value that nothing uses
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
    (_LOOP % "read(r).foreach(save)", _CAUGHT_OPTION, SKIP),
    ("rs.asScala.flatMap(read).foreach(save)\nc.commitSync()", _OPTION, SKIP),
    ("for (r <- rs.asScala; o <- read(r)) save(o)\nc.commitSync()", _OPTION, SKIP),
])  # fmt: skip
def test_scala_expressions_are_followed(
    loop: str, definitions: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.scala", _SCALA % (loop, definitions), expected)
