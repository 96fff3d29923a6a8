"""Heads of loops in JVM code: the code between their brackets."""

from __future__ import annotations

import re

FOREVER = re.compile(r"\s*(?:true|!?[\w.]*(?:\(\s*\))?(?:\s*&&\s*!?[\w.]*(?:\(\s*\))?)*)\s*")
"""The condition of a loop that runs until the program is stopped."""
BOUNDED = re.compile(
    r"\s*(?:(?:final\s+)?(?:int|var|long)\s+)?(?P<name>\w+)\s*(?:=\s*\d+\s*;[^;]*;[^;]*"
    r"|(?:\bin\b|<-)\s*\d+\s*(?:\.\.|until|to)\s*\w+\s*)"
)
ROUNDS = re.compile(
    r"\s*(?:(?P<first>[^&|]+)&&\s*)?(?P<name>\w+)\s*<=?\s*\w+\s*(?:&&\s*(?P<then>[^&|]+))?"
)
COUNTER = r"\b{0}\s*(?:\+\+|\+=\s*1\b)|\+\+\s*{0}\b"
FOR_EACH = re.compile(
    r"\s*(?:final\s+)?(?:[\w<>\[\],.? ]+\s)?(?P<name>\w+)\s*(?::|\bin\b|<-)\s*"
    r"(?P<iterable>(?:(?!<-|\bif\b).)*)",
    re.DOTALL,
)
