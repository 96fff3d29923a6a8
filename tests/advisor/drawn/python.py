"""Writes a program in Python with confluent-kafka."""

from __future__ import annotations

from textwrap import indent

from tests.advisor.drawn.loops import (
    TRIES,
    Each,
    Handler,
    Job,
    Limit,
    Loop,
    ResultCheck,
    Retry,
    Save,
    Send,
    Try,
    parts,
)
from tests.advisor.drawn.writer import Writer, jumps, marks

_PROGRAM = """\
import logging
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from confluent_kafka import Consumer, KafkaException, Producer

from orders import parse, store

log = logging.getLogger(__name__)
pool = ThreadPoolExecutor(4)
consumer = Consumer({{
    "bootstrap.servers": "kafka:9092",
    "group.id": "orders",
    "auto.offset.reset": "earliest",
    "enable.auto.commit": {auto_commit},
}})
consumer.subscribe(["orders"])
{producer}
{methods}
def main():
{polls}


if __name__ == "__main__":
    main()
"""
_JOB = """\
import logging
import os
import sys

from confluent_kafka import KafkaException, Producer

from orders import read_all

log = logging.getLogger(__name__)
{producer}
{methods}
def main():
    records = read_all(sys.argv[1])
{polls}


if __name__ == "__main__":
    main()
"""
_PRODUCER = """\
producer = Producer({"bootstrap.servers": "kafka:9092", "acks": "all"})
errors = []
"""
_ENDING = {Limit.NONE: "\nproducer.flush()", Limit.SOME: "\nproducer.flush(5)", None: ""}
_CALLBACKS = {
    ResultCheck.LOGGED: ('log.error("failed: %s", error)', "failures.inc()"),
    ResultCheck.STORED: ("errors.append(error)",),
    ResultCheck.THROWN: ("raise KafkaException(error)",),
    ResultCheck.EXITED: ("os._exit(1)", 'log.error("failed: %s", error)\nos._exit(1)'),
}
_FAILED = ("if error is not None:", "if error:")
_FLUSH = {
    Limit.NONE: "producer.flush()",
    Limit.SOME: "producer.flush(10)",
    Limit.CHECKED: 'if producer.flush(10) > 0:\n    raise RuntimeError("not sent")',
}
_POLLS = """\
while True:
    messages = consumer.consume(100, 1.0)
    for message in messages:
        if message.error():
            raise KafkaException(message.error())
{body}"""
_SINGLE = """\
while True:
    message = consumer.poll(1.0)
    if message is None:
        continue
    if message.error():
        raise KafkaException(message.error())
{body}"""
_CLOSED = """\
try:
{polls}
finally:
    consumer.close()"""
_COPIES_TO_LIST = ("batch = list(messages)\n", "batch = [each for each in messages]\n",
             "batch = []\nfor each in messages:\n    batch.append(each)\n")  # fmt: skip
_AFTER_LOG = {
    Handler.LOG: (),
    Handler.FLAG: (),
    Handler.RETHROW: ("raise",),
    Handler.SKIP: ("continue",),
    Handler.STOP: ("break",),
    Handler.LEAVE: ("return",),
}
_FLAGS = (
    ("ok = True", "ok = False", "ok"),
    ("failed = 0", "failed += 1", "not failed"),
    ("failed = False", "failed = True", "not failed"),
)
_TASK = "pool.submit(store.save, message.value())"
_TRY_SAVE = """\
try:
    store.save(message.value())
except Exception:
    return False
return True"""


class Python(Writer):
    is_single = False
    """Whether a poll returns one record."""

    def program(self, program: Loop | Job) -> str:
        sends = any(isinstance(part, Send) for part in parts(program))
        if isinstance(program, Job):
            polls, frame = self.block(program.body) + _ENDING[program.ending], _JOB
        else:
            self.is_single = program.single
            self.flag = _FLAGS[int(self.choose("012"))]
            body = self.inner(program.body)
            if marks(program):
                body = f"    {self.flag[0]}\n{body}"
            polls, frame = (_SINGLE if program.single else _POLLS).format(body=body), _PROGRAM
        if isinstance(program, Loop) and program.closed:
            polls = _CLOSED.format(polls=indent(polls, "    "))
        text = frame.format(
            auto_commit=isinstance(program, Loop) and program.auto_commit,
            polls=indent(polls, "    "), methods="".join(self.methods),
            producer=_PRODUCER if sends else "",
        )  # fmt: skip
        return text if isinstance(program, Loop) else text.replace("messages:", "records:")

    def send(self, result_check: ResultCheck) -> str:
        sent = 'producer.produce("out", key=message.key(), value=message.value()'
        if result_check is ResultCheck.UNCHECKED:
            return f"{sent})"
        statements = self.choose(_CALLBACKS[result_check])
        body = f"{self.choose(_FAILED)}\n{indent(statements, '    ')}"
        self.methods.append(f"\ndef delivered(error, message):\n{indent(body, '    ')}\n\n")
        text = f"{sent}, {self.choose(('on_delivery', 'callback'))}=delivered)"
        match self.choose(("plain", "plain", "served", "function")):
            case "served":
                return f"{text}\nproducer.poll(0)"
            case "function":
                return self.function("send", text)
            case _:
                return text

    def flush(self, limit: Limit) -> str:
        return _FLUSH[limit]

    def wait(self) -> str:
        raise NotImplementedError  # produce() returns no future

    def check(self, handler: Handler) -> str:
        after = self._after(handler, "").replace("raise", 'raise RuntimeError("failed")')
        return f"if errors:\n{after}"

    def save(self) -> str:
        match self.choose(("call", "parsed", "function")):
            case "parsed":
                return "order = parse(message.value())\nstore.save(order)"
            case "function":
                return self.function("one", "store.save(message.value())")
            case _:
                return "store.save(message.value())"

    def log(self) -> str:
        return 'log.info("got %s", message.offset())'

    def commit(self, whole: bool) -> str:
        if whole:
            return "consumer.commit(asynchronous=False)"
        return "consumer.commit(message, asynchronous=False)"

    def unless_failed(self, text: str) -> str:
        return f"if {self.flag[2]}:\n{indent(text, '    ')}"

    def each(self, each: Each) -> str:
        body = self.block(each.body)
        if not jumps(each) and self.choose(("in place", "function")) == "function":
            body = self.function("handle", body)
        if self.is_single:
            return body
        copy = self.choose(_COPIES_TO_LIST) if each.gathered else ""
        records = "batch" if each.gathered else "messages"
        return f"{copy}for message in {records}:\n{indent(body, '    ')}"

    def submit(self, waited: bool) -> str:
        if self.is_single:
            return f"{_TASK}.result()" if waited else _TASK
        if not waited:
            return f"for message in messages:\n    {_TASK}"
        return (
            f"futures = [{_TASK} for message in messages]\n"
            "for future in futures:\n    future.result()"
        )

    def guarded(self, block: Try) -> str:
        if tuple(block.body) == (Save(),) and not block.last and self.choose(("try", "if")) == "if":
            call = self.function("tried", _TRY_SAVE)
            after = self._after(block.handler, "").replace("raise", 'raise RuntimeError("failed")')
            return f"if not {call}:\n{after}"
        text = f"try:\n{self.inner(block.body)}"
        if block.handler is not Handler.RETHROW or not block.last:
            text += f"\nexcept Exception:\n{self._after(block.handler, 'e')}"
        if block.last:
            text += f"\nfinally:\n{self.inner(block.last)}"
        return text

    def _after(self, handler: Handler, error: str) -> str:
        logged = 'log.exception("failed")' if error else 'log.error("failed")'
        is_next = self.is_single and handler is Handler.STOP
        after = _AFTER_LOG[Handler.SKIP if is_next else handler]
        if handler is Handler.FLAG:
            after = (self.flag[1],)
        return indent("\n".join((logged, *after)), "    ")

    def retry(self, block: Retry) -> str:
        last = f"\n        if attempt == {TRIES}:\n            raise" if block.throws else ""
        return (
            f"for attempt in range(1, {TRIES + 1}):\n    try:\n"
            + indent(self.block(block.body), " " * 8)
            + "\n        break\n    except Exception:\n"
            f'        log.warning("again"){last}'
        )

    def function(self, name: str, body: str) -> str:
        """Adds a function with this body. Returns its call."""
        self.methods.append(f"\ndef {name}(message):\n{indent(body, '    ')}\n\n")
        return f"{name}(message)"
