"""What the commands share that prove something on real brokers."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.core.management.base import BaseCommand, CommandError

T = TypeVar("T")

NOT_PROVEN, BAD_INPUT, NOT_RUN, INTERRUPTED = 1, 2, 3, 130
"""Exit codes."""


def check_draws(options: dict[str, Any]) -> None:
    """Raises `CommandError` unless `--runs` and `--seed` are numbers that can be run."""
    if options["runs"] < 1 or not 0 <= options["seed"] < 2**31:
        message = "--runs takes a number above 0, --seed one from 0 to 2147483647"
        raise CommandError(message, returncode=BAD_INPUT)


def chosen(
    names: Sequence[str], find: Callable[[str], T], every: Mapping[str, T], noun: str
) -> list[T]:
    """Those of these names, or all if none is named. Raises `CommandError` for an unknown name."""
    try:
        return [find(name) for name in names] or [*every.values()]
    except LookupError as unknown:
        message = f"--verify: there is no {noun} {unknown}; there are {', '.join(every)}"
        raise CommandError(message, returncode=BAD_INPUT) from unknown


def table(noun: str, heads: Iterable[str], rows: Mapping[str, Iterable[str]],
          widths: tuple[int, int]) -> str:  # fmt: skip
    """A line for each name, in columns of these widths: the name's, and that of all others."""
    first, other = widths
    return "\n".join(
        f"{name:{first}}" + "".join(f"{cell:>{other}}" for cell in cells)
        for name, cells in [(noun, heads), *rows.items()]
    )


def finish(command: BaseCommand, as_json: bool, rows: Sequence[Any], text: str, wrong: str) -> None:
    """Writes the rows as JSON, or else the text. Raises `CommandError` if any proof is `wrong`."""
    command.stdout.write(json.dumps(rows, indent=2) if as_json else text)
    if wrong:
        raise CommandError(f"not proven: {wrong}", returncode=NOT_PROVEN)


def collect(
    batches: Iterable[list[T]], keep: Callable[[list[T]], None],
    trouble: tuple[type[Exception], ...], words: str = "",
) -> list[T]:  # fmt: skip
    """All proofs; each batch is kept as soon as it is complete.

    Raises `CommandError`, whose message begins with `words`, if `trouble` prevents the rest or a
    person interrupts.
    """
    proofs: list[T] = []
    try:
        with brokers_end_first():
            for batch in batches:
                proofs += batch
                keep(batch)
    except trouble as problem:
        raise CommandError(f"{words}{problem}", returncode=NOT_RUN) from problem
    return proofs


@contextmanager
def brokers_end_first() -> Iterator[None]:
    """Lets Ctrl-C and SIGTERM, by which `timeout` ends us, unwind the block: brokers end first."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        message = "interrupted: everything was ended"
        raise CommandError(message, returncode=INTERRUPTED) from None
