"""The names that code can use: the workspace's tables, SQL over them, and `show`."""

import difflib
import random
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from anabranch_tool.context import given
from anabranch_tool.tables import OpenTables, find_table_files, open_tables, sql_name
from tools.python_shown import Shown

__all__ = ["SqlError", "Tables", "UnknownTable", "namespace"]

_SHORT = {
    "np": "numpy",
    "pd": "pandas",
    "pa": "pyarrow",
    "duckdb": "duckdb",
    "scipy": "scipy",
    "stats": "scipy.stats",
    "sm": "statsmodels.api",
    "smf": "statsmodels.formula.api",
    "sklearn": "sklearn",
    "plt": "matplotlib.pyplot",
    "alt": "altair",
}
"""Short names for modules; only installed modules get one."""
_EXACT = 2**53
"""Below this number, float64 stores every whole number exactly."""


class UnknownTable(KeyError):
    """Raised if a table is not in the workspace."""

    def __str__(self) -> str:
        return str(self.args[0])


class SqlError(ValueError):
    """Raised if DuckDB rejects SQL; contains DuckDB's message."""


class Tables(Mapping[str, pd.DataFrame]):
    """The workspace's tables by name; each is read when it is first used."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self.notes: list[str] = []
        """Assumptions that were made when tables were read."""
        self.read: list[tuple[int, frozenset[str]]] = []
        """The length and columns of each DataFrame that the code received."""
        self._files = _paths(workspace)
        self._past = _past_paths()
        self._frames: dict[str, pd.DataFrame] = {}
        self._opened: dict[frozenset[str], OpenTables] = {}
        self._told: set[str] = set()

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._frames:
            path = self._files.get(name) or self._past.get(name)
            if path is None:
                raise UnknownTable(self._unknown(str(name)))
            opened = self._open({name})
            if name not in opened.files:
                why = opened.unread.get(path, "it could not be read")
                raise UnknownTable(f"{path} could not be read as a table: {why}")
            self._tell(opened, {name})
            source = ".".join(f'"{part}"' for part in name.split("."))
            relation = opened.connection.execute(f"SELECT * FROM {source}")
            self._frames[name] = self._frame(relation, name)
        return self._frames[name]

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name.startswith("_") or name not in self._files:
            raise AttributeError(self._unknown(name))
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"tables: {', '.join(self._files) or 'none'}"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._files]

    def sql(self, statement: str, values: dict[str, Any]) -> pd.DataFrame:
        """Run SQL over the tables, and over the DataFrames and Arrow tables among `values`."""
        words = {word.lower() for word in re.findall(r"\w+", statement)}
        named = {
            name for name in (*self._files, *self._past) if words.issuperset(re.findall(r"\w+", name.lower()))
        }
        opened = self._open(named)
        own = {
            name: value
            for name, value in values.items()
            if isinstance(value, pd.DataFrame | pa.Table)
            and name.lower() in words
            and name not in self._files
        }
        for name, value in own.items():
            opened.connection.register(name, value)
        try:
            frame = self._frame(opened.connection.execute(statement), "The result of sql()")
        except duckdb.Error as error:
            text = str(error)[:2000]
            raise SqlError(f"{text}\nThe tables are: {', '.join(self._listed(own)) or 'none'}.") from None
        finally:
            for name in own:
                opened.connection.unregister(name)
        self._tell(opened, named)
        return frame

    def _open(self, names: set[str]) -> OpenTables:
        for loaded, opened in self._opened.items():
            if names <= loaded:
                return opened
        # Only the tables whose quoted names are in this text are read.
        opened = open_tables(self._workspace, mentioned_in=" ".join(f'"{name}"' for name in sorted(names)))
        self._opened[frozenset(names)] = opened
        return opened

    def _tell(self, opened: OpenTables, names: set[str]) -> None:
        """Add the notes that were made when these tables were read, once for each table."""
        for name in sorted(names - self._told):
            self._told.add(name)
            notes = opened.notes.get(name, [])
            for note in [notes] if isinstance(notes, str) else notes:
                self.notes.append(f"{name}: {note}")

    def _frame(self, relation: duckdb.DuckDBPyConnection, what: str) -> pd.DataFrame:
        described = relation.description or []
        exact = [column[0] for column in described if str(column[1]).startswith(("DECIMAL", "HUGEINT"))]
        frame = relation.df()
        for position, dtype in enumerate(frame.dtypes):
            column = frame.iloc[:, position]
            if isinstance(dtype, pd.api.extensions.ExtensionDtype) and dtype.kind in "iu":
                largest = column.abs().max()
                if (
                    largest is pd.NA or largest < _EXACT
                ):  # numeric libraries accept float64, with NaN for missing values
                    frame.isetitem(position, column.astype("float64"))
            elif pd.api.types.is_object_dtype(dtype) and column.isna().all():
                frame.isetitem(position, column.astype("str"))
        if exact and what not in self._told:
            self._told.add(f"float64 {what}")
            listed = ", ".join(exact[:6]) + ("…" if len(exact) > 6 else "")
            note = f"{what}: exact in SQL, float64 here: {listed}. Sums can differ in the last digits."
            if note not in self.notes:
                self.notes.append(note)
        self.read.append((len(frame), frozenset(str(column) for column in frame.columns)))
        return frame

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name.lower(), self._files, 3, 0.5)
        stem = re.sub(r"\.\w+$", "", name.rsplit("/", 1)[-1]).lower()
        near = [stem] if stem in self._files else near
        hint = f" Did you mean {' or '.join(repr(one) for one in near)}?" if near else ""
        return f"there is no table {name!r}.{hint} The tables are: {', '.join(self._listed()) or 'none'}"

    def _listed(self, own: Iterable[str] = ()) -> list[str]:
        """Return the names of all tables. For moments that the code does not name, return only a pattern such as
        `name.…`.
        """
        moments = [f"{name}.…" for name in given.get("named_moments", [])]
        read = {name.partition(".")[0] for name in self._past}
        return [*self._files, *own, *self._past, *(m for m in moments if m.partition(".")[0] not in read)]

    def close(self) -> None:
        """Close the connections."""
        for opened in self._opened.values():
            opened.close()


def _paths(workspace: Path) -> dict[str, str]:
    """Return each table's name and file, from the engine's list if there is one."""
    listed = given.get("tables")
    if listed is not None:
        return {table["name"]: table["path"] for table in listed}
    return {table.name: table.path for table in find_table_files(workspace)}


def _past_paths() -> dict[str, str]:
    """Return the tables of past moments that the code names, such as `before_cleaning.orders`, with their files."""
    found: dict[str, str] = {}
    for moment in given.get("moments", []):
        name = moment["name"]
        for table in moment["tables"]:
            found[f"{name}.{table['name']}"] = f"{name}/{table['path']}"
        for path in moment["unread"]:
            found.setdefault(f"{name}.{sql_name(Path(path).stem)}", f"{name}/{path}")
    return found


def namespace(tables: Tables, shown: Shown, write: Callable[[Any], None]) -> dict[str, Any]:
    """Return the names that the code can use, in a new `__main__` module; `write` prints values that are not shown."""
    module = types.ModuleType("__main__")
    values = module.__dict__

    def sql(statement: str) -> pd.DataFrame:
        """Run DuckDB SQL over the tables and over the DataFrames of this code; returns a DataFrame."""
        return tables.sql(statement, {**values, **{made.name: made.table for made in shown.tables}})

    def show(value: Any = None, title: str | None = None, name: str | None = None) -> None:
        """Show a table, a figure or a chart under a title; later SQL can use a table by its `name`."""
        if value is None:
            shown.add_open_figures(title, name)
        elif not shown.add(value, title, name):
            write(value)

    def display(*values: Any, **_: Any) -> None:
        """Show each value, as in a notebook."""
        for value in values:
            show(value)

    values.update(
        {name: sys.modules[path] for name, path in _SHORT.items() if path in sys.modules},
        tables=tables,
        sql=sql,
        show=show,
        display=display,
        workspace=Path(),
    )
    sys.modules["__main__"] = module
    _take_over_show(shown)
    _undated()
    _seed()
    return values


def _take_over_show(shown: Shown) -> None:
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    pyplot.show = lambda *_, **__: shown.add_open_figures()
    figure = sys.modules["matplotlib.figure"].Figure
    figure.show = lambda self, *_, **__: shown.add(self)
    pyplot.rcParams["figure.max_open_warning"] = 0


def _undated() -> None:
    """Remove date and time from statsmodels' summaries, so that the same call gives the same result."""
    if module := sys.modules.get("statsmodels.iolib.summary"):
        undated = types.SimpleNamespace(localtime=lambda: None, strftime=lambda *_: "")
        module.time = undated


def _seed() -> None:
    """Make every run of the same code draw the same random numbers."""
    random.seed(0)
    np.random.seed(0)
    made = np.random.default_rng
    seeds = iter(range(1, 1 << 30))

    def default_rng(seed: Any = None) -> Any:
        return made(next(seeds) if seed is None else seed)

    np.random.default_rng = default_rng
