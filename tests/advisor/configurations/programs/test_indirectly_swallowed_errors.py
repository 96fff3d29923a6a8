"""Python programs whose errors other code swallows: a context manager, a decorator, a result, or a
client that does not wait.

Sources: The Python Language Reference, 3.3.9 (`__exit__`); contextlib (ExitStack); pymongo
(WriteConcern, `w=0`); threading (Timer); csv (writer).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import ASIDE, SKIP, YES, assert_program

_BEFORE = "application.commit(=|: )before-processing"
_HEAD = (
    "from confluent_kafka import Consumer\nimport contextlib, csv, logging, pymongo, threading\n"
    "log = logging.getLogger(__name__)\n"
    'c = Consumer({"bootstrap.servers": "k", "group.id": "g", "auto.offset.reset": "earliest", '
    '"enable.auto.commit": False})\nc.subscribe(["t"])\n'
)
_POLL = "while True:\n    m = c.poll(1.0)\n    if m is None or m.error(): continue\n"
_CONSUME = "while True:\n    ms = c.consume(100, 1.0)\n"
_GUARD = (
    "class Guard:\n    def __enter__(self): return self\n    def __exit__(self, kind, e, trace):\n"
)
_GUARDED = "with Guard():\n    save(m)"
_SAFE = (
    "class Safe:\n    def __init__(self, function): self.function = function\n"
    "    def __call__(self, *args):\n        try:\n            return self.function(*args)\n"
    "        except Exception as e:\n            {}\n@Safe\ndef handle(m):\n    save(m)\n"
)
_STACK = "with contextlib.ExitStack() as stack:\n    stack.enter_context({})\n    save(m)"
_MONGO = "coll = pymongo.MongoClient({}).db.coll\n"


def _program(head: str, definitions: str, body: str) -> str:
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{_HEAD}{definitions}{head}{indented}"


@pytest.mark.parametrize(("definitions", "body", "expected"), [
    (f"{_GUARD}        if e: log.error(e)\n        return True\n", _GUARDED, SKIP),
    (f"{_GUARD}        if e:\n            log.error(e)\n            return True\n", _GUARDED, SKIP),
    (f"{_GUARD}        return kind is not None\n", _GUARDED, SKIP),
    (f"{_GUARD}        return isinstance(e, ValueError)\n", _GUARDED, SKIP),
    (f"{_GUARD}        if isinstance(e, ValueError): return True\n", _GUARDED, SKIP),
    (f"{_GUARD}        return isinstance(e, DuplicateKeyError)\n", _GUARDED, YES),
    (f"{_GUARD}        if e: log.error(e)\n        return False\n", _GUARDED, YES),
    ("", _STACK.format("contextlib.suppress(Exception)"), SKIP),
    ("", _STACK.format("tracer.start_as_current_span('x')"), YES),
    (_SAFE.format("log.error(e)"), "handle(m)", SKIP),
    (_SAFE.format("raise"), "handle(m)", YES),
    ("", "save(m).unwrap_or(None)", SKIP),
    ("", "save(m).map_err(log.error)", SKIP),
    ("", "save(m).map_err(lambda e: log.error(e))", SKIP),
    ("", "save(m).unwrap()", YES),
    ("", "save(m).or_else(park)", YES),
    ("", "save(m) or log.error('bad')", SKIP),
    ("", "save(m) or park(m)", YES),
    ("", "c.commit(m) if save(m) else log.error('bad')", SKIP),
    ("", "rc = save(m)\nif rc != 0: log.error(rc)", SKIP),
    ("", "rc = save(m)\nif rc != 0: raise X(rc)", YES),
    ("", "if breaker.is_open(): continue\nsave(m)", SKIP),
    ("", "if breaker.is_open(): raise X()\nsave(m)", YES),
    ("", "if not breaker.allow(): continue\nsave(m)", SKIP),
    ("", "if limiter.hit(rate, 'k'): save(m)", SKIP),
    ("", "if db.is_healthy(): save(m)\nelse: log.error('down')", SKIP),
    ("", "if not db.is_healthy(): raise X()\nsave(m)", YES),
    ("", "got = lock.acquire(timeout=1)\nif not got: continue\nsave(m)", SKIP),
    ("", "got = lock.acquire(timeout=1)\nif not got: raise X()\nsave(m)", YES),
    ("", "if device.is_healthy(): save(m)", YES),
    ("", "threading.Timer(0, save, args=(m,)).start()", ASIDE),
    (_MONGO.format("w=0"), "coll.insert_one(row(m))", ASIDE),
    (_MONGO.format("w=1"), "coll.insert_one(row(m))", YES),
    ("f = open('x', 'a')\nw = csv.writer(f)\n", "w.writerow([m.value()])", _BEFORE),
    ("f = open('x', 'a')\nw = csv.writer(f)\n", "w.writerow([m.value()])\nf.flush()", YES),
])  # fmt: skip
def test_errors_that_other_code_swallows_are_reported(
    tmp_path: Path, definitions: str, body: str, expected: str
) -> None:
    code = _program(_POLL, definitions, f"{body}\nc.commit(m)")
    assert_program(tmp_path / "a.py", code, expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("n = save_all(ms)\nif n != len(ms): log.error(n)", SKIP),
    ("n = save_all(ms)\nif n < len(ms): log.error(n)", SKIP),
    ("n = save_all(ms)\nif n == len(ms): log.info(n)\nelse: log.error(n)", SKIP),
    ("n = save_all(ms)\nif n != len(ms): raise X()", YES),
    ("n = save_all(ms)\nif n == len(ms): log.info(n)\nelse: raise X()", YES),
])  # fmt: skip
def test_a_count_of_saved_messages_that_is_only_logged_is_a_skip(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = _program(_CONSUME, "", f"{body}\nc.commit()")
    assert_program(tmp_path / "a.py", code, expected)
