"""Inlining of a program's methods after a poll, or for a Spark batch, so that all processing of
records is in one block, however the program divides it into methods.

A body is put on the line of its call, so that all other lines keep their numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.text import CLASS, Block, Text, arguments, blanked, spliced

_POLL = re.compile(r"\.\s*(?:poll|foreachBatch)\s*\(")
_VALUE_USE = (
    r"(?:(?:final\s+)?(?:va[lr]|[A-Za-z][\w.]*(?:<[^;=(){}]{1,80}>)?)\s+)?\w+"
    r"(?:\s*:\s*[\w.]+(?:[<\[][^;=(){}]{1,80}[>\]])?\??)?\s*[-+|&]?=(?!=)\s*|if\s*\(\s*!?\s*"
    r"|(?:\w+\s*\.\s*){1,4}(?:info|debug|warn|error|trace|println|add|increment)\s*\("
    r"[ \"]{0,200}(?:[,+]\s*)?"
)
"""The code before a call whose value is used."""
_CALL = re.compile(
    rf"(?<=[;{{}}\n>])\s{{0,80}}(?P<use>{_VALUE_USE})?"
    r"(?:this\s*\.\s*|(?:new\s+)?(?P<created>[A-Z]\w*)\s*\(\s*\)\s*\.\s*|(?P<receiver>[a-z]\w*)\s*\.\s*)?"
    r"(?P<name>\w+)\s*\("
    r"(?P<arguments>[^(){};]{0,300}(?:\([^(){};]{0,200}\)[^(){};]{0,200}){0,6})\)"
    r"(?(use)(?=\s*[;)\n}])|(?:\s*;|(?=[ \t]*[}\n])|(?P<argument>(?=\s*\)))))"
)
_KEYWORDS = frozenset({
    "if", "for", "while", "switch", "catch", "try", "synchronized", "when", "match", "return",
    "throw", "super", "assert", "do", "else",
})  # fmt: skip
_OTHER_CLIENT = re.compile(r"\.\s*poll\s*\(|\bnew\s+Kafka|\bKafka(?:Consumer|Producer)\s*[<(]")
_NAME = re.compile(r"(?:this\s*\.\s*)?([A-Za-z_]\w*)")
_RETURN = re.compile(r"\breturn\b(?:@\w+)?\s*(?P<value>[^;{}\n]*);?")
_LAST_LINE = re.compile(r"\n[ \t]*(?P<value>[\w.]+(?:\([^(){}\n]{0,200}\))?)\s*\Z")
_ASSIGNED = re.compile(r"\b(\w+)(?:\s*:[^=]*)?\s*[-+|&]?=\s*$")
_LAMBDA_ARROW = re.compile(r"[-=]>\s*$")
_COMPLETED_TYPE = re.compile(r"\b(?:void|boolean|int|long|String|Boolean|Int|Long|Unit)\b")
"""Return types of methods whose work is done when they return, unlike a future or publisher."""
_PREDICATE = re.compile(
    r"\b(?:(?:all|any|none)(?:Match)?|forall|exists|takeWhile|dropWhile|filter(?:Not)?|withFilter"
    r"|partition|removeIf|removeAll|retainAll|count|find|indexWhere)"
    r"\s*[({]\s*(?:\(?\w+\)?\s*[-=]>\s*)?$"
)
"""Functions that use the value of a call as a condition."""
_FUNCTION = re.compile(r"->|=>|::")
_LOOP = re.compile(r"\b(?:for|while|repeat)\s*\([^{}]*\)\s*$|\bdo\s*$|\bfor[Ee]ach\b[^;{}]*$")
_COUNTED_LOOP_END = re.compile(r"[^(){}]*(?:\([^()]*\)[^(){}]*)*\)\s*$")
"""The head of a block after the last semicolon of `for (int i = 0; i < 3; i++)`."""
_RECORD_LOOP = re.compile(r"\bfor\s*\([^;{}]*\)\s*$")
_NEXT_CLAUSE = re.compile(r"\s*(?:catch\b[^{}]*|else\b[^{}]*|finally\s*)\{")
_CONTINUES = re.compile(r"[{};,(\[=+\-*/&|?:<>.]\s*$")
_CONTINUATION = re.compile(r"\s*(?:[.)\]}?:&|+\-*/,=]|(?:else|catch|finally|case)\b)")
_MOST_POLLS, _MOST_CALLS, _PASSES, _LOOKBEHIND = 12, 40, 3, 80
_LONGEST_BODY, _MOST_ADDED = 3_000, 60_000


def inline_methods(code: str) -> str:
    """Returns the program with methods in place of their calls. `code` has no comments."""
    longest = len(code) + _MOST_ADDED
    for _ in range(_PASSES):
        text = Text.of(code)
        bodies = ((call.start, call.end, call.replacement(code)) for call in _calls(text))
        changes = [
            (start, end, replacement)
            for start, end, replacement in bodies
            if replacement is not None
        ]
        inlined = spliced(code, changes)
        if not changes or len(inlined) > longest:
            break
        code = inlined
    return code


def _calls(text: Text) -> list[_Call]:
    """Returns the calls, in the blocks of polls, of methods with a single body."""
    calls = dict[int, _Call]()
    loops = frozenset(end for _, end, head in text.heads if _LOOP.search(head))
    searched = 0  # the block of a poll may be in that of another
    for poll in islice(_POLL.finditer(text.plain), _MOST_POLLS):
        begin, searched = max(poll.end(), searched), max(text.block(poll.start())[1], searched)
        matches = _CALL.finditer(text.plain, begin, searched)
        known_calls = (
            it for it in matches if it["name"] not in _KEYWORDS and text.bodies(it["name"])
        )
        for match in islice(known_calls, _MOST_CALLS):
            bodies = text.bodies(match["name"])
            start = _start(match)
            if len(bodies) != 1 or not _refers_to(text, match, bodies[0]):
                continue
            if not bodies[0][0] < start < bodies[0][1]:
                calls[start] = _Call(text, match, bodies[0], loops)
    return [calls[start] for start in sorted(calls)]


def _refers_to(text: Text, call: re.Match[str], body: Block) -> bool:
    """Whether a call refers to the method with this body: a call on an object refers to a method of
    its class. An object that is created with arguments is handled in `records.objects`."""
    if not (call["created"] or call["receiver"]):
        return True
    heads = (CLASS.search(head) for _, _, head in reversed(text.around(body[0])))
    name = next((head[1] for head in heads if head), "_")
    if call["created"]:
        return bool(call["created"] == name)
    receiver = call["receiver"]
    pattern = (
        rf"\b{name}\s+{receiver}\b|\b{receiver}\s*:\s*{name}\b"
        rf"|\b{receiver}\s*=\s*(?:new\s+)?{name}\s*\("
    )
    return re.search(pattern, text.plain) is not None


def _start(match: re.Match[str]) -> int:
    """Returns the start of the call, after the whitespace before it."""
    return match.start() + len(match[0]) - len(match[0].lstrip())


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that is a statement, the body of its method, and the ends of the program's loops."""

    text: Text
    match: re.Match[str]
    block: Block
    loops: frozenset[int]

    @property
    def start(self) -> int:
        return _start(self.match)

    @property
    def end(self) -> int:
        return self.match.end()

    def replacement(self, code: str) -> str | None:
        """Returns the code that replaces the call, or None if none is equivalent."""
        plain, (begin, stop) = self.text.plain, self.block
        head = next(head for start, _, head in self.text.heads if start == begin)
        body = plain[begin + 1 : stop]
        if _PREDICATE.search(plain, max(0, self.start - _LOOKBEHIND), self.start):
            return None
        if "@" in head or stop - begin > _LONGEST_BODY or _OTHER_CLIENT.search(body):
            return None
        if re.search(rf"\b{self.match['name']}\s*\(", body):
            return None
        names = self.text.parameters(self.block)
        values = arguments(plain, self.match.start("arguments"), code, _LONGEST_BODY)
        if len(names) != len(values) or any(map(_FUNCTION.search, values)):
            return None
        before, _, after = head.rpartition(self.match["name"])
        is_async = not _COMPLETED_TYPE.search(before + after.rpartition(")")[2])
        is_used = self.match["use"] is not None
        if is_async and not is_used and any("(" in it["value"] for it in _RETURN.finditer(body)):
            return None
        renames, declared = _bind_parameters(names, values, body)
        if (assigned := _ASSIGNED.search(self.match["use"] or "")) and assigned[1] not in names:
            renames[assigned[1]] = (
                f"{assigned[1]}_" if _declares(body, assigned[1]) else assigned[1]
            )
        is_java = not re.search(r"\b(?:fun|def)\b", head)
        returns = self._value_changes() if is_used else self._return_removals()
        if returns is None:
            return None
        new_body = _rewritten_body(code, (begin + 1, stop), body, renames, returns)
        word = "var" if is_java else "val"
        declarations = "".join(f" {word} {name} = {value};" for name, value in declared)
        inlined = declarations + (
            " ".join(new_body.split("\n")) if is_java else join_lines(new_body)
        )
        inlined = f"{{{inlined} }}" if self.match["argument"] is not None else inlined
        return inlined + "\n" * self.match[0].lstrip().count("\n")

    def _return_removals(self) -> list[tuple[int, int, str]] | None:
        """Returns the changes that remove each `return` of the body, or None if one ends the
        body early."""
        changes, plain = list[tuple[int, int, str]](), self.text.plain
        for match in _RETURN.finditer(plain, self.block[0] + 1, self.block[1]):
            outer = [head for head in self.text.around(match.start()) if head[0] > self.block[0]]
            if any(_LAMBDA_ARROW.search(head) for _, _, head in outer):
                continue
            value = match["value"].strip()
            if self._is_last(match.end()):
                end = match.start("value") if "(" in value else match.end()
                changes.append((match.start(), end, ""))
            elif self._ends_iteration() and not any(
                _LOOP.search(head) or _COUNTED_LOOP_END.match(head) for _, _, head in outer
            ):
                changes.append((match.start(), match.end(), "continue;"))
            else:
                return None
        return changes

    def _value_changes(self) -> list[tuple[int, int, str]] | None:
        """Returns the changes that use the value in place of the single `return`, at the end of the
        body, or before the last line in Scala. None if there are other `return` statements."""
        plain, (begin, end) = self.text.plain, self.block
        returns = [*_RETURN.finditer(plain, begin + 1, end)]
        if not returns:
            line = _LAST_LINE.search(plain, begin + 1, end)
            return [(line.start("value"), line.start("value"), self.match["use"])] if line else None
        rest = re.compile(r"[\s;]*").match(plain, returns[0].end())
        if len(returns) > 1 or not returns[0]["value"] or not rest or rest.end() != end:
            return None
        value = returns[0].span("value")
        return [(returns[0].start(), value[0], self.match["use"]), (value[1], end, "")]

    def _is_last(self, at: int) -> bool:
        """Whether nothing of the body runs after an offset, apart from `finally`."""
        plain, end = self.text.plain, self.block[1]
        while at < end:
            rest = re.compile(r"[\s;]*").match(plain, at)
            at = rest.end() if rest else at
            if clause := _NEXT_CLAUSE.match(plain, at, end):
                at = self.text.block_of(clause.end() - 1)[1] + 1
            elif plain[at] == "}":
                if at in self.loops:
                    return False
                at += 1
            else:
                return False
        return True

    def _ends_iteration(self) -> bool:
        """Whether the call is the last statement of a loop over records."""
        outer = self.text.around(self.start)
        after = self.text.plain[self.end :][:200].lstrip()
        return bool(outer) and after.startswith("}") and bool(_RECORD_LOOP.search(outer[-1][2]))


def _bind_parameters(
    names: list[str], values: list[str], body: str
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Returns the parameters that are renamed to their arguments, and those that are declared with
    their values."""
    renames, declarations = dict[str, str](), list[tuple[str, str]]()
    for name, value in zip(names, values, strict=True):
        variable = _NAME.fullmatch(value)
        if variable and (variable[1] == name or not re.search(rf"\b{variable[1]}\b", body)):
            renames[name] = variable[1]
        else:
            declarations.append((name, value))
    return renames, declarations


def _declares(body: str, name: str) -> bool:
    """Whether a body declares a variable of this name."""
    return bool(
        re.search(rf"\b(?!return\b)[A-Za-z]\w*(?:<[^<>;=]{{0,80}}>)?\s+{name}\b\s*[=:;]", body)
    )


def _rewritten_body(
    code: str, span: Block, body: str, renames: dict[str, str], returns: list[tuple[int, int, str]]
) -> str:
    """Returns the body with its variables renamed and these changes of its `return` statements."""
    begin = span[0]
    spans = [(start - begin, end - begin) for start, end, _ in returns]
    changes = [(start - begin, end - begin, replacement) for start, end, replacement in returns]
    if changed_names := {name: other for name, other in renames.items() if name != other}:
        pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, changed_names))})\b")
        for match in pattern.finditer(blanked(body, spans)):
            changes.append((match.start(), match.end(), changed_names[match[0]]))
    return spliced(code[slice(*span)], sorted(changes))


def join_lines(body: str) -> str:
    """Joins statements of Kotlin or Scala, which end with their lines, into one line."""
    first, *lines = body.split("\n")
    joined = first
    for line in lines:
        depth = sum(joined.count(char) for char in "([") - sum(joined.count(char) for char in ")]")
        is_open = (
            depth > 0
            or not joined.strip()
            or _CONTINUES.search(joined)
            or _CONTINUATION.match(line)
        )
        joined += (" " if is_open or not line.strip() else "; ") + line
    return joined.rstrip() + ("" if not joined.strip() or _CONTINUES.search(joined) else ";")
