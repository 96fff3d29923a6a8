"""What counts of a Quarkus file in a packaged application: `%prod.` does, other profiles do not.

Source: Quarkus, Configuration Reference Guide, Profiles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from advisor.intake.reading import Reading
from advisor.intake.text import shown
from advisor.intake.yaml_nodes import Leaf

_PROFILE = re.compile(r"\"?%(?P<profile>[^.\"]+)\"?\.(?P<name>.+)")
_RUNS = "prod"
"""The profile in which a packaged application runs."""


def in_production(reading: Reading, every: Iterable[Leaf]) -> list[Leaf]:
    """What counts in a packaged application, in the order in which it replaces each other; notes
    say which profiles are left out that speak of Kafka."""
    plain, of_profile, left_out = list[Leaf](), list[Leaf](), dict[str, int]()
    for leaf in every:
        name, match = leaf.path[0], _PROFILE.fullmatch(leaf.path[0])
        if match is None:
            plain.append(leaf)
        elif match["profile"] == _RUNS:
            of_profile.append(replace(leaf, path=(match["name"],)))
        elif "kafka" in name or "mp.messaging" in name:
            left_out.setdefault(match["profile"], leaf.line)
    for profile, line in left_out.items():
        reading.note(line, f"what counts only in profile {shown(profile)} is not read")
    return [*plain, *of_profile]
