"""Reads facts for generated pages from the source code: docstrings below fields, annotations, messages of errors.

Python stores neither a field's docstring nor its type as written, so both are read from the syntax tree.
"""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from docs.field_meanings import MEANINGS

__all__ = ["FieldSource", "Sentence", "aliases", "fields_of", "meanings", "sentences", "summary"]

CODE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class FieldSource:
    """A field as its class declares it."""

    name: str
    annotation: str
    default: str | None
    """The expression after `=`; None if the field is required."""
    doc: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stable code and its message; `…` marks the parts that differ from case to case."""

    code: str
    text: str


def summary(thing: object) -> str:
    """Return a docstring's first paragraph as one line."""
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


@cache
def fields_of(cls: type) -> tuple[FieldSource, ...]:
    """Return the fields of a model or dataclass, with the fields of its base classes first."""
    found: dict[str, FieldSource] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.split(".")[0] in {"events", "engine"}:
            found |= {field.name: field for field in _declared(base)}
    return tuple(found.values())


def _declared(cls: type) -> Iterator[FieldSource]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(tree, ast.ClassDef)
    for statement, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            annotation = _written(statement.annotation)
            if annotation.startswith("ClassVar"):
                continue
            default = ast.unparse(statement.value) if statement.value else None
            name = statement.target.id
            yield FieldSource(name, annotation, default, _docstring(after) or MEANINGS.get(name, ""))


def _written(annotation: ast.expr) -> str:
    """Return a type as written in the source, without the quotes of a forward reference and without declarations."""
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated":
        assert isinstance(annotation.slice, ast.Tuple)
        return _written(annotation.slice.elts[0])
    quoted = isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)
    return str(annotation.value) if quoted else ast.unparse(annotation)  # type: ignore[attr-defined]


def aliases(module: ModuleType) -> Iterator[tuple[str, str, str]]:
    """Yield the public type aliases of a module: name, definition as written, docstring."""
    body = ast.parse(inspect.getsource(module)).body
    for statement, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if name[0].isupper() and not name.isupper() and name in getattr(module, "__all__", ()):
                yield name, ast.unparse(statement.value), _docstring(after)


@cache
def meanings(module: ModuleType) -> dict[str, str]:
    """Return the docstrings below a module's names, by name."""
    body = ast.parse(inspect.getsource(module)).body
    return {
        statement.targets[0].id: _docstring(after)
        for statement, after in pairwise(body)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    }


def _docstring(statement: ast.stmt | None) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return " ".join(str(statement.value.value).split())
    return ""


def sentences(package: str, *, raised: bool) -> list[Sentence]:
    """Return the codes in a package's source, each with its first message, sorted by code.

    With `raised`, these are the codes of errors that are raised; otherwise, of problems that are reported in a list.
    """
    root = importlib.import_module(package)
    found: dict[str, str] = {}
    for path in sorted(Path(str(root.__file__)).parent.rglob("*.py")):
        if "library" in path.parts:
            continue
        name = ".".join((package, *path.relative_to(Path(str(root.__file__)).parent).with_suffix("").parts))
        module = importlib.import_module(name.removesuffix(".__init__"))
        for code, text in _coded(ast.parse(path.read_text()), module, raised):
            found.setdefault(code, text)
    return [Sentence(code, found[code]) for code in sorted(found)]


RAISED = {"AnabranchError", "Refused", "NotFound", "Invalid", "Unavailable"}


def _coded(tree: ast.Module, module: ModuleType, raised: bool) -> Iterator[tuple[str, str]]:
    """Yield each code that is directly followed by a message, in a call's arguments or, unless `raised`, in a tuple."""
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef | ast.Module):
            continue
        said: dict[str, ast.expr] = {}
        for node in _own_nodes(scope):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                said[node.targets[0].id] = node.value
            pair = _pair(node, raised)
            if pair is None:
                continue
            code, sentence = pair
            if isinstance(sentence, ast.Name):
                sentence = said.get(sentence.id, sentence)
            text = _spoken(sentence, module)
            if " " in text:
                yield code, f"{text}…" if text.endswith(" ") else text


def _own_nodes(scope: ast.AST) -> list[ast.AST]:
    """Return the nodes below `scope` in source order, except those inside nested functions."""
    found: list[ast.AST] = []
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef):
            found.append(node)
            waiting.extend(ast.iter_child_nodes(node))
    return sorted(found, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))


def _pair(node: ast.AST, raised: bool) -> tuple[str, ast.expr] | None:
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if (name in RAISED) != raised:
            return None
        parts = list(node.args)
    elif isinstance(node, ast.Tuple) and not raised:
        parts = list(node.elts)
        if len(parts) > 1 and isinstance(parts[0], ast.Constant) and "_" not in str(parts[0].value):
            return None
    else:
        return None
    if len(parts) < 2 or not isinstance(parts[0], ast.Constant) or not isinstance(parts[0].value, str):
        return None
    code = parts[0].value
    return (code, parts[1]) if CODE.fullmatch(code) else None


def _spoken(sentence: ast.expr, module: ModuleType) -> str:
    """Return a message as readers see it: with the module's constants filled in, and `…` for other computed parts."""
    if isinstance(sentence, ast.Constant):
        return str(sentence.value)
    if isinstance(sentence, ast.JoinedStr):
        return "".join(_spoken(part, module) for part in sentence.values)
    if isinstance(sentence, ast.FormattedValue):
        known = getattr(module, sentence.value.id, None) if isinstance(sentence.value, ast.Name) else None
        return f"{known:,}" if isinstance(known, int) else str(known) if isinstance(known, str) else "…"
    return "…"
