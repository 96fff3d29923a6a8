"""Why Spark ended a query, in one line."""

from __future__ import annotations

import re

_JAVA = re.compile(r"(?:: |Caused by: )(?:[\w$]+\.)+([A-Z]\w*(?:Exception|Error): .*)")
"""A line of a trace with the class of an error and its message; Py4J writes the first as `: …`."""


def why_ended(problem: object) -> str:
    """The first error of Java's in the text of a query's exception, without its package.

    What foreachBatch raised arrives as "An exception was raised by the Python Proxy", with the
    traces of Python and of the JVM behind it; its first line says nothing of the cause.
    """
    lines = str(problem).strip().splitlines() or [""]
    errors = (match for line in lines if (match := _JAVA.match(line)))
    named = next((match[1] for match in errors if not match[1].startswith("Py4J")), lines[0])
    return named.strip().rstrip(";")
