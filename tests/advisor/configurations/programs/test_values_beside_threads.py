"""Code of the JVM that takes a value beside a pool that nobody waits for: `get()` of what is no
future, of a map by a string, or of an Optional; and `join()` of what joins texts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER
from tests.advisor.programs import BEFORE, IGNORED, YES, assert_program

_POOL = "for (var r : rs) pool.submit(() -> save(r));"
_SENT = (
    "for (var r : rs) k.send(new ProducerRecord<>(t, r), (m, e) -> { if (e != null) exit(1); });"
)
_MADE = "KafkaProducer<String, String> k = new KafkaProducer<>(p);\n"
_FUTURES = "List<Future<?>> all = new ArrayList<>();\nfor (var r : rs) all.add(k.send(record(r)));"
JAVA = [
    ("Supplier<String> zone = zones();", f'{_POOL} log.info("in {{}}", zone.get());', BEFORE),
    ("Provider<Tenant> tenant = tenants();", f"{_POOL} audit(tenant.get());", BEFORE),
    ("", f"{_POOL} Config now = config.get();", BEFORE),
    ("", f'{_POOL} String zone = config.get("zone");', BEFORE),
    ("", f"{_POOL} Owner o = owners.findById(id(rs.count())).get();", BEFORE),
    ("", f'{_POOL} log.info("of {{}}", Joiner.on(",").join(rs.partitions()));', BEFORE),
    ("", f'{_POOL} State s = stats.result("polled");', BEFORE),
    ("", f"{_POOL.replace('pool.submit(', 'all.add(pool.submit(').replace(');', '));')}"
     " for (var f : all) f.get();", YES),
    ("", "for (var r : rs) { var f = pool.submit(() -> save(r)); f.get(); }", YES),
    (_MADE, f"{_SENT} audit(config.get(zone));", BEFORE),
    (_MADE, f"{_SENT} k.flush();", YES),
    (_MADE, f"{_FUTURES} audit(config.get(zone));", IGNORED),
    (_MADE, f"{_FUTURES} for (Future<?> f : all) f.get(9, TimeUnit.SECONDS);", YES),
]  # fmt: skip


@pytest.mark.parametrize(("made", "body", "expected"), JAVA)
def test_a_value_that_is_taken_waits_for_nobody(
    tmp_path: Path, made: str, body: str, expected: str
) -> None:
    code = READER % (made + LOOP % f"{body}\nc.commitSync();")
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("val zone: Supplier<String> = zones()", BEFORE),
        ("val zone = ThreadLocal.withInitial { 1 }", BEFORE),
        ("val zone: AtomicReference<Future<Int>> = begun()", YES),
    ],
)
def test_a_value_of_kotlin_waits_for_nobody(tmp_path: Path, made: str, expected: str) -> None:
    body = "for (r in rs) pool.submit { save(r) }\nlog.info(zone.get())\nc.commitSync()"
    if expected == YES:
        body = body.replace("zone.get()", "zone.get().get()")
    assert_program(tmp_path / "A.kt", KOTLIN % (body, made), expected)
