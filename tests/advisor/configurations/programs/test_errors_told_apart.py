"""Handlers that throw again only the errors which another try may end, those of what is full, and
errors that are kept to be written of.

librdkafka's `produce` raises `BufferError` where its queue is full, and has not taken the message
then (confluent-kafka, Producer.produce).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, READER
from tests.advisor.configurations.programs.test_loops import BATCH, WRITER
from tests.advisor.configurations.programs.test_loops import LOOP as LOOP_OF_PYTHON
from tests.advisor.configurations.programs.test_loops import READER as READER_OF_PYTHON
from tests.advisor.programs import SKIP, YES, assert_program

_TRIES = "for (R r : rs) {{ try {{ save(r); }} catch (Exception e) {{ {} }} }}\nc.commitSync();"
_KEEPS = "Map<Long, Exception> errors = new HashMap<>();\n" + _TRIES.format(
    "errors.put(r.offset(), e);"
).replace("\nc.commit", "\n%s\nc.commit")
_FUTURES = (
    "List<Future<?>> all = new ArrayList<>();\n"
    "for (R r : rs) { all.add(pool.submit(() -> save(r))); }\n"
    "for (Future<?> f : all) { try { f.get(5, SECONDS); } catch (TimeoutException e) { %s } }\n"
    "c.commitSync();"
)
_GATHERS = "rs = await asyncio.gather(*[save(m) for m in ms], return_exceptions=True)\n"
_KEPT = (
    "errors = {}\nfor m in ms:\n    try:\n        save(m)\n    except Exception as e:\n"
    "        errors[m.offset()] = e\n"
)
_ASKED = "try:\n    save(m)\nexcept E as e:\n    if %s:\n        raise\n    %s\n"


@pytest.mark.parametrize(("loop", "expected"), [
    (_TRIES.format("if (e.isRetryable()) throw e; log.warn(e);"), SKIP),
    (_TRIES.format("if (e instanceof RetriableException) { throw e; } log.warn(e);"), SKIP),
    (_TRIES.format("if (!isTransient(e)) { log.warn(e); continue; } throw e;"), SKIP),
    (_TRIES.format("if (e.isRetryable()) throw e; letters.send(r).get();"), YES),
    (_TRIES.format("if (!e.isRetryable()) { log.warn(e); } throw e;"), YES),
    (_KEEPS % "errors.forEach((o, e) -> log.error(o, e));", SKIP),
    (_KEEPS % "for (Exception e : errors.values()) { log.error(e); }", SKIP),
    (_KEEPS % "if (!errors.isEmpty()) { throw new E(errors); }", YES),
    (_KEEPS % "errors.forEach((o, e) -> letters.send(o).get());", YES),
    (_FUTURES % "f.cancel(true);", SKIP),
    (_FUTURES % "f.cancel(true); throw e;", YES),
])  # fmt: skip
def test_what_java_does_with_errors_that_it_tells_apart(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)


@pytest.mark.parametrize(("last", "expected"), [("; block()", YES), ("; log.warn(times)", SKIP)])
def test_what_is_tried_so_often_and_once_more(tmp_path: Path, last: str, expected: str) -> None:
    again = (
        "fun again(times: Int, block: () -> Unit) { repeat(times - 1) { try { block(); return }"
        f" catch (e: Exception) {{ log.warn(e) }} }}{last} }}"
    )
    loop = "for (r in rs) again(3) { save(r) }\nc.commitSync()"
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, again), expected)


@pytest.mark.parametrize(("does", "expected"), [
    (_ASKED % ("e.retryable", "log.warning(e)"), SKIP),
    (_ASKED % ("not e.retryable", "again(m)"), YES),
    ("if (error := save(m)) is not None:\n    log.error(error)\n", SKIP),
    ("if (error := save(m)) is not None:\n    raise error\n", YES),
    ("ok, reason = charge(m)\nif not ok:\n    log.error(reason)\n", SKIP),
    ("ok, reason = charge(m)\nif not ok:\n    raise E(reason)\n", YES),
    ("if not lock.acquire(blocking=False):\n    continue\nsave(m)\n", SKIP),
    ("lock.acquire()\nsave(m)\n", YES),
    ("try:\n    p.produce('o', m.value())\nexcept BufferError:\n    p.poll(1)\np.flush()\n", SKIP),
])  # fmt: skip
def test_what_python_does_with_what_failed(tmp_path: Path, does: str, expected: str) -> None:
    loop = "".join(f"    {line}\n" for line in f"{does}c.commit(m)".splitlines())
    code = f"{READER_OF_PYTHON}{WRITER if 'p.' in does else ''}{LOOP_OF_PYTHON}{loop}"
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("does", "expected"), [
    (f"{_GATHERS}for r in rs:\n    if isinstance(r, Exception):\n        log.error(r)\n", SKIP),
    (f"{_GATHERS}for r in rs:\n    if isinstance(r, Exception):\n        raise r\n", YES),
    (f"{_KEPT}if errors:\n    log.error('%d failed', len(errors))\n", SKIP),
    (f"{_KEPT}if errors:\n    raise E(errors)\n", YES),
])  # fmt: skip
def test_what_python_does_with_errors_of_several(tmp_path: Path, does: str, expected: str) -> None:
    loop = "".join(f"    {line}\n" for line in f"{does}c.commit()".splitlines())
    assert_program(tmp_path / "a.py", f"{READER_OF_PYTHON}{BATCH}{loop}", expected)
