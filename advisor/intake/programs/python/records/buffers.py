"""Objects of a Python program that buffer what they are given until they are flushed or executed,
and clients that send it in the background.

Sources: io (a file buffers, `flush` writes); redis-py (`Pipeline.execute` sends); influxdb-client
(`write_api` batches, but with SYNCHRONOUS); google-cloud-pubsub (`publish` returns a future); pika
(`basic_publish` waits for the broker with `confirm_delivery`); paho-mqtt (`wait_for_publish`); gRPC
(`stub.Save.future`); Firestore (`WriteBatch.commit` sends).
"""

from __future__ import annotations

import ast

from advisor.intake.programs.python import syntax

_PIPELINES, _FILES = frozenset({"pipeline", "batch"}), frozenset({"open"})
_ASIDE = frozenset({"PublisherClient", "write_api"})
_WRITES = frozenset({"write", "writelines"})
_SENDS = frozenset({"write", "publish"})
_BY_UDP = ("send", "sendall", "sendmsg")
"""A datagram may be lost, and nobody hears of it (socket, `sendto`)."""
_SENT = ("execute", "commit")
_CONFIRMS = frozenset({"confirm_delivery", "tx_commit"})
_BEGINS = frozenset({"begin", "transaction", "atomic", "begin_nested"})
"""Managers that commit at their end what was put by in them (SQLAlchemy, Django, asyncpg)."""


class Buffers:
    """Such objects of a program, by name."""

    def __init__(self, tree: ast.AST) -> None:
        unbuffered = {
            id(call) for call in syntax.calls(tree)
            if len(call.args) > 2 or any(word.arg == "buffering" for word in call.keywords)
            or "SYNCHRONOUS" in ast.unparse(call)
        }  # fmt: skip
        self._pipelines = syntax.names_created_by(tree, _PIPELINES)
        self._files = syntax.names_created_by(tree, _FILES, unbuffered)
        self._aside = syntax.names_created_by(tree, _ASIDE, unbuffered)
        self._aside |= {
            getattr(node, "arg", "") or ast.unparse(getattr(node, "target", node))
            for node in syntax.nodes(tree) if isinstance(node, ast.arg | ast.AnnAssign)
            and node.annotation and ast.unparse(node.annotation).endswith("PublisherClient")
        }  # fmt: skip

        others = {
            id(call) for call in syntax.calls(tree)
            if syntax.method_name(call) == "socket" and "SOCK_DGRAM" not in ast.unparse(call)
        }  # fmt: skip
        self._unsure = syntax.names_created_by(tree, frozenset({"socket"}), others)
        verbs = {syntax.method_name(call) for call in syntax.calls(tree)}
        self._unconfirmed = frozenset() if verbs & _CONFIRMS else frozenset({"basic_publish"})
        imported = (alias.name for node in syntax.nodes(tree) if isinstance(node, ast.Import)
                    for alias in node.names)  # fmt: skip
        modules = (
            node.module or "" for node in syntax.nodes(tree) if isinstance(node, ast.ImportFrom)
        )
        is_mqtt = any(name.startswith("paho") for name in (*imported, *modules))
        if is_mqtt and "wait_for_publish" not in verbs:
            self._aside |= syntax.names_created_by(tree, frozenset({"Client"}))

    def keeps(self, call: ast.Call) -> bool:
        """Whether a call only puts by what it is given."""
        of_file = syntax.receiver(call) in self._files and syntax.method_name(call) in _WRITES
        of_pipeline = (
            syntax.receiver(call) in self._pipelines and syntax.method_name(call) not in _SENT
        )
        return of_file or of_pipeline or syntax.only_stores(call)

    def hands(self, call: ast.Call) -> bool:
        """Whether a call has others do something with what it is given."""
        return (
            syntax.method_name(call) in syntax.HANDS_OVER | self._unconfirmed
            or (syntax.receiver(call) in self._aside and syntax.method_name(call) in _SENDS)
            or (syntax.receiver(call) in self._unsure and syntax.method_name(call) in _BY_UDP)
            or syntax.method_name(call) == "sendto"
            or _is_of_pubsub(call)
            or (syntax.method_name(call) == "future" and "stub" in syntax.receiver(call).lower())
        )

    def ends(self, node: ast.With | ast.AsyncWith) -> bool:
        """Whether the end of a block sends or writes what was put by in it."""
        return any(syntax.method_name(item.context_expr) in _BEGINS | _FILES for item in node.items)


def _is_of_pubsub(call: ast.Call) -> bool:
    """Whether a call is Google's by what it is given, where the client is made elsewhere."""
    given = ast.unparse(call.args[0])[:100] if call.args else ""
    is_publisher = "publisher" in syntax.last_name_of_receiver(call).lower()
    return syntax.method_name(call) == "publish" and is_publisher and "topic_path" in given
