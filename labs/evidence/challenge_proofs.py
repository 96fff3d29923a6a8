"""Proves the known answers of challenges on real brokers: the optimum passes, the tempting answer
fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.reasoning.pipeline import Pipeline
from labs.challenges import FAILED, PASSED, UNKNOWN, Challenge, Grade, Played, grade, grade_case
from labs.challenges.levers import described, stated
from labs.challenges.record import ROLES
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.record.harmed import harmed
from labs.engine.run.launch import Launch
from labs.evidence.bench import bench
from labs.runs import planning


@dataclass
class Proof:
    """One known answer: the number of runs by grade, and the reason of each run."""

    challenge: str
    role: str
    grades: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys((PASSED, FAILED, UNKNOWN), 0)
    )
    why: list[str] = field(default_factory=list)

    @property
    def runs(self) -> int:
        return sum(self.grades.values())

    @property
    def is_proven(self) -> bool:
        """Whether every run got the grade that this answer must get."""
        return self.runs > 0 and self.grades[ROLES[self.role]] == self.runs

    def take(self, grade: Grade) -> None:
        self.grades[grade.state] += 1
        self.why.append(f"{grade.state}: {grade.why}")

    def __str__(self) -> str:
        text = ROLES[self.role]
        words = f"{text} {self.grades[text]} of {self.runs}"
        return words if self.is_proven else f"{words}, WRONG"


def prove(
    challenges: Sequence[Challenge], runs: int, seed: int, report: Callable[[str], None]
) -> Iterator[list[Proof]]:
    """Plays each challenge `runs` times, from `seed` on, and yields the proofs of each.

    `report` gets a line per run. Ledgers are not kept. Raises `labs.engine.run.launch.RunnerDied`.
    """
    with bench("challenges-") as (place, judge):
        for challenge in challenges:
            proofs = new_proofs(challenge)
            for number in range(runs):
                folder = place / f"{challenge.name}-{number}"
                with Launch(spec(challenge, seed + number), folder, judge) as started:
                    *_, last = started
                count(challenge, proofs, last["experiment"]["arms"])
                text = "; ".join(f"{proof.role} {proof.why[-1]}" for proof in proofs)
                report(f"{challenge.name}, seed {seed + number}: {text}")
            yield proofs


def new_proofs(challenge: Challenge) -> list[Proof]:
    """Returns the proofs of a challenge before any run."""
    return [Proof(challenge.name, role) for role in ROLES]


def answers(challenge: Challenge) -> dict[str, Pipeline]:
    """Returns the arms to run: the known answers, or the one recording of a case."""
    by_name = {"optimum": challenge.optimum, "tempting": challenge.tempting}
    if challenge.is_forensics:
        by_name = {challenge.arm: challenge.optimum}
    return {
        name: _pipeline(challenge, challenge.with_levers(entry)) for name, entry in by_name.items()
    }


def spec(challenge: Challenge, seed: int) -> ExperimentSpec:
    """Returns an experiment with one run of each known answer."""
    return planning.challenge_spec(challenge, answers(challenge), seed)


def count(challenge: Challenge, proofs: Sequence[Proof], arms: Sequence[Mapping[str, Any]]) -> None:
    """Adds the results of one experiment to the proofs, in the order of the roles."""
    if challenge.is_forensics:
        for proof in proofs:
            proof.take(_case_grade(challenge, proof.role, arms[0]))
        return
    pipelines = answers(challenge)
    for proof, result in zip(proofs, arms, strict=True):
        stated_settings = stated(challenge, pipelines[proof.role])
        proof.take(grade(challenge, Played.from_result(result), stated_settings))


def _case_grade(challenge: Challenge, role: str, result: Mapping[str, Any]) -> Grade:
    """Returns the grade of an affected message with the true or the tempting cause."""
    name = challenge.conditions[0].count
    counted = result["counts"].get(name)
    affected = None if counted is None else harmed(Path(result["ledger"]), name, counted)
    cause = challenge.cause if role == "optimum" else challenge.wrong
    return grade_case(
        challenge,
        Played.from_result(result),
        cause,
        min(affected or {0}),
        None if affected is None else bool(affected),
    )


def _pipeline(challenge: Challenge, levers: Mapping[str, str]) -> Pipeline:
    pipeline, problems = described(challenge, levers)
    if pipeline is None:
        raise planning.Refused("; ".join(problem.message for problem in problems))
    return pipeline
