"""Transactions of a JVM program (`programs.transactions`)."""

from __future__ import annotations

import re

from advisor.intake.programs.jvm.surroundings import CONSUMER_COMMIT, FINALLY
from advisor.intake.programs.jvm.text import Text
from advisor.intake.programs.transactions import Step, Transactions, separate_offsets
from advisor.intake.text import line_of

_SEND_OFFSETS = re.compile(r"\.\s*sendOffsetsToTransaction\s*\(")
_ABORT = re.compile(r"\.\s*abortTransaction\s*\(")
_COMMIT = re.compile(r"\.\s*commitTransaction\s*\(")
_SAME_OFFSET = re.compile(
    r"\bOffsetAndMetadata\s*\((?:[^(),;]|\((?:[^()]|\([^()]*\))*\))*\.\s*offset\s*(?:\(\s*\))?\s*[,)]"
)
_EXIT = re.compile(r"\b(?:throw|break|exit|halt|close|stop|shutdown|return)\b")
_REWIND = re.compile(r"(?i)\b\w*(?:seek|rewind|reset|unsubscribe|replay|goBack|restore)\w*\s*\(")
_STEPS = {
    "beginTransaction": Step.BEGIN, "send": Step.SEND,
    "sendOffsetsToTransaction": Step.OFFSETS, "commitTransaction": Step.COMMIT,
}  # fmt: skip
_STEP = re.compile(rf"\.\s*(?P<name>{'|'.join(_STEPS)})\s*\(")


def transactions(text: Text) -> Transactions:
    """Returns the facts about transactions in a program that uses the Java client."""
    plain, facts = text.plain, Transactions()
    if offsets := _SEND_OFFSETS.search(plain):
        facts.offsets = line_of(plain, offsets.start())
        arguments = plain[offsets.end() : text.closed(offsets.end())]
        facts.with_group = "groupMetadata" in arguments or "groupMetadata()" in plain
    if outside := CONSUMER_COMMIT.search(plain):
        facts.outside = line_of(plain, outside.start())
    for offset in _SAME_OFFSET.finditer(plain):
        if not re.search(r"\bseek\s*\([^;]*$", text.line_to(offset.start())):
            facts.of_itself = facts.of_itself or line_of(plain, offset.start())
    facts.separate = separate_offsets(
        [(_STEPS[match["name"]], line_of(plain, match.start())) for match in _STEP.finditer(plain)]
    )
    for match in FINALLY.finditer(plain):
        if commit := _COMMIT.search(plain, *text.block_of(match.end() - 1)):
            facts.always = facts.always or line_of(plain, commit.start())
    polls = re.search(r"\.\s*poll\s*\(", plain)
    for abort in _ABORT.finditer(plain) if polls and not _REWIND.search(plain) else ():
        block = text.block(abort.start())
        if not _EXIT.search(plain, max(0, block[0]), block[1]):
            facts.continues = facts.continues or line_of(plain, abort.start())
    return facts
