"""Dicts of settings as the statements of a Python program leave them, and the clients they go to.

Statements are followed in their order, functions of the file where they are called. Nothing is
run. What depends on a condition, or comes from elsewhere, is kept as such: a reader refuses it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from advisor.catalog import Component
from advisor.intake.programs.python.clients import (
    CONF,
    LONGEST_NAME,
    Client,
    Function,
    Pair,
    SettingsDict,
    attributes_of_class,
    dotted_name,
    keywords,
    parameters,
)  # fmt: skip
from advisor.intake.programs.python.constants import constants
from advisor.intake.text import IntakeError

_MOST_STEPS = 5_000
"""How many statements and dicts are followed: a longer program is not a configuration."""
_DEEPEST_CALL = 4

CLIENTS: Mapping[str, Component] = {
    "Producer": Component.PRODUCER, "SerializingProducer": Component.PRODUCER,
    "AvroProducer": Component.PRODUCER, "AIOProducer": Component.PRODUCER,
    "Consumer": Component.CONSUMER, "DeserializingConsumer": Component.CONSUMER,
    "AvroConsumer": Component.CONSUMER, "AIOConsumer": Component.CONSUMER,
}  # fmt: skip
"""What confluent-kafka calls its clients."""
_OF_NO_CLIENT = frozenset({"AdminClient", "SchemaRegistryClient", "NewTopic"})
"""What else is handed dicts, some with keys that a client has, too: none is a client's there."""
_COPIES = frozenset({"dict", "copy", "deepcopy", "OrderedDict", "MappingProxyType"})
_ONLY_READ = frozenset({
    "print", "pprint", "debug", "info", "warning", "error", "exception", "log", "append", "write",
    "dump", "put",
})  # fmt: skip
"""What is handed a dict and changes nothing of it."""
_OF_TOPICS = "default.topic.config"
"""A dict whose settings are as good as the client's own (confluent_kafka.c, common_conf_setup)."""
_OWN = ("self.", "cls.")
"""How a class names what it has."""
_MAIN = "__name__ == '__main__'"


Names = dict[str, SettingsDict | None]


class Flow:
    """What a program makes: `made` are its dicts, `clients` its clients.

    Raises `IntakeError` for a program that is too long to be followed.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.made: list[SettingsDict] = []
        self.clients: list[Client] = []
        self._branch: tuple[int, ...] = ()
        self._branches = self._steps = self._depth = 0
        self._called: set[str] = set()
        self._bases: dict[str, tuple[dict[str, Function], Names]] = {}
        self._evaluated: set[int] = set()
        self._alone = {id(part.value) for part in ast.walk(tree) if isinstance(part, ast.Expr)}
        self._constants = constants(tree)
        self._functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
        self._classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        names: Names = {}
        self._run(tree.body, names)
        for function in self._functions.values():
            if function.name not in self._called:
                self._apart(function.body, names | dict.fromkeys(parameters(function)))

    def roots(self) -> list[SettingsDict]:
        """The dicts that no other one and no client has, in the order of their lines."""
        last = {made.origin: made for made in self.made}
        parts = {made.origin for made in self.made if made.is_part}
        return sorted(
            (made for made in last.values() if made.origin not in parts),
            key=lambda made: made.line,
        )

    def _step(self, line: int) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise IntakeError(f"Line {line}: the program is too long to be followed.")

    def _apart(self, body: Iterable[ast.stmt], names: Names) -> None:
        """Follows a function that nobody calls here: what it does to a dict of others it may do at
        any time, or never."""
        before = self._branch
        self._branches += 1
        self._branch = (*before, self._branches)
        self._run(body, names)
        self._branch = before

    def _run(self, body: Iterable[ast.stmt], names: Names) -> list[SettingsDict]:
        """Follows statements; gives the dicts that they return."""
        returned: list[SettingsDict] = []
        for node in body:
            self._step(node.lineno)
            match node:
                case ast.Assign(targets=targets, value=value):
                    self._assign(targets, value, names)
                case ast.AnnAssign(target=place, value=value) if value:
                    self._assign([place], value, names)
                case ast.AugAssign(target=place, op=ast.BitOr(), value=value):
                    self._merge(self._value(place, names), value, node.lineno, names)
                case ast.Return(value=value) if value:
                    if made := self._value(value, names):
                        returned.append(made)
                    self._calls(value, names)
                case ast.Delete(targets=targets):
                    for target in targets:
                        self._delete(target, names)
                case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                    for word in imported:
                        name = word.asname or word.name
                        names[name] = _unknown(name, node.lineno)
                case _:
                    returned += self._inner(node, names)
        return returned

    def _inner(self, node: ast.stmt, names: Names) -> list[SettingsDict]:
        """Follows a statement that has others inside, or is an expression."""
        match node:
            case ast.If(test=test) if ast.unparse(test).replace('"', "'") == _MAIN:
                return self._run(node.body, names)
            case ast.If():
                return self._either(node.body, node.orelse, names)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._calls(node.test if isinstance(node, ast.While) else node.iter, names)
                return self._either([*node.body, *node.orelse], [], names)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self._calls(item.context_expr, names)
                return self._run(node.body, names)
            case ast.Try():
                returned = self._run([*node.body, *node.orelse], names)
                handlers = [inner for handler in node.handlers for inner in handler.body]
                returned += self._either(handlers, [], names)
                return returned + self._run(node.finalbody, names)
            case ast.ClassDef():
                self._class(node, names)
                return []
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return []
            case _:
                self._calls(node, names)
                return []

    def _class(self, node: ast.ClassDef, names: Names) -> None:
        """Runs a class, with what it has of classes of the file: a method of a base is run with
        each class that has it."""
        for name in [name for name in names if name.startswith(_OWN)]:
            del names[name]
        functions: dict[str, Function] = {}
        for base in node.bases:
            known = self._bases.get(base.id) if isinstance(base, ast.Name) else None
            functions |= known[0] if known else {}
            names |= known[1] if known else {}
        for inner in node.body:
            if isinstance(inner, Function):
                functions[inner.name] = inner
            else:
                self._run([inner], names)
                for name in attributes_of_class(inner):
                    names |= {f"{own}{name}": names.get(name) for own in (*_OWN, f"{node.name}.")}
        ordered = sorted(functions.values(), key=lambda inner: inner.name != "__init__")
        for function in ordered:
            self._called.add(function.name)
            names |= dict.fromkeys(parameters(function))
            if function.name == "__init__":
                self._run(function.body, names)
            else:
                self._apart(function.body, names)
        own = {name: made for name, made in names.items() if name.startswith(_OWN)}
        self._bases[node.name] = functions, own

    def _either(
        self, body: Iterable[ast.stmt], other: Iterable[ast.stmt], names: Names
    ) -> list[SettingsDict]:
        """Follows both sides of a condition; a name has either dict after it."""
        results, before, returned = list[Names](), self._branch, list[SettingsDict]()
        for side in (body, other):
            self._branches += 1
            self._branch = (*before, self._branches)
            results.append(dict(names))
            returned += self._run(side, results[-1])
        self._branch = before
        for name in results[0].keys() | results[1].keys():
            one, two = results[0].get(name), results[1].get(name)
            differ = one is not None and two is not None and one is not two
            names[name] = one.joined(two) if differ and one and two else one or two
        return returned

    def _assign(self, targets: Sequence[ast.expr], value: ast.expr, names: Names) -> None:
        name = ast.unparse(targets[0])[:LONGEST_NAME]
        made = self._value(value, names, name)
        if made is None and not isinstance(value, ast.Name | ast.Attribute | ast.Constant):
            made = _unknown(name, value.lineno)
        for target in targets:
            if isinstance(target, ast.Subscript):
                self._put(target, value, made, names)
            elif isinstance(target, ast.Name | ast.Attribute):
                names[ast.unparse(target)[:LONGEST_NAME]] = made
        self._calls(value, names, name)

    def _put(
        self, target: ast.Subscript, value: ast.expr, made: SettingsDict | None, names: Names
    ) -> None:
        """`conf["acks"] = "1"`."""
        owner, key = self._value(target.value, names), self._text(target.slice)
        if owner is None:
            return
        if key is None:
            owner.unread.append(target.lineno)
        elif made and not made.is_unknown:
            made.is_part = True
            owner.inner[key] = made
        else:
            owner.put(Pair(key, value, target.lineno), self._branch)

    def _delete(self, target: ast.expr, names: Names) -> None:
        if isinstance(target, ast.Subscript) and (owner := self._value(target.value, names)):
            self._remove(owner, self._text(target.slice), target.lineno)

    def _remove(self, owner: SettingsDict, key: str | None, line: int) -> None:
        if key is None:
            owner.unread.append(line)
        elif owner.branch[: len(self._branch)] == self._branch:
            owner.pairs.pop(key, None)
            owner.doubts.pop(key, None)
        elif key in owner.pairs:
            owner.doubts[key] = line

    def _calls(self, node: ast.AST, names: Names, name: str = "") -> None:
        """Follows the calls in an expression: what they put into a dict, and clients."""
        for call in ast.walk(node):
            if isinstance(call, ast.Call):
                self._step(call.lineno)
                self._call(call, names, name)
            elif isinstance(call, ast.Dict) and id(call) not in self._evaluated:
                self._value(call, names, name)

    def _call(self, call: ast.Call, names: Names, name: str) -> None:
        func = call.func
        made = func.attr if isinstance(func, ast.Attribute) else ""
        made = func.id if isinstance(func, ast.Name) else made
        if made in CLIENTS and made not in self._classes:
            self._client(call, CLIENTS[made], names)
        elif made in _OF_NO_CLIENT:
            for value in (*call.args, *(word.value for word in call.keywords)):
                if source := self._value(value, names):
                    source.is_of_others = True
        elif isinstance(func, ast.Attribute) and (owner := self._value(func.value, names)):
            self._change(call, func.attr, owner, names)
        elif made not in _COPIES:
            whose = ast.unparse(func)[:LONGEST_NAME]
            handed = [(whose, value) for value in call.args]
            handed += [(word.arg or whose, word.value) for word in call.keywords]
            for name, value in handed:
                if isinstance(value, ast.Dict | ast.Call) and id(value) not in self._evaluated:
                    self._value(value, names, name)
            own = isinstance(func, ast.Attribute) and ast.unparse(func.value) in ("self", "cls")
            self._hand(call, made, names)
            if isinstance(func, ast.Name) or own:
                self._inlined(call, made, names)

    def _hand(self, call: ast.Call, called: str, names: Names) -> None:
        """Code of elsewhere that is handed a dict may put anything into it."""
        if id(call) not in self._alone or called in self._functions or called in _ONLY_READ:
            return
        for value in call.args:
            if isinstance(value, ast.Name) and (made := self._value(value, names)):
                made.unread.append(call.lineno)

    def _change(self, call: ast.Call, verb: str, owner: SettingsDict, names: Names) -> None:
        key = self._text(call.args[0]) if call.args else None
        if verb == "update":
            for given in call.args:
                self._merge(owner, given, call.lineno, names)
            self._words(owner, call.keywords, call.lineno, names)
        elif verb == "setdefault" and len(call.args) == 2:
            if key is None:
                owner.unread.append(call.lineno)
            elif key not in owner.pairs:
                owner.put(Pair(key, call.args[1], call.lineno), self._branch)
        elif verb == "pop":
            self._remove(owner, key, call.lineno)
        elif verb == "clear":
            for key in [*owner.pairs]:
                self._remove(owner, key, call.lineno)

    def _client(self, call: ast.Call, component: Component, names: Names) -> None:
        settings, given = SettingsDict(f"{component}", call.lineno, self._branch), [*call.args[:1]]
        given += [word.value for word in call.keywords if word.arg in CONF]
        for value in given:
            source = self._value(value, names, f"{component}")
            if source is None or source.is_unknown:
                of_parameter = source is None and dotted_name(value) in names
                self.clients.append(Client(component, call.lineno, None, of_parameter))
                return
            settings.merge(source, self._branch)
        self._words(settings, keywords(call, settings), call.lineno, names)
        if settings.pairs or settings.unread:
            self.clients.append(Client(component, call.lineno, settings, False))

    def _words(
        self, owner: SettingsDict, words: Iterable[ast.keyword], line: int, names: Names
    ) -> None:
        """Keywords of `dict()`, `update()` or a client."""
        for word in words:
            if word.arg is None:
                self._merge(owner, word.value, line, names)
            else:
                owner.put(Pair(word.arg, word.value, word.value.lineno), self._branch)

    def _merge(self, owner: SettingsDict | None, value: ast.expr, line: int, names: Names) -> None:
        if owner is None:
            return
        other = self._value(value, names)
        if other is None or other.is_unknown:
            owner.unread.append(line)
        elif other is owner:
            return
        else:
            owner.merge(other, self._branch)

    def _value(self, node: ast.expr, names: Names, name: str = "") -> SettingsDict | None:
        """The dict that an expression is; None for anything else."""
        match node:
            case ast.Dict():
                return self._literal(node, names, name)
            case ast.Name() | ast.Attribute():
                full = names.get(ast.unparse(node)[:LONGEST_NAME])
                return full or (names.get(node.attr) if isinstance(node, ast.Attribute) else None)
            case ast.Subscript():
                owner, key = self._value(node.value, names), self._text(node.slice)
                return owner.inner.get(key) if owner and key else None
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                if one := self._value(left, names):
                    made = self._new(name, node)
                    made.merge(one, self._branch)
                    self._merge(made, right, node.lineno, names)
                    return made
            case ast.IfExp(body=body, orelse=orelse):
                first, second = self._value(body, names), self._value(orelse, names)
                return first.joined(second) if first and second else None
            case ast.Call(func=func):
                called = func.attr if isinstance(func, ast.Attribute) else ""
                called = func.id if isinstance(func, ast.Name) else called
                return self._copied(node, called, names, name)
            case _:
                return None
        return None

    def _copied(self, node: ast.Call, called: str, names: Names, name: str) -> SettingsDict | None:
        """`dict(acks="all", **base)`, `base.copy()`, or what a function of the file returns."""
        func = node.func
        if called in ("dict", "OrderedDict") and isinstance(func, ast.Name):
            made = self._new(name, node)
            for given in node.args:
                self._merge(made, given, given.lineno, names)
            self._words(made, node.keywords, node.lineno, names)
            return made
        if called in _COPIES:
            copied = node.args[0] if node.args else None
            if copied is None and isinstance(func, ast.Attribute):
                copied = func.value
            source = self._value(copied, names) if copied else None
            if source is None:
                return None
            made = self._new(name, node)
            made.merge(source, self._branch)
            return made
        return self._inlined(node, called, names)

    def _inlined(self, call: ast.Call, called: str, names: Names) -> SettingsDict | None:
        """What a function of the file returns where it is called like this."""
        function = self._functions.get(called)
        if function is None or self._depth >= _DEEPEST_CALL:
            return None
        self._step(call.lineno)
        self._called.add(called)
        every = parameters(function)
        given: Names = dict.fromkeys(every)
        own = every[1:] if every[:1] in (["self"], ["cls"]) else every
        for parameter, value in zip(own, call.args, strict=False):
            given[parameter] = self._value(value, names)
        for word in call.keywords:
            if word.arg:
                given[word.arg] = self._value(word.value, names)
        self._depth += 1
        returned = self._run(function.body, names | given)
        self._depth -= 1
        result = returned[0] if returned else None
        for other in returned[1:]:
            result = result.joined(other) if result and result is not other else result
        return result

    def _literal(self, node: ast.Dict, names: Names, name: str) -> SettingsDict:
        made = self._new(name, node)
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self._merge(made, value, value.lineno, names)
                continue
            word = self._text(key)
            if word is None:
                made.unread += [value.lineno] if not isinstance(key, ast.Constant) else []
            elif isinstance(value, ast.Dict | ast.Call) and (
                (inner := self._value(value, names, word)) and not inner.is_unknown
            ):
                if word == _OF_TOPICS:
                    made.merge(inner, self._branch)
                else:
                    made.inner[word] = inner
            else:
                made.put(Pair(word, value, value.lineno), self._branch)
        return made

    def _new(self, name: str, node: ast.expr) -> SettingsDict:
        self._step(node.lineno)
        made = SettingsDict(name, node.lineno, self._branch, origin=id(node))
        self._evaluated.add(id(node))
        self.made.append(made)
        return made

    def _text(self, node: ast.expr) -> str | None:
        value = self._constants.get(node.id, node) if isinstance(node, ast.Name) else node
        constant = value.value if isinstance(value, ast.Constant) else None
        return constant if isinstance(constant, str) else None


def _unknown(name: str, line: int) -> SettingsDict:
    return SettingsDict(name, line, unread=[line], is_unknown=True)
