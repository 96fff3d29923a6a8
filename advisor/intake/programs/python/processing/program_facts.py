"""What a Python program does with its messages, from all that its code shows."""

from __future__ import annotations

import ast

from advisor.intake.programs.python.processing import partial_polls
from advisor.intake.programs.python.processing.ignored_sends import ignored_sends
from advisor.intake.programs.python.processing.poll_loop import Walk
from advisor.intake.programs.python.processing.unused_messages import UnusedMessages
from advisor.intake.text import IntakeError


def processing_facts(tree: ast.Module) -> dict[str, int]:
    """Returns what the program does with its messages, each with the first line that shows it. The
    keys are the constants of `programs.facts`. Raises `IntakeError` if the code is nested too
    deeply."""
    try:
        unused = UnusedMessages.of(tree)
        walk = Walk(tree, unused.lists)
        walk.follow_all(tree)
        for fact, line in partial_polls.partial_poll_facts(tree):
            walk.facts.setdefault(fact, line)
        walk.facts = unused.facts | ignored_sends(tree) | walk.facts
    except RecursionError:
        raise IntakeError("The file: it is nested too deeply.") from None
    return walk.facts
