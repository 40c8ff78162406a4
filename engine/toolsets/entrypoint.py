"""Checks whether an entrypoint names a function, from the syntax tree only: bundle code never runs in our process."""

import ast
import keyword
import warnings
from collections.abc import Iterator
from typing import Protocol, TypeAlias

from engine.errors import Problem
from engine.system.input_limits import SOURCE_BYTES, SOURCES_BYTES, nearest

__all__ = ["Contents", "Modules", "check_entrypoint", "module_parts"]

MAX_HOPS = 5

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Contents(Protocol):
    """A bundle's files, wherever they are stored."""

    def __contains__(self, path: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def read(self, path: str) -> bytes:
        """Return a file's bytes."""
        ...


class _Undecided(Exception):
    """Raised if the entrypoint does not resolve; it contains the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def module_parts(entrypoint: str, files: Contents) -> tuple[tuple[str, ...], str] | None:
    """Split `tools.module:function` or `module:function` into the module's parts below tools/ and the function.

    Returns None if it has another form. If the bundle has a folder tools/tools/, `tools.` means that folder, as it does
    when the tool runs.
    """
    module, colon, function = entrypoint.partition(":")
    parts = tuple(module.split("."))
    if parts[0] == "tools" and len(parts) > 1 and not any(path.startswith("tools/tools/") for path in files):
        parts = parts[1:]
    if not colon or not all(_is_name(part) for part in (*parts, function)):
        return None
    return parts, function


def _is_name(part: str) -> bool:
    return part.isascii() and part.isidentifier() and not keyword.iskeyword(part)


def check_entrypoint(entrypoint: str, modules: "Modules", manifest: str, line: int) -> Problem | None:
    """Return the problem with an entrypoint on the line `line` of `manifest`; None if there is none."""
    files = modules.files
    split = module_parts(entrypoint, files)
    if split is None:
        message = f"entrypoint {entrypoint!r} must have the form tools.module:function, with names only"
        return Problem("entrypoint_shape", message, manifest, line)
    parts, name = split
    path = _module_file(parts, files)
    if path is None:
        message = f"entrypoint {entrypoint}: the bundle has no file tools/{'/'.join(parts)}.py"
        return Problem("entrypoint_module", message, manifest, line)
    try:
        _resolve(
            path,
            name,
            modules,
            Problem("entrypoint_function", f"entrypoint {entrypoint}: ", manifest, line),
            0,
        )
    except _Undecided as undecided:
        return undecided.problem
    return None


def _module_file(parts: tuple[str, ...], files: Contents) -> str | None:
    base = "tools/" + "/".join(parts)
    return next((path for path in (f"{base}.py", f"{base}/__init__.py") if path in files), None)


class Modules:
    """The modules of a bundle that entrypoints refer to. Each is parsed only once, and their total size is limited."""

    def __init__(self, files: Contents) -> None:
        self.files = files
        self._known: dict[str, dict[str, ast.AST]] = {}
        self._read = 0

    def definitions(self, path: str) -> dict[str, ast.AST]:
        """Return the last binding of each name at the top level of a module."""
        if path not in self._known:
            source = self.files.read(path)
            self._read += len(source)
            if len(source) > SOURCE_BYTES or self._read > SOURCES_BYTES:
                words = (
                    f"a module with entrypoints can have at most {SOURCE_BYTES >> 10} KiB, and all of them "
                    f"together {SOURCES_BYTES >> 10} KiB; move the rest into modules that they import"
                )
                raise _Undecided(Problem("entrypoint_syntax", words, path))
            self._known[path] = _definitions(_parse(path, source))
        return self._known[path]


def _parse(path: str, source: bytes) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source, filename=path)
    except SyntaxError as error:
        raise _Undecided(
            Problem("entrypoint_syntax", f"not valid Python: {error.msg}", path, error.lineno)
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        message = f"cannot be read as Python: {error or 'it nests too deeply'}"
        raise _Undecided(Problem("entrypoint_syntax", message, path)) from None


def _resolve(path: str, name: str, modules: Modules, blank: Problem, hops: int) -> None:
    """Follow `name` through re-exports to a function, else raise `_Undecided`."""

    def refuse(why: str, code: str = "entrypoint_function") -> _Undecided:
        return _Undecided(Problem(code, blank.message + why, blank.file, blank.line))

    definitions = modules.definitions(path)
    found = definitions.get(name)
    if isinstance(found, Function):
        arguments = found.args
        if not (arguments.posonlyargs or arguments.args or arguments.vararg or found.decorator_list):
            if any(argument.arg == "workspace" for argument in arguments.kwonlyargs) or arguments.kwarg:
                return
            raise refuse(f"{name} in {path} takes no arguments; write def {name}(workspace, **kwargs)")
        return
    if hops >= MAX_HOPS:
        raise refuse(f"{name} is imported through more than {MAX_HOPS} modules; define it in {path}")
    if isinstance(found, ast.Name):
        _resolve(path, found.id, modules, blank, hops + 1)
    elif isinstance(found, ast.ImportFrom):
        alias = next(alias for alias in found.names if (alias.asname or alias.name) == name)
        target = _module_file(_imported_parts(path, found), modules.files)
        if target is None:
            raise refuse(f"{path} imports {name} from outside the bundle; define the function in {path}")
        _resolve(target, alias.name, modules, blank, hops + 1)
    elif isinstance(found, ast.ClassDef):
        raise refuse(f"{name} in {path} is a class; write a function that uses it")
    elif found is not None:
        raise refuse(
            f"{name} in {path} is computed; define it with def so that it can be checked without running"
        )
    else:
        functions = sorted(key for key, node in definitions.items() if isinstance(node, Function))
        near = nearest(name, functions, 1)
        there = (
            f"did you mean {near[0]}?" if near else f"there is {', '.join(functions[:8]) or 'no function'}"
        )
        raise refuse(f"{path} defines no function {name}; {there}")


def _imported_parts(path: str, node: ast.ImportFrom) -> tuple[str, ...]:
    """Return the parts of the imported module's name below tools/, as Python would resolve it when the tool runs."""
    named = tuple(node.module.split(".")) if node.module else ()
    if node.level == 0:
        return named[1:] if named[:1] == ("tools",) and len(named) > 1 else named
    folder = tuple(path.split("/")[1:-1])
    return folder[: len(folder) - (node.level - 1)] + named


def _definitions(tree: ast.Module) -> dict[str, ast.AST]:
    """Return the last binding of each top-level name, including bindings inside if, try and with."""
    bound: dict[str, ast.AST] = {}

    def visit(statements: list[ast.stmt]) -> None:
        for statement in statements:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                bound[statement.name] = statement
            elif isinstance(statement, ast.ImportFrom):
                bound.update({alias.asname or alias.name: statement for alias in statement.names})
            elif isinstance(statement, ast.Import):
                bound.update(
                    {(alias.asname or alias.name).split(".")[0]: statement for alias in statement.names}
                )
            elif isinstance(statement, ast.Assign):
                names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
                bound.update(dict.fromkeys(names, statement.value))
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                bound[statement.target.id] = statement.value or statement
            else:
                for block in ("body", "orelse", "finalbody"):
                    visit(getattr(statement, block, []))
                for handler in getattr(statement, "handlers", []):
                    visit(handler.body)

    visit(tree.body)
    return bound
