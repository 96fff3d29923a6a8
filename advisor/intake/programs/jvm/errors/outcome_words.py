"""Words in names of JVM code that say whether processing a record failed or succeeded.

A type or a constant (`Failed`, `Status.OK`), a variable (`error`, `saved`), and a property of a
result (`isFailure()`, `wasSaved`) have different words: `Left` names a type, and no variable.
"""

from __future__ import annotations

import re

FAILURE = re.compile(
    r"\b(?:\w*(?:[fF]ail|FAIL|[eE]rr(?![a-z])|ERR|[eE]rror|[rR]eject|REJECT|[uU]nsuccess|FATAL|Fatal"
    r"|TIMED_?OUT|TimedOut|TIMEOUT|ABORTED|DENIED|UNAVAILABLE)\w*|Left|KO|Ko)\b"
)
"""The name of a type or a constant for a failure."""
SUCCESS = re.compile(
    r"\b(?:OK|Ok|Okay|DONE|Done|Right|Valid|ACCEPTED|Accepted|SAVED|Saved|STORED|Stored|PROCESSED"
    r"|Processed|\w*(?:Success|SUCCESS|Succeeded|SUCCEEDED|Completed|COMPLETED)\w*)\b"
)
"""The name of a type or a constant for a success."""
ERROR_NAME = re.compile(
    r"(?:err|error|errors|failure|failures|problem|cause|exception|failed(?:[A-Z]\w*)?)"
)
"""The name of a variable that holds the error that a call returned."""
SUCCESS_NAME = re.compile(r"(?:ok|okay|success|succeeded|saved|done|valid|accepted)")
"""The name of a variable that is true if a call succeeded."""
PROPERTY = (
    r"(?:(?P<failure>(?:is|has)(?:Fail|Err|Reject|Invalid|Left|Bad|Unsuccess)\w*"
    r"|is[45]xx\w*|isCompletedExceptionally|failed|unsuccessful)"
    r"|(?P<success>(?:is|was|has)(?:Ok|OK|Success|Succeed|Valid|Accepted|Done|Right|Saved|Stored|Acknowledged|Inserted"
    r"|Applied|Written|Delivered|Sent|Processed)\w*|is2xx\w*|ok|success|succeeded|successful))"
)
"""A property or method of a result: which group matches says what it is true for."""
