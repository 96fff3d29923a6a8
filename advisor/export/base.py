"""The interface of an export, and the head of every exported file."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.catalog.values import printable
from advisor.reasoning.pipeline import Pipeline

_WIDTH = 96


@dataclass(frozen=True, slots=True)
class Stamp:
    """The origin of a file: the version of our rules, those of the products, and a link back.

    There is no date in it, so that the same pipeline gives the same file.
    """

    rules_version: str
    kafka: str
    client: str
    permalink: str

    @property
    def origin(self) -> str:
        """The origin of the file, in words."""
        return (
            f"Made by Delivery Lab, rules {self.rules_version}, "
            f"for {self.client} and Kafka {self.kafka}."
        )


@dataclass(frozen=True, slots=True)
class Revision:
    """The pipeline as its team described it, and the one that is exported.

    If `described` is None, everything in the exported one is new.
    """

    exported: Pipeline
    described: Pipeline | None = None

    def changes(self, component: Component, name: str) -> bool:
        """Whether the exported pipeline sets this value and the described one did not."""
        value = self.exported.stated(component).get(name)
        if value is None or self.described is None:
            return value is not None
        return self.described.stated(component).get(name) != value


@dataclass(frozen=True, slots=True)
class Export:
    """One file for one product. `name` is its slug in addresses, `title` its name on pages.

    `applies` returns whether a pipeline can use it, `needed` whether a revision needs it, and
    `write` its text.
    """

    name: str
    title: str
    filename: str
    media_type: str
    applies: Callable[[Pipeline], bool]
    write: Callable[[Revision, Stamp], str]
    needed: Callable[[Revision], bool] = lambda revision: True

    def render(self, exported: Pipeline, stamp: Stamp, described: Pipeline | None = None) -> str:
        """Returns the text of the file. Raises `SettingError` if the pipeline has a value that the
        catalog refuses."""
        return self.write(Revision(exported, described), stamp)


def always(pipeline: Pipeline) -> bool:
    """Returns True: `applies` of a file that every pipeline can use."""
    return True


def head(title: str, stamp: Stamp, *notes: str) -> str:
    """Returns the head of a file, in lines that begin with `#`: title, origin and notes."""
    paragraphs = [title, stamp.origin, f"The reasons: {stamp.permalink}", *notes]
    return "".join(comment(paragraph) for paragraph in paragraphs)


def comment(text: str) -> str:
    """Returns `text` as comment lines. It becomes one paragraph, so nothing in it ends the
    comment."""
    lines = textwrap.wrap(printable(text), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines)
