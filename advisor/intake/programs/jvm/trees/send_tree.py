"""Sends of JVM code as statements that can be played (`programs.trees`), and questions for what
their callbacks keep. What is not known for certain is `Unclear`.
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

_MOST, _BEFORE = 100, 80
_BEGINS = re.compile(
    r"(?:(?:final\s+)?(?:va[lr]\s+|[\w<>\[\]?., ]+\s)(?P<name>\w+)\s*(?::[^=]*)?=\s*"
    r"|(?P<list>\w+)\s*(?:\.\s*add\s*\(|\+=)\s*)?"
)
_PUT = re.compile(r"(?P<list>\w+)\s*(?:\.\s*add\s*\(|\+=)\s*$")
_MADE = re.compile(
    r"[\w<>\[\]?., ]+\s\w+\s*(?::[^=]*)?=\s*(?:new\s+)?[\w.]+(?:<.*>|\[.*\])?\s*\(\s*\)\s*"
)
_WAIT = re.compile(
    r"(?:[\w<>:?, ]+=\s*)?(?P<name>\w+)\s*(?P<one>(?:\.\s*get\s*\(\s*\w+\s*\)|\[\w+\])\s*)?"
    r"\.\s*(?:get|join|await)\s*\([^(){}]*\)[\s.\w()]*"
)
_WAIT_EACH = re.compile(
    r"(?P<name>\w+)\s*\.\s*(?:for[Ee]ach|map)\s*[({][^{}]*?(?:\.|::)\s*(?:get|join|await)\b"
    r"(?:\s*\([^(){}]*\))?[\s;]*[)}]\s*"
)
_WAITS = re.compile(r"\s*\.\s*(?:get|join|await)\s*\([^(){}]*\)[\s.\w()]*")
_WAITS_FOR_ALL = re.compile(
    r"\s*(?P<whose>\w+)\s*\.\s*(?P<verb>flush|close)\s*\((?P<given>.*)\)\s*"
)
_KEEPS = re.compile(
    r"\s*(?:this\.)?(?:\w+\s*\.\s*)?(?P<name>\w+)\s*(?:=(?!=)\s*(?P<to>\w+)(?:\(\w*\))?|\+\+|\+=\s*[\w.]+"
    r"|\.\s*(?:set|add|offer|put|addLast|push|compareAndSet|lazySet|incrementAndGet|increment"
    r"|getAndIncrement|inc)\s*\((?P<set>[\w\s,.()]*)\))\s*"
)
"""A statement of a callback that keeps an error, or counts it."""
_DECLARED = r"(?:\bva[lr]\s+|[\w>\]]\s+){0}\s*[=;:]"
_OF_BASE = re.compile(r"(?<![\w.])([a-z]\w*)\s*\(\)\s*(?=[;\n})])")
"""A call of a method that is given nothing."""
_EXITS = re.compile(r"\s*(?:[\w.]+(?:\(\s*\))?\s*\.\s*)?(?:exit|exitProcess|halt)\s*\(.*\)\s*")
_THROWS = re.compile(r"\s*throw\b.*", re.DOTALL)
_ASKS = re.compile(
    r"\s*(?P<not>!\s*)?(?:this\.)?(?P<name>\w+)\s*"
    r"(?:\.\s*(?P<of>\w+)(?:\s*\(\s*\))?)?\s*(?:(?P<op>[!=]=|>)\s*(?P<to>null|true|false|0))?\s*"
)
_EMPTIES = re.compile(
    r"\s*[\w<>\[\]?:., ]*?\w\s*(?:=(?!=)\s*(?:new\b.*|false|true|null|0|\w*(?:<[^<>]*>)?\(.*\))"
    r"|\.\s*(?:clear|reset)\s*\(\s*\)|\.\s*set\s*\(\s*(?:false|true|null|0)\s*\))\s*",
    re.DOTALL,
)
_ANSWERS = {
    "": True, "get": True, "isEmpty": False, "isNotEmpty": True, "nonEmpty": True, "size": True,
    "intValue": True, "isDefined": True, "sum": True, "any": True, "count": True, "value": True,
}  # fmt: skip
"""What an accessor says where an error is kept."""


_TASK = re.compile(r"\b\w+\s*\.\s*submit\s*\((?=\s*(?:\(\s*\)\s*->|[\w.]+\s*::))")


class Sends:
    """The sends of a text, and the names that their callbacks keep errors in. With `tasks` what a
    pool is given is like a send, where its future is taken."""

    def __init__(self, text: Text, *, tasks: bool = False) -> None:
        self._text = text
        self.producers = jvm_sends.producer_names(text.plain)
        is_plain = "commitTransaction" not in text.plain
        self.places = jvm_sends.sends(text, self.producers) if is_plain else []
        self._tasks = {*_given(text)} if tasks else set[tuple[int, int]]()
        self._begun = [*self.places, *self._tasks]
        self._templates = jvm_sends.template_names(text.plain)
        lists = (_PUT.search(text.plain, max(0, at - _BEFORE), at) for at, _ in self.places)
        self.futures = {found["list"]: found["list"] for found in lists if found}
        """The names of futures, and of the lists that they are in."""
        self._kept = dict[str, bool]()
        """What the names say in which an error is kept."""
        for _, opened in self.places:
            if heard := jvm_sends.callback_of_send(text, opened):
                self._does(heard)

    def are_handed_on(self, code: str) -> bool:
        """Whether code gives a producer to others, or calls something else of it."""
        return not self.producers.isdisjoint(re.findall(r"\w+", code))

    def are_in(self, at: int, stop: int) -> bool:
        """Whether a statement sends."""
        return any(at <= begin < stop for begin, _ in self._begun)

    def waits(self, at: int, stop: int) -> Block | None:
        """What a statement does that waits for what was sent; None for one that does not. Raises
        `Unclear` for one that does something else with a future."""
        plain = self._text.plain
        whole = _WAITS_FOR_ALL.fullmatch(plain, at, stop)
        if whole and whole["whose"] in self.producers:
            return [Flush(is_limited=bool(whole["given"].strip()))]
        if not self.is_future(plain[at:stop]):
            return None
        if _MADE.fullmatch(plain, at, stop):
            return []
        if (wait := _WAIT.fullmatch(plain, at, stop)) and wait["name"] in self.futures:
            own = Wait(self.futures[wait["name"]])
            return [ForEach((own,), of=own.name) if wait["one"] else own]
        if (each := _WAIT_EACH.fullmatch(plain, at, stop)) and each["name"] in self.futures:
            return [ForEach((Wait(each["name"]),), of=each["name"])]
        raise Unclear

    def is_future(self, code: str) -> bool:
        """Whether code is about futures that something has."""
        return not self.futures.keys().isdisjoint(re.findall(r"\w+", code))

    def sent(self, at: int, stop: int) -> Block:
        """What a statement does that sends. Raises `Unclear`."""
        plain = self._text.plain
        found = [place for place in self._begun if at <= place[0] < stop]
        (begin, opened), more = found[0], len(found) > 1
        named = _BEGINS.fullmatch(plain, at, begin)
        end = self._text.closed(opened)
        if more or named is None:
            raise Unclear
        if _WAITS.fullmatch(plain, end, stop):
            return [Send(begin, SendErrors.WAITED)]
        if name := named["name"] or named["list"]:
            if plain[end:stop].strip() not in ("", ")"):
                raise Unclear
            self.futures[name] = name
            return [Send(begin, SendErrors.KEPT, frozenset({name}))]
        if found[0] in self._tasks:
            raise Unclear
        return [self._send(begin, opened, plain[end:stop])]

    def _send(self, begin: int, opened: int, behind: str) -> Send:
        plain = self._text.plain
        is_ours = self._templates.isdisjoint(re.findall(r"\w+", plain[begin:opened]))
        given = plain[opened : self._text.closed(opened) - 1]
        second = calls.after_first_argument(given) if is_ours else ""
        if not second.strip() and not behind.strip():
            return Send(begin, SendErrors.NOBODY)
        heard = jvm_sends.callback_of_send(self._text, opened)
        if heard is None or (behind.strip() and not behind.lstrip().startswith("{")):
            raise Unclear
        does, names = self._does(heard)
        if does is None:
            raise Unclear
        return Send(begin, does, names)

    def _does(self, heard: Callback) -> tuple[SendErrors | None, frozenset[str]]:
        """What a callback does with an error, and the names that it keeps it in."""
        parts = [part for part in statements(heard.with_error()) if part.strip()]
        kept = [match for part in parts if (match := _KEEPS.fullmatch(part))]
        self._kept |= {it["name"]: "false" not in (it["to"], it["set"]) for it in kept}
        if any(self._is_asked_elsewhere(it["name"]) for it in kept):
            return None, frozenset()
        rest = [part for part in parts if not (_KEEPS.fullmatch(part) or only_logs(part))]
        if any(map(_EXITS.fullmatch, rest)):
            return SendErrors.ENDED, frozenset()
        if any(not _THROWS.fullmatch(part) for part in rest):
            return None, frozenset()
        return (SendErrors.STORED if kept else SendErrors.NOBODY), frozenset(
            it["name"] for it in kept
        )

    def _is_asked_elsewhere(self, name: str) -> bool:
        """Whether a method of a base class may ask for what has this name."""
        plain = self._text.plain
        is_own = re.search(_DECLARED.format(name), plain)
        called = {match[1] for match in islice(_OF_BASE.finditer(plain), _MOST)}
        return not is_own and any(not self._text.bodies(other) for other in called)

    def is_used(self, code: str) -> bool:
        """Whether something else is done with what callbacks keep than to empty or write of it."""
        is_about = not self._kept.keys().isdisjoint(re.findall(r"\w+", code))
        return is_about and not (_EMPTIES.fullmatch(code) or only_logs(code))

    def asked(self, given: str) -> Condition | None:
        """A question whether a callback has kept an error. Raises `Unclear` for another one about
        what they keep, or about a future."""
        match = _ASKS.fullmatch(given)
        if match is None or match["name"] not in self._kept:
            if self.is_used(given) or self.is_future(given):
                raise Unclear
            return None
        says = _ANSWERS.get(match["of"] or "")
        if says is None:
            raise Unclear
        same = match["op"] in (None, ">") or (match["op"] == "==") == (match["to"] == "true")
        says = says is (same is self._kept[match["name"]])
        return Condition(error=match["name"], negated=says is bool(match["not"]))


def _given(text: Text) -> Iterator[tuple[int, int]]:
    """Where a pool is given an expression, whose errors are in the future."""
    for match in islice(_TASK.finditer(text.plain), _MOST):
        if "{" not in text.plain[match.end() : text.closed(match.end())]:
            yield match.span()
