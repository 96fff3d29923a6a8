"""Methods of a program in place of their calls behind a poll, or for a batch of Spark, so that what
is done with records stands in one block, however it was divided into methods.

A body stands in the line of its call, so that all other lines stay as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.text import CLASS, Block, Text, arguments, blanked, spliced

_POLL = re.compile(r"\.\s*(?:poll|foreachBatch)\s*\(")
_TAKES = (
    r"(?:(?:final\s+)?(?:va[lr]|[A-Za-z][\w.]*(?:<[^;=(){}]{1,80}>)?)\s+)?\w+"
    r"(?:\s*:\s*[\w.]+(?:[<\[][^;=(){}]{1,80}[>\]])?\??)?\s*[-+|&]?=(?!=)\s*|if\s*\(\s*!?\s*"
    r"|(?:\w+\s*\.\s*){1,4}(?:info|debug|warn|error|trace|println|add|increment)\s*\("
    r"[ \"]{0,200}(?:[,+]\s*)?"
)
"""What stands before a call whose value is taken."""
_CALL = re.compile(
    rf"(?<=[;{{}}\n>])\s{{0,80}}(?P<taken>{_TAKES})?"
    r"(?:this\s*\.\s*|(?:new\s+)?(?P<of>[A-Z]\w*)\s*\(\s*\)\s*\.\s*|(?P<whose>[a-z]\w*)\s*\.\s*)?"
    r"(?P<name>\w+)\s*\("
    r"(?P<given>[^(){};]{0,300}(?:\([^(){};]{0,200}\)[^(){};]{0,200}){0,6})\)"
    r"(?(taken)(?=\s*[;)\n}])|(?:\s*;|(?=[ \t]*[}\n])|(?P<last>(?=\s*\)))))"
)
_WORDS = frozenset({
    "if", "for", "while", "switch", "catch", "try", "synchronized", "when", "match", "return",
    "throw", "super", "assert", "do", "else",
})  # fmt: skip
_OF_OTHERS = re.compile(r"\.\s*poll\s*\(|\bnew\s+Kafka|\bKafka(?:Consumer|Producer)\s*[<(]")
_NAME = re.compile(r"(?:this\s*\.\s*)?([A-Za-z_]\w*)")
_RETURN = re.compile(r"\breturn\b(?:@\w+)?\s*(?P<value>[^;{}\n]*);?")
_LAST_LINE = re.compile(r"\n[ \t]*(?P<value>[\w.]+(?:\([^(){}\n]{0,200}\))?)\s*\Z")
_DECLARED = re.compile(r"\b(\w+)(?:\s*:[^=]*)?\s*[-+|&]?=\s*$")
_IN_LAMBDA = re.compile(r"[-=]>\s*$")
_OF_VALUE = re.compile(r"\b(?:void|boolean|int|long|String|Boolean|Int|Long|Unit)\b")
"""Types of what is done when a method returns; a future or a publisher is not."""
_PREDICATE = re.compile(
    r"\b(?:(?:all|any|none)(?:Match)?|forall|exists|takeWhile|dropWhile|filter(?:Not)?|withFilter"
    r"|partition|removeIf|removeAll|retainAll|count|find|indexWhere)"
    r"\s*[({]\s*(?:\(?\w+\)?\s*[-=]>\s*)?$"
)
"""What goes by the value of a call."""
_FUNCTION = re.compile(r"->|=>|::")
_LOOP = re.compile(r"\b(?:for|while|repeat)\s*\([^{}]*\)\s*$|\bdo\s*$|\bfor[Ee]ach\b[^;{}]*$")
_EACH = re.compile(r"\bfor\s*\([^;{}]*\)\s*$")
_OTHER_SIDE = re.compile(r"\s*(?:catch\b[^{}]*|else\b[^{}]*|finally\s*)\{")
_GOES_ON = re.compile(r"[{};,(\[=+\-*/&|?:<>.]\s*$")
_GOES_BACK = re.compile(r"\s*(?:[.)\]}?:&|+\-*/,=]|(?:else|catch|finally|case)\b)")
_MOST_POLLS, _MOST_CALLS, _PASSES, _BEFORE = 12, 40, 3, 80
_LONGEST_BODY, _MOST_ADDED = 3_000, 60_000


def inline_methods(code: str) -> str:
    """The same program with these bodies in place of the calls; `code` has no comments."""
    longest = len(code) + _MOST_ADDED
    for _ in range(_PASSES):
        text = Text.of(code)
        bodies = ((call.start, call.end, call.body(code)) for call in _calls(text))
        changes = [(start, end, made) for start, end, made in bodies if made is not None]
        inner = spliced(code, changes)
        if not changes or len(inner) > longest:
            break
        code = inner
    return code


def _calls(text: Text) -> list[_Call]:
    """The calls as statements, in the blocks of polls, of methods with one body."""
    found = dict[int, _Call]()
    loops = frozenset(end for _, end, head in text.heads if _LOOP.search(head))
    behind = 0  # polls may be within the blocks of others
    for poll in islice(_POLL.finditer(text.plain), _MOST_POLLS):
        begin, behind = max(poll.end(), behind), max(text.block(poll.start())[1], behind)
        every = _CALL.finditer(text.plain, begin, behind)
        own = (it for it in every if it["name"] not in _WORDS and text.bodies(it["name"]))
        for match in islice(own, _MOST_CALLS):
            bodies = text.bodies(match["name"])
            start = _first(match)
            if len(bodies) != 1 or not _is_of(text, match, bodies[0]):
                continue
            if not bodies[0][0] < start < bodies[0][1]:
                found[start] = _Call(text, match, bodies[0], loops)
    return [found[start] for start in sorted(found)]


def _is_of(text: Text, call: re.Match[str], body: Block) -> bool:
    """Whether a method is the one that a call names: of an object, that of its class. One that is
    made of something is left to `objects`."""
    if not (call["of"] or call["whose"]):
        return True
    heads = (CLASS.search(head) for _, _, head in reversed(text.around(body[0])))
    name = next((head[1] for head in heads if head), "_")
    if call["of"]:
        return bool(call["of"] == name)
    whose = call["whose"]
    made = rf"\b{name}\s+{whose}\b|\b{whose}\s*:\s*{name}\b|\b{whose}\s*=\s*(?:new\s+)?{name}\s*\("
    return re.search(made, text.plain) is not None


def _first(match: re.Match[str]) -> int:
    """Where the call begins that blanks may stand before."""
    return match.start() + len(match[0]) - len(match[0].lstrip())


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as a statement, the body of its method, and where the loops of the text end."""

    text: Text
    match: re.Match[str]
    block: Block
    loops: frozenset[int]

    @property
    def start(self) -> int:
        return _first(self.match)

    @property
    def end(self) -> int:
        return self.match.end()

    def body(self, code: str) -> str | None:
        """What stands in place of the call; None where that would not be the same."""
        plain, (begin, stop) = self.text.plain, self.block
        head = next(head for start, _, head in self.text.heads if start == begin)
        own = plain[begin + 1 : stop]
        if _PREDICATE.search(plain, max(0, self.start - _BEFORE), self.start):
            return None
        if "@" in head or stop - begin > _LONGEST_BODY or _OF_OTHERS.search(own):
            return None
        if re.search(rf"\b{self.match['name']}\s*\(", own):
            return None
        names = self.text.parameters(self.block)
        given = arguments(plain, self.match.start("given"), code, _LONGEST_BODY)
        if len(names) != len(given) or any(map(_FUNCTION.search, given)):
            return None
        before, _, behind = head.rpartition(self.match["name"])
        is_begun = not _OF_VALUE.search(before + behind.rpartition(")")[2])
        is_taken = self.match["taken"] is not None
        if is_begun and not is_taken and any("(" in it["value"] for it in _RETURN.finditer(own)):
            return None
        renamed, declared = _names(names, given, own)
        if (taken := _DECLARED.search(self.match["taken"] or "")) and taken[1] not in names:
            renamed[taken[1]] = f"{taken[1]}_" if _declares(own, taken[1]) else taken[1]
        is_java = not re.search(r"\b(?:fun|def)\b", head)
        returns = self._with_value() if is_taken else self._without_returns()
        if returns is None:
            return None
        body = _changed(code, (begin + 1, stop), own, renamed, returns)
        word = "var" if is_java else "val"
        first = "".join(f" {word} {name} = {value};" for name, value in declared)
        made = first + (" ".join(body.split("\n")) if is_java else join_lines(body))
        made = f"{{{made} }}" if self.match["last"] is not None else made
        return made + "\n" * self.match[0].lstrip().count("\n")

    def _without_returns(self) -> list[tuple[int, int, str]] | None:
        """What stands in place of each `return` of the body; None where one ends more than that."""
        changes, plain = list[tuple[int, int, str]](), self.text.plain
        for match in _RETURN.finditer(plain, self.block[0] + 1, self.block[1]):
            around = [head for head in self.text.around(match.start()) if head[0] > self.block[0]]
            if any(_IN_LAMBDA.search(head) for _, _, head in around):
                continue
            value = match["value"].strip()
            if self._is_last(match.end()):
                end = match.start("value") if "(" in value else match.end()
                changes.append((match.start(), end, ""))
            elif self._ends_a_round() and not any(_LOOP.search(head) for _, _, head in around):
                changes.append((match.start(), match.end(), "continue;"))
            else:
                return None
        return changes

    def _with_value(self) -> list[tuple[int, int, str]] | None:
        """What takes the value stands in place of the one `return`, at the end of the body, or
        before the last line of Scala's; None where there are others."""
        plain, (begin, end) = self.text.plain, self.block
        found = [*_RETURN.finditer(plain, begin + 1, end)]
        if not found:
            last = _LAST_LINE.search(plain, begin + 1, end)
            return (
                [(last.start("value"), last.start("value"), self.match["taken"])] if last else None
            )
        closed = re.compile(r"[\s;]*").match(plain, found[0].end())
        if len(found) > 1 or not found[0]["value"] or not closed or closed.end() != end:
            return None
        value = found[0].span("value")
        return [(found[0].start(), value[0], self.match["taken"]), (value[1], end, "")]

    def _is_last(self, at: int) -> bool:
        """Whether nothing of the body is done behind a place, but `finally`."""
        plain, end = self.text.plain, self.block[1]
        while at < end:
            rest = re.compile(r"[\s;]*").match(plain, at)
            at = rest.end() if rest else at
            if other := _OTHER_SIDE.match(plain, at, end):
                at = self.text.block_of(other.end() - 1)[1] + 1
            elif plain[at] == "}":
                if at in self.loops:
                    return False
                at += 1
            else:
                return False
        return True

    def _ends_a_round(self) -> bool:
        """Whether the call is the last statement of a loop over records."""
        around = self.text.around(self.start)
        behind = self.text.plain[self.end :][:200].lstrip()
        return bool(around) and behind.startswith("}") and bool(_EACH.search(around[-1][2]))


def _names(
    names: list[str], given: list[str], own: str
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The parameters that get the name of what they are given, and those that are declared."""
    renamed, declared = dict[str, str](), list[tuple[str, str]]()
    for name, value in zip(names, given, strict=True):
        plain = _NAME.fullmatch(value)
        if plain and (plain[1] == name or not re.search(rf"\b{plain[1]}\b", own)):
            renamed[name] = plain[1]
        else:
            declared.append((name, value))
    return renamed, declared


def _declares(own: str, name: str) -> bool:
    """Whether a body has a variable of its own of this name."""
    return bool(
        re.search(rf"\b(?!return\b)[A-Za-z]\w*(?:<[^<>;=]{{0,80}}>)?\s+{name}\b\s*[=:;]", own)
    )


def _changed(
    code: str, span: Block, own: str, renamed: dict[str, str], returns: list[tuple[int, int, str]]
) -> str:
    """The body with other names, and without its `return`."""
    begin = span[0]
    spans = [(start - begin, end - begin) for start, end, _ in returns]
    changes = [(start - begin, end - begin, kept) for start, end, kept in returns]
    if others := {name: other for name, other in renamed.items() if name != other}:
        known = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, others))})\b")
        for match in known.finditer(blanked(own, spans)):
            changes.append((match.start(), match.end(), others[match[0]]))
    return spliced(code[slice(*span)], sorted(changes))


def join_lines(body: str) -> str:
    """Statements of Kotlin or Scala, which a line ends, in one."""
    first, *lines = body.split("\n")
    made = first
    for line in lines:
        depth = sum(made.count(char) for char in "([") - sum(made.count(char) for char in ")]")
        goes_on = depth > 0 or not made.strip() or _GOES_ON.search(made) or _GOES_BACK.match(line)
        made += (" " if goes_on or not line.strip() else "; ") + line
    return made.rstrip() + ("" if not made.strip() or _GOES_ON.search(made) else ";")
