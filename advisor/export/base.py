"""What an export is, and the head that every exported file carries."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from advisor.reasoning.pipeline import Pipeline

_WIDTH = 96


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where a file comes from: the version of our rules, the products', and a way back.

    There is no date in it, so that the same pipeline gives the same file.
    """

    rules_version: str
    kafka: str
    client: str
    permalink: str

    @property
    def origin(self) -> str:
        """Where the file comes from, in words."""
        return (
            f"Made by Delivery Lab, rules {self.rules_version}, "
            f"for {self.client} and Kafka {self.kafka}."
        )


@dataclass(frozen=True, slots=True)
class Export:
    """One file for one product. `name` is its slug in addresses, `title` what people call it.

    `applies` says whether a pipeline can use it at all, `needed` whether the way from the
    pipeline as described to the one exported takes it. `render` raises `SettingError` if the
    pipeline holds a value that the catalog would refuse.
    """

    name: str
    title: str
    filename: str
    media_type: str
    applies: Callable[[Pipeline], bool]
    render: Callable[[Pipeline, Stamp], str]
    needed: Callable[[Pipeline, Pipeline], bool] = lambda described, exported: True


def always(pipeline: Pipeline) -> bool:
    """`applies` of a file that every pipeline can use."""
    return True


def head(title: str, stamp: Stamp, *notes: str) -> str:
    """The head of a file, in lines that begin with `#`: title, origin, what to know."""
    paragraphs = [title, stamp.origin, f"The reasons: {stamp.permalink}", *notes]
    return "".join(comment(paragraph) for paragraph in paragraphs)


def comment(text: str) -> str:
    """`text` as comment lines. Nothing in it can end the comment: all of it is one paragraph."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    lines = textwrap.wrap(plain, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines)
