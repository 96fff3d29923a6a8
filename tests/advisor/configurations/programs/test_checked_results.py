"""Programs that check a result for a failure and then continue, loops that end at a label or have
an `else`, and coroutines that are awaited in another scope.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import ASIDE, BEFORE, IGNORED, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_PYTHON = """from confluent_kafka import Consumer
c = Consumer({"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"})
while True:
    ms = c.consume(10, 1.0)
"""
_SCALA_LOOP = "for (r <- rs.asScala) {{\n{}\n}}\nc.commitSync()"
_READ = "def read(r: ConsumerRecord[K, V]): Option[Order] = Try(parse(r.value())).toOption"
_CATCH = "try { save(r); } catch (Exception e) { log.error(e); break all; }"
_FUTURES = "List<CompletableFuture<Void>> all = new ArrayList<>();\nfor (var r : rs) "
_FUTURES += "all.add(CompletableFuture.runAsync(() -> save(r)));\nCompletableFuture."
_FUTURES += "{}(all.toArray(new CompletableFuture[0])).join();\nc.commitSync();"


@pytest.mark.parametrize(
    ("body", "definitions", "expected"),
    [
        ("val o = read(r)\nif (o.isDefined) save(o.get)", _READ, SKIP),
        ("val o = read(r)\nif (o.isEmpty) log.warn(r) else save(o.get)", _READ, SKIP),
        ("val o = read(r)\nif (o.isEmpty) letters.put(r) else save(o.get)", _READ, YES),
        ("read(r).map(o => save(o))", _READ, SKIP),
        ("read(r).foreach(o => save(o))", _READ, SKIP),
        ("val t = Try(parse(r))\nif (t.isSuccess) save(t.get)", "", SKIP),
        ("val t = Try(parse(r))\nif (t.isFailure) throw t.failed.get\nsave(t.get)", "", YES),
        ("val o = try { Some(parse(r)) } catch { case e: Exception => None }\n"
         "if (o.isDefined) save(o.get)", "", SKIP),
        ("val e: Either[E, O] = Try(parse(r)).toEither\nif (e.isRight) save(e)", "", SKIP),
    ],
)  # fmt: skip
def test_a_scala_result_that_is_only_checked_is_a_skip(
    tmp_path: Path, body: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (_SCALA_LOOP.format(body), definitions), expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("val t = runCatching { parse(r) }\nif (t.isSuccess) save(t.getOrThrow())", SKIP),
        ("val t = runCatching { parse(r) }\nif (t.isFailure) { log.warn(r); continue }\nsave(t)",
         SKIP),
        ("val t = runCatching { parse(r) }\nif (t.isFailure) { again(r); continue }\nsave(t)", YES),
        ("val o = runCatching { parse(r) }.getOrNull()\nif (o == null) log.warn(r) else save(o)",
         SKIP),
        ("val o = runCatching { parse(r) }.getOrNull()\nif (o == null) again(r) else save(o)", YES),
    ],
)  # fmt: skip
def test_a_kotlin_result_that_is_only_checked_is_a_skip(
    tmp_path: Path, body: str, expected: str
) -> None:
    loop = f"for (r in rs) {{\n{body}\n}}\nc.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("run {\nrs.forEach { r ->\nif (!tried(r)) return@run\n}\n}", SKIP),
        ("run out@{\nrs.forEach { r ->\nif (!tried(r)) return@out\n}\n}", SKIP),
        ("run {\nrs.forEach { r -> save(r) }\n}", YES),
        ("rs.filter { runCatching { parse(it) }.isSuccess }.forEach { save(it) }", SKIP),
        ("rs.filter { it.value() != null }.forEach { save(it) }", YES),
        ("rs.forEach { r ->\nrunCatching { save(r) }.onFailure { e -> log.error(e) }\n}", SKIP),
        ("rs.forEach { r ->\nrunCatching { save(r) }.onFailure { e -> throw e }\n}", YES),
        ("for (r in rs) runCatching { save(r) }.getOrThrow()", YES),
    ],
)
def test_a_kotlin_loop_that_drops_records_is_a_skip(
    tmp_path: Path, loop: str, expected: str
) -> None:
    definitions = "fun tried(r: R): Boolean = try { save(r); true } catch (e: Exception) { false }"
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{loop}\nc.commitSync()", definitions), expected)


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("rs.map { r -> scope.async { save(r) } }.joinAll()", SKIP),
        ("rs.forEach { r -> scope.launch { save(r) }.join() }", SKIP),
        ("rs.map { r -> async { save(r) } }.awaitAll()", YES),
        ("rs.forEach { r -> launch { save(r) }.join() }", YES),
    ],
)
def test_a_join_does_not_rethrow_an_error_of_another_scope(
    tmp_path: Path, scope: str, expected: str
) -> None:
    loop = f"runBlocking {{\n{scope}\n}}\nc.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, ""), expected)


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("all:\nfor (var t : rs.partitions()) {\nfor (var r : rs.records(t)) { "
         f"{_CATCH} }}\n}}\nc.commitSync();", SKIP),
        ("all:\nfor (var r : rs) {\nfor (int i = 0; i < 3; i++) {\ntry { save(r); continue all; } "
         "catch (Exception e) { log.warn(e); }\n}\nthrow new E();\n}\nc.commitSync();", YES),
        (_FUTURES.format("anyOf"), BEFORE),
        (_FUTURES.format("allOf"), YES),
    ],
    ids=str,
)  # fmt: skip
def test_a_java_loop_that_ends_early_or_waits_for_any_future_is_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    expected = expected if expected != BEFORE else f"{BEFORE}|{ASIDE}"
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)


_ATTEMPT = (
    "        try:\n            save(m)\n        except Exception:\n            log.error(m)\n"
)
_FLAGGED = _ATTEMPT.replace("log.error(m)", "ok = False\n            break")


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        (f"    for m in ms:\n{_ATTEMPT}            break\n    else:\n        c.commit()\n", SKIP),
        (f"    for m in ms:\n{_ATTEMPT}            raise\n    else:\n        c.commit()\n", YES),
        (f"    ok = True\n    for m in ms:\n{_FLAGGED}    if not ok:\n        raise SystemExit\n"
         "    c.commit()\n", YES),
        (f"    ok = True\n    for m in ms:\n{_FLAGGED}    if not ok:\n        sys.exit(1)\n"
         "    c.commit()\n", YES),
        (f"    ok = True\n    for m in ms:\n{_FLAGGED}    if not ok:\n        log.error(ms)\n"
         "    c.commit()\n", SKIP),
    ],
)  # fmt: skip
def test_a_python_loop_that_ends_early_is_a_skip(tmp_path: Path, loop: str, expected: str) -> None:
    assert_program(tmp_path / "a.py", _PYTHON + loop, expected)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("log.info(ok);", IGNORED),
        ("if (!ok) throw new E();", YES),
        ("return ok;", YES),
        ("System.exit(failed > 0 ? 1 : 0);", YES),
        ('log.warn("{}", failed);', IGNORED),
    ],
)
def test_a_failure_flag_of_a_job_must_be_acted_on(tmp_path: Path, end: str, expected: str) -> None:
    code = (
        "import org.apache.kafka.clients.producer.*;\nclass A { boolean run(List<R> all) {\n"
        'Properties p = new Properties();\np.put("acks", "all");\n'
        "KafkaProducer<String, String> k = new KafkaProducer<>(p);\nboolean ok = true;\n"
        "for (R r : all) { try { k.send(of(r)).get(); } catch (Exception e) { ok = false; } }\n"
        f"k.close();\n{end}\n}}}}\n"
    )
    if "failed" in end:
        code = code.replace("boolean ok = true", "int failed = 0").replace("ok = false", "failed++")
    settings = "consumer.auto.offset.reset=earliest application.commit=after-processing "
    settings += "consumer.enable.auto.commit=false"
    assert_program(tmp_path / "A.java", code, expected, settings)
