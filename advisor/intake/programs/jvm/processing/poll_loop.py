"""How JVM code processes the records that it polls, as far as its source shows it.

Only certain facts are returned, as in `programs.python.processing.poll_loop`. `commitSync()` and
`commitAsync()` without arguments commit the position after all the records that the last `poll()`
returned, and so does `close()` with automatic commits (KafkaConsumer javadoc).
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
    collected_errors,
    error_callbacks,
    executors,
    filtering_chains,
    outcome_chains,
    outcomes,
)
from advisor.intake.programs.jvm.errors import handlers as jvm_handlers
from advisor.intake.programs.jvm.errors import results as jvm_results
from advisor.intake.programs.jvm.errors import sends as jvm_sends
from advisor.intake.programs.jvm.processing import (
    commits_after_first,
    commits_in_chains,
    continuation_commits,
    incomplete_groups,
    publishers,
    skipped_by_count,
    unfinished,
)
from advisor.intake.programs.jvm.processing import threads as jvm_threads
from advisor.intake.programs.jvm.processing.cleanup import cleanup_facts
from advisor.intake.programs.jvm.processing.commits import (
    COMMIT_ALL,
    CommitMethods,
    Records,
    any_use,
)
from advisor.intake.programs.jvm.processing.unchecked_handovers import unchecked_handovers
from advisor.intake.programs.jvm.records import (
    chosen_records,
    derived_names,
    handovers,
    kotlin_flows,
    latest_by_key,
    partial_polls,
    poll_chains,
    polled,
    record_loops,
    repetition,
)
from advisor.intake.programs.jvm.records import objects as jvm_objects
from advisor.intake.programs.jvm.records.buffers import BUFFER_NAME
from advisor.intake.programs.jvm.records.polls import (
    Call,
    calls_with_records,
    consumer_names,
    polls,
)
from advisor.intake.programs.jvm.text import Block, Text
from advisor.intake.programs.jvm.trees import loop_tree
from advisor.intake.text import IntakeError, line_of

_MOST, _MOST_POLLS, _MOST_CALLEES, _DEEPEST = 100, 12, 8, 2
_OFFSET_SKIP = re.compile(r"\.\s*offset\s*\(\s*\)\s*\+\s*(?!1\b)\d")


def processing_facts(text: Text, *, single: bool = False) -> dict[str, int]:
    """Returns the facts about how the program processes records, each with its offset.

    `single` says that a poll returns at most one record (max.poll.records=1). Raises `IntakeError`
    for more polls than the reader follows: a poll that it does not follow may lose records.
    """
    places: dict[str, int] = {}
    chains = {name: [*poll_chains.chains(text, name)] for name in sorted(consumer_names(text))}
    poll_calls = [*islice(polls(text, chains), _MOST_POLLS + 1)]
    if len(poll_calls) > _MOST_POLLS:
        line = line_of(text.plain, poll_calls[-1].start)
        problem = f"there are more than {_MOST_POLLS} polls. Give the code of one consumer"
        raise IntakeError(f"Line {line}: {problem}.")
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
        CommitMethods.of(text),
        single,
    )
    for consumer, consumer_chains in chains.items():
        commits = re.compile(COMMIT_ALL.format(consumer))
        for at in poll_chains.early_commits(text, consumer_chains, commits):
            places.setdefault(BEFORE, at)
        for at in kotlin_flows.buffering_operators(text, consumer):
            places.setdefault(ASYNCHRONOUS, at)
    for poll in poll_calls:
        for fact, at in _Poll(program, poll).facts():
            places.setdefault(fact, at)
    return places if single else loop_tree.poll_loop_facts(text, poll_calls) | places


@dataclass(frozen=True, slots=True)
class _Program:
    """A program, and its handlers that only log the error: those after which it continues, those
    that may return too, those that leave the loop, and those that return true or false."""

    text: Text
    continuing: list[jvm_handlers.Handler]
    returning: list[jvm_handlers.Handler]
    exiting: list[jvm_handlers.Handler]
    boolean: list[jvm_handlers.Handler]
    producers: frozenset[str]
    commit_methods: CommitMethods
    single: bool


class _Poll:
    """One `poll()` and the block around it."""

    def __init__(self, program: _Program, poll: Call, depth: int = _DEEPEST) -> None:
        self._program, self._call, text = program, poll, program.text
        self._depth = depth
        self._text, self._poll_at, self._consumer = text, poll.start, poll.consumer
        self._block = text.block(poll.start)
        self._poll_end = poll.end
        names = polled.record_names(text, poll, (self._poll_end, self._block[1]))
        self._batch_names = names.whole
        self._records = Records(
            text,
            poll.consumer,
            frozenset(names.all),
            self._poll_end,
            self._block,
            names.loops,
            program.producers,
            program.commit_methods,
            names.made,
        )
        self._commits = self._records.commits_of_all
        self._record_names = names.all | {derived.name for derived in names.made}
        self._uses = any_use(self._record_names)
        self._handovers = [*self._record_handovers()]

    @cached_property
    def _receiving_names(self) -> set[str]:
        """The names of records, and names to which they are passed; for `try` blocks alone."""
        return handovers.receiving_names(
            self._text, self._record_names, (self._poll_end, self._block[1])
        )

    @cached_property
    def _receiving_uses(self) -> re.Pattern[str]:
        return any_use(self._receiving_names)

    def _uses_records(self, attempt: tuple[int, int]) -> bool:
        text, begin = self._text, max(attempt[0], self._poll_end)
        uses = self._receiving_uses.search(text.plain, begin, attempt[1])
        return bool(uses) or handovers.has_receiver(text, self._receiving_names, begin)

    def facts(self) -> Iterator[tuple[str, int]]:
        """The facts about how the code processes the records, each with its offset."""
        plain, end = self._text.plain, self._block[1]
        yield from (
            (BEFORE, at)
            for places in (self._early_commits(), self._unflushed_buffers())
            for at in places
        )
        if handover := self._unawaited_handover(end):
            yield ASYNCHRONOUS, handover
            begin = handover if self._poll_end < handover < end else self._poll_end
            if commit := self._commits.search(plain, begin, end):
                yield BEFORE, commit.start()
        span, loop_bodies = (self._poll_end, end), self._records.loop_bodies
        for body, uses in self._bodies:
            yield from publishers.never_run(self._text, body, uses)
        parallel = jvm_threads.parallel_processing(
            self._text, span, self._uses, self._handovers, loop_bodies
        )
        yield from ((PARALLEL, at) for at in parallel)
        yield from ((BEFORE, at) for at in self._commits_before_waiting(end))
        executor_errors = executors.ignored_errors(self._text, span, self._program.continuing)
        errors_in_chains = chain_errors.ignored_errors(self._text, span)
        unchecked = unchecked_handovers(self._text, span, self._uses, self._handovers)
        skips = self._swallowed_errors(), executor_errors, errors_in_chains, unchecked
        yield from ((SKIP, at) for places in (*skips, self._skipped_records(end)) for at in places)
        if skip := _OFFSET_SKIP.search(plain, self._poll_end, end):
            yield SKIP, skip.start()  # the offset after the next record or a later one
        yield from cleanup_facts(self._records, self._uses, self._poll_at)

    def _early_commits(self) -> Iterator[int]:
        """Commits that come before the records they cover are processed, also in methods to which
        the records are passed."""
        yield from self._records.early_commits()
        span = self._poll_end, self._block[1]
        yield from commits_in_chains.early_commits(
            self._text, self._record_names, self._commits, span
        )
        yield from commits_after_first.early_commits(
            self._text, self._batch_names, self._commits, span
        )
        for body in self._text.reached(span):
            yield from continuation_commits.unawaited_commits(
                self._text, self._consumer, self._commits, body
            )
        for callee in self._callee_polls:
            yield from callee._early_commits()

    @cached_property
    def _waits(self) -> concurrency.WaitPatterns:
        return concurrency.wait_patterns(self._text.plain)

    @cached_property
    def _callee_polls(self) -> list[_Poll]:
        """The methods of the file to which records are passed, each read as a poll of them."""
        calls = calls_with_records(self._text, self._records.names, self._batch_names, self._call)
        most = _MOST_CALLEES if self._depth else 0
        return [_Poll(self._program, call, self._depth - 1) for call in islice(calls, most)]

    def _commits_before_waiting(self, end: int) -> Iterator[int]:
        """Commits of all records that come before the wait for threads which process one."""
        plain = self._text.plain
        waits = [match[0] for match in self._waits.any.finditer(plain, self._poll_end, end)]
        pauses = all(wait.startswith("pause") for wait in waits)
        for at in (at for at in self._handovers if waits and self._poll_end < at < end):
            wait = self._waits.any.search(plain, at, end)
            closed = concurrency.handover_end(self._text, at)
            commit = self._commits.search(plain, closed, wait.start() if wait else end)
            if commit and continuation_commits.runs_after(self._text, at, commit.start()):
                continue
            waits_later = wait or (
                commit and concurrency.is_in_scope(self._text, self._block[0], at, commit.start())
            )
            if commit and (
                waits_later or (pauses and self._only_calls_consumer(closed, commit.start()))
            ):
                yield commit.start()

    def _only_calls_consumer(self, begin: int, end: int) -> bool:
        """Whether the code between two places of one block calls nothing but the consumer."""
        consumer_call = rf"\b{self._consumer}\s*\.\s*\w+\s*\("
        other_call = re.search(r"\w\s*[({]", re.sub(consumer_call, "", self._text.plain[begin:end]))
        return other_call is None and self._text.block(begin) == self._text.block(end)

    def _skipped_records(self, end: int) -> Iterator[int]:
        """Places where a record is skipped, or where nobody checks the result of its processing."""
        text, span, loop_bodies = self._text, (self._poll_end, end), self._records.loop_bodies
        if self._batch_names and not self._program.single:
            yield from partial_polls.partial_reads(text, self._batch_names, span)
            yield from partial_polls.partial_reads_of_lists(text, self._records.names, span)
            yield from chosen_records.chosen_records(text, self._batch_names, span)
            yield from incomplete_groups.incomplete_groups(text, span)
            yield from latest_by_key.latest_by_key(text, self._batch_names, span)
            yield from partial_polls.exits_before_commit(
                text, loop_bodies, self._commits, self._block
            )
            yield from skipped_by_count.skipped_by_count(text, self._uses, loop_bodies)
        yield from jvm_results.commits_regardless(text, self._commits, span)
        for body, uses in self._bodies:
            yield from bulk_writes.unchecked_writes(text, body)
            yield from jvm_handlers.skipped_unparsable(text, body)
            yield from jvm_results.unread_results(
                text, uses, body, loop_bodies, in_function=body != span
            )
            for read in (outcomes.ignored_failures, outcome_chains.ignored_outcomes):
                yield from read(text, uses, body, loop_bodies)
            yield from collected_errors.logged_errors(text, uses, body)
            yield from filtering_chains.ignored_results(text, uses, body)
            yield from error_callbacks.logging_callbacks(text, uses, body, self._program.producers)
            yield from jvm_results.replaced_errors(text, body)
            if body != span:
                yield from chain_errors.ignored_errors(text, body, uses)

    @cached_property
    def _bodies(self) -> list[tuple[Block, re.Pattern[str]]]:
        """The block after the poll and the methods that it calls, each with a pattern for a use of
        a record in it."""
        span = self._poll_end, self._block[1]
        methods = self._text.reached(span)[1:]
        return [
            (span, self._uses),
            *((method, any_use(self._names_in_method(method))) for method in methods),
        ]

    def _unflushed_buffers(self) -> Iterator[int]:
        """Places where a record is buffered that nothing flushes before the next poll."""
        bodies = [body for body, _ in self._bodies]
        for body, uses in self._bodies:
            yield from unfinished.unflushed_buffers(self._text, body, uses, bodies)

    def _unawaited_handover(self, end: int) -> int:
        """The place where a record is handed over and nothing in the block waits; 0 if none."""
        plain = self._text.plain
        span = self._poll_end, end
        if launch := concurrency.unawaited_launches(self._text, self._handovers, span):
            return launch
        commits_later = continuation_commits.has_commit(self._text, self._commits, span)
        if commits_later or self._waits.any.search(plain, *span):
            return 0
        if self._handovers:
            return self._handovers[0]
        for match in islice(concurrency.SUBSCRIBES.finditer(plain, self._poll_end, end), _MOST):
            begin = self._text.chain(match.end() - 1)
            if begin > self._poll_end and self._uses.search(plain, begin, match.end()):
                return begin
        for match in jvm_threads.unread_queues(self._text, span, self._uses):
            if jvm_threads.is_queue(self._text, match[1]) or self._is_buffer(match[1]):
                return match.start()
        callees = (poll._unawaited_handover(poll._block[1]) for poll in self._callee_polls)
        return next(filter(None, callees), 0)

    def _record_handovers(self) -> Iterator[int]:
        """Calls that hand a record over, in the block or in a method to which one is passed."""
        plain = self._text.plain
        async_methods = rf"\b(?:{'|'.join(self._text.annotated_methods('@Async')) or '(?!)'})\s*\("
        pattern = re.compile(
            f"{(calls := concurrency.handover_calls(plain)).pattern}|{async_methods}"
        )
        for match in islice(pattern.finditer(plain, self._poll_end, self._block[1]), _MOST):
            closed, begin = self._text.closed(match.end()), match.end()
            if match[0].startswith(".") and match[0].endswith("("):
                begin = max(self._poll_end, self._text.chain(match.end() - 1))
            is_handover = not unfinished.is_buffered(self._text, match.end() - 1)
            if is_handover and self._uses.search(plain, begin, closed):
                yield match.start()
        reached = self._text.reached((self._poll_end, self._block[1]))[1:]
        for body in islice(reached, None if self._depth == _DEEPEST else _MOST):
            if calls.search(plain, *body) is None:
                continue
            names = self._names_in_method(body)
            for match in islice(calls.finditer(plain, *body), _MOST) if names else ():
                arguments = plain[match.end() : self._text.closed(match.end())]
                waits = self._waits.any.search(plain, *body)
                if not waits and not names.isdisjoint(re.findall(r"\w+", arguments)):
                    yield match.start()

    def _names_in_method(self, body: tuple[int, int]) -> set[str]:
        """The parameters of a method, and the names that it derives from them."""
        span = self._poll_end, self._block[1]
        fields = jvm_objects.fields_holding_records(self._text, body, self._record_names, span)
        names = {*self._text.parameters(body), *fields}
        names |= {
            *filter(None, (name for name, _ in record_loops.record_loops(self._text, names, body)))
        }
        return names | {
            derived.name for derived in derived_names.derived_from(self._text, names, body)
        }

    def _is_buffer(self, name: str) -> bool:
        """Whether a name is that of a buffer which the loop fills and never reads."""
        blocks = self._text.reached(self._block)
        mentions = sum(len(re.findall(rf"\b{name}\b", self._text.plain[max(0, start) : end]))
                       for start, end in blocks)  # fmt: skip
        return bool(BUFFER_NAME.search(name)) and mentions == 1

    def _swallowed_errors(self) -> Iterator[int]:
        """Handlers of any error that only log it, after which the next record is processed."""
        for handler in self._program.continuing:
            start, end = handler.attempt
            skips = start < self._poll_at < end and jvm_handlers.seeks_past_record(
                self._text, handler
            )
            if skips or self._continues_after(handler.attempt):
                yield handler.at
        for handler in self._program.returning:
            if self._is_in_record_function(handler.attempt):
                yield handler.at
        for handler in self._program.exiting:
            for start, end in self._records.loop_bodies:
                commits = self._commits.search(self._text.plain, end, self._block[1])
                if start < handler.at < end and (
                    commits or self._records.commits_offsets_around((start, end))
                ):
                    yield handler.at  # the next poll starts after all polled records
        calls = repetition.call_sites(self._text, self._poll_end)
        for handler in self._program.continuing:
            start, end = handler.attempt
            if any(start < call < end for call in calls) and repetition.is_in_loop(
                self._text, start
            ):
                yield handler.at
        methods = (
            self._text.reached(self._block)[1:]
            if repetition.is_in_loop(self._text, self._poll_end)
            else []
        )
        for handler in [*self._program.boolean, *self._program.returning]:
            bodies = [body for body in methods if self._is_attempted_once(body, handler.attempt)]
            if handler not in self._program.returning:
                bodies = [body for body in bodies if self._is_result_ignored(body)]
            if not all(
                jvm_results.is_result_checked(self._text, body, handler.attempt) for body in bodies
            ):
                yield handler.at

    def _is_in_record_function(self, attempt: tuple[int, int]) -> bool:
        """Whether a `try` block is in a lambda of Java to which each record is passed, so that
        `return` continues with the next record."""
        lambdas = [
            head for head in self._text.around(attempt[0]) if head[2].rstrip().endswith("->")
        ]
        bodies = (body for body in self._records.loop_bodies for head in lambdas[-1:]
                  if body[0] < head[0] < body[1])  # fmt: skip
        return any(True for _ in bodies) and self._continues_after(attempt)

    def _is_result_ignored(self, body: tuple[int, int]) -> bool:
        """Whether nothing uses the value that a method returns."""
        name = next((function for function in self._text.named(body)), "")
        statement = rf"(?<=[;{{}}\n])\s*(?:this\.)?{name}\s*\([^;{{}}]*\)\s*[;\n]"
        span = self._poll_end - 1, self._block[1]
        is_statement = re.compile(statement).search(self._text.plain, *span)
        return bool(name) and (
            bool(is_statement) or filtering_chains.is_only_filter(self._text, name, span)
        )

    def _is_attempted_once(self, body: tuple[int, int], attempt: tuple[int, int]) -> bool:
        """Whether a `try` block in a method called by the loop uses a record and is not retried."""
        is_inside = body[0] < attempt[0] < body[1]
        words = re.findall(r"\w+", self._text.plain[slice(*attempt)]) if is_inside else []
        uses_record = is_inside and not self._names_in_method(body).isdisjoint(words)
        return uses_record and not jvm_handlers.is_retried(self._text, attempt, body)

    def _continues_after(self, attempt: tuple[int, int]) -> bool:
        """Whether the next record is processed after this `try` block, also if this one failed."""
        if not self._uses_records(attempt):
            return False
        around = self._text.around(attempt[0])
        if attempt == self._block:
            return bool(around) and repetition.is_in_loop(self._text, attempt[0])
        is_inside = self._block[0] < attempt[0] < self._block[1]
        return is_inside and not jvm_handlers.is_retried(self._text, attempt, self._block)
