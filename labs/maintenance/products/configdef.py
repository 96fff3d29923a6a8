"""The facts of a ConfigDef about its settings: type, default, bounds, importance.

A ConfigDef is the table with which a Kafka client, a topic or a broker parses its configuration
(org.apache.kafka.common.config.ConfigDef). Only its facts are used, not its descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from py4j.java_gateway import JavaGateway
from py4j.protocol import Py4JJavaError

from advisor.catalog.facts import Raw

CLASSES: Mapping[str, tuple[str, ...]] = {
    "java_producer": ("org.apache.kafka.clients.producer.ProducerConfig",),
    "java_consumer": ("org.apache.kafka.clients.consumer.ConsumerConfig",),
    "streams": ("org.apache.kafka.streams.StreamsConfig",),
    "topic": (
        "org.apache.kafka.storage.internals.log.LogConfig",  # since 3.5
        "org.apache.kafka.server.log.internals.LogConfig",  # 3.4
        "kafka.log.LogConfig$",
    ),
    "broker": (
        "org.apache.kafka.server.config.AbstractKafkaConfig",  # since 3.9
        "kafka.server.KafkaConfig$",
    ),
}
"""The classes that may hold the ConfigDef of a product. The first one that does is used."""

_PROGRAM = Path(__file__).with_name("ConfigDefs.java")
_FIELD, _RECORD = "\x1f", "\x1e"
_NAMES = ("CONFIG_DEF", "CONFIG", "configDef")
_MAX_RULE_LENGTH = 100
_INTEGERS = {"INT", "LONG", "SHORT"}
_NUMBER = r"-?[\d.]+(?:E-?\d+)?"
_RANGE = re.compile(rf"\[(?P<min>{_NUMBER})?,?\.\.\.,?(?P<max>{_NUMBER})?\]")
_DEPRECATED = re.compile(
    r"\W*(<[^>]*>)?\W*deprecated\b|.*\b(is|been) deprecated\b", re.IGNORECASE | re.DOTALL
)


class NoConfigDef(Exception):
    """No class of `CLASSES` for the product has a ConfigDef in this release."""


def settings(jvm: JavaGateway, product: str) -> dict[str, Raw]:
    """The facts of every setting of a product (a key of `CLASSES`) in the release of `jvm`.

    Raises `NoConfigDef`.
    """
    compiler = jvm.jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(_PROGRAM.read_text("ascii"))
    program = compiler.getClassLoader().loadClass("ConfigDefs")
    (dump,) = (method for method in program.getMethods() if method.getName() == "dump")
    arguments = jvm.new_array(jvm.jvm.java.lang.Object, 1)
    arguments[0] = _config_def(jvm, product)
    lines = str(dump.invoke(None, arguments)).split(_RECORD)
    return dict(_setting(record.split(_FIELD)) for record in lines if record)


def has(jvm: JavaGateway, product: str) -> bool:
    """Whether the class path of `jvm` has a class of the product."""
    return any(_find(jvm, name) is not None for name in CLASSES[product])


def _config_def(jvm: JavaGateway, product: str) -> Any:
    for name in CLASSES[product]:
        result = _find(jvm, name)
        if result is not None and (config_def := _config_def_in(result)) is not None:
            return config_def
    raise NoConfigDef(f"none of {', '.join(CLASSES[product])} holds a ConfigDef")


def _find(jvm: JavaGateway, name: str) -> Any:
    try:
        return jvm.jvm.java.lang.Class.forName(name)
    except Py4JJavaError:
        return None


def _config_def_in(owner: Any) -> Any:
    """The ConfigDef in a field of the class, even a private one or a Scala object's; or None."""
    fields = {str(field.getName()): field for field in owner.getDeclaredFields()}
    instance = fields.get("MODULE$")
    for name, field in sorted(fields.items(), key=lambda row: _rank(row[0])):
        if name.rpartition("$")[2] in _NAMES and str(field.getType().getName()).endswith("Def"):
            field.setAccessible(True)
            return field.get(instance.get(None) if instance is not None else None)
    return None


def _rank(name: str) -> int:
    short = name.rpartition("$")[2]
    return _NAMES.index(short) if short in _NAMES else len(_NAMES)


def _setting(lines: list[str]) -> tuple[str, Raw]:
    name, kind, has_default, is_set, default, validator, words, importance, internal, doc = lines
    facts: Raw = {"type": kind.lower()}
    if has_default == "false":
        facts["required"] = True
    elif is_set == "true":
        facts["default"] = _value(kind, default)
    facts |= _bounds(kind, validator, words)
    facts["importance"] = importance.lower()
    if internal == "true":
        facts["internal"] = True
    if _DEPRECATED.match(doc):
        facts["deprecated"] = True
    return name, facts


def _value(kind: str, text: str) -> str | int | float | bool:
    if kind == "BOOLEAN":
        return text == "true"
    if kind in _INTEGERS:
        return int(text)
    return float(text) if kind == "DOUBLE" else text


def _bounds(kind: str, name: str, text: str) -> Raw:
    """The validator as bounds or choices, else as its text."""
    if name == "Range":
        number = int if kind in _INTEGERS else float
        if match := _RANGE.fullmatch(text):
            return {end: number(text) for end, text in match.groupdict().items() if text}
    if name in ("ValidString", "CaseInsensitiveValidString", "ValidList"):
        return _choices(name, text)
    # A lambda without `toString` prints its address, which differs each time. A long text is
    # documentation, or a list of all versions.
    data = name and len(text) <= _MAX_RULE_LENGTH and "Lambda" not in text and "@" not in text
    return {"rule": text} if data else {}


def _choices(name: str, text: str) -> Raw:
    # Some releases print text before or after the brackets; a list of anything prints no brackets.
    match = re.search(r"\[(.+?)\]", text)
    if match is None:
        return {}
    choices = match[1].split(", ")
    if name.startswith("Case"):
        return {"one_of": sorted(choices), "any_case": True}  # a set has no order
    return {"items" if name == "ValidList" else "one_of": choices}
