"""Commits of Kafka's Java consumer that come before the records they cover are processed.

`commitSync()` and `commitAsync()` without arguments commit the position after all the records that
the last `poll()` returned; with arguments, they commit those offsets (KafkaConsumer javadoc). A
record is delivered once the producer is flushed or its future is read (KafkaProducer javadoc,
`send`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from advisor.intake.programs.jvm.concurrency import WAITS, without_value_holders
from advisor.intake.programs.jvm.errors import sends as jvm_sends
from advisor.intake.programs.jvm.processing import continuation_commits
from advisor.intake.programs.jvm.processing.commits_in_chains import is_after_last_record
from advisor.intake.programs.jvm.records.buffers import (
    BUFFER_NAME,
    COLLECTION,
    OFFSETS,
    VALUE_LIST,
    filled_collections,
)
from advisor.intake.programs.jvm.records.derived_names import Derived, log_arguments
from advisor.intake.programs.jvm.records.observations import observation_spans
from advisor.intake.programs.jvm.surroundings import NEXT_OFFSET
from advisor.intake.programs.jvm.text import AS_FUNCTION, CALLEE, Block, Text, blanked

_ANY_COMMIT = r"\b{}\s*\.\s*commit(?:Sync|Async)\s*\("
_COMMIT_FUNCTION = re.compile(r"(?<=[(,{>\s])\w+\s*(?:\.|::)\s*commit(?:Sync|Async)\b")
_CALL_BEFORE_BRACES = re.compile(r"(\w+)\s*\([^(){}]*\)\s*$")
COMMIT_ALL = _ANY_COMMIT + r"\s*(?:\)|Duration|\(|new\s+OffsetCommitCallback|\{{)"
_USE = r"\b{}\b(?!\s*\.\s*(?:count|isEmpty|size|clear|partitions)\b)"
_FOR_HEADER = r"\bfor\s*\([^:;()]{{0,120}}?\b\w+\s*(?::|\bin\b|<-)\s*{}\b"
_FOR_EACH_HEADER = (
    r"\b(?:{})(?:\s*\.\s*(?:stream|asSequence|iterator)\(\)|\s*\.\s*asScala)?"
    r"\s*\.\s*for[Ee]ach\s*[({{]\s*\(?\w+\)?\s*(?:->|=>)"
)
_MOST, _MOST_BODIES, _MOST_BLOCKS = 100, 4, 6
_NEXT_POSITION = re.compile(
    rf"{NEXT_OFFSET.pattern}|\.\s*position\s*\(|\bOffsetAndMetadata\s*\(\s*\w+\s*\+\s*1\b"
)
_OTHER_TRANSACTION_ENDS = [
    re.compile(rf"(?<=[\w)])\s*\.\s*{verb}\s*\(\s*\)") for verb in ("commit", "executeBatch")
]
"""The end of a transaction in another system."""
_COMMIT_NAME = re.compile(r"\b(?:commit(?:Sync|Async)|OffsetAndMetadata|TopicPartition)\b")
_CONTINUING_HEAD = re.compile(r"\b(?:try|finally|if\s*\([^{}]*\))\s*$")
"""The head of a block after which the program continues."""
_NO_RECORDS = (
    r"(?<!!)\b(?:{0})\s*\.\s*(?:\w+\(\)\s*\.\s*)?isEmpty\b|==\s*null\b|\belse\b"
    r"|\b(?:count|size|length|n|\w*[cC]ount|\w*[sS]ize)\s*(?:\(\s*\))?\s*==\s*0\b"
)
_LEAVES = re.compile(r"\b(?:throw|exit|exitProcess|return|break|seek\w*|close)\b")
_JUMP = re.compile(r"\b(?:continue|break|return|throw)\b")
_OTHER_BRANCH = re.compile(r"\s*(?:catch\s*(?:\([^(){}]*\)\s*)?|else\b[^{};]*)\{")
_OFFSETS_SENT = re.compile(r"\bsendOffsetsToTransaction\s*\(")
_CATCH = re.compile(r"\bcatch\s*(?:\([^(){}]*\)\s*)?\{")
_COMMIT_TRANSACTION = re.compile(r"\bcommitTransaction\s*\(")
_OFFSET_VARIABLE = re.compile(
    r"\b\w+\s*=(?!=)[^;={}]{1,200}\.\s*offset\s*(?:\(\s*\))?\s*(?:\+\s*1\s*)?(?=[;\n])"
)
"""An assignment of the offset of a record to a variable, which does not process the record."""
_REVOCATIONS = ("onPartitionsRevoked", "onPartitionsLost")
_SEND_CALL = re.compile(r"\bsend\s*\(")
_SEND_WAIT = re.compile(rf"\bflush\s*\(|{WAITS.pattern}")


def any_use(names: Iterable[str]) -> re.Pattern[str]:
    """Returns a pattern for a use of any of these names; without names it matches nothing."""
    return re.compile("|".join(_USE.format(name) for name in sorted(names)) or r"(?!)")


def _callback_parameters(text: Text) -> Iterator[str]:
    """Parameters of methods to which a function that commits is passed: `handle(rs,
    c::commitSync)`."""
    for match in islice(_COMMIT_FUNCTION.finditer(text.plain), _MOST):
        depth, number = 0, 0
        for at in range(match.start() - 1, max(0, match.start() - 400), -1):
            depth += (text.plain[at] in ")]}") - (text.plain[at] in "([{")
            number += depth == 0 and text.plain[at] == ","
            if depth >= 0:
                continue
            before = text.plain[max(0, at - 200) : at]
            callee = (CALLEE if text.plain[at] == "(" else _CALL_BEFORE_BRACES).search(before)
            positions = slice(-1, None) if text.plain[at] == "{" else slice(number, number + 1)
            for body in text.bodies(callee[1])[:_MOST_BODIES] if callee else ():
                yield from text.parameters(body)[positions]
            if callee or text.plain[at] != "{":
                break
            depth = 0


@dataclass(frozen=True, slots=True)
class CommitMethods:
    """The methods of a file that commit: `callback_parameters` are the names of parameters that
    hold a function that commits, and `record_commit_call` is a pattern for a call of a method that
    commits the offset after one record."""

    callback_parameters: Sequence[str]
    record_commit_call: str

    @classmethod
    def of(cls, text: Text) -> CommitMethods:
        """Returns the methods of a file that commit."""
        names = [name for name in text.methods_with(re.compile(_ANY_COMMIT.format(r"\w+")))
                 if any(_only_commits(text, body) for body in text.bodies(name))]  # fmt: skip
        call = rf"(?<![.\w])(?:{'|'.join(names) or '(?!)'})\s*(?:\.\s*{AS_FUNCTION}\s*)?\("
        return cls([*_callback_parameters(text)], call)


def _only_commits(text: Text, body: Block) -> bool:
    """Whether a method commits the offset after its argument and does nothing else."""
    inside = text.plain[body[0] + 1 : body[1]]
    other_code = (part for part in re.split(r"[;{}\n]", inside) if not _COMMIT_NAME.search(part))
    return bool(_NEXT_POSITION.search(inside)) and not any("(" in part for part in other_code)


@dataclass(frozen=True)
class Records:
    """The records of one `poll()`: the block of the call, their names, and the loops over them."""

    text: Text
    consumer: str
    names: frozenset[str]
    poll_end: int
    block: Block
    loop_bodies: Sequence[Block]
    producers: frozenset[str]
    commit_methods: CommitMethods
    derived: Sequence[Derived] = ()
    """Names that the code derives from the records."""

    def early_commits(self) -> Iterator[int]:
        """The offsets of commits that cover records which are not processed yet."""
        yield from self._early_commits_of_all()
        yield from self._early_commits_of_offsets()
        yield from self._commits_before_delivery()
        yield from self._commits_before_buffer_is_processed()
        yield from self._early_transactions()
        yield from continuation_commits.scheduled_commits(self.text, self.consumer)

    @cached_property
    def commits_of_all(self) -> re.Pattern[str]:
        """A pattern for a commit of all polled records, also by a call of a method of the file."""
        any_commit_of_all = re.compile(COMMIT_ALL.format(r"\w+"))
        names = [
            *self.text.methods_with(any_commit_of_all),
            *self.commit_methods.callback_parameters,
        ]
        calls = rf"(?:{'|'.join(names)})\s*(?:\.\s*{AS_FUNCTION}\s*)?\("
        method_calls = rf"|(?<![.\w])(?:this\s*\.\s*)?{calls}" if names else ""
        return re.compile(COMMIT_ALL.format(self.consumer) + method_calls)

    def _early_commits_of_all(self) -> Iterator[int]:
        """Commits of all polled records that come before the records are processed."""
        plain, commits = self.text.plain, self.commits_of_all
        for body in self.loop_bodies:
            inside = commits.search(plain, *body)
            if inside and not is_after_last_record(self.text, inside.start(), body):
                yield inside.start()
        for commit in islice(commits.finditer(plain, self.poll_end, self.block[1]), _MOST):
            block = self.text.block(commit.start())
            opening = plain.index("(", commit.start()) + 1
            arguments = plain[opening : self.text.closed(opening)]
            if any(ends.search(plain, commit.end(), block[1])
                   and not ends.search(plain, self.poll_end, commit.start())
                   for ends in _OTHER_TRANSACTION_ENDS):  # fmt: skip
                yield commit.start()
            in_loop = any(start < commit.start() < end for start, end in self.loop_bodies)
            if in_loop or self._mentions(arguments):
                continue
            spans = self._spans_after(*commit.span())
            if any(
                self._is_before_processing(self.poll_end, commit.start(), span) for span in spans
            ):
                yield commit.start()

    @cached_property
    def _no_records_check(self) -> re.Pattern[str]:
        """A pattern for a condition that holds when no record was polled."""
        names = {*self.names, *self._extracted_names, *(derived.name for derived in self.derived)}
        return re.compile(_NO_RECORDS.format("|".join(sorted(names)) or "(?!)"))

    def _spans_after(self, commit: int, at: int) -> Iterator[Block]:
        """The code after a commit: in its block, and after that block if the block is a `try`, or
        an `if` that does not check whether there are records."""
        yield at, self.text.block(commit)[1]
        for start, end, head in reversed(self.text.around(commit)[-_MOST_BLOCKS:]):
            continues = self.block[0] < start and _CONTINUING_HEAD.search(head)
            if (
                not continues
                or self._no_records_check.search(head)
                or _JUMP.search(self.text.plain, at, end)
            ):
                return
            at = end + 1
            while other := _OTHER_BRANCH.match(self.text.plain, at):
                at = self.text.block_of(other.end() - 1)[1] + 1
            yield at, self.text.block(at)[1]

    def _early_commits_of_offsets(self) -> Iterator[int]:
        """Commits of the offset after a record that come before the record is processed."""
        for start, end in self._commits_of_offsets():
            begin = self._processing_start(start)
            if any(
                self._is_before_processing(begin, start, span)
                for span in self._spans_after(start, end)
            ):
                yield start

    def _processing_start(self, commit: int) -> int:
        """The start of the code that processes the record whose offset is committed."""
        around = reversed(self.text.around(commit))
        return max(
            self.poll_end,
            next((head[0] for head in around if not _CONTINUING_HEAD.search(head[2])), 0),
        )

    def _is_before_processing(self, begin: int, commit: int, span: Block) -> bool:
        """Whether the code after a commit processes records that the code from `begin` up to the
        commit at most logs, queries or observes."""
        code, uses = self._processing
        pairs = ((code, code), (self._code_without_observations, self._code_without_logs))
        return any(
            not uses.search(code_before, begin, commit) and uses.search(code_after, *span)
            for code_before, code_after in pairs
        )

    def commits_offset_in(self, block: Block) -> bool:
        """Whether a block commits the offset after a record."""
        return any(block[0] < start < block[1] for start, _ in self._commits_of_offsets())

    def commits_offsets_around(self, block: Block) -> bool:
        """Whether a block commits the offset after a record, or the code after it commits some
        offsets and polls again without a seek."""
        after, plain = (block[1], self.block[1]), self.text.plain
        commit = re.compile(_ANY_COMMIT.format(self.consumer)).search(plain, *after)
        continues = commit is not None and not _LEAVES.search(plain, *after)
        return self.commits_offset_in(block) or continues

    def unconditional_commit(self, block: Block) -> int:
        """The place where a block commits all polled records, or the offset after a record whether
        it was processed or not; -1 if there is none. An offset in another variable does not count:
        it may be that of a processed record."""
        plain = self.text.plain
        if commit_all := self.commits_of_all.search(plain, *block):
            return commit_all.start()
        commits = re.compile(
            rf"(?P<method>{self.commit_methods.record_commit_call})|" + _ANY_COMMIT.format(r"\w+")
        )
        for commit in islice(commits.finditer(plain, *block), _MOST_BODIES):
            arguments = plain[commit.end() : self.text.closed(commit.end())]
            is_conditional = re.search(r"\bif\b[^;{}]*$", plain[block[0] : commit.start()])
            is_next_offset = NEXT_OFFSET.search(arguments) or (
                commit["method"] and self._mentions(arguments)
            )
            if is_next_offset and not is_conditional and self.text.block(commit.start()) == block:
                return commit.start()
        return -1

    def _commits_of_offsets(self) -> Iterator[Block]:
        """Commits of the offset after a record, also by a method that does nothing else."""
        plain = self.text.plain
        commits = re.compile(_ANY_COMMIT.format(self.consumer))
        for commit in islice(commits.finditer(plain, self.poll_end, self.block[1]), _MOST):
            arguments = plain[commit.end() : self.text.closed(commit.end()) - 1]
            insertion = rf"\b{re.escape(arguments.split(',')[0].strip())}\s*[.\[][^;]*"
            insertions = re.findall(insertion, plain[self.poll_end : commit.start()])
            if any(_NEXT_POSITION.search(argument) for argument in [arguments, *insertions]):
                yield commit.start(), commit.end()
        for match in re.compile(self.commit_methods.record_commit_call).finditer(
            plain, self.poll_end, self.block[1]
        ):
            end = self.text.closed(match.end())
            if self._mentions(plain[match.end() : end]):
                yield match.start(), end

    def _early_transactions(self) -> Iterator[int]:
        """Commits of transactions with offsets that come before the records are processed."""
        plain, uses = self.text.plain, self._processing[1]
        handlers = (self.text.block_of(match.end() - 1) for match in _CATCH.finditer(plain))
        code = blanked(self._code_without_logs, handlers)
        for match in _COMMIT_TRANSACTION.finditer(plain, self.poll_end, self.block[1]):
            sends_offsets = _OFFSETS_SENT.search(plain, self.poll_end, match.start())
            if sends_offsets and uses.search(code, match.end(), self.block[1]):
                yield match.start()

    @cached_property
    def _send_wait(self) -> re.Pattern[str]:
        return without_value_holders(_SEND_WAIT, self.text.plain)

    def _commits_before_delivery(self) -> Iterator[int]:
        """Commits that cover records which a producer may not have delivered yet."""
        plain = self.text.plain
        if re.search(r"\b(?:commitTransaction|sendOffsetsToTransaction)\b", plain):
            return
        commits = [match.span() for match in self.commits_of_all.finditer(plain, *self._span)]
        commits += self._commits_of_offsets()
        for end in [
            *self._sends(self._span, self.names | self._extracted_names),
            *self._sends_in_methods(),
        ]:
            commit = min((start for start, _ in commits if start >= end), default=0)
            if commit and not self._send_wait.search(plain, end, commit):
                yield commit

    def _sends(self, span: Block, names: Collection[str]) -> Iterator[int]:
        """The end of each call in a span that sends a record of these names."""
        for _, opening in jvm_sends.sends(self.text, self.producers, *span)[:_MOST]:
            end = self.text.closed(opening)
            if not {*names}.isdisjoint(re.findall(r"\w+", self.text.plain[opening:end])):
                yield end

    def _sends_in_methods(self) -> Iterator[int]:
        """The end of each call of a method that sends its arguments without a wait."""
        plain = self.text.plain
        reached = self.text.reached(self._span)[1:]
        sending = (body for body in reached if _SEND_CALL.search(plain, *body))
        for body in islice(sending, _MOST_BODIES):
            sends = [*self._sends(body, self.text.parameters(body))]
            if not sends or self._send_wait.search(plain, max(sends), body[1]):
                continue
            names = "|".join(self.text.named(body)) or "(?!)"
            for call in re.compile(rf"\b(?:{names})\s*\(").finditer(plain, *self._span):
                yield self.text.closed(call.end())

    def _commits_before_buffer_is_processed(self) -> Iterator[int]:
        """Commits that cover buffered records, which are processed only under a condition."""
        plain, block = self.text.plain, self.block
        names = "|".join(sorted(self.names | self._extracted_names))
        buffers = {name for name, _ in filled_collections(self.text, names, self._span)}
        for name in sorted(buffers):
            declared = re.compile(COLLECTION.format(name)).search(plain)
            if declared and block[0] < declared.start() < block[1]:
                continue  # created anew for each poll
            methods = "|".join(self.text.methods_with(re.compile(rf"\b{name}\b"))) or "(?!)"
            uses = re.compile(
                rf"[(,]\s*{name}\s*[,)]|\b{name}\s*\.\s*(?:for[Ee]ach|stream|toString)\b"
                rf"|(?<![.\w])(?:{methods})\s*\("
            )
            commit = self.commits_of_all.search(plain, self.poll_end, block[1])
            if commit is None or self.text.block(commit.start()) != block:
                continue
            places = [*uses.finditer(plain, self.poll_end, commit.start())]
            if places and all(self._is_conditional(use.start()) for use in places):
                yield commit.start()
        yield from self._commits_at_rebalance(buffers) if buffers else ()

    def _commits_at_rebalance(self, buffers: Collection[str]) -> Iterator[int]:
        """Commits of all polled records when partitions are revoked, while a buffer that lives
        across polls may hold some of them (ConsumerRebalanceListener javadoc)."""
        plain, kept = self.text.plain, set[str]()
        for name in sorted(buffers):
            declared = re.compile(COLLECTION.format(name)).search(plain)
            if declared and not self.block[0] < declared.start() < self.block[1]:
                kept |= {name, *self.text.methods_with(re.compile(rf"\b{name}\b"))}
        for body in (body for verb in _REVOCATIONS for body in self.text.bodies(verb)):
            commit = self.commits_of_all.search(plain, *body)
            if commit and kept and kept.isdisjoint(re.findall(r"\w+", plain[slice(*body)])):
                yield commit.start()

    def _is_conditional(self, at: int) -> bool:
        """Whether a place is in a block or a statement under an `if`."""
        before = self.text.plain[max(self.poll_end, at - 200) : at]
        enclosing_head = self.text.around(at)[-1][2]
        return any(re.search(r"\bif\s*\([^{};]*\)\s*$", head) for head in (enclosing_head, before))

    def _mentions(self, code: str) -> bool:
        return not self.names.isdisjoint(re.findall(r"\w+", code))

    @cached_property
    def _extracted_names(self) -> set[str]:
        """The names of values that are only extracted from a record."""
        return {derived.name for derived in self.derived if derived.is_extracted}

    @cached_property
    def _processing(self) -> tuple[str, re.Pattern[str]]:
        """The program without code that commits or buffers, and a pattern for a use of a record."""
        plain, names = self.text.plain, "|".join(sorted(self.names | self._extracted_names))
        commits = re.compile(_ANY_COMMIT.format(self.consumer))
        offsets = OFFSETS.finditer(plain, *self._span)
        ends = ((match.start(), self.text.statement(match.start())[1]) for match in offsets)
        spans = [(self._statement_start(start), end) for start, end in ends]
        spans += [
            (match.end(), self.text.closed(match.end()) - 1)
            for match in commits.finditer(plain, *self._span)
        ]
        for name in self.names:
            loop_header = re.compile(_FOR_HEADER.format(name))
            spans += [match.span() for match in loop_header.finditer(plain, *self._span)]
        for_each_header = re.compile(_FOR_EACH_HEADER.format("|".join(sorted(self.names))))
        spans += [match.span() for match in for_each_header.finditer(plain, *self._span)]
        spans += [match.span() for match in _OFFSET_VARIABLE.finditer(plain, *self._span)]
        value_lists = re.compile(VALUE_LIST.format(names)).finditer(plain, *self._span)
        is_buffer = dict[str, bool]()
        for match in value_lists:
            is_buffer[match[1]] = True
            spans.append(match.span())
        for name, span in filled_collections(self.text, names, self._span):
            if name not in is_buffer:
                declared = [*re.finditer(COLLECTION.format(name), plain)]
                is_buffer[name] = bool(declared or BUFFER_NAME.search(name))
                spans += [declaration.span() for declaration in declared]
            spans += [span] if is_buffer[name] else []
        spans += [derived.span for derived in self.derived if derived.is_extracted]
        code = blanked(plain, spans)
        buffers = {name for name, buffered in is_buffer.items() if buffered}
        known_names = self.names | buffers | self._extracted_names
        return code, any_use(known_names)

    @cached_property
    def _code_without_logs(self) -> str:
        """That program without the logging of records."""
        return blanked(self._processing[0], log_arguments(self.text, self._span))

    @cached_property
    def _code_without_observations(self) -> str:
        """That program without code that only observes or queries records."""
        known_names = self.names | self._extracted_names
        return blanked(
            self._code_without_logs, observation_spans(self.text, known_names, self._span)
        )

    def _statement_start(self, at: int) -> int:
        """The start of the statement around a place."""
        begin = max(self.poll_end, at - 400)
        return 1 + max(begin - 1, *(self.text.plain.rfind(char, begin, at) for char in ";{}"))

    @property
    def _span(self) -> Block:
        return self.poll_end, self.block[1]
