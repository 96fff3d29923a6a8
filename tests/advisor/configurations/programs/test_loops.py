"""Loops of confluent-kafka programs: facts about the application are read from them where they are
certain.

librdkafka stores the offset after a message when it delivers the message (rd_kafka_consumer_poll).
`commit()` without arguments, and `close()` with automatic commits, therefore commit past it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.programs import ASIDE, BEFORE, CLOSE, SKIP, YES
from tests.advisor.programs.python import BATCH, LOOP, READER, WRITER

MANUAL_STORE = READER.replace('"enable.auto.commit": False', '"enable.auto.offset.store": False')
IN_THREAD = "while True:\n    m = await %s\n    c.commit(m)\n    await work(m)\n"
STEP = "def step():\n    m = c.poll(1)\n    work(m)\n    c.commit(m)\n"
DECORATED = f"%s\ndef work(m):\n    post(m)\n{LOOP}    work(m)\n    c.commit(m)\n"
IGNORED = "application.delivery.errors: ignored -> handled"
SETTINGS = f"{TOPIC} producer.acks=all producer.enable.idempotence=true"

CONSUMER_PROGRAMS = [
    # where the offset is committed
    (f"{READER}{LOOP}    work(m)\n    c.commit(m)\n", YES),
    (f"{READER}{LOOP}    c.commit(m)\n    work(m)\n", BEFORE),
    (f"{READER}{LOOP}    c.commit(asynchronous=False)\n    work(m)\n", BEFORE),
    (f"{READER}{LOOP}    v = json.loads(m.value())\n    c.commit(m)\n    save(v)\n", BEFORE),
    (f"{READER}def ack(m):\n    c.commit(m)\n{LOOP}    ack(m)\n    work(m)\n", BEFORE),
    (f"{READER}def ack(who, m):\n    who.commit(m)\n{LOOP}    ack(c, m)\n    work(m)\n", BEFORE),
    (f"{READER}def do(m):\n    work(m)\n    c.commit(m)\n{LOOP}    do(m)\n", YES),
    (f"{READER}{BATCH}    c.commit()\n    for m in ms: work(m)\n", BEFORE),
    (f"{READER}{BATCH}    c.commit()\n    [work(m) for m in ms]\n", BEFORE),
    (f"{READER}{BATCH}    for m in ms: work(m)\n    c.commit()\n", YES),
    (f"{READER}while (m := c.poll(1)) is not None:\n    c.commit(m)\n    work(m)\n", BEFORE),
    (f"{READER}def every():\n  while True:\n    m = c.poll(1)\n    c.commit(m)\n    yield m\n",
     BEFORE),
    (f"{READER}n = 0\n{LOOP}    n += 1\n    if n % 9 == 0: c.commit()\n    work(m)\n", BEFORE),
    (f"{READER}n = 0\nwhile True:\n    if n: c.commit()\n    m = c.poll(1)\n    work(m)\n", YES),
    (f"{READER}{LOOP}    b.append(m)\n    if len(b) > 9:\n        c.commit()\n        w(b)\n",
     BEFORE),
    (f"{READER}{LOOP}    b.append(m)\n    if len(b) > 9:\n        w(b)\n        c.commit()\n", YES),
    (f"{READER}{LOOP}    if m.value() is None:\n        c.commit(m)\n        continue\n"
     "    work(m)\n    c.commit(m)\n", YES),
    (f"{READER}{LOOP}    db.commit()\n    work(m)\n    c.commit(m)\n", YES),
    (f"{MANUAL_STORE}{LOOP}    c.store_offsets(m)\n    work(m)\n", BEFORE),
    (f"{MANUAL_STORE}{LOOP}    work(m)\n    c.store_offsets(m)\n", YES),
    (f"{READER}{WRITER}{LOOP}    p.produce('o', m.value(), callback=h)\n    c.commit(m)\n", BEFORE),
    (f"{READER}{WRITER}{LOOP}    p.produce('o', m.value(), callback=h)\n    p.flush()\n"
     "    c.commit(m)\n", YES),
    # a message whose processing fails
    (f"{READER}{LOOP}    try:\n        work(m)\n    finally:\n        c.commit(m)\n", SKIP),
    (f"{READER}{LOOP}    try:\n        work(m)\n    except Exception as e:\n        print(e)\n"
     "    c.commit(m)\n", SKIP),
    (f"{READER}{LOOP}    try:\n        work(m)\n    except:\n        continue\n"
     "    c.commit(m)\n", SKIP),
    (f"{READER}{BATCH}    for m in ms:\n        try:\n            work(m)\n"
     "        except Exception:\n            pass\n    c.commit()\n", SKIP),
    (f"{READER}def do(m):\n    try:\n        work(m)\n    except Exception:\n        return\n"
     f"{LOOP}    do(m)\n    c.commit(m)\n", SKIP),
    (f"{READER}{LOOP}    try:\n        work(m)\n    except Exception:\n        letters(m)\n"
     "    c.commit(m)\n", YES),
    (f"{READER}{LOOP}    try:\n        work(m)\n    except Exception:\n        log.error(1)\n"
     "        raise\n    c.commit(m)\n", YES),
    (f"{READER}{LOOP}    while True:\n        try:\n            work(m)\n            break\n"
     "        except Exception:\n            sleep(1)\n    c.commit(m)\n", YES),
    (f"{READER}{LOOP}    try:\n        work(m)\n    except UniqueViolation:\n        pass\n"
     "    c.commit(m)\n", YES),
    (f"{READER}try:\n  while True:\n    m = c.poll(1)\n    work(m)\nfinally:\n  c.commit()\n",
     SKIP),
    (f"{READER}{LOOP}    with suppress(Exception):\n        work(m)\n    c.commit(m)\n", SKIP),
    (f"{READER}{LOOP}    for i in range(3):\n        try:\n            work(m)\n            break\n"
     "        except Exception:\n            sleep(1)\n    c.commit(m)\n", SKIP),
    (f"{READER}{LOOP}    n = 0\n    while n < 3:\n        try:\n            work(m)\n"
     "            break\n        except Exception:\n            n += 1\n    c.commit(m)\n", SKIP),
    (f"{READER}{LOOP}    for i in range(3):\n        try:\n            work(m)\n            break\n"
     "        except Exception:\n            sleep(1)\n    else:\n        raise Gone()\n"
     "    c.commit(m)\n", YES),
    (f"{READER}{LOOP}    try:\n        v = json.loads(m.value())\n    except Exception:\n"
     "        continue\n    work(v)\n    c.commit(m)\n", SKIP),
    # a message that a function returns, or that is passed directly to a function
    (f"{READER}def on(m):\n    c.commit(m)\n    work(m)\nwhile True:\n    on(c.poll(1))\n", BEFORE),
    (f"{READER}def on(m):\n    work(m)\n    c.commit(m)\nwhile True:\n    on(c.poll(1))\n", YES),
    (f"{READER}def take():\n    return c.poll(1)\nwhile True:\n    m = take()\n    c.commit(m)\n"
     "    work(m)\n", BEFORE),
    (f"{READER}def every():\n  while True:\n    yield c.poll(1)\nfor m in every():\n    try:\n"
     "        work(m)\n    except Exception:\n        pass\n    c.commit(m)\n", SKIP),
    (f"{READER}def every():\n  while True:\n    yield c.poll(1)\nfor m in every():\n    work(m)\n"
     "    c.commit(m)\n", YES),
    (f"{READER}class A:\n  def __init__(self):\n    self.c = c\n  def run(self):\n"
     "    while True:\n      m = self.c.poll(1)\n      self.c.commit(m)\n      work(m)\n", BEFORE),
    (f"{READER}{LOOP}    loop.call_soon_threadsafe(work, m)\n    c.commit(m)\n", BEFORE),
    # a commit of the whole poll after one of its messages
    (f"{READER}{BATCH}    for m in ms:\n        work(m)\n        c.commit(asynchronous=False)\n",
     BEFORE),
    (f"{READER}while True:\n    for m in c.consume(9):\n        work(m)\n        c.commit()\n",
     BEFORE),
    (f"{READER}while True:\n    for m in c.consume():\n        work(m)\n        c.commit()\n", YES),
    (f"{READER}{BATCH}    for m in ms:\n        work(m)\n        c.commit(m)\n", YES),
    # a message that another thread processes
    (f"{READER}{LOOP}    pool.submit(work, m)\n    c.commit(m)\n", BEFORE),
    (f"{READER}{LOOP}    pool.submit(work, m)\n", ASIDE),
    (f"{READER}{LOOP}    Thread(target=work, args=(m,)).start()\n    c.commit(m)\n", BEFORE),
    (f"{READER}q = queue.Queue()\n{LOOP}    q.put(m)\n    c.commit(m)\n", BEFORE),
    (f"{READER}{LOOP}    pool.submit(work, m).result()\n    c.commit(m)\n", YES),
    # an error that stays in a future, or in a thread (concurrent.futures, asyncio, threading)
    (f"{READER}{LOOP}    with ThreadPoolExecutor() as pool:\n        pool.submit(work, m)\n"
     "    c.commit(m)\n", SKIP),
    (f"{READER}{BATCH}    with ThreadPoolExecutor() as pool:\n        pool.map(work, ms)\n"
     "    c.commit()\n", SKIP),
    (f"{READER}{BATCH}    with ThreadPoolExecutor() as pool:\n"
     "        list(pool.map(work, ms))\n    c.commit()\n", YES),
    (f"{READER}{BATCH}    with Pool() as pool:\n        pool.map(work, ms)\n    c.commit()\n", YES),
    (f"{READER}{BATCH}    wait([pool.submit(work, m) for m in ms])\n    c.commit()\n", SKIP),
    (f"{READER}{BATCH}    for f in as_completed([pool.submit(work, m) for m in ms]):\n"
     "        f.result()\n    c.commit()\n", YES),
    (f"{READER}{BATCH}    ts = [Thread(target=work, args=(m,)) for m in ms]\n"
     "    for t in ts:\n        t.join()\n    c.commit()\n", SKIP),
    (f"{READER}{BATCH}    ts = [create_task(work(m)) for m in ms]\n    await asyncio.wait(ts)\n"
     "    c.commit()\n", SKIP),
    (f"{READER}{BATCH}    await asyncio.gather(*(work(m) for m in ms))\n    c.commit()\n", YES),
    (f"{READER}{BATCH}    await asyncio.gather(*(work(m) for m in ms), return_exceptions=True)\n"
     "    c.commit()\n", SKIP),
    (f"{READER}{BATCH}    async with asyncio.TaskGroup() as tg:\n"
     "        for m in ms:\n            tg.create_task(work(m))\n    c.commit()\n", YES),
    # a poll in a thread, or of a class imported under another name
    (f"{READER}{IN_THREAD % 'asyncio.to_thread(c.poll, 1)'}", BEFORE),
    (f"{READER}{IN_THREAD % 'loop.run_in_executor(None, c.poll, 1)'}", BEFORE),
    (f"{READER}{IN_THREAD % 'loop.run_in_executor(None, lambda: c.poll(1))'}", BEFORE),
    (f"{READER}{IN_THREAD % 'loop.run_in_executor(None, partial(c.poll, 1))'}", BEFORE),
    (f"{READER}while True:\n    m = await asyncio.to_thread(c.poll, 1)\n    await work(m)\n"
     "    await asyncio.to_thread(c.commit, m)\n", YES),
    (f"from confluent_kafka import Consumer as C\n{READER.replace('Consumer(', 'C(')}{LOOP}"
     "    c.commit(m)\n    work(m)\n", BEFORE),
    (f"{READER}{LOOP}    Popen(['x', m.value()])\n    c.commit(m)\n", BEFORE),
    # a database transaction that is committed after or before the offset
    (f"{READER}{LOOP}    cur.execute(SQL, m.value())\n    c.commit(m)\n    db.commit()\n", BEFORE),
    (f"{READER}{LOOP}    cur.execute(SQL, m.value())\n    db.commit()\n    c.commit(m)\n", YES),
    (f"{READER}{LOOP}    s.add(Row(m.value()))\n    c.commit(m)\n    s.commit()\n", BEFORE),
    (f"{READER}{LOOP}    s.add(Row(m.value()))\n    s.commit()\n    c.commit(m)\n", YES),
    # a function that is one step of a loop, and functions that swallow errors
    (f"{READER}def step():\n    try:\n        m = c.poll(1)\n        work(m)\n        c.commit(m)\n"
     "    except Exception as e:\n        print(e)\nwhile True:\n    step()\n", SKIP),
    (f"{READER}{STEP}while True:\n    try:\n        step()\n    except Exception as e:\n"
     "        print(e)\n", SKIP),
    (f"{READER}{STEP}try:\n    while True:\n        step()\nexcept Exception as e:\n    print(e)\n",
     YES),
    (f"{READER}def told(e):\n    log.error(e)\n{LOOP}    try:\n        work(m)\n"
     "    except Exception as e:\n        told(e)\n    c.commit(m)\n", SKIP),
    (f"{READER}def told(e):\n    letters.save(e)\n{LOOP}    try:\n        work(m)\n"
     "    except Exception as e:\n        told(e)\n    c.commit(m)\n", YES),
    (f"{READER}@contextmanager\ndef safe():\n    try:\n        yield\n    except Exception as e:\n"
     f"        print(e)\n{LOOP}    with safe():\n        work(m)\n    c.commit(m)\n", SKIP),
    (f"{READER}@contextmanager\ndef timed():\n    try:\n        yield\n    finally:\n"
     f"        print(1)\n{LOOP}    with timed():\n        work(m)\n    c.commit(m)\n", YES),
    (f"{READER}{DECORATED % '@logger.catch'}", SKIP),
    (f"{READER}{DECORATED % '@logger.catch(reraise=True)'}", YES),
    (f"{READER}{DECORATED % '@retry(stop=stop_after_attempt(3))'}", YES),
    (f"{READER}{DECORATED % '@retry(retry_error_callback=lambda s: None)'}", SKIP),
    (f"{READER}{DECORATED % '@on_exception(expo, E, max_tries=3, raise_on_giveup=False)'}", SKIP),
    (f"{READER}def quiet(f):\n    def inner(m):\n        try:\n            return f(m)\n"
     f"        except Exception as e:\n            print(e)\n    return inner\n"
     f"{DECORATED % '@quiet'}", SKIP),
    # the offset at which the consumer starts
    (f"{READER}c.assign([TopicPartition('t', 0, OFFSET_END)])\n{LOOP}    work(m)\n",
     "OFFSET_END: a"),
    (f"{READER}c.assign([TopicPartition('t', 0, -1)])\n{LOOP}    work(m)\n", "offset -1: a"),
    (f"{READER}def on(c, ps):\n    for p in ps: p.offset = -1\n{LOOP}    work(m)\n",
     "offset -1: a"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), CONSUMER_PROGRAMS)
def test_facts_are_read_from_the_loop_of_a_consumer(
    tmp_path: Path, code: str, expected: str
) -> None:
    exit_code = {YES: 0, "OFFSET_END: a": 2, "offset -1: a": 2}.get(expected, 1)
    assert_file(tmp_path / "a.py", code, "", SETTINGS, exit_code, expected)


CLOSES = "try:\n  while True:\n    m = c.poll(1)\n    work(m)\n    {}\nfinally:\n  c.close()\n"
AUTO_COMMIT = READER.replace(', "enable.auto.commit": False', "")


@pytest.mark.parametrize(("code", "exit_code", "expected"), [
    (f"{AUTO_COMMIT}{CLOSES.format('pass')}", 1, CLOSE),
    (f"{READER}{CLOSES.format('c.commit(m)')}", 0, CLOSE),
    (f"{MANUAL_STORE}{CLOSES.format('c.store_offsets(m)')}", 0, YES),
])  # fmt: skip
def test_a_consumer_that_closes_after_an_error_is_found(
    tmp_path: Path, code: str, exit_code: int, expected: str
) -> None:
    assert_file(tmp_path / "a.py", code, "", SETTINGS, exit_code, expected)


def test_a_stated_setting_overrides_the_loop(tmp_path: Path) -> None:
    code = f"{READER}{LOOP}    c.commit(m)\n    work(m)\n"
    settings = f"{SETTINGS} application.commit=after-processing"
    assert_file(tmp_path / "a.py", code, "", settings, 0, YES)


CALLBACK = "def heard(e, m):\n    if e: failed.append(m)\n"
FLUSH = "p.flush()\n"
SEND = 'p.produce("t", b"x", callback=heard)\n'

PRODUCER_PROGRAMS = [
    # nothing uses the result
    (f'{WRITER}r = p.produce("t", b"x")\n{FLUSH}', IGNORED),
    (f'{WRITER}def send(v):\n    return p.produce("t", v)\n{FLUSH}', IGNORED),
    (f'{WRITER}send = lambda v: p.produce("t", v)\n{FLUSH}', IGNORED),
    (f'{WRITER}[p.produce("t", v) for v in vs]\n{FLUSH}', IGNORED),
    (f'{WRITER}ok and p.produce("t", v)\n{FLUSH}', IGNORED),
    (f'{WRITER}send = partial(p.produce, "t")\n{FLUSH}', IGNORED),
    (f'{WRITER}if p.produce("t", b"x") or p.flush(9) > 0: stop()\n', IGNORED),
    ('p = AIOProducer({"acks": "all"})\nasync def f():\n    await p.produce("t", b"x")\n', IGNORED),
    ('p = AIOProducer({"acks": "all"})\nasync def f():\n    await (await p.produce("t"))\n', YES),
    (f"{WRITER}class Own:\n    def produce(self, v): p.produce('t', v, callback=heard)\n"
     f"Own().produce(1)\n{FLUSH}", YES),
    # the callback drops the error
    (f"{WRITER}def heard(e, m): pass\n{SEND}{FLUSH}", IGNORED),
    (f"{WRITER}def heard(e, m):\n    if not e: print(m)\n{SEND}{FLUSH}", IGNORED),
    (f"{WRITER}def heard(e, m):\n    if e is not None:\n        return\n    n(m)\n{SEND}{FLUSH}",
     IGNORED),
    (f"{WRITER}def heard(e, m):\n    done.set()\n{SEND}{FLUSH}", IGNORED),
    (f'{WRITER}p.produce("t", b"x", callback=lambda e, m: None)\n{FLUSH}', IGNORED),
    (f"{WRITER}{CALLBACK}{SEND}{FLUSH}", IGNORED),
    (f"{WRITER}{CALLBACK}{SEND}{FLUSH}if failed: raise SystemExit(1)\n", YES),
    (f"{WRITER}def heard(*given):\n    take(*given)\n{SEND}{FLUSH}", YES),
    (f"{WRITER}from own import heard\n{SEND}{FLUSH}", YES),
    # the callback logs the error, and nothing sends the message again
    (f"{WRITER}def heard(e, m):\n    if e: log.error(e)\n{SEND}{FLUSH}", IGNORED),
    (f'{WRITER}p.produce("t", b"x", callback=lambda e, m: print(e))\n{FLUSH}', IGNORED),
    # a full queue, and callbacks that nothing calls
    (f"{WRITER}try:\n    {SEND}except BufferError:\n    pass\n{FLUSH}", IGNORED),
    (f"{WRITER}try:\n    {SEND}except BufferError:\n    p.poll(1)\n    again()\n{FLUSH}", YES),
    (f"{WRITER}{CALLBACK}{SEND}", IGNORED),
    (f"{WRITER}{CALLBACK}{SEND}serve(p)\n", YES),
    (f"{WRITER}{CALLBACK}{SEND}p.poll(0)\n", IGNORED),
    (f"{WRITER}{SEND}", YES),
]  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), PRODUCER_PROGRAMS)
def test_ignored_errors_of_sends_are_read_from_a_producer(
    tmp_path: Path, code: str, expected: str
) -> None:
    reads = "consumer.auto.offset.reset=earliest consumer.enable.auto.commit=false"
    settings = f"{TOPIC} {reads} application.commit=after-processing application.restart=resumes"
    exit_code = 1 if expected == IGNORED else 0
    assert_file(tmp_path / "a.py", code, "", settings, exit_code, expected)


def test_a_dict_that_is_passed_to_an_unknown_function_is_refused(tmp_path: Path) -> None:
    code = 'conf = {"acks": "all"}\ntune(conf)\np = Producer(conf)\n'
    assert_file(tmp_path / "a.py", code, "", TOPIC, 2, "Line 2|:2: .*put into a client's dict")
    shown = code.replace("tune(", "print(")
    assert_file(tmp_path / "b.py", shown, "", TOPIC, 1, "assumed|NO|YES")
