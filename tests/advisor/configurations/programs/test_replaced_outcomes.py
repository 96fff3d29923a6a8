"""Programs on the JVM that replace an outcome, wait for one of several, or only warn about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_UPDATE = "int n = jdbc.update(sql, r.value()); "
_SUPPLY = "var fs = new ArrayList<CompletableFuture<Boolean>>();\n"
_SUPPLY += "for (var r : rs) fs.add(CompletableFuture.supplyAsync(() -> trySave(r)));\n"
_SUPPLY += "long bad = fs.stream().map(CompletableFuture::join).filter(ok -> !ok).count();\n"
_ALL = "StreamSupport.stream(rs.spliterator(), false).map(r -> CompletableFuture.runAsync(() -> "
_ALL += "save(r))).toArray(CompletableFuture[]::new)"
_TASKS = "List<Callable<Void>> ts = new ArrayList<>();\n"
_TASKS += "for (var r : rs) ts.add(() -> { save(r); return null; });\n"
_ENDLESS = "for (var r : rs) { for (int i = 0; ; i++) { try { save(r); break; } "
_ENDLESS += "catch (Exception e) { if (i == 3) %s } } }"
_POST = "ResponseEntity<Void> a = rest.postForEntity(url, r.value(), Void.class); "


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        # a statement that changes no row
        (f"for (var r : rs) {{ {_UPDATE}if (n == 0) log.warn(x); }}", SKIP),
        (f"for (var r : rs) {{ {_UPDATE}if (n != 1) log.error(x); }}", SKIP),
        ("for (var r : rs) { if (jdbc.update(sql, r.value()) == 0) log.warn(x); }", SKIP),
        (f"for (var r : rs) {{ {_UPDATE}if (n == 0) log.debug(x); }}", YES),
        (f"for (var r : rs) {{ {_UPDATE}if (n == 0) throw new X(); }}", YES),
        (f"for (var r : rs) {{ {_UPDATE}if (n == 0) jdbc.update(insert, r.value()); }}", YES),
        # a number or a list of what failed
        ("if (process(rs) != 0) log.error(x);", SKIP),
        ("if (process(rs) != 0) throw new X();", YES),
        ("int failed = process(rs); if (failed > 0) log.error(failed);", SKIP),
        ("int failed = process(rs); if (failed > 0) throw new X();", YES),
        ("int saved = save(rs); if (saved > 0) log.info(saved);", YES),
        ("Set<String> failedIds = process(rs); failedIds.forEach(id -> log.error(id));", SKIP),
        ("Set<String> failedIds = process(rs); failedIds.forEach(id -> letters.store(id));", YES),
        ("AtomicInteger n = new AtomicInteger(); stream(rs).forEach(r -> { try { save(r); } "
         "catch (Exception e) { n.incrementAndGet(); } }); if (n.get() > 0) throw new X();", YES),
        # results of other clients
        ("for (var r : rs) { UpdateResult u = table.replaceOne(id, r.value()); "
         "if (!u.wasAcknowledged()) log.error(x); }", SKIP),
        (f"for (var r : rs) {{ {_POST}if (!a.getStatusCode().is2xxSuccessful()) log.error(a); }}",
         SKIP),
        (f"for (var r : rs) {{ {_POST}if (!a.getStatusCode().is2xxSuccessful()) throw x; }}", YES),
        # futures
        (f"{_SUPPLY}log.info(bad);", SKIP),
        (f"{_SUPPLY}if (bad > 0) throw new X();", YES),
        (f"CompletableFuture.anyOf({_ALL}).join();", ASIDE),
        (f"CompletableFuture.allOf({_ALL}).join();", YES),
        ("for (var r : rs) CompletableFuture.runAsync(() -> save(r)).completeOnTimeout(null, 5, "
         "SECONDS).join();", SKIP),
        ("for (var r : rs) { Thread t = Thread.ofVirtual().start(() -> save(r)); "
         "t.join(Duration.ofSeconds(5)); }", SKIP),
        (f"{_TASKS}List<Future<Void>> fs = pool.invokeAll(ts, 30, SECONDS);\nlog.info(fs.size());",
         SKIP),
        # a handler that only tells people, and a loop without an end
        ("for (var r : rs) { try { save(r); } catch (Exception e) { notifier.send(e); } }", SKIP),
        (_ENDLESS % "throw e;", YES),
        (_ENDLESS % "break;", SKIP),
        (f"{_TASKS}for (Future<Void> f : pool.invokeAll(ts)) f.get();", YES),
    ],
)  # fmt: skip
def test_outcomes_in_java(code: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % f"{code}\nc.commitSync();"), expected)


_TRY = "try { save(r); true } catch (e: Exception) { log.error(e); false }"
_STORED = "val bad = mutableListOf<Throwable>()\n"
_STORED += "for (r in rs) runCatching { save(r) }.onFailure { bad += it }\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"{_STORED}bad.forEach {{ log.error(x, it) }}", SKIP),
        (f"{_STORED}bad.firstOrNull()?.let {{ throw it }}", YES),
        ("rs.forEach { r -> flow.emit(r) }", ASIDE),
        ("rs.forEach { r -> save(r).subscribe { log.info(x) } }", ASIDE),
        ("for (r in rs) { val o = decode(r).getOrNull() ?: continue; save(o) }", SKIP),
        (f"val all = rs.map {{ r -> async {{ {_TRY} }} }}.awaitAll()\nlog.info(all.size)", SKIP),
        (
            f"val all = rs.map {{ r -> async {{ {_TRY} }} }}.awaitAll()\ncheck(all.all {{ it }})",
            YES,
        ),
        ("rs.forEach { r -> flow { emit(save(r)) }.collect() }", YES),
    ],
)
def test_outcomes_in_kotlin(code: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (f"{code}\nc.commitSync()", ""), expected)


_SEQUENCE = "Await.result(Future.sequence(rs.asScala.map(r => %s)), d)"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (_SEQUENCE % "Future(save(r)).transform(Success(_))", SKIP),
        (_SEQUENCE % "Future(Try(save(r)))", SKIP),
        (f"val all = {_SEQUENCE % 'Future(Try(save(r)))'}\nif (all.exists(_.isFailure)) throw x",
         YES),
        (_SEQUENCE % "Future(save(r))", YES),
        ("val (bad, ok) = rs.asScala.toList.map(r => save(r)).separate\nlog.warn(bad.size)", SKIP),
        ("val (bad, ok) = rs.asScala.toList.map(r => save(r)).separate\n"
         "if (bad.nonEmpty) throw x", YES),
        ("for { r <- rs.asScala; o <- read(r).toOption } save(o)", SKIP),
        ("rs.asScala.foreach { r => (actor ? Process(r)).mapTo[Done] }", BEFORE),
        ("rs.asScala.foreach { r => Await.result((actor ? Process(r)).mapTo[Done], d) }", YES),
    ],
)  # fmt: skip
def test_outcomes_in_scala(code: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.scala", SCALA % (f"{code}\nc.commitSync()", ""), expected)
