"""Python with dicts of settings, as confluent-kafka takes them. Read as literals, never run.

kafka-python and aiokafka take keywords, and are clients that the catalog does not know.
"""

from __future__ import annotations

import ast
import re
import textwrap
from itertools import islice

from advisor.catalog import Component, Family
from advisor.catalog.texts import is_free
from advisor.intake.clients import other_products
from advisor.intake.clients.generated_names import refuse_new_group
from advisor.intake.clients.known_settings import (
    clients_having,
    decides,
    is_client_setting,
    is_weighed,
    likely_clients,
)
from advisor.intake.programs import transactions
from advisor.intake.programs.databases import refuse_uncommitted
from advisor.intake.programs.facts import (
    CONTINUES_WITHOUT_MESSAGE,
    SHARE_CONSUMER,
    add_ignored_send_errors,
    add_processing_facts,
)
from advisor.intake.programs.python import seeks, syntax
from advisor.intake.programs.python import topics as python_topics
from advisor.intake.programs.python.clients import Pair, SettingsDict
from advisor.intake.programs.python.constants import constants, default_of_variable, variable_name
from advisor.intake.programs.python.errors import sends as python_sends
from advisor.intake.programs.python.normal_form.decorators import unfold
from advisor.intake.programs.python.normal_form.function_factories import without_function_factories
from advisor.intake.programs.python.normal_form.inlined import inlined
from advisor.intake.programs.python.normal_form.rewriting import normal_form
from advisor.intake.programs.python.processing import transactions as python_transactions
from advisor.intake.programs.python.processing.databases import uncommitted
from advisor.intake.programs.python.processing.poll_loop import processing_facts
from advisor.intake.programs.python.settings_flow import CLIENTS, Flow
from advisor.intake.programs.python.trees import job_tree
from advisor.intake.programs.topics import take_topics
from advisor.intake.reading import (
    NO_PLAIN_VALUE,
    DefaultedSetting,
    Item,
    Reader,
    Reading,
    VariableValue,
)
from advisor.intake.text import IntakeError, is_secret, shown

_PAIR = re.compile(r"[\"'][\w.]+[\"']\s*:")
_DICT = re.compile(r"\bdict\(\s*\w+\s*=")
_PUT = re.compile(
    r"^[ \t]*[\w.]+(?:\[[\"'][\w.]+[\"']\][ \t]*=[^=]|\.update\(\w+[ \t]*=)", re.MULTILINE
)
_YAML = re.compile(r"^[A-Za-z][\w.-]*:(?:[ \t]|$)", re.MULTILINE)
_STATEMENT = re.compile(
    r"^(?:import|from|def|class|@|with|if|for|[\w.]+\s*[=(\[]"
    r"|\w+\s*:[^=\n]{1,80}=\s*(?:[A-Z]\w*\(|\{|dict\())",
    re.MULTILINE,
)
_MADE = re.compile(r"\bconfluent_kafka\b")
_OTHER = re.compile(r"(?:AIO)?Kafka(?:Producer|Consumer)")
_OTHERS = re.compile(rf"(?<!new )\b{_OTHER.pattern}\s*\(")
_KAFKA_PYTHON = "kafka-python (before 3.0: acks=1 without idempotence, unless stated), which"
_ELSEWHERE = (
    "is a class of another file, which makes the client. Give that file, or the settings as "
    "properties, one file for each client."
)
_IN_ANOTHER = (
    "If it is another language, give the settings as properties, one file for each client."
)
_NO_CLIENT = (
    "no producer or consumer of confluent-kafka is in this program, nor a dict of settings of one. "
    "Give the file that has them, or the settings as properties, one file for each client."
)
_DEEPEST = 50
_TRIED = 20
"""Of a dict's keys: each that is unknown takes some milliseconds."""
MAX_LENGTH = 200_000
"""What Python's own parser reads in half a second."""
_HEADERS = "headers"
"""Dicts of this name are records', whatever their keys."""


def read(text: str) -> Reading:
    """The settings of every dict in the text. Raises `IntakeError`.

    A dict belongs to the client that it is handed to, else to the one of its name, else to the one
    that has most of its keys. A value that is not a literal is left out and said to be, and so is
    a dict of something else (headers, a registry).
    """
    reading = Reading(heads={"family": Family.LIBRDKAFKA})
    tree = _parsed(text)
    _refuse_others(tree)
    flow, known = Flow(tree), constants(tree)
    for client in flow.clients:
        if client.settings:
            reading.clients.add((client.component, f"line {client.line}"))
            _state(reading, client.settings, client.component, f"line {client.line}", known)
        elif not client.of_parameter:
            words = "what this client is given comes from elsewhere. Write its settings here, or"
            raise IntakeError(f"Line {client.line}: {words} give them as properties.")
    roots = [
        made for made in _roots(flow)
        if not made.is_of_others and made.name.rpartition(".")[2] != _HEADERS
    ]  # fmt: skip
    handed = {client.component for client in flow.clients if client.settings}
    ours = [made for made in roots if _is_of_client(made)]
    if not (flow.clients or ours) and not _is_dict(tree):
        raise IntakeError(f"Line 1: {_NO_CLIENT}")
    ours = ours or ([] if handed else roots)
    made_topics = [*python_topics.created_topics(tree, known)] if flow.clients else []
    of_topics = {line for topic in made_topics for _, _, line in topic.configs}
    for made in _roots(flow):
        if made in ours:
            named = _by_name(made.name)
            clients = (named,) if named else likely_clients(made.pairs)
            for component in clients:
                is_whole = _connects(made) or component in handed
                process = f"line {made.line}" if is_whole else ""
                _state(reading, made, component, process, known, clients)
        elif (line := next(iter(made.pairs.values())).line) not in of_topics:
            reading.note(line, "a dict without a setting of a client: not read")
    _refuse_differing(reading)
    _judge(reading, tree, flow)
    take_topics(reading, made_topics, int)
    _refuse_empty(reading, is_known=bool(flow.clients) or _is_dict(tree))
    return reading


def _refuse_empty(reading: Reading, *, is_known: bool) -> None:
    """Refuses a program in which nothing is for a client."""
    if not (reading.items or reading.problems or is_known):
        raise IntakeError(f"Line 1: {_NO_CLIENT}")
    if not reading.items and not reading.notes and not reading.problems:
        raise IntakeError("Line 1: there is no dict of settings here.")


def _refuse_differing(reading: Reading) -> None:
    """Refuses dicts that state another value each, where nothing tells their clients apart."""
    stated: dict[tuple[Component, str, str], Item] = {}
    for item in reading.items:
        before = stated.setdefault((item.component, item.process, item.name), item)
        if before.text != item.text and decides(item.name):
            words = f"{shown(item.name)} differs from the dict on line {before.line}"
            reading.wrong(item.component, item.name, item.line, f"{words}. Leave one of them")


def _judge(reading: Reading, tree: ast.Module, flow: Flow) -> None:
    """States what the program makes of what it sends and reads. Raises `IntakeError`."""
    made = {client.component for client in flow.clients}
    if Component.PRODUCER in made:
        in_config = any("on_delivery" in made.pairs for made in flow.made)
        _judge_sends(reading, tree, in_config=in_config)
    if Component.CONSUMER in made:
        _refuse_the_end(tree)
        add_processing_facts(reading, processing_facts(tree))
        refuse_uncommitted(reading, uncommitted(tree))
    transactions.judge(reading, python_transactions.transactions(tree))


def _judge_sends(reading: Reading, tree: ast.Module, *, in_config: bool) -> None:
    """States whether sends may fail unnoticed, and refuses what does not say so."""
    line, reason = python_sends.unchecked_send(tree, in_config=in_config)
    if line:
        add_ignored_send_errors(reading, line, reason)
        return
    line, reason = (0, "") if in_config else python_sends.open_sends(tree)
    if line:
        reading.wrong(Component.APPLICATION, "delivery.errors", line, reason)
    elif not syntax.consumer_names(tree) and (line := job_tree.ignored_send_error(tree)):
        add_ignored_send_errors(reading, line, CONTINUES_WITHOUT_MESSAGE)


def _state(
    reading: Reading, made: SettingsDict, component: Component, process: str,
    known: dict[str, ast.expr], clients: tuple[Component, ...] = (),
) -> None:  # fmt: skip
    """Takes a dict, or what a client has of one that `clients` share. Raises `IntakeError` for one
    that has what is not known."""
    for line in made.unread:
        words = "what is put into a client's dict here is not known. Write its settings out, or "
        raise IntakeError(f"Line {line}: {words}leave it away if none decides anything.")
    for key, value, line in made.pairs.values():
        if component not in clients_having(key, clients or (component,)):
            continue
        plain = known.get(value.id, value) if isinstance(value, ast.Name) else value
        take_pair(reading, component, key, plain, line, process)
    chosen = [pair for pair in made.pairs.values() if isinstance(pair.value, ast.IfExp)]
    for key, line in (made.doubts | {key: line for key, _, line in chosen}).items():
        if is_weighed(Family.LIBRDKAFKA, component, key):
            words = "depends on a condition of the program. Leave only the case that you ask for"
            reading.wrong(component, key, line, f"{shown(key)} {words}")


def _is_dict(tree: ast.Module) -> bool:
    """Whether a text only states dicts, so that it is not a program."""
    return all(isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) for node in tree.body)


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
        return syntax.with_nodes(
            inlined(without_function_factories(unfold(normal_form(ast.parse(code)))))
        )
    except SyntaxError as error:
        line = min(error.lineno or 1, text.count("\n") + 1)
        raise IntakeError(f"Line {line}: this is not well-formed Python. {_IN_ANOTHER}") from None
    except (ValueError, RecursionError, MemoryError):
        raise IntakeError("The file: this is not Python that can be read.") from None


def _bare(text: str) -> bool:
    """Whether these are pairs alone, one or more a line."""
    lines = [line for name in text.splitlines() if (line := name.strip()) and line[0] != "#"]
    return bool(lines) and all(_PAIR.match(line) for line in lines)


def _refuse_others(tree: ast.Module) -> None:
    """Raises `IntakeError` where a client of another library is made, or a class is one itself."""
    own_classes = {node.name for node in syntax.nodes(tree) if isinstance(node, ast.ClassDef)}
    for node in syntax.nodes(tree):
        if isinstance(node, ast.ClassDef):
            bases = (ast.unparse(base).rpartition(".")[2] for base in node.bases)
            if base := next((base for base in bases if base in CLIENTS), None):
                raise IntakeError(
                    f"Line {node.lineno}: {shown(node.name)} is itself a {base}, which is not "
                    "followed. Keep the client in a field of the class (self.client = "
                    f"{base}(…)), or give its settings as properties."
                )
        if not isinstance(node, ast.Call):
            continue
        made = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        made = node.func.id if isinstance(node.func, ast.Name) else made
        if made == "ShareConsumer":
            raise IntakeError(f"Line {node.lineno}: {made}: {SHARE_CONSUMER}")
        if _OTHER.fullmatch(made) and made not in own_classes:
            raise IntakeError(f"Line {node.lineno}: {made} {_other_client(tree, made)}")


def _other_client(tree: ast.Module, name: str) -> str:
    """Why nothing is read of a client of this name: another library's, or the team's own class."""
    for node in syntax.nodes(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            library = (node.module or "").partition(".")[0]
            if node.level or library not in ("kafka", "aiokafka"):
                return _ELSEWHERE
    own = "aiokafka, which" if name.startswith("AIO") else _KAFKA_PYTHON
    return (
        f"is a client of {own} is not known here: what counts where nothing is stated is its own, "
        "so nothing is read. Answer the questions as for the Java client, and state each value, "
        "those too that the code leaves out."
    )


def _refuse_the_end(tree: ast.Module) -> None:
    """Raises `IntakeError` for a reader that begins at the end, wherever its group is."""
    for line, reason in seeks.refused_seeks(tree):
        raise IntakeError(f"Line {line}: {reason}")


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
    """Each dict with text keys that is not part of another one, under the name that it is given or
    the call that it is an argument of; inner ones under their keys. Raises `IntakeError`."""
    return [(made.name, [*made.pairs.values()]) for made in _roots(Flow(_parsed(text)))]


def _roots(flow: Flow) -> list[SettingsDict]:
    return [made for made in flow.roots() if made.pairs]


def _by_name(name: str) -> Component | None:
    components = [
        component
        for component in (Component.PRODUCER, Component.CONSUMER)
        if component in name.lower()
    ]
    return components[0] if len(components) == 1 else None


def _is_of_client(made: SettingsDict) -> bool:
    """Whether a dict is a client's, by its name or by any of its keys."""
    named = _by_name(made.name.rpartition(".")[2])
    return named is not None or any(map(is_client_setting, islice(made.pairs, _TRIED)))


def _connects(made: SettingsDict) -> bool:
    """Whether a dict is a client's whole one, and no part that others are made of."""
    return not made.pairs.keys().isdisjoint(("bootstrap.servers", "metadata.broker.list"))


def take_pair(
    reading: Reading, component: Component, key: str, value: ast.expr, line: int, process: str = ""
) -> None:
    """Takes one pair of a dict, if its value is a literal, or the default of a variable."""
    other_products.refuse(key, line)
    worked_out = "" if isinstance(value, ast.Constant) else ast.unparse(value)
    if refuse_new_group(reading, component, key, worked_out, line):
        return
    if isinstance(value, ast.Name) and value.id in ("true", "false"):  # of JSON
        value = ast.Constant(value.id == "true")
    if stated := default_of_variable(value):
        _say_default(reading, key, line, variable_name(value), stated)
        if ast.literal_eval(stated) == "" and not decides(key):
            return  # for a value that is given, such as a name
        value = stated
    elif is_free(key) and _is_worked_out(value):
        value = ast.Constant("x")  # a name with a variable in it is one, whatever that is
    try:
        literal = _product(value) if isinstance(value, ast.BinOp) else ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        literal = None
    if isinstance(literal, bool):
        reading.state(component, key, str(literal).lower(), line, process=process)
    elif isinstance(literal, str) or (isinstance(literal, int) and abs(literal) < 2**63):
        reading.state(component, key, str(literal), line, process=process)
    else:
        report_open_value(reading, component, key, line)


def _say_default(reading: Reading, key: str, line: int, name: str, stated: ast.expr) -> None:
    """Says that a variable of this name may replace what counts here."""
    if not is_secret(key):
        reading.note(line, f"{shown(key)}: the default counts here; a variable may replace it")
    if decides(key):
        of_program = VariableValue.by_name(name, str(ast.literal_eval(stated)), line)
        reading.defaulted_settings.append(DefaultedSetting(shown(key), of_program))


def report_open_value(reading: Reading, component: Component, key: str, line: int) -> None:
    """Says that a value is known only where the program runs: a problem if an answer depends on
    it."""
    if decides(key):
        reading.wrong(component, key, line, f"{shown(key)} {NO_PLAIN_VALUE}")
    else:
        reading.note(line, f"{shown(key)} is not a plain value: not read")


def _is_worked_out(node: ast.expr) -> bool:
    """Whether this is a text with something filled in."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.BinOp)
        and any(isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value
                for one in (node.left, node.right))
    )  # fmt: skip


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
    if _YAML.search(text) and not _STATEMENT.search(text):
        return 0.0
    if "{" in text and _PAIR.search(text):
        return 0.8
    if _MADE.search(text) or _PUT.search(text):
        return 0.75
    return 0.7 if _DICT.search(text) or _OTHERS.search(text) or _bare(text) else 0.0


READERS = (Reader("python-dict", "Python dict (confluent-kafka)", _likeness, read),)
