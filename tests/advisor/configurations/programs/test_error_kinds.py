"""Handlers that rethrow only retriable errors, handlers of a full queue, and errors that are
collected and only logged.

librdkafka's `produce` raises `BufferError` if its queue is full. It has not accepted the message
then (confluent-kafka, Producer.produce).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER
from tests.advisor.programs.python import BATCH, WRITER
from tests.advisor.programs.python import LOOP as PYTHON_LOOP
from tests.advisor.programs.python import READER as PYTHON_READER

_CATCH = "for (R r : rs) {{ try {{ save(r); }} catch (Exception e) {{ {} }} }}\nc.commitSync();"
_COLLECTS = "Map<Long, Exception> errors = new HashMap<>();\n" + _CATCH.format(
    "errors.put(r.offset(), e);"
).replace("\nc.commit", "\n%s\nc.commit")
_FUTURES = (
    "List<Future<?>> all = new ArrayList<>();\n"
    "for (R r : rs) { all.add(pool.submit(() -> save(r))); }\n"
    "for (Future<?> f : all) { try { f.get(5, SECONDS); } catch (TimeoutException e) { %s } }\n"
    "c.commitSync();"
)
_GATHERS = "rs = await asyncio.gather(*[save(m) for m in ms], return_exceptions=True)\n"
_ERRORS = (
    "errors = {}\nfor m in ms:\n    try:\n        save(m)\n    except Exception as e:\n"
    "        errors[m.offset()] = e\n"
)
_CHECK = "try:\n    save(m)\nexcept E as e:\n    if %s:\n        raise\n    %s\n"


@pytest.mark.parametrize(("loop", "expected"), [
    (_CATCH.format("if (e.isRetryable()) throw e; log.warn(e);"), SKIP),
    (_CATCH.format("if (e instanceof RetriableException) { throw e; } log.warn(e);"), SKIP),
    (_CATCH.format("if (!isTransient(e)) { log.warn(e); continue; } throw e;"), SKIP),
    (_CATCH.format("if (e.isRetryable()) throw e; letters.send(r).get();"), YES),
    (_CATCH.format("if (!e.isRetryable()) { log.warn(e); } throw e;"), YES),
    (_COLLECTS % "errors.forEach((o, e) -> log.error(o, e));", SKIP),
    (_COLLECTS % "for (Exception e : errors.values()) { log.error(e); }", SKIP),
    (_COLLECTS % "if (!errors.isEmpty()) { throw new E(errors); }", YES),
    (_COLLECTS % "errors.forEach((o, e) -> letters.send(o).get());", YES),
    (_FUTURES % "f.cancel(true);", SKIP),
    (_FUTURES % "f.cancel(true); throw e;", YES),
])  # fmt: skip
def test_java_errors_that_are_only_logged_are_reported(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)


@pytest.mark.parametrize(
    ("last_attempt", "expected"), [("; block()", YES), ("; log.warn(times)", SKIP)]
)
def test_a_retry_function_that_only_logs_after_its_last_attempt_is_reported(
    tmp_path: Path, last_attempt: str, expected: str
) -> None:
    retry_function = (
        "fun again(times: Int, block: () -> Unit) { repeat(times - 1) { try { block(); return }"
        f" catch (e: Exception) {{ log.warn(e) }} }}{last_attempt} }}"
    )
    loop = "for (r in rs) again(3) { save(r) }\nc.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, retry_function), expected)


@pytest.mark.parametrize(("body", "expected"), [
    (_CHECK % ("e.retryable", "log.warning(e)"), SKIP),
    (_CHECK % ("not e.retryable", "again(m)"), YES),
    ("if (error := save(m)) is not None:\n    log.error(error)\n", SKIP),
    ("if (error := save(m)) is not None:\n    raise error\n", YES),
    ("ok, reason = charge(m)\nif not ok:\n    log.error(reason)\n", SKIP),
    ("ok, reason = charge(m)\nif not ok:\n    raise E(reason)\n", YES),
    ("if not lock.acquire(blocking=False):\n    continue\nsave(m)\n", SKIP),
    ("lock.acquire()\nsave(m)\n", YES),
    ("try:\n    p.produce('o', m.value())\nexcept BufferError:\n    p.poll(1)\np.flush()\n", SKIP),
])  # fmt: skip
def test_a_python_failure_that_is_only_logged_is_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    loop = "".join(f"    {line}\n" for line in f"{body}c.commit(m)".splitlines())
    code = f"{PYTHON_READER}{WRITER if 'p.' in body else ''}{PYTHON_LOOP}{loop}"
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_GATHERS}for r in rs:\n    if isinstance(r, Exception):\n        log.error(r)\n", SKIP),
    (f"{_GATHERS}for r in rs:\n    if isinstance(r, Exception):\n        raise r\n", YES),
    (f"{_ERRORS}if errors:\n    log.error('%d failed', len(errors))\n", SKIP),
    (f"{_ERRORS}if errors:\n    raise E(errors)\n", YES),
])  # fmt: skip
def test_collected_python_errors_that_are_only_logged_are_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    loop = "".join(f"    {line}\n" for line in f"{body}c.commit()".splitlines())
    assert_program(tmp_path / "a.py", f"{PYTHON_READER}{BATCH}{loop}", expected)
