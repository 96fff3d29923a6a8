"""What a ConfigDef says of its settings: type, default, bounds, importance.

A ConfigDef is the table from which a Kafka client, a topic or a broker parses its configuration
(org.apache.kafka.common.config.ConfigDef). Its texts are not taken, its facts are.
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
"""Where each product keeps its ConfigDef; the first class that a release has and that has one."""

_PROGRAM = Path(__file__).with_name("ConfigDefs.java")
_FIELD, _RECORD = "\x1f", "\x1e"
_NAMES = ("CONFIG_DEF", "CONFIG", "configDef")
_LONGEST_RULE = 100
_WHOLE = {"INT", "LONG", "SHORT"}
_NUMBER = r"-?[\d.]+(?:E-?\d+)?"
_RANGE = re.compile(rf"\[(?P<min>{_NUMBER})?,?\.\.\.,?(?P<max>{_NUMBER})?\]")
_DEPRECATED = re.compile(
    r"\W*(<[^>]*>)?\W*deprecated\b|.*\b(is|been) deprecated\b", re.IGNORECASE | re.DOTALL
)


class NoConfigDef(Exception):
    """The release has none of the classes that are known to hold this ConfigDef."""


def settings(jvm: JavaGateway, product: str) -> dict[str, Raw]:
    """Every setting of a product (a key of `CLASSES`) in the release that `jvm` has.

    Raises `NoConfigDef`.
    """
    compiler = jvm.jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(_PROGRAM.read_text("ascii"))
    program = compiler.getClassLoader().loadClass("ConfigDefs")
    (tell,) = (method for method in program.getMethods() if method.getName() == "tell")
    arguments = jvm.new_array(jvm.jvm.java.lang.Object, 1)
    arguments[0] = _config_def(jvm, product)
    lines = str(tell.invoke(None, arguments)).split(_RECORD)
    return dict(_setting(record.split(_FIELD)) for record in lines if record)


def has(jvm: JavaGateway, product: str) -> bool:
    """Whether the jars on this class path hold the product at all."""
    return any(_find(jvm, name) is not None for name in CLASSES[product])


def _config_def(jvm: JavaGateway, product: str) -> Any:
    for name in CLASSES[product]:
        result = _find(jvm, name)
        if result is not None and (held := _held_by(result)) is not None:
            return held
    raise NoConfigDef(f"none of {', '.join(CLASSES[product])} holds a ConfigDef")


def _find(jvm: JavaGateway, name: str) -> Any:
    try:
        return jvm.jvm.java.lang.Class.forName(name)
    except Py4JJavaError:
        return None


def _held_by(owner: Any) -> Any:
    """The value of the class's own ConfigDef, a private one or a Scala object's among them."""
    fields = {str(field.getName()): field for field in owner.getDeclaredFields()}
    here = fields.get("MODULE$")
    for name, field in sorted(fields.items(), key=lambda row: _rank(row[0])):
        if name.rpartition("$")[2] in _NAMES and str(field.getType().getName()).endswith("Def"):
            field.setAccessible(True)
            return field.get(here.get(None) if here is not None else None)
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
    if kind in _WHOLE:
        return int(text)
    return float(text) if kind == "DOUBLE" else text


def _bounds(kind: str, name: str, text: str) -> Raw:
    """The validator as bounds or choices; in its own words where it is neither."""
    if name == "Range":
        number = int if kind in _WHOLE else float
        if match := _RANGE.fullmatch(text):
            return {end: number(text) for end, text in match.groupdict().items() if text}
    if name in ("ValidString", "CaseInsensitiveValidString", "ValidList"):
        return _choices(name, text)
    # A lambda without words of its own prints its address, another one each time; what is long
    # is documentation, or a list of all versions there ever were.
    data = name and len(text) <= _LONGEST_RULE and "Lambda" not in text and "@" not in text
    return {"rule": text} if data else {}


def _choices(name: str, text: str) -> Raw:
    # Some releases print words before or after the brackets; a list of anything prints none.
    match = re.search(r"\[(.+?)\]", text)
    if match is None:
        return {}
    choices = match[1].split(", ")
    if name.startswith("Case"):
        return {"one_of": sorted(choices), "any_case": True}  # a set: its order says nothing
    return {"items" if name == "ValidList" else "one_of": choices}
