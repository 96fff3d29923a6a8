"""Variables of JVM code that say whether something failed: `boolean ok`, `int failed`."""

from __future__ import annotations

import re

from advisor.intake.programs.trees import Condition, Mark, Unclear

_DECLARED = re.compile(
    r"(?:final\s+)?(?:boolean|Boolean|int|long|var)\s+(?P<name>\w+)(?:\s*:\s*\w+)?\s*=\s*"
    r"(?P<value>true|false|0)\s*"
)
_ATOMIC = re.compile(
    r"(?:final\s+)?(?:AtomicBoolean|AtomicInteger|AtomicLong|var|val)\s+(?P<name>\w+)\s*=\s*"
    r"(?:new\s+)?Atomic(?:Boolean|Integer|Long)\s*\(\s*(?P<value>true|false|0)?\s*\)\s*"
)
_CHANGED = re.compile(
    r"(?P<name>\w+)\s*(?:(?:=|\.\s*set\s*\()\s*(?P<value>true|false)\s*\)?|\+\+|\+=\s*1"
    r"|\.\s*(?:incrementAndGet|getAndIncrement)\s*\(\s*\))\s*"
)
_TOUCHED = re.compile(
    r"(?P<name>\w+)\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--"
    r"|\.\s*(?:set|lazySet|compareAnd|getAnd|add|increment|decrement|update|accumulate)\w*\s*\()"
)
_ASKED = re.compile(
    r"\s*(?P<not>!\s*)?(?P<name>\w+)(?:\s*\.\s*get\s*\(\s*\))?\s*(?:(?P<none>==\s*0)|>\s*0|!=\s*0)?\s*"
)


class Marks:
    """Those of one method, as far as it was read: what they are is known at each place."""

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth
        self._names = set[str]()

    def of(self, code: str) -> Mark | None:
        """What a statement makes of one. Raises `Unclear` where that is not known."""
        if made := _DECLARED.fullmatch(code) or _ATOMIC.fullmatch(code):
            self._names.add(made["name"])
            return self._mark(made["name"], made["value"] == "true")
        changed = _CHANGED.fullmatch(code)
        if changed and changed["name"] in self._names:
            return self._mark(changed["name"], changed["value"] != "false")
        if any(touched["name"] in self._names for touched in _TOUCHED.finditer(code)):
            raise Unclear
        return None

    def asked(self, given: str) -> Condition | None:
        """The condition that is such a variable."""
        match = _ASKED.fullmatch(given)
        if not match or match["name"] not in self._names:
            return None
        name = self._mark(match["name"], value=True).name
        return Condition(mark=name, negated=bool(match["not"]) != bool(match["none"]))

    def _mark(self, name: str, value: bool) -> Mark:
        return Mark(f"{self._depth}.{name}", value)
