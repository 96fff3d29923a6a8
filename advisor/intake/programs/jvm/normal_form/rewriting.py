"""One form for code that can be written in several, so that each reader needs to know only one.

Classes are without their packages, `for (;;)` is `while (true)`, a loop over an iterator, or over
the places of a list, is one over what these are of, and a chain of calls, or what stands before
braces, is in one line. Then lambdas, loops and conditions have braces, functions stand in place of
their calls, and blocks that change nothing are gone.

What stands behind them keeps its line.
"""

from __future__ import annotations

import re

from advisor.intake.programs.jvm.normal_form.bare_statements import without_bare_statements
from advisor.intake.programs.jvm.normal_form.block_bodies import with_block_bodies
from advisor.intake.programs.jvm.normal_form.block_parameters import without_block_parameters
from advisor.intake.programs.jvm.normal_form.class_names import without_class_names
from advisor.intake.programs.jvm.normal_form.error_values import without_error_values
from advisor.intake.programs.jvm.normal_form.expressions import without_expression_functions
from advisor.intake.programs.jvm.normal_form.function_factories import without_function_factories
from advisor.intake.programs.jvm.normal_form.function_parameters import without_function_parameters
from advisor.intake.programs.jvm.normal_form.indexed_loops import without_indexes
from advisor.intake.programs.jvm.normal_form.inlined import inlined
from advisor.intake.programs.jvm.normal_form.lambdas import with_lambda_braces
from advisor.intake.programs.jvm.normal_form.local_functions import without_local_names
from advisor.intake.programs.jvm.normal_form.option_matches import without_option_matches
from advisor.intake.programs.jvm.normal_form.receivers import without_receivers
from advisor.intake.programs.jvm.normal_form.scala_statements import without_scala_syntax
from advisor.intake.programs.jvm.normal_form.send_references import without_send_references
from advisor.intake.programs.jvm.normal_form.transparent_blocks import without_transparent_blocks
from advisor.intake.programs.jvm.normal_form.values_of_blocks import with_statements
from advisor.intake.programs.jvm.text import QUOTED, spliced, without_comments
from advisor.intake.text import IntakeError, line_of

_WRITTEN = re.compile(
    rf"(?P<kept>{QUOTED}|^[ \t]*(?:import|package)\b[^\n]*)"
    r"|(?<![\w.])(?:java|javax|kotlin|org\.apache\.kafka|org\.springframework|scala)(?:\.[a-z]\w*)++\."
    r"(?=[A-Z]\w*+(?!\s*(?:\.\s*class|::\s*class)\b))"
    r"|\bfor\s*+\(\s*+;(?P<condition>[^;(){}\n]*+(?:\(\)[^;(){}\n]*+)*+);\s*+\)",
    re.MULTILINE,
)
_MOST_EMPTY = 1_000
_ENDS_BLANK = re.compile(r"(?<![ \t])[ \t]++$", re.MULTILINE)
_EMPTY = re.compile(rf"\n{{{_MOST_EMPTY}}}")
_BREAK = re.compile(rf"{QUOTED}|(?P<line>\n\s*+)(?P<link>\??\.\s*+[A-Za-z]|(?P<brace>\{{))?")
_HEAD = re.compile(r"[\w)=>]\s*$")
"""What may stand before the braces of it."""
_NEXT = r"\b{0}\s*\.\s*(?:next\b|remove\s*\(|forEachRemaining\b)"
_ITERATOR = re.compile(
    r"(?P<begin>(?:\bfor\s*\(\s*)?)"
    r"\b(?:final\s+)?(?:va[lr]|(?:List)?Iterator\s*<[^;={}()]{1,80}>)\s+(?P<name>\w+)"
    r"(?:\s*:\s*[^;={}()]{1,80})?\s*=\s*(?P<of>[\w.]+(?:\([^(){};\n]{0,80}\)(?:\.\w+)*)?)"
    r"\s*\.\s*iterator\b(?:\s*\(\s*\))?\s*;?"
)
_TYPED = (
    r"(?P<typed>(?:final\s+)?(?:va[lr]|[A-Z][\w.]*(?:\s*<[^;={}()]{1,80}>)?))\s+(?P<record>\w+)"
)
_PLACES = re.compile(
    r"\bfor\s*\(\s*(?:final\s+)?(?:int|var|long)\s+(?P<place>\w+)\s*=\s*0\s*;\s*(?P=place)\s*<"
    r"\s*(?P<of>\w+)\s*\.\s*size\s*\(\s*\)\s*;\s*(?:\+\+\s*(?P=place)|(?P=place)\s*(?:\+\+|\+=\s*1))\s*\)"
    rf"\s*\{{\s*{_TYPED}\s*=\s*(?P=of)\s*\.\s*get\s*\(\s*(?P=place)\s*\)\s*;"
)
"""A loop over the places of a list."""
_FARTHEST = 400
"""Letters from an iterator to its loop."""


def normal_form(code: str) -> str:
    """The same program in that form, without its comments. Raises `IntakeError` for one that is
    empty lines in the main: a pattern that begins behind a line's end looks through all of them."""
    plain = _ENDS_BLANK.sub("", without_comments(code))
    if empty := _EMPTY.search(plain):
        line = line_of(plain, empty.start())
        raise IntakeError(f"Line {line}: more than {_MOST_EMPTY} empty lines. Leave them away.")
    written = _WRITTEN.sub(_normal, plain)
    written = _PLACES.sub(_over_records, _without_iterators(written))
    written = without_block_parameters(without_class_names(_without_breaks(written)))
    written = without_function_parameters(written)
    written = without_function_factories(without_local_names(written))
    written = without_indexes(without_send_references(written))
    written = without_scala_syntax(without_option_matches(written))
    written = without_error_values(written)
    written = with_statements(without_receivers(written))
    return without_transparent_blocks(
        inlined(
            with_block_bodies(
                with_lambda_braces(without_bare_statements(without_expression_functions(written)))
            )
        )
    )


def _normal(match: re.Match[str]) -> str:
    if match["kept"] is not None:
        return match["kept"]
    if match["condition"] is None:
        return ""
    return f"while ({match['condition'].strip() or 'true'})" + "\n" * match[0].count("\n")


def _round(name: str) -> str:
    """How a loop takes the next record of an iterator of this name, as a pattern."""
    return (
        rf"(?P<head>{name}\s*\.\s*hasNext\b(?:\s*\(\s*\))?\s*(?:;\s*)?\)\s*\{{\s*)"
        rf"{_TYPED}(?:\s*:\s*[^;={{}}()\n]{{1,80}})?\s*=\s*{name}\s*\.\s*next\b(?:\s*\(\s*\))?"
        r"(?P<ended>\s*;)?"
    )


def _over_records(match: re.Match[str]) -> str:
    head = f"for ({match['typed']} {match['record']} : {match['of']}) {{"
    return head + "\n" * match[0].count("\n")


def _without_iterators(code: str) -> str:
    """Loops whose rounds take the next of an iterator, as loops over the iterator's collection."""
    changes = list[tuple[int, int, str]]()
    for made in _ITERATOR.finditer(code) if "hasNext" in code else ():
        name, reach = made["name"], made.end() + _FARTHEST
        begin = r"" if made["begin"] else r"\bwhile\s*\(\s*"
        loop = re.compile(begin + _round(name)).search(code, made.end(), reach)
        if loop is None or len(re.findall(_NEXT.format(name), code[made.end() : reach])) > 1:
            continue
        colon = " : " if loop["ended"] else " in "
        between = "" if made["begin"] else code[made.end() : loop.start()]
        kept = "\n" * (made[0].count("\n") + loop[0].count("\n"))
        head = f"for ({loop['typed']} {loop['record']}{colon}{made['of']}) {{{kept}"
        changes.append((made.start(), loop.end(), between + head))
    return spliced(code, changes)


def _without_breaks(code: str) -> str:
    """The lines of a chain or a head as one, with the ends of its lines behind it."""
    changes, left_out = list[tuple[int, int, str]](), 0
    for match in _BREAK.finditer(code):
        before = code[max(0, match.start() - 80) : match.start()]
        if match["link"] and (not match["brace"] or _HEAD.search(before)):
            changes.append((match.start(), match.start("link"), " " if match["brace"] else ""))
            left_out += match["line"].count("\n")
        elif match["line"] and left_out:
            changes.append((match.start(), match.start(), "\n" * left_out))
            left_out = 0
    return spliced(code, changes)
