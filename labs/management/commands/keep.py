"""`manage.py keep NAME`: makes a local run the one that the home page replays."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from advisor.management.exact import ExactCommand
from labs.models import Experiment
from labs.pages.experiments.recorded import NotRecordable, keep


class Command(ExactCommand):
    """For a release: the recording is a source file."""

    help = (
        "Makes an experiment of this installation the one that the home page plays; NAME is the "
        "last part of its page's address. It is written into the sources."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")

    def handle(self, *args: object, **options: Any) -> None:
        name = options["name"]
        try:
            keep(Experiment.objects.get(slug=name, is_incident=False))
        except Experiment.DoesNotExist:
            raise CommandError(f"There is no experiment {name}.", returncode=2) from None
        except NotRecordable as error:
            raise CommandError(str(error), returncode=2) from error
        self.stdout.write(f"The home page plays {name} now.")
