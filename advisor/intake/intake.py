"""What a file holds, once the catalog has judged what was read of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.catalog import Problem, Value
from advisor.intake.cluster.identity import Server
from advisor.intake.reading import Defaulted, Given, Item, Started, Subject


@dataclass(slots=True)
class Intake:
    """What a file holds, by field (`producer.acks`).

    `settings` are typed values under the catalog's names, `lines` says where each stands. `heads`
    are answers that are not settings. `notes` say, with the line, what was left out and why: it is
    no mistake. `problems` are mistakes; with one, the file should not be used. `strangers` counts
    names that nothing in Kafka has. `inherited` are the fields of a topic that its brokers state.
    `marks` tells free texts apart that are not kept; a mark means nothing to another process.
    `items` are numbers, words and versions that are judged together with other files. `chosen` are
    the clients of the file that were asked for by name. `others` counts what is of another
    component than the file, `server` is whose settings these are, where they are one server's,
    `subject` the topics, cluster and clients that they are of, `program` whether the file is code
    that works with records, `unordered` a problem where order is asked for, `defaulted` what
    variables may replace, `given` the variables that the file states, `started` the profiles in
    which it starts applications whose files are not in it, and `idle` why the file of an
    application says nothing by itself: what it is started with may say all.
    """

    settings: dict[str, Value] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    strangers: int = 0
    inherited: set[str] = field(default_factory=set)
    marks: dict[str, int] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    chosen: set[str] = field(default_factory=set)
    others: int = 0
    server: Server | None = None
    subject: Subject = field(default_factory=Subject)
    program: bool = False
    unordered: Problem | None = None
    defaulted: list[Defaulted] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    started: list[Started] = field(default_factory=list)
    idle: list[Problem] = field(default_factory=list)
