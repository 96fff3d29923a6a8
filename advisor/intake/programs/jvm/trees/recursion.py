"""Methods of JVM code that call themselves again after an error, and count their attempts in a
parameter: `if (n == 3) return; try { save(r); } catch (Exception e) { attempt(r, n + 1); }`.

Each attempt is read as a call of its own, up to the one in which the count reaches its limit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.text import Text
from advisor.intake.programs.trees import Unclear

_ATTEMPTS, _MOST_CALLS = 3, 20
_CHANGE = r"\s*(?:{0}\s*(?P<sign>[+-])\s*1|(?P<prefix>\+\+|--)\s*{0}|(?P<flag>true|false))\s*"
_REACHED = {
    "+": re.compile(r"==|>"), "-": re.compile(r"==|<"),
    "true": re.compile(r"\A(?!\s*!)"), "false": re.compile(r"\A\s*!"),
}  # fmt: skip
"""Conditions that are true in the last attempt: comparisons of a count that grows, and of one that
falls, and tests of a flag that is set in the second attempt."""


@dataclass(frozen=True, slots=True)
class Counter:
    """The parameter in which a method counts its attempts, and how it changes: by its sign, or to a
    value."""

    name: str
    change: str

    @property
    def attempts(self) -> int:
        """How many attempts there are before the last one."""
        return _ATTEMPTS if self.change in "+-" else 1


class Recursion:
    """The methods whose bodies are being read, from the outermost."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._calls = list[str]()
        self._counters = dict[str, Counter | None]()

    def is_active(self, name: str) -> bool:
        """Whether a method calls itself here."""
        return name in self._calls

    def enter(self, name: str) -> None:
        """Begins the body of a method. Raises `Unclear` for one that calls itself without a
        count."""
        if self.is_active(name) and self._counter(name) is None:
            raise Unclear
        self._calls.append(name)

    def exceeds_limit(self, name: str) -> bool:
        """Whether a call comes after the last attempt, so that only a program without a limit
        reaches it."""
        counter = self._counter(name)
        return counter is not None and self._calls.count(name) > counter.attempts

    def leave(self) -> None:
        """Ends the body of the innermost method."""
        self._calls.pop()

    def limit(self, code: str) -> bool | None:
        """Returns the value of a condition on the count of attempts of the innermost method; None
        for any other condition."""
        name = self._calls[-1] if self._calls else ""
        counter = self._counter(name) if name else None
        if counter is None or not re.search(rf"\b{counter.name}\b", code):
            return None
        return bool(_REACHED[counter.change].search(code)) is self.exceeds_limit(name)

    def _counter(self, name: str) -> Counter | None:
        if name not in self._counters:
            bodies = self._text.bodies(name)
            self._counters[name] = self._find(name, bodies[0]) if len(bodies) == 1 else None
        return self._counters[name]

    def _find(self, name: str, body: tuple[int, int]) -> Counter | None:
        parameters, counters = self._text.parameters(body), set[Counter]()
        calls = re.compile(rf"(?<![\w.])(?:this\s*\.\s*)?{name}\s*\(").finditer(
            self._text.plain, *body
        )
        for call in islice(calls, _MOST_CALLS):
            arguments = self._text.arguments(call.end())
            for parameter, argument in zip(parameters, arguments, strict=False):
                if match := re.fullmatch(_CHANGE.format(parameter), argument):
                    change = match["flag"] or (match["sign"] or match["prefix"])[0]
                    counters.add(Counter(parameter, change))
        return counters.pop() if len(counters) == 1 else None
