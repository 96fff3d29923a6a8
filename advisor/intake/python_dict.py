"""Python with dicts of settings, as confluent-kafka takes them. Read as literals, never run.

kafka-python and aiokafka take keywords, and are clients that the catalog does not know.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Mapping

from advisor.catalog import Component, Family
from advisor.intake.known import is_of_client, likely_client
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import IntakeError, shown

_PAIR = re.compile(r"[\"'][\w.]+[\"']\s*:")
_DICT = re.compile(r"\bdict\(\s*\w+\s*=")
_OTHER = re.compile(r"(?:AIO)?Kafka(?:Producer|Consumer)")
_OTHERS = re.compile(rf"(?<!new )\b{_OTHER.pattern}\s*\(")
_KAFKA_PYTHON = "kafka-python (before 3.0: acks=1 without idempotence, unless stated), which"
_DEEPEST = 50
_TRIED = 20
"""Of a dict's keys: each that is unknown takes some milliseconds."""
MAX_LENGTH = 200_000
"""What Python's own parser reads in half a second."""
Pair = tuple[str, ast.expr, int]


def read(text: str) -> Reading:
    """The settings of every dict in the text. Raises `IntakeError`.

    A dict belongs to the client that its name or its call says, else to the one that has most of
    its keys; `conf["acks"] = "1"` puts a key into the dict that has that name. What is not a
    literal is left out and said to be, and so is a dict of something else (headers, a registry).
    """
    reading = Reading(heads={"family": Family.LIBRDKAFKA})
    tree = _parsed(text)
    _refuse_others(tree)
    results, constants = _named_dicts(tree), _constants(tree)
    ours = [row for row in results if _is_of_client(*row)] or results
    for name, pairs in results:
        if (name, pairs) not in ours:
            reading.note(pairs[0][2], "a dict without a setting of a client: not read")
            continue
        component = _by_name(name) or likely_client(key for key, _, _ in pairs)
        process = f"line {pairs[0][2]}" if _connects(pairs) else ""
        for key, value, line in pairs:
            known = constants.get(value.id, value) if isinstance(value, ast.Name) else value
            take(reading, component, key, known, line, process)
    if not reading.items and not reading.notes:
        raise IntakeError("Line 1: there is no dict of settings here.")
    return reading


def check_length(text: str) -> None:
    """Raises `IntakeError` for more than any code that configures something has."""
    if len(text) > MAX_LENGTH:
        raise IntakeError(f"The file is longer than {MAX_LENGTH} letters of code.")


def _parsed(text: str) -> ast.Module:
    check_length(text)
    _check_depth(text)
    # Pairs without braces, as one cuts them out of a dict.
    code = f"{{{text}\n}}" if _bare(text) else textwrap.dedent(text)
    try:
        return ast.parse(code)
    except SyntaxError as error:
        line = min(error.lineno or 1, text.count("\n") + 1)
        raise IntakeError(f"Line {line}: this is not well-formed Python.") from None
    except (ValueError, RecursionError, MemoryError):
        raise IntakeError("The file: this is not Python that can be read.") from None


def _bare(text: str) -> bool:
    """Whether these are pairs alone, one or more a line."""
    lines = [line for name in text.splitlines() if (line := name.strip()) and line[0] != "#"]
    return bool(lines) and all(_PAIR.match(line) for line in lines)


def _refuse_others(tree: ast.Module) -> None:
    """Raises `IntakeError` where a client of another library is made."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        made = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        made = node.func.id if isinstance(node.func, ast.Name) else made
        if made == "ShareConsumer":
            raise IntakeError(
                f"Line {node.lineno}: {made} is a client of a share group (KIP-932), which has no "
                "position and keeps no order. That is not advised on."
            )
        if _OTHER.fullmatch(made):
            own = "aiokafka, which" if made.startswith("AIO") else _KAFKA_PYTHON
            raise IntakeError(
                f"Line {node.lineno}: {made} is a client of {own} is not known here: what counts "
                "where nothing is stated is its own, so nothing is read. Answer the questions as "
                "for the Java client, and state each value, those too that the code leaves out."
            )


def _check_depth(text: str) -> None:
    """Refuses nesting that no configuration has, because the parser's only limit is its stack."""
    depth = 0
    for number, line in enumerate(text.splitlines(), start=1):
        for char in line:
            depth += (char in "([{") - (char in ")]}")
            if depth > _DEEPEST:
                raise IntakeError(f"Line {number}: the file is nested too deeply.")
        if re.search(r"(?:[-+~]\s*){20}|(?:\bnot\s+){20}|(?:\.\s*\w+\s*){50}", line):
            raise IntakeError(f"Line {number}: this is no configuration.")


def dicts(text: str) -> list[tuple[str, list[Pair]]]:
    """Each outermost dict with text keys, under the name that it is given or the call that it is
    an argument of; a dict of dicts gives its inner ones under their keys. Raises `IntakeError`."""
    return _named_dicts(_parsed(text))


def _named_dicts(tree: ast.Module) -> list[tuple[str, list[Pair]]]:
    results, named = list[tuple[str, list[Pair]]](), dict[str, list[Pair]]()
    waiting: list[tuple[ast.AST | str, ast.AST]] = [("", item) for item in tree.body]
    waiting.reverse()
    while waiting:
        owner, node = waiting.pop()
        node = _as_dict(node) if isinstance(node, ast.Call) else node
        if isinstance(node, ast.Dict):
            name, flat = owner if isinstance(owner, str) else _name(owner), list[Pair]()
            for key, value in zip(node.keys, node.values, strict=True):
                word = key.value if isinstance(key, ast.Constant) else None
                if isinstance(value, ast.Dict):
                    waiting.append((str(word), value))
                elif isinstance(word, str):
                    flat.append((word, value, value.lineno))
            results.append((name, flat))
            named[name] = flat
            continue
        if isinstance(node, ast.Assign):
            _put(named, node)
        if isinstance(node, ast.Call):
            _update(named, node)
        inner = node if isinstance(node, _NAMING) else owner
        waiting += [(inner, node) for node in reversed(list(ast.iter_child_nodes(node)))]
    return [(name, pairs) for name, pairs in results if pairs]


def _as_dict(node: ast.Call) -> ast.expr:
    """`dict(acks="all", **{"linger.ms": 5})` as a dict; another call as it is."""
    if not isinstance(node.func, ast.Name) or node.func.id != "dict":
        return node
    made = ast.Dict([], [])
    every: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
    for given in every:
        value = given.value if isinstance(given, ast.keyword) else given
        if isinstance(given, ast.keyword) and given.arg:
            made.keys.append(ast.Constant(given.arg))
            made.values.append(value)
        elif isinstance(value, ast.Dict):
            made.keys += value.keys
            made.values += value.values
    return made


def _put(named: Mapping[str, list[Pair]], node: ast.Assign) -> None:
    """`conf["acks"] = "1"`, for the dict that was last given that name; others are not ours."""
    match node.targets:
        case [ast.Subscript(value=owner, slice=ast.Constant(value=str(key)))]:
            pairs = named.get(ast.unparse(owner)[:100])
            if pairs is not None and not isinstance(node.value, ast.Dict):
                pairs.append((key, node.value, node.lineno))
        case _:
            pass


def _update(named: Mapping[str, list[Pair]], node: ast.Call) -> None:
    """`conf.update(acks="1")`, and `conf.setdefault("acks", "1")` where there is none."""
    if not isinstance(node.func, ast.Attribute):
        return
    pairs = named.get(ast.unparse(node.func.value)[:100])
    if pairs is None:
        return
    if node.func.attr == "update":
        pairs += [(word.arg, word.value, node.lineno) for word in node.keywords if word.arg]
    elif node.func.attr == "setdefault" and len(node.args) == 2:
        key = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        if isinstance(key, str) and key not in {name for name, _, _ in pairs}:
            pairs.append((key, node.args[1], node.lineno))


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """The plain values that have a name, and have it once."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(node.value)
    return {
        name: stated[0]
        for name, stated in values.items()
        if len(stated) == 1 and isinstance(stated[0], ast.Constant)
    }


_NAMING = (ast.Assign, ast.AnnAssign, ast.Call, ast.keyword)


def _name(node: ast.AST) -> str:
    """What a statement or a call calls the dict inside it."""
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])[:100]
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)[:100]
    if isinstance(node, ast.Call):
        return ast.unparse(node.func)[:100]
    return node.arg or "" if isinstance(node, ast.keyword) else ""


def _by_name(name: str) -> Component | None:
    components = [
        component
        for component in (Component.PRODUCER, Component.CONSUMER)
        if component in name.lower()
    ]
    return components[0] if len(components) == 1 else None


def _is_of_client(name: str, pairs: list[Pair]) -> bool:
    """Whether a dict is a client's, by its name or by any of its keys."""
    named = _by_name(name.rpartition(".")[2])
    return named is not None or any(is_of_client(key) for key, _, _ in pairs[:_TRIED])


def _connects(pairs: list[Pair]) -> bool:
    """Whether a dict is a client's whole one, and no part that others are made of."""
    return any(key in ("bootstrap.servers", "metadata.broker.list") for key, _, _ in pairs)


def take(
    reading: Reading, component: Component, key: str, value: ast.expr, line: int, process: str = ""
) -> None:
    """Takes one pair of a dict, if its value is a literal."""
    if isinstance(value, ast.Name) and value.id in ("true", "false"):  # of JSON
        value = ast.Constant(value.id == "true")
    try:
        literal = _product(value) if isinstance(value, ast.BinOp) else ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        literal = None
    if isinstance(literal, bool):
        reading.state(component, key, str(literal).lower(), line, process=process)
    elif isinstance(literal, str) or (isinstance(literal, int) and abs(literal) < 2**63):
        reading.state(component, key, str(literal), line, process=process)
    else:
        words = "is not a plain value: not read, so that its default counts here"
        reading.note(line, f"{shown(key)} {words}")


def _product(node: ast.expr) -> int:
    """`24 * 60 * 60 * 1000`, as durations and sizes are written. Raises `ValueError`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        count = _product(node.left) * _product(node.right)
    else:
        count = ast.literal_eval(node)
    if type(count) is not int or abs(count) >= 2**63:
        raise ValueError("no product of whole numbers")
    return count


def _likeness(text: str) -> float:
    if "{" in text and _PAIR.search(text):
        return 0.8
    return 0.7 if _DICT.search(text) or _OTHERS.search(text) or _bare(text) else 0.0


READERS = (Reader("python-dict", "Python dict (confluent-kafka)", _likeness, read),)
