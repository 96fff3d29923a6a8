"""Objects of a Python program that buffer their arguments until they are flushed or executed, and
clients that send in the background.

Sources: io (a file buffers, `flush` writes); redis-py (`Pipeline.execute` sends); influxdb-client
(`write_api` batches, except with SYNCHRONOUS); google-cloud-pubsub (`publish` returns a future);
pika (`basic_publish` waits for the broker with `confirm_delivery`); paho-mqtt (`wait_for_publish`);
gRPC (`stub.Save.future`); Firestore (`WriteBatch.commit` sends).
"""

from __future__ import annotations

import ast

from advisor.intake.programs.python import syntax

_PIPELINE_FACTORIES, _FILE_FACTORIES = frozenset({"pipeline", "batch"}), frozenset({"open"})
_BACKGROUND_CLIENTS = frozenset({"PublisherClient", "write_api"})
_CSV_WRITERS = frozenset({"writer", "DictWriter"})
_FILE_METHODS = frozenset({"write", "writelines", "writerow", "writerows"})
_BACKGROUND_METHODS = frozenset({"write", "publish"})
_DATAGRAM_METHODS = ("send", "sendall", "sendmsg")
"""Methods that send a datagram, which may be lost without an error (socket, `sendto`)."""
_EXECUTING_METHODS = ("execute", "commit")
_MONGO_METHODS = frozenset({
    "insert_one", "insert_many", "update_one", "update_many", "replace_one", "delete_one",
    "delete_many", "bulk_write",
})  # fmt: skip
"""Methods of pymongo that with `w=0` do not wait for the server (WriteConcern)."""
_CONFIRMING_METHODS = frozenset({"confirm_delivery", "tx_commit"})
_TRANSACTION_MANAGERS = frozenset({"begin", "transaction", "atomic", "begin_nested"})
"""Context managers that commit what was buffered in them (SQLAlchemy, Django, asyncpg)."""


class Buffers:
    """The buffers and background clients of a program, by name."""

    def __init__(self, tree: ast.AST) -> None:
        unbuffered = {
            id(call) for call in syntax.calls(tree)
            if len(call.args) > 2 or any(word.arg == "buffering" for word in call.keywords)
            or "SYNCHRONOUS" in ast.unparse(call)
        }  # fmt: skip
        self._pipelines = syntax.names_created_by(tree, _PIPELINE_FACTORIES)
        self._files = syntax.names_created_by(tree, _FILE_FACTORIES, unbuffered)
        flushed = {syntax.receiver(call) for call in syntax.calls(tree)
                   if syntax.method_name(call) in ("flush", "close")}  # fmt: skip
        if not self._files & flushed:
            self._files |= syntax.names_created_by(tree, _CSV_WRITERS)
        self._background_clients = syntax.names_created_by(tree, _BACKGROUND_CLIENTS, unbuffered)
        self._background_clients |= {
            getattr(node, "arg", "") or ast.unparse(getattr(node, "target", node))
            for node in syntax.nodes(tree) if isinstance(node, ast.arg | ast.AnnAssign)
            and node.annotation and ast.unparse(node.annotation).endswith("PublisherClient")
        }  # fmt: skip

        stream_sockets = {
            id(call) for call in syntax.calls(tree)
            if syntax.method_name(call) == "socket" and "SOCK_DGRAM" not in ast.unparse(call)
        }  # fmt: skip
        self._datagram_sockets = syntax.names_created_by(
            tree, frozenset({"socket"}), stream_sockets
        )
        methods = {syntax.method_name(call) for call in syntax.calls(tree)}
        self._unconfirmed_methods = _unconfirmed_methods(tree, methods)
        imports = (alias.name for node in syntax.nodes(tree) if isinstance(node, ast.Import)
                    for alias in node.names)  # fmt: skip
        modules = (
            node.module or "" for node in syntax.nodes(tree) if isinstance(node, ast.ImportFrom)
        )
        is_mqtt = any(name.startswith("paho") for name in (*imports, *modules))
        if is_mqtt and "wait_for_publish" not in methods:
            self._background_clients |= syntax.names_created_by(tree, frozenset({"Client"}))

    def keeps(self, call: ast.Call) -> bool:
        """Whether a call only puts its arguments into a buffer."""
        writes_file = (
            syntax.receiver(call) in self._files and syntax.method_name(call) in _FILE_METHODS
        )
        adds_to_pipeline = (
            syntax.receiver(call) in self._pipelines
            and syntax.method_name(call) not in _EXECUTING_METHODS
        )
        return writes_file or adds_to_pipeline or syntax.only_stores(call)

    def hands(self, call: ast.Call) -> bool:
        """Whether a call hands its arguments over to another thread or a background client, or
        sends them without a confirmation."""
        return (
            syntax.method_name(call) in syntax.HANDS_OVER | self._unconfirmed_methods
            or (
                syntax.receiver(call) in self._background_clients
                and syntax.method_name(call) in _BACKGROUND_METHODS
            )
            or (
                syntax.receiver(call) in self._datagram_sockets
                and syntax.method_name(call) in _DATAGRAM_METHODS
            )
            or syntax.method_name(call) == "sendto"
            or _is_pubsub_publish(call)
            or (syntax.method_name(call) == "future" and "stub" in syntax.receiver(call).lower())
        )

    def ends(self, node: ast.With | ast.AsyncWith) -> bool:
        """Whether the end of a `with` block sends or writes what was buffered in it."""
        return any(
            syntax.method_name(item.context_expr) in _TRANSACTION_MANAGERS | _FILE_FACTORIES
            for item in node.items
        )


def _unconfirmed_methods(tree: ast.AST, methods: set[str]) -> frozenset[str]:
    """The methods that send a message without waiting for a confirmation; `methods` are those that
    the program calls."""
    unconfirmed = (
        frozenset[str]() if methods & _CONFIRMING_METHODS else frozenset({"basic_publish"})
    )
    keywords = (word for call in syntax.calls(tree) for word in call.keywords)
    is_unacknowledged = any(word.arg == "w" and ast.unparse(word.value) == "0" for word in keywords)
    return unconfirmed | _MONGO_METHODS if is_unacknowledged else unconfirmed


def _is_pubsub_publish(call: ast.Call) -> bool:
    """Whether a call publishes to Google Pub/Sub, to judge by its topic, where the client is
    created elsewhere."""
    first_argument = ast.unparse(call.args[0])[:100] if call.args else ""
    is_publisher = "publisher" in syntax.last_name_of_receiver(call).lower()
    return syntax.method_name(call) == "publish" and is_publisher and "topic_path" in first_argument
