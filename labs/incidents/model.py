"""What an incident is, and what one play of it brought."""

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
"""By component, what its releases are releases of."""
SIDES = ("affected", "fixed", "today")
PHASES = ("waiting", "fetching", "booting", "playing", "done")
"""What a play goes through: its place on the machine, the release, the brokers, the steps."""
TEXTS = ("report", "steps", "mechanism", "workaround")
"""The texts of an incident, in the order in which they are read; each is a Markdown file."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What a play left to look at: lines of a log, a dump of a segment, a description."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """An action or observation of a play, `at_s` seconds after its brokers served."""

    at_s: float
    words: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """One play: in how many of its messages the harm was seen, and what was done until then."""

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

    `id` is the ticket, and that of the advisory that it shows. `affected` and `fixed` are the
    releases that are run, and `today` is the newest of their kind. `harm` is what is counted, in
    words that follow a count ("committed messages gone"). `moment` are patterns of moments, each
    searched after the one before: the last is when the harm became a fact. `module` is the Python
    name of its steps. `texts` are by their name, with the drawings of the folder. `not_today` says
    why its steps cannot be played on today's release, if they cannot. `brokers` is the release of
    the brokers for clients of the past that do not speak to one of today. `historical` are those
    of its releases of whose lines no release is offered for anything else.
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
        """Its part of an address, and that of its advisory."""
        return self.id.lower().replace(" #", "--")

    @property
    def kind(self) -> str:
        """What its releases are releases of."""
        return KINDS[self.component]

    @property
    def releases(self) -> dict[str, str]:
        """Side → release: with the bug, with its fix, and of today where that is another one."""
        both = {"affected": self.affected, "fixed": self.fixed}
        return both if self.not_today or self.today == self.fixed else {**both, "today": self.today}

    def harm_in(self, moments: Sequence[Moment]) -> int | None:
        """Where the harm became a fact among the moments of a play that showed it; None if nowhere.

        The last moment is the count, made afterwards.
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
