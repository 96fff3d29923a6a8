"""Patterns of the code before and after a place in JVM code."""

from __future__ import annotations

import re

STATEMENT_START = re.compile(r"(?:[;{}\n>]|^)\s*$")
CONDITION_START = re.compile(r"\bif\s*\(\s*(?P<not>!\s*)?$")
ASSIGNED = re.compile(r"(?:\bva[lr]|[\w>\]])\s+(\w+)\s*(?::[^=;{}\n]{1,80})?=\s*$")
"""The variable that takes the value of an expression."""
ASSIGNED_PAIR = re.compile(r"\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*=\s*$")
"""The two variables that take the parts of a value."""
ELSE = re.compile(r"[\s;]*\belse\b\s*")
WHEN_ARM = re.compile(r"[\s;]*(?P<condition>[^{};\n]{1,200}?)\s*->\s*")
"""The condition of a branch of Kotlin's `when`."""
MATCH = re.compile(r"\s*match\s*\{")
HANDLER_CLAUSE = re.compile(r"\s*(?:catch|finally)\b")
FINALLY = re.compile(r"\bfinally\s*\{")
JUMP = re.compile(r"\b(?:continue|return|break|throw)\b")
LAST_JUMP = re.compile(r"\b(?:throw|continue|return|break)\b[^;{}\n]*[;}\s]*$")
"""A jump that ends a block."""
BREAK = re.compile(r"\bbreak(?:@\w+)?\b")
LAMBDA_HEAD = re.compile(r"^\s*(?:\(\s*\)|\(?\w+\)?)\s*[-=]>")
SEEK = re.compile(r"\bseek\w*\s*\(")
CONSUMER_COMMIT = re.compile(r"\.\s*commit(?:Sync|Async)\s*\(")
NEXT_OFFSET = re.compile(r"\.\s*offset\s*(?:\(\s*\))?\s*\+\s*1")
"""The offset after a record."""
