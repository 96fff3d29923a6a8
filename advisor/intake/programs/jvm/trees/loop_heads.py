"""What stands in the brackets of a loop of JVM code."""

from __future__ import annotations

import re

FOREVER = re.compile(r"\s*(?:true|!?[\w.]*(?:\(\s*\))?(?:\s*&&\s*!?[\w.]*(?:\(\s*\))?)*)\s*")
"""The condition of a loop that goes on until somebody ends the program."""
BOUNDED = re.compile(
    r"\s*(?:(?:final\s+)?(?:int|var|long)\s+)?(?P<name>\w+)\s*(?:=\s*\d+\s*;[^;]*;[^;]*"
    r"|(?:\bin\b|<-)\s*\d+\s*(?:\.\.|until|to)\s*\w+\s*)"
)
ROUNDS = re.compile(
    r"\s*(?:(?P<first>[^&|]+)&&\s*)?(?P<name>\w+)\s*<=?\s*\w+\s*(?:&&\s*(?P<then>[^&|]+))?"
)
COUNTS = r"\b{0}\s*(?:\+\+|\+=\s*1\b)|\+\+\s*{0}\b"
OVER = re.compile(
    r"\s*(?:final\s+)?(?:[\w<>\[\],.? ]+\s)?(?P<name>\w+)\s*(?::|\bin\b|<-)\s*"
    r"(?P<of>(?:(?!<-|\bif\b).)*)",
    re.DOTALL,
)
