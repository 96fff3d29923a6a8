"""Faults of a cluster and its clients, each with proof that it happened, and their heals.

Every fault is a function of a rig. The faults of brokers, disks and links are in files of their
names; those of clients are in `clients`, and those of topics and groups in `admin`.

    rig = Rig(cluster, FaultLog(on_row=show), clients)
    pause(rig, followers("orders"))
    kill(rig, leader("orders"))
    resume(rig, paused())
    restart(rig, dead())
    rig.log.write(ledger)
"""
