"""`manage.py challenges`: the list as data, and what counts as a proof."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from labs.challenges import Grade, all_challenges, find
from labs.evidence.challenge_proofs import Proof, count, new_proofs
from labs.management.commands import challenges as command
from tests.labs import make

NAME = "one-acknowledgement"


def replace_runs(monkeypatch: pytest.MonkeyPatch, optimum: str, tempting: str) -> None:
    """Replaces the runs of the command by these grades."""
    proofs = [Proof(NAME, "optimum"), Proof(NAME, "tempting")]
    for proof, state in zip(proofs, (optimum, tempting), strict=True):
        proof.take(Grade(state, "so it was."))
    monkeypatch.setattr(command, "prove", lambda *_: iter([proofs]))


def test_the_list_is_available_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("challenges", "--json")
    output = {entry["id"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert list(output) == [challenge.name for challenge in all_challenges()]
    first = output[NAME]
    assert {"title", "level", "kind", "goal", "optimum"} <= first.keys()
    assert first["optimum"] == {
        "settings": {"producer.acks": "all"}, "changes": 1, "cause": "",
    }  # fmt: skip


def test_the_optimum_has_to_pass_and_the_tempting_answer_to_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    replace_runs(monkeypatch, "passed", "failed")
    file = tmp_path / "kept.json"
    call_command("challenges", "--verify", NAME, "--keep", str(file))
    assert "passed 1 of 1" in capsys.readouterr().out
    kept = json.loads(file.read_text("utf-8"))[NAME]
    assert (kept["optimum"], kept["tempting"]) == (["passed: so it was."], ["failed: so it was."])


@pytest.mark.parametrize(
    ("optimum", "tempting", "wrong"),
    [("failed", "failed", "optimum"), ("unknown", "failed", "optimum"),
     ("passed", "passed", "tempting"), ("passed", "unknown", "tempting")],
)  # fmt: skip
def test_an_unexpected_grade_is_no_proof(
    monkeypatch: pytest.MonkeyPatch, optimum: str, tempting: str, wrong: str
) -> None:
    replace_runs(monkeypatch, optimum, tempting)
    with pytest.raises(CommandError, match=f"not proven: {NAME}, {wrong}") as error:
        call_command("challenges", "--verify", NAME)
    assert error.value.returncode == 1


@pytest.mark.parametrize("wrong", [["nothing"], [NAME, "--runs=0"], [NAME, "--seed=-1"]])
def test_bad_input_exits_with_2(wrong: list[str]) -> None:
    with pytest.raises(CommandError) as error:
        call_command("challenges", "--verify", *wrong)
    assert error.value.returncode == 2


def test_a_proof_grades_each_arm_by_its_own_result() -> None:
    challenge = find(NAME)
    proofs = new_proofs(challenge)
    count(challenge, proofs, [make.result("holds"), make.result("broken")])
    assert all(proof.is_proven for proof in proofs)
    count(challenge, proofs, [make.result("unknown"), make.result("broken")])
    assert [proof.is_proven for proof in proofs] == [False, True]
