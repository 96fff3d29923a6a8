"""JVM code that submits work to a pool without waiting for it, and reads another value: `get()` of
an object that is not a future, of a map or of an Optional, and `join()` of a string joiner.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, IGNORED, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER

_POOL = "for (var r : rs) pool.submit(() -> save(r));"
_SENDS = (
    "for (var r : rs) k.send(new ProducerRecord<>(t, r), (m, e) -> { if (e != null) exit(1); });"
)
_PRODUCER = "KafkaProducer<String, String> k = new KafkaProducer<>(p);\n"
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
    (_PRODUCER, f"{_SENDS} audit(config.get(zone));", BEFORE),
    (_PRODUCER, f"{_SENDS} k.flush();", YES),
    (_PRODUCER, f"{_FUTURES} audit(config.get(zone));", IGNORED),
    (_PRODUCER, f"{_FUTURES} for (Future<?> f : all) f.get(9, TimeUnit.SECONDS);", YES),
]  # fmt: skip


@pytest.mark.parametrize(("declarations", "body", "expected"), JAVA)
def test_a_get_of_another_value_does_not_wait_in_java(
    tmp_path: Path, declarations: str, body: str, expected: str
) -> None:
    code = READER % (declarations + LOOP % f"{body}\nc.commitSync();")
    assert_program(tmp_path / "A.java", code, expected)


@pytest.mark.parametrize(
    ("declarations", "expected"),
    [
        ("val zone: Supplier<String> = zones()", BEFORE),
        ("val zone = ThreadLocal.withInitial { 1 }", BEFORE),
        ("val zone: AtomicReference<Future<Int>> = begun()", YES),
    ],
)
def test_a_get_of_another_value_does_not_wait_in_kotlin(
    tmp_path: Path, declarations: str, expected: str
) -> None:
    body = "for (r in rs) pool.submit { save(r) }\nlog.info(zone.get())\nc.commitSync()"
    if expected == YES:
        body = body.replace("zone.get()", "zone.get().get()")
    assert_program(tmp_path / "A.kt", KOTLIN % (body, declarations), expected)
