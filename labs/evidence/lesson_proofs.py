"""Proves labs on real brokers: their settings must have the effect that the lab claims."""

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
"""Role → whether the lab claims that the symptom shows with its settings."""


@dataclass
class Proof:
    """One role of a lab: the runs in which the symptom showed, did not show, or was not judged.

    The runs have seeds from `seed` on. `wait` is the longest wait of a visitor in any of them; it
    is 0 if other work slowed the machine down.
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
        """Whether every run was judged and confirmed the lab."""
        return self.runs > 0 and self.runs == (self.shown if ROLES[self.role] else self.not_shown)

    def joined(self, other: Proof) -> Proof:
        """Returns the proof with the runs of both, which belong to one role of one lab."""
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
    """Returns the settings to prove, by role."""
    return {
        "story": lesson.arm(lesson.symptom.arm),
        "solution": lesson.solution,
        "tempting": lesson.arm(lesson.turn.tempting),
    }


def prove(
    turns: Iterable[tuple[Lesson, int, int]], report: Callable[[str], None], at_once: int = 1
) -> Iterator[list[Proof]]:
    """Runs labs, given as (lab, runs, first seed), and yields the proofs of each.

    `at_once` labs run in parallel; their proofs come in the order in which they end. The next of
    `turns` is requested when proofs were consumed. `report` gets a line per run. Ledgers are not
    kept.
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
    """Returns the proofs of a lab before any run."""
    arms = arms_by_role(lesson).items()
    return [Proof(lesson.name, role, arm.name, seed=seed) for role, arm in arms]


def joined(proofs: Iterable[Proof]) -> list[Proof]:
    """Returns one proof per role of a lab, of all its runs, in the order of their first proofs."""
    together: dict[tuple[str, str], Proof] = {}
    for proof in proofs:
        earlier = together.get((proof.lesson, proof.role))
        together[proof.lesson, proof.role] = earlier.joined(proof) if earlier else proof
    return [*together.values()]


def staged(lesson: Lesson, proofs: Sequence[Proof], seed: int) -> ExperimentSpec:
    """Returns the experiment with one run of each role."""
    return planning.lesson_spec(lesson, [lesson.arm(proof.arm) for proof in proofs], seed)


def count(lesson: Lesson, proof: Proof, result: Mapping[str, Any]) -> None:
    """Adds one arm's result to its proof, with the reason if it contradicts the lab."""
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
    """Adds the results of one run to the proofs of the roles and, if `timed`, the waits."""
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
