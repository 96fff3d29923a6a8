"""The data of a challenge, without Django."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spark_jobs.count_table import COUNTS

KINDS: Mapping[str, str] = {
    "survive": "Survive",
    "golf": "Smallest change",
    "exactly": "Fail on purpose",
    "forensics": "Forensics",
    "running": "Keep it running",
}
"""The kinds of challenges: name in files → words."""

MUST_HOLD = frozenset({"survive", "golf", "running"})
"""The kinds in which the run must also hold the guarantee that is wanted."""

LEVELS: Mapping[int, str] = {1: "First steps", 2: "With experience", 3: "Hard"}

P99 = "ack_p99_ms"
"""The one measure that is not a count of the judge: the 99th percentile of the acknowledgement
latency in ms (`ack_latency_ms` of an arm's result)."""

YOURS, RECORDED = "yours", "recorded"
"""The names of the arm with a visitor's settings, and of the recording to explain."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a number of the run: from `least` to `most`, inclusive.

    `count` is a count of the judge, or `P99`. Without `most`, there is no upper limit.
    """

    count: str
    least: int = 0
    most: int | None = None

    def met(self, seen: int) -> bool:
        return self.least <= seen and (self.most is None or seen <= self.most)

    @property
    def label(self) -> str:
        """The words that follow the number."""
        if self.count == P99:
            return "ms until 99 % of acknowledgements had come"
        return COUNTS[self.count].label

    @property
    def bounds(self) -> str:
        """The bounds in words: `none`, `exactly 10`, `at most 9,000`, `at least 1`, `3 to 5`."""
        if self.most is None:
            return f"at least {self.least:,}"
        if self.most == self.least:
            return f"exactly {self.most:,}" if self.most else "none"
        return f"{self.least:,} to {self.most:,}" if self.least else f"at most {self.most:,}"

    def __str__(self) -> str:
        if self.label.startswith("ms "):
            return f"{self.label.removeprefix('ms ').removeprefix('of ')}: {self.bounds} ms"
        return f"{self.label}: {self.bounds}"


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """Settings of the levers that the authors tested, and the reason for their effect."""

    settings: Mapping[str, str]
    why: str


NO_ANSWER = KnownAnswer({}, "")


@dataclass(frozen=True, slots=True)
class Cause:
    """One possible cause in a case of forensics, with the explanation shown after the answer."""

    name: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Challenge:
    """One challenge. `name` is its slug in addresses.

    `settings` are those of the start, as typed in the questionnaire; `levers` are the settings that
    the visitor may change. `staging` overrides durations and the rate of the scenario. A case of
    forensics has `causes` instead of levers: its `optimum` and `tempting` have no settings, and
    `cause` and `wrong` name the true and the tempting cause.
    """

    name: str
    order: int
    title: str
    level: int
    kind: str
    teaches: str
    story: str
    goal: str
    scenario: str
    want: str
    settings: Mapping[str, str]
    conditions: tuple[Condition, ...]
    staging: Mapping[str, float] = field(default_factory=dict)
    levers: tuple[str, ...] = ()
    optimum: KnownAnswer = NO_ANSWER
    tempting: KnownAnswer = NO_ANSWER
    causes: tuple[Cause, ...] = ()
    cause: str = ""
    wrong: str = ""

    @property
    def fewest(self) -> int:
        """The number of settings that the optimum changes."""
        return len(self.optimum.settings)

    @property
    def kind_words(self) -> str:
        return KINDS[self.kind]

    @property
    def level_words(self) -> str:
        return LEVELS[self.level]

    @property
    def is_forensics(self) -> bool:
        return self.kind == "forensics"

    @property
    def arm(self) -> str:
        """The name of the one arm of its runs."""
        return RECORDED if self.is_forensics else YOURS

    def fields(self, levers: Mapping[str, str]) -> dict[str, str]:
        """Returns the description with these levers; absent and empty ones are not stated."""
        stated = {name: levers.get(name, "") for name in self.levers}
        return {**self.settings, **stated}

    def start(self) -> dict[str, str]:
        """Returns the levers at the start of the challenge."""
        return {name: self.settings.get(name, "") for name in self.levers}

    def with_levers(self, entry: KnownAnswer) -> dict[str, str]:
        """Returns all levers of a known answer, which has only those that it changes."""
        return {**self.start(), **entry.settings}
