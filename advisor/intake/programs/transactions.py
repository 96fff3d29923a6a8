"""Transactions of programs: whether the offsets are in them, what an abort leaves behind, and
commits that come whatever became of the work.

After an abort the consumer does not go back by itself, so that the next transaction commits behind
the input of the aborted one (Kafka design.md, Using Transactions; KafkaProducer javadoc,
`abortTransaction`, `sendOffsetsToTransaction`; the same of confluent-kafka).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.programs.jvm.text import Text
from advisor.intake.programs.python import words
from advisor.intake.reading import Reading
from advisor.intake.text import line_of

_OFFSETS = re.compile(r"\.\s*sendOffsetsToTransaction\s*\(")
_OUTSIDE_CALL = re.compile(r"\.\s*commit(?:Sync|Async)\s*\(")
_ABORT = re.compile(r"\.\s*abortTransaction\s*\(")
_COMMIT = re.compile(r"\.\s*commitTransaction\s*\(")
_OF_ITSELF = re.compile(
    r"\bOffsetAndMetadata\s*\((?:[^(),;]|\([^()]*\))*\.\s*offset\s*(?:\(\s*\))?\s*[,)]"
)
_FINALLY = re.compile(r"\bfinally\s*\{")
_LEAVES = re.compile(r"\b(?:throw|break|exit|halt|close|stop|shutdown|return)\b")
_BACK = re.compile(r"(?i)\b\w*(?:seek|rewind|reset|unsubscribe|replay|goBack|restore)\w*\s*\(")
_BACK_NAME = re.compile(r"(?i)seek|rewind|reset|unsubscribe|replay|go_?back|restore|incremental_un")

_CONTINUES = (
    "after this abort the consumer goes on behind the input of the transaction: seek() back to the "
    "committed offsets, or end (application.abort=continues)"
)
_ALWAYS = (
    "a transaction is committed here whatever became of its work, half of it, too. Commit it as "
    "the last statement of the block, and abort it in the handler"
)
_OUTSIDE = (
    "offsets are committed here beside those of the transaction, so that they stay when it is "
    "aborted. Leave this out, or the offsets of the transaction"
)
_NO_GROUP = (
    "these offsets come without the group's metadata, so that a member that is gone is not shut "
    "out: hand groupMetadata() of the consumer on"
)

_ITSELF = (
    "the offset of a record itself is committed here, so that this record is read again at each "
    "start: the offset behind it is offset() + 1"
)


@dataclass(slots=True)
class _Found:
    """Lines of a program; 0 for what is not there."""

    offsets: int = 0
    with_group: bool = False
    """Whether the offsets come with the group's metadata, which shuts out members that are gone."""

    of_itself: int = 0
    outside: int = 0
    continues: int = 0
    always: int = 0


def in_java(reading: Reading, text: Text) -> None:
    """States what a program of Java's client does with its transactions."""
    plain = text.plain

    found = _Found()
    if offsets := _OFFSETS.search(plain):
        found.offsets = line_of(plain, offsets.start())
        given = plain[offsets.end() : text.closed(offsets.end())]
        found.with_group = "groupMetadata" in given or "groupMetadata()" in plain
    if outside := _OUTSIDE_CALL.search(plain):
        found.outside = line_of(plain, outside.start())
    for itself in _OF_ITSELF.finditer(plain):
        if not re.search(r"\bseek\s*\([^;]*$", text.line_to(itself.start())):
            found.of_itself = found.of_itself or line_of(plain, itself.start())
    for match in _FINALLY.finditer(plain):
        if commit := _COMMIT.search(plain, *text.block_of(match.end() - 1)):
            found.always = found.always or line_of(plain, commit.start())
    polls = re.search(r"\.\s*poll\s*\(", plain)
    for abort in _ABORT.finditer(plain) if polls and not _BACK.search(plain) else ():
        block = text.block(abort.start())
        if not _LEAVES.search(plain, max(0, block[0]), block[1]):
            found.continues = found.continues or line_of(plain, abort.start())
    _say(reading, found)


def in_python(reading: Reading, tree: ast.Module) -> None:
    """The same of a program of confluent-kafka."""
    found = _Found()
    calls = [*words.calls(tree)]
    consumers = words.consumers(tree)
    for call in calls:
        if words.verb(call) == "send_offsets_to_transaction":
            found.offsets = found.offsets or call.lineno
            found.with_group = "consumer_group_metadata" in map(words.verb, calls)
            found.of_itself = found.of_itself or _of_itself(tree, call)
        if words.verb(call) == "commit" and words.receiver(call) in consumers:
            found.outside = found.outside or call.lineno
    goes_back = any(_BACK_NAME.search(words.verb(call)) for call in calls)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Try):
            continue
        ends = [call for part in node.finalbody for call in words.calls(part)]
        commits = [call.lineno for call in ends if words.verb(call) == "commit_transaction"]
        found.always = found.always or min(commits, default=0)
        for handler in node.handlers:
            inside = [call for part in handler.body for call in words.calls(part)]
            aborts = [call.lineno for call in inside if words.verb(call) == "abort_transaction"]
            leaves = any(
                isinstance(inner, ast.Raise | ast.Return | ast.Break) for inner in ast.walk(handler)
            ) or any(words.verb(call) in ("exit", "_exit", "close") for call in inside)
            if aborts and consumers and not leaves and not goes_back:
                found.continues = found.continues or aborts[0]
    _say(reading, found)


def _of_itself(tree: ast.Module, call: ast.Call) -> int:
    """The line where one of the offsets of a transaction is that of a message itself."""
    names = {
        inner.id for part in call.args for inner in ast.walk(part) if isinstance(inner, ast.Name)
    }
    filled = [
        node.value for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id in names for target in node.targets
        )
    ]  # fmt: skip
    for made in (made for value in (*call.args, *filled) for made in words.calls(value)):
        offsets = [*made.args[2:3], *(word.value for word in made.keywords if word.arg == "offset")]
        if words.verb(made) == "TopicPartition" and any(
            words.verb(call) == "offset" for call in offsets
        ):
            return made.lineno
    return 0


def _say(reading: Reading, found: _Found) -> None:
    named = any(
        (item.component, item.name) == (Component.PRODUCER, "transactional.id")
        for item in reading.items
    )
    if found.always:
        reading.wrong(Component.APPLICATION, "commit", found.always, _ALWAYS)
    if not (found.offsets and named):
        return
    if found.outside:
        reading.wrong(Component.APPLICATION, "commit", found.outside, _OUTSIDE)
    if found.of_itself:
        reading.wrong(Component.APPLICATION, "commit", found.of_itself, _ITSELF)
    if not found.with_group:
        reading.wrong(Component.APPLICATION, "commit", found.offsets, _NO_GROUP)
    if any(item.name == "commit" for item in reading.items):
        return  # offsets are committed before that
    reading.state(Component.APPLICATION, "commit", "in-transaction", found.offsets)
    reading.note(found.offsets, "offsets go in the transaction (application.commit=in-transaction)")
    if found.continues:
        reading.state(Component.APPLICATION, "abort", "continues", found.continues)
        reading.note(found.continues, _CONTINUES)
