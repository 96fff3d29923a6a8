"""All texts of the product, shown to users or written in docs and code, as plain words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from advisor.catalog import Component, Family, settings_of, versions
from advisor.reasoning.assess import assess
from advisor.reasoning.fields import from_fields
from advisor.reasoning.levers import ALL as LEVERS
from advisor.reasoning.numbers import numbers
from advisor.reasoning.rules import all_rules
from tests.house.files import files, name

_COMMENT = re.compile(r"(?:^|\s)#+ ?(.*)$", re.MULTILINE)
_TAG = re.compile(r"<[^<>]+>|\{[%#].*?[%#]\}|[`*]")


def plain(text: str) -> str:
    """The text in lower case, without tags, emphasis and line breaks."""
    return " ".join(_TAG.sub("", text).replace("’", "'").split()).lower()


@cache
def written() -> tuple[tuple[str, str], ...]:
    """Pairs of a file and a text in it, from the docs, templates, catalog and code."""
    results = []
    for path in files(
        "*.md", "*.html", "*.py", "advisor/catalog/data/*.toml", "config/static/*.js"
    ):
        if name(path).startswith("tests/"):
            continue
        texts = _code_texts(path) if path.suffix == ".py" else [path.read_text("utf-8")]
        results += [(name(path), plain(text)) for text in texts]
    return tuple(results)


def _code_texts(path: Path) -> Iterator[str]:
    """The string literals of a module, and one text with all its comments."""
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (
                value.value if isinstance(value, ast.Constant) else "{}" for value in node.values
            )
            yield "".join(str(part) for part in parts)
    yield " ".join(_COMMENT.findall(text))


@cache
def phrases() -> tuple[tuple[str, str], ...]:
    """Texts that are composed at run time, for many pipelines, each with its settings."""
    results = []
    for example in _examples():
        pipeline, _ = from_fields({"family": "java", **example})
        if pipeline is None:
            continue  # such as commit=in-transaction without a transactional.id
        assessed = assess(pipeline)
        texts = [reason for failure in assessed.failures for reason in failure.permits.values()]
        texts += [finding.message for finding in assessed.findings]
        texts += [f"{number.title}: {number.formula}" for number in numbers(pipeline)]
        for lever in LEVERS:
            for value in lever.targets(pipeline):
                after = pipeline.with_setting(lever.component, lever.setting, value)
                texts.append(lever.price(pipeline, after))
        results += [(str(example), plain(text)) for text in texts]
    return tuple(dict.fromkeys(results))


def _examples() -> Iterator[Mapping[str, str]]:
    """Settings on both sides of every rule, and every value of each choice, for each client."""
    for rule in all_rules():
        yield from (*rule.valid, *rule.invalid)
    for family in Family:
        client = (family, versions(family)[0], "4.3")
        for component in Component:
            for setting in settings_of(*client, component):
                for value in dict.fromkeys(value for _, value in setting.choices):
                    if not setting.refused:
                        yield {"family": family, f"{component}.{setting.name}": str(value)}
