"""A running experiment as its page shows it, at chosen seconds of recorded runs."""

from __future__ import annotations

from typing import Any

from labs.engine.record.replay import Replay
from labs.models import Experiment, State
from tests.engine.record.test_why import kept
from tests.labs import make

WEAK = {"producer": {"acks": "1", "linger.ms": 5}, "topic": {"min.insync.replicas": 1}}
SAFE = {"producer": {"acks": "all", "linger.ms": 5}, "topic": {"min.insync.replicas": 2}}
BEFORE_S = 9.0
"""The second of the experiment at which sending begins."""


def live(run: Replay, second: float) -> dict[str, Any]:
    """The last report of the runner at a second of a run."""
    now, before = (
        run.before(second) or run.moments[0],
        run.before(second - 1) or run.moments[0],
    )
    return {
        "brokers": {str(id_): state for id_, state in now.states.items()},
        "leader": now.leader, "isr": list(now.isr), "high_watermark": now.high_watermark,
        "committed": now.committed, "ends": {str(id_): end for id_, end in now.ends.items()},
        "sent": now.sent, "acknowledged": now.acknowledged, "failed": now.failed,
        "delivered": now.delivered, "acknowledged_per_s": now.acknowledged - before.acknowledged,
        "delivered_per_s": now.delivered - before.delivered,
        "began": {"booting": 0.0, "producing": BEFORE_S, "faulting": BEFORE_S + 2.0},
    }  # fmt: skip


def show(experiment: Experiment, second: float) -> None:
    """Moves each arm to a second of a recorded run: the first of WEAK, the others of SAFE."""
    for arm in experiment.runs.all():
        name = "recommended" if arm.position else "described"
        run, _ = kept(f"followers-behind-{name}")
        done = [fault for fault in run.faults if fault.at_s <= second]
        experiment.runs.filter(pk=arm.pk).update(
            phase="faulting", live=live(run, second),
            settings=SAFE if arm.position else WEAK,
            faults=[{"fault": fault.fault, "target": fault.target, "phase": "complete",
                     "at_s": fault.at_s + BEFORE_S, "evidence": fault.evidence} for fault in done],
            samples=[{"at_s": at / 4, "leader": 1,
                      "acknowledged_per_s": live(run, at / 4)["acknowledged_per_s"]}
                     for at in range(int(4 * second))],
        )  # fmt: skip


def experiment(second: float) -> Experiment:
    """The experiment with lagging followers, at this second after the first send."""
    result = make.experiment(State.RUNNING)
    show(result, second)
    return result
