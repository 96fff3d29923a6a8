"""The data of an incident, and the outcome of a play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from labs.lessons.text import Text

KINDS = {
    "broker": "brokers",
    "java-client": "Java clients",
    "streams": "Kafka Streams",
    "librdkafka": "librdkafka",
}
"""Component → the product whose releases are run."""
SIDES = ("affected", "fixed", "today")
PHASES = ("waiting", "fetching", "booting", "playing", "done")
"""The phases of a play: place on the machine, release, brokers, steps, end."""
TEXTS = ("report", "steps", "mechanism", "workaround")
"""The texts of an incident, in reading order; each is a Markdown file."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """Evidence from a play: lines of a log, a dump of a segment, a description."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """An action or observation of a play, `at_s` seconds after its first one."""

    at_s: float
    words: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one play: `harmed` of `of` messages show the harm."""

    harmed: int
    of: int
    exhibits: tuple[Exhibit, ...] = ()
    moments: tuple[Moment, ...] = ()

    @property
    def is_harm(self) -> bool:
        return self.harmed > 0


@dataclass(frozen=True, slots=True)
class Incident:
    """A bug, the releases on both sides of its fix, and its texts.

    `id` is the ticket, and the id of the advisory. `affected` and `fixed` are the releases that are
    run, and `today` is the newest release of the product. `harm` is what is counted, in words that
    follow a count ("committed messages gone"). `moment` has patterns of moments, each searched
    after the previous match: the last match is the moment of the harm. `module` is the Python name
    of its steps. `texts` has the texts by name, with the drawings of the folder. `not_today` is the
    reason if the steps cannot be played on today's release. `brokers` is the release of the brokers
    for past clients that cannot connect to today's. `historical` has its releases on lines that are
    offered for nothing else.
    """

    id: str
    title: str
    component: str
    affected: str
    fixed: str
    today: str
    harm: str
    moment: tuple[str, ...]
    minutes: int
    module: str
    sources: tuple[str, ...]
    texts: Mapping[str, Text] = field(default_factory=dict)
    not_today: str = ""
    brokers: str = ""
    historical: frozenset[str] = frozenset()

    @property
    def slug(self) -> str:
        """Its name in addresses, and that of its advisory."""
        return self.id.lower().replace(" #", "--")

    @property
    def kind(self) -> str:
        """The product whose releases are run, in words."""
        return KINDS[self.component]

    @property
    def releases(self) -> dict[str, str]:
        """Side → release: with the bug, with its fix, and today's if that is another one."""
        both = {"affected": self.affected, "fixed": self.fixed}
        return both if self.not_today or self.today == self.fixed else {**both, "today": self.today}

    def harm_in(self, moments: Sequence[Moment]) -> int | None:
        """Returns the index of the moment of the harm in a play that showed it; None if unknown.

        The last moment is the count at the end, and is not searched.
        """
        at = -1
        for pattern in self.moment:
            later = range(at + 1, len(moments) - 1)
            step = next(
                (place for place in later if re.search(pattern, moments[place].words)), None
            )
            if step is None:
                return None
            at = step
        return at
