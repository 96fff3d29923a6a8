"""Names and values of the constants of Kafka's Java classes, such as `ProducerConfig.ACKS_CONFIG`.

A constant is the name of its setting in capital letters, mostly followed by `_CONFIG`. Some leave
out the end of the name (TRANSACTION_TIMEOUT_CONFIG is transaction.timeout.ms).
Sources: ProducerConfig, ConsumerConfig, StreamsConfig, CommonClientConfigs, TopicConfig.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache

from advisor.catalog import Component, Family
from advisor.intake.clients.known_settings import known_keys, newest

_CLASSES = (
    r"ProducerConfig|ConsumerConfig|StreamsConfig|CommonClientConfigs|TopicConfig|Ssl\w*Configs?"
    r"|Sasl\w*Configs?|SecurityConfig"
)
_CONSTANT = re.compile(rf"(?:(?:org\.apache\.kafka\.[\w.]+\.)?(?:{_CLASSES})\.)([A-Z][A-Z0-9_]+)")
_SERIALIZER_CONSTANT = re.compile(
    r"(?:[a-z]\w*\.)*\w*(?:Serde|SerDe|Serializer|Deserializer)\w*\.([A-Z][A-Z0-9_]+)"
)
"""Settings of serializers, which Kafka's clients pass to them: no guarantee depends on them."""
_IMPORTED_CONSTANT = re.compile(r"([A-Z][A-Z0-9_]+_CONFIG)")
_PREFIX_CALL = re.compile(
    r"(?:StreamsConfig\.)?(producer|consumer|mainConsumer|restoreConsumer|globalConsumer|topic|"
    r"adminClient)Prefix\((.*)\)"
)
_PREFIXES: Mapping[str, str] = {
    "producer": "producer.", "consumer": "consumer.", "mainConsumer": "main.consumer.",
    "restoreConsumer": "restore.consumer.", "globalConsumer": "global.consumer.",
    "topic": "topic.", "adminClient": "admin.",
}  # fmt: skip
_IRREGULAR = {"MIN_IN_SYNC_REPLICAS_CONFIG": "min.insync.replicas"}
_CLASS_LITERAL = re.compile(r"([A-Z]\w*)(?:\.class|::class\.java)(?:\.(?:getName\(\)|name))?")
_CONVERSION = re.compile(
    r"(?:String\.valueOf|(?:Integer|Long|Boolean)\.(?:toString|valueOf))\((.*)\)"
)
_PRODUCT = re.compile(r"-?[\d_]+[lL]?(?:\s*\*\s*[\d_]+[lL]?)*")
_ASSIGNMENT = r"\b{}\b\s*(?::\s*\w+\s*)?=\s*(?P<value>[^;\n]{{1,200}})"
_BEFORE = re.compile(r"[^;{}\n]{0,100}\Z")
_CLASS_CONSTANT = re.compile(r"\b(?:static|const|val)\b")
"""A keyword in the declaration of a constant of a class, or of an object of Kotlin or Scala."""
_INTERFACE = re.compile(r"\binterface\s+\w+[^{}]{0,200}\{[^{}]{0,1500}$")
_ENDINGS = ("", ".ms", ".bytes")
_VALUES: Mapping[str, str] = {
    "StreamsConfig.EXACTLY_ONCE_V2": "exactly_once_v2",
    "StreamsConfig.EXACTLY_ONCE_BETA": "exactly_once_beta",
    "StreamsConfig.EXACTLY_ONCE": "exactly_once",
    "StreamsConfig.AT_LEAST_ONCE": "at_least_once",
    "StreamsConfig.OPTIMIZE": "all", "StreamsConfig.NO_OPTIMIZATION": "none",
    "Integer.MAX_VALUE": str(2**31 - 1), "Int.MAX_VALUE": str(2**31 - 1),
    "Long.MAX_VALUE": str(2**63 - 1), "Boolean.TRUE": "true", "Boolean.FALSE": "false",
}  # fmt: skip


def constant_values(code: str, plain: str, name: str) -> list[str]:
    """Returns the values that a program assigns to a constant.

    `plain` is the code without its string literals: a name in a literal is not a constant. An
    imported constant belongs to a class, and is no local variable.
    """
    is_imported = re.search(rf"\bimport\s+(?:static\s+)?[\w.]+\.{name}\b", code)
    matches = re.finditer(_ASSIGNMENT.format(name), code)
    return [
        match["value"].strip() for match in matches
        if plain[code.rindex("=", 0, match.start("value"))] == "=" and (
            not is_imported or _CLASS_CONSTANT.search(_text_before(code, match.start()))
            or _INTERFACE.search(code, max(0, match.start() - 2_000), match.start())
        )
    ]  # fmt: skip


def _text_before(code: str, at: int) -> str:
    """Returns the code before an offset in its statement and line."""
    match = _BEFORE.search(code[max(0, at - 100) : at])
    return match[0] if match else ""


def setting_of_constant(expression: str) -> str | None:
    """Returns the setting that a constant or a literal names; None for any other expression."""
    if match := _PREFIX_CALL.fullmatch(expression):
        inner = match[2].strip()
        name = inner[1:-1] if _is_literal(inner) else setting_of_constant(inner)
        return f"{_PREFIXES[match[1]]}{name}" if name else None
    if _is_literal(expression):
        return expression[1:-1]
    if serializer_constant := _SERIALIZER_CONSTANT.fullmatch(expression):
        return serializer_constant[1].removesuffix("_CONFIG").lower().replace("_", ".")
    constant = _CONSTANT.fullmatch(expression) or _IMPORTED_CONSTANT.fullmatch(expression)
    if constant is None:
        return None
    name = constant[1]
    if name in _IRREGULAR:
        return _IRREGULAR[name]
    plain = name.removesuffix("_CONFIG").lower().replace("_", ".")
    shorter = plain.removesuffix(".class")
    full = name.lower().replace("_", ".")  # SASL_JAAS_CONFIG is sasl.jaas.config
    keys = [f"{stem}{end}" for stem in (plain, shorter, full) for end in _ENDINGS]
    return next((key for key in keys if key in _setting_names()), None)


def resolve(expression: str, code: str, plain: str) -> str:
    """Returns the value of a constant with one value in the file; otherwise the expression."""
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*", expression):
        return expression
    values = constant_values(code, plain, expression)
    return values[0] if len(values) == 1 else expression


def plain_value(expression: str, code: str, plain: str) -> str | None:
    """Returns the value of a literal, a constant or a class; None for a computed value."""
    expression = resolve(expression.strip(), code, plain)
    if conversion := _CONVERSION.fullmatch(expression):
        expression = resolve(conversion[1].strip(), code, plain)
    if _is_literal(expression):
        return expression[1:-1]
    if expression in ("true", "false"):
        return expression
    if _PRODUCT.fullmatch(expression):
        factors = (factor.strip().rstrip("lL").replace("_", "") for factor in expression.split("*"))
        return str(math.prod(int(factor or 0) for factor in factors))
    if name := _CLASS_LITERAL.fullmatch(expression):
        class_import = re.search(rf"\bimport\s+([\w.]+\.{name[1]})\b", code)
        return class_import[1] if class_import else kafka_class_name(name[1], code)
    return _VALUES.get(expression)


def _is_literal(expression: str) -> bool:
    return re.fullmatch(r'"[^"\\]*"', expression) is not None


_PACKAGES: Mapping[str, tuple[str, ...]] = {
    "org.apache.kafka.streams.processor": (
        "LogAndSkipOnInvalidTimestamp", "FailOnInvalidTimestamp",
        "UsePartitionTimeOnInvalidTimestamp", "WallclockTimestampExtractor",
    ),
    "org.apache.kafka.streams.errors": (
        "LogAndFailExceptionHandler", "LogAndContinueExceptionHandler",
        "LogAndFailProcessingExceptionHandler", "LogAndContinueProcessingExceptionHandler",
        "DefaultProductionExceptionHandler",
    ),
}  # fmt: skip


def kafka_class_name(name: str, code: str) -> str:
    """Returns the qualified name of a class of Kafka, unless the program defines one like it."""
    package = next((package for package, names in _PACKAGES.items() if name in names), "")
    definition = re.search(rf"\bclass\s+{name}\b", code)
    return f"{package}.{name}" if package and not definition else name


@cache
def _setting_names() -> frozenset[str]:
    java, streams = newest(Family.JAVA), newest(Family.STREAMS)
    clients = (Component.PRODUCER, Component.CONSUMER, Component.TOPIC)
    names = [known_keys(java, component) for component in clients]
    return frozenset().union(*names, known_keys(streams, Component.STREAMS))
