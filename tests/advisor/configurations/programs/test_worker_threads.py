"""Python programs whose threads and tasks take messages from a queue.

Nobody is told of an error that ends a thread (threading, `excepthook`). `join` of a queue waits
until `task_done` was called for each item (queue, `Queue.join`), whether it succeeded or not.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.advisor.configurations.programs.test_unused_messages import _BATCH, _HEAD
from tests.advisor.programs import SKIP, YES, assert_program

_WORKER = """work, results, errors = queue.Queue(), queue.Queue(), []
def worker():
    while True:
        m = work.get()
        try:
            save(m)
{done}        except Exception as e:
            {failed}
        finally:
            work.task_done()
for _ in range(4):
    threading.Thread(target=worker, daemon=True).start()
"""
_IN_QUEUE = _WORKER.format(
    done="            results.put((m, None))\n", failed="results.put((m, e))"
)
_IN_LIST = _WORKER.format(done="", failed="errors.append(e)")
_PUT = "for m in ms:\n    work.put(m)\nwork.join()\n"
_RESULTS = (
    f"{_PUT}while not results.empty():\n    m, error = results.get()\n    if error:\n        {{}}\n"
)
_THREADS = (
    "threads = [threading.Thread(target=process, args=(m, errors)) for m in ms]\n"
    "for t in threads:\n    t.start()\nfor t in threads:\n    t.join()\n"
)
_PROCESS = """errors = []
def process(m, errors):
    try:
        save(m)
    except Exception as e:
        errors.append(e)
"""


@pytest.mark.parametrize(("functions", "body", "expected"), [
    (_IN_QUEUE, _RESULTS.format('log.error("%s", error)'), SKIP),
    (_IN_QUEUE, _RESULTS.format("raise error"), YES),
    (_IN_QUEUE, _RESULTS.format("letters.store(m)"), YES),
    (_IN_LIST, f'{_PUT}if errors:\n    log.error("%d", len(errors))\n', SKIP),
    (_IN_LIST, f"{_PUT}if errors:\n    raise errors[0]\n", YES),
    (_PROCESS, f'{_THREADS}if errors:\n    log.error("%s", errors)\n', SKIP),
    (_PROCESS, f"{_THREADS}if errors:\n    raise errors[0]\n", YES),
])  # fmt: skip
def test_an_error_in_a_thread_must_be_handled(
    tmp_path: Path, functions: str, body: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", functions + _BATCH % indent(body, "    "), expected)


_TASKS = """async def worker(work, errors):
    while True:
        m = await work.get()
        try:
            await save(m)
        except Exception as e:
            errors.append((m, e))
        finally:
            work.task_done()
async def main():
    work, errors = asyncio.Queue(), []
    tasks = [asyncio.create_task(worker(work, errors)) for _ in range(4)]
    while True:
        for m in c.consume(100, 1):
            await work.put(m)
        await work.join()
        for m, e in errors:
            {}
        errors.clear()
        c.commit(asynchronous=False)
asyncio.run(main())
"""


@pytest.mark.parametrize(("handling", "expected"), [
    ('log.error("%s", e)', SKIP),
    ("await letters.store(m)", YES),
])  # fmt: skip
def test_an_error_in_a_task_must_be_handled(tmp_path: Path, handling: str, expected: str) -> None:
    assert_program(tmp_path / "a.py", _HEAD + _TASKS.format(handling), expected)


def test_an_object_that_is_called_may_swallow_an_error(tmp_path: Path) -> None:
    handler = (
        "class Handler:\n    def __call__(self, m):\n        try:\n            save(m)\n"
        "        except Exception as e:\n            self.last = e\nhandler = Handler()\n"
    )
    code = handler + _BATCH % indent("for m in ms:\n    handler(m)\n", "    ")
    assert_program(tmp_path / "a.py", code, SKIP)


def test_only_the_result_of_a_function_decides(tmp_path: Path) -> None:
    saved = "def ok(m):\n    try:\n        save(m)\n    except Exception:\n        return False\n"
    body = "failed = [m for m in ms if not ok(m)]\nif failed:\n    letters.store_all(failed)\n"
    assert_program(
        tmp_path / "a.py", saved + "    return True\n" + _BATCH % indent(body, "    "), YES
    )


def test_the_last_failed_message_in_a_loop_is_skipped(tmp_path: Path) -> None:
    body = (
        "failed = []\nfor m in ms:\n    try:\n        save(m)\n    except Exception as e:\n"
        "        failed.append(m)\nfor bad in failed:\n    log.error(bad)\n"
    )
    code = _BATCH % indent(body, "    ")
    assert_program(tmp_path / "a.py", code, SKIP)
    assert_program(tmp_path / "a.py", code, "application.commit=after-processing")
