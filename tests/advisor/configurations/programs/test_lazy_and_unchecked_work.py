"""Python programs that leave work undone without an error: work that never starts, decorators that
commit or swallow errors, and results that report a failure and are not checked."""

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
_COMMITS_FIRST = "        c.commit(m)\n        return f(m)"
_COMMITS_LAST = "        f(m)\n        c.commit(m)"
_RETRIES = """        for i in range(3):
            try:
                return f(*args, **kwargs)
            except Exception as e:
                log.warning(e)
"""
_RETRIES_THEN_RAISES = f"{_RETRIES}        raise RuntimeError('gave up')"
_ANY_ARGUMENTS = "*args, **kwargs"


def _decorated(parameters: str, body: str) -> str:
    return _DECORATED.format(given=parameters, body=body, head="@around", own="", save="")


@pytest.mark.parametrize(
    ("definitions", "body", "commit", "expected"),
    [
        (_decorated("m", _COMMITS_FIRST), "handle(m)", "", BEFORE),
        (_decorated("m", _COMMITS_LAST), "handle(m)", "", YES),
        (_decorated(_ANY_ARGUMENTS, _RETRIES), "handle(m)", "c.commit(m)", SKIP),
        (_decorated(_ANY_ARGUMENTS, _RETRIES_THEN_RAISES), "handle(m)", "c.commit(m)", YES),
        ("def handle(m):\n    yield save(m)", "handle(m)", "c.commit(m)", ASIDE),
        ("def handle(m):\n    yield save(m)", "list(handle(m))", "c.commit(m)", YES),
        ("", "map(save, m.value())", "c.commit(m)", ASIDE),
        ("", "done = map(save, m.value())", "c.commit(m)", ASIDE),
        ("", "list(map(save, m.value()))", "c.commit(m)", YES),
        ("", "(save(it) for it in m.value())", "c.commit(m)", ASIDE),
        ("", "parallel_bulk(es, m.value())", "c.commit(m)", ASIDE),
    ],
)  # fmt: skip
def test_work_that_never_starts_and_decorators_are_read(
    definitions: str, body: str, commit: str, expected: str, tmp_path: Path
) -> None:
    code = _PROGRAM.format(more=definitions, body=body, last=commit)
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
_STREAMED = (
    "for ok, it in streaming_bulk(es, m.value(), raise_on_error=False):\n        if not ok:\n"
)
_BULK = "r = es.bulk(operations=[m.value()])\n    "


@pytest.mark.parametrize(
    ("definitions", "body", "expected"),
    [
        (_HANDLERS % "careless", "for h in HANDLERS:\n        h(m)", SKIP),
        (_HANDLERS % "careful", "for h in HANDLERS:\n        h(m)", YES),
        (_REGISTERED % "pass", "HANDLERS['a'](m)", SKIP),
        (_REGISTERED % "raise", "HANDLERS['a'](m)", YES),
        ("", f"{_STREAMED}            log.error(it)", SKIP),
        ("", f"{_STREAMED}            raise RuntimeError(it)", YES),
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
def test_unchecked_failures_of_handlers_and_bulk_calls_are_reported(
    definitions: str, body: str, expected: str, tmp_path: Path
) -> None:
    code = _PROGRAM.format(more=definitions, body=body, last="c.commit(m)")
    assert_program(tmp_path / "app.py", code, expected)


_CONNECT = "db = psycopg2.connect(DSN)\ncursor = db.cursor()"
_ENGINE = "engine = sqlalchemy.create_engine(URL)"
_EXECUTES = "db.execute('INSERT INTO t VALUES (1)')"
_INSERT = "cursor.execute('INSERT INTO t VALUES (%s)', (m.value(),))"


@pytest.mark.parametrize(
    ("definitions", "body", "is_sound"),
    [
        (_CONNECT, _INSERT, False),
        (_CONNECT, f"{_INSERT}\n    db.commit()", True),
        (_CONNECT, f"with db:\n        {_INSERT}", True),
        (f"{_CONNECT}\ndb.autocommit = True", _INSERT, True),
        (f"{_CONNECT}\ndb.autocommit = False", _INSERT, False),
        (f"{_CONNECT}\nrows = Rows(db)", _INSERT, True),
        (_CONNECT, "cursor.execute('SELECT 1')\n    save(m)", True),
        (_ENGINE, f"with engine.connect() as db:\n        {_EXECUTES}", False),
        (_ENGINE, f"with engine.connect() as db:\n        {_EXECUTES}\n        db.commit()", True),
        (_ENGINE, f"with engine.begin() as db:\n        {_EXECUTES}", True),
    ],
)
def test_a_database_write_without_a_commit_is_reported(
    definitions: str, body: str, is_sound: bool, tmp_path: Path
) -> None:
    code = _PROGRAM.format(more=definitions, body=body, last="c.commit(m)")
    expected = YES if is_sound else "nothing here commits what is written to this database"
    settings = f"{TOPIC} application.restart=resumes"
    assert_file(tmp_path / "app.py", code, "", settings, 0 if is_sound else 2, expected)


_CATCHES = "try:\n        save(m)\n    except Exception as e:\n        %s"


@pytest.mark.parametrize(
    ("definitions", "body", "expected"),
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
def test_buffered_work_that_is_never_finished_is_reported(
    definitions: str, body: str, expected: str, tmp_path: Path
) -> None:
    code = _PROGRAM.format(more=definitions, body=body, last="c.commit(m)")
    pattern = f"{expected}|{BEFORE}" if expected == ASIDE else expected
    assert_program(tmp_path / "app.py", code, pattern)


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
_TRY = "        try:\n            save(m)\n"
_LOGS = "        except Exception as e:\n            log.error(e)\n"
_STORES = "        except Exception as e:\n            errors.append(e)\n"
_MARKS_DONE = "        finally:\n            q.task_done()"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_TRY + _MARKS_DONE, SKIP),
        (_TRY + _LOGS + _MARKS_DONE, SKIP),
        (f"{_TRY}{_LOGS}        q.task_done()", SKIP),
        (_TRY + _STORES + _MARKS_DONE, YES),
        ("        save(m)\n        q.task_done()", YES),
    ],
)
def test_a_thread_that_marks_failed_work_as_done_is_reported(
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
_COMMITS_ON_SUCCESS = "        if kind is None:\n            c.commit(self.m)"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("        c.commit(self.m)\n        return True", SKIP),
        ("        log.warning(error)\n        return True", SKIP),
        ("        c.commit(self.m)", SKIP),
        (_COMMITS_ON_SUCCESS, YES),
        ("        log.info('done')\n        return False", YES),
    ],
)
def test_the_exit_of_a_context_manager_is_followed(
    body: str, expected: str, tmp_path: Path
) -> None:
    commit = "" if "commit" in body else "c.commit(m)"
    use = "with Acked(m):\n        save(m)"
    code = _PROGRAM.format(more=_MANAGER.format(body=body), body=use, last=commit)
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
def test_a_loop_that_breaks_on_an_error_skips_its_message(
    handler: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "app.py", _BATCHES.format(handler=handler), expected)
