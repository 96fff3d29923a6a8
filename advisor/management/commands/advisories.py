"""`manage.py advisories`: the known bugs of releases, listed and searched."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from advisor.advisories import Advisory, Part, VersionError
from advisor.known_bugs import advisory_json
from advisor.management.exact import ExactCommand, bad_input, terminal_width
from advisor.pages import advisory_search
from advisor.reasoning.plural import counted


class Command(ExactCommand):
    """Exit codes: 0, also where nothing is found; 2 the input is wrong."""

    help = "Lists the known bugs of Kafka, librdkafka and Spark that change what is delivered."
    requires_system_checks = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """With a `--version` of our own in place of Django's."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--component", metavar="C", help=f"one of {', '.join(Part)}")
        words = "those of a version: 3.6.1, 3.6, cp-kafka:7.6.0, librdkafka 2.3.0 …"
        parser.add_argument("--version", metavar="V", help=words)
        parser.add_argument("--search", metavar="Q", help="those that have all of these words")
        parser.add_argument("--json", action="store_true", help="a JSON list")

    def handle(self, *args: object, **options: Any) -> None:
        component = options["component"] or ""
        if component not in ("", *Part):
            raise bad_input(
                f"--component: there is no component {component}; one of {', '.join(Part)}."
            )
        try:
            advisories = advisory_search.search(
                options["search"] or "", component, options["version"] or ""
            )
        except VersionError as error:
            raise bad_input(f"--version: {error}") from error
        if options["json"]:
            self.stdout.write(
                json.dumps([advisory_json(advisory) for advisory in advisories], indent=2)
            )
        else:
            self.stdout.write("\n".join(_text(advisories, terminal_width(self.stdout))))


def _text(advisories: list[Advisory], width: int) -> Iterator[str]:
    for advisory in advisories:
        fixed = ", ".join(str(one) for one in advisory.fixed) or "not fixed yet"
        affected = " or ".join(str(one) for one in advisory.affected)
        yield f"{advisory.id} ({advisory.part}): {advisory.title}"
        about = f"affected: {affected}; fixed: {fixed}; may add: {', '.join(advisory.anomalies)}"
        if advisory.incident:
            about += f"; incident: {advisory.incident}"
        yield from textwrap.wrap(about, width, initial_indent="    ", subsequent_indent="    ")
    yield f"{counted(len(advisories), 'known bug')}."
