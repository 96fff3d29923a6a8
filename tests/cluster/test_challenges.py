"""Each challenge on real brokers: the optimum passes, and the tempting answer fails."""

from __future__ import annotations

import pytest

from labs.challenges import Challenge, all_challenges
from labs.evidence.challenge_proofs import count, new_proofs, spec
from tests.cluster.conftest import Run

pytestmark = [
    pytest.mark.whole, pytest.mark.spark, pytest.mark.thorough, pytest.mark.timeout(1800),
]  # fmt: skip


@pytest.mark.parametrize("challenge", all_challenges(), ids=lambda case: case.name)
def test_the_optimum_passes_and_the_tempting_answer_fails(challenge: Challenge, run: Run) -> None:
    proofs = new_proofs(challenge)
    experiment = spec(challenge, seed=1)
    arms, _ = run(experiment)
    count(challenge, proofs, [arms[arm.name] for arm in experiment.arms])
    assert not [(proof.role, proof.why) for proof in proofs if not proof.is_proven]
