"""Commits of Kafka's Java consumer that come before the records they cover are processed.

`commitSync()` and `commitAsync()` without offsets commit behind all that the last `poll()`
returned; with offsets, behind those (KafkaConsumer javadoc). What a producer was given is done when
it was flushed, or its future read (KafkaProducer javadoc, `send`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from advisor.intake.programs.jvm.concurrency import WAITS, without_value_holders
from advisor.intake.programs.jvm.errors import sends as jvm_sends
from advisor.intake.programs.jvm.processing.commits_in_chains import is_of_last
from advisor.intake.programs.jvm.records.buffers import (
    COLLECTION,
    OF_VALUES,
    OFFSETS,
    PUT_BY,
    filled_collections,
)
from advisor.intake.programs.jvm.records.derived_names import Derived, log_arguments
from advisor.intake.programs.jvm.records.observations import observation_spans
from advisor.intake.programs.jvm.text import AS_FUNCTION, CALLEE, Block, Text, blanked

_ANY = r"\b{}\s*\.\s*commit(?:Sync|Async)\s*\("
_IN_FUNCTION = re.compile(r"(?<=[(,{>]|\s)\s*\w+\s*(?:\.|::)\s*commit(?:Sync|Async)\b")
_BEFORE_BRACES = re.compile(r"(\w+)\s*\([^(){}]*\)\s*$")
ALL = _ANY + r"\s*(?:\)|Duration|\(|new\s+OffsetCommitCallback|\{{)"
_USE = r"\b{}\b(?!\s*\.\s*(?:count|isEmpty|size|clear)\b)"
_HEADER = r"\bfor\s*\([^:;()]{{0,120}}?\b\w+\s*(?::|\bin\b|<-)\s*{}\b"
_EACH_HEAD = (
    r"\b(?:{})(?:\s*\.\s*(?:stream|asSequence|iterator)\(\)|\s*\.\s*asScala)?"
    r"\s*\.\s*for[Ee]ach\s*[({{]\s*\(?\w+\)?\s*(?:->|=>)"
)
_MOST, _MOST_OF_NAME, _MOST_AROUND = 100, 4, 6
_OF_RECORD = re.compile(r"\.\s*offset\s*(?:\(\s*\))?\s*\+\s*1")
_NEXT = re.compile(
    rf"{_OF_RECORD.pattern}|\.\s*position\s*\(|\bOffsetAndMetadata\s*\(\s*\w+\s*\+\s*1\b"
)
_ENDS_OTHER = [
    re.compile(rf"(?<=[\w)])\s*\.\s*{verb}\s*\(\s*\)") for verb in ("commit", "executeBatch")
]
"""The end of a transaction of another system."""
_OF_COMMITS = re.compile(r"\b(?:commit(?:Sync|Async)|OffsetAndMetadata|TopicPartition)\b")
_GOES_ON = re.compile(r"\b(?:try|finally|if\s*\([^{}]*\))\s*$")
"""What stands before braces behind which a program goes on."""
_NONE = (
    r"(?<!!)\b(?:{0})\s*\.\s*(?:\w+\(\)\s*\.\s*)?isEmpty\b|==\s*null\b|\belse\b"
    r"|\b(?:count|size|length|n|\w*[cC]ount|\w*[sS]ize)\s*(?:\(\s*\))?\s*==\s*0\b"
)
_JUMPS = re.compile(r"\b(?:continue|break|return|throw)\b")
_OTHER = re.compile(r"\s*(?:catch\s*(?:\([^(){}]*\)\s*)?|else\b[^{};]*)\{")
_OFFSETS_SENT = re.compile(r"\bsendOffsetsToTransaction\s*\(")
_CAUGHT = re.compile(r"\bcatch\s*(?:\([^(){}]*\)\s*)?\{")
_COMMIT = re.compile(r"\bcommitTransaction\s*\(")
_LAST = re.compile(
    r"\b\w+\s*=(?!=)[^;={}]{1,200}\.\s*offset\s*(?:\(\s*\))?\s*(?:\+\s*1\s*)?(?=[;\n])"
)
"""A name for the offset of a record, which does not use the record."""
_SENDS = re.compile(r"\bsend\s*\(")
_WAITED = re.compile(rf"\bflush\s*\(|{WAITS.pattern}")


def any_of(names: Iterable[str]) -> re.Pattern[str]:
    """A use of any of these names; it matches nothing without names."""
    return re.compile("|".join(_USE.format(name) for name in sorted(names)) or r"(?!)")


def _handed(text: Text) -> Iterator[str]:
    """The parameters of methods that are handed a function which commits: `handle(rs,
    c::commitSync)`."""
    for match in islice(_IN_FUNCTION.finditer(text.plain), _MOST):
        depth, number = 0, 0
        for at in range(match.start() - 1, max(0, match.start() - 400), -1):
            depth += (text.plain[at] in ")]}") - (text.plain[at] in "([{")
            number += depth == 0 and text.plain[at] == ","
            if depth >= 0:
                continue
            before = text.plain[max(0, at - 200) : at]
            callee = (CALLEE if text.plain[at] == "(" else _BEFORE_BRACES).search(before)
            last = slice(-1, None) if text.plain[at] == "{" else slice(number, number + 1)
            for body in text.bodies(callee[1])[:_MOST_OF_NAME] if callee else ():
                yield from text.parameters(body)[last]
            if callee or text.plain[at] != "{":
                break
            depth = 0


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods of a file that commit: the parameters of those that are `handed` a function which
    does, and a call of those that commit what is behind `of_one` record, as a pattern."""

    handed: Sequence[str]
    of_one: str

    @classmethod
    def of(cls, text: Text) -> Methods:
        """Those of a file."""
        names = [name for name in text.methods_with(re.compile(_ANY.format(r"\w+")))
                 if any(_only_commits(text, body) for body in text.bodies(name))]  # fmt: skip
        call = rf"(?<![.\w])(?:{'|'.join(names) or '(?!)'})\s*(?:\.\s*{AS_FUNCTION}\s*)?\("
        return cls([*_handed(text)], call)


def _only_commits(text: Text, body: Block) -> bool:
    """Whether a method commits the offset behind what it is given, and does nothing else."""
    inside = text.plain[body[0] + 1 : body[1]]
    others = (part for part in re.split(r"[;{}\n]", inside) if not _OF_COMMITS.search(part))
    return bool(_NEXT.search(inside)) and not any("(" in other for other in others)


@dataclass(frozen=True)
class Records:
    """What one `poll()` returned: where it stands, its names, and the loops that take it apart."""

    text: Text
    consumer: str
    names: frozenset[str]
    behind: int
    block: Block
    one_by_one: Sequence[Block]
    producers: frozenset[str]
    methods: Methods
    made: Sequence[Derived] = ()
    """What the code makes of them."""

    def too_early(self) -> Iterator[int]:
        """Where a commit is behind what is not processed yet."""
        yield from self._of_all()
        yield from self._of_offsets()
        yield from self._of_sends()
        yield from self._of_buffers()
        yield from self._of_transactions()

    @cached_property
    def commits_of_all(self) -> re.Pattern[str]:
        """A commit of all that was polled, be it in a method of the file."""
        bare = re.compile(ALL.format(r"\w+"))
        methods = [*self.text.methods_with(bare), *self.methods.handed]
        own = rf"(?:{'|'.join(methods)})\s*(?:\.\s*{AS_FUNCTION}\s*)?\("
        called = rf"|(?<![.\w])(?:this\s*\.\s*)?{own}" if methods else ""
        return re.compile(ALL.format(self.consumer) + called)

    def _of_all(self) -> Iterator[int]:
        plain, commits = self.text.plain, self.commits_of_all
        for body in self.one_by_one:
            inside = commits.search(plain, *body)
            if inside and not is_of_last(self.text, inside.start(), body):
                yield inside.start()
        for commit in islice(commits.finditer(plain, self.behind, self.block[1]), _MOST):
            inner = self.text.block(commit.start())
            opened = plain.index("(", commit.start()) + 1
            given = plain[opened : self.text.closed(opened)]
            if any(ends.search(plain, commit.end(), inner[1])
                   and not ends.search(plain, self.behind, commit.start())
                   for ends in _ENDS_OTHER):  # fmt: skip
                yield commit.start()
            apart = any(start < commit.start() < end for start, end in self.one_by_one)
            if apart or self._mentions(given):
                continue
            spans = self._after(*commit.span())
            if any(self._is_ahead(self.behind, commit.start(), span) for span in spans):
                yield commit.start()

    @cached_property
    def _asks_for_none(self) -> re.Pattern[str]:
        """A question whether nothing was polled, or whatever else."""
        names = {*self.names, *self._apart, *(made.name for made in self.made)}
        return re.compile(_NONE.format("|".join(sorted(names)) or "(?!)"))

    def _after(self, commit: int, at: int) -> Iterator[Block]:
        """What is done behind a commit: in its block, and behind that where it only tries, or asks
        something else than whether there are records."""
        yield at, self.text.block(commit)[1]
        for start, end, head in reversed(self.text.around(commit)[-_MOST_AROUND:]):
            inside = self.block[0] < start and _GOES_ON.search(head)
            if (
                not inside
                or self._asks_for_none.search(head)
                or _JUMPS.search(self.text.plain, at, end)
            ):
                return
            at = end + 1
            while other := _OTHER.match(self.text.plain, at):
                at = self.text.block_of(other.end() - 1)[1] + 1
            yield at, self.text.block(at)[1]

    def _of_offsets(self) -> Iterator[int]:
        """Commits of the offset behind a record, before it is used."""
        for start, end in self._commits_of_offsets():
            begin = self._begin(start)
            if any(self._is_ahead(begin, start, span) for span in self._after(start, end)):
                yield start

    def _begin(self, commit: int) -> int:
        """Where what is done for a record begins whose offset is committed."""
        around = reversed(self.text.around(commit))
        return max(self.behind, next((it[0] for it in around if not _GOES_ON.search(it[2])), 0))

    def _is_ahead(self, begin: int, commit: int, behind: Block) -> bool:
        """Whether records are processed behind a commit, and from where their block begins up to
        it at most written of, asked for something or observed."""
        processed, uses = self._processing
        pairs = ((processed, processed), (self._observed, self._effects))
        return any(
            not uses.search(before, begin, commit) and uses.search(after, *behind)
            for before, after in pairs
        )

    def commits_in(self, block: Block) -> bool:
        """Whether a block commits what is behind a record."""
        return any(block[0] < start < block[1] for start, _ in self._commits_of_offsets())

    def commit_in(self, block: Block) -> int:
        """Where a block commits all that was polled, or what is behind a record whatever became
        of it; -1 if nowhere. Offsets of another name may be of what was processed."""
        plain = self.text.plain
        if of_all := self.commits_of_all.search(plain, *block):
            return of_all.start()
        commits = re.compile(rf"(?P<own>{self.methods.of_one})|" + _ANY.format(r"\w+"))
        for commit in islice(commits.finditer(plain, *block), _MOST_OF_NAME):
            given = plain[commit.end() : self.text.closed(commit.end())]
            is_asked = re.search(r"\bif\b[^;{}]*$", plain[block[0] : commit.start()])
            of_record = _OF_RECORD.search(given) or (commit["own"] and self._mentions(given))
            if of_record and not is_asked and self.text.block(commit.start()) == block:
                return commit.start()
        return -1

    def _commits_of_offsets(self) -> Iterator[Block]:
        """Commits of the offset behind a record, also by a method that does nothing else."""
        plain = self.text.plain
        commits = re.compile(_ANY.format(self.consumer))
        for commit in islice(commits.finditer(plain, self.behind, self.block[1]), _MOST):
            given = plain[commit.end() : self.text.closed(commit.end()) - 1]
            put = rf"\b{re.escape(given.split(',')[0].strip())}\s*[.\[][^;]*"
            filled = re.findall(put, plain[self.behind : commit.start()])
            if any(_NEXT.search(argument) for argument in [given, *filled]):
                yield commit.start(), commit.end()
        for match in re.compile(self.methods.of_one).finditer(plain, self.behind, self.block[1]):
            end = self.text.closed(match.end())
            if self._mentions(plain[match.end() : end]):
                yield match.start(), end

    def _of_transactions(self) -> Iterator[int]:
        """Transactions with the offsets that are committed before the records are processed."""
        plain, uses = self.text.plain, self._processing[1]
        caught = (self.text.block_of(match.end() - 1) for match in _CAUGHT.finditer(plain))
        masked = blanked(self._effects, caught)
        for match in _COMMIT.finditer(plain, self.behind, self.block[1]):
            in_it = _OFFSETS_SENT.search(plain, self.behind, match.start())
            if in_it and uses.search(masked, match.end(), self.block[1]):
                yield match.start()

    @cached_property
    def _waited(self) -> re.Pattern[str]:
        return without_value_holders(_WAITED, self.text.plain)

    def _of_sends(self) -> Iterator[int]:
        """Commits behind records that were handed to a producer, which has not sent them yet."""
        plain = self.text.plain
        if re.search(r"\b(?:commitTransaction|sendOffsetsToTransaction)\b", plain):
            return
        commits = [match.span() for match in self.commits_of_all.finditer(plain, *self._reach)]
        commits += self._commits_of_offsets()
        for end in [*self._sent(self._reach, self.names | self._apart), *self._sent_by_methods()]:
            next_one = min((start for start, _ in commits if start >= end), default=0)
            if next_one and not self._waited.search(plain, end, next_one):
                yield next_one

    def _sent(self, span: Block, names: Collection[str]) -> Iterator[int]:
        """Behind each send of a record of these names, between two places."""
        for _, opened in jvm_sends.sends(self.text, self.producers, *span)[:_MOST]:
            end = self.text.closed(opened)
            if not {*names}.isdisjoint(re.findall(r"\w+", self.text.plain[opened:end])):
                yield end

    def _sent_by_methods(self) -> Iterator[int]:
        """Behind each call of a method that sends what it is given, and does not wait for it."""
        plain = self.text.plain
        reached = self.text.reached(self._reach)[1:]
        sending = (body for body in reached if _SENDS.search(plain, *body))
        for body in islice(sending, _MOST_OF_NAME):
            sent = [*self._sent(body, self.text.parameters(body))]
            if not sent or self._waited.search(plain, max(sent), body[1]):
                continue
            called = "|".join(self.text.named(body)) or "(?!)"
            for call in re.compile(rf"\b(?:{called})\s*\(").finditer(plain, *self._reach):
                yield self.text.closed(call.end())

    def _of_buffers(self) -> Iterator[int]:
        """Commits behind records that are put by, and processed only now and then."""
        plain, block = self.text.plain, self.block
        names = "|".join(sorted(self.names | self._apart))
        kept = {name for name, _ in filled_collections(self.text, names, self._reach)}
        for name in sorted(kept):
            declared = re.compile(COLLECTION.format(name)).search(plain)
            if declared and block[0] < declared.start() < block[1]:
                continue  # of this round alone
            own = "|".join(self.text.methods_with(re.compile(rf"\b{name}\b"))) or "(?!)"
            uses = re.compile(
                rf"[(,]\s*{name}\s*[,)]|\b{name}\s*\.\s*(?:for[Ee]ach|stream|toString)\b"
                rf"|(?<![.\w])(?:{own})\s*\("
            )
            commit = self.commits_of_all.search(plain, self.behind, block[1])
            if commit is None or self.text.block(commit.start()) != block:
                continue
            found = [*uses.finditer(plain, self.behind, commit.start())]
            if found and all(self._is_under_condition(use.start()) for use in found):
                yield commit.start()

    def _is_under_condition(self, at: int) -> bool:
        """Whether a place is in a block, or a statement, behind an `if`."""
        before = self.text.plain[max(self.behind, at - 200) : at]
        around = self.text.around(at)[-1][2]
        return any(re.search(r"\bif\s*\([^{};]*\)\s*$", head) for head in (around, before))

    def _mentions(self, code: str) -> bool:
        return not self.names.isdisjoint(re.findall(r"\w+", code))

    @cached_property
    def _apart(self) -> set[str]:
        """The names of what is only taken out of a record."""
        return {made.name for made in self.made if made.is_apart}

    @cached_property
    def _processing(self) -> tuple[str, re.Pattern[str]]:
        """The program without what commits or puts by, and what a use of a record looks like."""
        plain, names = self.text.plain, "|".join(sorted(self.names | self._apart))
        commits = re.compile(_ANY.format(self.consumer))
        offsets = OFFSETS.finditer(plain, *self._reach)
        spans = [(self._statement(match.start()), match.end()) for match in offsets]
        spans += [
            (match.end(), self.text.closed(match.end()) - 1)
            for match in commits.finditer(plain, *self._reach)
        ]
        for name in self.names:
            header = re.compile(_HEADER.format(name))
            spans += [match.span() for match in header.finditer(plain, *self._reach)]
        heads = re.compile(_EACH_HEAD.format("|".join(sorted(self.names))))
        spans += [match.span() for match in heads.finditer(plain, *self._reach)]
        spans += [match.span() for match in _LAST.finditer(plain, *self._reach)]
        of_values = re.compile(OF_VALUES.format(names)).finditer(plain, *self._reach)
        kept = dict[str, bool]()
        for match in of_values:
            kept[match[1]] = True
            spans.append(match.span())
        for name, span in filled_collections(self.text, names, self._reach):
            if name not in kept:
                declared = [*re.finditer(COLLECTION.format(name), plain)]
                kept[name] = bool(declared or PUT_BY.search(name))
                spans += [declaration.span() for declaration in declared]
            spans += [span] if kept[name] else []
        spans += [made.span for made in self.made if made.is_apart]
        masked = blanked(plain, spans)
        collections = {name for name, is_kept in kept.items() if is_kept}
        known = self.names | collections | self._apart
        return masked, any_of(known)

    @cached_property
    def _effects(self) -> str:
        """The program without what only writes of records, too."""
        return blanked(self._processing[0], log_arguments(self.text, self._reach))

    @cached_property
    def _observed(self) -> str:
        """The program without what only observes records, or asks them for something, either."""
        known = self.names | self._apart
        return blanked(self._effects, observation_spans(self.text, known, self._reach))

    def _statement(self, at: int) -> int:
        """Where the statement begins that a place is in."""
        begin = max(self.behind, at - 400)
        return 1 + max(begin - 1, *(self.text.plain.rfind(char, begin, at) for char in ";{}"))

    @property
    def _reach(self) -> Block:
        return self.behind, self.block[1]
