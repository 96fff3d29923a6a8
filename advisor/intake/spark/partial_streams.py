"""Streams of which a query takes only a part: the first rows, or rows at random.

`limit` of a stream takes its first rows, and no later ones at all (StreamingGlobalLimitExec: the
number of rows is kept in the state of the query). `sample`, and a filter on `rand()`, leave out
rows of each batch, and other ones if the batch is run again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from advisor.catalog import Component
from advisor.intake.programs.facts import add_skipped_messages
from advisor.intake.programs.jvm.text import Text
from advisor.intake.reading import Reading
from advisor.intake.text import line_of

_PART = re.compile(
    r"\.\s*(?P<verb>limit|sample(?:By)?)\s*\(|\.\s*(?:filter|where)\s*\(\s*(?P<random>rand\s*\()"
)
_RANDOM_TEXT = re.compile(r"\.\s*(?:filter|where)\s*\(\s*[\"'][^\"'\n]{0,80}\brand\s*\(")
_COMMENT = re.compile(r"^[ \t]*#.*$|#[^\n\"']*$", re.MULTILINE)
_READ = re.compile(r"\breadStream\b")
_FUNCTION = re.compile(
    r"^(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+\w+[ \t]*\((?P<parameters>[^()]*)\)"
    r"[^\n]*:[ \t]*$",
    re.MULTILINE,
)
"""The head of a function of Python."""
_PARAMETERS = re.compile(r"[\s({]*(?:case\s*)?\(?(?P<names>[^(){}=>]{1,200}?)\)?\s*(?:=>|->)")
"""The parameters of a lambda."""
_CALLED = re.compile(r"\bforeachBatch\s*[({]")
_ASSIGNED = re.compile(
    r"^[ \t]*(?:va[lr]\s+|(?:final\s+)?[\w<>.]+\s+)?(?P<name>\w+)\s*(?::\s*[\w.\[\]]+\s*)?=(?!=)"
    r"\s*\(?\s*(?P<first>\w+)",
    re.MULTILINE,
)
_DROPPED = re.compile(
    r"\.\s*flatMap\s*[({][^;\n]{0,200}?\bTry\s*[({][^;\n]{0,200}?[)}]\s*\.\s*toOption\b"
)
_WORDS = (
    "takes only a part of the stream, and the query takes all of it as done. If the rest is not "
    "needed, state application.processing.errors, and give the settings as options"
)
_MAX_MATCHES, _MAX_ROUNDS = 50, 5


def refuse_parts(reading: Reading, code: str) -> None:
    """Adds a problem for the first call that leaves out rows of a stream."""
    at, verb = next(_parts(code), (-1, ""))
    if at >= 0:
        line = line_of(code, at)
        reading.add_problem(Component.APPLICATION, "processing", line, f"{verb} {_WORDS}")


def add_dropped_rows(reading: Reading, code: str) -> None:
    """Adds that rows are skipped whose conversion fails: Scala's flatMap drops an empty Option."""
    if match := _DROPPED.search(Text.of(code).plain):
        words = "flatMap drops the rows for which Try fails"
        add_skipped_messages(reading, line_of(code, match.start()), words)


def _parts(code: str) -> Iterator[tuple[int, str]]:
    """Yields the offset of each such call, with its name."""
    text = text_of(code)
    matches = [*_PART.finditer(text.plain), *_RANDOM_TEXT.finditer(code)]
    for match in of_streams(text, matches):
        yield match.start(), match.groupdict().get("verb") or "rand()"


def text_of(code: str) -> Text:
    """The text of a program in Scala, Java or Python, without its comments."""
    return Text.of(_COMMENT.sub(_blank, code))


def of_streams(text: Text, calls: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """Yields those of the calls that are methods of a stream, and not of a batch."""
    streams = _stream_names(text)
    for match in islice(sorted(calls, key=re.Match.start), _MAX_MATCHES):
        opened = text.plain.index("(", match.start())
        chain = text.plain[text.chain(opened) : match.start()]
        first = re.match(r"[\s(]*(\w+)", chain)
        name = first[1] if first else ""
        if _READ.search(chain) or (
            name in streams and not _is_parameter(text, name, match.start())
        ):
            yield match


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _stream_names(text: Text) -> set[str]:
    """The names of streams: of those that are read, and of what is derived from them."""
    assigned = [*islice(_ASSIGNED.finditer(text.plain), _MAX_MATCHES * 10)]
    names = set[str]()
    for _ in range(_MAX_ROUNDS):
        for match in assigned:
            statement = text.plain[match.start("first") : match.start("first") + 400]
            head = re.split(r"[;{}]|\n\s*(?![.\\)\s])", statement)[0]
            if match["first"] in names or _READ.search(head):
                names.add(match["name"])
    return names


def _is_parameter(text: Text, name: str, at: int) -> bool:
    """Whether a name is here the parameter of a function, and so may be a batch."""
    word = re.compile(rf"\b{name}\b")
    line = text.plain[text.plain.rfind("\n", 0, at) + 1 : at]
    if f"lambda {name}" in line:
        return True
    for function in _FUNCTION.finditer(text.plain, 0, at):
        dedent = re.compile(rf"^[ \t]{{0,{len(function['indent'])}}}[^\s#)]", re.MULTILINE)
        if word.search(function["parameters"]) and not dedent.search(
            text.plain, function.end(), at
        ):
            return True
    heads = [text.plain[max(0, start - 200) : start].rpartition("\n")[2] + head
             for start, _, head in text.around(at)]  # fmt: skip
    if any(re.search(rf"[(,]\s*(?:final\s+)?(?:[\w<>.]+\s+)?{name}\s*[:,)]", head)
           for head in heads):  # fmt: skip
        return True
    return any(
        (parameters := _PARAMETERS.match(text.plain, call.end() - 1, at)) is not None
        and bool(word.search(parameters["names"]))
        for call in islice(_CALLED.finditer(text.plain, 0, at), _MAX_MATCHES)
        if _end(text, call.end() - 1) > at
    )


def _end(text: Text, opened: int) -> int:
    is_block = text.plain[opened] == "{"
    return text.block_of(opened)[1] if is_block else text.closed(opened + 1)
