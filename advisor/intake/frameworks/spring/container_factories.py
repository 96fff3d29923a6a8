"""Containers of listeners that code sets up: `ConcurrentKafkaListenerContainerFactory` as a bean.

One that is made anew has the defaults of ContainerProperties (`AckMode.BATCH`) and nothing of
`spring.kafka.listener`, nor Spring Boot's handler of errors and manager of transactions; one that
is handed to a ConcurrentKafkaListenerContainerFactoryConfigurer has all of these first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from advisor.intake.frameworks.spring.made_beans import Made
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError, shown

FACTORIES = ("ConcurrentKafkaListenerContainerFactory", "KafkaListenerContainerFactory")
NEW_FACTORY = re.compile(
    r"\bConcurrentKafkaListenerContainerFactory\s*(?:<[\w<>?,\s.\[\]]{0,200}>)?\s*\(\s*\)"
)
_VARIABLE = re.compile(r"(?P<name>\w+)\s*(?::\s*[\w<>?,\s.]{1,160})?=\s*(?:new\s+)?$")
_APPLIED = re.compile(r"\s*\.\s*(?P<kind>apply|also)\s*\{(?:\s*(?P<name>\w+)\s*->)?")
_PROPERTIES = r"(?:getContainerProperties\s*\(\s*\)|containerProperties)"
_ALIAS = re.compile(
    rf"(?P<name>\w+)\s*(?::\s*\w+\s*)?=\s*(?:\w+\s*\.\s*)?{_PROPERTIES}\s*(?=[;\n])"
)
_SAID = (
    rf"(?P<of>{_PROPERTIES}\s*\.\s*)?"
    r"(?:(?P<name>[a-z]\w*)\s*(?P<opens>\()|(?P<property>[a-z]\w*)\s*=(?!=))"
)
_CONFIGURES = r"\.\s*configure\s*\(\s*{0}\s*,"
_ON_FACTORY = frozenset({
    "ackdiscarded", "applicationcontext", "applicationeventpublisher", "autostartup",
    "batchmessageconverter", "changeconsumerthreadname", "concurrency", "correlationheadername",
    "messageconverter", "missingtopicsfatal", "phase", "recordmessageconverter",
    "replyheadersconfigurer", "replytemplate", "threadnamesupplier",
})  # fmt: skip
_ON_CONTAINER = frozenset({
    "ackcount", "acktime", "authexceptionretryinterval", "clientid",
    "consumerstarttimeout", "consumertaskexecutor", "deliveryattemptheader", "eosmode", "groupid",
    "idlebetweenpolls", "idleeventinterval", "idlepartitioneventinterval", "listenertaskexecutor",
    "logcontainerconfig", "micrometerenabled", "micrometertags", "missingtopicsfatal",
    "monitorinterval", "nopollthreshold", "observationenabled", "onlylogrecordmetadata",
    "polltimeout", "polltimeoutwhilepaused", "scheduler", "shutdowntimeout",
    "stopcontainerwhenfenced", "stopimmediate", "subbatchperpartition", "synccommits",
    "synccommittimeout", "commitloglevel",
})  # fmt: skip
"""What may be said of a container and changes nothing of what becomes of its records."""
_TRANSACTIONS = ("KafkaTransactionManager", "KafkaAwareTransactionManager")
_MODE = re.compile(
    r"(?:\w+\s*\.\s*)*(?P<mode>RECORD|BATCH|TIME|COUNT|COUNT_TIME|MANUAL(?:_IMMEDIATE)?)"
)
_DEPENDS = re.compile(r"\b(?:if|else|for|while|switch|when|try|catch)\b")
_CATCHES = re.compile(r"\bcatch\b|\brunCatching\b")
_REACH = 3_000
_INSTEAD = "State what the container does (application.commit, application.processing.errors)"
_INSTEAD += ", and leave this class out"


@dataclass(slots=True)
class Container:
    """A container factory: its name, where it is made, what it is given as the factory of its
    consumers, and what is said of it."""

    name: str
    line: int
    method: Made
    is_configured: bool = False
    consumers: tuple[int, int] | None = None
    mode: str = ""
    mode_line: int = 0
    is_batch: bool = False
    acks_wait: int = 0
    """The line of `setAsyncAcks(true)`."""
    transaction: int = 0
    """The line where it is given a manager of Kafka's transactions."""
    handler: tuple[int, int] | None = None
    unread: list[str] = field(default_factory=list)


def container(code: Code, method: Made) -> Container:
    """What a method says of the container factory that it makes. Raises `IntakeError`."""
    made = [*NEW_FACTORY.finditer(code.plain, method.start, method.end)]
    if len(made) != 1:
        words = "this container factory is made in a way that is not read"
        raise IntakeError(f"Line {method.line}: {words}. {_INSTEAD}.")
    found = Container(method.bean, method.line, method)
    at = made[0].start()
    before = code.plain[max(method.start, at - 300) : at]
    name = _VARIABLE.search(before)
    if applied := _APPLIED.match(code.plain, made[0].end()):
        _inside(found, code, applied)
    if name:
        _outside(found, code, name["name"], made[0].end())
    return found


def _inside(found: Container, code: Code, applied: re.Match[str]) -> None:
    """Takes what a block of Kotlin's `apply` or `also` says."""
    end = jvm_text.closing_bracket(code.plain, applied.end(), _REACH)
    given = "it" if applied["kind"] == "also" else ""
    head = rf"\b{applied['name'] or given}\s*\.\s*" if given else r"(?<![\w.])(?:this\s*\.\s*)?"
    start, depth = applied.end(), 0
    said = re.compile(rf"{head}{_SAID}")
    while start < end and (match := said.search(code.plain, start, end)):
        inner = code.plain[applied.end() : match.start()]
        depth = inner.count("{") - inner.count("}") + inner.count("(") - inner.count(")")
        if depth:
            start = match.end()
            continue
        _refuse_condition(code, match.start(), applied.end())
        start = _take(found, code, match)


def _outside(found: Container, code: Code, name: str, start: int) -> None:
    """Takes what is said of a factory by its name, and of its properties by theirs."""
    end = found.method.end
    names = {name: ""}
    for alias in _ALIAS.finditer(code.plain, start, end):
        names[alias["name"]] = "properties"
    for own, kind in names.items():
        for use in re.compile(rf"(?<![\w.]){re.escape(own)}\b").finditer(code.plain, start, end):
            _refuse_condition(code, use.start(), found.method.start)
            match = re.compile(rf"\s*\.\s*{_SAID}").match(code.plain, use.end())
            if match:
                _take(found, code, match, is_container=kind == "properties")
            elif not _is_harmless(found, code, own, use):
                words = f"what this does with {shown(own)} is not read"
                raise IntakeError(f"Line {code.line(use.start())}: {words}. {_INSTEAD}.")


def _is_harmless(found: Container, code: Code, name: str, use: re.Match[str]) -> bool:
    """Whether a use returns the factory, declares a name of its parts, or has it configured."""
    plain = code.plain
    before = plain[max(found.method.start, use.start() - 80) : use.start()]
    behind = plain[use.end() : use.end() + 80]
    if re.search(r"\breturn\s+$", before) and re.match(r"\s*[;}\n]", behind):
        return True
    if re.match(rf"\s*(?:\.\s*{_PROPERTIES}\s*[;\n]|(?::\s*\w+\s*)?=)", behind):
        return True
    configures = re.compile(_CONFIGURES.format(re.escape(name)))
    for match in configures.finditer(plain, found.method.start, found.method.end):
        if match.start() < use.start() < match.end():
            found.is_configured = True
            end = jvm_text.closing_bracket(plain, match.end(), _REACH)
            found.consumers = _trimmed(plain, match.end(), end - 1)
            return True
    return False


def _refuse_condition(code: Code, at: int, since: int) -> None:
    """Raises `IntakeError` for what is said under a condition."""
    before = code.plain[max(since, at - 400) : at]
    begin = max(before.rfind(char) for char in ";{}")
    opened = before.count("{") - before.count("}")
    if _DEPENDS.search(before[begin + 1 :]) or (opened > 0 and _DEPENDS.search(before)):
        words = "what is said of this container depends on a condition"
        raise IntakeError(f"Line {code.line(at)}: {words}. {_INSTEAD}.")


def _trimmed(plain: str, start: int, end: int) -> tuple[int, int]:
    while start < end and plain[start].isspace():
        start += 1
    while end > start and plain[end - 1].isspace():
        end -= 1
    return start, end


def _take(found: Container, code: Code, match: re.Match[str], *, is_container: bool = False) -> int:
    """Takes what is said, and gives the place behind it."""
    plain = code.plain
    if match["opens"]:
        end = jvm_text.closing_bracket(plain, match.end(), _REACH)
        place = _trimmed(plain, match.end(), end - 1)
        name = match["name"]
    else:
        line_ends = re.compile(r"[;\n}]").search(plain, match.end())
        end = line_ends.start() if line_ends else len(plain)
        place, name = _trimmed(plain, match.end(), end), match["property"]
    is_container = is_container or bool(match["of"])
    setting = re.sub(r"^(?:set|is)(?=[A-Z])", "", name).lower()
    if re.match(r"get[A-Z]", name) or name in ("apply", "also", "containerProperties"):
        if name == "getContainerProperties":
            return end
        if not re.match(r"get[A-Z]", name):
            _refuse(code, match.start(), name)
        return end
    if is_container:
        _of_container(found, code, setting, name, place)
    else:
        _of_factory(found, code, setting, name, place)
    return end


def _refuse(code: Code, at: int, name: str) -> None:
    words = f"what {shown(name)} says of this container is not read"
    raise IntakeError(f"Line {code.line(at)}: {words}. {_INSTEAD}.")


def _of_factory(
    found: Container, code: Code, setting: str, name: str, place: tuple[int, int]
) -> None:
    written = code.plain[slice(*place)]
    if setting == "consumerfactory":
        found.consumers = place
    elif setting == "commonerrorhandler":
        found.handler = place
    elif setting == "batchlistener" and written in ("true", "false"):
        found.is_batch = written == "true"
    elif setting == "recordfilterstrategy" and not _CATCHES.search(written):
        if not re.search(r"->|\{", written):
            _refuse(code, place[0], name)
    elif setting not in _ON_FACTORY:
        _refuse(code, place[0], name)


def _of_container(
    found: Container, code: Code, setting: str, name: str, place: tuple[int, int]
) -> None:
    written = code.plain[slice(*place)]
    mode = _MODE.fullmatch(written)
    if setting == "ackmode" and mode:
        found.mode, found.mode_line = mode["mode"], code.line(place[0])
    elif setting == "asyncacks" and written in ("true", "false"):
        found.acks_wait = code.line(place[0]) if written == "true" else 0
    elif setting in ("transactionmanager", "kafkaawaretransactionmanager"):
        if not _is_kafkas(found, code, written):
            _refuse(code, place[0], name)
        found.transaction = code.line(place[0])
    elif setting not in _ON_CONTAINER:
        _refuse(code, place[0], name)


def _is_kafkas(found: Container, code: Code, written: str) -> bool:
    """Whether a manager of transactions is Kafka's."""
    if re.match(r"(?:new\s+)?KafkaTransactionManager\b", written):
        return True
    name = re.fullmatch(r"(?:this\.)?(\w+)\s*(?:\(.*\))?", written, re.DOTALL)
    if name is None:
        return False
    kind = found.method.given.get(name[1], "")
    if kind:
        return kind.partition("<")[0].strip() in _TRANSACTIONS
    kinds = "|".join(_TRANSACTIONS)
    java = rf"\b(?:{kinds})\s*(?:<[^;(){{}}]{{0,100}}>)?\s+{name[1]}\b"
    kotlin = rf"\b{name[1]}\s*(?:\([^()]*\)\s*)?:\s*(?:{kinds})\b"
    return bool(re.search(f"{java}|{kotlin}", code.plain))
