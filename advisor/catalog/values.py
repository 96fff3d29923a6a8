"""Parses the text of a setting strictly, and formats a value as a client reads it.

Every text that is accepted here means the same to the real client. A text that a client would read
differently from how it looks is refused: librdkafka reads `010` as 8 (Java as 10), and a number of
more than 64 bits wraps around; both were seen on 2.16.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import Decimal
from math import ceil, inf

from advisor.catalog import texts
from advisor.catalog.model import Kind, Problem, Setting, SettingError, Value
from advisor.catalog.versions import at_least

MAX_LENGTH = 250
_MOST_GZIP = 9
DECIMAL = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""The pattern of a text that is a number with a fraction; no modelled setting has such a value."""

_OTHER_VALUES = {
    "auto.offset.reset": "by_duration:PnDTnHnMnS",
    "maxTriggerDelay": "another time, such as 30s or 2h",
}
"""The values besides the choices, for settings where these are not classes."""

_INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]{0,18})", re.ASCII)
_JAVA_INTEGER = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
"""Java accepts leading zeros (Integer.parseInt)."""
_BETWEEN = re.compile(r" *, *")
_EMPTY = {
    "cleanup.policy": "is empty. Since Kafka 4.2 such a topic keeps every record: state "
    "cleanup.policy=delete, retention.ms=-1 and retention.bytes=-1, which do the same"
}
"""The meaning of an empty text for products that accept one; here it means "not stated"."""
_BOOLS = {"true": True, "false": False}
_SHORT = {"t": True, "1": True, "f": False, "0": False}
"""Also accepted by librdkafka (rd_kafka_anyconf_set_prop)."""


def parse(setting: Setting, text: str) -> Value:
    """Returns the value of a text, without the white space that Java trims.

    Raises `SettingError` with what would be right: the range, the choices, the length. A newline or
    another control character is refused, so that no value can become a second line of a properties
    file. A free text is reduced to what matters (`advisor.catalog.texts`).
    """
    written = texts.trimmed(text)
    if len(written) > MAX_LENGTH:
        length = len(written)
        raise _refusal(setting, f"is {length} characters long; at most {MAX_LENGTH} are accepted")
    if any(unicodedata.category(char)[0] in "CZ" and char != " " for char in written):
        raise _refusal(setting, "contains a newline or another control character")
    if not written:
        raise _refusal(setting, _EMPTY.get(setting.name, "is empty"))
    if setting.by_librdkafka and written != text and _is_compared(setting, written):
        raise _refusal(
            setting, "has white space around its value, which librdkafka does not accept"
        )
    if setting.modelled and texts.is_placeholder(setting.name, written):
        return texts.STATED
    value = _of_kind(setting, written)
    if setting.modelled and isinstance(value, str):
        return texts.kept_text(setting.name, value)
    return value


def items(text: str) -> list[str]:
    """Returns the entries of a stated list, in lower case."""
    return [item.strip().lower() for item in text.split(",")]


def number(stated: Mapping[str, str], name: str, default: int, *, signed: bool = False) -> int:
    """Returns a stated number of at most 19 digits, or `default`; negative only if `signed`.

    A text that is not a number is reported by `parse`.
    """
    text = stated.get(name, "").strip()
    digits = text.removeprefix("-") if signed else text
    return int(text) if digits.isdecimal() and digits.isascii() and len(digits) < 20 else default


def gzip_level(stated: Mapping[str, str], line: str) -> Iterator[tuple[str, str]]:
    """Yields the setting and the error of a client or broker for a level that gzip does not have.

    1 to 9 and -1 are valid, which bounds cannot express (GzipCompression.LevelValidator, 3.8).
    """
    name = "compression.gzip.level"
    if not at_least(line, "3.8"):
        return
    level = number(stated, name, -1, signed=True)
    if level != -1 and not 1 <= level <= _MOST_GZIP:
        rule = f"Value must be between 1 and {_MOST_GZIP} or equal to -1"
        yield name, f"Invalid value {level} for configuration {name}: {rule}"


def _is_compared(setting: Setting, written: str) -> bool:
    """Whether librdkafka compares the text as it is; it reads the first number in other texts."""
    is_number = _INTEGER.fullmatch(written) is not None
    return setting.kind is Kind.BOOL or (setting.kind is Kind.CHOICE and not is_number)


def _of_kind(setting: Setting, written: str) -> Value:
    match setting.kind:
        case Kind.BOOL:
            return _bool(setting, written)
        case Kind.INT:
            return _int(setting, written)
        case Kind.CHOICE:
            return _choice(setting, written)
        case Kind.TEXT:
            return _text(setting, written)


def printable(text: str) -> str:
    """Returns a text for a message or a comment: control characters become spaces."""
    return "".join(char if char.isprintable() else " " for char in text)


def written(value: object) -> str:
    """Returns a value as Kafka's own files write it: `true`, not `True`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def say(value: Value) -> str:
    """Returns a setting's value as a page shows it: as the product writes it, or "not set"."""
    return "not set" if value is None else written(value)


def render(setting: Setting, value: Value) -> str:
    """Returns the text that the product's own parser reads as `value`.

    Raises `SettingError` if the setting cannot have the value: every exported value has passed
    `parse`, also if it came from a database.
    """
    if value is None:
        raise _refusal(setting, "has no value")
    text = written(value)
    result = parse(setting, text)
    if result != value or isinstance(result, bool) is not isinstance(value, bool):
        raise _refusal(setting, f"cannot be {value!r}")
    return text


def _bool(setting: Setting, text: str) -> bool:
    # Java takes any case (ConfigDef.parseType).
    value = _BOOLS.get(text.lower())
    if value is None and setting.by_librdkafka:
        value = _SHORT.get(text.lower())
    if value is None:
        raise _refusal(setting, "must be true or false")
    return value


def _int(setting: Setting, text: str) -> int:
    if setting.pattern and re.fullmatch(setting.pattern, text, re.ASCII):
        text = str(ceil(Decimal(text)))  # a fraction of a millisecond does not matter
    if not (_INTEGER if setting.by_librdkafka else _JAVA_INTEGER).fullmatch(text):
        raise _refusal(setting, f"must be a whole number {_range(setting)}")
    value = int(text)
    low, high = setting.minimum, setting.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        raise _refusal(setting, f"must be {_range(setting)}; {value} is not")
    return value


def _choice(setting: Setting, text: str) -> Value:
    choices = dict(setting.choices)
    if text in choices:
        return choices[text]
    if any("," in choice for choice in choices):
        # Kafka's lists may have spaces around their commas, and may contain an item twice.
        text = ",".join(dict.fromkeys(_BETWEEN.sub(",", text).split(",")))
        if text in choices:
            return choices[text]
    if setting.any_case and (
        same := [choice for choice in choices if choice.lower() == text.lower()]
    ):
        return choices[same[0]]
    if setting.pattern and re.fullmatch(setting.pattern, text, re.ASCII):
        return text
    other = _OTHER_VALUES.get(setting.name, "a class of yours")
    listed = ", ".join([*choices, *([other] if setting.pattern else [])])
    raise _refusal(setting, f"must be one of {listed}")


def _text(setting: Setting, text: str) -> str:
    if setting.pattern and not re.fullmatch(setting.pattern, text, re.ASCII):
        characters = "may contain letters, digits, dots, dashes and underscores here"
        raise _refusal(setting, "must be a number" if setting.pattern == DECIMAL else characters)
    if setting.between and not setting.between[0] <= float(text) <= setting.between[1]:
        least, most = setting.between
        bounds = f"of {least:g} or more" if most == inf else f"from {least:g} to {most:g}"
        raise _refusal(setting, f"must be {bounds}; {text} is not")
    if setting.items and not {*_BETWEEN.split(text)} <= {*setting.items}:
        raise _refusal(setting, f"must be a list of these values: {', '.join(setting.items)}")
    return text


def _range(setting: Setting) -> str:
    unit = f" {setting.unit}" if setting.unit else ""
    if setting.minimum is not None and setting.maximum is not None:
        return f"from {setting.minimum} to {setting.maximum}{unit}"
    return f"of {unit.strip()}" if unit else ""


def _refusal(setting: Setting, why: str) -> SettingError:
    return SettingError(Problem(setting.component, setting.name, f"{setting.name} {why}."))
