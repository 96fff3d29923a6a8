"""Variables of JVM code that say whether something failed: `boolean ok`, `int failed`."""

from __future__ import annotations

import re

from advisor.intake.programs.trees import Condition, SetFlag

_DECLARED = re.compile(
    r"(?:final\s+)?(?:boolean|Boolean|int|long|var)\s+(?P<name>\w+)(?:\s*:\s*\w+)?\s*=\s*"
    r"(?P<value>true|false|0)\s*"
)
_ATOMIC = re.compile(
    r"(?:final\s+)?(?:AtomicBoolean|AtomicInteger|AtomicLong|var|val)\s+(?P<name>\w+)\s*=\s*"
    r"(?:new\s+)?Atomic(?:Boolean|Integer|Long)\s*\(\s*(?P<value>true|false|0)?\s*\)\s*"
)
_CHANGED = re.compile(
    r"(?P<name>\w+)\s*(?:(?:=|\.\s*set\s*\()\s*(?P<value>true|false|0)\s*\)?|\+\+|\+=\s*1"
    r"|\.\s*(?:incrementAndGet|getAndIncrement)\s*\(\s*\))\s*"
)
_TOUCHES = (
    r"\b{0}\s*(?::\s*\w+\s*)?(?:[-+*/%&|^]?=(?!=)|\+\+|--|\.\s*(?:set|lazySet|compareAnd|getAnd|add"
    r"|increment|decrement|update|accumulate)\w*\s*\()|(?:\+\+|--)\s*{0}\b"
)
_KNOWN = (
    r"\b{0}\s*(?::\s*\w+\s*)?(?:=\s*(?:(?:true|false|0)\b(?!\.)|(?:new\s+)?Atomic\w+\s*\()|\+\+"
    r"|\+=\s*1\b|\.\s*set\s*\(\s*(?:true|false|0)\s*\)|\.\s*(?:incrementAndGet|getAndIncrement)\s*\()"
)
_ASKED = re.compile(
    r"\s*(?P<not>!\s*)?(?P<name>\w+)(?:\s*\.\s*get\s*\(\s*\))?\s*(?:(?P<none>==\s*0)|>\s*0|!=\s*0)?\s*"
)
CALCULATED = re.compile(
    r"\s*(?:[\w<>?]+\s+)?(?:this\s*\.\s*)?\w+\s*(?:\+\+|--|[-+*/%&|^]?=(?!=)(?:[\w\s.+*/%-]"
    r"|\b(?:Math\s*\.\s*)?(?:min|max)\s*\([\w\s.,+*/%-]*\))*)\s*"
)
"""An assignment of what is calculated of other values: a wait, a count, a state."""


class Marks:
    """The marks of one method, as far as it was read: their values are known at each place. A
    name that is given anything else anywhere in the text is not a mark."""

    def __init__(self, plain: str, depth: int = 0) -> None:
        self._plain, self._depth = plain, depth
        self._names = set[str]()

    def of(self, code: str) -> SetFlag | None:
        """What a statement makes of one."""
        if made := _DECLARED.fullmatch(code) or _ATOMIC.fullmatch(code):
            if not self._is_known(made["name"]):
                return None
            self._names.add(made["name"])
            return self._mark(made["name"], made["value"] == "true")
        changed = _CHANGED.fullmatch(code)
        if changed is None or changed["name"] not in self._names:
            return None
        return self._mark(changed["name"], changed["value"] not in ("false", "0"))

    def _is_known(self, name: str) -> bool:
        touched, known = (
            len(re.findall(pattern.format(name), self._plain)) for pattern in (_TOUCHES, _KNOWN)
        )
        return touched == known

    def are_in(self, code: str) -> bool:
        """Whether code is about one."""
        return not self._names.isdisjoint(re.findall(r"\w+", code))

    def asked(self, given: str) -> Condition | None:
        """The condition that is such a variable."""
        match = _ASKED.fullmatch(given)
        if not match or match["name"] not in self._names:
            return None
        name = self._mark(match["name"], value=True).name
        return Condition(mark=name, negated=bool(match["not"]) != bool(match["none"]))

    def _mark(self, name: str, value: bool) -> SetFlag:
        return SetFlag(f"{self._depth}.{name}", value)
