"""Values that Spring injects into classes: `@Value`, `Environment`, and Spring Boot's
`KafkaProperties`. Each becomes the placeholder that the application's file fills in (Spring
Framework, "Using @Value", PropertyResolver)."""

from __future__ import annotations

import re

from advisor.intake.programs.jvm import constants as jvm_constants
from advisor.intake.programs.jvm.code import Code

UNKNOWN = "${a value that the code computes}"
"""A placeholder that nothing fills in: a setting that matters is refused with it."""
_VALUE_ANNOTATION = (
    r"@(?:field:|param:)?Value\s*\(\s*(?:value\s*=\s*)?\"(?P<text>[^\"]{{1,300}})\"\s*\)\s*"
    r"(?:(?:private|protected|public|final|static|lateinit|internal|va[lr])\s+)*"
    r"(?:[\w.]+\s*(?:<[\w<>?, .]{{0,80}}>)?(?:\[\])?\s+)?\b{0}\b"
)
_PROPERTY_LOOKUP = re.compile(
    r"\w+\s*\.\s*(?:getProperty|getRequiredProperty)\s*\(\s*\"(?P<name>[\w.\[\]-]{1,200})\"\s*"
    r"(?:,\s*(?:[\w.]+(?:::class\.java|\.class)\s*,\s*)?(?P<default>\"[^\"]{0,200}\"|[\w.]+))?\s*\)"
)
_BOOT_PROPERTY = re.compile(
    r"(?:this\s*\.\s*)?\w+\s*\.\s*(?:get(?P<part>Consumer|Producer)\s*\(\s*\)\s*\.\s*"
    r"(?:get|is)(?P<name>\w+)\s*\(\s*\)|(?P<kotlin_part>consumer|producer)\s*\.\s*(?P<property>\w+))!*"
)
_LEVEL = re.compile(r"(?:\w+\.)*IsolationLevel\.(?P<level>READ_(?:UN)?COMMITTED)\b.{0,60}")
_CONVERSION = re.compile(
    r"(?:String\.valueOf|(?:Integer|Long|Boolean)\.(?:parse\w+|valueOf))\((.*)\)"
)
_NAME = re.compile(r"(?:this\.)?(?P<name>[A-Za-z_]\w*)")


def value(code: Code, expression: str) -> str:
    """The text of an expression, or the placeholder for a value that Spring injects."""
    text = code.value(expression)
    if text is not None:
        return text
    expression = expression.strip()
    if conversion := _CONVERSION.fullmatch(expression):
        return value(code, conversion[1])
    if level := _LEVEL.fullmatch(expression):
        return level["level"].lower()
    if lookup := _PROPERTY_LOOKUP.fullmatch(expression):
        default = (lookup["default"] or "").strip('"')
        return f"${{{lookup['name']}{':' if lookup['default'] else ''}{default}}}"
    if "KafkaProperties" in code.plain and (boot := _BOOT_PROPERTY.fullmatch(expression)):
        part, name = boot["part"] or boot["kotlin_part"], boot["name"] or boot["property"]
        return f"${{spring.kafka.{part.lower()}.{_with_dashes(name)}}}"
    variable = _NAME.fullmatch(expression)
    return _variable_value(code, variable["name"]) if variable else UNKNOWN


def _variable_value(code: Code, name: str) -> str:
    annotations = [*re.finditer(_VALUE_ANNOTATION.format(name), code.text)]
    values = jvm_constants.constant_values(code.text, code.plain, name)
    values = [text for text in values if text != name]
    if len(annotations) == 1 and not values:
        injected = annotations[0]["text"].replace("\\$", "$")
        return UNKNOWN if "#{" in injected else injected
    is_bound = "@ConfigurationProperties" in code.plain
    if len(values) == 1 and not (annotations or is_bound):
        return UNKNOWN if _NAME.fullmatch(values[0]) else value(code, values[0])
    return UNKNOWN


def _with_dashes(name: str) -> str:
    """A name in camel case as Spring Boot writes it in a file."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", name).lower()
