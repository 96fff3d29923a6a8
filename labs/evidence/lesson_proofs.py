"""Holds labs against real brokers: what each says of its settings has to be what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from labs.engine.plan.spec import ExperimentSpec
from labs.evidence.bench import ParallelRuns, bench
from labs.evidence.waits import Wait, is_telling, wait
from labs.lessons import Arm, Lesson, Outcome
from labs.lessons.model import NONE, SOME
from labs.runs import planning

ROLES = {"story": True, "solution": False, "tempting": True}
"""By role, whether a lab says that the symptom shows under its settings."""


@dataclass
class Proof:
    """One role of a lab: in how many of `runs` the symptom showed, did not, or was not judged.

    The runs have seeds from `seed` on. `wait` is the longest that a visitor would have waited
    in any of them; it is 0 where other work slowed the machine down.
    """

    lesson: str
    role: str
    arm: str
    shown: int = 0
    not_shown: int = 0
    unknown: int = 0
    reasons: list[str] = field(default_factory=list)
    wait: Wait = field(default_factory=Wait)
    seed: int = 1

    @property
    def runs(self) -> int:
        return self.shown + self.not_shown + self.unknown

    @property
    def is_proven(self) -> bool:
        """Whether every run was judged and did what the lab says."""
        return self.runs > 0 and self.runs == (self.shown if ROLES[self.role] else self.not_shown)

    def joined(self, other: Proof) -> Proof:
        """The proof by the runs of both, which are of one role of one lab."""
        return replace(
            self, shown=self.shown + other.shown, not_shown=self.not_shown + other.not_shown,
            unknown=self.unknown + other.unknown, reasons=[*self.reasons, *other.reasons],
            wait=self.wait.longer(other.wait), seed=min(self.seed, other.seed),
        )  # fmt: skip

    def __str__(self) -> str:
        text = f"{self.shown} of {self.runs}"
        text += f", {self.unknown} not judged" if self.unknown else ""
        return text if self.is_proven else f"{text}, WRONG"


def arms_by_role(lesson: Lesson) -> dict[str, Arm]:
    """The settings that are proved, by role."""
    return {
        "story": lesson.arm(lesson.symptom.arm),
        "solution": lesson.solution,
        "tempting": lesson.arm(lesson.turn.tempting),
    }


def prove(
    turns: Iterable[tuple[Lesson, int, int]], report: Callable[[str], None], at_once: int = 1
) -> Iterator[list[Proof]]:
    """Runs a lab so often from a seed on, for each (lab, runs, seed), and yields its proofs.

    So many labs run `at_once`; their proofs come in the order in which they end. The next of
    `turns` is asked for when some were taken. `report` gets a line a run. Ledgers are not kept.
    Raises `labs.engine.run.launch.RunnerDied`.
    """
    with bench("lessons-") as (place, judge), ParallelRuns(at_once) as together:

        def work(turn: tuple[Lesson, int, int]) -> list[Proof]:
            lesson, runs, first = turn
            proofs = new_proofs(lesson, first)
            for seed in range(first, first + runs):
                folder = place / f"{lesson.name}-{seed}"
                events = together.events(staged(lesson, proofs, seed), folder, judge)
                _take(lesson, proofs, events, timed=at_once == 1 and is_telling())
                report(f"{lesson.name}, seed {seed}: {_summary(proofs)}")
            return proofs

        yield from together.outcomes(turns, work)


def new_proofs(lesson: Lesson, seed: int = 1) -> list[Proof]:
    """The proofs of a lab before anything was run."""
    arms = arms_by_role(lesson).items()
    return [Proof(lesson.name, role, arm.name, seed=seed) for role, arm in arms]


def joined(proofs: Iterable[Proof]) -> list[Proof]:
    """One proof for each role of a lab, of all its runs, in the order of the first of each."""
    together: dict[tuple[str, str], Proof] = {}
    for proof in proofs:
        known = together.get((proof.lesson, proof.role))
        together[proof.lesson, proof.role] = known.joined(proof) if known else proof
    return [*together.values()]


def staged(lesson: Lesson, proofs: Sequence[Proof], seed: int) -> ExperimentSpec:
    """The experiment that holds one run of each role."""
    return planning.lesson_spec(lesson, [lesson.arm(proof.arm) for proof in proofs], seed)


def count(lesson: Lesson, proof: Proof, result: Mapping[str, Any]) -> None:
    """Adds one arm's result to its proof, with the reason if it is not what the lab says."""
    verdict, counts = result["verdict"], result["counts"]
    answer = Outcome(verdict, counts).answer(lesson.symptom)
    proof.shown += answer == SOME
    proof.not_shown += answer == NONE
    proof.unknown += answer is None
    if answer != (SOME if ROLES[proof.role] else NONE):
        seen = counts.get(lesson.symptom.count)
        proof.reasons.append(f"{verdict}, {lesson.symptom.count} {seen}: {result['reason']}")


def _take(
    lesson: Lesson, proofs: Sequence[Proof], events: Sequence[Mapping[str, Any]], *, timed: bool
) -> None:
    """Adds what one run of each role said to its proof, and its times if they say anything."""
    for proof, result in zip(proofs, events[-1]["experiment"]["arms"], strict=True):
        count(lesson, proof, result)
        if timed:
            proof.wait = proof.wait.longer(wait(events, proof.arm))


def _summary(proofs: Sequence[Proof]) -> str:
    return "; ".join(
        f"{proof.role} {proof}"
        + (f" after {proof.wait.verdict_s:.0f} s" if proof.wait.verdict_s else "")
        + (f" ({proof.reasons[-1]})" if proof.reasons else "")
        for proof in proofs
    )
