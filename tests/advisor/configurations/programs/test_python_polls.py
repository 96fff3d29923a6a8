"""Python programs of confluent-kafka: how they process all messages of a poll, check the results of
their work, and use daemon threads.

Sources: confluent-kafka (Consumer.consume, Consumer.commit, Producer.purge); threading (daemon);
requests, Response.raise_for_status.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.advisor.programs import IGNORED, SKIP, YES, assert_program

BEFORE = "application.commit(=|: )before-processing"
_HEAD = (
    "from confluent_kafka import Consumer, Producer\nimport requests, threading\n"
    'c = Consumer({"bootstrap.servers": "k", "group.id": "g", "auto.offset.reset": "earliest", '
    '"enable.auto.commit": False})\nc.subscribe(["t"])\nwhile True:\n'
)
ONE_MESSAGE = f"{_HEAD}    m = c.poll(1.0)\n    if m is None or m.error(): continue\n%s\n"
MANY = f"{_HEAD}    ms = c.consume(100, 1.0)\n%s\n"
POLLED = f"{_HEAD}    ms = %s\n%%s\n"
SINGLE = f"{_HEAD}    ms = c.consume(1, 1.0)\n%s\n"
PRODUCER = (
    "from confluent_kafka import Producer\nimport atexit, threading\n"
    "def cb(e, m):\n    if e: raise SystemExit(1)\n"
    'p = Producer({"bootstrap.servers": "k", "acks": "all"})\n%s\n'
)


@pytest.mark.parametrize(("body", "expected"), [
    ("ok = save(m)\nc.commit(m)", SKIP),
    ("ok = save(m)\nlog.info(ok)\nc.commit(m)", SKIP),
    ("ok = save(m)\nif not ok: raise X()\nc.commit(m)", YES),
    ("ok = save(m)\nif ok:\n    c.commit(m)\nelse:\n    raise X()", YES),
    ("success = handle(m.value())\nc.commit(m)", SKIP),
    ("ok = save(m)\nif not ok:\n    log.error('failed')\nc.commit(m)", SKIP),
    ("if not save(m):\n    log.error('failed')\nc.commit(m)", SKIP),
    ("if not save(m):\n    log.error('failed')\n    continue\nc.commit(m)", SKIP),
    ("if not is_valid(m):\n    log.warning('bad')\n    continue\nsave(m)\nc.commit(m)", YES),
    ("ok = validate(m)\nif not ok:\n    continue\nsave(m)\nc.commit(m)", YES),
    ("valid = check(m)\nif not valid:\n    c.commit(m)\n    continue\nsave(m)\n"
     "c.commit(m)", YES),
    ("if not save(m):\n    dlq(m)\nc.commit(m)", YES),
    ("if save(m):\n    c.commit(m)\nelse:\n    raise X()", YES),
    ("if (ok := save(m)):\n    c.commit(m)\nelse:\n    raise X()", YES),
    ("if (ok := save(m)):\n    c.commit(m)\nelse:\n    log.error('failed')", SKIP),
    ("if bool(save(m)):\n    c.commit(m)\nelse:\n    raise X()", YES),
    ("r = requests.post(URL, json=m.value())\nif r.status_code // 100 != 2:\n    raise X()\n"
     "c.commit(m)", YES),
    ("r = requests.post(URL, json=m.value())\nif r.status_code // 100 != 2:\n"
     "    log.error(r.text)\nc.commit(m)", SKIP),
    ("requests.post(URL, json=m.value())\nc.commit(m)", SKIP),
    ("r = requests.post(URL, json=m.value())\nc.commit(m)", SKIP),
    ("r = requests.post(URL, json=m.value())\nr.raise_for_status()\nc.commit(m)", YES),
    ("requests.post(URL, json=m.value()).raise_for_status()\nc.commit(m)", YES),
    ("r = requests.post(URL, json=m.value())\nif r.status_code != 200:\n    raise X()\n"
     "c.commit(m)", YES),
    ("r = requests.post(URL, json=m.value())\nif r.status_code != 200:\n"
     "    log.error(r.text)\nc.commit(m)", SKIP),
    ("r = requests.post(URL, json=m.value())\nif r.ok:\n    c.commit(m)\nelse:\n"
     "    raise X()", YES),
])  # fmt: skip
def test_a_result_must_be_checked_before_the_commit(
    tmp_path: Path, body: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", ONE_MESSAGE % indent(body, "    "), expected)


_GUARDED_COMMIT = "try:\n    c.commit(m)\nexcept KafkaException as e:\n    log.warning(e)\n"


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_GUARDED_COMMIT}save(m)", BEFORE),
    (f"save(m)\n{_GUARDED_COMMIT}", YES),
    ("try:\n    warm()\nfinally:\n    c.commit(m)\nsave(m)", BEFORE),
    ("try:\n    validate(m)\nexcept E:\n    dead(m)\n    c.commit(m)\n    continue\nsave(m)\n"
     "c.commit(m)", YES),
    ("try:\n    validate(m)\nexcept E:\n    dead(m)\nelse:\n    save(m)\nc.commit(m)", YES),
])  # fmt: skip
def test_work_after_a_guarded_commit_is_too_late(tmp_path: Path, body: str, expected: str) -> None:
    assert_program(tmp_path / "a.py", ONE_MESSAGE % indent(body, "    "), expected)


@pytest.mark.parametrize(("code", "body", "expected"), [
    (SINGLE, "if not ms: continue\nsave(ms[0])\nc.commit()", YES),
    (MANY, "if not ms: continue\nsave(ms[0])\nc.commit(asynchronous=False)", SKIP),
    (MANY, "for m in ms[:10]:\n    save(m)\nc.commit(asynchronous=False)", SKIP),
    (MANY, "for m in ms:\n    save(m)\n    break\nc.commit(asynchronous=False)", SKIP),
    (MANY, "for m in ms:\n    save(m)\nif ms:\n    log.info(ms[-1].offset())\n"
     "c.commit(asynchronous=False)", YES),
    (POLLED % "[m for m in c.consume(9, 1.0) if not m.error()]", "c.commit()\nsave(ms)", BEFORE),
    (POLLED % "list(filter(is_sound, c.consume(9, 1.0)))", "c.commit()\nsave(ms)", BEFORE),
    (POLLED % "[m for m in c.consume(9, 1.0) if not m.error()]", "save(ms)\nc.commit()", YES),
    (MANY, "for i in range(len(ms)):\n    save(ms[i])\nc.commit(asynchronous=False)", YES),
    (MANY, "for i in range(0, len(ms), 10):\n    save(ms[i:i + 10])\n"
     "c.commit(asynchronous=False)", YES),
    (MANY, "for m in ms[1:]:\n    save(m)\nc.commit()", SKIP),
    (MANY, "save(ms[-1])\nc.commit()", SKIP),
    (MANY, "m = next(iter(ms), None)\nif m:\n    save(m)\nc.commit()", SKIP),
    (MANY, "batch = [m for m in ms if not m.error()]\nsave(batch)\nc.commit()", YES),
    (MANY, "for m in ms:\n    if m.error(): break\n    save(m)\nc.commit()", SKIP),
    (MANY, "for m in ms:\n    if stop: break\n    save(m)\nc.commit()", SKIP),
    (MANY, "for m in ms:\n    for p in parts(m):\n        if p.bad: break\n        save(p)\n"
     "c.commit()", YES),
    (MANY, "for m in ms:\n    while True:\n        try:\n            save(m)\n"
     "            break\n        except Exception:\n            time.sleep(1)\n"
     "c.commit()", YES),
    (MANY, "for m in ms:\n    save(m)\nlast = ms[-1]\nc.commit(last)", YES),
    (MANY, "if ms:\n    save_all(ms)\n    c.commit(ms[-1])", YES),
    (MANY, "for m in ms:\n    save(m)\n    c.commit(m)", YES),
    (MANY, "rows = [json.loads(m.value()) for m in ms]\nif rows:\n    db.insert_many(rows)\n"
     "c.commit()", YES),
    (MANY, "rows = [json.loads(m.value()) for m in ms]\nc.commit()\ndb.insert_many(rows)", BEFORE),
])  # fmt: skip
def test_all_polled_messages_must_be_processed_before_the_commit(
    tmp_path: Path, code: str, body: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", code % indent(body, "    "), expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("threading.Thread(target=lambda: [p.poll(1) for _ in iter(int, 1)], daemon=True).start()\n"
     'p.produce("t", b"x", callback=cb)\n', IGNORED),
    ("def serve():\n    while True:\n        p.poll(0.1)\n"
     "threading.Thread(target=serve, daemon=True).start()\nfor x in xs:\n"
     '    p.produce("t", x, callback=cb)\n', IGNORED),
    ("def serve():\n    while True:\n        p.poll(0.1)\n"
     "t = threading.Thread(target=serve)\nt.daemon = True\nt.start()\nfor x in xs:\n"
     '    p.produce("t", x, callback=cb)\n', IGNORED),
    ("def serve():\n    while True:\n        p.poll(0.1)\n"
     "threading.Thread(target=serve, daemon=True).start()\nfor x in xs:\n"
     '    p.produce("t", x, callback=cb)\np.flush()\n', YES),
    ('def work():\n    for x in xs:\n        p.produce("t", x, callback=cb)\n'
     "        p.poll(0)\nt = threading.Thread(target=work, daemon=True)\nt.start()\n"
     "time.sleep(10)\n", IGNORED),
    ('def run():\n    p.produce("t", b"x", callback=cb)\n    p.flush()\n'
     "threading.Thread(target=run).start()\n", YES),
    ('def run():\n    while True:\n        p.produce("t", read(), callback=cb)\n'
     "        p.poll(0)\nt = threading.Thread(target=run, daemon=True)\nt.start()\n"
     "input()\n", IGNORED),
    ("atexit.register(p.flush)\n"
     "threading.Thread(target=lambda: [p.poll(1) for _ in iter(int, 1)], daemon=True).start()\n"
     'p.produce("t", b"x", callback=cb)\n', YES),
    ("for x in xs: p.produce('t', x, callback=cb)\np.purge()\np.flush()\n", IGNORED),
])  # fmt: skip
def test_messages_left_in_the_queue_of_a_producer_are_reported(
    tmp_path: Path, body: str, expected: str
) -> None:
    reads = "consumer.auto.offset.reset=earliest consumer.enable.auto.offset.store=false"
    assert_program(tmp_path / "a.py", PRODUCER % body, expected, reads)


_SWALLOWS = (
    "def handle(m):\n    try:\n        save(m)\n    except Exception as e:\n        log.error(e)\n"
)
_PROPAGATES = "def handle(m):\n    save(m)\n"


@pytest.mark.parametrize("body", [
    "list(map(handle, ms))",
    "functools.reduce(lambda n, m: handle(m), ms, 0)",
    "with ThreadPoolExecutor() as pool:\n    list(pool.map(handle, ms))",
    "[handle(m) for m in ms + c.consume(10)]",
    "while ms:\n    handle(ms.pop(0))",
    "it = iter(ms)\nwhile True:\n    m = next(it, None)\n    if m is None: break\n    handle(m)",
    "match c.poll(1):\n    case None: pass\n    case m: handle(m)",
])  # fmt: skip
@pytest.mark.parametrize(("function", "expected"), [(_SWALLOWS, SKIP), (_PROPAGATES, YES)])
def test_a_function_that_is_called_with_each_message_is_followed(
    tmp_path: Path, function: str, expected: str, body: str
) -> None:
    code = MANY % indent(f"{body}\nc.commit(asynchronous=False)", "    ")
    assert_program(tmp_path / "a.py", f"{function}{code}", expected)
