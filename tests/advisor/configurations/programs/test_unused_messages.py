"""Python programs that leave messages of a poll unused, or commit while a buffer holds them.

The position of a consumer is after all messages that a poll returned, and a commit without
arguments commits it (confluent-kafka, Consumer.consume and commit). `zip` ends with its shortest
argument (Python, Built-in Functions).
"""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program

_HEAD = (
    "from collections import deque\nfrom concurrent.futures import *\n"
    "from confluent_kafka import Consumer\nimport itertools, time\n"
    'c = Consumer({"bootstrap.servers": "k", "group.id": "g", "auto.offset.reset": "earliest", '
    '"enable.auto.commit": False})\n'
    "c.subscribe(['t'])\n"
)
_BATCH = _HEAD + "while True:\n    ms = c.consume(100, 1.0)\n%s\n    c.commit()\n"
_CHUNKS = "def chunks(items, n):\n"
_IN_CHUNKS = "for chunk in chunks(ms, 10):\n    save_all(chunk)\n"
_BUFFERED = "    part = []\n    for item in items:\n        part.append(item)\n"
_FULL = "        if len(part) == n:\n            yield part\n            part = []\n"


@pytest.mark.parametrize(("body", "expected"), [
    ("for w, m in zip(workers, ms):\n    w.save(m)\n", SKIP),
    ("for w, m in zip(itertools.cycle(workers), ms):\n    w.save(m)\n", YES),
    ("for i in range(len(ms) // 10):\n    save_all(ms[i * 10 : (i + 1) * 10])\n", SKIP),
    ("for i in range(0, len(ms), 10):\n    save_all(ms[i : i + 10])\n", YES),
    ("for i in range(len(ms) - 1):\n    save(ms[i])\n", SKIP),
    ("for i in range(len(ms)):\n    save(ms[i])\n", YES),
    ("i = 0\nwhile i < len(ms) - 1:\n    save(ms[i])\n    i += 1\n", SKIP),
    ("for part in zip(*[iter(ms)] * 10):\n    save_all(part)\n", SKIP),
    ("for part in itertools.zip_longest(*[iter(ms)] * 10):\n    save_all(part)\n", YES),
    ("it = iter(ms)\nwhile part := list(itertools.islice(it, 10)):\n    save_all(part)\n", YES),
    ("for a, b in zip(ms, ms[1:]):\n    save(a)\n", SKIP),
    ("first, *rest = ms\nsave(first)\n", SKIP),
    ("first, *rest = ms\nsave(first)\nfor m in rest:\n    save(m)\n", YES),
    ("rows = [m.value() for m in ms if m.value()]\nsave_all(rows[:50])\n", SKIP),
    ("save(max(ms, key=lambda m: m.timestamp()))\n", SKIP),
    ("for m in itertools.takewhile(is_good, ms):\n    save(m)\n", SKIP),
    ("for m in ms:\n    if random.random() < 0.1:\n        save(m)\n", SKIP),
    ("for m in ms:\n    if random.random() < 0.1:\n        log.info(m)\n    save(m)\n", YES),
    ("save_all(ms[:100])\n", YES),
    ("while len(ms) >= 9:\n    save_all(ms[:9])\n    ms = ms[9:]\n", SKIP),
    ("while ms:\n    save_all(ms[:9])\n    ms = ms[9:]\n", YES),
    ("match ms:\n    case [first, *_]: save(first)\nsave_all(ms)\n", YES),
])  # fmt: skip
def test_messages_that_a_loop_leaves_out_are_skipped(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _BATCH % indent(body, "    "), expected)


@pytest.mark.parametrize(("function", "expected"), [
    (f"{_CHUNKS}    for i in range(len(items) // n):\n        yield items[i * n : (i + 1) * n]\n",
     SKIP),
    (f"{_CHUNKS}    for i in range(0, len(items), n):\n        yield items[i : i + n]\n", YES),
    (f"{_CHUNKS}{_BUFFERED}{_FULL}", SKIP),
    (f"{_CHUNKS}{_BUFFERED}{_FULL}    if part:\n        yield part\n", YES),
    (f"{_CHUNKS}    return [items[i : i + n] for i in range(0, len(items) - n, n)]\n", SKIP),
    (f"{_CHUNKS}    yield items[:n]\n    yield from chunks(items[n:], n)\n", YES),
    ("def chunks(items, n):\n    while True:\n        yield items\n        return\n", YES),
])  # fmt: skip
def test_a_function_that_makes_chunks_may_drop_the_last_ones(
    tmp_path: Path, function: str, expected: str
) -> None:
    code = function + _BATCH % indent(_IN_CHUNKS, "    ")
    assert_program(tmp_path / "a.py", code, expected)


_POLL = "while True:\n    m = c.poll(1.0)\n    if m is None: continue\n    buf.append(m)\n"
_TIMED = "    if time.time() - last > 5:\n        {}\n        c.commit()\n"
_FLUSH = "def flush():\n    save_all(buf)\n    buf.clear()\n    return True\n"
_SUBMITTED = (
    "pool = ThreadPoolExecutor(4)\nfs = []\nwhile True:\n    m = c.poll(1.0)\n"
    "    if m is None: continue\n    fs.append(pool.submit(save, m))\n    if len(fs) >= 100:\n"
)
_RESULTS = "        for f in [f for f in %s]: f.result()\n"
_LEFT = "        fs = [f for f in fs if not f.done()]\n"
_DONE = "        c.commit()\n"
_CLASS = (
    "class Sink:\n    limit = 50\n    def __init__(self):\n        self.rows = []\n"
    "    def run(self):\n        while True:\n            m = c.poll(1.0)\n"
    "            if m is None: continue\n            self.rows.append(m)\n"
    "            if len(self.rows) >= self.limit:\n                self.flush()\n"
    "    def flush(self):\n        save_all({})\n        self.rows.clear()\n        c.commit()\n"
)
_GENERATOR = (
    "def polls():\n    while True:\n        ms = c.consume(100, 1.0)\n        yield ms\n"
    "        c.commit()\nfor ms in polls():\n    save_all({})\n"
)


@pytest.mark.parametrize(("code", "expected"), [
    (f"buf = []\nlast = 0\n{_POLL}{_TIMED.format('save_all(buf); buf = []')}", YES),
    (f"buf = []\nlast = 0\n{_POLL}{_TIMED.format('save_all(buf[:500]); buf = buf[500:]')}", BEFORE),
    (f"buf = []\nlast = 0\n{_POLL}{_TIMED.format('save_all(buf[:500]); buf = []')}", SKIP),
    (f"buf = []\n{_FLUSH}{_POLL}    if len(buf) >= 9 and flush(): c.commit()\n", YES),
    (f"buf = []\n{_FLUSH}{_POLL}    full = len(buf) >= 9\n    if full and flush(): c.commit()\n",
     YES),
    (f"buf = []\n{_POLL}    if len(buf) >= 9: c.commit()\n    if len(buf) > 9: save_all(buf)\n",
     BEFORE),
    (f"buf = deque()\n{_POLL}    while buf: save(buf.popleft())\n    c.commit()\n", YES),
    (f"{_SUBMITTED}{_RESULTS % 'fs'}        fs = []\n{_DONE}", YES),
    (f"{_SUBMITTED}{_RESULTS % 'fs[:50]'}        fs = fs[50:]\n{_DONE}", BEFORE),
    (f"{_SUBMITTED}{_RESULTS % 'fs if f.done()'}{_LEFT}{_DONE}", BEFORE),
    (_CLASS.format("self.rows"), YES),
    (_CLASS.format("self.rows[:40]"), SKIP),
    (_GENERATOR.format("ms"), YES),
    (_GENERATOR.format("ms[:40]"), SKIP),
])  # fmt: skip
def test_a_commit_must_not_come_while_a_buffer_holds_messages(
    tmp_path: Path, code: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _HEAD + code, expected)


def test_a_loop_that_waits_until_no_task_is_left_is_a_wait(tmp_path: Path) -> None:
    body = (
        "fs = {pool.submit(save, m) for m in ms}\nwhile fs:\n"
        "    done, fs = wait(fs, timeout=5)\n    for f in done: f.result()\n"
    )
    code = f"pool = ThreadPoolExecutor(4)\n{_BATCH % indent(body, '    ')}"
    assert_program(tmp_path / "a.py", code, YES)


@pytest.mark.parametrize(("end", "expected"), [
    ("if failures:\n    log.warning(failures)\n", SKIP),
    ("if failures:\n    raise RuntimeError(failures)\n", YES),
])  # fmt: skip
def test_a_count_of_failures_must_have_an_effect(tmp_path: Path, end: str, expected: str) -> None:
    body = f"failures = 0\nfor m in ms:\n    if not handle(m):\n        failures += 1\n{end}"
    assert_program(tmp_path / "a.py", _BATCH % indent(body, "    "), expected)


@pytest.mark.parametrize(("end", "expected"), [("log.error(1)", SKIP), ("raise Failed()", YES)])
def test_a_message_in_further_arguments_is_followed(
    tmp_path: Path, end: str, expected: str
) -> None:
    function = (
        "def retried(f, *args, attempts=5):\n    for n in range(attempts):\n        try:\n"
        "            return f(*args)\n        except Exception:\n            time.sleep(n)\n"
        f"    {end}\n"
    )
    body = "for m in ms:\n    retried(save, m)\n"
    assert_program(tmp_path / "a.py", function + _BATCH % indent(body, "    "), expected)
