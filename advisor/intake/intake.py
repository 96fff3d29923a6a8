"""The content of a file after the catalog has judged it."""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.catalog import Problem, Value
from advisor.intake.cluster.identity import Server
from advisor.intake.reading import DefaultedSetting, Item, StartProfiles, Subject, VariableValue


@dataclass(slots=True)
class Intake:
    """The content of a file, by field (`producer.acks`).

    - `settings`: typed values under the catalog's names; `lines` has the line of each.
    - `heads`: answers that are not settings.
    - `notes`: what was ignored and why, with the line. A note is not a mistake.
    - `problems`: mistakes. A file with a problem should not be used.
    - `unknown_count`: the number of names that no part of Kafka has.
    - `other_component_count`: the number of settings of another component than the file's.
    - `inherited`: the fields of a topic that its brokers set.
    - `marks`: hashes of free texts, which are not stored; they mean nothing to another process.
    - `items`: numbers, words and versions that are judged together with other files.
    - `chosen_names`: the clients and profiles of the file that the user chose by name.
    - `server`: the server that the settings belong to, if they belong to one.
    - `subject`: the topics, the cluster and the clients that the settings belong to.
    - `program`: whether the file is code that processes records.
    - `unordered`: a problem if the user needs ordering.
    - `defaulted_settings`: settings that a variable may replace.
    - `variable_values`: the variables that the file sets.
    - `start_profiles`: the profiles in which it starts applications whose files are elsewhere.
    - `idle_problems`: why the file of an application sets nothing by itself; the variables of the
      application may set everything.
    """

    settings: dict[str, Value] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unknown_count: int = 0
    inherited: set[str] = field(default_factory=set)
    marks: dict[str, int] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    chosen_names: set[str] = field(default_factory=set)
    other_component_count: int = 0
    server: Server | None = None
    subject: Subject = field(default_factory=Subject)
    program: bool = False
    unordered: Problem | None = None
    defaulted_settings: list[DefaultedSetting] = field(default_factory=list)
    variable_values: list[VariableValue] = field(default_factory=list)
    start_profiles: list[StartProfiles] = field(default_factory=list)
    idle_problems: list[Problem] = field(default_factory=list)
