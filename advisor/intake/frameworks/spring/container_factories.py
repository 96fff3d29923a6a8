"""Listener containers that code sets up: `ConcurrentKafkaListenerContainerFactory` as a bean.

A new factory has the defaults of ContainerProperties (`AckMode.BATCH`), and neither the settings of
`spring.kafka.listener` nor Spring Boot's error handler and transaction manager. A factory that is
passed to a ConcurrentKafkaListenerContainerFactoryConfigurer has all of these first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from advisor.intake.frameworks.spring.factory_methods import FactoryMethod
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError, shown

FACTORIES = ("ConcurrentKafkaListenerContainerFactory", "KafkaListenerContainerFactory")
NEW_FACTORY = re.compile(
    r"\bConcurrentKafkaListenerContainerFactory\s*(?:<[\w<>?,\s.\[\]]{0,200}>)?\s*\(\s*\)"
)
_VARIABLE = re.compile(r"(?P<name>\w+)\s*(?::\s*[\w<>?,\s.]{1,160})?=\s*(?:new\s+)?$")
_SCOPE_FUNCTION = re.compile(r"\s*\.\s*(?P<kind>apply|also)\s*\{(?:\s*(?P<name>\w+)\s*->)?")
_PROPERTIES = r"(?:getContainerProperties\s*\(\s*\)|containerProperties)"
_ALIAS = re.compile(
    rf"(?P<name>\w+)\s*(?::\s*\w+\s*)?=\s*(?:\w+\s*\.\s*)?{_PROPERTIES}\s*(?=[;\n])"
)
_SETTER = (
    rf"(?P<on_properties>{_PROPERTIES}\s*\.\s*)?"
    r"(?:(?P<name>[a-z]\w*)\s*(?P<opens>\()|(?P<property>[a-z]\w*)\s*=(?!=))"
)
_CONFIGURE_CALL = r"\.\s*configure\s*\(\s*{0}\s*,"
_IGNORED_FACTORY_SETTINGS = frozenset({
    "ackdiscarded", "applicationcontext", "applicationeventpublisher", "autostartup",
    "batchmessageconverter", "changeconsumerthreadname", "concurrency", "correlationheadername",
    "messageconverter", "missingtopicsfatal", "phase", "recordmessageconverter",
    "replyheadersconfigurer", "replytemplate", "threadnamesupplier",
})  # fmt: skip
_IGNORED_CONTAINER_SETTINGS = frozenset({
    "ackcount", "acktime", "authexceptionretryinterval", "clientid",
    "consumerstarttimeout", "consumertaskexecutor", "deliveryattemptheader", "eosmode", "groupid",
    "idlebetweenpolls", "idleeventinterval", "idlepartitioneventinterval", "listenertaskexecutor",
    "logcontainerconfig", "micrometerenabled", "micrometertags", "missingtopicsfatal",
    "monitorinterval", "nopollthreshold", "observationenabled", "onlylogrecordmetadata",
    "polltimeout", "polltimeoutwhilepaused", "scheduler", "shutdowntimeout",
    "stopcontainerwhenfenced", "stopimmediate", "subbatchperpartition", "synccommits",
    "synccommittimeout", "commitloglevel",
})  # fmt: skip
"""Settings of a factory or a container that do not change what happens to records."""
_TRANSACTION_MANAGERS = ("KafkaTransactionManager", "KafkaAwareTransactionManager")
_ACK_MODE = re.compile(
    r"(?:\w+\s*\.\s*)*(?P<mode>RECORD|BATCH|TIME|COUNT|COUNT_TIME|MANUAL(?:_IMMEDIATE)?)"
)
_CONDITION = re.compile(r"\b(?:if|else|for|while|switch|when|try|catch)\b")
_CATCH = re.compile(r"\bcatch\b|\brunCatching\b")
_REACH = 3_000
_ADVICE = "State how the container works (application.commit, application.processing.errors)"
_ADVICE += ", and leave this class out"


@dataclass(slots=True)
class Container:
    """A container factory with the settings that code makes.

    `consumers` is the span of the expression that sets its consumer factory, and `handler` that of
    its error handler.
    """

    name: str
    line: int
    method: FactoryMethod
    is_configured: bool = False
    consumers: tuple[int, int] | None = None
    mode: str = ""
    mode_line: int = 0
    is_batch: bool = False
    acks_wait: int = 0
    """The line of `setAsyncAcks(true)`."""
    transaction: int = 0
    """The line that sets a transaction manager of Kafka."""
    handler: tuple[int, int] | None = None
    unread: list[str] = field(default_factory=list)


def read_container(code: Code, method: FactoryMethod) -> Container:
    """The container factory that a method creates. Raises `IntakeError`."""
    constructors = [*NEW_FACTORY.finditer(code.plain, method.start, method.end)]
    if len(constructors) != 1:
        words = "this container factory is created in a way that is not read"
        raise IntakeError(f"Line {method.line}: {words}. {_ADVICE}.")
    container = Container(method.bean, method.line, method)
    start = constructors[0].start()
    before = code.plain[max(method.start, start - 300) : start]
    variable = _VARIABLE.search(before)
    if block := _SCOPE_FUNCTION.match(code.plain, constructors[0].end()):
        _take_block(container, code, block)
    if variable:
        _take_calls(container, code, variable["name"], constructors[0].end())
    return container


def _take_block(container: Container, code: Code, block: re.Match[str]) -> None:
    """Takes the settings in a block of Kotlin's `apply` or `also`."""
    end = jvm_text.closing_bracket(code.plain, block.end(), _REACH)
    receiver = "it" if block["kind"] == "also" else ""
    head = rf"\b{block['name'] or receiver}\s*\.\s*" if receiver else r"(?<![\w.])(?:this\s*\.\s*)?"
    start, depth = block.end(), 0
    setter = re.compile(rf"{head}{_SETTER}")
    while start < end and (match := setter.search(code.plain, start, end)):
        inner = code.plain[block.end() : match.start()]
        depth = inner.count("{") - inner.count("}") + inner.count("(") - inner.count(")")
        if depth:
            start = match.end()
            continue
        _refuse_condition(code, match.start(), block.end())
        start = _take_setter(container, code, match)


def _take_calls(container: Container, code: Code, name: str, start: int) -> None:
    """Takes the settings that code makes through the name of a factory, or of its properties."""
    end = container.method.end
    names = {name: ""}
    for alias in _ALIAS.finditer(code.plain, start, end):
        names[alias["name"]] = "properties"
    for variable, kind in names.items():
        for use in re.compile(rf"(?<![\w.]){re.escape(variable)}\b").finditer(
            code.plain, start, end
        ):
            _refuse_condition(code, use.start(), container.method.start)
            match = re.compile(rf"\s*\.\s*{_SETTER}").match(code.plain, use.end())
            if match:
                _take_setter(container, code, match, is_container=kind == "properties")
            elif not _is_harmless_use(container, code, variable, use):
                words = f"what this does with {shown(variable)} is not read"
                raise IntakeError(f"Line {code.line(use.start())}: {words}. {_ADVICE}.")


def _is_harmless_use(container: Container, code: Code, name: str, use: re.Match[str]) -> bool:
    """Whether a use returns the factory, declares a variable for its properties, or passes it to a
    configurer."""
    plain = code.plain
    before = plain[max(container.method.start, use.start() - 80) : use.start()]
    after = plain[use.end() : use.end() + 80]
    if re.search(r"\breturn\s+$", before) and re.match(r"\s*[;}\n]", after):
        return True
    if re.match(rf"\s*(?:\.\s*{_PROPERTIES}\s*[;\n]|(?::\s*\w+\s*)?=)", after):
        return True
    configures = re.compile(_CONFIGURE_CALL.format(re.escape(name)))
    for match in configures.finditer(plain, container.method.start, container.method.end):
        if match.start() < use.start() < match.end():
            container.is_configured = True
            end = jvm_text.closing_bracket(plain, match.end(), _REACH)
            container.consumers = _trim(plain, match.end(), end - 1)
            return True
    return False


def _refuse_condition(code: Code, at: int, start: int) -> None:
    """Raises `IntakeError` for a setting that depends on a condition."""
    before = code.plain[max(start, at - 400) : at]
    statement = max(before.rfind(char) for char in ";{}")
    open_blocks = before.count("{") - before.count("}")
    if _CONDITION.search(before[statement + 1 :]) or (
        open_blocks > 0 and _CONDITION.search(before)
    ):
        words = "this setting of the container depends on a condition"
        raise IntakeError(f"Line {code.line(at)}: {words}. {_ADVICE}.")


def _trim(plain: str, start: int, end: int) -> tuple[int, int]:
    while start < end and plain[start].isspace():
        start += 1
    while end > start and plain[end - 1].isspace():
        end -= 1
    return start, end


def _take_setter(
    container: Container, code: Code, match: re.Match[str], *, is_container: bool = False
) -> int:
    """Takes one setting, and returns the offset after it."""
    plain = code.plain
    if match["opens"]:
        end = jvm_text.closing_bracket(plain, match.end(), _REACH)
        span = _trim(plain, match.end(), end - 1)
        name = match["name"]
    else:
        line_end = re.compile(r"[;\n}]").search(plain, match.end())
        end = line_end.start() if line_end else len(plain)
        span, name = _trim(plain, match.end(), end), match["property"]
    is_container = is_container or bool(match["on_properties"])
    setting = re.sub(r"^(?:set|is)(?=[A-Z])", "", name).lower()
    if re.match(r"get[A-Z]", name) or name in ("apply", "also", "containerProperties"):
        if name == "getContainerProperties":
            return end
        if not re.match(r"get[A-Z]", name):
            _refuse_setter(code, match.start(), name)
        return end
    if is_container:
        _take_container_setting(container, code, setting, name, span)
    else:
        _take_factory_setting(container, code, setting, name, span)
    return end


def _refuse_setter(code: Code, at: int, name: str) -> None:
    words = f"the setting {shown(name)} of this container is not read"
    raise IntakeError(f"Line {code.line(at)}: {words}. {_ADVICE}.")


def _take_factory_setting(
    container: Container, code: Code, setting: str, name: str, span: tuple[int, int]
) -> None:
    expression = code.plain[slice(*span)]
    if setting == "consumerfactory":
        container.consumers = span
    elif setting == "commonerrorhandler":
        container.handler = span
    elif setting == "batchlistener" and expression in ("true", "false"):
        container.is_batch = expression == "true"
    elif setting == "recordfilterstrategy" and not _CATCH.search(expression):
        if not re.search(r"->|\{", expression):
            _refuse_setter(code, span[0], name)
    elif setting not in _IGNORED_FACTORY_SETTINGS:
        _refuse_setter(code, span[0], name)


def _take_container_setting(
    container: Container, code: Code, setting: str, name: str, span: tuple[int, int]
) -> None:
    expression = code.plain[slice(*span)]
    mode = _ACK_MODE.fullmatch(expression)
    if setting == "ackmode" and mode:
        container.mode, container.mode_line = mode["mode"], code.line(span[0])
    elif setting == "asyncacks" and expression in ("true", "false"):
        container.acks_wait = code.line(span[0]) if expression == "true" else 0
    elif setting in ("transactionmanager", "kafkaawaretransactionmanager"):
        if not _is_kafka_manager(container, code, expression):
            _refuse_setter(code, span[0], name)
        container.transaction = code.line(span[0])
    elif setting not in _IGNORED_CONTAINER_SETTINGS:
        _refuse_setter(code, span[0], name)


def _is_kafka_manager(container: Container, code: Code, expression: str) -> bool:
    """Whether a transaction manager belongs to Kafka."""
    if re.match(r"(?:new\s+)?KafkaTransactionManager\b", expression):
        return True
    name = re.fullmatch(r"(?:this\.)?(\w+)\s*(?:\(.*\))?", expression, re.DOTALL)
    if name is None:
        return False
    type_ = container.method.parameters.get(name[1], "")
    if type_:
        return type_.partition("<")[0].strip() in _TRANSACTION_MANAGERS
    types = "|".join(_TRANSACTION_MANAGERS)
    java = rf"\b(?:{types})\s*(?:<[^;(){{}}]{{0,100}}>)?\s+{name[1]}\b"
    kotlin = rf"\b{name[1]}\s*(?:\([^()]*\)\s*)?:\s*(?:{types})\b"
    return bool(re.search(f"{java}|{kotlin}", code.plain))
