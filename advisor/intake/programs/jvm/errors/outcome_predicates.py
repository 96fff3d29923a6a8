"""Functions and conditions of JVM code that select failures, or successes, among the results of
processing: `Result::isFailure`, `it is Failed`, `_.isLeft`, `o.status() == Status.FAILED`.
"""

from __future__ import annotations

import re

from advisor.intake.programs.jvm.errors.outcome_words import FAILURE, PROPERTY, SUCCESS

_LAMBDA_HEAD = re.compile(r"\A\s*\{?\s*\(?\s*(?:[A-Z]\w*\s+)?(?P<name>\w+)\s*\)?\s*[-=]>\s*\{?")
_NOT = r"(?P<not>!\s*|(?:Predicate\s*\.\s*)?not\s*\(\s*)?"
_PREDICATE = re.compile(
    rf"{_NOT}(?:\w+(?:\.\w+(?:\(\s*\))?)*\s*(?:\.|::)\s*)?{PROPERTY}\s*(?:\(\s*\))?\s*\)*"
)
_TYPE_CHECK = re.compile(
    r"\s*\w+\s*(?P<not>!\s*)?(?:(?<=!)is|\bis|\binstanceof)\s+(?P<type>[\w.]+)(?:<[^<>]*>)?"
    r"(?:\s+\w+|\s*\([^()]*\))?\s*"
    r"|\s*\w+\s*\.\s*isInstanceOf\s*\[(?P<scala_type>[\w.]+)[^\]]*\]\s*"
    r"|\s*(?P<class>[\w.]+?)(?:\.class|::class(?:\.java)?)\s*::\s*isInstance\s*"
)
_COMPARISON = re.compile(
    r"\s*\w+(?:\s*\.\s*\w+(?:\(\s*\))?)?\s*(?P<op>[!=]=)=?\s*(?P<to>[\w.]+)\s*"
)
_ERROR_CHECK = re.compile(
    r"\s*\w+\s*\.\s*(?:exceptionOrNull|error|getError|exception|getException|cause|failure)"
    r"(?:\(\s*\))?\s*(?P<op>[!=]=)\s*null\s*"
)


_ABSENCE = re.compile(
    r"\s*(?P<not>!\s*)?\w+(?:\s*\.\s*\w+(?:\(\s*\))?){0,3}?\s*\.\s*(?:toOption\s*\.\s*"
    r"(?P<query>isEmpty|isDefined|nonEmpty)|(?:getOrNull\s*\(\s*\)|toOption\s*\.\s*orNull)\s*"
    r"(?P<op>[!=]=)\s*null)\s*"
)
"""Whether a result that may be an error has no value."""
_HTTP_STATUS = re.compile(
    r"\s*\w+(?:\s*\.\s*\w+(?:\(\s*\))?){0,3}?\s*\.\s*(?:\w*[sS]tatus(?:Code)?|code)(?:\(\s*\))?"
    r"(?:\s*\.\s*(?:value|code|intValue)(?:\(\s*\))?)?\s*(?P<op>[!=]=|[<>]=?)\s*(?P<code>\d{3})\s*"
)
_FIRST_ERROR_STATUS = 299


def failure_of_type(name: str) -> bool | None:
    """Returns whether a type or a constant, by its name, is one of failures or of successes; None
    if the name does not say so."""
    last = name.rpartition(".")[2]
    return True if FAILURE.search(last) else False if SUCCESS.search(last) else None


def selects_failures(code: str) -> bool | None:
    """Returns whether a function, or a condition, is true for failures or for successes; None if
    that is unknown."""
    code = _LAMBDA_HEAD.sub("", code, count=1).strip().strip("{};").strip()
    code = code.removeprefix("return ").strip()
    if match := _PREDICATE.fullmatch(code):
        return bool(match["failure"]) is not bool(match["not"])
    if match := _ERROR_CHECK.fullmatch(code):
        return match["op"] == "!="
    if match := _ABSENCE.fullmatch(code):
        is_absent = match["op"] == "==" or match["query"] == "isEmpty"
        return is_absent is not bool(match["not"])
    if match := _TYPE_CHECK.fullmatch(code):
        of_type = failure_of_type(match["type"] or match["scala_type"] or match["class"] or "")
        return None if of_type is None else of_type is not bool(match["not"])
    if match := _HTTP_STATUS.fullmatch(code):
        is_error, operator = int(match["code"]) >= _FIRST_ERROR_STATUS, match["op"]
        if operator in ("==", "!="):
            return is_error is (operator == "==")
        return (operator[0] == ">") if is_error else None
    if match := _COMPARISON.fullmatch(code):
        compared = failure_of_type(match["to"])
        return None if compared is None else compared is (match["op"] == "==")
    return None
