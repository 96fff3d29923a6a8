"""Calls of a Python program that do not process their message: they read its position in the log,
check whether it is valid, or report it to a trace, a metric or a log context.

A commit that only follows such calls comes before the message is processed.
"""

from __future__ import annotations

import ast
import re

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.records.branch import Branch

_POSITION_METHODS = frozenset(
    {"offset", "topic", "partition", "timestamp", "leader_epoch", "latency"}
)
_OBSERVING_METHODS = frozenset({
    "set_attribute", "set_attributes", "set_tag", "set_tags", "set_extra", "set_description",
    "set_postfix", "bind_contextvars", "bound_contextvars", "add_custom_attribute",
    "add_custom_attributes", "add_breadcrumb", "start_as_current_span", "start_span",
    "start_active_span", "timing", "record_metric", "log_event", "log_message",
})  # fmt: skip
_OBSERVER = re.compile(
    r"(?i)_?(?:\w*(?:span|tracer|propagat\w*|sentry\w*|structlog|baggage|metrics?|gauge|histogram"
    r"|counter|timer|lag|statsd|logger|pbar|tqdm|scope)|log|bar|progress)"
)
_OBSERVING_CALL = re.compile(
    r"set|add|record\w*|extract|inject|bind|update|observe|time|gauge|put_\w+|set_\w+|add_\w+"
    r"|start_\w+|use_span"
)
_CHECKING_CALL = re.compile(
    r"(?!\w*_and_)(?:is|has|should|can|check|verify|valid|assert|ensure|require)_\w+|is[a-z]+|exists|matches"
    r"|match|startswith|endswith|validate|check|verify"
)


def processes_message(call: ast.Call, branch: Branch) -> bool:
    """Whether a call with a message as an argument processes it. A call that only observes the
    message counts as processing only after a commit: it is then all that shows that the message was
    in use."""
    if syntax.is_log(call) or syntax.only_parses(call):
        return False
    if branch.commit:
        return True
    is_check = _CHECKING_CALL.fullmatch(syntax.method_name(call))
    return not (is_check or only_observes(call)) and _uses_content(call, branch.names)


def only_observes(call: ast.Call) -> bool:
    """Whether a call only reports its arguments to a trace, a metric or a log context."""
    method, object_ = syntax.method_name(call), syntax.last_name_of_receiver(call).partition("(")[0]
    observes = _OBSERVING_CALL.fullmatch(method) and _OBSERVER.fullmatch(object_)
    return method in _OBSERVING_METHODS or bool(observes)


def _uses_content(node: ast.AST, names: set[str]) -> bool:
    """Whether an expression uses more of the messages with these names than their position in the
    log."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr), args=[]) if attr in _POSITION_METHODS:
            return False
        case ast.Name() | ast.Attribute(value=ast.Name("self" | "cls")):
            return ast.unparse(node) in names
        case _:
            return any(_uses_content(inner, names) for inner in ast.iter_child_nodes(node))
