"""`manage.py doctor`: what is installed, what is missing, and the command that helps."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from advisor.management.exact import ExactCommand
from config.doctor import Finding, examine


class Command(ExactCommand):
    """Exit code 0 when nothing needed is missing, else 1."""

    help = "Say what is installed, what is missing, and what to do about it."
    requires_system_checks = ()  # it must work even if the rest does not

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object")
        parser.add_argument(
            "--full", action="store_true", help="hash each jar, also where none was touched"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        findings = examine(full=options["full"])
        ok = all(finding.ok for finding in findings if finding.needed)
        if options["json"]:
            answer = {"ok": ok, "findings": [asdict(finding) for finding in findings]}
            self.stdout.write(json.dumps(answer))
        else:
            self.stdout.write("\n".join(_line(finding) for finding in findings))
        if not ok:
            sys.exit(1)


def _line(finding: Finding) -> str:
    state = "ok" if finding.ok else "MISSING" if finding.needed else "not yet"
    line = f"{state:8} {finding.name:14} {finding.state}"
    return line if finding.ok else f"{line}\n{'':24}→ {finding.fix}"
