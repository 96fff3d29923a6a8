"""Code shared by the commands that prove something on real brokers."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, ClassVar, Protocol, TypeVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from advisor.management.exact import INTERRUPTED, NOT_RUN, bad_input


class Proof(Protocol):
    """A dataclass with the results of runs on brokers, for something in the release."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def is_proven(self) -> bool: ...


T = TypeVar("T")
P = TypeVar("P", bound=Proof)

NOT_PROVEN = 1
"""The exit code if something is not proven."""


def add_options(parser: CommandParser, metavar: str, words: str) -> None:
    """Adds `--json`, and `--verify` with names; `words` is its help text."""
    parser.add_argument("--json", action="store_true", help="as data, for other programs")
    parser.add_argument("--verify", nargs="*", metavar=metavar, help=words)


def add_draws(parser: CommandParser) -> None:
    """Adds `--runs` and `--seed`, which `check_draws` checks."""
    parser.add_argument(
        "--runs", type=int, default=1, metavar="N",
        help="with --verify: how many runs of each; default 1",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=int, default=1,
        help="with --verify: the seed of the first run; each run after it has the next; default 1",
    )  # fmt: skip


def check_draws(options: dict[str, Any]) -> None:
    """Raises `CommandError` unless `--runs` and `--seed` are numbers that can be run."""
    if options["runs"] < 1 or not 0 <= options["seed"] < 2**31:
        raise bad_input("--runs takes a number above 0, --seed one from 0 to 2147483647")


def chosen(
    names: Sequence[str], find: Callable[[str], T], every: Mapping[str, T], noun: str
) -> list[T]:
    """Returns the items of these names, or all. Raises `CommandError` for an unknown name."""
    try:
        return [find(name) for name in names] or [*every.values()]
    except LookupError as unknown:
        known_names = ", ".join(every)
        raise bad_input(
            f"--verify: there is no {noun} {unknown}; there are {known_names}"
        ) from unknown


def table(noun: str, heads: Iterable[str], rows: Mapping[str, Iterable[str]],
          widths: tuple[int, int]) -> str:  # fmt: skip
    """Returns one line per name; `widths` are those of the first column and of all others."""
    first, others = widths
    return "\n".join(
        f"{name:{first}}" + "".join(f"{cell:>{others}}" for cell in cells)
        for name, cells in [(noun, heads), *rows.items()]
    )


def finish(
    command: BaseCommand, as_json: bool, proofs: Sequence[P], text: str, name: Callable[[P], str]
) -> None:
    """Writes the proofs as JSON, or else the text.

    Raises `CommandError` with the names of those that are not proven, if any.
    """
    rows = [asdict(proof) | {"proven": proof.is_proven} for proof in proofs]
    command.stdout.write(json.dumps(rows, indent=2) if as_json else text)
    if wrong := "; ".join(name(proof) for proof in proofs if not proof.is_proven):
        raise CommandError(f"not proven: {wrong}", returncode=NOT_PROVEN)


def collect(
    batches: Iterable[list[T]], keep: Callable[[list[T]], None],
    trouble: tuple[type[Exception], ...], words: str = "",
) -> list[T]:  # fmt: skip
    """Returns all proofs; `keep` is called for each batch as soon as it is complete.

    Raises `CommandError` if an error of `trouble` prevents the rest, with a message that begins
    with `words`, or if it is interrupted.
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
    """Lets Ctrl-C and SIGTERM (of `timeout`) unwind the block, so that brokers end first."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        message = "interrupted: everything was ended"
        raise CommandError(message, returncode=INTERRUPTED) from None
