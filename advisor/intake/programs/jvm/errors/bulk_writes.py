"""Bulk writes and HTTP requests whose result tells what failed, and that throw nothing.

Sources: Elasticsearch and OpenSearch, Bulk API (`BulkResponse.hasFailures`, `errors`); AWS SDK for
Java (`failedRecordCount` of Kinesis and Firehose, `unprocessedItems` of DynamoDB, `failed` of SQS
and SNS); BigQuery (`hasErrors`); java.net.http, OkHttp, Apache HttpClient and Ktor (they
throw for no status); RabbitMQ (`waitForConfirms` is false for what the broker refused).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _MOST_BODIES = 60, 4
_WRITES = re.compile(
    r"(?P<before>(?:(?<=[;{}\n])|(?P<given>(?<=[(,+]))"
    r"|\b(?P<name>\w+)\s*(?::\s*[\w<>?., ]{1,60})?=(?!=))\s*)"
    r"(?:await\s+)?(?:\w+\s*\??\.\s*){0,3}(?:"
    r"(?i:_?es|\w*(?:elastic|opensearch|client|bigquery|kinesis|firehose|dynamo|sqs|sns)\w*)\s*\.\s*"
    r"(?:bulk|putRecords|putRecordBatch|batchWriteItem|sendMessageBatch|publishBatch|putEvents"
    r"|insertAll)|\w*(?i:http|client)\w*\s*\.\s*send(?=[^;{}]{0,300}\bBodyHandlers\b)"
    r"|\w+\s*\.\s*newCall\s*\([^;{}]{0,300}?\)\s*\.\s*execute"
    r"|\w+\s*\.\s*waitForConfirms"
    r"|(?i:\w*http\w*|client)\s*\.\s*(?P<apache>execute)|(?:\w*[cC]lient|http)\s*\.\s*(?P<ktor>post|put|patch))\s*\("
)
_OF_HTTP = re.compile(r"\.\s*(?:execute|send|post|put|patch)\s*\($")
_LAMBDA = re.compile(r"\(?\s*(\w+)\s*\)?\s*->")
_USED = re.compile(
    r"\s*\.\s*(?:(?:use|also|let)\s*\{(?:\s*(?P<name>\w+)\s*->)?"
    r"|(?:body\s*(?:\(\s*\))?[?!]*\s*\.\s*)?(?P<closes>close)\s*\(\s*\)\s*[;\n}])"
)
"""What a response is given to where it stands."""
_READ_OUT = (
    r"\bconsume\w*\s*\(\s*{0}\b[^;{{}}]{{0,200}}\)\s*;"
    r"|\b{0}\s*\.\s*(?:body\s*(?:\(\s*\))?\s*[?!]*\.\s*)?close\s*\("
)
_BODY = (
    r"\b(?P<name>\w+)\s*(?::[^=;]{{0,60}})?=(?!=)[^;{{}}\n=]{{0,200}}\b{0}\s*\.\s*"
    r"(?:getEntity|body|bodyAsText|entity|statusCode|getCode|getStatus\w*|code|status|isSuccessful)\b[^;{{}}\n]{{0,200}}"
)
_OF_APACHE = re.compile(r"\bCloseableHttpClient\b|\borg\.apache\.(?:http|hc)\.")
_WHILE = re.compile(r"\}\s*while\s*\([^;{}]*")
_OF_BODY = re.compile(r"\s*\.\s*(?:body|headers)\s*\(\s*\)")
_ALONE = re.compile(r"\s*(?:[;}\n]|$)")
_ASKED = (
    r"\b(?:if|for)\s*\((?=[^{{}};]{{0,200}}\b{0}\b)"
    r"|(?P<each>)\b{0}(?:\s*\.\s*\w+(?:\(\))?){{0,3}}\s*\.\s*for[Ee]ach\s*\("
)
_OF_CONDITION = re.compile(r"\b(?:if|for)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\belse\b")


def unchecked_writes(text: Text, span: Block) -> Iterator[int]:
    """Where such a write is, between two places, and nothing but a log asks what failed."""
    begin, end = max(0, span[0]), span[1]
    printed = [*log_arguments(text, (begin, end))]
    for match in islice(_WRITES.finditer(text.plain, begin, end), _MOST):
        behind = text.closed(match.end())
        is_printed = any(start <= match.start() < stop for start, stop in printed)
        if match["given"] is not None and not is_printed:
            continue  # something else is given the result
        if not _is_imported(match, text.plain):
            continue
        behind = (
            text.block_of(behind + 1)[1] + 1 if text.plain[behind : behind + 2] == " {" else behind
        )
        held = match["name"] and text.plain[behind : behind + 1] == ")"  # try (var r = …)
        if used := _USED.match(text.plain, behind):
            name = used["name"] or "it"
            is_own = match["name"] is None
            if is_own and (used["closes"] or not _is_asked(text, name, used.end(), of_http=True)):
                yield match.end()
        of_http = bool(_OF_HTTP.search(match[0]))
        if of_http and (read := _OF_BODY.match(text.plain, behind)):
            behind = read.end()
        held = held or (is_printed and match["given"] is not None)
        if not held and not _ALONE.match(text.plain, behind):
            continue  # something is asked of the result at once
        if of_http and _asks_itself(text, match.end()):
            continue
        if match["name"] is None or not _is_asked(text, match["name"], behind, of_http=of_http):
            yield match.end()


def _asks_itself(text: Text, opened: int) -> bool:
    """Whether a request is given what asks for the status of its response (HttpClient.execute)."""
    given = text.arguments(opened)
    handler = given[-1] if len(given) > 1 and "BodyHandlers" not in given[-1] else ""
    function = _LAMBDA.match(handler)
    if function is None:
        return bool(handler)
    handed_on = re.search(rf"[(,]\s*{function[1]}\s*[,)]", handler[function.end() :])
    return bool(handed_on) or "throw" in handler


def _is_imported(write: re.Match[str], plain: str) -> bool:
    """Whether a program has the client whose method a write may be of."""
    of_apache = not write["apache"] or bool(_OF_APACHE.search(plain))
    return of_apache and (not write["ktor"] or _is_of_ktor(plain))


def _is_of_ktor(plain: str) -> bool:
    """Whether a program has Ktor's client, which throws for no status unless it is told to."""
    return "io.ktor.client" in plain and not re.search(r"\bexpectSuccess\s*=\s*true\b", plain)


def _is_asked(text: Text, name: str, at: int, *, of_http: bool = False) -> bool:
    """Whether something other than a log reads a name in the block around a place; of a response
    `of_http`, what only reads it to its end does not."""
    stop = text.block(at)[1]
    again = _WHILE.match(text.plain, stop)
    stop = again.end() if again else stop
    printed = [*log_arguments(text, (at, stop))]
    for match in re.compile(_ASKED.format(name)).finditer(text.plain, at, stop):
        closed = text.closed(match.end())
        own = match.end(), closed - 1
        start, end = text.guarded(closed) if match["each"] is None else own
        inside = _OF_CONDITION.sub(" ", text.plain[start:end].removeprefix("{"))
        printed += [(match.start(), end)] if only_logs(inside) else []
    if of_http:
        printed += [
            own.span() for own in re.compile(_READ_OUT.format(name)).finditer(text.plain, at, stop)
        ]
        bodies = re.compile(_BODY.format(name)).finditer(text.plain, at, stop)
        for body in islice(bodies, _MOST_BODIES):
            printed += [] if _is_asked(text, body["name"], body.end()) else [body.span()]
    uses = re.compile(rf"(?<![\w.]){name}\b").finditer(text.plain, at, stop)
    return any(not any(start <= use.start() < end for start, end in printed) for use in uses)
