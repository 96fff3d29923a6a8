"""The normal form of a JVM program, so that the readers need to know only one form of its code.

Class names lose their packages, and `for (;;)` becomes `while (true)`. A loop over an iterator, or
over the indexes of a list, becomes one over the collection. A call chain, or the code before an
opening brace, is joined into one line. Then lambdas, loops and conditions get braces, functions are
inlined, and blocks without an effect lose their braces.

The code after each change keeps its line number.
"""

from __future__ import annotations

import re

from advisor.intake.programs.jvm.normal_form.bare_statements import without_bare_statements
from advisor.intake.programs.jvm.normal_form.block_bodies import with_block_bodies
from advisor.intake.programs.jvm.normal_form.block_parameters import without_block_parameters
from advisor.intake.programs.jvm.normal_form.block_values import without_block_values
from advisor.intake.programs.jvm.normal_form.class_names import without_class_names
from advisor.intake.programs.jvm.normal_form.closed_executors import (
    with_waits_for_closed_executors,
)
from advisor.intake.programs.jvm.normal_form.destructurings import without_destructurings
from advisor.intake.programs.jvm.normal_form.error_values import without_error_values
from advisor.intake.programs.jvm.normal_form.expressions import without_expression_functions
from advisor.intake.programs.jvm.normal_form.function_factories import without_function_factories
from advisor.intake.programs.jvm.normal_form.function_parameters import without_function_parameters
from advisor.intake.programs.jvm.normal_form.indexed_loops import without_indexes
from advisor.intake.programs.jvm.normal_form.lambdas import with_lambda_braces
from advisor.intake.programs.jvm.normal_form.local_functions import without_local_names
from advisor.intake.programs.jvm.normal_form.method_inlining import inline_methods
from advisor.intake.programs.jvm.normal_form.option_matches import without_option_matches
from advisor.intake.programs.jvm.normal_form.overloads import with_distinct_names
from advisor.intake.programs.jvm.normal_form.pairs import without_pairs
from advisor.intake.programs.jvm.normal_form.receivers import without_receivers
from advisor.intake.programs.jvm.normal_form.scala_statements import without_scala_syntax
from advisor.intake.programs.jvm.normal_form.send_references import without_send_references
from advisor.intake.programs.jvm.normal_form.settings_blocks import without_settings_blocks
from advisor.intake.programs.jvm.normal_form.transparent_blocks import without_transparent_blocks
from advisor.intake.programs.jvm.text import QUOTED, spliced, without_comments
from advisor.intake.text import IntakeError, line_of

_VARIANT = re.compile(
    rf"(?P<unchanged>{QUOTED}|^[ \t]*(?:import|package)\b[^\n]*)"
    r"|(?<![\w.])(?:java|javax|kotlin|org\.apache\.kafka|org\.springframework|scala)(?:\.[a-z]\w*)++\."
    r"(?=[A-Z]\w*+(?!\s*(?:\.\s*class|::\s*class)\b))"
    r"|\bfor\s*+\(\s*+;(?P<condition>[^;(){}\n]*+(?:\(\)[^;(){}\n]*+)*+);\s*+\)",
    re.MULTILINE,
)
_MOST_EMPTY_LINES = 1_000
_TRAILING_WHITESPACE = re.compile(r"(?<![ \t])[ \t]++$", re.MULTILINE)
_EMPTY_LINES = re.compile(rf"\n{{{_MOST_EMPTY_LINES}}}")
_LINE_BREAK = re.compile(rf"{QUOTED}|(?P<line>\n\s*+)(?P<link>\??\.\s*+[A-Za-z]|(?P<brace>\{{))?")
_HEAD = re.compile(r"[\w)=>]\s*$")
"""The end of code that an opening brace on the next line may belong to."""
_NEXT_CALL = r"\b{0}\s*\.\s*(?:next\b|remove\s*\(|forEachRemaining\b)"
_ITERATOR = re.compile(
    r"(?P<for_head>(?:\bfor\s*\(\s*)?)"
    r"\b(?:final\s+)?(?:va[lr]|(?:List)?Iterator\s*<[^;={}()]{1,80}>)\s+(?P<name>\w+)"
    r"(?:\s*:\s*[^;={}()]{1,80})?\s*=\s*(?P<collection>[\w.]+(?:\([^(){};\n]{0,80}\)(?:\.\w+)*)?)"
    r"\s*\.\s*iterator\b(?:\s*\(\s*\))?\s*;?"
)
_RECORD = (
    r"(?P<type>(?:final\s+)?(?:va[lr]|[A-Z][\w.]*(?:\s*<[^;={}()]{1,80}>)?))\s+(?P<record>\w+)"
)
_INDEX_LOOP = re.compile(
    r"\bfor\s*\(\s*(?:final\s+)?(?:int|var|long)\s+(?P<index>\w+)\s*=\s*0\s*;\s*(?P=index)\s*<"
    r"\s*(?P<collection>\w+)\s*\.\s*size\s*\(\s*\)\s*;\s*(?:\+\+\s*(?P=index)|(?P=index)\s*(?:\+\+|\+=\s*1))\s*\)"
    rf"\s*\{{\s*{_RECORD}\s*=\s*(?P=collection)\s*\.\s*get\s*\(\s*(?P=index)\s*\)\s*;"
)
"""A loop over the indexes of a list."""
_LONGEST_LOOP_HEAD = 400
"""Characters from the declaration of an iterator to the end of its loop's head."""


def normal_form(code: str) -> str:
    """Returns the program in normal form, without comments.

    Raises `IntakeError` for too many empty lines in a row: a pattern that begins after a line break
    would search all of them again from each line.
    """
    uncommented = _TRAILING_WHITESPACE.sub("", without_comments(code))
    if empty_lines := _EMPTY_LINES.search(uncommented):
        line = line_of(uncommented, empty_lines.start())
        raise IntakeError(
            f"Line {line}: more than {_MOST_EMPTY_LINES} empty lines in a row. Remove them."
        )
    code = without_settings_blocks(_VARIANT.sub(_normalized, uncommented))
    code = _INDEX_LOOP.sub(_record_loop, _without_iterators(code))
    code = without_destructurings(without_class_names(_without_line_breaks(code)))
    code = without_block_parameters(without_pairs(code))
    code = without_function_parameters(code)
    code = without_function_factories(without_local_names(code))
    code = without_indexes(without_send_references(code))
    code = without_scala_syntax(without_option_matches(code))
    code = with_waits_for_closed_executors(without_error_values(code))
    code = without_block_values(without_receivers(code))
    return without_transparent_blocks(
        inline_methods(
            with_distinct_names(
                with_block_bodies(
                    with_lambda_braces(without_bare_statements(without_expression_functions(code)))
                )
            )
        )
    )


def _normalized(match: re.Match[str]) -> str:
    if match["unchanged"] is not None:
        return match["unchanged"]
    if match["condition"] is None:
        return ""
    return f"while ({match['condition'].strip() or 'true'})" + "\n" * match[0].count("\n")


def _next_record_pattern(name: str) -> str:
    """Returns the pattern of a loop that gets the next record of the iterator `name`."""
    return (
        rf"(?P<head>{name}\s*\.\s*hasNext\b(?:\s*\(\s*\))?\s*(?:;\s*)?\)\s*\{{\s*)"
        rf"{_RECORD}(?:\s*:\s*[^;={{}}()\n]{{1,80}})?\s*=\s*{name}\s*\.\s*next\b(?:\s*\(\s*\))?"
        r"(?P<semicolon>\s*;)?"
    )


def _record_loop(match: re.Match[str]) -> str:
    head = f"for ({match['type']} {match['record']} : {match['collection']}) {{"
    return head + "\n" * match[0].count("\n")


def _without_iterators(code: str) -> str:
    """Returns the program with loops over a collection in place of loops over its iterator."""
    changes = list[tuple[int, int, str]]()
    for iterator in _ITERATOR.finditer(code) if "hasNext" in code else ():
        name, reach = iterator["name"], iterator.end() + _LONGEST_LOOP_HEAD
        while_head = r"" if iterator["for_head"] else r"\bwhile\s*\(\s*"
        loop = re.compile(while_head + _next_record_pattern(name)).search(
            code, iterator.end(), reach
        )
        if (
            loop is None
            or len(re.findall(_NEXT_CALL.format(name), code[iterator.end() : reach])) > 1
        ):
            continue
        colon = " : " if loop["semicolon"] else " in "
        between = "" if iterator["for_head"] else code[iterator.end() : loop.start()]
        lines = "\n" * (iterator[0].count("\n") + loop[0].count("\n"))
        head = f"for ({loop['type']} {loop['record']}{colon}{iterator['collection']}) {{{lines}"
        changes.append((iterator.start(), loop.end(), between + head))
    return spliced(code, changes)


def _without_line_breaks(code: str) -> str:
    """Returns the program with each chain or head in one line, and its line breaks after it."""
    changes, removed = list[tuple[int, int, str]](), 0
    for match in _LINE_BREAK.finditer(code):
        before = code[max(0, match.start() - 80) : match.start()]
        if match["link"] and (not match["brace"] or _HEAD.search(before)):
            changes.append((match.start(), match.start("link"), " " if match["brace"] else ""))
            removed += match["line"].count("\n")
        elif match["line"] and removed:
            changes.append((match.start(), match.start(), "\n" * removed))
            removed = 0
    return spliced(code, changes)
