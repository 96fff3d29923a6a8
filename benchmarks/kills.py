"""What a run reports if one of its processes is killed or stopped: `python -m benchmarks.kills`.

For each victim and each phase it runs one arm on real brokers. As soon as the arm is in the phase,
the victim receives the signal. Prints the verdict of the arm, its reason, and the seconds from the
signal to its end. Exit code 1 if an arm did not end as `unknown` with the victim's name within
`PROMPT_S` seconds. The whole table takes about half an hour on two cores.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from labs.calibration.cases import CASES
from labs.engine.base import processes
from labs.engine.base.wait import WaitTimeout, until
from labs.engine.distributions.distribution import kafka_versions
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.launch import Launch
from tests.engine.arms import arm, experiment
from tests.stack.victims import PHASES

PROMPT_S = 15.0
_APPEAR_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Victim:
    """A process of a run: `words` of its command line, and the prefix of its working folder's name.

    `mention` is part of the reason that the run must give; `spec` is the run.
    """

    name: str
    words: tuple[str, ...]
    mention: str
    spec: ExperimentSpec
    phases: tuple[str, ...] = PHASES
    folder: str = ""

    def pid(self, run: int) -> int | None:
        """The id of a running process of the victim, the newest first; None if there is none."""
        for pid in reversed(processes.process_tree(run)):
            if processes.state(pid) in ("R", "S", "D") and self._matches(pid):
                return pid
        return None

    def _matches(self, pid: int) -> bool:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")
            place = Path(f"/proc/{pid}/cwd").readlink().name
        except OSError:
            return False
        return place.startswith(self.folder) and set(self.words) <= {*command}


def _case(name: str) -> ExperimentSpec:
    (case,) = (case for case in CASES if case.name == name)
    return case.experiment(1, ["bad"])


def _module(name: str) -> tuple[str]:
    return (f"labs.engine.clients.{name}",)


_KAFKA = ("kafka.Kafka",)
_PLAIN = experiment(arm("described", producer__acks="1"))
_ALONE = replace(_PLAIN, scenario="producer-killed")
_JAVA = replace(_PLAIN, java_clients=kafka_versions()[0])
_LINKED = replace(_PLAIN, scenario="leader-cut-off")
_TRANSFORMED = replace(_case("goes-on-behind"), java_clients=kafka_versions()[0])
_QUERY, _SINK, _STREAMS = _case("batch-again"), _case("twice-at-once"), _case("streams-again")
_CLIENT = ("ClientApplication",)
_DRIVER = ("org.apache.spark.deploy.SparkSubmit",)
_FIRST, _LAST = ("producing",), ("producing", "reading")
VICTIMS = (
    Victim("broker", _KAFKA, "broker", _PLAIN, folder="broker"),
    Victim("only broker", _KAFKA, "broker", _ALONE, folder="broker"),
    Victim("controller", _KAFKA, "node", replace(_PLAIN, controllers=1), folder="controller"),
    Victim("proxy", ("labs.engine.network.proxy",), "of the links", _LINKED),
    Victim("producer", _module("producer"), "the producer-1", _PLAIN, PHASES[1:5]),
    Victim("consumer", _module("consumer"), "the consumer-1", _PLAIN, PHASES[1:6]),
    Victim("reader", _module("reader"), "the reader-1", _PLAIN, ("reading",)),
    Victim("java producer", (*_CLIENT, "produce"), "the JVM of", _JAVA, _LAST),
    Victim("java consumer", (*_CLIENT, "read"), "the JVM of", _JAVA, _LAST),
    Victim("transformer", (*_CLIENT, "read"), "the JVM of", _TRANSFORMED, _LAST),
    Victim("streams", ("StreamsApplication",), "the JVM of", _STREAMS, _LAST),
    Victim("driver", _module("query"), "the consumer-", _QUERY, _LAST),
    Victim("driver's JVM", _DRIVER, "the JVM of", _QUERY, _LAST),
    Victim("executor", ("--executor-id",), "executor", _SINK, _LAST),
)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a run: its verdict, the reason, and the seconds from the signal to its end."""

    verdict: str
    reason: str
    after_s: float

    def right(self, victim: Victim) -> bool:
        return (
            self.verdict == "unknown"
            and self.reason.startswith("The run was disturbed: ")
            and victim.mention in self.reason
            and self.after_s <= PROMPT_S
        )


def strike(victim: Victim, phase: str, number: signal.Signals, folder: Path) -> Result:
    """Runs an arm, and sends the signal to the victim once the arm is in the phase."""
    with Launch(victim.spec, folder) as run:
        signal_s, result, over_s = None, None, 0.0
        for event in run:
            if event["event"] == "phase" and event["phase"] == phase and signal_s is None:
                try:
                    signal_s = _send_signal(victim, run, number)
                except WaitTimeout as missing:
                    return Result("none", str(missing), 0.0)
            if event["event"] == "arm":
                result, over_s = event["result"], time.monotonic()
    if signal_s is None or result is None:
        return Result("none", f"it never came to {phase}", 0.0)
    return Result(result["verdict"], result["reason"], over_s - signal_s)


def _send_signal(victim: Victim, run: Launch, number: signal.Signals) -> float:
    pid = until(lambda: victim.pid(run.pid), _APPEAR_LIMIT_S, f"there is no {victim.name}", 0.01)
    os.kill(pid, number)
    return time.monotonic()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__)
    parser.add_argument("--only", choices=[victim.name for victim in VICTIMS], action="append")
    parser.add_argument("--phase", choices=PHASES, action="append")
    parser.add_argument("--signal", default="SIGKILL", help="SIGKILL, SIGTERM, SIGSTOP …")
    arguments = parser.parse_args()
    number, wrong = signal.Signals[arguments.signal], 0
    with tempfile.TemporaryDirectory(prefix="kills-") as scratch:
        for victim in VICTIMS:
            for phase in arguments.phase or victim.phases:
                if phase in victim.phases and victim.name in (arguments.only or [victim.name]):
                    place = Path(scratch, f"{victim.name}-{phase}")
                    outcome = strike(victim, phase, number, place)
                    right = outcome.right(victim)
                    wrong += not right
                    print(
                        f"{'ok   ' if right else 'WRONG'} {victim.name:14} {phase:10} "
                        f"{outcome.after_s:5.1f} s  {outcome.verdict}: {outcome.reason}",
                        flush=True,
                    )  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
