"""Writes a loop as a program in Python, with confluent-kafka."""

from __future__ import annotations

from textwrap import indent

from tests.advisor.drawn.loops import TRIES, Each, Handler, Loop, Retry, Save, Try
from tests.advisor.drawn.writer import Writer, jumps

_PROGRAM = """\
import logging
from concurrent.futures import ThreadPoolExecutor

from confluent_kafka import Consumer, KafkaException

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

{methods}
def main():
{polls}


if __name__ == "__main__":
    main()
"""
_POLLS = """\
while True:
    messages = consumer.consume(100, 1.0)
    for message in messages:
        if message.error():
            raise KafkaException(message.error())
{body}"""
_CLOSED = """\
try:
{polls}
finally:
    consumer.close()"""
_GATHERED = ("batch = list(messages)\n", "batch = [each for each in messages]\n",
             "batch = []\nfor each in messages:\n    batch.append(each)\n")  # fmt: skip
_AFTER = {
    Handler.LOG: (),
    Handler.RETHROW: ("raise",),
    Handler.STOP: ("break",),
    Handler.LEAVE: ("return",),
}
_TASK = "pool.submit(store.save, message.value())"
_TRIED = """\
try:
    store.save(message.value())
except Exception:
    return False
return True"""


class Python(Writer):
    def program(self, loop: Loop) -> str:
        polls = _POLLS.format(body=self.inner(loop.body))
        if loop.closed:
            polls = _CLOSED.format(polls=indent(polls, "    "))
        return _PROGRAM.format(
            auto_commit=loop.auto_commit,
            polls=indent(polls, "    "), methods="".join(self.methods),
        )  # fmt: skip

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

    def each(self, each: Each) -> str:
        body = self.block(each.body)
        if not jumps(each) and self.choose(("in place", "function")) == "function":
            body = self.function("handle", body)
        before = self.choose(_GATHERED) if each.gathered else ""
        every = "batch" if each.gathered else "messages"
        return f"{before}for message in {every}:\n{indent(body, '    ')}"

    def submit(self, waited: bool) -> str:
        if not waited:
            return f"for message in messages:\n    {_TASK}"
        return (
            f"futures = [{_TASK} for message in messages]\n"
            "for future in futures:\n    future.result()"
        )

    def guarded(self, block: Try) -> str:
        if tuple(block.body) == (Save(),) and not block.last and self.choose(("try", "if")) == "if":
            call = self.function("tried", _TRIED)
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
        return indent("\n".join((logged, *_AFTER[handler])), "    ")

    def retry(self, block: Retry) -> str:
        last = f"\n        if attempt == {TRIES}:\n            raise" if block.throws else ""
        return (
            f"for attempt in range(1, {TRIES + 1}):\n    try:\n"
            + indent(self.block(block.body), " " * 8)
            + "\n        break\n    except Exception:\n"
            f'        log.warning("again"){last}'
        )

    def function(self, name: str, body: str) -> str:
        """A call of a function with this body."""
        self.methods.append(f"\ndef {name}(message):\n{indent(body, '    ')}\n\n")
        return f"{name}(message)"
