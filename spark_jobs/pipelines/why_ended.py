"""The reason why Spark ended a query, in one line."""

from __future__ import annotations

import re

_JAVA = re.compile(r"(?:: |Caused by: )(?:[\w$]+\.)+([A-Z]\w*(?:Exception|Error): .*)")
"""A line of a stack trace with the class and message of an error; Py4J's first one is `: …`."""


def why_ended(problem: object) -> str:
    """The first Java error in the text of a query's exception, without its package.

    An error in foreachBatch arrives as "An exception was raised by the Python Proxy", followed by
    the stack traces of Python and of the JVM; its first line does not name the cause.
    """
    lines = str(problem).strip().splitlines() or [""]
    errors = (match for line in lines if (match := _JAVA.match(line)))
    message = next((match[1] for match in errors if not match[1].startswith("Py4J")), lines[0])
    return message.strip().rstrip(";")
