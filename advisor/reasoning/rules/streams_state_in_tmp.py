"""Local state in a folder that may be empty after the next start.

What it is
    state.dir below /tmp, which is the default, or below another folder that may be empty after a
    reboot (/var/tmp, /dev/shm, /run), in an application that keeps state on disk.

Why it matters
    Many systems empty such a folder at a reboot, and a new container has a new one. Nothing is
    lost, but the whole state is read back from the changelog, and its tasks wait for that.

Use instead
    A folder on a volume that the instance keeps when it restarts, and num.standby.replicas=1, so
    that another instance can take over meanwhile.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.catalog.texts import temporary
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a temporary state folder, if there is no standby replica."""
    if pipeline.family is not Family.STREAMS:
        return None
    streams, folder = Streams(pipeline), pipeline.text(Component.STREAMS, "state.dir")
    if streams.state != "logged" or streams.standbys or not temporary(folder):
        return None
    return (
        f"state.dir={folder} with {streams.standby_setting}: after a reboot or in a new container "
        "each task waits until its whole changelog is read back."
    )


RULE = Rule(
    code="S004",
    name="state-in-a-temporary-folder",
    severity=Severity.LOW,
    component=Component.STREAMS,
    setting="state.dir",
    check=check,
    sources=(
        "Kafka StreamsConfig, state.dir",
        "KIP-441",
    ),
    valid=(
        {"family": "streams", "streams.state.dir": "/var/lib/orders"},
        {"family": "streams", "streams.num.standby.replicas": "1"},
        {"family": "streams", "application.state": "none"},
    ),
    invalid=(
        {"family": "streams"},
        {"family": "streams", "streams.state.dir": "/dev/shm/orders"},  # noqa: S108
    ),
)
