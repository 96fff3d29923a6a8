"""What a JVM program does with its transactions (`programs.transactions`)."""

from __future__ import annotations

import re

from advisor.intake.programs.jvm.text import Text
from advisor.intake.programs.transactions import Transactions
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


def transactions(text: Text) -> Transactions:
    """Those of a program of Java's client."""
    plain, found = text.plain, Transactions()
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
    return found
