"""Plays the known answers of challenges on real brokers: the optimum passes, the tempting one
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
    """One known answer: how many of its runs got each grade, and why, run by run."""

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
        """Whether every run got the grade that this answer has to get."""
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
    """Plays each challenge so often, from `seed` on, and yields the proofs of one after the other.

    `report` gets a line a run. Ledgers are not kept. Raises `labs.engine.run.launch.RunnerDied`.
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
    """The proofs of a challenge before anything was run."""
    return [Proof(challenge.name, role) for role in ROLES]


def answers(challenge: Challenge) -> dict[str, Pipeline]:
    """The arms that are run: a known answer each, or the one recording of a case."""
    by_name = {"optimum": challenge.optimum, "tempting": challenge.tempting}
    if challenge.is_forensics:
        by_name = {challenge.arm: challenge.optimum}
    return {
        name: _pipeline(challenge, challenge.with_levers(entry)) for name, entry in by_name.items()
    }


def spec(challenge: Challenge, seed: int) -> ExperimentSpec:
    """One run of each known answer, side by side."""
    return planning.challenge_spec(challenge, answers(challenge), seed)


def count(challenge: Challenge, proofs: Sequence[Proof], arms: Sequence[Mapping[str, Any]]) -> None:
    """Adds the results of one experiment to the proofs, in the order of the roles."""
    if challenge.is_forensics:
        for proof in proofs:
            proof.take(_of_case(challenge, proof.role, arms[0]))
        return
    pipelines = answers(challenge)
    for proof, result in zip(proofs, arms, strict=True):
        own = stated(challenge, pipelines[proof.role])
        proof.take(grade(challenge, Played.from_result(result), own))


def _of_case(challenge: Challenge, role: str, result: Mapping[str, Any]) -> Grade:
    """Names a message that the ledger shows to be hit, and the true or the tempting cause."""
    query = challenge.conditions[0].count
    counted = result["counts"].get(query)
    match = None if counted is None else harmed(Path(result["ledger"]), query, counted)
    cause = challenge.cause if role == "optimum" else challenge.wrong
    return grade_case(
        challenge,
        Played.from_result(result),
        cause,
        min(match or {0}),
        None if match is None else bool(match),
    )


def _pipeline(challenge: Challenge, levers: Mapping[str, str]) -> Pipeline:
    pipeline, problems = described(challenge, levers)
    if pipeline is None:
        raise planning.Refused("; ".join(problem.message for problem in problems))
    return pipeline
