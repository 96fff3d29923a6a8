"""Simulates a power cut: cuts off the unflushed end of dead brokers' logs.

After SIGKILL the kernel still writes the page cache. A real power cut loses any part of the
unflushed data; the simulation loses all of it. A run is shorter than the half minute for which
Linux may keep dirty pages in memory (vm.dirty_expire_centisecs), so that can be all of its data.
Only the logs of the topic under test are cut. The group's offsets and the metadata are spared, so
that the run shows the loss of the topic alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.cluster.broker import Broker
from labs.engine.cluster.tails import Cut, cut_unflushed
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role


def cut_tail(rig: Rig, role: Role, flush_messages: Mapping[str, int]) -> Rows:
    """Cuts the logs of the killed brokers of a role to the part that is certainly on their disks.

    `flush_messages` maps each topic to its value of `flush.messages`. The evidence is the size of
    each log before and after the cut, or that everything was flushed.
    """
    cuts: dict[int, list[Cut]] = {}

    def act(broker: Broker) -> None:
        if not broker.ended_by_sigkill:
            raise RuntimeError(
                f"broker {broker.id} was not ended by SIGKILL: it flushed at its end"
            )
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
        return f"{cut.log}: all {cut.size} bytes were flushed, none were cut"
    return f"{cut.log} was cut from {cut.size} to {cut.kept} bytes and ends at offset {cut.end}"
