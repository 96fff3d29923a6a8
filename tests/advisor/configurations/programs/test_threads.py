"""Threads that process the messages of one poll concurrently while the program waits for them: no
message is lost, but no order is kept unless one thread processes all messages of a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA as TOPIC
from tests.advisor.configurations.asking import assert_file
from tests.advisor.programs.jvm import LOOP, READER

PARALLEL = "application.processing=parallel"
REPORTED, UNREPORTED = (
    (1, f"^NO.*processing.order: any -> by-key.*{PARALLEL}"),
    (0, f"^YES(?!.*{PARALLEL})"),
)
RESUMES = f"{TOPIC} application.restart=resumes"

JVM = [
    ("List<Future<?>> fs = new ArrayList<>(); for (var r : rs) fs.add(ex.submit(() -> work(r)));"
     " for (var f : fs) f.get();", REPORTED),
    ("for (var r : rs) ex.submit(() -> work(r)).get();", UNREPORTED),
    ("ex.submit(() -> workAll(rs)).get();", UNREPORTED),
    ("for (var r : rs) { work(r); }", UNREPORTED),
    ("StreamSupport.stream(rs.spliterator(), true).forEach(r -> work(r));", REPORTED),
    ("StreamSupport.stream(rs.spliterator(), false).forEach(r -> work(r));", UNREPORTED),
    ("List<R> l = new ArrayList<>(); rs.forEach(l::add); l.parallelStream().forEach(r -> work(r));"
     " use(rs);", REPORTED),
    ("rs.records(tp).parallelStream().forEach(r -> work(r));", REPORTED),
]  # fmt: skip

PYTHON = [
    ("for f in [ex.submit(work, m) for m in ms]:\n        f.result()", REPORTED),
    ("fs = []\n    for m in ms:\n        fs.append(ex.submit(work, m))\n"
     "    for f in fs:\n        f.result()", REPORTED),
    ("list(ex.map(work, ms))", REPORTED),
    ("for m in ms:\n        ex.submit(work, m).result()", UNREPORTED),
    ("ex.submit(work_all, ms).result()", UNREPORTED),
    ("for m in ms:\n        work(m)", UNREPORTED),
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
def test_threads_of_a_java_program_keep_no_order(
    tmp_path: Path, body: str, expected: tuple[int, str]
) -> None:
    code = READER % (LOOP % f"{body} c.commitSync();")
    assert_file(tmp_path / "A.java", code, "--ordering", RESUMES, *expected)


@pytest.mark.parametrize(("body", "expected"), PYTHON)
def test_threads_of_a_python_program_keep_no_order(
    tmp_path: Path, body: str, expected: tuple[int, str]
) -> None:
    code = _PYTHON.replace("BODY", body)
    settings = f"{RESUMES} producer.enable.idempotence=true"
    assert_file(tmp_path / "a.py", code, "--ordering", settings, *expected)


def test_threads_of_a_program_lose_nothing_and_may_be_stated_to_keep_the_order(
    tmp_path: Path,
) -> None:
    code = READER % (LOOP % f"{JVM[0][0]} c.commitSync();")
    assert_file(tmp_path / "A.java", code, "", RESUMES, 0, f"^YES.*{PARALLEL}")
    stated = f"{RESUMES} application.processing.order=by-key"
    assert_file(tmp_path / "B.java", code, "--ordering", stated, 0, "^YES")
