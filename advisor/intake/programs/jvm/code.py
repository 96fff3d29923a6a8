"""Settings that code of Kafka's Java clients puts into a `Properties` or `Map`, as literals or as
constants of Kafka's classes.

Only values that are certain are read. An object that is filled under a condition, by code in
another file or with a computed value is refused, with the line, if the setting may matter.
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
    is_modelled_key,
    is_streams_application,
    likely_clients,
)
from advisor.intake.clients.streams_properties import TELEMETRY
from advisor.intake.clients.streams_properties import take as take_streams
from advisor.intake.formats.java_properties import Property
from advisor.intake.programs.code_facts import TOPOLOGY, is_topology
from advisor.intake.programs.facts import SHARE_CONSUMER
from advisor.intake.programs.jvm import bindings, seeks
from advisor.intake.programs.jvm import constants as jvm_constants
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm import topics as jvm_topics
from advisor.intake.programs.jvm.facts import judge
from advisor.intake.programs.jvm.normal_form.rewriting import normal_form
from advisor.intake.programs.jvm.text import Text, braces, without_comments, without_literals
from advisor.intake.reading import NO_PLAIN_VALUE, Reader, Reading
from advisor.intake.text import IntakeError, line_of, shown

_INSTEAD = (
    "Give the settings of each client as properties, by their names in Kafka (acks=all "
    "for ACKS_CONFIG), in one file for the producer and one for the consumer."
)
_CLIENT_CODE = re.compile(
    r"\bimport[ \t]+org\.apache\.kafka\.|\(:import[ \t]+[(\[]?org\.apache\.kafka\."
    r"|\bnew[ \t]+Kafka(?:Producer|(?:Share)?Consumer|Streams)\b"
)
_COMMENT = re.compile(r"[ \t]*[#!;]")
"""A comment in a file of another kind."""
_SPARK = re.compile(r"\b(?:readStream|writeStream|SparkSession)\b")
_LOOK_BACK = 2_000
_MOST_USES, _MOST_OBJECTS = 300, 30
_REACH, _MOST_KEYS = 2_000, 20
"""Characters up to the end of a call, and keys of an object that are looked up: each unknown key
takes some milliseconds."""
_LONGEST = 100_000
"""Characters of a file that are read."""
_NEW_OBJECT = re.compile(
    r"\b(?P<name>\w+)\s*(?P<function>\([^(){};=]{0,200}\)\s*)?(?::\s*[\w<>?, ]{1,60})?=\s*"
    r"(?:new\s+)?(?:"
    r"(?:Properties|HashMap|LinkedHashMap|ConcurrentHashMap|mutableMapOf|hashMapOf)\s*"
    r"(?:<[\w<>?, .]{0,60}>)?\(\s*\)(?P<block>\s*[.{])?"
    r"|(?P<entries>(?:Map|ImmutableMap)\.of|(?:mutableM|hashM|m)apOf(?:<[\w<>?, .]{0,60}>)?"
    r"|Map(?:\[[\w, .]{0,60}\])?)\()"
)
_DECLARATION = re.compile(r"(?<!\breturn)(?<!\belse)(?<=[\w>\]])[ \t]+$")
"""The end of a type before a variable that is declared in its block."""
_ASSIGNED_CALL = re.compile(
    r"\b(?P<name>\w++)(?:\s*+:\s*+[\w<>?., ]{1,80}+)?+\s*+=\s*+(?:\w+\s*\.\s*)?"
    r"(?P<method>(?!new\b)[a-z]\w*)\s*\("
)
_COPIED = re.compile(
    r"\b(?P<name>\w++)(?:\s*+:\s*+[\w<>?., ]{1,80}+)?+\s*+=\s*+(?:(?:new\s+)?(?:Linked|Concurrent)?"
    r"HashMap\s*(?:<[\w<>?, .]{0,60}>)?\(\s*(?P<other>\w+)\s*\)"
    r"|(?P<source>\w+)\s*\.\s*toMutableMap\(\s*\))"
)
"""A map that begins with the entries of another object."""
_MAP_OF = re.compile(
    r"(?:Map|ImmutableMap)\.of\(|(?:mutableM|hashM|m)apOf(?:<[\w<>?, .]{0,60}>)?\("
)
_PUT_ALL = re.compile(rf"\s*\.\s*putAll\s*\(\s*(?:{_MAP_OF.pattern})")
_CONTINUES = re.compile(r"[ \t]*(?:[+-]|(?:\n\s*)?(?:\.|plus\b|to\b))")
"""An operator or a call after a map literal, which builds another map from it."""
_TYPES = r"(?:[<\[][\w<>?, .\[\]]{0,120}[>\]])?"
_CLIENT = re.compile(rf"\bKafka(?P<kind>Producer|Consumer|Streams)\s*{_TYPES}\(")
_BLOCK = re.compile(r"\b(?:if|else|for|while|switch|catch|case|when|do)\b|->")
_METHOD = re.compile(r"(\w+)\s*\([^()]{0,300}\)\s*(?::\s*\w+\s*)?(?:throws\s[\w, .]+)?=?\s*$")
_PUT = re.compile(r"\s*\.\s*(?:put|setProperty)\s*\(")
_INDEX = re.compile(r"\s*\[(?P<key>[^\]\n]{1,150})\]\s*=(?!=)\s*(?P<value>[^\n;]{1,300})")
_HARMLESS = re.compile(
    r"\s*(?:\.\s*(?:get|getProperty|containsKey|size|toString|keySet|forEach|toMutableMap)\b|[!=]=)"
)
_READING_CALL = re.compile(
    rf"(?:(?:Kafka(?:Producer|Consumer|Streams)|HashMap)\s*{_TYPES}|(?:Admin|AdminClient)\.create|println"
    r"|printf|(?:info|debug|trace|warn|error|format))\s*\((?:[^;{}()]|\([^()]*\)){0,300}$"
)

_Pair = tuple[str, str, int, bool]
"""The key, the expression of the value, its offset, and whether it is under a condition."""


@dataclass(slots=True)
class _Object:
    """A `Properties` or `Map`, from its creation to the place where its name is reassigned."""

    name: str
    start: int
    end: int
    method: str
    blocks: int
    clients: list[tuple[str, int, int]] = field(default_factory=list)
    """The kind of each client that is created from it, the offset of that client, and the offset up
    to which settings count: the end of the file if a method returns the object."""

    pairs: list[_Pair] = field(default_factory=list)
    origin: _Object | None = None
    """The object that a method returns, with whose settings this one begins."""

    copied_at: int = 0
    """Where it was copied from that object; 0 if a method returns it."""
    unsure: str = ""
    """Why it may hold settings that are not read."""

    @property
    def bases(self) -> list[_Object]:
        """The objects with whose settings it begins, from the first."""
        return [*self.origin.bases, self.origin] if self.origin else []


def read(text: str) -> Reading:
    """Returns the settings that clients of the program are created with. Raises `IntakeError`."""
    code = Code(normal_form(text[:_LONGEST]))
    if match := seeks.SHARES.search(code.plain):
        raise IntakeError(f"Line {code.line(match.start())}: {match[1]}: {SHARE_CONSUMER}")
    objects = list(code.objects())
    objects += code.returned(objects)
    for config in objects:
        code.fill(config)
    code.assign(objects)
    used = [item for item in objects if item.clients or jvm_topics.administers(code.plain, item)]
    origins = {id(base) for config in used for base in config.bases}
    alone = [config for config in objects if not config.origin and id(config) not in origins]
    configured = [
        config for config in objects
        if config.clients or (config in alone and _configures_client(config, code.plain))
    ]  # fmt: skip
    if not configured:
        return _without_settings(code)
    for config in configured:
        if unsure := next(filter(None, (base.unsure for base in [*config.bases, config])), ""):
            raise IntakeError(f"{unsure}. {_INSTEAD}")
    for config in configured:
        config.clients = config.clients or _clients_by_keys(config, len(code.text))
    kinds = {kind for config in configured for kind, _, _ in config.clients}
    if "Streams" in kinds and len(kinds) > 1:
        words = "Kafka Streams and other clients: one pipeline has only one of the two"
        raise IntakeError(f"Line {code.line(configured[0].start)}: {words}. {_INSTEAD}")
    reading = Reading(heads={"family": Family.STREAMS if "Streams" in kinds else Family.JAVA})
    processes = set[tuple[str, str]]()
    for config in configured:
        for kind, at, until in config.clients:
            process = f"line {code.line(at)}"
            process += f", character {at}" if (kind, process) in processes else ""
            processes.add((kind, process))
            _add(reading, code, config, (Component(kind.lower()), until, process))
    judge(reading, Text(code.plain, code.heads), code)
    return reading


def _without_settings(code: Code) -> Reading:
    """Returns the reading of a topology without settings. Raises `IntakeError` for other code."""
    if is_topology(code.plain):
        reading = Reading(heads={"family": Family.STREAMS}, empty_reason=TOPOLOGY)
        judge(reading, Text(code.plain, code.heads), code)
        return reading
    match = _CLIENT_CODE.search(code.text)
    line = code.line(match.start()) if match else 1
    words = "this is code with Kafka's Java clients (Java, Kotlin, Scala, Clojure), which "
    words += "Delivery Lab does not read: no settings are in it as plain values."
    raise IntakeError(f"Line {line}: {words} {_INSTEAD}")


def _configures_client(config: _Object, plain: str) -> bool:
    """Whether an object configures a client that writes or reads, which an AdminClient does not."""
    if jvm_topics.administers(plain, config) or jvm_topics.only_administers(plain):
        return False
    return any(is_client_setting(key) for key, _, _, _ in config.pairs[:_MOST_KEYS])


def _clients_by_keys(config: _Object, until: int) -> list[tuple[str, int, int]]:
    """Returns the likely clients of an object that the program passes to none, by its keys."""
    keys = [key for key, _, _, _ in config.pairs]
    if is_streams_application(keys):
        return [("Streams", config.start, until)]
    return [(client.title(), config.start, until) for client in likely_clients(keys)]


def _add(reading: Reading, code: Code, config: _Object, client: tuple[Component, int, str]) -> None:
    """Adds the settings that an object holds when a client is created from it."""
    component, until, process = client
    clients = tuple(Component(kind.lower()) for kind, _, _ in config.clients)
    if component is not Component.STREAMS:
        reading.clients.add((component, process))
    inherited = [pair for base in config.bases for pair in base.pairs
                 if not config.copied_at or pair[2] < config.copied_at]  # fmt: skip
    for key, value, at, conditional in inherited:
        if component in clients_having(key, clients):
            _take(reading, code, component, (key, value, code.line(at), conditional), process)
    for key, value, at, conditional in config.pairs:
        if component not in clients_having(key, clients):
            continue  # the object configures clients of two kinds
        if at < until:
            _take(reading, code, component, (key, value, code.line(at), conditional), process)
        elif not code.follows(at, until) and is_modelled_key(component, key):
            words = "may be put in before or after its client is created"
            reading.add_problem(component, key, code.line(at), f"{shown(key)} {words}")


def _take(
    reading: Reading, code: Code, component: Component, pair: tuple[str, str, int, bool],
    process: str,
) -> None:  # fmt: skip
    key, value, line, conditional = pair
    matters, text = is_modelled_key(component, key), code.value(value)
    assignments = with_assignments(code.plain, value) if text is None else ""
    if refuse_new_group(reading, component, key, assignments, line):
        return
    if text is None and is_free(key) and '"' in value:
        text = "x"  # a free name with a variable in it is a name, whatever its value is
    if matters and (conditional or text is None):
        words = "depends on a condition of the program. Leave only the case that you ask for"
        reading.add_problem(
            component, key, line, f"{shown(key)} {words if conditional else NO_PLAIN_VALUE}"
        )
    elif text is None:
        reading.note(line, f"{shown(key)} is not a plain value: not read")
    elif key in TELEMETRY and '"' not in value:
        reading.note(line, f"{shown(key)} is not taken into account")
    elif component is Component.STREAMS:
        take_streams(reading, Property(line, key, text))
    else:
        reading.add_setting(component, key, text, line, process=process)


class Code:
    """A program without its comments, and the blocks and objects in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = without_literals(text)
        self.heads = [*braces(self.plain)]

    def line(self, at: int) -> int:
        """Returns the line of an offset, from 1."""
        return line_of(self.text, at)

    def _blocks(self, at: int) -> list[tuple[int, str]]:
        """Returns the blocks around an offset, from the outermost: their offset and head."""
        blocks = [(start, head) for start, end, head in self.heads if start < at < end]
        return sorted(blocks)

    def _is_conditional(self, at: int, since: int) -> bool:
        """Whether a statement is under a condition; `since` is the depth of its object."""
        inner = [head for _, head in self._blocks(at)[since:]]
        begin = max(self.plain.rfind(char, 0, at) for char in "{};")
        before = self.plain[max(begin + 1, at - _LOOK_BACK) : at]
        return any(_BLOCK.search(head) for head in inner) or bool(_BLOCK.search(before))

    def follows(self, at: int, other: int) -> bool:
        """Whether an offset comes after another one, in the same block or in a block inside it."""
        blocks, other_blocks = self._blocks(at), self._blocks(other)
        return at >= other and blocks[: len(other_blocks)] == other_blocks

    def objects(self) -> Iterator[_Object]:
        """Yields each object that is created empty, by a block or from a map literal."""
        matches = [*islice(_NEW_OBJECT.finditer(self.plain), _MOST_OBJECTS)]
        for number, match in enumerate(matches):
            later = (other for other in matches[number + 1 :] if other["name"] == match["name"])
            end = next((other.start() for other in later), len(self.text))
            if _DECLARATION.search(self.plain, max(0, match.start() - 80), match.start()):
                end = min(end, self._scope(match.start()))
            blocks = self._blocks(match.start())
            method = match["name"] if match["function"] else self._method(blocks)
            config = _Object(match["name"], match.start(), end, method, len(blocks))
            if match["block"]:
                words = "the form in which settings are put into this object is not read"
                config.unsure = f"Line {self.line(config.start)}: {words}"
            elif match["entries"]:
                self._take_entries(config, self.arguments(match.end()), match.end())
                if _CONTINUES.match(self.plain, self._closed(match.end())):
                    words = "a map that is built from this one is not read"
                    config.unsure = f"Line {self.line(match.start())}: {words}"
            yield config

    def _scope(self, at: int) -> int:
        """Returns the end of the innermost block around an offset."""
        ends = (end for start, end, _ in self.heads if start < at < end)
        return min(ends, default=len(self.text))

    @staticmethod
    def _method(blocks: list[tuple[int, str]]) -> str:
        names = [_METHOD.search(head) for _, head in blocks]
        return next((name[1] for name in reversed(names) if name), "")

    def returned(self, objects: list[_Object]) -> list[_Object]:
        """Returns an object for each variable that a method's object is assigned to."""
        copies = [*self._copied(objects)]
        for match in islice(_ASSIGNED_CALL.finditer(self.plain), _MOST_OBJECTS):
            bases = [item for item in [*objects, *copies] if item.method == match["method"]]
            later = [item.start for item in objects if item.name == match["name"]]
            end = min((at for at in later if at > match.end()), default=len(self.text))
            if _DECLARATION.search(self.plain, max(0, match.start() - 80), match.start()):
                end = min(end, self._scope(match.start()))
            for base in bases if len(bases) == 1 else ():
                if base.name == match["name"] and base.start < match.start() < base.end:
                    base.end = match.start()
                at = self._closed(match.end())
                blocks = self._blocks(match.start())
                place = (match["name"], at, end, self._method(blocks), len(blocks))
                copies.append(_Object(*place, origin=base))
        return copies

    def _copied(self, objects: list[_Object]) -> Iterator[_Object]:
        """Yields an object for each map that begins with the entries of another one."""
        for match in islice(_COPIED.finditer(self.plain), _MOST_OBJECTS):
            other, at = match["other"] or match["source"], match.start()
            bases = [item for item in objects if item.name == other and item.start < at < item.end]
            blocks = self._blocks(at)
            is_declared = _DECLARATION.search(self.plain, max(0, at - 80), at)
            end = self._scope(at) if is_declared else len(self.text)
            place = (match["name"], match.end(), end, self._method(blocks), len(blocks))
            if bases:
                yield _Object(*place, origin=bases[-1], copied_at=at)

    def _take_entries(self, config: _Object, arguments: list[str], at: int) -> None:
        """Takes the entries of `Map.of(key, value, …)` or `mapOf(key to value, …)`."""
        before = len(config.pairs)
        pairs = [re.split(r"\s+to\s+|\s*->\s*", argument, maxsplit=1) for argument in arguments]
        if any(len(pair) == 1 for pair in pairs):
            pairs = [arguments[n : n + 2] for n in range(0, len(arguments), 2)]
        for pair in pairs:
            config.pairs += self._pair(pair, at, config.blocks)
        if len(config.pairs) - before != len(pairs):
            words = "the name of this setting is not known"
            config.unsure = f"Line {self.line(at)}: {words}"

    def fill(self, config: _Object) -> None:
        """Takes the settings that are put into an object. Raises `IntakeError` for too many."""
        uses = re.compile(rf"(?<![\w.\"])(?:this\.)?{re.escape(config.name)}\b")
        for number, match in enumerate(uses.finditer(self.plain, config.start + 1, config.end)):
            if number > _MOST_USES:
                raise IntakeError(f"Line {self.line(match.start())}: more than {_MOST_USES} uses.")
            at, start = match.end(), match.start()
            if self.plain[at : at + 1] == "(":
                continue  # a method of this name
            if put := _PUT.match(self.plain, at):
                arguments = self.arguments(put.end())
                self._take(config, arguments, start)
            elif put_all := _PUT_ALL.match(self.plain, at):
                self._take_entries(config, self.arguments(put_all.end()), start)
            elif index := _INDEX.match(self.text, at):
                self._take(config, [index["key"].strip(), index["value"].strip()], start)
            elif not self._only_reads(at, start) and not bindings.is_bound(
                self.plain, self.heads, config.name, match.span()
            ):
                words = f"this use of {shown(config.name)} is not read"
                config.unsure = config.unsure or f"Line {self.line(start)}: {words}"

    def _take(self, config: _Object, arguments: list[str], at: int) -> None:
        pairs = self._pair(arguments, at, config.blocks)
        config.pairs += pairs
        if not pairs:
            words = f"Line {self.line(at)}: the name of this setting is not known"
            config.unsure = config.unsure or words

    def _pair(self, arguments: list[str], at: int, since: int) -> list[_Pair]:
        """Returns the pair of a key and a value in a list; an empty list if the key is unknown."""
        name = jvm_constants.resolve(arguments[0], self.text, self.plain) if arguments else ""
        key = jvm_constants.setting_of_constant(name) if len(arguments) == 2 else None
        return [(key, arguments[1], at, self._is_conditional(at, since))] if key else []

    def _only_reads(self, at: int, start: int) -> bool:
        begin = max(self.plain.rfind(char, 0, start) for char in "{};")
        before = self.plain[max(begin + 1, start - _LOOK_BACK) : start]
        is_returned = re.search(r"\breturn\s+$", before)
        return bool(_HARMLESS.match(self.plain, at) or is_returned or _READING_CALL.search(before))

    def assign(self, objects: list[_Object]) -> None:
        """Adds each client to its object. Raises `IntakeError` if the file does not have it."""
        for match in _CLIENT.finditer(self.plain):
            if re.search(r"\b(?:extends|class)\s+$", self.plain[: match.start()]):
                continue
            arguments = self.arguments(match.end())
            passed = arguments[1 if match["kind"] == "Streams" else 0 :][:1]
            name = passed[0].removeprefix("this.").strip() if passed else ""
            if literal := _MAP_OF.match(name):
                at = self.text.index(name, match.end()) + literal.end()
                config = _Object("", at, at, "", len(self._blocks(at)))
                self._take_entries(config, self.arguments(at), at)
                if self._closed(at) != at - literal.end() + len(name):
                    config.unsure = (
                        f"Line {self.line(at)}: a map that is built from this one is not read"
                    )
                config.clients.append((match["kind"], match.start(), len(self.text)))
                objects.append(config)
                continue
            call = re.fullmatch(r"(?:\w+\.)?(\w+)\(.*\)", name, re.DOTALL)
            candidates = [
                item for item in objects
                if (item.name == name and item.start < match.start() < item.end)
                or (call and item.method == call[1])
            ]  # fmt: skip
            if len(candidates) != 1:
                words = "the settings of this client are not in the file as plain values"
                raise IntakeError(f"Line {self.line(match.start())}: {words}. {_INSTEAD}")
            until = len(self.text) if call else match.start()
            candidates[0].clients.append((match["kind"], match.start(), until))

    def arguments(self, at: int) -> list[str]:
        """Returns the arguments of a call whose parenthesis opens just before an offset."""
        return jvm_text.arguments(self.plain, at, self.text, _REACH)

    def _closed(self, at: int) -> int:
        """Returns the end of a call whose parenthesis opens just before an offset."""
        return jvm_text.closing_bracket(self.plain, at, _REACH)

    def value(self, expression: str) -> str | None:
        """Returns the value of a literal, a constant or a class; None for a computed value."""
        return jvm_constants.plain_value(expression, self.text, self.plain)


def _likeness(text: str) -> float:
    if _SPARK.search(text, 0, _LONGEST):
        return 0.0
    code = without_comments(text[:_LONGEST])
    for match in islice(_CLIENT_CODE.finditer(code), _MOST_USES):
        start = code.rfind("\n", 0, match.start()) + 1
        if not _COMMENT.match(code, start):
            return 0.97
    return 0.0


READERS = (Reader("java-code", "Code of Kafka's Java clients", _likeness, read),)
