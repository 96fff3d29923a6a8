"""Runs all arms of an experiment, in parallel as far as the machine allows.

`python -m labs.engine.run.experiment SPEC.json FOLDER [JUDGE-SOCKET]` is the process that owns the
brokers and clients; `labs.engine.run.keeper` starts it and cleans up after it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

from labs.engine.base import failure_text
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run import result
from labs.engine.run.boot import PrebootedCluster
from labs.engine.run.events import Emitter
from labs.engine.run.runner import Arm, ArmRunner
from labs.engine.scenarios import ScenarioError, find
from labs.engine.scenarios.model import draw

FINISHED, ARM_FAILED, UNUSABLE = 0, 1, 2
"""Exit codes: every arm was run and judged; some arm was not; the request is invalid."""


def run(
    spec: ExperimentSpec, folder: Path, events: Emitter, judge_socket: Path | None = None,
    ahead: Sequence[PrebootedCluster] = (),
) -> int:  # fmt: skip
    """Runs every arm under one schedule and emits the result; returns the exit code.

    `ahead` holds the clusters of the arms, if they were booted before. Raises `ScenarioError` for
    an unknown scenario or override.
    """
    scenario = find(spec.scenario)
    schedule = draw(scenario, spec.seed, spec.overrides)
    runners = [
        ArmRunner(
            Arm(spec, arm, scenario, schedule, folder / arm.name, events, judge_socket, booted)
        )
        for arm, booted in zip_longest(spec.arms, ahead)
    ]
    with ThreadPoolExecutor(len(runners), thread_name_prefix="arm") as threads:
        results = list(threads.map(ArmRunner.run, runners))
    events.emit("result", experiment=result.experiment_result(spec, results))
    return ARM_FAILED if any(runner.failed for runner in runners) else FINISHED


def main(argv: list[str], ahead: Sequence[PrebootedCluster] = ()) -> int:
    spec_file, folder, *socket = (Path(argument) for argument in argv[1:])
    events = Emitter(sys.stdout)
    try:
        spec = ExperimentSpec.from_json(spec_file.read_text("utf-8"))
        return run(spec, folder, events, socket[0] if socket else None, ahead)
    except (ScenarioError, ValueError, TypeError, KeyError) as error:
        events.emit("error", message=f"The experiment cannot be run: {failure_text.report(error)}")
        return UNUSABLE
    except Exception as error:  # such as a full disk: report the reason to whoever waits
        failure_text.log_trace()
        reason = failure_text.sentence(error)
        events.emit("error", message=f"The run could not be carried out: {reason}")
        return ARM_FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv))
