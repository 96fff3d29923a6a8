"""What is done to a cluster, with proof: `kill`, `restart`, `pause`, `resume`, by role.

log = FaultLog(on_row=show)
pause(cluster, followers("orders"), log)
kill(cluster, leader("orders"), log)
resume(cluster, paused(), log)
restart(cluster, dead(), log)
log.write(ledger)
"""

from labs.engine.faults.kill import kill, restart
from labs.engine.faults.pause import pause, resume
from labs.engine.faults.record import HEALS, FaultLog, FaultRow
from labs.engine.faults.roles import Role, broker, dead, followers, leader, paused

__all__ = [
    "HEALS",
    "FaultLog",
    "FaultRow",
    "Role",
    "broker",
    "dead",
    "followers",
    "kill",
    "leader",
    "pause",
    "paused",
    "restart",
    "resume",
]
