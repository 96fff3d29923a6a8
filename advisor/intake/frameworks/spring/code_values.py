"""Values that classes of a Spring application are given: `@Value`, `Environment`, Spring Boot's own
`KafkaProperties`; each as the placeholder that the application's file fills in (Spring Framework,
"Using @Value", PropertyResolver)."""

from __future__ import annotations

import re

from advisor.intake.programs.jvm import constants as jvm_constants
from advisor.intake.programs.jvm.code import Code

UNKNOWN = "${what the code works out}"
"""A placeholder that nothing fills in: a setting that decides is refused with it."""
_BOUND = (
    r"@(?:field:|param:)?Value\s*\(\s*(?:value\s*=\s*)?\"(?P<text>[^\"]{{1,300}})\"\s*\)\s*"
    r"(?:(?:private|protected|public|final|static|lateinit|internal|va[lr])\s+)*"
    r"(?:[\w.]+\s*(?:<[\w<>?, .]{{0,80}}>)?(?:\[\])?\s+)?\b{0}\b"
)
_ASKED = re.compile(
    r"\w+\s*\.\s*(?:getProperty|getRequiredProperty)\s*\(\s*\"(?P<name>[\w.\[\]-]{1,200})\"\s*"
    r"(?:,\s*(?:[\w.]+(?:::class\.java|\.class)\s*,\s*)?(?P<default>\"[^\"]{0,200}\"|[\w.]+))?\s*\)"
)
_OF_BOOT = re.compile(
    r"(?:this\s*\.\s*)?\w+\s*\.\s*(?:get(?P<part>Consumer|Producer)\s*\(\s*\)\s*\.\s*"
    r"(?:get|is)(?P<name>\w+)\s*\(\s*\)|(?P<own>consumer|producer)\s*\.\s*(?P<property>\w+))!*"
)
_LEVEL = re.compile(r"(?:\w+\.)*IsolationLevel\.(?P<level>READ_(?:UN)?COMMITTED)\b.{0,60}")
_WRAPPED = re.compile(r"(?:String\.valueOf|(?:Integer|Long|Boolean)\.(?:parse\w+|valueOf))\((.*)\)")
_NAME = re.compile(r"(?:this\.)?(?P<name>[A-Za-z_]\w*)")


def value(code: Code, written: str) -> str:
    """The text of an expression, or a placeholder for what is filled in."""
    text = code.value(written)
    if text is not None:
        return text
    written = written.strip()
    if wrapped := _WRAPPED.fullmatch(written):
        return value(code, wrapped[1])
    if level := _LEVEL.fullmatch(written):
        return level["level"].lower()
    if asked := _ASKED.fullmatch(written):
        default = (asked["default"] or "").strip('"')
        return f"${{{asked['name']}{':' if asked['default'] else ''}{default}}}"
    if "KafkaProperties" in code.plain and (boot := _OF_BOOT.fullmatch(written)):
        part, name = boot["part"] or boot["own"], boot["name"] or boot["property"]
        return f"${{spring.kafka.{part.lower()}.{_dashed(name)}}}"
    named = _NAME.fullmatch(written)
    return _of_name(code, named["name"]) if named else UNKNOWN


def _of_name(code: Code, name: str) -> str:
    bound = [*re.finditer(_BOUND.format(name), code.text)]
    stated = jvm_constants.constant_values(code.text, code.plain, name)
    stated = [each for each in stated if each != name]
    if len(bound) == 1 and not stated:
        text = bound[0]["text"].replace("\\$", "$")
        return UNKNOWN if "#{" in text else text
    is_bound = "@ConfigurationProperties" in code.plain
    if len(stated) == 1 and not (bound or is_bound):
        return UNKNOWN if _NAME.fullmatch(stated[0]) else value(code, stated[0])
    return UNKNOWN


def _dashed(name: str) -> str:
    """A name of Java's as Spring Boot writes it in a file."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", name).lower()
