"""Programs of Python that leave work undone without an error: what is never begun, what a decorator
does beside it, and what tells of its failure and is not asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program

_PROGRAM = """from confluent_kafka import Consumer
c = Consumer({{"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"}})
{more}
while True:
    m = c.poll(1.0)
    if m is None:
        continue
    if m.error():
        raise KafkaException(m.error())
    {body}
    {last}
"""
_DECORATED = """def around(f):
    @functools.wraps(f)
    def inner({given}):
{body}
    return inner
{head}
def handle({own}m):
    {save}save(m.value())
"""
_FIRST = "        c.commit(m)\n        return f(m)"
_LAST = "        f(m)\n        c.commit(m)"
_AGAIN = """        for i in range(3):
            try:
                return f(*args, **kwargs)
            except Exception as e:
                log.warning(e)
"""
_RAISES = f"{_AGAIN}        raise RuntimeError('gave up')"
_ANY = "*args, **kwargs"


def _decorated(given: str, body: str) -> str:
    return _DECORATED.format(given=given, body=body, head="@around", own="", save="")


@pytest.mark.parametrize(
    ("more", "body", "last", "expected"),
    [
        (_decorated("m", _FIRST), "handle(m)", "", BEFORE),
        (_decorated("m", _LAST), "handle(m)", "", YES),
        (_decorated(_ANY, _AGAIN), "handle(m)", "c.commit(m)", SKIP),
        (_decorated(_ANY, _RAISES), "handle(m)", "c.commit(m)", YES),
        ("def handle(m):\n    yield save(m)", "handle(m)", "c.commit(m)", ASIDE),
        ("def handle(m):\n    yield save(m)", "list(handle(m))", "c.commit(m)", YES),
        ("", "map(save, m.value())", "c.commit(m)", ASIDE),
        ("", "done = map(save, m.value())", "c.commit(m)", ASIDE),
        ("", "list(map(save, m.value()))", "c.commit(m)", YES),
        ("", "(save(it) for it in m.value())", "c.commit(m)", ASIDE),
        ("", "parallel_bulk(es, m.value())", "c.commit(m)", ASIDE),
    ],
)  # fmt: skip
def test_what_is_never_begun_or_done_around_it_is_seen(
    more: str, body: str, last: str, expected: str, tmp_path: Path
) -> None:
    code = _PROGRAM.format(more=more, body=body, last=last)
    assert_program(tmp_path / "app.py", code, expected)


_HANDLERS = """def careless(m):
    try:
        save(m)
    except Exception:
        log.exception('x')
def careful(m):
    save(m)
HANDLERS = [careful, %s]"""
_REGISTERED = """HANDLERS = {}
def handles(kind):
    def of(f):
        HANDLERS[kind] = f
        return f
    return of
@handles('a')
def on_a(m):
    try:
        save(m)
    except Exception:
        %s"""
_READ = "for ok, it in streaming_bulk(es, m.value(), raise_on_error=False):\n        if not ok:\n"
_BULK = "r = es.bulk(operations=[m.value()])\n    "


@pytest.mark.parametrize(
    ("more", "body", "expected"),
    [
        (_HANDLERS % "careless", "for h in HANDLERS:\n        h(m)", SKIP),
        (_HANDLERS % "careful", "for h in HANDLERS:\n        h(m)", YES),
        (_REGISTERED % "pass", "HANDLERS['a'](m)", SKIP),
        (_REGISTERED % "raise", "HANDLERS['a'](m)", YES),
        ("", f"{_READ}            log.error(it)", SKIP),
        ("", f"{_READ}            raise RuntimeError(it)", YES),
        ("", "es.bulk(operations=[m.value()])", SKIP),
        ("", f"{_BULK}if r['errors']:\n        log.error(r)", SKIP),
        ("", f"{_BULK}if r['errors']:\n        raise RuntimeError(r)", YES),
        ("", "repository.bulk([m.value()])", YES),
        ("", "kinesis.put_records(StreamName='s', Records=[{'Data': m.value()}])", SKIP),
        ("", "table.put_records([m.value()])", YES),
        ("", "bq.insert_rows_json('t', [m.value()])", SKIP),
        ("", "errors = bq.insert_rows_json('t', [m.value()])\n    if errors:\n        raise X",
         YES),
    ],
)  # fmt: skip
def test_what_says_that_something_failed_is_asked(
    more: str, body: str, expected: str, tmp_path: Path
) -> None:
    code = _PROGRAM.format(more=more, body=body, last="c.commit(m)")
    assert_program(tmp_path / "app.py", code, expected)


_CONNECT = "db = psycopg2.connect(DSN)\ncursor = db.cursor()"
_ENGINE = "engine = sqlalchemy.create_engine(URL)"
_BY_NAME = "db.execute('INSERT INTO t VALUES (1)')"
_INSERT = "cursor.execute('INSERT INTO t VALUES (%s)', (m.value(),))"


@pytest.mark.parametrize(
    ("more", "body", "is_sound"),
    [
        (_CONNECT, _INSERT, False),
        (_CONNECT, f"{_INSERT}\n    db.commit()", True),
        (_CONNECT, f"with db:\n        {_INSERT}", True),
        (f"{_CONNECT}\ndb.autocommit = True", _INSERT, True),
        (f"{_CONNECT}\ndb.autocommit = False", _INSERT, False),
        (f"{_CONNECT}\nrows = Rows(db)", _INSERT, True),
        (_CONNECT, "cursor.execute('SELECT 1')\n    save(m)", True),
        (_ENGINE, f"with engine.connect() as db:\n        {_BY_NAME}", False),
        (_ENGINE, f"with engine.connect() as db:\n        {_BY_NAME}\n        db.commit()", True),
        (_ENGINE, f"with engine.begin() as db:\n        {_BY_NAME}", True),
    ],
)
def test_what_is_written_to_a_database_is_committed(
    more: str, body: str, is_sound: bool, tmp_path: Path
) -> None:
    code = _PROGRAM.format(more=more, body=body, last="c.commit(m)")
    expected = YES if is_sound else "nothing here commits what is written to this database"
    settings = f"{TOPIC} application.restart=resumes"
    assert_file(tmp_path / "app.py", code, "", settings, 0 if is_sound else 2, expected)


_CATCHES = "try:\n        save(m)\n    except Exception as e:\n        %s"


@pytest.mark.parametrize(
    ("more", "body", "expected"),
    [
        ("failed = []", _CATCHES % "failed.append(m)", SKIP),
        ("failed = {}", _CATCHES % "failed[m.offset()] = e", SKIP),
        ("failed = []", f"{_CATCHES % 'failed.append(m)'}\n    again(failed)", YES),
        ("", "pipe = r.pipeline()\n    pipe.set(m.key(), m.value())", BEFORE),
        ("", "pipe = r.pipeline()\n    pipe.set(m.key(), m.value())\n    pipe.execute()", YES),
        ("out = open('f', 'ab')", "out.write(m.value())", BEFORE),
        ("out = open('f', 'ab', 0)", "out.write(m.value())", YES),
        ("out = open('f', 'ab')", "out.write(m.value())\n    out.flush()", YES),
        ("", "with open('f', 'ab') as out:\n        out.write(m.value())", YES),
        ("api = influx.write_api()", "api.write(record=m.value())", ASIDE),
        ("api = influx.write_api(write_options=SYNCHRONOUS)", "api.write(record=m.value())", YES),
        ("", "with Session.begin() as s:\n        s.add(Order(m.value()))", YES),
        ("", "with Session() as s:\n        s.add(Order(m.value()))", BEFORE),
        ("pool = Pool(4)", "pool.map_async(save, m.value())", ASIDE),
    ],
)
def test_what_is_put_by_and_never_sent_is_seen(
    more: str, body: str, expected: str, tmp_path: Path
) -> None:
    code = _PROGRAM.format(more=more, body=body, last="c.commit(m)")
    facts = f"{expected}|{BEFORE}" if expected == ASIDE else expected
    assert_program(tmp_path / "app.py", code, facts)


_QUEUED = """from confluent_kafka import Consumer
c = Consumer({{"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"}})
q = queue.Queue()
errors = []
def worker():
    while True:
        m = q.get()
{body}
threading.Thread(target=worker).start()
while True:
    for m in c.consume(100, 1.0):
        q.put(m)
    q.join()
    if errors:
        raise errors[0]
    c.commit(asynchronous=False)
"""
_TRIES = "        try:\n            save(m)\n"
_LOGS = "        except Exception as e:\n            log.error(e)\n"
_TELLS = "        except Exception as e:\n            errors.append(e)\n"
_ENDS = "        finally:\n            q.task_done()"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_TRIES + _ENDS, SKIP),
        (_TRIES + _LOGS + _ENDS, SKIP),
        (f"{_TRIES}{_LOGS}        q.task_done()", SKIP),
        (_TRIES + _TELLS + _ENDS, YES),
        ("        save(m)\n        q.task_done()", YES),
    ],
)
def test_a_thread_that_is_done_after_an_error_is_seen(
    body: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "app.py", _QUEUED.format(body=body), expected)


_MANAGER = """class Acked:
    def __init__(self, m):
        self.m = m
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
{body}
"""
_SUCCEEDED = "        if kind is None:\n            c.commit(self.m)"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("        c.commit(self.m)\n        return True", SKIP),
        ("        log.warning(error)\n        return True", SKIP),
        ("        c.commit(self.m)", SKIP),
        (_SUCCEEDED, YES),
        ("        log.info('done')\n        return False", YES),
    ],
)
def test_what_a_with_does_at_its_end_is_followed(body: str, expected: str, tmp_path: Path) -> None:
    last = "" if "commit" in body else "c.commit(m)"
    use = "with Acked(m):\n        save(m)"
    code = _PROGRAM.format(more=_MANAGER.format(body=body), body=use, last=last)
    assert_program(tmp_path / "app.py", code, expected)


_BATCHES = """from confluent_kafka import Consumer
c = Consumer({{"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"}})
while True:
    for m in c.consume(10):
        try:
            save(m)
            c.commit(m)
        except Exception as e:
            {handler}
            break
"""


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        ("log.error(e)", SKIP),
        ("c.seek(place_of(m))", YES),
        ("log.error(e)\n            raise", YES),
    ],
)
def test_a_loop_that_an_error_leaves_is_behind_its_message(
    handler: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "app.py", _BATCHES.format(handler=handler), expected)
