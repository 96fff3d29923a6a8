"""What code around a Spark query does that its options do not say: a checkpoint that is another one
at each start, and a function of `foreachBatch` or `foreach` that passes over its errors.

A batch whose function returns is done, and its offsets are committed (ForeachBatchSink.scala,
MicroBatchExecution.scala): only an error that leaves it has the batch tried again.
"""

from __future__ import annotations

import ast
import re

from advisor.catalog import Component
from advisor.intake import python_words as words
from advisor.intake.reading import Reading

_ANEW = re.compile(
    r"\buuid\d?\s*\(|\bUUID\s*\(|\brandomUUID\b|\btime\.time|\btime_ns\b|\bnow\s*\(|\btoday\s*\("
    r"|\bcurrentTimeMillis\b|\brandint\b|\btoken_hex\b|\bmkdtemp\b|\bTemporaryDirectory\b"
    r"|\bcreateTempDirectory\b|\bstrftime\b"
)
_REACH = 300
_FUNCTIONS = ("foreachBatch", "foreach")
_PASSED = (
    "an error of a batch is passed over here: the query takes the batch as done, and what failed "
    "is lost. Raise it again, so that the query fails and begins with this batch"
)


def checkpoint(reading: Reading, code: str, at: int, named: str, line: int) -> None:
    """States that a checkpoint whose name is worked out is another one at each start. `at` is where
    its option stands, `named` the variable that holds it."""
    stated = code[at : at + _REACH].split("\n", 1)[0].split(").", 1)[0]
    if named:
        set_by = re.findall(rf"\b{re.escape(named)}\s*=(?!=)\s*([^\n]{{1,{_REACH}}})", code)
        stated = " ".join(set_by)
    if _ANEW.search(stated):
        reading.state(Component.APPLICATION, "checkpoint", "local", line)
        reason = "checkpointLocation is another one at each start, so that the query begins anew"
        reading.note(line, f"{reason} (application.checkpoint)")


def functions(reading: Reading, code: str) -> None:
    """Refuses Python functions that are given batches or rows, and pass over any error."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    calls = [call for call in words.calls(tree) if words.verb(call) in _FUNCTIONS]
    given = {value.id for call in calls for value in call.args if isinstance(value, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in given:
            for line in _passed_over(node):
                reading.wrong(Component.APPLICATION, node.name, line, _PASSED)
                return


def _passed_over(function: ast.FunctionDef) -> list[int]:
    """The handlers of any error that go on; those in a loop may try again."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
    inside = {id(inner) for loop in loops for inner in ast.walk(loop)}
    tries = (node for node in ast.walk(function) if isinstance(node, ast.Try))
    return [
        handler.lineno
        for node in tries if id(node) not in inside
        for handler in node.handlers
        if words.catches_all(handler)
        and words.goes_on(handler.body, lambda call: False, in_function=True)
    ]  # fmt: skip
