"""Python programs that combine the results of several messages: a list of them, a count, or whether
all succeeded. A full queue has not accepted its message.

`filter` and `takewhile` yield only items for which their function returns something true (The
Python Standard Library, itertools); `put_nowait` raises `Full` (queue).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.python import BATCH, LOOP, READER

_TRIED = (
    "def tried(m):\n    try:\n        save(m)\n        return True\n"
    "    except Exception as e:\n        log.warning(e)\n        return False\n"
)
_ASYNC = _TRIED.replace("def ", "async def ").replace("save", "await save")
_EXIT = "    raise SystemExit(1)\n"
_LOGS = '    log.warning("some failed")\n'


@pytest.mark.parametrize(("body", "expected"), [
    ("n = sum([tried(m) for m in ms])\nlog.info(n)\n", SKIP),
    ("n = sum(tried(m) for m in ms)\n", SKIP),
    ("all(tried(m) for m in ms)\n", SKIP),
    (f"if not all(tried(m) for m in ms):\n{_LOGS}", SKIP),
    (f"if any([not tried(m) for m in ms]):\n{_LOGS}", SKIP),
    ('if any([not tried(m) for m in ms]):\n    metrics.gauge("failed", 1)\n', SKIP),
    ("results = {m.offset(): tried(m) for m in ms}\nlog.info(results)\n", SKIP),
    ("log.info(list(map(tried, ms)).count(False))\n", SKIP),
    ("counts = Counter(tried(m) for m in ms)\nlog.info(counts[False])\n", SKIP),
    (f"bad = list(filterfalse(tried, ms))\nif bad:\n{_LOGS}", SKIP),
    (f"bad = next((m for m in ms if not tried(m)), None)\nif bad:\n{_LOGS}", SKIP),
    (f"ok = [tried(m) for m in ms]\nif False in ok:\n{_LOGS}", SKIP),
    (f"ok = [tried(m) for m in ms]\nif False in ok:\n{_EXIT}", YES),
    ("for m in takewhile(tried, ms):\n    pass\n", SKIP),
    ("list(takewhile(tried, ms))\n", SKIP),
    ("for m in filter(tried, ms):\n    index(m)\n", SKIP),
    ("for m in [m for m in ms if tried(m)]:\n    index(m)\n", SKIP),
    ("good = [m for m in ms if tried(m)]\nif good:\n    index(good)\n", SKIP),
    (f"if not all(tried(m) for m in ms):\n{_EXIT}", YES),
    (f"if not all(map(tried, ms)):\n{_EXIT}", YES),
    (f"if sum([tried(m) for m in ms]) < len(ms):\n{_EXIT}", YES),
    (f"n = sum(1 for m in ms if tried(m))\nif n != len(ms):\n{_EXIT}", YES),
    (f"good = [m for m in ms if tried(m)]\nif len(good) < len(ms):\n{_EXIT}", YES),
    ("for m in [m for m in ms if not tried(m)]:\n    send_dead(m)\n", YES),
    ("for m in filterfalse(tried, ms):\n    send_dead(m)\n", YES),
    (f"counts = Counter(tried(m) for m in ms)\nif counts[False]:\n{_EXIT}", YES),
])  # fmt: skip
def test_one_failure_among_several_messages_must_be_handled(
    tmp_path: Path, body: str, expected: str
) -> None:
    loop = "".join(f"    {line}\n" for line in f"{body}c.commit()".splitlines())
    assert_program(tmp_path / "a.py", f"{READER}{_TRIED}{BATCH}{loop}", expected)


@pytest.mark.parametrize(
    ("body", "expected"), [("log.info(sum(rs))", SKIP), (f"if not all(rs):\n    {_EXIT}", YES)]
)
def test_one_failure_among_several_coroutines_must_be_handled(
    tmp_path: Path, body: str, expected: str
) -> None:
    loop = f"    rs = await asyncio.gather(*[tried(m) for m in ms])\n    {body}\n    c.commit()\n"
    assert_program(tmp_path / "a.py", f"{READER}{_ASYNC}{BATCH}{loop}", expected)


def test_withholding_a_commit_does_not_rewind_the_consumer(tmp_path: Path) -> None:
    loop = "    if all(tried(m) for m in ms):\n        c.commit()\n"
    assert_program(tmp_path / "a.py", f"{READER}{_TRIED}{BATCH}{loop}", SKIP)


@pytest.mark.parametrize(
    ("puts", "handler", "expected"),
    [
        ("q.put_nowait(m)", "except Full:\n        pass", SKIP),
        ("self.q.put_nowait(m)", 'except queue.Full:\n        log.warning("full")', SKIP),
        ("todo.put(m, timeout=1)", 'except queue.Full:\n        log.warning("full")', SKIP),
        ("q.put_nowait(m)", "except Full:\n        raise", YES),
        ("save(m)", "except Full:\n        pass", YES),
    ],
)
def test_a_message_that_a_full_queue_rejects_is_reported(
    tmp_path: Path, puts: str, handler: str, expected: str
) -> None:
    loop = f"    try:\n        {puts}\n    {handler}\n    c.commit(m)\n"
    assert_program(tmp_path / "a.py", f"{READER}{LOOP}{loop}", expected)


def test_retrying_a_full_queue_loses_nothing(tmp_path: Path) -> None:
    loop = (
        "    while True:\n        try:\n            q.put(m, timeout=1)\n            break\n"
        "        except Full:\n            continue\n    c.commit(m)\n"
    )
    assert_program(tmp_path / "a.py", f"{READER}{LOOP}{loop}", YES)
