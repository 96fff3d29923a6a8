"""`manage.py challenges`: lists the challenges, and proves their known answers on brokers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from advisor.management.exact import ExactCommand, bad_input
from labs.challenges import Challenge, all_challenges, find
from labs.challenges.record import keep, verified
from labs.engine.run.launch import RunnerDied
from labs.evidence.challenge_proofs import Proof, prove
from labs.management import proving


class Command(ExactCommand):
    """Exit codes: 0, 1 a challenge is not proven, 2 the input is wrong, 3 it was not run."""

    help = "Lists the challenges by level, and proves on real brokers that each can be solved."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        proving.add_options(
            parser,
            "NAME",
            "play these challenges, or all, on real brokers: the known optimum has to pass, "
            "the tempting answer has to fail",
        )
        proving.add_draws(parser)
        parser.add_argument(
            "--keep", type=Path, metavar="FILE", help="with --verify: add what was seen to FILE"
        )

    def handle(self, *args: object, **options: Any) -> None:
        if options["verify"] is not None:
            every = {challenge.name: challenge for challenge in all_challenges()}
            self._verify(proving.chosen(options["verify"], find, every, "challenge"), options)
        elif options["keep"] is not None:
            raise bad_input("--keep is for --verify")
        elif options["json"]:
            self.stdout.write(json.dumps([_data(item) for item in all_challenges()], indent=2))
        else:
            for challenge in all_challenges():
                self.stdout.write(
                    f"{challenge.level} {challenge.kind:10} {challenge.name}\n"
                    f"    {challenge.title}: {challenge.goal}"
                )

    def _verify(self, challenges: list[Challenge], options: dict[str, Any]) -> None:
        proving.check_draws(options)
        seed, file = options["seed"], options["keep"]

        def keep_batch(proofs: list[Proof]) -> None:
            if file is not None:
                why = {proof.role: proof.why for proof in proofs}
                keep(file, why, proofs[0].challenge, seed)

        batches = prove(challenges, options["runs"], seed, self.stderr.write)
        results = proving.collect(batches, keep_batch, (RunnerDied,))
        proving.finish(self, options["json"], results, _table(results), _name)


def _name(proof: Proof) -> str:
    return f"{proof.challenge}, {proof.role}"


def _data(challenge: Challenge) -> dict[str, Any]:
    return {
        "id": challenge.name,
        "title": challenge.title,
        "level": challenge.level,
        "kind": challenge.kind,
        "goal": challenge.goal,
        "conditions": [str(condition) for condition in challenge.conditions],
        "scenario": challenge.scenario,
        "levers": list(challenge.levers),
        "optimum": {
            "settings": dict(challenge.optimum.settings),
            "changes": challenge.fewest,
            "cause": challenge.cause,
        },
        "verified": verified(challenge.name),
    }


def _table(proofs: list[Proof]) -> str:
    """Returns one line per challenge: the grades of the optimum and the tempting answer."""
    rows: dict[str, list[str]] = {}
    for proof in proofs:
        rows.setdefault(proof.challenge, []).append(str(proof))
    return proving.table("challenge", ("optimum", "tempting answer"), rows, (44, 24))
