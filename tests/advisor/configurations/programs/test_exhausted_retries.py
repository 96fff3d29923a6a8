"""Python programs that retry a message, and what they do after the last attempt.

Sources: tenacity (BaseRetrying.iter: what `retry_error_callback` returns replaces the error);
backoff (`on_exception`, `raise_on_giveup`; `on_predicate` returns the last result).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program

_HEAD = (
    "from confluent_kafka import Consumer\nimport backoff, functools, logging, tenacity, time\n"
    "log = logging.getLogger(__name__)\n"
    'c = Consumer({"bootstrap.servers": "k", "group.id": "g", "auto.offset.reset": "earliest", '
    '"enable.auto.commit": False})\nc.subscribe(["t"])\n'
)
_POLL = "while True:\n    m = c.poll(1.0)\n    if m is None or m.error(): continue\n"
_TELL = "def tell(e):\n    log.error(e)\n"
_PARK = "def park(m):\n    dlq.send(m)\n"
_ATTEMPTS = (
    "last = None\nfor i in range(3):\n    try:\n        save(m)\n        break\n"
    "    except Exception as e:\n        last = e\n        time.sleep(1)\nelse:\n    {}"
)
_ENDLESS = (
    "n = 0\nwhile True:\n    try:\n        save(m)\n        break\n    except Exception as e:\n"
    "        n += 1\n        if n >= 3:\n            {}\n        time.sleep(1)"
)
_FLAG = (
    "ok, n = False, 0\nok = False\nwhile not ok and n < 3:\n    try:\n        save(m)\n"
    "        ok = True\n    except Exception as e:\n        n += 1\n{}"
)
_COUNT = (
    "n = 0\nwhile n < 3:\n    try:\n        save(m)\n        break\n    except Exception as e:\n"
    "        n += 1\n{}"
)
_ATTEMPT = (
    "def attempt(m, {}):\n    last = None\n    for i in range(3):\n        try:\n"
    "            save(m)\n            return\n        except Exception as e:\n"
    "            last = e\n    {}\n"
)
_WORK = "{}\ndef work(m):\n    save(m)\n"
_GIVES_UP = "stop=tenacity.stop_after_attempt(3), retry_error_callback="
_RETRY = f"@tenacity.retry({_GIVES_UP}{{}})"
_BACKOFF = "@backoff.on_exception(backoff.expo, Exception, max_tries=3, {})"
_PARSE = "def parsed(m):\n    try:\n        return json.loads(m.value())\n    except ValueError:\n"
_PARSE += "        return None\n"
_PAIR = "def attempt(m):\n    try:\n        save(m)\n        return True, None\n"
_PAIR += "    except Exception as e:\n        return False, e\n"
_LAST_ERROR = (
    "def attempt(m):\n    last = None\n    for i in range(3):\n        try:\n            save(m)\n"
)
_LAST_ERROR += "            return None\n        except Exception as e:\n            last = e\n"
_LAST_ERROR += "    return last\n"
_TRY = "try:\n    save(m)\nexcept Exception as e:\n    {}"


def _program(definitions: str, body: str) -> str:
    indented = "".join(f"    {line}\n" for line in f"{body}\nc.commit(m)".splitlines())
    return f"{_HEAD}{definitions}{_POLL}{indented}"


@pytest.mark.parametrize(("definitions", "body", "expected"), [
    (_TELL, _ATTEMPTS.format("tell(last)"), SKIP),
    ("tell = lambda e: log.error(e)\n", _ATTEMPTS.format("tell(last)"), SKIP),
    (f"{_TELL}HANDLERS = {{'last': tell}}\n", _ATTEMPTS.format("HANDLERS['last'](last)"), SKIP),
    (f"{_PARK}HANDLERS = {{'last': park}}\n", _ATTEMPTS.format("HANDLERS['last'](m)"), YES),
    (_PARK, _ATTEMPTS.format("park(m)"), YES),
    ("", _ATTEMPTS.format("park(m)"), YES),
    ("", _ATTEMPTS.format("raise last"), YES),
    (_ATTEMPT.format("on_failure", "on_failure(last)"), "attempt(m, lambda e: log.error(e))", SKIP),
    (_TELL + _ATTEMPT.format("on_failure=tell", "on_failure(last)"), "attempt(m)", SKIP),
    (_ATTEMPT.format("on_failure", "on_failure(m, last)"), "attempt(m, lambda m, e: dlq.send(m))",
     YES),
    (_ATTEMPT.format("n", "dlq.send(m)"), "attempt(m, 3)", YES),
    ("", _ENDLESS.format("log.error(e); break"), SKIP),
    (_TELL, _ENDLESS.format("tell(e); break"), SKIP),
    ("", _ENDLESS.format("dlq(m); break"), YES),
    ("", _ENDLESS.format("raise"), YES),
    ("", _FLAG.format(""), SKIP),
    ("", _FLAG.format("if not ok:\n    log.error(m)"), SKIP),
    ("", _FLAG.format("if not ok:\n    dlq(m)"), YES),
    ("", _COUNT.format("if n == 3:\n    log.error(m)"), SKIP),
    ("", _COUNT.format("if n == 3:\n    dlq(m)"), YES),
    ("", _COUNT.format("if n < 3:\n    audit(m)"), SKIP),
    ("", "ok = save(m)\nwhile not ok:\n    time.sleep(1)\n    ok = save(m)", YES),
    ("", "done = False\nwhile not done:\n    try:\n        save(m)\n        done = True\n"
         "    except ValueError as e:\n        log.error(e)\n        break\n", SKIP),
    ("def attempt(m, n=3):\n    try:\n        save(m)\n    except Exception as e:\n"
     "        if n > 0:\n            attempt(m, n - 1)\n        else:\n            log.error(e)\n",
     "attempt(m)", SKIP),
])  # fmt: skip
def test_skipping_a_message_after_the_last_attempt_is_reported(
    tmp_path: Path, definitions: str, body: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _program(definitions, body), expected)


@pytest.mark.parametrize(("definitions", "body", "expected"), [
    (_WORK.format("@tenacity.retry(stop=tenacity.stop_after_attempt(3))"), "work(m)", YES),
    (_WORK.format(_RETRY.format("lambda s: None")), "work(m)", SKIP),
    (_WORK.format(_RETRY.format("elsewhere")), "work(m)", SKIP),
    (_WORK.format(_RETRY.format("send_to_dlq")), "work(m)", YES),
    (_TELL + _WORK.format(_RETRY.format("tell")), "work(m)", SKIP),
    ("def keep(state):\n    dlq.send(state.args[0])\n" + _WORK.format(_RETRY.format("keep")),
     "work(m)", YES),
    (_WORK.format(_RETRY.format("lambda s: s.outcome.result()")), "work(m)", YES),
    (_WORK.format(_RETRY.format("lambda s: False")), "ok = work(m)\nif ok is False: raise X()",
     YES),
    (f"POLICY = dict({_GIVES_UP}lambda s: None)\n" + _WORK.format("@tenacity.retry(**POLICY)"),
     "work(m)", SKIP),
    (f"quiet = tenacity.retry({_GIVES_UP}lambda s: None)\n" + _WORK.format("@quiet"), "work(m)",
     SKIP),
    (f"r = tenacity.Retrying({_GIVES_UP}lambda s: None)\n", "r(save, m)", SKIP),
    ("", f"tenacity.Retrying({_GIVES_UP}lambda s: log.error(s))(save, m)", SKIP),
    ("", f"tenacity.Retrying({_GIVES_UP}lambda s: dlq.send(s.args[0]))(save, m)", YES),
    ("r = tenacity.Retrying(stop=tenacity.stop_after_attempt(3))\n", "r(save, m)", YES),
    ("", f"for attempt in tenacity.Retrying({_GIVES_UP}lambda s: None):\n"
         "    with attempt:\n        save(m)", SKIP),
    ("", "for attempt in tenacity.Retrying(stop=tenacity.stop_after_attempt(3)):\n"
         "    with attempt:\n        save(m)", YES),
    (_WORK.format("@tenacity.retry"), f"work.retry_with({_GIVES_UP}lambda s: None)(m)", SKIP),
    (_TELL + _WORK.format(_BACKOFF.format("on_giveup=tell")), "work(m)", YES),
    (_TELL + _WORK.format(_BACKOFF.format("on_giveup=tell, raise_on_giveup=False")), "work(m)",
     SKIP),
    ("def keep(d):\n    dlq.send(d['args'][0])\n"
     + _WORK.format(_BACKOFF.format("on_giveup=[tell, keep], raise_on_giveup=False")), "work(m)",
     YES),
    (_WORK.format("@backoff.on_predicate(backoff.expo, max_tries=3)"), "work(m)", SKIP),
    (_WORK.format("@backoff.on_predicate(backoff.expo, max_tries=3)"), "if not work(m): raise X()",
     YES),
])  # fmt: skip
def test_a_retry_library_that_hides_the_last_error_is_reported(
    tmp_path: Path, definitions: str, body: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _program(definitions, body), expected)


@pytest.mark.parametrize(("definitions", "body", "expected"), [
    (_PARSE, "o = parsed(m)\nif o is not None:\n    save(o)", SKIP),
    (_PARSE, "o = parsed(m)\nif o is None:\n    park(m)\nelse:\n    save(o)", YES),
    (_PARSE, "o = parsed(m)\nif o is None: raise X()\nsave(o)", YES),
    (_PARSE, "o = parsed(m)\nif o is None:\n    log.warning(m)\nelse:\n    save(o)", SKIP),
    ("", "o = None\ntry:\n    o = parse(m)\nexcept ValueError:\n    log.warning('bad')\n"
         "if o is None: raise X()\nelse: park(m)", YES),
    (_PAIR, "a, b = attempt(m)\nif not a: raise b", YES),
    (_PAIR, "a, b = attempt(m)\nif not a: log.error(b)", SKIP),
    (_LAST_ERROR, "problem = attempt(m)\nif problem is not None: raise problem", YES),
    (_LAST_ERROR, "problem = attempt(m)\nif problem is not None: log.error(problem)", SKIP),
])  # fmt: skip
def test_a_returned_error_that_is_not_handled_is_reported(
    tmp_path: Path, definitions: str, body: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _program(definitions, body), expected)


@pytest.mark.parametrize(("definitions", "call", "expected"), [
    (f"{_TELL}HANDLERS = {{ValueError: tell}}\n", "HANDLERS[type(e)](e)", SKIP),
    (f"{_TELL}HANDLERS = {{ValueError: tell}}\n", "HANDLERS.get(type(e), tell)(e)", SKIP),
    ("def fail(e):\n    raise e\nHANDLERS = {ValueError: fail}\n", "HANDLERS[type(e)](e)", YES),
    (f"{_TELL}HANDLERS = [tell, lambda e: metrics.inc()]\n", "for h in HANDLERS: h(e)", SKIP),
    ("complain = log.error\n", "complain(e)", SKIP),
    ("h = functools.partial(log.error, 'failed')\n", "h(e)", SKIP),
    (f"{_TELL}class W:\n    def __init__(self, on_failure=tell):\n"
     "        self.on_failure = on_failure\nw = W()\n", "w.on_failure(e)", SKIP),
    (f"{_PARK}class W:\n    def __init__(self, on_failure):\n"
     "        self.on_failure = on_failure\nw = W(park)\n", "w.on_failure(m)", YES),
    (f"{_TELL}{_PARK}class W:\n    def __init__(self, on_failure=tell):\n"
     "        self.on_failure = on_failure\nw = W(park)\n", "w.on_failure(m)", YES),
])  # fmt: skip
def test_an_error_handler_is_followed_through_its_aliases(
    tmp_path: Path, definitions: str, call: str, expected: str
) -> None:
    assert_program(tmp_path / "a.py", _program(definitions, _TRY.format(call)), expected)
