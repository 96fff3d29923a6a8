"""Faults of a cluster and its clients, each with proof that it happened, and their heals.

Every fault is a function of a rig, in the file of its name. Where clients, topics and groups are
concerned, these are the files `clients` and `admin`.

    rig = Rig(cluster, FaultLog(on_row=show), clients)
    pause(rig, followers("orders"))
    kill(rig, leader("orders"))
    resume(rig, paused())
    restart(rig, dead())
    rig.log.write(ledger)
"""
