"""Flag variables of JVM code, which say whether something failed: `boolean ok`, `int failed`."""

from __future__ import annotations

import re

from advisor.intake.programs.trees import Condition, SetFlag

_DECLARATION = re.compile(
    r"(?:final\s+)?(?:boolean|Boolean|int|long|var)\s+(?P<name>\w+)(?:\s*:\s*\w+)?\s*=\s*"
    r"(?P<value>true|false|0)\s*"
)
_ATOMIC_DECLARATION = re.compile(
    r"(?:final\s+)?(?:AtomicBoolean|AtomicInteger|AtomicLong|var|val)\s+(?P<name>\w+)\s*=\s*"
    r"(?:new\s+)?Atomic(?:Boolean|Integer|Long)\s*\(\s*(?P<value>true|false|0)?\s*\)\s*"
)
_CHANGE = re.compile(
    r"(?P<name>\w+)\s*(?:(?:=|\.\s*set\s*\()\s*(?P<value>true|false|0)\s*\)?|\+\+|\+=\s*1"
    r"|\.\s*(?:incrementAndGet|getAndIncrement)\s*\(\s*\))\s*"
)
_WRITE_ACCESS = (
    r"\b{0}\s*(?::\s*\w+\s*)?(?:[-+*/%&|^]?=(?!=)|\+\+|--|\.\s*(?:set|lazySet|compareAnd|getAnd|add"
    r"|increment|decrement|update|accumulate)\w*\s*\()|(?:\+\+|--)\s*{0}\b"
)
_KNOWN_WRITE = (
    r"\b{0}\s*(?::\s*\w+\s*)?(?:=\s*(?:(?:true|false|0)\b(?!\.)|(?:new\s+)?Atomic\w+\s*\()|\+\+"
    r"|\+=\s*1\b|\.\s*set\s*\(\s*(?:true|false|0)\s*\)|\.\s*(?:incrementAndGet|getAndIncrement)\s*\()"
)
_CONDITION = re.compile(
    r"\s*(?P<not>!\s*)?(?P<name>\w+)(?:\s*\.\s*get\s*\(\s*\))?\s*(?:(?P<is_zero>==\s*0)|>\s*0|!=\s*0)?\s*"
)
CALCULATION = re.compile(
    r"\s*(?:[\w<>?]+\s+)?(?:this\s*\.\s*)?\w+\s*(?:\+\+|--|[-+*/%&|^]?=(?!=)(?:[\w\s.+*/%-]"
    r"|\b(?:Math\s*\.\s*)?(?:min|max)\s*\([\w\s.,+*/%-]*\))*)\s*"
)
"""An assignment of a value calculated from other values: a wait, a count, a state."""


class FlagVariables:
    """The flag variables of one method, as far as it was read: their values are known at each
    statement. A name that is set to anything else anywhere in the file is not a flag."""

    def __init__(self, plain: str, depth: int = 0) -> None:
        self._plain, self._depth = plain, depth
        self._names = set[str]()

    def assignment(self, code: str) -> SetFlag | None:
        """Returns the flag that a statement sets; None if it sets none."""
        if declaration := _DECLARATION.fullmatch(code) or _ATOMIC_DECLARATION.fullmatch(code):
            if not self._has_known_values(declaration["name"]):
                return None
            self._names.add(declaration["name"])
            return self._flag(declaration["name"], declaration["value"] == "true")
        change = _CHANGE.fullmatch(code)
        if change is None or change["name"] not in self._names:
            return None
        return self._flag(change["name"], change["value"] not in ("false", "0"))

    def _has_known_values(self, name: str) -> bool:
        writes, known_writes = (
            len(re.findall(pattern.format(name), self._plain))
            for pattern in (_WRITE_ACCESS, _KNOWN_WRITE)
        )
        return writes == known_writes

    def are_mentioned(self, code: str) -> bool:
        """Whether code mentions a flag."""
        return not self._names.isdisjoint(re.findall(r"\w+", code))

    def condition(self, code: str) -> Condition | None:
        """Returns the condition on a flag; None if the code is no such condition."""
        match = _CONDITION.fullmatch(code)
        if not match or match["name"] not in self._names:
            return None
        name = self._flag(match["name"], value=True).name
        return Condition(flag=name, negated=bool(match["not"]) != bool(match["is_zero"]))

    def _flag(self, name: str, value: bool) -> SetFlag:
        return SetFlag(f"{self._depth}.{name}", value)
