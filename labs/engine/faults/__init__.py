"""What is done to a cluster, with proof: to processes, disks and links; and heals.

log = FaultLog(on_row=show)
pause(cluster, followers("orders"), log)
kill(cluster, leader("orders"), log)
resume(cluster, paused(), log)
restart(cluster, dead(), log)
log.write(ledger)
"""

from labs.engine.faults.cut_tail import cut_tail
from labs.engine.faults.hanging import abort_hanging
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.links import cut, mend, sever, slow
from labs.engine.faults.pause import pause, resume
from labs.engine.faults.read_only import read_only
from labs.engine.faults.record import HEALS, Fault, FaultLog, FaultRow
from labs.engine.faults.roles import (
    Role,
    a_follower,
    broker,
    controller,
    coordinator,
    dead,
    everyone,
    failed,
    followers,
    impaired,
    killed,
    leader,
    minority,
    paused,
    terminated,
    transaction_coordinator,
)
from labs.engine.faults.terminate import terminate
from labs.engine.faults.throttle import release, throttle
from labs.engine.faults.wipe import wipe

__all__ = [
    "HEALS",
    "Fault",
    "FaultLog",
    "FaultRow",
    "Role",
    "a_follower",
    "abort_hanging",
    "broker",
    "controller",
    "coordinator",
    "cut",
    "cut_tail",
    "dead",
    "everyone",
    "failed",
    "followers",
    "impaired",
    "kill",
    "killed",
    "leader",
    "mend",
    "minority",
    "pause",
    "paused",
    "read_only",
    "release",
    "restart",
    "resume",
    "sever",
    "slow",
    "terminate",
    "terminated",
    "throttle",
    "transaction_coordinator",
    "wipe",
]
