"""Conditions of JVM code about records, rounds of a loop, and limits of a rate."""

from __future__ import annotations

import re

EMPTY_CHECK = (
    r"\s*(?P<not>!\s*)?(?:{0})\s*\.\s*(?:isEmpty\s*\(\s*\)|(?P<not_empty>isNotEmpty\s*\(\s*\))"
    r"|(?:count|size)\s*\(\s*\)\s*(?:==\s*0|(?P<positive>>\s*0|!=\s*0)))\s*"
)
LIMIT_CHECK = re.compile(
    r"\s*(?P<not>!\s*)?(?:\w+\s*\.\s*)+(?:try(?:Acquire\w*|Lock|Consume)\s*\([^(){}]*\)"
    r"|(?:allow\w*|isCallPermitted|acquirePermission|(?P<refuses>is(?:Open|Throttled|Overloaded)))"
    r"\s*\(\s*\))\s*"
)
LIMIT_REACHED = re.compile(r"==|>")
SIZE_COMPARISON = re.compile(r"==[^&|]*\b(?:count|size|length|lastIndex)\b")
"""A condition that only the last record may meet."""
RECORD_ACCESSOR = re.compile(
    r"(?:value|key|topic|partition|offset|timestamp|headers|equals|isEmpty|isBlank|length|size|count"
    r"|contains\w*|starts\w*|ends\w*|matches|lastHeader)"
)
