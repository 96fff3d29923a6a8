"""A variable and one statement for each setting, in place of an object with a block of settings.

`KafkaConsumer(Properties().apply { put(a, b); this[c] = d })`, Java's `new Properties() {{ … }}`
and a map that a method returns become a variable, and calls of `put`. Line numbers do not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, islice

from advisor.intake.programs.jvm.text import Text, spliced

_MOST, _MOST_BLOCKS, _HEAD, _DEEPEST, _LONGEST = 40, 12, 200, 8, 8_000
_TYPES = r"(?:\s*[<\[][\w<>?, .\[\]]{0,80}[>\]])?"
_OBJECT = re.compile(
    r"(?P<object>(?:\bnew\s+)?\b(?:Properties|HashMap|LinkedHashMap|mutableMapOf|hashMapOf)"
    rf"{_TYPES}\s*\(\s*\))\s*(?:\.\s*(?P<scope>apply|also)\s*(?=\{{)|(?P<initializer>\{{\s*(?=\{{))"
    r"|(?=\{\s*(?:put|setProperty)\b))"
    rf"|\bbuildMap{_TYPES}\s*(?=\{{)"
)
"""An empty object before a block that fills it."""
_COPY = re.compile(
    r"\b(?P<name>\w+)\s*(?::\s*[\w<>?., ]{1,60})?\s*=\s*(?:new\s+)?(?:Linked|Concurrent)?"
    rf"HashMap{_TYPES}\s*(?P<opened>\()(?=\s*(?:(?:Map|ImmutableMap)\s*\.\s*of|mapOf{_TYPES})\s*\()"
)
"""A map that begins with the entries of a literal."""
_ENTRIES = re.compile(r"\bMap\s*\.\s*(?P<verb>ofEntries)\s*\(")
_ENTRY = re.compile(r"(?:\bMap\s*\.\s*|(?<![\w.]))entry\s*\(")
_DECLARED = re.compile(
    r"\b(?P<name>\w+)\s*(?P<function>\([^(){};=]{0,200}\)\s*)?(?::\s*[\w<>?., ]{1,60})?\s*=\s*$"
)
_PUT = re.compile(
    r"(?<![\w.])(?:this\s*\.\s*)?(?P<verb>put|setProperty|set|putIfAbsent"
    rf"|putAll(?=\s*\(\s*(?:(?:Map|ImmutableMap)\s*\.\s*of|mapOf{_TYPES})\s*\())\s*(?=\()"
)
_INDEX = re.compile(r"(?<![\w.])(?:this|it)\s*(?=\[)")
_INDEXED = re.compile(r"\w+\s*\[[^\[\]\n]{1,150}\]\s*=(?!=)\s*[^;\n]{1,300}")
_PARAMETER = re.compile(r"\s*(?P<name>\w+)\s*->")
_REST = re.compile(
    r"(?:\s|;|[{}]|\bif\s*\((?:[^(){}]|\((?:[^(){}]|\([^(){}]*+\))*+\))*+\)\s*+(?=[{\n])|\belse\b"
    r"|\?\s*\.\s*let\b)*+"
)
"""Code between the settings of a block, which only decides whether one is set."""
_RETURNED_MAP = re.compile(
    r"\breturn\s+(?=(?:Map|ImmutableMap)\s*\.\s*of\s*\(|mapOf" + _TYPES + r"\s*\()"
)
_CONVERSION = re.compile(
    r"(?<=\))\s*\.\s*(?:to(?:Properties|Map|MutableMap)\s*\(\s*\)|asJava\b)"
    r"|(?<=\w)\s*\.\s*(?:toProperties\s*\(\s*\)|asJava\b)(?=\s*[,)])"
)
_MAP = re.compile(
    r"\b(?:(?:Map|ImmutableMap)\s*\.\s*of|(?:mutableM|hashM|m)apOf|Map)" + _TYPES + r"\s*\("
)
_CLIENT = re.compile(
    r"\bKafka(?:Producer|Consumer|Streams)" + _TYPES + r"\s*\(\s*\w+(?=\s*\.\s*(?:toP|asJ))"
)

Change = tuple[int, int, str]


def without_settings_blocks(code: str) -> str:
    """Returns the program with a variable and statements for the settings of each such object."""
    if "Kafka" not in code:
        return code
    for _ in range(_MOST_BLOCKS):
        changed = _without_first_block(code)
        if changed is None:
            break
        code = changed
    text, numbers = Text.of(code), count()
    changes = [change for match in islice(_RETURNED_MAP.finditer(text.plain), _MOST)
               for change in _map_in_variable(text, match, f"map{next(numbers)}_")]  # fmt: skip
    changes += [(*it.span("opened"), f"(); {it['name']}.putAll(")
                for it in islice(_COPY.finditer(text.plain), _MOST)]  # fmt: skip
    changes += [change for match in islice(_ENTRIES.finditer(text.plain), _MOST)
                for change in _without_entries(text, match)]  # fmt: skip
    conversions = [
        conversion
        for pattern in (_MAP, _CLIENT)
        for match in islice(pattern.finditer(text.plain), _MOST)
        if (conversion := _conversion_after(text, match))
    ]
    return spliced(code, sorted({*changes, *((*it.span(), "") for it in conversions)}))


def _conversion_after(text: Text, match: re.Match[str]) -> re.Match[str] | None:
    is_call = match[0].endswith("(") and not match[0].startswith("Kafka")
    return _CONVERSION.match(text.plain, text.closed(match.end()) if is_call else match.end())


def _without_entries(text: Text, match: re.Match[str]) -> Iterator[Change]:
    """Yields the changes that turn `Map.ofEntries(Map.entry(k, v), …)` into `Map.of(k, v, …)`."""
    yield *match.span("verb"), "of"
    for entry in islice(_ENTRY.finditer(text.plain, match.end(), text.closed(match.end())), _MOST):
        closed = text.closed(entry.end())
        yield *entry.span(), ""
        yield closed - 1, closed, ""


def _map_in_variable(text: Text, match: re.Match[str], name: str) -> Iterator[Change]:
    """Yields the changes that put a returned map into a variable."""
    end = text.closed(text.plain.index("(", match.end()) + 1)
    yield *match.span(), f"var {name} = "
    yield end, end, f"; return {name}"


def _without_first_block(code: str) -> str | None:
    """Returns the program without the first such block; None if there is none."""
    text = Text.of(code)
    for match in islice(_OBJECT.finditer(text.plain), _MOST):
        start, end = text.block_of(match.end())
        after = text.after_whitespace(end + 1)
        if match["initializer"]:
            if text.plain[after : after + 1] != "}":
                continue
            after = text.after_whitespace(after + 1)
        elif text.plain[after : after + 1] in (".", "?"):
            continue
        name = _name_before(text, match, code)
        statements = _statements(text, code, match, name) if end - start < _LONGEST else None
        if statements is None:
            continue
        stop = text.plain.index("}", end + 1) + 1 if match["initializer"] else end + 1
        object_ = match["object"] or "HashMap()"
        if name in code:
            return f"{code[: match.start()]}{object_}; {statements}{code[stop:]}"
        begin = _statement_start(text, match.start())
        between = code[begin : match.start()]
        lines = "\n" * between.count("\n")
        made = f" var {name} = {lines}{object_}; {statements}; "
        return code[:begin] + made + between.replace("\n", " ") + name + code[stop:]
    return None


def _name_before(text: Text, match: re.Match[str], code: str) -> str:
    """Returns the name of the variable or function for an object, or a new one."""
    before = text.plain[max(0, match.start() - _HEAD) : match.start()]
    declared = _DECLARED.search(before)
    return declared["name"] if declared else f"settings{code.count('settings')}_"


def _statement_start(text: Text, at: int) -> int:
    """Returns the start of the statement around an offset, whose calls may have several lines."""
    for _ in range(_DEEPEST):
        depth, opened = 0, -1
        for here in range(at - 1, max(-1, at - _LONGEST), -1):
            depth += (text.plain[here] in ")]}") - (text.plain[here] in "([{")
            if depth < 0:
                opened = here
                break
        if opened < 0 or text.plain[opened] != "(":
            break
        at = text.chain(opened)
    return 1 + max(text.plain.rfind(char, 0, at) for char in ";{}\n")


def _statements(text: Text, code: str, match: re.Match[str], name: str) -> str | None:
    """Returns the statements of a block, each with the name of the object; None if there are others
    than settings."""
    start, end = text.block_of(match.end())
    begin, receiver = start + 1, ""
    if match["scope"] == "also":
        parameter = _PARAMETER.match(text.plain, begin)
        begin, receiver = (parameter.end(), parameter["name"]) if parameter else (begin, "it")
    changes, spans = list[Change](), list[tuple[int, int]]()
    patterns = (
        [re.compile(rf"(?<![\w.]){receiver}\s*(?=\[|\.\s*(?:put|set)\w*\s*\()")]
        if receiver
        else [_PUT, _INDEX]
    )
    for pattern in patterns:
        for use in islice(pattern.finditer(text.plain, begin, end), 10 * _MOST):
            verb = "" if pattern is not _PUT else f".{use['verb'].replace('set', 'put', 1)}"
            verb = ".put" if verb == ".putProperty" else verb
            changes.append((*use.span(), f"{name}{verb}"))
            indexed = _INDEXED.match(text.plain, use.start(), end)
            opened = text.plain.find("(", use.start())
            spans.append((use.start(), indexed.end() if indexed else text.closed(opened + 1)))
    rest, done = "", begin
    for first, last in sorted(spans):
        rest, done = rest + text.plain[done : max(done, first)], max(done, last)
    rest += text.plain[done:end]
    if not _REST.fullmatch(rest):
        return None
    moved = [(first - begin, last - begin, new) for first, last, new in sorted(changes)]
    lines = "\n" * code.count("\n", match.start() + len(match["object"] or ""), begin)
    return lines + spliced(code[begin:end], moved)
