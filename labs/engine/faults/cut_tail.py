"""Simulates a power cut: cuts off the unflushed end of dead brokers' logs.

SIGKILL alone leaves the page cache to the kernel, which writes it. A real power cut takes any
part of what was not flushed; the simulation takes all of it. A run is shorter than the half
minute for which Linux may keep written pages in memory (vm.dirty_expire_centisecs), so that can
be all that it wrote. Only the logs of the topic under test are cut: the group's offsets and the
metadata are spared, so that what is seen is the topic's own loss.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.cluster.broker import Broker
from labs.engine.cluster.tails import Cut, cut_unflushed
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role


def cut_tail(rig: Rig, role: Role, flush_messages: Mapping[str, int]) -> Rows:
    """Cuts the logs of the brokers of a role, all killed, down to what is surely on their disks.

    `flush_messages` is that setting by topic. Evidence is what each of their logs was cut from
    and to; where everything was flushed, that nothing was left to cut.
    """
    cuts: dict[int, list[Cut]] = {}

    def act(broker: Broker) -> None:
        if not broker.ended_by_sigkill:
            raise RuntimeError(f"broker {broker.id} did not die by SIGKILL: it flushed at its end")
        cuts[broker.id] = cut_unflushed(broker.data, flush_messages)

    def proof(broker: Broker) -> str | None:
        text = (
            "; ".join(map(_evidence, cuts[broker.id]))
            or f"no log of {', '.join(flush_messages)} is here"
        )
        return f"simulated power cut: {text}"

    return inject("cut_tail", rig, role, act, proof, limit_s=10)


def _evidence(cut: Cut) -> str:
    if cut.kept == cut.size:
        return f"{cut.log}: all of its {cut.size} bytes were flushed, none cut"
    return f"{cut.log} cut from {cut.size} to {cut.kept} bytes, it ends at offset {cut.end}"
