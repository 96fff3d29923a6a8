"""`manage.py advise`: the guarantee of a pipeline's settings, and the changes for the wanted
one."""

from __future__ import annotations

import json
import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import CommandParser

from advisor import services
from advisor.catalog import Component, Family
from advisor.intake import all_readers
from advisor.intake.absent_files import absence_notes
from advisor.intake.file_text import FileProblem, read_file, states_nothing
from advisor.intake.inputs import Inputs
from advisor.intake.origins import Origin
from advisor.known_bugs import known_bugs
from advisor.management.exact import ExactCommand, bad_input, terminal_width
from advisor.reasoning.pipeline import Pipeline
from advisor.reports.programs import Read, as_data
from advisor.reports.sarif import sarif
from advisor.reports.text import report

BROKEN, _FILE = 1, "FILE"
_UNWEIGHED_ENDINGS = (
    "not taken into account.", "is not a plain value: not read.",
    "a dict without a setting of a client: not read.",
)  # fmt: skip
"""The endings of notes on settings that are not modelled."""
_UNKNOWN_ENDING, _SHOWN_UNKNOWN = "is not a known setting of Kafka; Kafka would ignore it.", 2
"""The ending of notes on names that Kafka does not have, and how many of them are shown."""
_HEADS = {
    "client": "family", "client_version": "version", "kafka": "kafka", "brokers": "brokers",
    "want": "need.guarantee", "survive": "need.survive",
}  # fmt: skip


class _Once(Action):
    """An option that may occur once only: otherwise the last one would silently count."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: object,
        option: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            more = (
                "; name several files of one application without it"
                if self.metavar == _FILE
                else ""
            )
            parser.error(f"{option} is stated twice: leave one{more}.")
        setattr(namespace, self.dest, values)


class Command(ExactCommand):
    """Exit codes: 0 the wish holds, 1 it does not, 2 the input is wrong.

    A wish is `--want`, `--survive` and `--ordering`, or `[need]` of a pipeline file; the default is
    at-least-once with one broker lost, and standard error says so. Errors go there too, with file,
    line and setting.
    """

    help = (
        "Says which delivery guarantee a pipeline's settings give, failure by failure, and the "
        "smallest change that gives the one that is wanted. Exit codes: 0 the wish holds, 1 it "
        "does not hold, 2 the input is wrong."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = ", ".join(reader.kind for reader in all_readers())
        words = "configuration files, or - for standard input; the kind of each is detected "
        words += "(.toml: a pipeline)"
        parser.add_argument("files", metavar="FILE", nargs="*", help=words)
        parser.add_argument(
            "--kind", metavar="KIND", help=f"the kind of every FILE: one of {kinds}"
        )
        words = "which client of a FILE with several is meant: a channel, a binding, or 'line N', "
        words += "where it begins; also the profile in which Spring runs, or Kafka among Strimzi's "
        words += "resources; can be repeated"
        parser.add_argument("--only", action="append", default=[], metavar="NAME", help=words)
        for component in Component:
            words = f"{component} settings, as Java properties"
            parser.add_argument(f"--{component}", action=_Once, metavar=_FILE, help=words)
        for option, metavar, words in (
            ("spark", _FILE, "options of Spark's Kafka source and sink"),
            ("pipeline", "FILE.toml", "a whole pipeline in one file"),
            ("client", "FAMILY", f"one of {', '.join(Family)}; default java"),
            ("client-version", "VERSION", "default: the newest known"),
            ("kafka", "VERSION", "version of the brokers; default 4.3"),
            ("brokers", "N", "size of the cluster; default 3"),
            ("want", "GUARANTEE", "the guarantee that you want; default at-least-once"),
            ("survive", "N", "brokers that may be lost for good; default 1"),
        ):
            parser.add_argument(f"--{option}", action=_Once, metavar=metavar, help=words)
        parser.add_argument(
            "--set", action="append", default=[], metavar="COMPONENT.KEY=VALUE", dest="stated",
            help="one setting, such as producer.acks=1; overrides every file; can be repeated",
        )  # fmt: skip
        parser.add_argument("--ordering", action="store_true", help="also require order")
        parser.add_argument("--format", choices=("text", "json", "sarif"), help="default text")
        parser.add_argument("--json", action="store_true", help="the same as --format json")
        parser.add_argument(
            "--verbose",
            action="store_true",
            help="the text with every failure, finding, number and procedure, and every note",
        )

    def handle(self, *args: object, **options: Any) -> None:
        inputs = _inputs(options)
        pipeline = _pipeline(inputs)
        for note in [*_notes(inputs, options["verbose"]), *_assumed_wish(pipeline, inputs)]:
            self.stderr.write(note)
        answer = services.answer(pipeline, columns=())
        read = Read(inputs.program, absence_notes(inputs.notes))
        match options["format"] or ("json" if options["json"] else "text"):
            case "json":
                data = services.to_json(answer) | as_data(answer, read)
                self.stdout.write(json.dumps(data, indent=2))
            case "sarif":
                self.stdout.write(json.dumps(sarif(answer, inputs), indent=2))
            case _:
                width = terminal_width(self.stdout)
                self.stdout.write(
                    report(answer, verbose=options["verbose"], read=read, width=width)
                )
        if not answer.judgement.met or known_bugs(answer).breaking:
            sys.exit(BROKEN)


def _inputs(options: dict[str, Any]) -> Inputs:
    """Returns all inputs; an option takes precedence over a component's file, that over other
    files."""
    inputs = Inputs(only=tuple(options["only"]))
    if options["kind"] and options["kind"] not in {reader.kind for reader in all_readers()}:
        raise bad_input(f"--kind: there is no kind {options['kind']}.")
    try:
        for path in [options["pipeline"], *options["files"]]:
            if path and (path.endswith(".toml") or path == options["pipeline"]):
                inputs.add_pipeline(path, read_file(path))
        _state_options(inputs, options)
        others = [path for path in options["files"] if not path.endswith(".toml")]
        _add(inputs, others, options["kind"] or "")
        if options["spark"]:
            inputs.set_field("family", Family.SPARK, Origin("--spark"))
            _add(inputs, [options["spark"]], "spark-options")
        if options["streams"]:
            inputs.set_field("family", Family.STREAMS, Origin("--streams"))
        for component in Component:
            if path := options[component]:
                _add(inputs, [path], f"{component}-properties")
        if not inputs.problems:
            inputs.check_chosen()
        inputs.add_options(options["stated"])
    except FileProblem as error:
        raise bad_input(str(error)) from error
    return inputs


def _add(inputs: Inputs, paths: Iterable[str], kind: str) -> None:
    texts = list[tuple[str, str]]()
    for path in paths:
        text = read_file(path)
        if states_nothing(text):
            inputs.notes.append(f"{path}: nothing is stated in it, so that the defaults count.")
        else:
            texts.append((path, text))
    inputs.add_texts(texts, kind)


def _state_options(inputs: Inputs, options: dict[str, Any]) -> None:
    for option, name in _HEADS.items():
        if options[option] is not None:
            inputs.set_field(name, str(options[option]), Origin(f"--{option.replace('_', '-')}"))
    if options["ordering"]:
        inputs.set_field("need.ordering", "on", Origin("--ordering"))


def _pipeline(inputs: Inputs) -> Pipeline:
    """Returns the described pipeline. Raises `CommandError` with all its problems."""
    pipeline, problems = services.from_fields(inputs.fields, any_cluster_size=True)
    wrong = inputs.problems + [inputs.locate_problem(problem) for problem in problems]
    if pipeline is None or wrong:
        raise bad_input("\n".join(wrong))
    return pipeline


def _notes(inputs: Inputs, verbose: bool) -> Iterator[str]:
    """Yields the notes from reading. Settings that no guarantee depends on are only counted, so
    that they do not hide the rest, and so are names that Kafka does not have, beyond the first two;
    with `verbose`, each is named."""
    unused = [] if verbose else [note for note in inputs.notes if note.endswith(_UNWEIGHED_ENDINGS)]
    unknown = [note for note in inputs.notes if note.endswith(_UNKNOWN_ENDING)][_SHOWN_UNKNOWN:]
    unknown = [] if verbose or len(unknown) < 2 else unknown
    yield from (note for note in inputs.notes if note not in unused and note not in unknown)
    if unknown:
        yield f"{len(unknown)} more names are not known settings of Kafka (--verbose)."
    if len(unused) == 1:
        yield unused[0]
    elif unused:
        yield f"{len(unused)} settings that no guarantee depends on are left out (--verbose)."


def _assumed_wish(pipeline: Pipeline, inputs: Inputs) -> Iterator[str]:
    """Yields the parts of the wish that are defaults."""
    if inputs.fields.get("kafka") and not inputs.fields.get("version"):
        words = f"{pipeline.family} {pipeline.version} is taken, and another may change the answer"
        yield f"--client-version was not stated: {words}."
    need = pipeline.requirement
    for name, value in (("guarantee", need.guarantee), ("survive", need.survive)):
        if not inputs.fields.get(f"need.{name}"):
            option = "want" if name == "guarantee" else name
            yield f"--{option} was not stated: {value} is taken."
