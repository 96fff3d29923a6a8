"""Python programs that commit before all work is done: tasks that a wait leaves pending, messages
in a buffer, and requests that are refused.

Sources: concurrent.futures and asyncio (`wait` returns two sets); requests (Response.status_code);
confluent-kafka (Consumer.commit).
"""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program

_HEAD = (
    "from confluent_kafka import Consumer\nfrom concurrent.futures import *\n"
    "import asyncio, logging, requests, time\nlog = logging.getLogger(__name__)\n"
    "pool = ThreadPoolExecutor(4)\n"
    'CONF = {"bootstrap.servers": "k", "group.id": "g", "auto.offset.reset": "earliest", '
    '"enable.auto.commit": False}\n'
)
_CONSUMER = "c = Consumer(CONF)\nc.subscribe(['t'])\n"
_BATCH = f"{_CONSUMER}while True:\n    ms = c.consume(100, 1.0)\n"
_ONE_MESSAGE = (
    f"{_CONSUMER}while True:\n    m = c.poll(1.0)\n    if m is None or m.error(): continue\n"
)
_TASKS = "fs = [pool.submit(save, m) for m in ms]\n{}\nfor f in done: f.result()\nc.commit()"
_STATUS = "r = requests.post(URL, json=m.value())\n{}\nc.commit(m)"
_BUFFER = f"{_CONSUMER}buf = []\n"
_FULL = (
    "    buf.append(m)\n    if len(buf) >= 100:\n        save_all(buf)\n        c.commit()\n"
    "        buf = []\n"
)
_POLL = "while True:\n    m = c.poll(1.0)\n"
_NONE = "    if m is None: continue\n"
_TRY = "    buf.append(m)\n    if len(buf) >= 100:\n        try:\n            save_all(buf)\n"
_LOGS = "        except Exception as e:\n            log.error(e)\n"
_REVOKED = "def revoked(consumer, ps):\n    {}\nc.subscribe(['t'], on_revoke=revoked)\n"
_FLUSH = "def flush():\n    save_all(buf)\n    c.commit()\n    buf.clear()\n"


@pytest.mark.parametrize(("wait", "expected"), [
    ("done, pending = wait(fs, timeout=10)", ASIDE),
    ("done, pending = wait(fs, 10)", ASIDE),
    ("done, _ = wait(fs, return_when=FIRST_COMPLETED)", ASIDE),
    ("done, late = wait(fs, timeout=10)\nfor f in late: f.cancel()", ASIDE),
    ("done, late = wait(fs, timeout=10)\nif late: log.warning(late)", ASIDE),
    ("done, late = wait(fs, timeout=10)\nif late: raise TimeoutError()", YES),
    ("done, _ = wait(fs)", YES),
    ("done, _ = wait(fs, timeout=None)", YES),
    ("done, _ = wait(fs, return_when=FIRST_EXCEPTION)", YES),
])  # fmt: skip
def test_tasks_that_a_wait_leaves_pending_are_reported(
    tmp_path: Path, wait: str, expected: str
) -> None:
    code = _HEAD + _BATCH + indent(_TASKS.format(wait), "    ")
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("check", "expected"), [
    ("if r.status_code >= 500: raise X()", SKIP),
    ("if r.status_code > 499: raise X()\nif r.status_code >= 400: log.error(r)", SKIP),
    ("if 400 <= r.status_code < 500: log.error(r)\nelif r.status_code >= 500: raise X()", SKIP),
    ("if r.status_code >= 500: raise X()\nelif r.status_code >= 400: dlq(m)", YES),
    ("if 400 <= r.status_code < 500: dlq(m)\nelif r.status_code >= 500: raise X()", YES),
    ("if r.status_code >= 400: raise X()", YES),
    ("if r.status_code > 299: raise X()", YES),
    ("if not 200 <= r.status_code < 300: raise X()", YES),
])  # fmt: skip
def test_an_error_status_that_nothing_checks_is_a_skip(
    tmp_path: Path, check: str, expected: str
) -> None:
    code = _HEAD + _ONE_MESSAGE + indent(_STATUS.format(check), "    ")
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("loop", "expected"), [
    ("for m, r in zip(ms, save_all(ms)):\n    if not r.ok: log.error(m)", SKIP),
    ("rs = save_all(ms)\nfor m, r in zip(ms, rs):\n    if not r.ok: log.error(m)", SKIP),
    ("for r in save_all(ms):\n    if r.error: log.error(r.error)", SKIP),
    ("for m, r in zip(ms, save_all(ms)):\n    if not r.ok: dlq(m)", YES),
    ("for r in save_all(ms):\n    if r.error: raise r.error", YES),
])  # fmt: skip
def test_failed_results_of_a_batch_that_are_only_logged_are_skips(
    tmp_path: Path, loop: str, expected: str
) -> None:
    code = _HEAD + _BATCH + indent(f"{loop}\nc.commit()", "    ")
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("code", "expected"), [
    (f"{_BUFFER}{_POLL}    if m is None:\n        c.commit()\n        continue\n{_FULL}", BEFORE),
    (f"{_BUFFER}{_POLL}    if m is None:\n        if not buf: c.commit()\n        continue\n"
     f"{_FULL}", YES),
    (f"{_BUFFER}{_REVOKED.format('consumer.commit()')}{_POLL}{_NONE}{_FULL}", BEFORE),
    (f"{_BUFFER}{_FLUSH}{_REVOKED.format('flush()')}{_POLL}{_NONE}    buf.append(m)\n"
     "    if len(buf) >= 100: flush()\n", YES),
    (f"{_BUFFER}{_POLL}{_NONE}{_TRY}            c.commit()\n            buf = []\n{_LOGS}", YES),
    (f"{_BUFFER}{_POLL}{_NONE}{_TRY}            buf = []\n{_LOGS}        c.commit()\n", SKIP),
    (f"{_BUFFER}{_POLL}{_NONE}{_TRY}            c.commit()\n{_LOGS}        buf.clear()\n", SKIP),
    (f"{_CONSUMER}while True:\n    buf = []\n    for _ in range(9):\n"
     "        buf.append(c.poll(1))\n"
     "    try:\n        save_all(buf)\n        c.commit()\n        buf.clear()\n"
     "    except Exception as e:\n        log.error(e)\n", SKIP),
    ("while True:\n    try:\n        c = Consumer(CONF)\n        c.subscribe(['t'])\n"
     "        while True:\n            m = c.poll(1.0)\n            if m is None: continue\n"
     "            save(m)\n            c.commit(m)\n"
     "    except Exception as e: log.error(e)\n", YES),
])  # fmt: skip
def test_buffered_messages_must_be_saved_before_the_commit(
    tmp_path: Path, code: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _HEAD + code, expected)
