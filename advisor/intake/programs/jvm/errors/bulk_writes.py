"""Bulk writes and HTTP requests that report failures in their result and throw nothing.

Sources: Elasticsearch and OpenSearch, Bulk API (`BulkResponse.hasFailures`, `errors`); AWS SDK for
Java (`failedRecordCount` of Kinesis and Firehose, `unprocessedItems` of DynamoDB, `failed` of SQS
and SNS); BigQuery (`hasErrors`); java.net.http, OkHttp, Apache HttpClient and Ktor (they
throw for no status); RabbitMQ (`waitForConfirms` is false for messages that the broker refused).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.text import Block, Text

_MAX_MATCHES, _MAX_VALUES = 60, 4
_WRITE = re.compile(
    r"(?P<before>(?:(?<=[;{}\n])|(?P<argument>(?<=[(,+]))"
    r"|\b(?P<name>\w+)\s*(?::\s*[\w<>?., ]{1,60})?=(?!=))\s*)"
    r"(?:await\s+)?(?:\w+\s*\??\.\s*){0,3}(?:"
    r"(?i:_?es|\w*(?:elastic|opensearch|client|bigquery|kinesis|firehose|dynamo|sqs|sns)\w*)\s*\.\s*"
    r"(?:bulk|putRecords|putRecordBatch|batchWriteItem|sendMessageBatch|publishBatch|putEvents"
    r"|insertAll)|\w*(?i:http|client)\w*\s*\.\s*send(?=[^;{}]{0,300}\bBodyHandlers\b)"
    r"|\w+\s*\.\s*newCall\s*\([^;{}]{0,300}?\)\s*\.\s*execute"
    r"|\w+\s*\.\s*waitForConfirms"
    r"|(?i:\w*http\w*|client)\s*\.\s*(?P<apache>execute)|(?:\w*[cC]lient|http)\s*\.\s*(?P<ktor>post|put|patch))\s*\("
)
_HTTP_CALL = re.compile(r"\.\s*(?:execute|send|post|put|patch)\s*\($")
_LAMBDA = re.compile(r"\(?\s*(\w+)\s*\)?\s*->")
_IMMEDIATE_USE = re.compile(
    r"\s*\.\s*(?:(?:use|also|let)\s*\{(?:\s*(?P<name>\w+)\s*->)?"
    r"|(?:body\s*(?:\(\s*\))?[?!]*\s*\.\s*)?(?P<closes>close)\s*\(\s*\)\s*[;\n}])"
)
"""A block that uses the response, or a call that closes it immediately."""
_DISCARDED_RESPONSE = (
    r"\bconsume\w*\s*\(\s*{0}\b[^;{{}}]{{0,200}}\)\s*;"
    r"|\b{0}\s*\.\s*(?:body\s*(?:\(\s*\))?\s*[?!]*\.\s*)?close\s*\("
)
_VALUE_OF_RESPONSE = (
    r"\b(?P<name>\w+)\s*(?::[^=;]{{0,60}})?=(?!=)[^;{{}}\n=]{{0,200}}\b{0}\s*\.\s*"
    r"(?:getEntity|body|bodyAsText|entity|statusCode|getCode|getStatus\w*|code|status|isSuccessful)\b[^;{{}}\n]{{0,200}}"
)
_APACHE_CLIENT = re.compile(r"\bCloseableHttpClient\b|\borg\.apache\.(?:http|hc)\.")
_DO_WHILE_CONDITION = re.compile(r"\}\s*while\s*\([^;{}]*")
_BODY_CALL = re.compile(r"\s*\.\s*(?:body|headers)\s*\(\s*\)")
_STATEMENT_END = re.compile(r"\s*(?:[;}\n]|$)")
_CHECK = (
    r"\b(?:if|for)\s*\((?=[^{{}};]{{0,200}}\b{0}\b)"
    r"|(?P<for_each>)\b{0}(?:\s*\.\s*\w+(?:\(\))?){{0,3}}\s*\.\s*for[Ee]ach\s*\("
)
_CONDITION = re.compile(r"\b(?:if|for)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\belse\b")


def unchecked_writes(text: Text, span: Block) -> Iterator[int]:
    """Yields the offsets of bulk writes and requests in a span whose result is at most logged."""
    begin, end = max(0, span[0]), span[1]
    logged = [*log_arguments(text, (begin, end))]
    for match in islice(_WRITE.finditer(text.plain, begin, end), _MAX_MATCHES):
        after = text.closed(match.end())
        is_logged = any(start <= match.start() < stop for start, stop in logged)
        if match["argument"] is not None and not is_logged:
            continue  # the result is an argument of another call
        if not _has_client(match, text.plain):
            continue
        after = text.block_of(after + 1)[1] + 1 if text.plain[after : after + 2] == " {" else after
        is_enclosed = match["name"] and text.plain[after : after + 1] == ")"  # try (var r = …)
        if use := _IMMEDIATE_USE.match(text.plain, after):
            name = use["name"] or "it"
            is_unnamed = match["name"] is None
            if is_unnamed and (
                use["closes"] or not _is_checked(text, name, use.end(), is_http=True)
            ):
                yield match.end()
        is_http = bool(_HTTP_CALL.search(match[0]))
        if is_http and (body := _BODY_CALL.match(text.plain, after)):
            after = body.end()
        is_enclosed = is_enclosed or (is_logged and match["argument"] is not None)
        if not is_enclosed and not _STATEMENT_END.match(text.plain, after):
            continue  # the result is used immediately
        if is_http and _handler_checks_status(text, match.end()):
            continue
        if match["name"] is None or not _is_checked(text, match["name"], after, is_http=is_http):
            yield match.end()


def _handler_checks_status(text: Text, opened: int) -> bool:
    """Whether a request has a response handler that checks the status (HttpClient.execute)."""
    arguments = text.arguments(opened)
    handler = arguments[-1] if len(arguments) > 1 and "BodyHandlers" not in arguments[-1] else ""
    lambda_ = _LAMBDA.match(handler)
    if lambda_ is None:
        return bool(handler)
    passes_response = re.search(rf"[(,]\s*{lambda_[1]}\s*[,)]", handler[lambda_.end() :])
    return bool(passes_response) or "throw" in handler


def _has_client(write: re.Match[str], plain: str) -> bool:
    """Whether the program imports the client that the method of a write may belong to."""
    has_apache = not write["apache"] or bool(_APACHE_CLIENT.search(plain))
    return has_apache and (not write["ktor"] or _uses_ktor(plain))


def _uses_ktor(plain: str) -> bool:
    """Whether the program uses Ktor's client without `expectSuccess`: it throws for no status."""
    return "io.ktor.client" in plain and not re.search(r"\bexpectSuccess\s*=\s*true\b", plain)


def _is_checked(text: Text, name: str, at: int, *, is_http: bool = False) -> bool:
    """Whether anything but a log reads a name in the block around an offset. With `is_http`, code
    that only reads a response to its end does not count."""
    stop = text.block(at)[1]
    condition = _DO_WHILE_CONDITION.match(text.plain, stop)
    stop = condition.end() if condition else stop
    logged = [*log_arguments(text, (at, stop))]
    for match in re.compile(_CHECK.format(name)).finditer(text.plain, at, stop):
        closed = text.closed(match.end())
        argument = match.end(), closed - 1
        start, end = text.controlled_block(closed) if match["for_each"] is None else argument
        inside = _CONDITION.sub(" ", text.plain[start:end].removeprefix("{"))
        logged += [(match.start(), end)] if only_logs(inside) else []
    if is_http:
        logged += [
            read.span()
            for read in re.compile(_DISCARDED_RESPONSE.format(name)).finditer(text.plain, at, stop)
        ]
        values = re.compile(_VALUE_OF_RESPONSE.format(name)).finditer(text.plain, at, stop)
        for value in islice(values, _MAX_VALUES):
            logged += [] if _is_checked(text, value["name"], value.end()) else [value.span()]
    uses = re.compile(rf"(?<![\w.]){name}\b").finditer(text.plain, at, stop)
    return any(not any(start <= use.start() < end for start, end in logged) for use in uses)
