"""The command line: honest exit codes, JSON alone on standard output, nothing run by mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

NAME = "leader-killed-followers-behind"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scenario", "leader-kiled-followers-behind"], f"did you mean {NAME}"),
        (["--scenario", NAME, "--set", "producer.ack=1"], "acks"),
        (["--scenario", NAME, "--set", "producer.acks=7"], "producer.acks"),
        (["--scenario", NAME, "--set", "producer.acks=1\nretries=0"], "producer.acks"),
        (["--scenario", NAME, "--set", "acks"], "COMPONENT.KEY=VALUE"),
        (["--scenario", NAME, "--set", "kettle.acks=1"], "kettle"),
        (["--scenario", NAME, "--arms", "described,described"], "--arms"),
        (["--scenario", NAME, "--arms", "mine"], "--arms"),
        (["--scenario", NAME, "--want", "perfect"], "guarantee"),
        (["--scenario", NAME, "--kafka", "4.3.1; rm"], "kafka"),
    ],
)
def test_bad_input_is_named_and_exits_with_2(
    arguments: list[str], said: str, data_dir: Path
) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("experiment", *arguments)
    assert refused.value.returncode == 2
    assert said in str(refused.value)
    assert not (data_dir / "runs").exists()


def test_scenarios_and_lessons_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("scenarios", "--json")
    scenarios = json.loads(capsys.readouterr().out)
    call_command("lessons", "--json")
    lessons = json.loads(capsys.readouterr().out)
    assert NAME in [each["name"] for each in scenarios]
    assert {lesson["scenario"] for lesson in lessons} <= {each["name"] for each in scenarios}


def test_scenarios_and_lessons_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("scenarios")
    call_command("lessons")
    assert "lost_write" in (said := capsys.readouterr().out)
    assert "What an acknowledgement means" in said
