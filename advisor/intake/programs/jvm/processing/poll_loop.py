"""What JVM code does with the records that it polls, as far as its text shows it.

Only what is certain is returned, as in `programs.python.processing.poll_loop`. `commitSync()` and
`commitAsync()` without offsets commit behind all that the last `poll()` returned, and so does
`close()` with automatic commits (KafkaConsumer javadoc).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from advisor.intake.programs.facts import ASYNCHRONOUS, BEFORE, PARALLEL, SKIP
from advisor.intake.programs.jvm import concurrency
from advisor.intake.programs.jvm.errors import (
    bulk_writes,
    chain_errors,
    executors,
    filtering_chains,
    outcomes,
)
from advisor.intake.programs.jvm.errors import handlers as jvm_handlers
from advisor.intake.programs.jvm.errors import results as jvm_results
from advisor.intake.programs.jvm.errors import sends as jvm_sends
from advisor.intake.programs.jvm.processing import (
    commits_in_chains,
    first_parts,
    publishers,
    skipped_by_count,
    unfinished,
)
from advisor.intake.programs.jvm.processing import threads as jvm_threads
from advisor.intake.programs.jvm.processing.cleanup import cleanup_facts
from advisor.intake.programs.jvm.processing.commits import ALL, Methods, Records, any_of
from advisor.intake.programs.jvm.processing.unchecked_handovers import unchecked_handovers
from advisor.intake.programs.jvm.records import (
    derived_names,
    handovers,
    kotlin_flows,
    partial_polls,
    poll_chains,
    polled,
    record_loops,
    repetition,
)
from advisor.intake.programs.jvm.records import objects as jvm_objects
from advisor.intake.programs.jvm.records.buffers import PUT_BY
from advisor.intake.programs.jvm.records.polls import (
    Call,
    consumer_names,
    methods_given_records,
    polls,
)
from advisor.intake.programs.jvm.text import Block, Text
from advisor.intake.programs.jvm.trees import loop_tree
from advisor.intake.text import IntakeError, line_of

_MOST, _MOST_POLLS, _MOST_HANDED, _DEEPEST = 100, 12, 8, 2
_TOO_FAR = re.compile(r"\.\s*offset\s*\(\s*\)\s*\+\s*(?!1\b)\d")


def processing_facts(text: Text, *, single: bool = False) -> dict[str, int]:
    """What the program does with records, and where it says so; `single` says that a poll returns
    one of them at most (max.poll.records=1). Raises `IntakeError` for more polls than a consumer
    has: each is followed through the whole text, and one that is not followed is not known."""
    places: dict[str, int] = {}
    chains = {name: [*poll_chains.chains(text, name)] for name in sorted(consumer_names(text))}
    every = [*islice(polls(text, chains), _MOST_POLLS + 1)]
    if len(every) > _MOST_POLLS:
        line = line_of(text.plain, every[-1].start)
        words = f"more than {_MOST_POLLS} polls. Give the part of one consumer"
        raise IntakeError(f"Line {line}: {words}.")
    program = _Program(
        text,
        [*jvm_handlers.swallowing_handlers(text)],
        [*jvm_handlers.swallowing_handlers(text, in_function=True)],
        [*jvm_handlers.swallowing_handlers(text, leaves=True)],
        [
            *jvm_handlers.swallowing_handlers(
                text, in_function=True, others=jvm_handlers.BOOLEAN.fullmatch
            )
        ],
        frozenset(jvm_sends.producer_names(text.plain)),
        Methods.of(text),
        single,
    )
    for consumer, own in chains.items():
        commits = re.compile(ALL.format(consumer))
        for at in poll_chains.too_early(text, own, commits):
            places.setdefault(BEFORE, at)
        for at in kotlin_flows.buffered(text, consumer):
            places.setdefault(ASYNCHRONOUS, at)
    for poll in every:
        for what, at in _Poll(program, poll).facts():
            places.setdefault(what, at)
    return places if single else loop_tree.poll_loop_facts(text, every) | places


@dataclass(frozen=True, slots=True)
class _Program:
    """A text, its handlers that only write of an error (those that go on, those that go on or
    return, those that leave the loop, and those that return true or false), its producers, and its
    methods that commit."""

    text: Text
    go_on: list[jvm_handlers.Handler]
    go_on_or_return: list[jvm_handlers.Handler]
    leave: list[jvm_handlers.Handler]
    falsely: list[jvm_handlers.Handler]
    producers: frozenset[str]
    committing: Methods
    single: bool


class _Poll:
    """One `poll()`, and the block that it stands in."""

    def __init__(self, program: _Program, poll: Call, depth: int = _DEEPEST) -> None:
        self._program, self._call, text = program, poll, program.text
        self._depth = depth
        self._text, self._at, self._consumer = text, poll.start, poll.consumer
        self._block = text.block(poll.start)
        self._behind = poll.end
        named = polled.record_names(text, poll, (self._behind, self._block[1]))
        self._whole = named.whole
        self._records = Records(
            text,
            poll.consumer,
            frozenset(named.all),
            self._behind,
            self._block,
            named.loops,
            program.producers,
            program.committing,
            named.made,
        )
        self._commits = self._records.commits_of_all
        self._used = named.all | {made.name for made in named.made}
        self._uses = any_of(self._used)
        self._hands = [*self._handed_on()]

    @cached_property
    def _flows(self) -> set[str]:
        """Names of records, and what they are handed on to: asked of attempts alone."""
        return handovers.receiving_names(self._text, self._used, (self._behind, self._block[1]))

    @cached_property
    def _of_flows(self) -> re.Pattern[str]:
        return any_of(self._flows)

    def _is_of_records(self, attempt: tuple[int, int]) -> bool:
        text, begin = self._text, max(attempt[0], self._behind)
        uses = self._of_flows.search(text.plain, begin, attempt[1])
        return bool(uses) or handovers.has_receiver(text, self._flows, begin)

    def facts(self) -> Iterator[tuple[str, int]]:
        """What the code does with its records, and where."""
        plain, end = self._text.plain, self._block[1]
        yield from ((BEFORE, at) for own in (self._too_early(), self._unfinished()) for at in own)
        if handed := self._handed(end):
            yield ASYNCHRONOUS, handed
            begin = handed if self._behind < handed < end else self._behind
            if later := self._commits.search(plain, begin, end):
                yield BEFORE, later.start()
        span, each = (self._behind, end), self._records.one_by_one
        for body, uses in self._bodies:
            yield from publishers.never_run(self._text, body, uses)
        together = jvm_threads.parallel_processing(self._text, span, self._uses, self._hands, each)
        yield from ((PARALLEL, at) for at in together)
        yield from ((BEFORE, at) for at in self._before_waiting(end))
        others = executors.ignored_errors(self._text, span, self._program.go_on)
        chains = chain_errors.ignored_errors(self._text, span)
        unasked = unchecked_handovers(self._text, span, self._uses, self._hands)
        places = (self._passed_over(), others, chains, unasked, self._left(end))
        yield from ((SKIP, at) for own in places for at in own)
        if too_far := _TOO_FAR.search(plain, self._behind, end):
            yield SKIP, too_far.start()  # the offset behind the next record, too
        yield from cleanup_facts(self._records, self._uses, self._at)

    def _too_early(self) -> Iterator[int]:
        """Where a commit comes before what it is behind is processed, also in methods that are
        handed it."""
        yield from self._records.too_early()
        span = self._behind, self._block[1]
        yield from commits_in_chains.too_early(self._text, self._used, self._commits, span)
        yield from first_parts.too_early(self._text, self._whole, self._commits, span)
        for inner in self._inner:
            yield from inner._too_early()

    @cached_property
    def _waits(self) -> concurrency.WaitPatterns:
        return concurrency.wait_patterns(self._text.plain)

    @cached_property
    def _inner(self) -> list[_Poll]:
        """The methods of the file that are handed records, as polls of these."""
        calls = methods_given_records(self._text, self._records.names, self._whole, self._call)
        most = _MOST_HANDED if self._depth else 0
        return [_Poll(self._program, call, self._depth - 1) for call in islice(calls, most)]

    def _before_waiting(self, end: int) -> Iterator[int]:
        """Where all is committed before others, who have a record, are waited for."""
        plain = self._text.plain
        waits = [match[0] for match in self._waits.any.finditer(plain, self._behind, end)]
        pauses = all(wait.startswith("pause") for wait in waits)
        for at in (at for at in self._hands if waits and self._behind < at < end):
            wait = self._waits.any.search(plain, at, end)
            closed = self._text.closed(plain.index("(", at) + 1)
            early = self._commits.search(plain, closed, wait.start() if wait else end)
            early = (
                None if early and concurrency.is_behind(self._text, at, early.start()) else early
            )
            waits_later = wait or (
                early and concurrency.is_in_scope(self._text, self._block[0], at, early.start())
            )
            if early and (waits_later or (pauses and self._is_next(closed, early.start()))):
                yield early.start()

    def _is_next(self, begin: int, end: int) -> bool:
        """Whether nothing is called between two places of one block but the consumer."""
        own = rf"\b{self._consumer}\s*\.\s*\w+\s*\("
        other = re.search(r"\w\s*[({]", re.sub(own, "", self._text.plain[begin:end]))
        return other is None and self._text.block(begin) == self._text.block(end)

    def _left(self, end: int) -> Iterator[int]:
        """Where a record is left out, or a result that says what became of it."""
        span, loops = (self._behind, end), self._records.one_by_one
        if self._whole and not self._program.single:
            yield from partial_polls.partial_reads(self._text, self._whole, span)
            yield from partial_polls.partial_reads_of_lists(self._text, self._records.names, span)
            yield from partial_polls.left_before_commit(
                self._text, loops, self._commits, self._block
            )
            yield from skipped_by_count.skipped_by_count(self._text, self._uses, loops)
        yield from jvm_results.commits_regardless(self._text, self._commits, span)
        for body, uses in self._bodies:
            yield from bulk_writes.unchecked_writes(self._text, body)
            yield from jvm_handlers.skipped_unparsable(self._text, body)
            yield from jvm_results.unread_results(
                self._text, uses, body, loops, in_function=body != span
            )
            yield from outcomes.ignored_failures(self._text, uses, body, loops)
            yield from jvm_results.replaced_errors(self._text, body)
            if body != span:
                yield from chain_errors.ignored_errors(self._text, body, uses)

    @cached_property
    def _bodies(self) -> list[tuple[Block, re.Pattern[str]]]:
        """The block behind the poll and the methods that it calls, with uses of a record in it."""
        span = self._behind, self._block[1]
        others = self._text.reached(span)[1:]
        return [(span, self._uses), *((other, any_of(self._taken(other))) for other in others)]

    def _unfinished(self) -> Iterator[int]:
        """Where something is begun for a record, and not done before the next poll."""
        bodies = [body for body, _ in self._bodies]
        for body, uses in self._bodies:
            yield from unfinished.unflushed_buffers(self._text, body, uses, bodies)

    def _handed(self, end: int) -> int:
        """Where others are given a record, and nothing in the block waits; 0 if nowhere."""
        plain = self._text.plain
        if outside := concurrency.unawaited_launches(self._text, self._hands, (self._behind, end)):
            return outside
        if self._waits.any.search(plain, self._behind, end) or self._commits_then(end):
            return 0
        if self._hands:
            return self._hands[0]
        for match in islice(concurrency.SUBSCRIBES.finditer(plain, self._behind, end), _MOST):
            begin = self._text.chain(match.end() - 1)
            if begin > self._behind and self._uses.search(plain, begin, match.end()):
                return begin
        puts = [*islice(concurrency.PUT.finditer(plain, self._behind, end), _MOST)]
        queues = {name for name in {match[1] for match in puts}
                  if jvm_threads.is_queue(self._text, name)}  # fmt: skip
        for match in puts:
            closed = self._text.closed(match.end())
            is_queue = match[1] in queues or self._is_kept(match[1])
            taken_here = re.search(rf"\b{match[1]}\b", plain[closed:end])
            if is_queue and not taken_here and self._uses.search(plain, match.end(), closed):
                return match.start()
        inner = (poll._handed(poll._block[1]) for poll in self._inner)
        return next(filter(None, inner), 0)

    def _commits_then(self, end: int) -> bool:
        """Whether what is done behind a future commits."""
        plain, close = self._text.plain, self._text.closed
        then = islice(concurrency.THEN.finditer(plain, self._behind, end), _MOST)
        return any(self._commits.search(plain, match.end(), close(match.end())) for match in then)

    def _handed_on(self) -> Iterator[int]:
        """Where others are given a record, in the block or in a method that is given one."""
        plain = self._text.plain
        aside = rf"\b(?:{'|'.join(self._text.marked('@Async')) or '(?!)'})\s*\("
        hands = re.compile(f"{(own := concurrency.handover_calls(plain)).pattern}|{aside}")
        for match in islice(hands.finditer(plain, self._behind, self._block[1]), _MOST):
            closed, begin = self._text.closed(match.end()), match.end()
            if match[0].startswith(".") and match[0].endswith("("):
                begin = max(self._behind, self._text.chain(match.end() - 1))
            is_aside = not unfinished.is_buffered(self._text, match.end() - 1)
            if is_aside and self._uses.search(plain, begin, closed):
                yield match.start()
        reached = self._text.reached((self._behind, self._block[1]))[1:]
        for body in islice(reached, None if self._depth == _DEEPEST else _MOST):
            if own.search(plain, *body) is None:
                continue
            taken = self._taken(body)
            for match in islice(own.finditer(plain, *body), _MOST) if taken else ():
                given = plain[match.end() : self._text.closed(match.end())]
                waits = self._waits.any.search(plain, *body)
                if not waits and not taken.isdisjoint(re.findall(r"\w+", given)):
                    yield match.start()

    def _taken(self, body: tuple[int, int]) -> set[str]:
        """The parameters of a method, and what its loops take out of them."""
        span = self._behind, self._block[1]
        made = jvm_objects.fields_holding_records(self._text, body, self._used, span)
        names = {*self._text.parameters(body), *made}
        names |= {
            *filter(None, (name for name, _ in record_loops.record_loops(self._text, names, body)))
        }
        return names | {
            derived.name for derived in derived_names.derived_from(self._text, names, body)
        }

    def _is_kept(self, name: str) -> bool:
        """Whether records are put by here that nothing of the loop takes."""
        blocks = self._text.reached(self._block)
        mentions = sum(len(re.findall(rf"\b{name}\b", self._text.plain[max(0, start) : end]))
                       for start, end in blocks)  # fmt: skip
        return bool(PUT_BY.search(name)) and mentions == 1

    def _passed_over(self) -> Iterator[int]:
        """Handlers of any error that write of it and go on with the next record."""
        for handler in self._program.go_on:
            start, end = handler.attempt
            unread = start < self._at < end and jvm_handlers.seeks_past_record(self._text, handler)
            if unread or self._goes_on(handler.attempt):
                yield handler.at
        for handler in self._program.go_on_or_return:
            if self._is_of_each(handler.attempt):
                yield handler.at
        for handler in self._program.leave:
            for start, end in self._records.one_by_one:
                commits = self._commits.search(self._text.plain, end, self._block[1])
                if start < handler.at < end and (commits or self._records.commits_in((start, end))):
                    yield handler.at  # the next poll is behind all that was polled
        calls = repetition.call_sites(self._text, self._behind)
        for handler in self._program.go_on:
            start, end = handler.attempt
            if any(start < call < end for call in calls) and repetition.is_in_loop(
                self._text, start
            ):
                yield handler.at
        called = (
            self._text.reached(self._block)[1:]
            if repetition.is_in_loop(self._text, self._behind)
            else []
        )
        for handler in [*self._program.falsely, *self._program.go_on_or_return]:
            bodies = [body for body in called if self._in_method(body, handler.attempt)]
            if handler not in self._program.go_on_or_return:
                bodies = [body for body in bodies if self._is_unread(body)]
            if not all(
                jvm_results.is_result_checked(self._text, it, handler.attempt) for it in bodies
            ):
                yield handler.at

    def _is_of_each(self, attempt: tuple[int, int]) -> bool:
        """Whether an attempt is in a function of Java that is given each record in turn, which ends
        by `return`."""
        heads = [head for head in self._text.around(attempt[0]) if head[2].rstrip().endswith("->")]
        bodies = (body for body in self._records.one_by_one for head in heads[-1:]
                  if body[0] < head[0] < body[1])  # fmt: skip
        return any(True for _ in bodies) and self._goes_on(attempt)

    def _is_unread(self, body: tuple[int, int]) -> bool:
        """Whether nothing takes what a method returns."""
        name = next((function for function in self._text.named(body)), "")
        own = rf"(?<=[;{{}}\n])\s*(?:this\.)?{name}\s*\([^;{{}}]*\)\s*[;\n]"
        span = self._behind - 1, self._block[1]
        is_alone = re.compile(own).search(self._text.plain, *span)
        return bool(name) and (
            bool(is_alone) or filtering_chains.is_only_filter(self._text, name, span)
        )

    def _in_method(self, body: tuple[int, int], attempt: tuple[int, int]) -> bool:
        """Whether an attempt in a method that the loop calls is made once, and of a record."""
        within = body[0] < attempt[0] < body[1]
        tried = re.findall(r"\w+", self._text.plain[slice(*attempt)]) if within else []
        about = within and not self._taken(body).isdisjoint(tried)
        return about and not jvm_handlers.is_retried(self._text, attempt, body)

    def _goes_on(self, attempt: tuple[int, int]) -> bool:
        """Whether the next record is processed behind this attempt, whatever became of this one."""
        if not self._is_of_records(attempt):
            return False
        around = self._text.around(attempt[0])
        if attempt == self._block:
            return bool(around) and repetition.is_in_loop(self._text, attempt[0])
        within = self._block[0] < attempt[0] < self._block[1]
        return within and not jvm_handlers.is_retried(self._text, attempt, self._block)
