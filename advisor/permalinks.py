"""What stands behind a permanent link: the pipeline, and the answer that was given of it.

The answer is kept, so that a link says next year what it says today. Whatever is made of a saved
pipeline (files, the report, an experiment's arms) is made of that answer too.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum

from advisor.catalog import Problem
from advisor.models import Description
from advisor.reasoning.answer import Answer, answer
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plain_data import from_plain, to_plain
from advisor.reasoning.serial import PipelineError, from_data, to_data, to_fields
from advisor.rules_version import RULES_VERSION


class StaleDescription(PipelineError):
    """What was saved and the catalog no longer takes; `problems` says why not."""

    def __init__(self, description: Description, problems: list[Problem]) -> None:
        super().__init__(problems)
        self.description = description


class Kept(StrEnum):
    """Whether the answer of that day is still there, and in a form that this release knows."""

    YES = "yes"
    NO = "no"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Saved:
    """A description with its answer: the stored one, else today's."""

    description: Description
    answer: Answer
    kept: Kept

    @property
    def slug(self) -> str:
        """The name in the link."""
        return str(self.description.slug)

    @property
    def rules_version(self) -> str:
        """That of the rules which gave `answer`."""
        return str(self.description.rules_version) if self.is_kept else RULES_VERSION

    @property
    def is_kept(self) -> bool:
        """Whether `answer` is the one that was given when this was saved."""
        return self.kept is Kept.YES

    def described(self) -> Pipeline:
        """The pipeline, to be used. Raises `StaleDescription` if the catalog no longer takes it."""
        return _taken(self.description, to_data(self.answer.judgement.pipeline))

    def recommended(self) -> Pipeline:
        """The same after the changes of `answer`. Raises `StaleDescription` as above."""
        return _taken(self.description, to_data(self.answer.recommended))

    def today(self) -> Answer:
        """What today's rules answer; rules of one version answer alike.

        Raises `StaleDescription`: then they have no answer.
        """
        if self.rules_version == RULES_VERSION:
            return self.answer
        return answer(self.described())


def save(pipeline: Pipeline) -> Description:
    """Keeps a pipeline and the answer that today's rules give, behind a permanent link.

    The same pipeline with the same answer keeps the link that it has.
    """
    kept = {
        "data": to_data(pipeline),
        "answer": to_plain(answer(pipeline)),
        "rules_version": RULES_VERSION,
    }
    digest = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
    before = Description.objects.filter(digest=digest).order_by("created").first()
    return before or Description.objects.create(**kept, digest=digest)


def find(slug: str) -> Saved:
    """What is behind a link.

    Raises `Description.DoesNotExist`, and `StaleDescription` if no answer is kept and the catalog
    no longer takes the pipeline.
    """
    description = Description.objects.get(slug=slug)
    kept = Kept.NO
    if description.answer is not None:
        try:
            return Saved(description, _kept(description), Kept.YES)
        except ValueError:
            kept = Kept.UNREADABLE
    return Saved(description, answer(_taken(description, description.data)), kept)


def answers(description: Description) -> dict[str, str]:
    """What was saved as flat fields, whether or not the catalog takes it.

    Raises `StaleDescription` if it cannot even be read.
    """
    try:
        return to_fields(description.data)
    except PipelineError as error:
        raise StaleDescription(description, error.problems) from error


def _kept(description: Description) -> Answer:
    """The stored answer. Raises ValueError if it is invalid, or an answer to something else."""
    answer = from_plain(Answer, description.answer)
    if to_data(answer.judgement.pipeline) != description.data:
        raise ValueError("The answer kept is one to another pipeline")
    return answer


def _taken(description: Description, data: dict[str, object]) -> Pipeline:
    try:
        return from_data(data)
    except PipelineError as error:
        raise StaleDescription(description, error.problems) from error
