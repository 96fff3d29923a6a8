"""Python programs with dicts of settings for confluent-kafka. They are parsed, and never run.

kafka-python and aiokafka take keywords, and are clients that the catalog does not have.
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
    is_modelled,
    likely_clients,
)
from advisor.intake.programs import transactions
from advisor.intake.programs.databases import refuse_uncommitted
from advisor.intake.programs.facts import (
    CONTINUES_WITHOUT_MESSAGE,
    IGNORED,
    SHARE_CONSUMER,
    add_ignored_send_errors,
    add_processing_facts,
)
from advisor.intake.programs.python import seeks, syntax
from advisor.intake.programs.python import topics as python_topics
from advisor.intake.programs.python.clients import Pair, SettingsDict
from advisor.intake.programs.python.constants import (
    constants,
    default_of_variable,
    unread_names,
    variable_name,
)
from advisor.intake.programs.python.errors import sends as python_sends
from advisor.intake.programs.python.normal_form.decorators import unfold
from advisor.intake.programs.python.normal_form.function_factories import without_function_factories
from advisor.intake.programs.python.normal_form.inlined import inlined
from advisor.intake.programs.python.normal_form.named_functions import with_named_functions
from advisor.intake.programs.python.normal_form.retry_libraries import with_retries_as_handlers
from advisor.intake.programs.python.normal_form.rewriting import normal_form
from advisor.intake.programs.python.processing import transactions as python_transactions
from advisor.intake.programs.python.processing.databases import uncommitted
from advisor.intake.programs.python.processing.ignored_sends import ignored_sends
from advisor.intake.programs.python.processing.marks import marks_before_processing
from advisor.intake.programs.python.processing.program_facts import processing_facts
from advisor.intake.programs.python.settings_flow import CLIENTS, Flow
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
_ITEM_ASSIGNMENT = re.compile(
    r"^[ \t]*[\w.]+(?:\[[\"'][\w.]+[\"']\][ \t]*=[^=]|\.update\(\w+[ \t]*=)", re.MULTILINE
)
_YAML_KEY = re.compile(r"^[A-Za-z][\w.-]*:(?:[ \t]|$)", re.MULTILINE)
_STATEMENT = re.compile(
    r"^(?:import|from|def|class|@|with|if|for|[\w.]+\s*[=(\[]"
    r"|\w+\s*:[^=\n]{1,80}=\s*(?:[A-Z]\w*\(|\{|dict\())",
    re.MULTILINE,
)
_LIBRARY = re.compile(r"\bconfluent_kafka\b")
_OTHER_CLIENT = re.compile(r"(?:AIO)?Kafka(?:Producer|Consumer)")
_OTHER_CALL = re.compile(rf"(?<!new )\b{_OTHER_CLIENT.pattern}\s*\(")
_KAFKA_PYTHON = "kafka-python (before 3.0: acks=1 without idempotence, unless stated), which"
_CLASS_OF_ANOTHER_FILE = (
    "is a class of another file, which creates the client. Give that file, or the settings as "
    "properties, one file for each client."
)
_ANOTHER_LANGUAGE = (
    "If it is another language, give the settings as properties, one file for each client."
)
_NO_CLIENT = (
    "no producer or consumer of confluent-kafka is in this program, and no dict of settings for "
    "one. Give the file that has them, or the settings as properties, one file for each client."
)
_MAX_DEPTH = 50
_CHECKED_KEYS = 20
"""The keys of a dict that are looked up at most: an unknown one takes some milliseconds."""
MAX_LENGTH = 200_000
"""Characters of code that Python's parser reads in half a second."""
_HEADERS = "headers"
"""The name of dicts that are headers of records, whatever their keys."""


def read(text: str) -> Reading:
    """The settings of all dicts in the source. Raises `IntakeError`.

    A dict belongs to the client that takes it, else to the client that its name says, else to the
    client that has most of its keys. A value that is not a literal is skipped with a note, and so
    is a dict of something else (headers, a schema registry).
    """
    reading = Reading(heads={"family": Family.LIBRDKAFKA})
    tree = _parse(text)
    _refuse_others(tree)
    flow, values = Flow(tree), constants(tree)
    _take_clients(reading, flow, values)
    unread = unread_names(tree)
    configured = {client.component for client in flow.clients if client.settings}
    roots = [
        settings for settings in _root_dicts(flow)
        if not settings.is_for_other_object and settings.name.rpartition(".")[2] != _HEADERS
        and not (settings.name in unread and configured.issuperset(_clients_of(settings)))
    ]  # fmt: skip
    client_dicts = [settings for settings in roots if _is_of_client(settings)]
    if not (flow.clients or client_dicts) and not _is_dict(tree):
        raise IntakeError(f"Line 1: {_NO_CLIENT}")
    client_dicts = client_dicts or ([] if configured else roots)
    topics = [*python_topics.created_topics(tree, values)] if flow.clients else []
    topic_lines = {line for topic in topics for _, _, line in topic.configs}
    for settings in _root_dicts(flow):
        if settings in client_dicts:
            clients = _clients_of(settings)
            for component in clients:
                is_whole = _connects(settings) or component in configured
                process = f"line {settings.line}" if is_whole else ""
                _take_dict(reading, settings, component, process, values, clients)
        elif (line := next(iter(settings.pairs.values())).line) not in topic_lines:
            is_unused = settings not in roots and _is_of_client(settings)
            words = "that nothing uses" if is_unused else "without a setting of a client"
            reading.note(line, f"a dict {words}: not read")
    _refuse_differing(reading)
    _add_program_facts(reading, tree, flow)
    take_topics(reading, topics, int)
    _refuse_empty(reading, is_known=bool(flow.clients) or _is_dict(tree))
    return reading


def _take_clients(reading: Reading, flow: Flow, values: dict[str, ast.expr]) -> None:
    """Takes the settings of the clients that the code creates. Raises `IntakeError`."""
    for client in flow.clients:
        if client.settings:
            reading.clients.add((client.component, f"line {client.line}"))
            _take_dict(reading, client.settings, client.component, f"line {client.line}", values)
        elif not client.is_parameter:
            words = "the dict of this client comes from elsewhere. Write its settings here, or"
            raise IntakeError(f"Line {client.line}: {words} give them as properties.")


def _refuse_empty(reading: Reading, *, is_known: bool) -> None:
    """Raises `IntakeError` for a program that has no settings of a client."""
    if not (reading.items or reading.problems or is_known):
        raise IntakeError(f"Line 1: {_NO_CLIENT}")
    if not reading.items and not reading.notes and not reading.problems:
        raise IntakeError("Line 1: there is no dict of settings here.")


def _refuse_differing(reading: Reading) -> None:
    """Adds a problem for dicts of one client that set the same name to different values."""
    first_items: dict[tuple[Component, str, str], Item] = {}
    for item in reading.items:
        first = first_items.setdefault((item.component, item.process, item.name), item)
        if first.text != item.text and decides(item.name):
            words = f"{shown(item.name)} differs from the dict on line {first.line}"
            reading.add_problem(
                item.component, item.name, item.line, f"{words}. Keep only one of them"
            )


def _add_program_facts(reading: Reading, tree: ast.Module, flow: Flow) -> None:
    """Adds the facts of how the program sends and processes messages. Raises `IntakeError`."""
    components = {client.component for client in flow.clients}
    if Component.PRODUCER in components:
        in_config = any("on_delivery" in settings.pairs for settings in flow.dicts)
        _add_send_facts(reading, tree, in_config=in_config)
    if Component.CONSUMER in components:
        _refuse_seeks(tree)
        marked = min(marks_before_processing(tree), default=0)
        add_processing_facts(reading, processing_facts(tree), marked)
        refuse_uncommitted(reading, uncommitted(tree))
    transactions.judge(reading, python_transactions.transactions(tree))


def _add_send_facts(reading: Reading, tree: ast.Module, *, in_config: bool) -> None:
    """Adds whether a failed send is ignored, and a problem where that cannot be decided."""
    line, reason = python_sends.unchecked_send(tree, in_config=in_config)
    if line:
        add_ignored_send_errors(reading, line, reason)
        return
    line, reason = (0, "") if in_config else python_sends.open_sends(tree)
    if line:
        reading.add_problem(Component.APPLICATION, "delivery.errors", line, reason)
    elif (
        not syntax.consumer_names(tree)
        and (line := ignored_sends(tree).get(IGNORED, 0))
        and not python_sends.leaves_unsent_rows(tree, in_config=in_config)
    ):
        add_ignored_send_errors(reading, line, CONTINUES_WITHOUT_MESSAGE)


def _take_dict(
    reading: Reading, settings: SettingsDict, component: Component, process: str,
    values: dict[str, ast.expr], clients: tuple[Component, ...] = (),
) -> None:  # fmt: skip
    """Takes the settings of a component from a dict that `clients` share. Raises `IntakeError` for
    a dict with settings that cannot be read."""
    for line in settings.unread:
        words = "what is put into a client's dict here cannot be read. Write its settings out, or "
        raise IntakeError(f"Line {line}: {words}leave them out if no answer depends on them.")
    for key, value, line in settings.pairs.values():
        if component not in clients_having(key, clients or (component,)):
            continue
        resolved = values.get(value.id, value) if isinstance(value, ast.Name) else value
        take_pair(reading, component, key, resolved, line, process)
    conditional = [pair for pair in settings.pairs.values() if isinstance(pair.value, ast.IfExp)]
    for key, line in (settings.doubts | {key: line for key, _, line in conditional}).items():
        if is_modelled(Family.LIBRDKAFKA, component, key):
            words = "depends on a condition of the program. Keep only the case that you ask about"
            reading.add_problem(component, key, line, f"{shown(key)} {words}")


def _is_dict(tree: ast.Module) -> bool:
    """Whether the source has only assignments and expressions, so that it is not a program."""
    return all(isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) for node in tree.body)


def check_length(text: str) -> None:
    """Raises `IntakeError` for a source that is longer than `MAX_LENGTH`."""
    if len(text) > MAX_LENGTH:
        raise IntakeError(f"The file is longer than {MAX_LENGTH} characters of code.")


def _parse(text: str) -> ast.Module:
    check_length(text)
    _check_depth(text)
    # Pairs without braces, copied from a dict.
    code = f"{{{text}\n}}" if _is_bare_pairs(text) else textwrap.dedent(text)
    try:
        return syntax.with_nodes(
            inlined(without_function_factories(unfold(_with_handlers(ast.parse(code)))))
        )
    except SyntaxError as error:
        line = min(error.lineno or 1, text.count("\n") + 1)
        raise IntakeError(
            f"Line {line}: this is not well-formed Python. {_ANOTHER_LANGUAGE}"
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise IntakeError("The file: this is not Python that can be read.") from None


def _with_handlers(tree: ast.Module) -> ast.Module:
    return with_named_functions(with_retries_as_handlers(normal_form(tree)))


def _is_bare_pairs(text: str) -> bool:
    """Whether every line begins with a pair, so that the braces of the dict are missing."""
    lines = [line for row in text.splitlines() if (line := row.strip()) and line[0] != "#"]
    return bool(lines) and all(_PAIR.match(line) for line in lines)


def _refuse_others(tree: ast.Module) -> None:
    """Raises `IntakeError` for a client of another library, and for a subclass of a client."""
    class_names = {node.name for node in syntax.nodes(tree) if isinstance(node, ast.ClassDef)}
    for node in syntax.nodes(tree):
        if isinstance(node, ast.ClassDef):
            bases = (ast.unparse(base).rpartition(".")[2] for base in node.bases)
            if base := next((base for base in bases if base in CLIENTS), None):
                raise IntakeError(
                    f"Line {node.lineno}: {shown(node.name)} is itself a {base}, which is not "
                    "supported. Keep the client in a field of the class (self.client = "
                    f"{base}(…)), or give its settings as properties."
                )
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        called = node.func.id if isinstance(node.func, ast.Name) else called
        if called == "ShareConsumer":
            raise IntakeError(f"Line {node.lineno}: {called}: {SHARE_CONSUMER}")
        if _OTHER_CLIENT.fullmatch(called) and called not in class_names:
            raise IntakeError(f"Line {node.lineno}: {called} {_other_client(tree, called)}")


def _other_client(tree: ast.Module, name: str) -> str:
    """Why a client of this name is not read: it is another library's, or a class of the team."""
    for node in syntax.nodes(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            library = (node.module or "").partition(".")[0]
            if node.level or library not in ("kafka", "aiokafka"):
                return _CLASS_OF_ANOTHER_FILE
    library_words = "aiokafka, which" if name.startswith("AIO") else _KAFKA_PYTHON
    return (
        f"is a client of {library_words} is not supported: its defaults are not those of the other "
        "clients, so nothing is read. Answer the questions as for the Java client, and state every "
        "value, including those that the code leaves out."
    )


def _refuse_seeks(tree: ast.Module) -> None:
    """Raises `IntakeError` for a consumer that skips messages by a seek."""
    for line, reason in seeks.refused_seeks(tree):
        raise IntakeError(f"Line {line}: {reason}")


def _check_depth(text: str) -> None:
    """Raises `IntakeError` for nesting that no configuration has: the parser's only limit is its
    stack."""
    depth = 0
    for number, line in enumerate(text.splitlines(), start=1):
        for char in line:
            depth += (char in "([{") - (char in ")]}")
            if depth > _MAX_DEPTH:
                raise IntakeError(f"Line {number}: the file is nested too deeply.")
        if re.search(r"(?:[-+~]\s*){20}|(?:\bnot\s+){20}|(?:\.\s*\w+\s*){50}", line):
            raise IntakeError(f"Line {number}: this is not a configuration.")


def dicts(text: str) -> list[tuple[str, list[Pair]]]:
    """The dicts with string keys that no other dict contains, each as its name and its pairs.

    The name is that of the variable, or of the call that takes the dict as an argument. Inner dicts
    have their key as name. Raises `IntakeError`.
    """
    return [
        (settings.name, [*settings.pairs.values()]) for settings in _root_dicts(Flow(_parse(text)))
    ]


def _root_dicts(flow: Flow) -> list[SettingsDict]:
    return [settings for settings in flow.roots() if settings.pairs]


def _component_by_name(name: str) -> Component | None:
    components = [
        component
        for component in (Component.PRODUCER, Component.CONSUMER)
        if component in name.lower()
    ]
    return components[0] if len(components) == 1 else None


def _is_of_client(settings: SettingsDict) -> bool:
    """Whether a dict is for a client, by its name or by any of its keys."""
    by_name = _component_by_name(settings.name.rpartition(".")[2])
    return by_name is not None or any(map(is_client_setting, islice(settings.pairs, _CHECKED_KEYS)))


def _clients_of(settings: SettingsDict) -> tuple[Component, ...]:
    """The clients that a dict is for, by its name, else by its keys."""
    by_name = _component_by_name(settings.name)
    return (by_name,) if by_name else likely_clients(settings.pairs)


def _connects(settings: SettingsDict) -> bool:
    """Whether a dict has the address of the brokers: it is complete, and not shared by others."""
    return not settings.pairs.keys().isdisjoint(("bootstrap.servers", "metadata.broker.list"))


def take_pair(
    reading: Reading, component: Component, key: str, value: ast.expr, line: int, process: str = ""
) -> None:
    """Takes one pair of a dict, if its value is a literal, or a variable with a default."""
    other_products.refuse(key, line)
    computed = "" if isinstance(value, ast.Constant) else ast.unparse(value)
    if refuse_new_group(reading, component, key, computed, line):
        return
    if isinstance(value, ast.Name) and value.id in ("true", "false"):  # of JSON
        value = ast.Constant(value.id == "true")
    if default := default_of_variable(value):
        _note_default(reading, key, line, variable_name(value), default)
        if ast.literal_eval(default) == "" and not decides(key):
            return  # a placeholder of a value such as a name
        value = default
    elif is_free(key) and _is_computed_text(value):
        value = ast.Constant("x")  # a name with a variable in it is a name, whatever its value
    try:
        literal = _product(value) if isinstance(value, ast.BinOp) else ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        literal = None
    if isinstance(literal, bool):
        reading.add_setting(component, key, str(literal).lower(), line, process=process)
    elif isinstance(literal, str) or (isinstance(literal, int) and abs(literal) < 2**63):
        reading.add_setting(component, key, str(literal), line, process=process)
    else:
        report_open_value(reading, component, key, line)


def _note_default(reading: Reading, key: str, line: int, name: str, default: ast.expr) -> None:
    """Adds a note that the default of a variable counts, and may be replaced."""
    if not is_secret(key):
        reading.note(line, f"{shown(key)}: the default counts here; a variable may replace it")
    if decides(key):
        variable_value = VariableValue.by_name(name, str(ast.literal_eval(default)), line)
        reading.defaulted_settings.append(DefaultedSetting(shown(key), variable_value))


def report_open_value(reading: Reading, component: Component, key: str, line: int) -> None:
    """Adds a note that a value is known only at run time; a problem if an answer depends on it."""
    if decides(key):
        reading.add_problem(component, key, line, f"{shown(key)} {NO_PLAIN_VALUE}")
    else:
        reading.note(line, f"{shown(key)} is not a plain value: not read")


def _is_computed_text(node: ast.expr) -> bool:
    """Whether an expression is a string with a part that is filled in."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.BinOp)
        and any(isinstance(operand, ast.Constant) and isinstance(operand.value, str)
                and operand.value for operand in (node.left, node.right))
    )  # fmt: skip


def _product(node: ast.expr) -> int:
    """The product in `24 * 60 * 60 * 1000`, as durations and sizes are written. Raises
    `ValueError`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        count = _product(node.left) * _product(node.right)
    else:
        count = ast.literal_eval(node)
    if type(count) is not int or abs(count) >= 2**63:
        raise ValueError("no product of whole numbers")
    return count


def _likeness(text: str) -> float:
    if _YAML_KEY.search(text) and not _STATEMENT.search(text):
        return 0.0
    if "{" in text and _PAIR.search(text):
        return 0.8
    if _LIBRARY.search(text) or _ITEM_ASSIGNMENT.search(text):
        return 0.75
    return 0.7 if _DICT.search(text) or _OTHER_CALL.search(text) or _is_bare_pairs(text) else 0.0


READERS = (Reader("python-dict", "Python dict (confluent-kafka)", _likeness, read),)
