"""The command line: exit codes, only JSON on standard output, and no accidental run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NoReturn

import pytest
from django.core.management import CommandError, call_command

from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.launch import RunnerDied
from labs.engine.scenarios import all_scenarios
from labs.management.commands import experiment
from labs.runs.conditions import Conditions
from tests.house.files import ROOT

NAME = "leader-killed-followers-behind"


@pytest.mark.parametrize(
    ("arguments", "message"),
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
        (["--scenario", "producer-killed", "--clients", "java"], "brokers or the network fail"),
        (["--scenario", NAME, "--client", "librdkafka", "--clients", "java"], "--client java"),
        (["--scenario", NAME, "--clients", "copier"], "can play consumer-killed-before-commit"),
        (["--scenario", NAME, "--across", "2.7..4.3"], "'2.7' is not a line that runs here"),
        (["--scenario", NAME, "--across", "4.3"], "at least two lines"),
        (["--scenario", NAME, "--across", "3.9,4.3", "--kafka", "3.9"], "leave --kafka"),
        (["--scenario", NAME, "--bisect"], "goes with --across"),
        (["--scenario", NAME, "--keep", "rows.json"], "--keep goes with --across"),
        (
            ["--scenario", NAME, "--across", "3.9,4.3", "--keep", "/nowhere/rows.json"],
            "--keep /nowhere/rows.json: this file cannot be written",
        ),
        (["--scenario", NAME, "--seed", "-1"], "seed -1; it must be from 0"),
        (["--scenario", NAME, "--seed", str(2**63)], f"seed {2**63}; it must be from 0"),
        (["--scenario", NAME, "--condition", "rate=5"], "one of partitions, rate_per_s"),
        (["--scenario", NAME, "--condition", "partitions"], "write NAME=VALUE"),
        (["--scenario", NAME, "--condition", "controllers=9"], "write NAME=VALUE"),
        (["--scenario", NAME, "--condition", "partitions=many"], "Partitions: Enter a whole"),
        (["--scenario", NAME, "--condition", "lead_in_s=61"], "less than or equal to 60"),
        (["--scenario", NAME, "--condition", "value_bytes=10000"], "or smaller ones"),
        (["--scenario", "spark-restarted"], "is not a Spark query"),
        (
            ["--scenario", "transaction-log-lost", "--set", "topic.replication.factor=1"],
            "transactional.id is not stated",
        ),
    ],
)
def test_bad_input_is_named_and_exits_with_2(
    arguments: list[str], message: str, data_dir: Path
) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("experiment", *arguments)
    assert refused.value.returncode == 2
    assert message in str(refused.value)
    assert not (data_dir / "runs").exists()


def test_the_command_accepts_the_same_conditions_as_the_web(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(spec: ExperimentSpec, *_: object) -> NoReturn:
        specs.append(spec)
        raise RunnerDied(1, "not here")

    specs: list[ExperimentSpec] = []
    monkeypatch.setattr(experiment, "Launch", refuse)
    chosen = ["partitions=4", "rate_per_s=50", "lead_in_s=2.5", "value_bytes=200"]
    with pytest.raises(CommandError, match="not here"):
        call_command(
            "experiment", "--scenario", NAME, "--controllers", "3",
            *(f"--condition={name}" for name in chosen),
        )  # fmt: skip
    overrides = {"rate_per_s": 50, "lead_in_s": 2.5}
    assert Conditions.from_spec(specs[0]) == Conditions(3, 4, overrides, 200)


def test_scenarios_and_lessons_are_listed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("scenarios", "--json")
    scenarios = json.loads(capsys.readouterr().out)
    call_command("lessons", "--json")
    lessons = json.loads(capsys.readouterr().out)
    assert NAME in [scenario["name"] for scenario in scenarios]
    assert {lesson["scenario"] for lesson in lessons} <= {
        scenario["name"] for scenario in scenarios
    }


def test_the_table_of_modes_shows_where_each_scenario_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("scenarios", "--modes")
    _, *rows = capsys.readouterr().out.splitlines()
    assert len(rows) == len(all_scenarios())
    modes = dict(row.split(maxsplit=1) for row in rows)
    assert modes["leader-killed"].split("  ") == ["3.3 to 4.3", "2.8 to 3.9"]
    assert modes["producer-state-expired"].split("  ") == ["3.4 to 4.3", "3.4 to 3.9"]


def test_scenarios_and_lessons_are_listed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("scenarios")
    call_command("lessons")
    assert "lost_write" in (output := capsys.readouterr().out)
    assert "What an acknowledgement means" in output


@pytest.fixture
def without_java(tmp_path: Path, data_dir: Path) -> dict[str, str]:
    """The environment of a machine on which no searched place has a Java."""
    nowhere = str(tmp_path / "nowhere")
    places = dict.fromkeys(("PATH", "JAVA_HOME", "LAB_JAVA"), nowhere)
    return {**os.environ, **places, "LAB_DATA_DIR": str(data_dir)}


def output_without_java(command: list[str], environment: dict[str, str]) -> str:
    """Runs the command, checks message and exit code, and returns its standard output."""
    ended = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert ended.returncode == 3, ended.stderr
    assert "Java 17 or later is needed and was not found" in ended.stderr
    assert "make setup" in ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.process
def test_verify_without_java_names_the_remedy(without_java: dict[str, str], tmp_path: Path) -> None:
    assert output_without_java(["verify", str(tmp_path), "--json"], without_java) == ""


@pytest.mark.process
def test_an_experiment_without_java_concludes_nothing(without_java: dict[str, str]) -> None:
    text = output_without_java(["experiment", "--scenario", NAME, "--json"], without_java)
    for arm in json.loads(text)["arms"]:
        assert arm["verdict"] == "unknown"
        assert set(arm["counts"].values()) == {None}


def refusal(*arguments: str) -> str:
    with pytest.raises(CommandError) as error:
        call_command(*arguments)
    assert error.value.returncode == 2
    return str(error.value)


def test_verify_says_where_the_ledger_of_a_download_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = tmp_path / "unzipped" / "ledger-abc-described"
    ledger.mkdir(parents=True)
    (ledger / "sends.jsonl").write_text('{"value": 1, "outcome": "ok"}\n')
    download = tmp_path / "ledger.zip"
    with zipfile.ZipFile(download, "w") as packed:
        packed.write(ledger / "sends.jsonl", "ledger-abc-described/sends.jsonl")
    around = ledger.parent
    assert refusal("verify", str(around)) == (
        f"{around} has no table of a ledger; give the folder {ledger}"
    )
    words = f"{download} is a zip file: unzip it, and give the folder that is in it"
    assert words in refusal("verify", str(download), str(tmp_path), "--json")
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()[1:] if line]
    assert [answer["ledger"] for answer in answers] == [str(download), str(tmp_path)]


@pytest.mark.parametrize("limit", ["x", "-1", "1.5", "\u00b2"])
def test_prune_says_what_its_limit_must_be(limit: str) -> None:
    with pytest.raises(CommandError, match="--limit-mb: must be a whole number, 0 or more"):
        call_command("prune", f"--limit-mb={limit}")


@pytest.mark.process
def test_an_experiment_without_a_cache_folder_is_not_begun(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = str(tmp_path / "file" / "cache")
    ended = subprocess.run(
        [sys.executable, "manage.py", "experiment", "--scenario", NAME],
        cwd=ROOT, env=os.environ | {"LAB_CACHE_DIR": cache}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.splitlines()[-1].endswith("or set LAB_CACHE_DIR to another folder.")
    assert "Traceback" not in ended.stderr
