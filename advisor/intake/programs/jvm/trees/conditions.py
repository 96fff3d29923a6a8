"""Conditions of JVM code about records, rounds of a loop, and limits of a rate."""

from __future__ import annotations

import re

EMPTY_CHECK = (
    r"\s*(?P<not>!\s*)?(?:{0})\s*\.\s*(?:isEmpty\s*\(\s*\)|(?P<not_empty>isNotEmpty\s*\(\s*\))"
    r"|(?:count|size)\s*\(\s*\)\s*(?:==\s*0|(?P<positive>>\s*0|!=\s*0)))\s*"
)
_TARGET = r"\w*(?i:health|db|database|conn|client|service|sink|downstream|target|pool)\w*"
LIMIT_CHECK = re.compile(
    r"\s*(?P<not>!\s*)?(?:(?:\w+\s*(?:\((?:[^()]|\([^()]*\)){0,99}\)\s*)?\.\s*)+"
    r"(?:try(?:Acquire\w*|Lock|Consume)\s*\([^(){}]*\)"
    r"|(?:allow\w*|isCallPermitted|acquirePermission|(?P<refuses>is(?:Open|Throttled|Overloaded)))"
    rf"\s*\(\s*\))|{_TARGET}\s*\.\s*is(?:Up|Healthy|Available|Connected|Reachable|Alive)"
    r"\s*\(\s*\))\s*"
)
"""A condition about a limit of a rate, a lock, or whether the target of records is up."""
LIMIT_REACHED = re.compile(r"==|>")
SIZE_COMPARISON = re.compile(r"==[^&|]*\b(?:count|size|length|lastIndex)\b")
"""A condition that only the last record may meet."""
RECORD_ACCESSOR = re.compile(
    r"(?:value|key|topic|partition|offset|timestamp|headers|equals|isEmpty|isBlank|length|size|count"
    r"|contains\w*|starts\w*|ends\w*|matches|lastHeader)"
)
