"""Settings that code of Kafka's Java clients puts into a `Properties` or `Map`, by literals and by
the constants of Kafka's classes.

Only what is sure is read. An object that is filled under a condition, by code elsewhere or with a
value that is worked out is refused where it may decide, with the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from advisor.catalog import Component, Family
from advisor.catalog.texts import is_free
from advisor.intake.clients.generated_names import refuse_new_group, with_assignments
from advisor.intake.clients.known_settings import (
    clients_having,
    is_client_setting,
    is_streams_application,
    is_weighed_key,
    likely_clients,
)
from advisor.intake.clients.streams_properties import TELEMETRY
from advisor.intake.clients.streams_properties import take as take_streams
from advisor.intake.formats.java_properties import Property
from advisor.intake.programs.code_facts import TOPOLOGY, is_topology
from advisor.intake.programs.facts import SHARE_CONSUMER
from advisor.intake.programs.jvm import constants as jvm_constants
from advisor.intake.programs.jvm import seeks
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm import topics as jvm_topics
from advisor.intake.programs.jvm.facts import judge
from advisor.intake.programs.jvm.normal_form.rewriting import normal_form
from advisor.intake.programs.jvm.text import Text, braces, without_comments, without_literals
from advisor.intake.reading import NO_PLAIN_VALUE, Reader, Reading
from advisor.intake.text import IntakeError, line_of, shown

_INSTEAD = (
    "Give the settings of each client as properties, by the names behind the constants (acks=all "
    "for ACKS_CONFIG), in one file for the producer and one for the consumer."
)
_TOLD_BY = re.compile(
    r"\bimport[ \t]+org\.apache\.kafka\.|\(:import[ \t]+[(\[]?org\.apache\.kafka\."
    r"|\bnew[ \t]+Kafka(?:Producer|(?:Share)?Consumer|Streams)\b"
)
_COMMENT = re.compile(r"[ \t]*[#!;]")
"""Of another kind of file."""
_OF_SPARK = re.compile(r"\b(?:readStream|writeStream|SparkSession)\b")
_LOOKED_BACK = 2_000
_MOST_USES, _MOST_OBJECTS = 300, 30
_REACH, _TRIED = 2_000, 20
"""Letters to the end of a call, and keys of an object: each that is unknown takes some
milliseconds."""
_LONGEST = 100_000
"""Letters that are looked through."""
_MADE = re.compile(
    r"\b(?P<name>\w+)\s*(?P<function>\([^(){};=]{0,200}\)\s*)?(?::\s*[\w<>?, ]{1,60})?=\s*"
    r"(?:new\s+)?(?:"
    r"(?:Properties|HashMap|LinkedHashMap|ConcurrentHashMap|mutableMapOf|hashMapOf)\s*"
    r"(?:<[\w<>?, .]{0,60}>)?\(\s*\)(?P<more>\s*[.{])?"
    r"|(?P<given>(?:Map|ImmutableMap)\.of|(?:mutableM|hashM|m)apOf(?:<[\w<>?, .]{0,60}>)?)\()"
)
_DECLARES = re.compile(r"(?<!\breturn)(?<!\belse)(?<=[\w>\]])[ \t]+$")
"""What stands before a name that is one of its block alone."""
_RETURNED = re.compile(
    r"\b(?P<name>\w++)(?:\s*+:\s*+[\w<>?., ]{1,80}+)?+\s*+=\s*+(?:\w+\s*\.\s*)?"
    r"(?P<method>(?!new\b)[a-z]\w*)\s*\("
)
_GIVEN = re.compile(r"(?:Map|ImmutableMap)\.of\(|(?:mutableM|hashM|m)apOf(?:<[\w<>?, .]{0,60}>)?\(")
_ALL = re.compile(rf"\s*\.\s*putAll\s*\(\s*(?:{_GIVEN.pattern})")
_GOES_ON = re.compile(r"[ \t]*(?:[+-]|(?:\n\s*)?(?:\.|plus\b|to\b))")
"""Of a map that is written down, what makes another one of it."""
_APPLIED = re.compile(r"\{\s*\{|\.\s*apply\s*\{")
_OWN_PUT = re.compile(r"(?<![\w.])(?:this\.)?(?:put|setProperty)\s*\(")
_TYPES = r"(?:[<\[][\w<>?, .\[\]]{0,120}[>\]])?"
_CLIENT = re.compile(rf"\bKafka(?P<kind>Producer|Consumer|Streams)\s*{_TYPES}\(")
_BLOCK = re.compile(r"\b(?:if|else|for|while|switch|catch|case|when|do)\b|->")
_METHOD = re.compile(r"(\w+)\s*\([^()]{0,300}\)\s*(?::\s*\w+\s*)?(?:throws\s[\w, .]+)?=?\s*$")
_PUT = re.compile(r"\s*\.\s*(?:put|setProperty)\s*\(")
_INDEX = re.compile(r"\s*\[(?P<key>[^\]\n]{1,150})\]\s*=(?!=)\s*(?P<value>[^\n;]{1,300})")
_HARMLESS = re.compile(
    r"\s*(?:\.\s*(?:get|getProperty|containsKey|size|toString|keySet|forEach)\b|[!=]=)"
)
_READS_IT = re.compile(
    rf"(?:Kafka(?:Producer|Consumer|Streams)\s*{_TYPES}|(?:Admin|AdminClient)\.create|println"
    r"|printf|(?:info|debug|trace|warn|error|format))\s*\((?:[^;{}()]|\([^()]*\)){0,300}$"
)

_Pair = tuple[str, str, int, bool]
"""Key, value as it is written, where, and whether under a condition."""


@dataclass(slots=True)
class _Object:
    """One `Properties` or `Map`, from where it is made to where its name is given to another."""

    name: str
    start: int
    end: int
    method: str
    blocks: int
    clients: list[tuple[str, int, int]] = field(default_factory=list)
    """What is made of it, and where; and what is put in before counts: all of it, where a method
    returns the object."""

    pairs: list[_Pair] = field(default_factory=list)
    of: _Object | None = None
    """The object of a method that returns it, as which it begins."""

    unsure: str = ""
    """Why it may hold something that is not read."""

    @property
    def bases(self) -> list[_Object]:
        """What it begins as, from the first."""
        return [*self.of.bases, self.of] if self.of else []


def read(text: str) -> Reading:
    """What the code puts into the objects that its clients are handed. Raises `IntakeError`."""
    code = Code(normal_form(text[:_LONGEST]))
    if match := seeks.SHARES.search(code.plain):
        raise IntakeError(f"Line {code.line(match.start())}: {match[1]}: {SHARE_CONSUMER}")
    objects = list(code.objects())
    objects += code.returned(objects)
    for made in objects:
        code.fill(made)
    code.assign(objects)
    taken = [item for item in objects if item.clients or jvm_topics.administers(code.plain, item)]
    begun = {id(base) for made in taken for base in made.bases}
    alone = [made for made in objects if not made.of and id(made) not in begun]
    filled = [made for made in objects
              if made.clients or (made in alone and _is_of_client(made, code.plain))]  # fmt: skip
    if not filled:
        return _without_settings(code)
    for made in filled:
        if unsure := next(filter(None, (base.unsure for base in [*made.bases, made])), ""):
            raise IntakeError(f"{unsure}. {_INSTEAD}")
    for made in filled:
        made.clients = made.clients or _likely(made, len(code.text))
    kinds = {kind for made in filled for kind, _, _ in made.clients}
    if "Streams" in kinds and len(kinds) > 1:
        words = "Kafka Streams and clients beside it: one pipeline has one of them"
        raise IntakeError(f"Line {code.line(filled[0].start)}: {words}. {_INSTEAD}")
    reading = Reading(heads={"family": Family.STREAMS if "Streams" in kinds else Family.JAVA})
    named = set[tuple[str, str]]()
    for made in filled:
        for kind, at, until in made.clients:
            process = f"line {code.line(at)}"
            process += f", letter {at}" if (kind, process) in named else ""
            named.add((kind, process))
            _state(reading, code, made, (Component(kind.lower()), until, process))
    judge(reading, Text(code.plain, code.heads), code)
    return reading


def _without_settings(code: Code) -> Reading:
    """A topology, whose settings are elsewhere. Raises `IntakeError` for other code."""
    if is_topology(code.plain):
        reading = Reading(heads={"family": Family.STREAMS}, empty_reason=TOPOLOGY)
        judge(reading, Text(code.plain, code.heads), code)
        return reading
    match = _TOLD_BY.search(code.text)
    line = code.line(match.start()) if match else 1
    words = "this is code with Kafka's Java clients (Java, Kotlin, Scala, Clojure), which "
    words += "Delivery Lab does not read: no settings are in it as plain values."
    raise IntakeError(f"Line {line}: {words} {_INSTEAD}")


def _is_of_client(made: _Object, plain: str) -> bool:
    """Whether it holds settings of a client that writes or reads, which AdminClient does not."""
    if jvm_topics.administers(plain, made) or jvm_topics.only_administers(plain):
        return False
    return any(is_client_setting(key) for key, _, _, _ in made.pairs[:_TRIED])


def _likely(made: _Object, until: int) -> list[tuple[str, int, int]]:
    """The clients of an object that the program hands to none, by the names that it holds."""
    keys = [key for key, _, _, _ in made.pairs]
    if is_streams_application(keys):
        return [("Streams", made.start, until)]
    return [(client.title(), made.start, until) for client in likely_clients(keys)]


def _state(reading: Reading, code: Code, made: _Object, client: tuple[Component, int, str]) -> None:
    """Takes what an object holds when a client is made of it."""
    component, until, process = client
    clients = tuple(Component(kind.lower()) for kind, _, _ in made.clients)
    if component is not Component.STREAMS:
        reading.clients.add((component, process))
    before = [pair for base in made.bases for pair in base.pairs]
    for key, written, at, depends in before:
        if component in clients_having(key, clients):
            _take(reading, code, component, (key, written, code.line(at), depends), process)
    for key, written, at, depends in made.pairs:
        if component not in clients_having(key, clients):
            continue  # of an object that two kinds of clients are made of
        if at < until:
            _take(reading, code, component, (key, written, code.line(at), depends), process)
        elif not code.follows(at, until) and is_weighed_key(component, key):
            words = "may be put in before its client is made, or after that"
            reading.wrong(component, key, code.line(at), f"{shown(key)} {words}")


def _take(
    reading: Reading, code: Code, component: Component, pair: tuple[str, str, int, bool],
    process: str,
) -> None:  # fmt: skip
    key, written, line, depends = pair
    counts, text = is_weighed_key(component, key), code.value(written)
    stated = with_assignments(code.plain, written) if text is None else ""
    if refuse_new_group(reading, component, key, stated, line):
        return
    if text is None and is_free(key) and '"' in written:
        text = "x"  # a name with a variable in it is one, whatever that is
    if counts and (depends or text is None):
        words = "depends on a condition of the program. Leave only the case that you ask for"
        reading.wrong(component, key, line, f"{shown(key)} {words if depends else NO_PLAIN_VALUE}")
    elif text is None:
        reading.note(line, f"{shown(key)} is not a plain value: not read")
    elif key in TELEMETRY and '"' not in written:
        reading.note(line, f"{shown(key)} is not taken into account")
    elif component is Component.STREAMS:
        take_streams(reading, Property(line, key, text))
    else:
        reading.state(component, key, text, line, process=process)


class Code:
    """A program without its comments."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = without_literals(text)
        self.heads = [*braces(self.plain)]

    def line(self, at: int) -> int:
        """The line of a place, from 1."""
        return line_of(self.text, at)

    def _blocks(self, at: int) -> list[tuple[int, str]]:
        """The braces around a place, from the outermost."""
        around = [(start, head) for start, end, head in self.heads if start < at < end]
        return sorted(around)

    def _depends(self, at: int, since: int) -> bool:
        """Whether a statement is under a condition that its object is not under."""
        inner = [head for _, head in self._blocks(at)[since:]]
        begin = max(self.plain.rfind(char, 0, at) for char in "{};")
        before = self.plain[max(begin + 1, at - _LOOKED_BACK) : at]
        return any(_BLOCK.search(head) for head in inner) or bool(_BLOCK.search(before))

    def follows(self, at: int, other: int) -> bool:
        """Whether a place is in the block of another one, behind it."""
        around, inner = self._blocks(at), self._blocks(other)
        return at >= other and around[: len(inner)] == inner

    def objects(self) -> Iterator[_Object]:
        """Each object that is made empty, or with what it holds."""
        made = [*islice(_MADE.finditer(self.plain), _MOST_OBJECTS)]
        for number, match in enumerate(made):
            same = (other for other in made[number + 1 :] if other["name"] == match["name"])
            end = next((other.start() for other in same), len(self.text))
            if _DECLARES.search(self.plain, max(0, match.start() - 80), match.start()):
                end = min(end, self._scope(match.start()))
            blocks = self._blocks(match.start())
            method = match["name"] if match["function"] else self._method(blocks)
            result = _Object(match["name"], match.start(), end, method, len(blocks))
            if match["more"]:
                self._begin(result, match.end("more"))
            elif match["given"]:
                self._hold(result, self.arguments(match.end()), match.end())
                if _GOES_ON.match(self.plain, self._closed(match.end())):
                    words = "what is made of this map is not known"
                    result.unsure = f"Line {self.line(match.start())}: {words}"
            yield result

    def _scope(self, at: int) -> int:
        """Where the braces end that a place is in."""
        around = (end for start, end, _ in self.heads if start < at < end)
        return min(around, default=len(self.text))

    @staticmethod
    def _method(blocks: list[tuple[int, str]]) -> str:
        names = [_METHOD.search(head) for _, head in blocks]
        return next((name[1] for name in reversed(names) if name), "")

    def returned(self, objects: list[_Object]) -> list[_Object]:
        """Each name that is given what a method of the file makes: it is an object, too."""
        found = list[_Object]()
        for match in islice(_RETURNED.finditer(self.plain), _MOST_OBJECTS):
            bases = [made for made in [*objects, *found] if made.method == match["method"]]
            later = [item.start for item in objects if item.name == match["name"]]
            end = min((at for at in later if at > match.end()), default=len(self.text))
            if _DECLARES.search(self.plain, max(0, match.start() - 80), match.start()):
                end = min(end, self._scope(match.start()))
            for base in bases if len(bases) == 1 else ():
                if base.name == match["name"] and base.start < match.start() < base.end:
                    base.end = match.start()
                at = self._closed(match.end())
                blocks = self._blocks(match.start())
                own = (match["name"], at, end, self._method(blocks), len(blocks))
                found.append(_Object(*own, of=base))
        return found

    def _begin(self, made: _Object, at: int) -> None:
        """Takes what a block puts in: `new Properties() {{ … }}`, `Properties().apply { … }`."""
        opened = _APPLIED.match(self.plain, at - 1)
        start = opened.end() - 1 if opened else at
        end = next((end for begin, end, _ in self.heads if begin == start), 0)
        made.unsure = (
            f"Line {self.line(made.start)}: what is put into this object is not read as it is "
            "written here"
        )
        if not end:
            return
        made.blocks += 2 if opened and opened[0].startswith("{") else 1
        left, behind = list[str](), start + 1
        for match in _OWN_PUT.finditer(self.plain, start, end):
            left.append(self.plain[behind : match.start()])
            made.pairs += self._pair(self.arguments(match.end()), match.start(), made.blocks)
            behind = self._closed(match.end())
        left.append(self.plain[behind:end])
        made.blocks -= 2 if opened and opened[0].startswith("{") else 1
        if not "".join(left).strip(" \t\r\n;") and len(left) == len(made.pairs) + 1:
            made.unsure = ""

    def _hold(self, made: _Object, arguments: list[str], at: int) -> None:
        """Takes what `Map.of(key, value, …)`, `mapOf(key to value, …)` holds."""
        before = len(made.pairs)
        pairs = [re.split(r"\s+to\s+|\s*->\s*", argument, maxsplit=1) for argument in arguments]
        if any(len(pair) == 1 for pair in pairs):
            pairs = [arguments[n : n + 2] for n in range(0, len(arguments), 2)]
        for pair in pairs:
            made.pairs += self._pair(pair, at, made.blocks)
        if len(made.pairs) - before != len(pairs):
            words = "the name of this setting is not known"
            made.unsure = f"Line {self.line(at)}: {words}"

    def fill(self, made: _Object) -> None:
        """Takes what is put into an object, and says where something else may be put in."""
        uses = re.compile(rf"(?<![\w.\"])(?:this\.)?{re.escape(made.name)}\b")
        for number, match in enumerate(uses.finditer(self.plain, made.start + 1, made.end)):
            if number > _MOST_USES:
                raise IntakeError(f"Line {self.line(match.start())}: more than {_MOST_USES} uses.")
            at, rest = match.end(), match.start()
            if self.plain[at : at + 1] == "(":
                continue  # a method of this name
            if put := _PUT.match(self.plain, at):
                arguments = self.arguments(put.end())
                self._take(made, arguments, rest)
            elif whole := _ALL.match(self.plain, at):
                self._hold(made, self.arguments(whole.end()), rest)
            elif index := _INDEX.match(self.text, at):
                self._take(made, [index["key"].strip(), index["value"].strip()], rest)
            elif not self._only_reads(at, rest):
                words = f"what this does with {shown(made.name)} is not known"
                made.unsure = made.unsure or f"Line {self.line(rest)}: {words}"

    def _take(self, made: _Object, arguments: list[str], at: int) -> None:
        pairs = self._pair(arguments, at, made.blocks)
        made.pairs += pairs
        if not pairs:
            words = f"Line {self.line(at)}: the name of this setting is not known"
            made.unsure = made.unsure or words

    def _pair(self, arguments: list[str], at: int, since: int) -> list[_Pair]:
        """The pair of a key and a value; none where the key is not known."""
        name = jvm_constants.resolve(arguments[0], self.text, self.plain) if arguments else ""
        key = jvm_constants.setting_of_constant(name) if len(arguments) == 2 else None
        return [(key, arguments[1], at, self._depends(at, since))] if key else []

    def _only_reads(self, at: int, start: int) -> bool:
        begin = max(self.plain.rfind(char, 0, start) for char in "{};")
        before = self.plain[max(begin + 1, start - _LOOKED_BACK) : start]
        returned = re.search(r"\breturn\s+$", before)
        return bool(_HARMLESS.match(self.plain, at) or returned or _READS_IT.search(before))

    def assign(self, objects: list[_Object]) -> None:
        """Gives each client its object. Raises `IntakeError` for one that has none here."""
        for match in _CLIENT.finditer(self.plain):
            if re.search(r"\b(?:extends|class)\s+$", self.plain[: match.start()]):
                continue
            arguments = self.arguments(match.end())
            given = arguments[1 if match["kind"] == "Streams" else 0 :][:1]
            name = given[0].removeprefix("this.").strip() if given else ""
            if held := _GIVEN.match(name):
                at = self.text.index(name, match.end()) + held.end()
                own = _Object("", at, at, "", len(self._blocks(at)))
                self._hold(own, self.arguments(at), at)
                if self._closed(at) != at - held.end() + len(name):
                    own.unsure = f"Line {self.line(at)}: what is made of this map is not known"
                own.clients.append((match["kind"], match.start(), len(self.text)))
                objects.append(own)
                continue
            called = re.fullmatch(r"(?:\w+\.)?(\w+)\(.*\)", name, re.DOTALL)
            chosen = [
                made for made in objects
                if (made.name == name and made.start < match.start() < made.end)
                or (called and made.method == called[1])
            ]  # fmt: skip
            if len(chosen) != 1:
                words = "what this client is given is not in the file as plain values"
                raise IntakeError(f"Line {self.line(match.start())}: {words}. {_INSTEAD}")
            until = len(self.text) if called else match.start()
            chosen[0].clients.append((match["kind"], match.start(), until))

    def arguments(self, at: int) -> list[str]:
        """The arguments of a call whose bracket was opened just before a place."""
        return jvm_text.arguments(self.plain, at, self.text, _REACH)

    def _closed(self, at: int) -> int:
        """Behind the bracket that closes a call which was opened just before a place."""
        return jvm_text.closing_bracket(self.plain, at, _REACH)

    def value(self, written: str) -> str | None:
        """The text of a literal, of a constant or of a class; None for what is worked out."""
        return jvm_constants.plain_value(written, self.text, self.plain)


def _likeness(text: str) -> float:
    if _OF_SPARK.search(text, 0, _LONGEST):
        return 0.0
    code = without_comments(text[:_LONGEST])
    for match in islice(_TOLD_BY.finditer(code), _MOST_USES):
        start = code.rfind("\n", 0, match.start()) + 1
        if not _COMMENT.match(code, start):
            return 0.97
    return 0.0


READERS = (Reader("java-code", "Code of Kafka's Java clients", _likeness, read),)
