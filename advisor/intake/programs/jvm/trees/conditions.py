"""Conditions of JVM code about records, rounds of a loop, and limits of a rate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

_MOST = 60
EMPTY_CHECK = (
    r"\s*(?P<not>!\s*)?(?:{0})\s*\.\s*(?:isEmpty\s*\(\s*\)|(?P<not_empty>isNotEmpty\s*\(\s*\))"
    r"|(?:count|size)\s*\(\s*\)\s*(?:==\s*0|(?P<positive>>\s*0|!=\s*0)))\s*"
)
_TARGET = r"\w*(?i:health|db|database|conn|client|service|sink|downstream|target|pool)\w*"
_LIMIT = (
    r"(?:(?:\w+\s*(?:\((?:[^()]|\([^()]*\)){0,99}\)\s*)?\.\s*)+"
    r"(?:try(?:Acquire\w*|Lock|Consume)\s*\([^(){}]*\)"
    r"|(?:allow\w*|isCallPermitted|acquirePermission|(?P<refuses>is(?:Open|Throttled|Overloaded)))"
    rf"\s*\(\s*\))|{_TARGET}\s*\.\s*is(?:Up|Healthy|Available|Connected|Reachable|Alive)"
    r"\s*\(\s*\))"
)
"""A limit of a rate, a lock, or whether the target of records is up."""
_LIMIT_CHECK = re.compile(rf"\s*(?P<not>!\s*)?(?:{_LIMIT}|(?P<name>\w+))\s*")
_LIMIT_RESULT = re.compile(rf"\b(?P<name>\w+)\s*(?::\s*\w+\s*)?=(?!=)\s*{_LIMIT}\s*[;\n]")
LIMIT_REACHED = re.compile(r"==|>")
SIZE_COMPARISON = re.compile(r"==[^&|]*\b(?:count|size|length|lastIndex)\b")
"""A condition that only the last record may meet."""
RECORD_ACCESSOR = re.compile(
    r"(?:value|key|topic|partition|offset|timestamp|headers|equals|isEmpty|isBlank|length|size|count"
    r"|contains\w*|starts\w*|ends\w*|matches|lastHeader)"
)


def limit_results(plain: str) -> dict[str, bool]:
    """The names to which code assigns what a limit returns, and whether true means refused."""
    matches = islice(_LIMIT_RESULT.finditer(plain), _MOST)
    return {match["name"]: bool(match["refuses"]) for match in matches}


def is_refusal(code: str, results: Mapping[str, bool]) -> bool | None:
    """Whether a condition holds where a limit refuses a record; None for any other condition.
    `results` are the names of `limit_results`."""
    check = _LIMIT_CHECK.fullmatch(code)
    if not check or (check["name"] and check["name"] not in results):
        return None
    refuses = results[check["name"]] if check["name"] else bool(check["refuses"])
    return bool(check["not"]) is not refuses
