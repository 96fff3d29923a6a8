"""ConsumerFactory and ProducerFactory of Spring for Apache Kafka, which code creates from a map.

Each is rewritten as Kafka's client, whose map is read (`programs.jvm.code`). A map that
`KafkaProperties` builds begins with the settings of the application's file
(KafkaProperties, buildConsumerProperties).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.clients.known_settings import is_modelled_key
from advisor.intake.frameworks.spring.code_values import UNKNOWN, value
from advisor.intake.frameworks.spring.stated_by_code import CodeEntry
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError

_TYPE_ARGUMENTS = r"(?:<[\w<>?,\s.\[\]@]{0,160}>)?"
_ARGUMENTS = r"\((?:[^()]|\((?:[^()]|\([^()]*\)){0,100}\)){0,200}\)"
_BUILD_CALL = (
    rf"(?:\bthis\s*\.\s*)?\b\w+\s*\.\s*build(?:Consumer|Producer)Properties\s*{_ARGUMENTS}"
)
_FILE_SETTINGS = re.compile(
    rf"(?:new\s+)?(?:Linked)?HashMap\s*{_TYPE_ARGUMENTS}\s*\(\s*{_BUILD_CALL}\s*\)"
    rf"|{_BUILD_CALL}(?:\s*\.\s*toMutableMap\s*\(\s*\))?"
)
_FACTORY_OF_FILE_SETTINGS = re.compile(
    rf"\bDefaultKafka(?P<kind>Consumer|Producer)Factory\s*{_TYPE_ARGUMENTS}\s*\(\s*(?:{_FILE_SETTINGS.pattern})"
)
_FACTORY = re.compile(
    rf"\bDefaultKafka(?P<kind>Consumer|Producer)Factory\s*(?P<types>{_TYPE_ARGUMENTS})\s*\("
)
_RETURNED_MAP = re.compile(
    rf"\breturn(?=\s+(?:(?:Map|ImmutableMap)\.of|(?:mutableM|hashM|m)apOf{_TYPE_ARGUMENTS}"
    rf"|new\s+(?:Linked)?HashMap{_TYPE_ARGUMENTS})\s*\()"
)
_RETURNED_VARIABLE = "returned__ ="
_BOOT = "Boot"
_FILE_MARK = re.compile(rf"[^;(]{{0,300}}<{_BOOT}>\(")
_PREFIX = re.compile(
    r"(?:\.\s*setTransactionIdPrefix\s*\(|\btransactionIdPrefix\s*=(?!=))\s*(?P<text>[^;\n)]{1,200})"
)
_CHANGING_CALL = re.compile(
    r"\.\s*(?P<name>updateConfigs|removeConfig|setConfigurationProperties|addPostProcessor)\s*\("
)
_SERIALIZER_SETTING = re.compile(
    r"\b\w*(?:Serde|SerDe|Serializer|Deserializer)\w*\.([A-Z][A-Z0-9_]+)"
)
"""Settings of serializers, which no guarantee depends on."""
_CLIENT_CONSTRUCTOR = re.compile(r"\bKafka(?:Consumer|Producer)(?:<|\()")


@dataclass(frozen=True, slots=True)
class Client:
    """A factory of consumers or producers, and the offset and line of its constructor.

    `by_file` is whether its settings begin with those of the application's file. `rows` are the
    settings that the code adds.
    """

    component: Component
    at: int
    line: int
    by_file: bool
    rows: tuple[CodeEntry, ...]


def as_clients(code: str) -> str:
    """Returns the source with Kafka's clients in the place of factories, on the same lines."""
    code = _FACTORY_OF_FILE_SETTINGS.sub(
        lambda match: _with_lines(match, f"Kafka{match['kind']}<{_BOOT}>(Map.of()"), code
    )
    code = _FILE_SETTINGS.sub(lambda match: _with_lines(match, f"new HashMap<{_BOOT}>()"), code)
    code = _FACTORY.sub(lambda match: _with_lines(match, f"Kafka{match['kind']}("), code)
    return _RETURNED_MAP.sub(_RETURNED_VARIABLE, code)


def _with_lines(match: re.Match[str], replacement: str) -> str:
    return replacement + "\n" * match[0].count("\n")


def clients(code: Code) -> list[Client]:
    """The factories that a class creates. Raises `IntakeError` for one whose settings are not
    read."""
    if not _CLIENT_CONSTRUCTOR.search(code.plain):
        return []
    objects = [*code.objects()]
    objects += code.returned(objects)
    for object_ in objects:
        code.fill(object_)
    code.assign(objects)
    factories = list[Client]()
    for object_ in objects:
        maps = [*object_.bases, object_]
        for kind, at, until in object_.clients:
            if reason := next((base.unsure for base in maps if base.unsure), ""):
                raise IntakeError(f"{reason}.")
            component = Component(kind.lower())
            pairs = [pair for base in object_.bases for pair in base.pairs]
            rows = (
                *_rows(code, component, pairs, len(code.text)),
                *_rows(code, component, object_.pairs, until),
            )
            starts = [at, *(base.start for base in maps)]
            by_file = any(_FILE_MARK.match(code.text, start) for start in starts)
            factories.append(Client(component, at, code.line(at), by_file, rows))
    return factories


def _rows(
    code: Code, component: Component, pairs: list[tuple[str, str, int, bool]], until: int
) -> Iterator[CodeEntry]:
    serializer_keys = {
        name.lower().replace("_", ".") for name in _SERIALIZER_SETTING.findall(code.plain)
    }
    for key, expression, at, is_conditional in pairs:
        if key in serializer_keys:
            continue
        text = value(code, expression)
        if (is_conditional or at >= until) and is_modelled_key(component, key):
            text = UNKNOWN
        yield CodeEntry(code.line(at), f"spring.kafka.{component}.properties.[{key}]", text)


def prefixes(code: Code, start: int, end: int) -> Iterator[CodeEntry]:
    """Yields the transaction-id prefix that a method sets on its factory. Raises `IntakeError` for
    calls that change the settings of the factory."""
    if change := _CHANGING_CALL.search(code.plain, start, end):
        words = f"the change that {change['name']} makes to this factory is not read"
        raise IntakeError(f"Line {code.line(change.start())}: {words}.")
    for match in _PREFIX.finditer(code.text, start, end):
        text = value(code, match["text"])
        name = "spring.kafka.producer.transaction-id-prefix"
        yield CodeEntry(code.line(match.start()), name, text.replace(UNKNOWN, "x"))
