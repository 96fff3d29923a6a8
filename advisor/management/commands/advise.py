"""`manage.py advise`: what a pipeline's settings give, and what would give what is wanted."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from advisor import services
from advisor.catalog import Component, Family
from advisor.management.inputs import FileProblem, Inputs
from advisor.management.report import report
from advisor.reasoning.pipeline import Pipeline

BAD_INPUT = 2
_HEADS = {
    "client": "family", "client_version": "version", "kafka": "kafka", "brokers": "brokers",
    "want": "need.guarantee", "survive": "need.survive",
}  # fmt: skip


class Command(BaseCommand):
    """Exit codes: 0 the advice was given, 2 the input is wrong (file, line and setting named)."""

    help = (
        "Says which delivery guarantee a pipeline's settings give, failure by failure, and the "
        "smallest change that gives the one that is wanted."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        for component in Component:
            words = f"the {component}'s settings, as Java properties"
            parser.add_argument(f"--{component}", metavar="FILE", help=words)
        for option, metavar, words in (
            ("spark", "FILE", "options of Spark's Kafka source and sink, as Java properties"),
            ("streams", "FILE", "settings of a Kafka Streams application: not advised on yet"),
            ("pipeline", "FILE.toml", "a whole pipeline in one file"),
            ("client", "FAMILY", f"one of {', '.join(Family)}; default java"),
            ("client-version", "VERSION", "default: the newest that is known"),
            ("kafka", "VERSION", "of the brokers; default 4.3"),
            ("brokers", "N", "size of the cluster; default 3"),
            ("want", "GUARANTEE", "default at-least-once"),
            ("survive", "N", "brokers that may be lost for good; default 1"),
        ):
            parser.add_argument(f"--{option}", metavar=metavar, help=words)
        parser.add_argument("--ordering", action="store_true", help="order must be kept as well")
        parser.add_argument("--json", action="store_true", help="as data, for other programs")

    def handle(self, *args: object, **options: Any) -> None:
        if options["streams"]:
            message = "--streams: Kafka Streams is not advised on yet."
            raise CommandError(message, returncode=BAD_INPUT)
        inputs = _inputs(options)
        pipeline = _pipeline(inputs)
        for note in inputs.notes:
            self.stderr.write(note)
        if options["json"]:
            self.stdout.write(json.dumps(services.advise(pipeline), indent=2))
        else:
            self.stdout.write(report(pipeline))


def _inputs(options: dict[str, Any]) -> Inputs:
    """Everything stated; an option goes before a component's file, that before the pipeline's."""
    inputs = Inputs()
    try:
        if options["pipeline"]:
            inputs.add_pipeline(options["pipeline"])
        for option, name in _HEADS.items():
            if options[option] is not None:
                inputs.state(name, str(options[option]), f"--{option.replace('_', '-')}")
        if options["ordering"]:
            inputs.state("need.ordering", "on", "--ordering")
        if options["spark"]:
            inputs.add_spark(options["spark"])
        for component in Component:
            if options[component]:
                inputs.add_properties(options[component], component)
    except FileProblem as error:
        raise CommandError(str(error), returncode=BAD_INPUT) from error
    return inputs


def _pipeline(inputs: Inputs) -> Pipeline:
    """What was described. Raises `CommandError` that says all that is wrong with it."""
    pipeline, problems = services.from_fields(inputs.fields)
    wrong = inputs.problems + [inputs.said(problem) for problem in problems]
    if pipeline is None or wrong:
        raise CommandError("\n".join(wrong), returncode=BAD_INPUT)
    return pipeline
