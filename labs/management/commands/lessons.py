"""`manage.py lessons`: the course, in order; its proofs on real brokers; its questions."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils import timezone

from advisor.management.exact import ExactCommand, bad_input
from labs.engine.run.launch import RunnerDied
from labs.evidence import lesson_record
from labs.evidence.lesson_proofs import Proof, joined, prove
from labs.evidence.lesson_record import Standing, standing
from labs.lessons import Lesson, all_lessons, find
from labs.management import proving
from labs.pages.lessons.questions import statistics

_UNANSWERED = (
    "Nobody has answered a question yet in the database of this installation. Answers come from "
    "the labs and from class rooms. The first one of each visitor counts, and a separation is "
    "shown from three visitors on.\n"
)
Turn = tuple[Lesson, int, int]
"""A lab, the number of its runs, and the first seed."""


class Command(ExactCommand):
    """Exit codes: 0, 1 a lab is not proven, 2 the input is wrong, 3 it could not be run."""

    help = "Lists the labs, in the order of the course, and proves them on real brokers."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        proving.add_options(
            parser,
            "NAME",
            "run these labs, or all, on real brokers: the symptom has to show under the story's "
            "settings and under the tempting answer, and not under the solution",
        )
        parser.add_argument(
            "--questions",
            action="store_true",
            help="for each question: how many answered it, alone or in a class, the share of right "
            "answers, how well it separates (correlation with the visitor's other answers), and "
            "the most chosen wrong answer",
        )
        proving.add_draws(parser)
        parser.add_argument(
            "--keep",
            action="store_true",
            help="with --verify: add the result to the record, which this list and the page of all "
            "labs show",
        )
        parser.add_argument(
            "--minutes",
            type=float,
            metavar="M",
            help="with --verify --keep: continue where the record stops, until it has --runs of "
            "each lab; after so many minutes no further run begins",
        )
        parser.add_argument(
            "--at-once",
            type=int,
            default=1,
            metavar="N",
            help="with --verify: run so many labs at a time, as far as the machine has places for "
            "clusters",
        )

    def handle(self, *args: object, **options: Any) -> None:
        if options["verify"] is not None:
            every = {lesson.name: lesson for lesson in all_lessons()}
            self._verify(proving.chosen(options["verify"], find, every, "lab"), options)
        elif options["questions"]:
            self._questions(as_data=options["json"])
        else:
            self._list(as_data=options["json"])

    def _list(self, *, as_data: bool) -> None:
        try:
            records = lesson_record.read(settings.LAB_LESSON_RECORD)
        except lesson_record.RecordError as wrong:
            raise bad_input(str(wrong)) from wrong
        if as_data:
            rows = [_data(lab, standing(lab, records)) for lab in all_lessons()]
            self.stdout.write(json.dumps(rows, indent=2))
            return
        for lesson in all_lessons():
            self.stdout.write(f"{lesson.order:2}. {lesson.name}\n    {lesson.title}: {lesson.goal}")
            text = ", ".join(
                f"{role.role} {role.shown} of {role.judged}"
                + (f" ({role.unknown} not judged)" if role.unknown else "")
                for role in standing(lesson, records)
            )
            self.stdout.write(f"    symptom on real brokers: {text or 'not run yet'}")

    def _questions(self, *, as_data: bool) -> None:
        rows = statistics(all_lessons())
        if as_data:
            data = [asdict(row) | {"remark": row.remark} for row in rows]
            self.stdout.write(json.dumps(data, indent=2))
            return
        if not any(row.answered for row in rows):
            self.stdout.write(_UNANSWERED)
        self.stdout.write(f"{'question':66}{'answered':>9}{'right':>8}{'separates':>11}")
        for item in rows:
            right = "–" if item.right is None else f"{item.right:.0%}"
            apart = "–" if item.separation is None else f"{item.separation:.2f}"
            name = f"{item.lesson}: {item.question}"
            line = f"{name:66}{item.answered:>9}{right:>8}{apart:>11}  {item.remark}"
            self.stdout.write(line.rstrip())
            if item.tempting:
                self.stdout.write(f"    most chosen of the wrong ones: {item.tempting}")

    def _verify(self, lessons: list[Lesson], options: dict[str, Any]) -> None:
        proving.check_draws(options)
        minutes, runs, seed = options["minutes"], options["runs"], options["seed"]
        if minutes is not None and not (options["keep"] and 0 < minutes < math.inf):
            raise bad_input("--minutes takes a number above 0, and goes with --keep")
        if options["at_once"] < 1:
            raise bad_input("--at-once takes a number above 0")
        under_way: Counter[str] = Counter()
        turns: Iterable[Turn] = ((lesson, runs, seed) for lesson in lessons)
        if minutes is not None:
            end = time.monotonic() + 60 * minutes
            turns = _missing_turns(lessons, runs, seed, end, under_way)

        def keep_batch(proofs: list[Proof]) -> None:
            if options["keep"]:
                lesson, today = find(proofs[0].lesson), timezone.now().date().isoformat()
                lesson_record.add(settings.LAB_LESSON_RECORD, lesson, proofs, today)
            under_way[proofs[0].lesson] -= 1

        batches = prove(turns, self.stderr.write, options["at_once"])
        results = joined(proving.collect(batches, keep_batch, (RunnerDied,)))
        proving.finish(self, options["json"], results, _table(results), _name)


def _name(proof: Proof) -> str:
    return f"{proof.lesson}, {proof.role}"


def _missing_turns(
    lessons: list[Lesson], runs: int, seed: int, end: float, under_way: Counter[str]
) -> Iterator[Turn]:
    """Yields single runs of the lab with the fewest, until the monotonic time `end`.

    `under_way` counts the yielded runs by lab; the caller subtracts each one that it has stored.
    """
    while time.monotonic() < end:
        records = lesson_record.read(settings.LAB_LESSON_RECORD)
        chosen = lesson_record.next_run(lessons, records, runs, seed, under_way)
        if chosen is None:
            return
        under_way[chosen[0].name] += 1
        yield chosen[0], 1, chosen[1]


def _data(lesson: Lesson, stands: list[Standing]) -> dict[str, Any]:
    return {
        "name": lesson.name,
        "order": lesson.order,
        "title": lesson.title,
        "summary": lesson.goal,
        "minutes": lesson.minutes,
        "scenario": lesson.scenario,
        "symptom": lesson.symptom.count,
        "arms": [arm.label for arm in lesson.arms],
        "solution": lesson.solution.label,
        "sources": list(lesson.sources),
        "proofs": [asdict(standing) | {"proven": standing.is_proven} for standing in stands],
    }


def _table(proofs: list[Proof]) -> str:
    """Returns one line per lab: the runs with its symptom, for each of the three settings."""
    rows: dict[str, list[str]] = {}
    for proof in proofs:
        rows.setdefault(proof.lesson, []).append(str(proof))
    return proving.table("lab", ("story", "solution", "tempting answer"), rows, (44, 20))
