"""Variables that one file gives and another one's settings have the default of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from advisor.intake.intake import Intake
from advisor.intake.places import Joined, Origin
from advisor.intake.reading import Defaulted, Given


@dataclass(slots=True)
class Variables:
    """What the files so far give, and what they leave to variables."""

    defaulted: list[tuple[Origin, Defaulted]] = field(default_factory=list)
    given: list[tuple[Origin, Given]] = field(default_factory=list)

    def add(self, intake: Intake, source: str, joined: Joined | None) -> Iterator[str]:
        """Adds those of a file, or of files that are read as one; says where a setting's default
        does not count, since its variable is given another value."""
        place = joined.origin if joined else partial(Origin, source)
        defaulted = [(place(it.default.line), it) for it in intake.defaulted]
        given = [(place(it.line), it) for it in intake.given]
        self.given += given
        yield from _replaced(defaulted, self.given)
        yield from _replaced(self.defaulted, given)
        self.defaulted += defaulted


def _replaced(
    defaulted: list[tuple[Origin, Defaulted]], given: list[tuple[Origin, Given]]
) -> Iterator[str]:
    for at, setting in defaulted:
        default = setting.default
        for other, it in given:
            reaches = it.by_file or not setting.by_compose
            if reaches and it.variable == default.variable and it.value != default.value:
                words = f"{setting.setting} has the default of a variable here, and {other} states"
                yield f"{at}: {words} another value for that: write the one that counts."
                break
