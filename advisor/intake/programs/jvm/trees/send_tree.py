"""Sends of JVM code as statements for the simulation (`programs.trees`), and conditions on the
errors that their callbacks store. `Unclear` is raised for code that is not certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.errors import calls
from advisor.intake.programs.jvm.errors import sends as jvm_sends
from advisor.intake.programs.jvm.errors.callbacks import Callback
from advisor.intake.programs.jvm.log_only import only_logs, statements
from advisor.intake.programs.jvm.text import Text
from advisor.intake.programs.trees import (
    Block,
    Condition,
    Flush,
    ForEach,
    Send,
    SendErrors,
    Unclear,
    Wait,
)

_MAX_MATCHES, _MAX_PREFIX = 100, 80
_SEND_PREFIX = re.compile(
    r"(?:(?:final\s+)?(?:va[lr]\s+|[\w<>\[\]?., ]+\s)(?P<name>\w+)\s*(?::[^=]*)?=\s*"
    r"|(?P<list>\w+)\s*(?:\.\s*add\s*\(|\+=)\s*)?"
)
_ADD_TO_LIST = re.compile(r"(?P<list>\w+)\s*(?:\.\s*add\s*\(|\+=)\s*$")
_EMPTY_OBJECT = re.compile(
    r"[\w<>\[\]?., ]+\s\w+\s*(?::[^=]*)?=\s*(?:new\s+)?[\w.]+(?:<.*>|\[.*\])?\s*\(\s*\)\s*"
)
_WAIT = re.compile(
    r"(?:[\w<>:?, ]+=\s*)?(?P<name>\w+)\s*(?P<element>(?:\.\s*get\s*\(\s*\w+\s*\)|\[\w+\])\s*)?"
    r"\.\s*(?:get|join|await)\s*\([^(){}]*\)[\s.\w()]*"
)
_WAIT_EACH = re.compile(
    r"(?P<name>\w+)\s*\.\s*(?:for[Ee]ach|map)\s*[({][^{}]*?(?:\.|::)\s*(?:get|join|await)\b"
    r"(?:\s*\([^(){}]*\))?[\s;]*[)}]\s*"
)
_IMMEDIATE_WAIT = re.compile(r"\s*\.\s*(?:get|join|await)\s*\([^(){}]*\)[\s.\w()]*")
_FLUSH = re.compile(r"\s*(?P<producer>\w+)\s*\.\s*(?P<method>flush|close)\s*\((?P<timeout>.*)\)\s*")
_STORING_STATEMENT = re.compile(
    r"\s*(?:this\.)?(?:\w+\s*\.\s*)?(?P<name>\w+)\s*(?:=(?!=)\s*(?P<value>\w+)(?:\(\w*\))?|\+\+|\+=\s*[\w.]+"
    r"|\.\s*(?:set|add|offer|put|addLast|push|compareAndSet|lazySet|incrementAndGet|increment"
    r"|getAndIncrement|inc)\s*\((?P<argument>[\w\s,.()]*)\))\s*"
)
"""A statement of a callback that stores or counts an error."""
_DECLARATION = r"(?:\bva[lr]\s+|[\w>\]]\s+){0}\s*[=;:]"
_BARE_CALL = re.compile(r"(?<![\w.])([a-z]\w*)\s*\(\)\s*(?=[;\n})])")
"""A call without arguments."""
_EXIT = re.compile(r"\s*(?:[\w.]+(?:\(\s*\))?\s*\.\s*)?(?:exit|exitProcess|halt)\s*\(.*\)\s*")
_THROW = re.compile(r"\s*throw\b.*", re.DOTALL)
_CONDITION = re.compile(
    r"\s*(?P<not>!\s*)?(?:this\.)?(?P<name>\w+)\s*"
    r"(?:\.\s*(?P<accessor>\w+)(?:\s*\(\s*\))?)?\s*(?:(?P<operator>[!=]=|>)\s*(?P<value>null|true|false|0))?\s*"
)
_RESET = re.compile(
    r"\s*[\w<>\[\]?:., ]*?\w\s*(?:=(?!=)\s*(?:new\b.*|false|true|null|0|\w*(?:<[^<>]*>)?\(.*\))"
    r"|\.\s*(?:clear|reset)\s*\(\s*\)|\.\s*set\s*\(\s*(?:false|true|null|0)\s*\))\s*",
    re.DOTALL,
)
_ACCESSOR_VALUES = {
    "": True, "get": True, "isEmpty": False, "isNotEmpty": True, "nonEmpty": True, "size": True,
    "intValue": True, "isDefined": True, "sum": True, "any": True, "count": True, "value": True,
}  # fmt: skip
"""The value of an accessor where an error is stored."""


_SUBMITTED_TASK = re.compile(r"\b\w+\s*\.\s*submit\s*\((?=\s*(?:\(\s*\)\s*->|[\w.]+\s*::))")


class Sends:
    """The sends of a file, and the names in which their callbacks store errors. With `tasks`, a
    task that is submitted to a pool counts as a send if its future is stored."""

    def __init__(self, text: Text, *, tasks: bool = False) -> None:
        self._text = text
        self.producers = jvm_sends.producer_names(text.plain)
        is_plain = "commitTransaction" not in text.plain
        self.places = jvm_sends.sends(text, self.producers) if is_plain else []
        self._tasks = {*_submitted_tasks(text)} if tasks else set[tuple[int, int]]()
        self._calls = [*self.places, *self._tasks]
        self._templates = jvm_sends.template_names(text.plain)
        lists = (
            _ADD_TO_LIST.search(text.plain, max(0, at - _MAX_PREFIX), at) for at, _ in self.places
        )
        self.futures = {match["list"]: match["list"] for match in lists if match}
        """The names of futures, with the name of the list that holds each."""
        self._error_names = dict[str, bool]()
        """The names in which callbacks store errors, and whether they are then true."""
        for _, opened in self.places:
            if callback := jvm_sends.callback_of_send(text, opened):
                self._callback_effect(callback)

    def mentions_producer(self, code: str) -> bool:
        """Whether code mentions a producer: it may pass it to a function, or call it."""
        return not self.producers.isdisjoint(re.findall(r"\w+", code))

    def is_send(self, at: int, stop: int) -> bool:
        """Whether a statement sends."""
        return any(at <= begin < stop for begin, _ in self._calls)

    def wait(self, at: int, stop: int) -> Block | None:
        """Returns the statements for code that waits for sends; None if it does not wait. Raises
        `Unclear` for code that uses a future in another way."""
        plain = self._text.plain
        flush = _FLUSH.fullmatch(plain, at, stop)
        if flush and flush["producer"] in self.producers:
            return [Flush(is_limited=bool(flush["timeout"].strip()))]
        if not self.mentions_future(plain[at:stop]):
            return None
        if _EMPTY_OBJECT.fullmatch(plain, at, stop):
            return []
        if (wait := _WAIT.fullmatch(plain, at, stop)) and wait["name"] in self.futures:
            future_wait = Wait(self.futures[wait["name"]])
            return [
                ForEach((future_wait,), futures=future_wait.name)
                if wait["element"]
                else future_wait
            ]
        if (loop := _WAIT_EACH.fullmatch(plain, at, stop)) and loop["name"] in self.futures:
            return [ForEach((Wait(loop["name"]),), futures=loop["name"])]
        raise Unclear

    def mentions_future(self, code: str) -> bool:
        """Whether code mentions stored futures."""
        return not self.futures.keys().isdisjoint(re.findall(r"\w+", code))

    def send(self, at: int, stop: int) -> Block:
        """Returns the statements for code that sends. Raises `Unclear`."""
        plain = self._text.plain
        places = [place for place in self._calls if at <= place[0] < stop]
        (begin, opened), more = places[0], len(places) > 1
        target = _SEND_PREFIX.fullmatch(plain, at, begin)
        end = self._text.closed(opened)
        if more or target is None:
            raise Unclear
        if _IMMEDIATE_WAIT.fullmatch(plain, end, stop):
            return [Send(begin, SendErrors.WAITED)]
        if name := target["name"] or target["list"]:
            if plain[end:stop].strip() not in ("", ")"):
                raise Unclear
            self.futures[name] = name
            return [Send(begin, SendErrors.FUTURE, frozenset({name}))]
        if places[0] in self._tasks:
            raise Unclear
        return [self._send_with_callback(begin, opened, plain[end:stop])]

    def _send_with_callback(self, begin: int, opened: int, after: str) -> Send:
        plain = self._text.plain
        is_producer = self._templates.isdisjoint(re.findall(r"\w+", plain[begin:opened]))
        arguments = plain[opened : self._text.closed(opened) - 1]
        callback_code = calls.after_first_argument(arguments) if is_producer else ""
        if not callback_code.strip() and not after.strip():
            return Send(begin, SendErrors.UNCHECKED)
        callback = jvm_sends.callback_of_send(self._text, opened)
        if callback is None or (after.strip() and not after.lstrip().startswith("{")):
            raise Unclear
        effect, names = self._callback_effect(callback)
        if effect is None:
            raise Unclear
        return Send(begin, effect, names)

    def _callback_effect(self, callback: Callback) -> tuple[SendErrors | None, frozenset[str]]:
        """Returns what a callback does with an error, and the names in which it stores it."""
        if callback.marks_sent():
            return None, frozenset()
        body = [code for code in statements(callback.with_error()) if code.strip()]
        stored = [match for code in body if (match := _STORING_STATEMENT.fullmatch(code))]
        self._error_names |= {
            it["name"]: "false" not in (it["value"], it["argument"]) for it in stored
        }
        if any(self._may_be_checked_elsewhere(it["name"]) for it in stored):
            return None, frozenset()
        rest = [
            code for code in body if not (_STORING_STATEMENT.fullmatch(code) or only_logs(code))
        ]
        if any(map(_EXIT.fullmatch, rest)):
            return SendErrors.ENDED, frozenset()
        if any(not _THROW.fullmatch(code) for code in rest):
            return None, frozenset()
        return (SendErrors.VARIABLE if stored else SendErrors.UNCHECKED), frozenset(
            it["name"] for it in stored
        )

    def _may_be_checked_elsewhere(self, name: str) -> bool:
        """Whether a method of a base class may check the error in a name."""
        plain = self._text.plain
        is_declared = re.search(_DECLARATION.format(name), plain)
        called = {match[1] for match in islice(_BARE_CALL.finditer(plain), _MAX_MATCHES)}
        return not is_declared and any(not self._text.bodies(other) for other in called)

    def uses_errors(self, code: str) -> bool:
        """Whether code uses the errors that callbacks store, other than to reset or log them."""
        mentions_error = not self._error_names.keys().isdisjoint(re.findall(r"\w+", code))
        return mentions_error and not (_RESET.fullmatch(code) or only_logs(code))

    def condition(self, code: str) -> Condition | None:
        """Returns the condition on an error that a callback stores; None for other conditions.
        Raises `Unclear` for other code about these errors, or about a future."""
        match = _CONDITION.fullmatch(code)
        if match is None or match["name"] not in self._error_names:
            if self.uses_errors(code) or self.mentions_future(code):
                raise Unclear
            return None
        value = _ACCESSOR_VALUES.get(match["accessor"] or "")
        if value is None:
            raise Unclear
        is_equal = match["operator"] in (None, ">") or (match["operator"] == "==") == (
            match["value"] == "true"
        )
        value = value is (is_equal is self._error_names[match["name"]])
        return Condition(error=match["name"], negated=value is bool(match["not"]))


def _submitted_tasks(text: Text) -> Iterator[tuple[int, int]]:
    """Yields the spans of calls that submit an expression, whose errors are in the future."""
    for match in islice(_SUBMITTED_TASK.finditer(text.plain), _MAX_MATCHES):
        if "{" not in text.plain[match.end() : text.closed(match.end())]:
            yield match.span()
