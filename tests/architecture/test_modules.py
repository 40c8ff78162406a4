"""Rules for the code that a program can check: small modules and functions, docstrings, no to-do marks."""

import ast
import re
from collections.abc import Iterator

import duckdb
import pytest

from events.projections.registry import TABLES, VIEWS
from events.projector import Projector
from events.schema import CREATE_LOG
from tests.architecture.modules import LIBRARY, ROOT, Module, modules

LINES_OF_A_MODULE = 300
LINES_OF_A_FUNCTION = 40
SCRIPTS = {"ui/app.py", "ui/main.py", "engine/runtime/host.py"}
"""Started, never imported for a name."""

Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a module, including nested ones."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def public(body: list[ast.stmt], inside: str = "") -> Iterator[tuple[str, Documented]]:
    """The public classes and functions of a module, and the public methods of its public classes."""
    for node in body:
        if isinstance(node, Documented) and not node.name.startswith("_"):
            name = f"{inside}{node.name}"
            if not any(ast.unparse(d).endswith((".setter", "overload")) for d in node.decorator_list):
                yield name, node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{name}.")


def test_every_module_has_a_docstring() -> None:
    """The docstring says what the module is responsible for."""
    silent = [m.name for m in modules() if not m.is_empty and ast.get_docstring(m.tree) is None]
    assert silent == []


def test_every_module_declares_its_public_names() -> None:
    """Each module that others import has an `__all__`."""
    silent = [m.name for m in modules() if not m.is_empty and m.name not in SCRIPTS and m.exported() is None]
    assert silent == []


@pytest.mark.long
def test_all_public_names_of_a_module_exist() -> None:
    """`__all__` names only what the module defines or passes on."""
    absent = []
    for module in modules():
        bound = {
            n.id for n in ast.walk(module.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        bound |= {n.name for n in ast.walk(module.tree) if isinstance(n, Documented)}
        bound |= {
            alias.asname or alias.name
            for n in ast.walk(module.tree)
            if isinstance(n, ast.Import | ast.ImportFrom)
            for alias in n.names
        }
        absent += [f"{module.name}: {name}" for name in module.exported() or () if name not in bound]
    assert absent == []


def test_packages_do_not_import_their_modules() -> None:
    """`__init__.py` is empty, or has a docstring and its own definitions, so importing a package loads no sibling."""
    loading = [
        m.name
        for m in modules()
        if m.path.name == "__init__.py"
        and any(
            isinstance(node, ast.ImportFrom)
            and (node.module or "").split(".")[0] in {"events", "engine", "ui"}
            for node in m.tree.body
        )
    ]
    assert loading == []


def test_public_names_have_docstrings() -> None:
    """A failure names the public class, function or method, and its line."""
    silent = [
        f"{module.name}:{node.lineno} {name}"
        for module in modules()
        for name, node in public(module.tree.body)
        if ast.get_docstring(node) is None
    ]
    assert silent == []


def test_modules_are_small() -> None:
    """A longer module should be split."""
    long = [f"{m.name}: {len(m.text.splitlines())}" for m in modules()]
    assert [entry for entry in long if int(entry.rsplit(" ", 1)[1]) > LINES_OF_A_MODULE] == []


def test_functions_are_small() -> None:
    """A longer function should be split."""
    long = [
        f"{module.name}:{node.lineno} {node.name}: {(node.end_lineno or 0) - node.lineno + 1}"
        for module in modules()
        for node in functions(module)
        if (node.end_lineno or 0) - node.lineno + 1 > LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_no_to_do_marks_are_in_the_code() -> None:
    """Open tasks are written in issues, not in comments."""
    marks = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"]) + r")\b")
    left = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("events", "engine", "ui", "tests", "docs", "sample_bundles")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if marks.search(line)
    ]
    assert left == []


def test_no_module_in_ui_shadows_a_package() -> None:
    """`streamlit run ui/app.py` puts ui/ first on sys.path, so ui/events.py would shadow events/."""
    taken = {p.name for p in ROOT.iterdir() if p.is_dir()} | {
        "streamlit",
        "duckdb",
        "pyarrow",
        "pandas",
        "typing",
    }
    hiding = [p.name for p in (ROOT / "ui").iterdir() if p.stem in taken and p.stem != "__pycache__"]
    assert hiding == []
    assert not (ROOT / "ui" / "pages").exists()


def test_the_tools_library_imports_neither_the_engine_nor_the_log() -> None:
    """It is on sys.path of tool processes, where neither of the two is."""
    reaching = [
        f"{module.name}:{node.lineno}"
        for module in modules()
        if LIBRARY in module.path.parents
        for node in ast.walk(module.tree)
        if (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").split(".")[0] in {"events", "engine", "ui"}
        )
        or (isinstance(node, ast.Import) and node.names[0].name.split(".")[0] in {"events", "engine", "ui"})
    ]
    assert reaching == []


@pytest.fixture
def log_tables() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty log with its read models."""
    connection = duckdb.connect()
    connection.execute(CREATE_LOG)
    Projector().catch_up(connection)
    yield connection
    connection.close()


def test_no_name_that_users_query_is_reserved_in_sql(log_tables: duckdb.DuckDBPyConnection) -> None:
    """A column that has to be quoted, such as `at` in DuckDB 2, surprises users."""
    reserved = {
        row[0]
        for row in log_tables.execute(
            "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
        ).fetchall()
    } | {"at"}
    relations = ["event_log", *(t.name for t in TABLES), *(v.name for v in VIEWS)]
    named = [
        f"{relation}.{row[0]}"
        for relation in relations
        for row in log_tables.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
        if row[0] in reserved
    ]
    assert named + [relation for relation in relations if relation in reserved] == []
