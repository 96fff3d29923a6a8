"""Names and values that Kafka's Java classes have constants for: `ProducerConfig.ACKS_CONFIG`.

A constant is its setting in capital letters, mostly with `_CONFIG` behind it; those that leave a
part of the name out are tried with it (TRANSACTION_TIMEOUT_CONFIG is transaction.timeout.ms).
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
_OF_SERIALIZERS = re.compile(
    r"(?:[a-z]\w*\.)*\w*(?:Serde|SerDe|Serializer|Deserializer)\w*\.([A-Z][A-Z0-9_]+)"
)
"""Settings of serializers, which Kafka's clients pass on and which decide nothing."""
_IMPORTED = re.compile(r"([A-Z][A-Z0-9_]+_CONFIG)")
_PREFIXED = re.compile(
    r"(?:StreamsConfig\.)?(producer|consumer|mainConsumer|restoreConsumer|globalConsumer|topic|"
    r"adminClient)Prefix\((.*)\)"
)
_PREFIXES: Mapping[str, str] = {
    "producer": "producer.", "consumer": "consumer.", "mainConsumer": "main.consumer.",
    "restoreConsumer": "restore.consumer.", "globalConsumer": "global.consumer.",
    "topic": "topic.", "adminClient": "admin.",
}  # fmt: skip
_SPELLED = {"MIN_IN_SYNC_REPLICAS_CONFIG": "min.insync.replicas"}
_CLASS = re.compile(r"([A-Z]\w*)(?:\.class|::class\.java)(?:\.(?:getName\(\)|name))?")
_WRAPPED = re.compile(r"(?:String\.valueOf|(?:Integer|Long|Boolean)\.(?:toString|valueOf))\((.*)\)")
_PRODUCT = re.compile(r"-?[\d_]+[lL]?(?:\s*\*\s*[\d_]+[lL]?)*")
_STATED = r"\b{}\b\s*(?::\s*\w+\s*)?=\s*(?P<value>[^;\n]{{1,200}})"
_BEFORE = re.compile(r"[^;{}\n]{0,100}\Z")
_OF_CLASS = re.compile(r"\b(?:static|const|val)\b")
"""What only a constant of a class is declared with, or of an object of Kotlin's or Scala's."""
_OF_INTERFACE = re.compile(r"\binterface\s+\w+[^{}]{0,200}\{[^{}]{0,1500}$")
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
    """The values that a program gives to a constant; `plain` is its code with nothing in its texts,
    since a name in a text is not a constant. One that is imported is of a class, and no
    name that a method has for itself."""
    imported = re.search(rf"\bimport\s+(?:static\s+)?[\w.]+\.{name}\b", code)
    found = re.finditer(_STATED.format(name), code)
    return [
        match["value"].strip() for match in found
        if plain[code.rindex("=", 0, match.start("value"))] == "=" and (
            not imported or _OF_CLASS.search(_before(code, match.start()))
            or _OF_INTERFACE.search(code, max(0, match.start() - 2_000), match.start())
        )
    ]  # fmt: skip


def _before(code: str, at: int) -> str:
    """What stands before a place in its statement and line."""
    match = _BEFORE.search(code[max(0, at - 100) : at])
    return match[0] if match else ""


def setting_of_constant(written: str) -> str | None:
    """The setting that an expression names by a constant; None for any other expression."""
    if match := _PREFIXED.fullmatch(written):
        inner = match[2].strip()
        name = inner[1:-1] if _is_text(inner) else setting_of_constant(inner)
        return f"{_PREFIXES[match[1]]}{name}" if name else None
    if _is_text(written):
        return written[1:-1]
    if of_serializer := _OF_SERIALIZERS.fullmatch(written):
        return of_serializer[1].removesuffix("_CONFIG").lower().replace("_", ".")
    constant = _CONSTANT.fullmatch(written) or _IMPORTED.fullmatch(written)
    if constant is None:
        return None
    name = constant[1]
    if name in _SPELLED:
        return _SPELLED[name]
    plain = name.removesuffix("_CONFIG").lower().replace("_", ".")
    shorter = plain.removesuffix(".class")
    whole = name.lower().replace("_", ".")  # SASL_JAAS_CONFIG is sasl.jaas.config
    tried = [f"{stem}{end}" for stem in (plain, shorter, whole) for end in _ENDINGS]
    return next((key for key in tried if key in _known()), None)


def resolve(written: str, code: str, plain: str) -> str:
    """A constant of the file that has one value there, as that value."""
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*", written):
        return written
    values = constant_values(code, plain, written)
    return values[0] if len(values) == 1 else written


def plain_value(written: str, code: str, plain: str) -> str | None:
    """The text of a literal, of a constant or of a class; None for what is worked out."""
    written = resolve(written.strip(), code, plain)
    if wrapped := _WRAPPED.fullmatch(written):
        written = resolve(wrapped[1].strip(), code, plain)
    if _is_text(written):
        return written[1:-1]
    if written in ("true", "false"):
        return written
    if _PRODUCT.fullmatch(written):
        factors = (part.strip().rstrip("lL").replace("_", "") for part in written.split("*"))
        return str(math.prod(int(factor or 0) for factor in factors))
    if name := _CLASS.fullmatch(written):
        whole = re.search(rf"\bimport\s+([\w.]+\.{name[1]})\b", code)
        return whole[1] if whole else kafka_class_name(name[1], code)
    return _VALUES.get(written)


def _is_text(written: str) -> bool:
    return re.fullmatch(r'"[^"\\]*"', written) is not None


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
    """The whole name of a class of Kafka's, unless the program has one of that name itself."""
    package = next((package for package, names in _PACKAGES.items() if name in names), "")
    own = re.search(rf"\bclass\s+{name}\b", code)
    return f"{package}.{name}" if package and not own else name


@cache
def _known() -> frozenset[str]:
    java, streams = newest(Family.JAVA), newest(Family.STREAMS)
    clients = (Component.PRODUCER, Component.CONSUMER, Component.TOPIC)
    names = [known_keys(java, component) for component in clients]
    return frozenset().union(*names, known_keys(streams, Component.STREAMS))
