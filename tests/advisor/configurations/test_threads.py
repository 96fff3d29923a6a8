"""Threads that process messages of one poll at the same time, and are waited for: nothing is lost
by that, and no order is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA as TOPIC
from tests.advisor.configurations.asking import assert_file
from tests.advisor.configurations.test_java_loops import LOOP, READER

SAID, UNSAID = "several threads process messages", "^(?!.*several threads process messages)"

JVM = [
    ("List<Future<?>> fs = new ArrayList<>(); for (var r : rs) fs.add(ex.submit(() -> work(r)));"
     " for (var f : fs) f.get();", SAID),
    ("for (var r : rs) ex.submit(() -> work(r)).get();", UNSAID),
    ("ex.submit(() -> workAll(rs)).get();", UNSAID),
    ("for (var r : rs) { work(r); }", UNSAID),
    ("StreamSupport.stream(rs.spliterator(), true).forEach(r -> work(r));", SAID),
    ("StreamSupport.stream(rs.spliterator(), false).forEach(r -> work(r));", UNSAID),
    ("List<R> l = new ArrayList<>(); rs.forEach(l::add); l.parallelStream().forEach(r -> work(r));"
     " use(rs);", SAID),
    ("rs.records(tp).parallelStream().forEach(r -> work(r));", SAID),
]  # fmt: skip

PYTHON = [
    ("for f in [ex.submit(work, m) for m in ms]:\n        f.result()", SAID),
    ("fs = []\n    for m in ms:\n        fs.append(ex.submit(work, m))\n"
     "    for f in fs:\n        f.result()", SAID),
    ("list(ex.map(work, ms))", SAID),
    ("for m in ms:\n        ex.submit(work, m).result()", UNSAID),
    ("ex.submit(work_all, ms).result()", UNSAID),
    ("for m in ms:\n        work(m)", UNSAID),
]  # fmt: skip
_PYTHON = """from confluent_kafka import Consumer
from concurrent.futures import ThreadPoolExecutor
c = Consumer({"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"})
ex = ThreadPoolExecutor(8)
while True:
    ms = c.consume(100, 1.0)
    for m in ms:
        if m.error():
            raise KafkaException(m.error())
    BODY
    c.commit(asynchronous=False)
"""


@pytest.mark.parametrize(("body", "expected"), JVM)
def test_what_a_program_of_java_has_beside_each_other_is_said(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = READER % (LOOP % f"{body} c.commitSync();")
    assert_file(tmp_path / "A.java", code, "", f"{TOPIC} application.restart=resumes", 0, expected)


@pytest.mark.parametrize(("body", "expected"), PYTHON)
def test_what_a_program_of_python_has_beside_each_other_is_said(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = _PYTHON.replace("BODY", body)
    assert_file(tmp_path / "a.py", code, "", f"{TOPIC} application.restart=resumes", 0, expected)
