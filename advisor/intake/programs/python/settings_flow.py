"""Data flow of the dicts of settings in a Python program, from their literals to the clients.

Statements are followed in their order, and functions of the file where they are called. Nothing is
run. A setting that depends on a condition, or comes from elsewhere, is marked: a reader refuses it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from advisor.catalog import Component
from advisor.intake.programs.python.clients import (
    CONFIG_KEYWORDS,
    MAX_NAME_LENGTH,
    Client,
    Function,
    Pair,
    SettingsDict,
    class_attributes,
    dotted_name,
    parameters,
    setting_keywords,
)  # fmt: skip
from advisor.intake.programs.python.constants import constants
from advisor.intake.text import IntakeError

_MAX_STEPS = 5_000
"""Statements and dicts that are followed at most: a longer program is not a configuration."""
_MAX_CALL_DEPTH = 4

CLIENTS: Mapping[str, Component] = {
    "Producer": Component.PRODUCER, "SerializingProducer": Component.PRODUCER,
    "AvroProducer": Component.PRODUCER, "AIOProducer": Component.PRODUCER,
    "Consumer": Component.CONSUMER, "DeserializingConsumer": Component.CONSUMER,
    "AvroConsumer": Component.CONSUMER, "AIOConsumer": Component.CONSUMER,
}  # fmt: skip
"""The clients of confluent-kafka by the names of their classes."""
_OTHER_CLASSES = frozenset({"AdminClient", "SchemaRegistryClient", "NewTopic"})
"""Classes whose dicts are not those of a client, although they share some keys."""
_COPIES = frozenset({"dict", "copy", "deepcopy", "OrderedDict", "MappingProxyType"})
_READERS = frozenset({
    "print", "pprint", "debug", "info", "warning", "error", "exception", "log", "append", "write",
    "dump", "put",
})  # fmt: skip
"""Functions and methods that take a dict and do not change it."""
_TOPIC_CONFIG = "default.topic.config"
"""The key of a dict whose settings count as the client's (confluent_kafka.c, common_conf_setup)."""
_SELF = ("self.", "cls.")
"""The prefixes of the attributes of a class."""
_MAIN_TEST = "__name__ == '__main__'"


Names = dict[str, SettingsDict | None]


class Flow:
    """The dicts of settings (`dicts`) and the clients (`clients`) that a program creates.

    Raises `IntakeError` for a program that is too long to be followed.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.dicts: list[SettingsDict] = []
        self.clients: list[Client] = []
        self._branch: tuple[int, ...] = ()
        self._branches = self._steps = self._depth = 0
        self._called_functions: set[str] = set()
        self._class_members: dict[str, tuple[dict[str, Function], Names]] = {}
        self._evaluated: set[int] = set()
        self._statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        self._constants = constants(tree)
        self._functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
        self._classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        names: Names = {}
        self._run(tree.body, names)
        for function in self._functions.values():
            if function.name not in self._called_functions:
                self._run_uncalled(function.body, names | dict.fromkeys(parameters(function)))

    def roots(self) -> list[SettingsDict]:
        """The dicts that no other dict and no client contains, in the order of their lines."""
        last = {settings.origin: settings for settings in self.dicts}
        contained = {settings.origin for settings in self.dicts if settings.is_contained}
        return sorted(
            (settings for settings in last.values() if settings.origin not in contained),
            key=lambda settings: settings.line,
        )

    def _step(self, line: int) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise IntakeError(f"Line {line}: the program is too long to be followed.")

    def _run_uncalled(self, body: Iterable[ast.stmt], names: Names) -> None:
        """Follows a function that is not called here: it may change a dict at any time, or
        never."""
        before = self._branch
        self._branches += 1
        self._branch = (*before, self._branches)
        self._run(body, names)
        self._branch = before

    def _run(self, body: Iterable[ast.stmt], names: Names) -> list[SettingsDict]:
        """Follows statements, and returns the dicts that they return."""
        returned: list[SettingsDict] = []
        for node in body:
            self._step(node.lineno)
            match node:
                case ast.Assign(targets=targets, value=value):
                    self._assign(targets, value, names)
                case ast.AnnAssign(target=target, value=value) if value:
                    self._assign([target], value, names)
                case ast.AugAssign(target=target, op=ast.BitOr(), value=value):
                    self._merge(self._dict_value(target, names), value, node.lineno, names)
                case ast.Return(value=value) if value:
                    if settings := self._dict_value(value, names):
                        returned.append(settings)
                    self._follow_calls(value, names)
                case ast.Delete(targets=targets):
                    for place in targets:
                        self._delete(place, names)
                case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                    for word in imported:
                        name = word.asname or word.name
                        names[name] = _unknown_dict(name, node.lineno)
                case _:
                    returned += self._run_compound(node, names)
        return returned

    def _run_compound(self, node: ast.stmt, names: Names) -> list[SettingsDict]:
        """Follows a compound statement, or an expression."""
        match node:
            case ast.If(test=test) if ast.unparse(test).replace('"', "'") == _MAIN_TEST:
                return self._run(node.body, names)
            case ast.If():
                return self._run_branches(node.body, node.orelse, names)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._follow_calls(node.test if isinstance(node, ast.While) else node.iter, names)
                return self._run_branches([*node.body, *node.orelse], [], names)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self._follow_calls(item.context_expr, names)
                return self._run(node.body, names)
            case ast.Try():
                returned = self._run([*node.body, *node.orelse], names)
                handlers = [inner for handler in node.handlers for inner in handler.body]
                returned += self._run_branches(handlers, [], names)
                return returned + self._run(node.finalbody, names)
            case ast.ClassDef():
                self._run_class(node, names)
                return []
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return []
            case _:
                self._follow_calls(node, names)
                return []

    def _run_class(self, node: ast.ClassDef, names: Names) -> None:
        """Follows a class with the members of its base classes in the file. A method of a base
        class is followed for every subclass."""
        for name in [name for name in names if name.startswith(_SELF)]:
            del names[name]
        functions: dict[str, Function] = {}
        for base in node.bases:
            members = self._class_members.get(base.id) if isinstance(base, ast.Name) else None
            functions |= members[0] if members else {}
            names |= members[1] if members else {}
        for inner in node.body:
            if isinstance(inner, Function):
                functions[inner.name] = inner
            else:
                self._run([inner], names)
                for name in class_attributes(inner):
                    names |= {
                        f"{prefix}{name}": names.get(name) for prefix in (*_SELF, f"{node.name}.")
                    }
        ordered = sorted(functions.values(), key=lambda inner: inner.name != "__init__")
        for function in ordered:
            self._called_functions.add(function.name)
            names |= dict.fromkeys(parameters(function))
            if function.name == "__init__":
                self._run(function.body, names)
            else:
                self._run_uncalled(function.body, names)
        attributes = {name: value for name, value in names.items() if name.startswith(_SELF)}
        self._class_members[node.name] = functions, attributes

    def _run_branches(
        self, body: Iterable[ast.stmt], other: Iterable[ast.stmt], names: Names
    ) -> list[SettingsDict]:
        """Follows both branches of a condition. After it, a name has the dict of either branch."""
        results, before, returned = list[Names](), self._branch, list[SettingsDict]()
        for branch in (body, other):
            self._branches += 1
            self._branch = (*before, self._branches)
            results.append(dict(names))
            returned += self._run(branch, results[-1])
        self._branch = before
        for name in results[0].keys() | results[1].keys():
            first, second = results[0].get(name), results[1].get(name)
            differ = first is not None and second is not None and first is not second
            names[name] = first.join(second) if differ and first and second else first or second
        return returned

    def _assign(self, targets: Sequence[ast.expr], value: ast.expr, names: Names) -> None:
        name = ast.unparse(targets[0])[:MAX_NAME_LENGTH]
        settings = self._dict_value(value, names, name)
        if settings is None and not isinstance(value, ast.Name | ast.Attribute | ast.Constant):
            settings = _unknown_dict(name, value.lineno)
        for target in targets:
            if isinstance(target, ast.Subscript):
                self._put(target, value, settings, names)
            elif isinstance(target, ast.Name | ast.Attribute):
                names[ast.unparse(target)[:MAX_NAME_LENGTH]] = settings
        self._follow_calls(value, names, name)

    def _put(
        self, target: ast.Subscript, value: ast.expr, settings: SettingsDict | None, names: Names
    ) -> None:
        """`conf["acks"] = "1"`."""
        owner, key = self._dict_value(target.value, names), self._string_value(target.slice)
        if owner is None:
            return
        if key is None:
            owner.unread.append(target.lineno)
        elif settings and not settings.is_unknown:
            settings.is_contained = True
            owner.inner[key] = settings
        else:
            owner.put(Pair(key, value, target.lineno), self._branch)

    def _delete(self, target: ast.expr, names: Names) -> None:
        if isinstance(target, ast.Subscript) and (owner := self._dict_value(target.value, names)):
            self._remove(owner, self._string_value(target.slice), target.lineno)

    def _remove(self, owner: SettingsDict, key: str | None, line: int) -> None:
        if key is None:
            owner.unread.append(line)
        elif owner.branch[: len(self._branch)] == self._branch:
            owner.pairs.pop(key, None)
            owner.doubts.pop(key, None)
        elif key in owner.pairs:
            owner.doubts[key] = line

    def _follow_calls(self, node: ast.AST, names: Names, name: str = "") -> None:
        """Follows the calls in an expression, which may change a dict or create a client."""
        for call in ast.walk(node):
            if isinstance(call, ast.Call):
                self._step(call.lineno)
                self._follow_call(call, names, name)
            elif isinstance(call, ast.Dict) and id(call) not in self._evaluated:
                self._dict_value(call, names, name)

    def _follow_call(self, call: ast.Call, names: Names, name: str) -> None:
        func = call.func
        called = func.attr if isinstance(func, ast.Attribute) else ""
        called = func.id if isinstance(func, ast.Name) else called
        if called in CLIENTS and called not in self._classes:
            self._add_client(call, CLIENTS[called], names)
        elif called in _OTHER_CLASSES:
            for value in (*call.args, *(word.value for word in call.keywords)):
                if settings := self._dict_value(value, names):
                    settings.is_for_other_object = True
        elif isinstance(func, ast.Attribute) and (owner := self._dict_value(func.value, names)):
            self._apply_method(call, func.attr, owner, names)
        elif called not in _COPIES:
            callee = ast.unparse(func)[:MAX_NAME_LENGTH]
            arguments = [(callee, value) for value in call.args]
            arguments += [(word.arg or callee, word.value) for word in call.keywords]
            for name, value in arguments:
                if isinstance(value, ast.Dict | ast.Call) and id(value) not in self._evaluated:
                    self._dict_value(value, names, name)
            bound = isinstance(func, ast.Attribute) and ast.unparse(func.value) in ("self", "cls")
            self._mark_escaping(call, called, names)
            if isinstance(func, ast.Name) or bound:
                self._returned_dict(call, called, names)

    def _mark_escaping(self, call: ast.Call, called: str, names: Names) -> None:
        """Marks dicts passed to a function of another file, which may put anything into them."""
        if id(call) not in self._statements or called in self._functions or called in _READERS:
            return
        for value in call.args:
            if isinstance(value, ast.Name) and (settings := self._dict_value(value, names)):
                settings.unread.append(call.lineno)

    def _apply_method(self, call: ast.Call, method: str, owner: SettingsDict, names: Names) -> None:
        key = self._string_value(call.args[0]) if call.args else None
        if method == "update":
            for argument in call.args:
                self._merge(owner, argument, call.lineno, names)
            self._put_keywords(owner, call.keywords, call.lineno, names)
        elif method == "setdefault" and len(call.args) == 2:
            if key is None:
                owner.unread.append(call.lineno)
            elif key not in owner.pairs:
                owner.put(Pair(key, call.args[1], call.lineno), self._branch)
        elif method == "pop":
            self._remove(owner, key, call.lineno)
        elif method == "clear":
            for key in [*owner.pairs]:
                self._remove(owner, key, call.lineno)

    def _add_client(self, call: ast.Call, component: Component, names: Names) -> None:
        settings, values = SettingsDict(f"{component}", call.lineno, self._branch), [*call.args[:1]]
        values += [word.value for word in call.keywords if word.arg in CONFIG_KEYWORDS]
        for value in values:
            source = self._dict_value(value, names, f"{component}")
            if source is None or source.is_unknown:
                is_parameter = source is None and dotted_name(value) in names
                self.clients.append(Client(component, call.lineno, None, is_parameter))
                return
            settings.merge(source, self._branch)
        self._put_keywords(settings, setting_keywords(call, settings), call.lineno, names)
        if settings.pairs or settings.unread:
            self.clients.append(Client(component, call.lineno, settings, False))

    def _put_keywords(
        self, owner: SettingsDict, keywords: Iterable[ast.keyword], line: int, names: Names
    ) -> None:
        """Adds the keywords of `dict()`, `update()` or a client."""
        for word in keywords:
            if word.arg is None:
                self._merge(owner, word.value, line, names)
            else:
                owner.put(Pair(word.arg, word.value, word.value.lineno), self._branch)

    def _merge(self, owner: SettingsDict | None, value: ast.expr, line: int, names: Names) -> None:
        if owner is None:
            return
        other = self._dict_value(value, names)
        if other is None or other.is_unknown:
            owner.unread.append(line)
        elif other is owner:
            return
        else:
            owner.merge(other, self._branch)

    def _dict_value(self, node: ast.expr, names: Names, name: str = "") -> SettingsDict | None:
        """The dict that is the value of an expression; None for any other value."""
        match node:
            case ast.Dict():
                return self._dict_literal(node, names, name)
            case ast.Name() | ast.Attribute():
                full = names.get(ast.unparse(node)[:MAX_NAME_LENGTH])
                return full or (names.get(node.attr) if isinstance(node, ast.Attribute) else None)
            case ast.Subscript():
                owner, key = self._dict_value(node.value, names), self._string_value(node.slice)
                return owner.inner.get(key) if owner and key else None
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                if base := self._dict_value(left, names):
                    merged = self._new_dict(name, node)
                    merged.merge(base, self._branch)
                    self._merge(merged, right, node.lineno, names)
                    return merged
            case ast.IfExp(body=body, orelse=orelse):
                first, second = self._dict_value(body, names), self._dict_value(orelse, names)
                return first.join(second) if first and second else None
            case ast.Call(func=func):
                called = func.attr if isinstance(func, ast.Attribute) else ""
                called = func.id if isinstance(func, ast.Name) else called
                return self._result(node, called, names, name)
            case _:
                return None
        return None

    def _result(self, node: ast.Call, called: str, names: Names, name: str) -> SettingsDict | None:
        """The value of `dict(acks="all", **base)` or `base.copy()`, or the dict that a function of
        the file returns."""
        func = node.func
        if called in ("dict", "OrderedDict") and isinstance(func, ast.Name):
            settings = self._new_dict(name, node)
            for argument in node.args:
                self._merge(settings, argument, argument.lineno, names)
            self._put_keywords(settings, node.keywords, node.lineno, names)
            return settings
        if called in _COPIES:
            copied = node.args[0] if node.args else None
            if copied is None and isinstance(func, ast.Attribute):
                copied = func.value
            source = self._dict_value(copied, names) if copied else None
            if source is None:
                return None
            settings = self._new_dict(name, node)
            settings.merge(source, self._branch)
            return settings
        return self._returned_dict(node, called, names)

    def _returned_dict(self, call: ast.Call, called: str, names: Names) -> SettingsDict | None:
        """The dict that a function of the file returns for the arguments of a call."""
        function = self._functions.get(called)
        if function is None or self._depth >= _MAX_CALL_DEPTH:
            return None
        self._step(call.lineno)
        self._called_functions.add(called)
        formal = parameters(function)
        arguments: Names = dict.fromkeys(formal)
        positional = formal[1:] if formal[:1] in (["self"], ["cls"]) else formal
        for parameter, value in zip(positional, call.args, strict=False):
            arguments[parameter] = self._dict_value(value, names)
        for word in call.keywords:
            if word.arg:
                arguments[word.arg] = self._dict_value(word.value, names)
        self._depth += 1
        returned = self._run(function.body, names | arguments)
        self._depth -= 1
        result = returned[0] if returned else None
        for other in returned[1:]:
            result = result.join(other) if result and result is not other else result
        return result

    def _dict_literal(self, node: ast.Dict, names: Names, name: str) -> SettingsDict:
        settings = self._new_dict(name, node)
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self._merge(settings, value, value.lineno, names)
                continue
            word = self._string_value(key)
            if word is None:
                settings.unread += [value.lineno] if not isinstance(key, ast.Constant) else []
            elif isinstance(value, ast.Dict | ast.Call) and (
                (inner := self._dict_value(value, names, word)) and not inner.is_unknown
            ):
                if word == _TOPIC_CONFIG:
                    settings.merge(inner, self._branch)
                else:
                    settings.inner[word] = inner
            else:
                settings.put(Pair(word, value, value.lineno), self._branch)
        return settings

    def _new_dict(self, name: str, node: ast.expr) -> SettingsDict:
        self._step(node.lineno)
        settings = SettingsDict(name, node.lineno, self._branch, origin=id(node))
        self._evaluated.add(id(node))
        self.dicts.append(settings)
        return settings

    def _string_value(self, node: ast.expr) -> str | None:
        value = self._constants.get(node.id, node) if isinstance(node, ast.Name) else node
        constant = value.value if isinstance(value, ast.Constant) else None
        return constant if isinstance(constant, str) else None


def _unknown_dict(name: str, line: int) -> SettingsDict:
    return SettingsDict(name, line, unread=[line], is_unknown=True)
