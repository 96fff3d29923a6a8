"""The options of `manage.py experiment`, and the experiment that they request.

Each function raises `CommandError` with exit code 2; it names the option and valid values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from advisor import services as advisor
from advisor.catalog import kafka_line
from advisor.intake.file_text import FileProblem
from advisor.intake.options import parse_option
from advisor.management.exact import bad_input
from advisor.reasoning.pipeline import Pipeline
from labs.engine.distributions.distribution import (
    all_versions,
    earlier_releases,
    kafka_versions,
)
from labs.engine.plan.spec import ArmSpec, ExperimentSpec
from labs.engine.scenarios import ScenarioError, all_scenarios, find
from labs.runs import across, planning
from labs.runs.conditions import (
    COPIER,
    LIBRDKAFKA,
    Conditions,
    ConditionsForm,
    clients_for,
    java_release,
)
from labs.runs.search import Search

_ARMS = ("described", "recommended")
_OPTIONS = ("clients", "controllers")
"""Conditions with a separate option."""
_VERSIONS = (
    f"version of the brokers: {', '.join(all_versions())}, or the line of one. Before 3.3, or with "
    "--set application.metadata.mode=zookeeper, they have ZooKeeper if the scenario can be staged "
    "so (see `scenarios`). Otherwise brokers in KRaft mode run, and the result says so"
)

ASSUMED = {"topic.replication.factor": "3"}
"""The assumed settings. The default of brokers is one copy; without a follower, no failure of
replication could be staged."""


def add_arguments(parser: CommandParser) -> None:
    """Adds all options of the command."""
    _add_experiment(parser)
    _add_conditions(parser)
    _add_repetition(parser)
    _add_lines(parser)
    parser.add_argument("--json", action="store_true", help="the result as data")


def _add_experiment(parser: CommandParser) -> None:
    parser.add_argument("--scenario", required=True, metavar="NAME", help="see `scenarios`")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="COMPONENT.KEY=VALUE",
        dest="stated",
        help="a described setting, such as producer.acks=1; can be repeated. Other settings "
        "have the product's default, except topic.replication.factor=3",
    )
    parser.add_argument(
        "--arms",
        default="described,recommended",
        metavar="described,recommended",
        help="which settings to run: as described, as recommended, or both",
    )
    parser.add_argument(
        "--client", default="java", help="java (default), librdkafka, spark or streams"
    )
    parser.add_argument(
        "--client-version",
        metavar="VERSION",
        help="release or line of the client, for the defaults; the word brokers stands for the "
        "line of the brokers, also with --across. Default: the newest",
    )
    parser.add_argument(
        "--want",
        default="at-least-once",
        metavar="GUARANTEE",
        help="the guarantee to judge by; default at-least-once",
    )
    parser.add_argument(
        "--kafka",
        default=kafka_versions()[0],
        metavar="VERSION",
        help=_VERSIONS,
    )
    parser.add_argument("--seed", type=int, help="repeat the schedule of the run with this seed")


def _add_conditions(parser: CommandParser) -> None:
    parser.add_argument(
        "--controllers",
        type=int,
        default=0,
        choices=range(4),
        help="dedicated controllers; default 0: what the scenario uses",
    )
    parser.add_argument(
        "--clients",
        choices=("librdkafka", "java", COPIER),
        help="which clients run. java: Kafka's own, where brokers or the network fail, or where an "
        "application reads and writes (default for --client java from 3.3 on). librdkafka, with "
        "the settings translated (default otherwise). copier: the lab's Java application that "
        "reads and writes in transactions, in place of Kafka's TransactionalMessageCopier",
    )
    parser.add_argument(
        "--condition",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="conditions",
        help="partitions, rate_per_s, value_bytes, or a duration of the scenario in seconds, such "
        "as lead_in_s=5, as on the web; can be repeated. Others are the scenario's own, or drawn "
        "by the seed",
    )


def _add_repetition(parser: CommandParser) -> None:
    parser.add_argument(
        "--until-bound",
        type=float,
        metavar="SHARE",
        help="run it with more seeds, until each arm was broken once, or held so often that at "
        "most this share of its runs is broken, with 95 %% confidence (0.05: 59 runs)",
    )
    parser.add_argument(
        "--minutes", type=float, metavar="N", help="with --until-bound: stop after this time"
    )


def _add_lines(parser: CommandParser) -> None:
    parser.add_argument(
        "--across",
        metavar="LINES",
        help="run it on each of these lines of brokers, 2.8..4.3 or 3.3,3.9,4.3, under one seed: "
        "prints the verdicts, and what the rules and the known bugs say of each change. Not with "
        "--kafka",
    )
    parser.add_argument(
        "--bisect",
        action="store_true",
        help="with --across: only the lines that show between which two the verdict changed, then "
        "the patch releases of the later one",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FILE",
        help="with --across: write the rows to FILE, and replace older ones of the same lines",
    )


def experiment_spec(options: dict[str, Any]) -> ExperimentSpec:
    """Returns the requested experiment."""
    try:
        find(options["scenario"])
    except ScenarioError as error:
        raise bad_input(str(error)) from error
    names = options["arms"].split(",")
    if not names or len(set(names)) < len(names) or set(names) - set(_ARMS):
        raise bad_input(f"--arms is a choice of {', '.join(_ARMS)}, not {options['arms']!r}")
    pipeline = described_pipeline(options)
    arms = [_arm(name, pipeline) for name in names]
    chosen = _conditions(options, pipeline)
    try:
        return planning.exact_spec(options["scenario"], options["seed"], arms, pipeline, chosen)
    except ValueError as cannot:
        raise bad_input(f"this cannot be staged: {cannot}") from cannot


def spec_on(options: dict[str, Any]) -> ExperimentSpec:
    """Returns it on exactly the release of `--kafka`, even if that is not an offered one."""
    return planning.at_release(experiment_spec(options), options["kafka"])


def described_pipeline(options: dict[str, Any]) -> Pipeline:
    """Returns the described pipeline of the options, on the release of `--kafka`."""
    fields = {
        **ASSUMED,
        "family": options["client"],
        "kafka": options["kafka"],
        "need.guarantee": options["want"],
    }
    if version := _client_version(options):
        fields["version"] = version
    try:
        fields.update(map(parse_option, options["stated"]))
    except FileProblem as error:
        raise bad_input(str(error)) from error
    pipeline, problems = advisor.from_fields(fields)
    if pipeline is None:
        raise bad_input("\n".join(f"{p.component}.{p.setting}: {p.message}" for p in problems))
    return pipeline


def _client_version(options: dict[str, Any]) -> str | None:
    chosen: str | None = options["client_version"]
    return options["kafka"] if chosen == across.SAME_AS_BROKERS else chosen


def _arm(name: str, pipeline: Pipeline) -> ArmSpec:
    chosen = pipeline if name == "described" else advisor.recommended(pipeline)
    return planning.arm(name, chosen, pipeline.requirement.guarantee)


def _conditions(options: dict[str, Any], pipeline: Pipeline) -> Conditions:
    """Returns the conditions of all options, within the limits of the web, except that two
    controllers are allowed. `java_clients` is the release of the Java clients, if any.
    """
    scenario = find(options["scenario"])
    names = [name for name in ConditionsForm(scenario).fields if name not in _OPTIONS]
    java, clients = _java_clients(options, pipeline), options["clients"] or ""
    if clients == LIBRDKAFKA:
        java, clients = None, ""
    fields = {"clients": java or "" if clients == "java" else clients}
    for condition in options["conditions"]:
        name, equals, value = condition.partition("=")
        if not equals or name not in names:
            raise bad_input(
                f"--condition {condition!r}: write NAME=VALUE; NAME is one of {', '.join(names)}"
            )
        fields[name] = value
    form = ConditionsForm(scenario, fields, java=java)
    if not form.is_valid():
        raise bad_input("\n".join(form.problems()))
    chosen = replace(form.conditions(), controllers=options["controllers"])
    if options["clients"] == LIBRDKAFKA:
        return chosen
    return replace(chosen, java_clients=clients_for(pipeline, scenario, chosen))


def _java_clients(options: dict[str, Any], pipeline: Pipeline) -> str | None:
    """Returns the release of the Java clients that can run it; rejects an impossible choice."""
    scenario, wanted = find(options["scenario"]), options["clients"]
    release = java_release(pipeline, scenario)
    if wanted not in ("java", COPIER):
        return release
    if release is None:
        raise bad_input(
            f"--clients {wanted}: Kafka's own clients play a pipeline of --client java of a line "
            f"from {kafka_line(kafka_versions()[-1])} on, in a scenario in which brokers or the "
            "network fail, or in which the application reads, works and writes to another topic"
        )
    if wanted == COPIER and not scenario.copier:
        can = ", ".join(scenario.name for scenario in all_scenarios() if scenario.copier)
        raise bad_input(f"--clients {COPIER}: what stands for Kafka's copier can play {can}")
    return release


def repetition(options: dict[str, Any]) -> tuple[float | None, float]:
    """Returns the share of `--until-bound`, or None, and the limit in minutes."""
    share, minutes = options["until_bound"], options["minutes"]
    if share is not None and not 0 < share < 1:
        raise bad_input("--until-bound takes a share above 0 and below 1")
    if minutes is not None and (share is None or not minutes > 0):
        raise bad_input("--minutes takes a number above 0, and goes with --until-bound")
    return share, math.inf if minutes is None else minutes


def lines(options: dict[str, Any]) -> tuple[str, ...]:
    """Returns the lines of `--across`, oldest first; none without it."""
    if options["across"] is None:
        for name in ("bisect", "keep"):
            if options[name]:
                raise bad_input(f"--{name} goes with --across")
        return ()
    if options["until_bound"] is not None or options["kafka"] != kafka_versions()[0]:
        raise bad_input("--across takes the lines itself: leave --kafka and --until-bound out")
    try:
        return across.parse_lines(options["across"], all_versions())
    except across.AcrossError as problem:
        raise bad_input(f"--across: {problem}") from problem


def search(lines: Sequence[str], options: dict[str, Any]) -> Search:
    """Returns the search over lines, with the patch releases with which `--bisect` continues."""
    offered = {kafka_line(release): release for release in all_versions()}
    earlier = {line: earlier_releases(offered[line]) for line in lines}
    return Search(tuple(lines), options["bisect"], earlier)


def requested_lines(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the request of the rows of `--across`, which `labs.evidence.over_lines` reads."""
    return {
        "scenario": options["scenario"],
        "settings": options["stated"],
        "conditions": options["conditions"],
        "client": options["client"],
        "client_version": options["client_version"] or "",
        "want": options["want"],
        "arms": options["arms"].split(","),
        "seed": options["seed"],
    }


def on_release(options: dict[str, Any], release: str) -> Pipeline:
    """Returns the settings of the compared arm on the release that ran, since releases of a line
    differ in bugs."""
    pipeline = described_pipeline({**options, "kafka": release})
    is_described = options["arms"].split(",")[0] == "described"
    return pipeline if is_described else advisor.recommended(pipeline)
