"""ConsumerFactory and ProducerFactory of Spring for Apache Kafka, as code makes them of a map.

Each is written as Kafka's own client, of which the map is read (`programs.jvm.code`). A map that
begins with what `KafkaProperties` builds has what the application's file states
(KafkaProperties, buildConsumerProperties).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.clients.known_settings import is_weighed_key
from advisor.intake.frameworks.spring.code_values import UNKNOWN, value
from advisor.intake.frameworks.spring.stated_by_code import Said
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError

_TYPES = r"(?:<[\w<>?,\s.\[\]@]{0,160}>)?"
_INNER = r"\((?:[^()]|\((?:[^()]|\([^()]*\)){0,100}\)){0,200}\)"
_BUILT = rf"(?:\bthis\s*\.\s*)?\b\w+\s*\.\s*build(?:Consumer|Producer)Properties\s*{_INNER}"
_BASE = re.compile(
    rf"(?:new\s+)?(?:Linked)?HashMap\s*{_TYPES}\s*\(\s*{_BUILT}\s*\)"
    rf"|{_BUILT}(?:\s*\.\s*toMutableMap\s*\(\s*\))?"
)
_OF_BASE = re.compile(
    rf"\bDefaultKafka(?P<kind>Consumer|Producer)Factory\s*{_TYPES}\s*\(\s*(?:{_BASE.pattern})"
)
_MADE = re.compile(rf"\bDefaultKafka(?P<kind>Consumer|Producer)Factory\s*(?P<types>{_TYPES})\s*\(")
_RETURNED = re.compile(
    rf"\breturn(?=\s+(?:(?:Map|ImmutableMap)\.of|(?:mutableM|hashM|m)apOf{_TYPES}"
    rf"|new\s+(?:Linked)?HashMap{_TYPES})\s*\()"
)
_NAME_OF_RETURNED = "returned__ ="
_BOOT = "Boot"
_IS_BASE = re.compile(rf"[^;(]{{0,300}}<{_BOOT}>\(")
_PREFIX = re.compile(
    r"(?:\.\s*setTransactionIdPrefix\s*\(|\btransactionIdPrefix\s*=(?!=))\s*(?P<text>[^;\n)]{1,200})"
)
_CHANGED = re.compile(
    r"\.\s*(?P<name>updateConfigs|removeConfig|setConfigurationProperties|addPostProcessor)\s*\("
)
_OF_SERIALIZERS = re.compile(r"\b\w*(?:Serde|SerDe|Serializer|Deserializer)\w*\.([A-Z][A-Z0-9_]+)")
"""Settings of serializers, which decide nothing."""
_CLIENT = re.compile(r"\bKafka(?:Consumer|Producer)(?:<|\()")


@dataclass(frozen=True, slots=True)
class Client:
    """A factory: whether of consumers, where it is made, whether it begins with what the
    application's file states, and what the code puts in."""

    component: Component
    at: int
    line: int
    by_file: bool
    rows: tuple[Said, ...]


def as_clients(code: str) -> str:
    """The text with Kafka's own clients in the place of factories, in the same lines."""
    code = _OF_BASE.sub(lambda it: _with_lines(it, f"Kafka{it['kind']}<{_BOOT}>(Map.of()"), code)
    code = _BASE.sub(lambda it: _with_lines(it, f"new HashMap<{_BOOT}>()"), code)
    code = _MADE.sub(lambda it: _with_lines(it, f"Kafka{it['kind']}("), code)
    return _RETURNED.sub(_NAME_OF_RETURNED, code)


def _with_lines(match: re.Match[str], made: str) -> str:
    return made + "\n" * match[0].count("\n")


def clients(code: Code) -> list[Client]:
    """The factories that a text makes. Raises `IntakeError` for one whose settings are not read."""
    if not _CLIENT.search(code.plain):
        return []
    objects = [*code.objects()]
    objects += code.returned(objects)
    for made in objects:
        code.fill(made)
    code.assign(objects)
    found = list[Client]()
    for made in objects:
        every = [*made.bases, made]
        for kind, at, until in made.clients:
            if unsure := next((base.unsure for base in every if base.unsure), ""):
                raise IntakeError(f"{unsure}.")
            component = Component(kind.lower())
            pairs = [pair for base in made.bases for pair in base.pairs]
            rows = (
                *_rows(code, component, pairs, len(code.text)),
                *_rows(code, component, made.pairs, until),
            )
            starts = [at, *(base.start for base in every)]
            by_file = any(_IS_BASE.match(code.text, start) for start in starts)
            found.append(Client(component, at, code.line(at), by_file, rows))
    return found


def _rows(
    code: Code, component: Component, pairs: list[tuple[str, str, int, bool]], until: int
) -> Iterator[Said]:
    others = {name.lower().replace("_", ".") for name in _OF_SERIALIZERS.findall(code.plain)}
    for key, written, at, depends in pairs:
        if key in others:
            continue
        text = value(code, written)
        if (depends or at >= until) and is_weighed_key(component, key):
            text = UNKNOWN
        yield Said(code.line(at), f"spring.kafka.{component}.properties.[{key}]", text)


def prefixes(code: Code, start: int, end: int) -> Iterator[Said]:
    """The prefix of transactional ids that a method gives its factory. Raises `IntakeError` for
    what changes its settings otherwise."""
    if changed := _CHANGED.search(code.plain, start, end):
        words = f"what {changed['name']} changes of this factory is not read"
        raise IntakeError(f"Line {code.line(changed.start())}: {words}.")
    for match in _PREFIX.finditer(code.text, start, end):
        text = value(code, match["text"])
        name = "spring.kafka.producer.transaction-id-prefix"
        yield Said(code.line(match.start()), name, text.replace(UNKNOWN, "x"))
