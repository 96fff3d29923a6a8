"""Fuzzes every intake parser: `python -m benchmarks.fuzz [--inputs N] [--seed S]`.

With `--minutes M` no input is started later.

Each input is an example file (`tests/advisor/files`, `tests.advisor.intake_examples`) that was cut,
spliced, repeated or overwritten. It is passed to every reader, and to the one that detects its
kind. The same seed gives the same inputs. Exit code 1 if a parser raised an error, took more than a
second of CPU, or returned a message that a page cannot show; the input is printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from advisor.catalog import Family
from advisor.intake import Product, all_readers, read, read_pipeline
from tests.advisor.intake_examples import EXAMPLES

FILES = Path(__file__).resolve().parent.parent / "tests" / "advisor" / "files"
JAVA = Product(Family.JAVA, "4.3", "4.3")
LIMIT_S = 1.0
LONGEST_MESSAGE = 400
PIECES = (
    "\n", " ", "\t", "=", ":", ": ", "-", "- ", "{", "}", "[", "]", "(", ")", ",", "'", '"', "\\",
    "\\u00", "#", "&a ", "*a", "<<: ", "!!", "|", ">", "%", "@", "`", "${", "${A:", "}", "---\n",
    "\0", "\r", "\x85", "\u2028", "\ufeff", "\ud800", "é", "𝟙", "9" * 30, "-1", "1e999", "true",
    "null", "kafka.", "spring:\n", "services:\n", "kind: Kafka\n", ".option(", "Topic: ",
    "synonyms={",
)  # fmt: skip


@dataclass
class Tally:
    """The outcomes of the inputs so far."""

    inputs: int = 0
    readings: int = 0
    slowest_s: float = 0.0
    slowest: str = ""
    wrong: list[str] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)


def examples() -> list[str]:
    """The text of every example file."""
    names = [example.text for example in EXAMPLES]
    for path in sorted(FILES.rglob("*")):
        if path.is_file():
            names.append(path.read_text("utf-8", errors="replace"))
    return names


def mutated(random: Random, texts: list[str]) -> str:
    """One of the texts, mutated in one place or in several."""
    text = random.choice(texts)
    for _ in range(random.choice((1, 1, 2, 4, 8))):
        at = random.randrange(len(text) + 1)
        to = min(len(text), at + random.choice((0, 1, 3, 20, 200)))
        mutation = random.choice(("write", "cut", "repeat", "splice", "character"))
        if mutation == "write":
            between = random.choice(PIECES) * random.choice((1, 1, 1, 3, 500))
        elif mutation == "repeat":
            between = text[at:to] * random.choice((2, 3, 50))
        elif mutation == "splice":
            other = random.choice(texts)
            between = other[random.randrange(len(other) + 1) :][:300]
        else:
            between = (
                "" if mutation == "cut" else chr(random.choice((random.randrange(128), 0x2028)))
            )
        text = text[:at] + between + text[to:]
    return text[:100_000]


def parsers() -> dict[str, Callable[[str], str]]:
    """The parsers by name. Each returns in one word what it found in a text."""

    def reader(kind: str) -> Callable[[str], str]:
        def reads(text: str) -> str:
            intake = read(text, JAVA, kind)
            for words in [*intake.notes, *(problem.message for problem in intake.problems)]:
                if not words.isprintable() or len(words) >= LONGEST_MESSAGE:
                    raise ValueError(f"not fit for a page: {words[:80]!r}")
            return "settings" if intake.settings else "problems" if intake.problems else "nothing"

        return reads

    kinds = ["", *(reader.kind for reader in all_readers())]
    return {kind or "any": reader(kind) for kind in kinds} | {"pipeline": pipeline}


def pipeline(text: str) -> str:
    """Reads a text as a pipeline's TOML file."""
    file = read_pipeline(text)
    return "settings" if file.fields else "problems" if file.problems else "nothing"


def fuzz(inputs: int, seed: int, minutes: float = 24 * 60.0) -> Tally:
    """Passes `inputs` inputs to every parser, or as many as `minutes` allow."""
    deadline_s = time.monotonic() + 60 * minutes
    random, texts, tally = Random(seed), examples(), Tally()  # noqa: S311 - repeatable, no secret
    parser_by_name = parsers()
    for _ in range(inputs):
        if time.monotonic() > deadline_s:
            break
        text = mutated(random, texts)
        tally.inputs += 1
        for name, parse in parser_by_name.items():
            began = time.process_time()
            try:
                tally.outcomes[parse(text)] += 1
            except Exception as error:  # any error is a finding
                tally.wrong.append(f"{name}: {type(error).__name__}: {error}: {text[:2000]!r}")
            took = time.process_time() - began
            tally.readings += 1
            if took > tally.slowest_s:
                tally.slowest_s, tally.slowest = took, name
            if took > LIMIT_S:
                tally.wrong.append(f"{name}: took {took:.1f} s: {text[:2000]!r}")
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--inputs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=24 * 60.0)
    options = parser.parse_args()
    tally = fuzz(options.inputs, options.seed, options.minutes)
    for name in tally.wrong[:20]:
        print(name)
    print(
        f"{tally.inputs:,} inputs of seed {options.seed}, {tally.readings:,} readings, "
        f"{len(tally.wrong)} wrong; slowest {tally.slowest_s:.2f} s ({tally.slowest}); "
        + ", ".join(f"{count:,} {what}" for what, count in sorted(tally.outcomes.items()))
    )
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
