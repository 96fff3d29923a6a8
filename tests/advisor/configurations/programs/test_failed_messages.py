"""Python programs that go on without messages that they could not process.

A poll moves the position past all messages that it returns, and the next commit covers them
(confluent-kafka, Consumer.poll and commit). `wait` raises no error of a task, and errors of
callbacks are only logged (Python, concurrent.futures).
"""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.configurations.programs.test_unused_messages import _BATCH, _HEAD
from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program

_POOL = "pool = ThreadPoolExecutor(4)\n"
_DONE = "def done(f):\n    if f.exception():\n        {}\n"
_CALLBACKS = (
    "fs = []\nfor m in ms:\n    f = pool.submit(save, m)\n    f.add_done_callback({})\n"
    "    fs.append(f)\n{}"
)
_LOGS = 'log.error("x")'
_FAILED = (
    "failed = []\nfor m in ms:\n    try:\n        save(m)\n    except Exception:\n"
    "        failed.append(m)\n"
)
_PROCESS = (
    "def process(m):\n    try:\n        db.save(m.value())\n        return True\n"
    "    except Exception:\n        log.exception(1)\n        return False\n"
)
_PAIRS = "pairs = [(m, process(m)) for m in ms]\n"
_BAD = "bad = [m for m, ok in pairs if not ok]\n"


@pytest.mark.parametrize(("functions", "body", "expected"), [
    (_POOL + _DONE.format(_LOGS), _CALLBACKS.format("done", "wait(fs)\n"), SKIP),
    (_POOL + _DONE.format("os._exit(1)"), _CALLBACKS.format("done", "wait(fs)\n"), YES),
    (_POOL + _DONE.format(_LOGS),
     _CALLBACKS.format("done", "for f in fs:\n    f.result()\n"), YES),
    (_POOL, _CALLBACKS.format("lambda f: log.error(f) if f.exception() else None", "wait(fs)\n"),
     SKIP),
    (_POOL + _PROCESS, "results = list(pool.map(process, ms))\nlog.info(sum(results))\n", SKIP),
    (_POOL + _PROCESS,
     "results = list(pool.map(process, ms))\nif sum(results) < len(ms):\n    raise E()\n", YES),
])  # fmt: skip
def test_errors_of_tasks_must_be_taken(
    tmp_path: Path, functions: str, body: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", functions + _BATCH % indent(body, "    "), expected)


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_FAILED}for m in failed:\n    save(m)\n", YES),
    (f"{_FAILED}for m in failed[:10]:\n    save(m)\n", SKIP),
    (f"{_FAILED}retry_all(failed)\n", YES),
    (f"{_FAILED}if failed:\n    dlq.send(failed[0])\n", SKIP),
    (f"{_FAILED}if len(failed) > 1:\n    raise E()\n", SKIP),
    (f"{_FAILED}if failed:\n    raise E()\n", YES),
    (f"{_FAILED}if failed:\n    sys.exit(1)\n", YES),
    (f"{_PAIRS}{_BAD}good = [m for m, ok in pairs if ok]\nfor m in good:\n    metrics.inc()\n",
     SKIP),
    (f"{_PAIRS}{_BAD}for m in bad:\n    dlq.save(m)\n", YES),
    ("results = [process(m) for m in ms]\nlog.info(sum(results))\n", SKIP),
    ("saved = sum(process(m) for m in ms)\nlog.info(saved)\n", SKIP),
    ("saved = sum(process(m) for m in ms)\nassert_all(saved, len(ms))\n", YES),
])  # fmt: skip
def test_failed_messages_must_be_handled(tmp_path: Path, body: str, expected: str) -> None:
    assert_program(tmp_path / "a.py", _PROCESS + _BATCH % indent(body, "    "), expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("latest = {m.key(): m for m in ms}\nsave_all(latest.values())\n", SKIP),
    ("latest = {}\nfor m in ms:\n    latest[m.key().decode()] = m\nsave_all(latest.values())\n",
     SKIP),
    ("latest = {m.offset(): m for m in ms}\nsave_all(latest.values())\n", SKIP),
    ("all = {(m.partition(), m.offset()): m for m in ms}\nsave_all(all.values())\n", YES),
    ("all = {}\nfor m in ms:\n    all.setdefault(m.key(), []).append(m)\n"
     "for k, group in all.items():\n    save_all(group)\n", YES),
    ("all = defaultdict(list)\nfor m in ms:\n    all[m.key()].append(m)\n"
     "for group in all.values():\n    save(group[-1])\n", SKIP),
    ("all = defaultdict(list)\nfor m in ms:\n    all[m.key()].append(m)\n"
     "for group in all.values():\n    save_all(group)\n", YES),
    ("ends = {}\nfor m in ms:\n    save(m)\n"
     "    ends[m.partition()] = TopicPartition(m.topic(), m.partition(), m.offset() + 1)\n", YES),
])  # fmt: skip
def test_messages_with_one_key_overwrite_each_other_in_a_dict(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _BATCH % indent(body, "    "), expected)


_SINK = (
    "class Sink:\n    def __init__(self, size=9):\n        self.rows, self.size = [], size\n"
    "    def add(self, m):\n        self.rows.append(m)\n        if len(self.rows) >= self.size:\n"
    "            db.save({})\n            self.rows = []\n            return True\n"
    "        return False\nsink = Sink()\n"
)
_POLL = "while True:\n    m = c.poll(1.0)\n    if m is None: continue\n"


@pytest.mark.parametrize(("rows", "expected"), [("self.rows", YES), ("self.rows[1:]", SKIP)])
def test_messages_in_a_list_of_an_object_are_known(
    tmp_path: Path, rows: str, expected: str
) -> None:
    code = f"{_HEAD}{_SINK.format(rows)}{_POLL}    if sink.add(m): c.commit()\n"
    assert_program(tmp_path / "a.py", code, expected)


_WORKERS = (
    "import asyncio\nasync def work(q):\n    while True:\n        m = await q.get()\n"
    "        await save(m)\n        q.task_done()\nasync def main():\n    q = asyncio.Queue()\n"
    "    tasks = [asyncio.create_task(work(q)) for _ in range(4)]\n    while True:\n"
    "        for m in c.consume(100, 1.0):\n            await q.put(m)\n"
    "        done, _ = await asyncio.wait([q.join(), *tasks], return_when=FIRST_COMPLETED)\n"
    "{}        c.commit()\nasyncio.run(main())\n"
)


@pytest.mark.parametrize(("check", "expected"), [
    ("        for task in done:\n            task.result()\n", YES), ("", ASIDE),
])  # fmt: skip
def test_a_wait_for_a_queue_ends_with_it_or_with_an_error(
    tmp_path: Path, check: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _HEAD + _WORKERS.format(check), expected)


_RESULT = (
    "@dataclass\nclass Result:\n    ok: bool\n    error: str = ''\ndef handle(m):\n    try:\n"
    "        save(m)\n        return Result(True)\n    except Exception as e:\n"
    "        return Result(False, str(e))\n"
)


@pytest.mark.parametrize(("reaction", "expected"), [
    ("raise E(r.error)", YES), ("log.error(r.error)", SKIP),
])  # fmt: skip
def test_an_object_that_says_whether_a_call_failed_must_be_asked(
    tmp_path: Path, reaction: str, expected: str
) -> None:
    loop = f"{_POLL}    r = handle(m)\n    if not r.ok:\n        {reaction}\n    c.commit(m)\n"
    assert_program(tmp_path / "a.py", _HEAD + _RESULT + loop, expected)


@pytest.mark.parametrize(("use", "code"), [("", 0), ("start(OTHER)\n", 2)])
def test_settings_that_nothing_uses_are_not_those_of_another_consumer(
    tmp_path: Path, use: str, code: int
) -> None:
    other = 'OTHER = {"group.id": "o", "auto.offset.reset": "latest"}\n'
    loop = f"{other}{use}{_POLL}    save(m)\n    c.commit(m)\n"
    settings = f"{TOPIC} application.restart=resumes"
    expected = "cannot be read" if code else f"{YES}.*that nothing uses: not read"
    assert_file(tmp_path / "a.py", _HEAD + loop, "", settings, code, expected)


_FLUSH = (
    "class Sink:\n    def __init__(self):\n        self.rows = []\n    def flush(self):\n"
    "        try:\n            db.save(self.rows)\n{}            return True\n"
    "        except Exception:\n            log.exception(1)\n{}            return False\n"
    "sink = Sink()\nwhile True:\n    m = c.poll(1.0)\n    if m is None: continue\n"
    "    sink.rows.append(m.value())\n    if len(sink.rows) >= 9{}: c.commit()\n"
)
_CLEARS = "            self.rows = []\n"


@pytest.mark.parametrize(("in_attempt", "in_handler", "condition", "expected"), [
    (_CLEARS, "", " and sink.flush()", YES),
    (_CLEARS, _CLEARS, " and sink.flush()", SKIP),
    (_CLEARS, "", ": sink.flush()\n    if True", BEFORE),
])  # fmt: skip
def test_a_function_may_keep_its_messages_for_another_attempt(
    tmp_path: Path, in_attempt: str, in_handler: str, condition: str, expected: str
) -> None:
    code = _HEAD + _FLUSH.format(in_attempt, in_handler, condition)
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_FAILED}c.commit()\nfor m in failed:\n    save(m)\n", BEFORE),
    ("for m in ms:\n    try:\n        save(m)\n    except E as e:\n        last = e\n", SKIP),
])  # fmt: skip
def test_a_message_is_not_safe_in_a_list_or_an_error(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _BATCH % indent(body, "    "), expected)


_SAVED = "pairs = [(m, save(m)) for m in ms]\nfailed = [m for m, ok in pairs if not ok]\n"
_UNSAVED = "failed = [m for m in ms if not save(m)]\n"
_COLLECTED = (
    "failed = []\nfor m in ms:\n    ok = save(m)\n    if not ok:\n        failed.append(m)\n"
)


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_UNSAVED}for m in failed[:10]:\n    {_LOGS}\n", SKIP),
    (f"{_UNSAVED}for m in failed[:10]:\n    letters.store(m)\n", SKIP),
    (f"{_UNSAVED}for m in failed:\n    letters.store(m)\n", YES),
    (f"{_UNSAVED}while failed:\n    failed = [m for m in failed if not save(m)]\n", YES),
    (f"{_UNSAVED}if failed:\n    sys.exit(1)\n", YES),
    (f"{_COLLECTED}log.error(len(failed))\n", SKIP),
    (f"{_SAVED}log.error(len(failed))\n", SKIP),
    (_COLLECTED.replace("not ok", "ok.failed") + "log.error(len(failed))\n", SKIP),
    (_COLLECTED.replace("not ok", "ok.failed") + "letters.store_all(failed)\n", YES),
    (_COLLECTED.replace("not ok", "not ok.success") + "log.error(len(failed))\n", SKIP),
    (f"{_SAVED}letters.store_all(failed)\n", YES),
    (f"{_COLLECTED}letters.store_all(failed)\n", YES),
    ("failed = [m for m in ms if not is_valid(m)]\nsave_all([m for m in ms if m not in failed])\n",
     YES),
    ("failed = []\nfor m in ms:\n    key = upload(m)\n    failed.append(key)\n", YES),
])  # fmt: skip
def test_a_call_may_return_that_it_failed(tmp_path: Path, body: str, expected: str) -> None:
    assert_program(tmp_path / "a.py", _BATCH % indent(body, "    "), expected)


@pytest.mark.parametrize(("handler", "expected"), [
    ("m.set_headers([('error', str(e))])\n", SKIP),
    ("m.set_headers([('error', str(e))])\nletters.store(m)\n", YES),
])  # fmt: skip
def test_a_changed_header_does_not_handle_a_failure(
    tmp_path: Path, handler: str, expected: str
) -> None:
    body = "for m in ms:\n    try:\n        save(m)\n    except Exception as e:\n"
    body += "".join(f"        {line}\n" for line in handler.splitlines())
    assert_program(tmp_path / "a.py", _BATCH % indent(body, "    "), expected)
