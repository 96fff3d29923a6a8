"""What is done to a cluster and its clients, with proof; and heals.

Every fault is a function of a rig, in the file of its name. Where clients, topics and groups are
concerned, these are the files `clients` and `admin`.

    rig = Rig(cluster, FaultLog(on_row=show), clients)
    pause(rig, followers("orders"))
    kill(rig, leader("orders"))
    resume(rig, paused())
    restart(rig, dead())
    rig.log.write(ledger)
"""

from labs.engine.faults.admin import (
    accept,
    delete,
    delete_read,
    elect,
    forget_group,
    keep_all,
    recreate,
    refuse,
    widen,
)
from labs.engine.faults.clients import (
    cure,
    fail,
    hold,
    join,
    kill_client,
    let_go,
    lose_checkpoint,
    misdate,
    pause_client,
    pause_executor,
    prepare_deletion,
    put_right,
    replace_ended,
    resume_clients,
    resume_executor,
    spoil,
    start_again,
    stop_client,
)
from labs.engine.faults.cut_tail import cut_tail
from labs.engine.faults.detach import attach, detach, detached
from labs.engine.faults.hanging import abort_hanging
from labs.engine.faults.kill import kill, restart
from labs.engine.faults.links import cut, mend, sever, slow
from labs.engine.faults.pause import pause, resume
from labs.engine.faults.quota import lift_limit, limit_writes
from labs.engine.faults.read_only import read_only
from labs.engine.faults.reassign import remove_copy
from labs.engine.faults.record import FaultLog, FaultRow
from labs.engine.faults.rig import Client, Clients, Rig, Rows
from labs.engine.faults.roles import (
    Role,
    a_follower,
    broker,
    controller,
    coordinator,
    dead,
    dead_controllers,
    everyone,
    failed,
    followers,
    impaired,
    killed,
    killed_brokers,
    leader,
    leaders_rack,
    majority,
    minority,
    other_racks,
    paused,
    terminated,
    transaction_coordinator,
)
from labs.engine.faults.terminate import terminate
from labs.engine.faults.throttle import release, throttle
from labs.engine.faults.wipe import wipe
from labs.engine.record.fault_words import HEALS, Fault

__all__ = [
    "HEALS",
    "Client",
    "Clients",
    "Fault",
    "FaultLog",
    "FaultRow",
    "Rig",
    "Role",
    "Rows",
    "a_follower",
    "abort_hanging",
    "accept",
    "attach",
    "broker",
    "controller",
    "coordinator",
    "cure",
    "cut",
    "cut_tail",
    "dead",
    "dead_controllers",
    "delete",
    "delete_read",
    "detach",
    "detached",
    "elect",
    "everyone",
    "fail",
    "failed",
    "followers",
    "forget_group",
    "hold",
    "impaired",
    "join",
    "keep_all",
    "kill",
    "kill_client",
    "killed",
    "killed_brokers",
    "leader",
    "leaders_rack",
    "let_go",
    "lift_limit",
    "limit_writes",
    "lose_checkpoint",
    "majority",
    "mend",
    "minority",
    "misdate",
    "other_racks",
    "pause",
    "pause_client",
    "pause_executor",
    "paused",
    "prepare_deletion",
    "put_right",
    "read_only",
    "recreate",
    "refuse",
    "release",
    "remove_copy",
    "replace_ended",
    "restart",
    "resume",
    "resume_clients",
    "resume_executor",
    "sever",
    "slow",
    "spoil",
    "start_again",
    "stop_client",
    "terminate",
    "terminated",
    "throttle",
    "transaction_coordinator",
    "widen",
    "wipe",
]
