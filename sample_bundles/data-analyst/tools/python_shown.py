"""Collects the tables, figures and charts that a call shows; each becomes a part of the page with its own name."""

import base64
import io
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from tools.python_frames import as_frame, flat, write
from tools.python_names import Names

__all__ = ["Shown", "ShownTable", "is_artist"]

_MOST = 40
"""The maximum number of parts in one call."""
_MOST_CHART_ROWS = 20_000
_MOST_SENT = 6
"""The maximum number of figures sent to a model that accepts pictures."""
_DOTS = 144
_WIDEST = 2_000
"""The maximum length in pixels of a picture's longer side."""


@dataclass(slots=True)
class ShownTable:
    """A table in the result."""

    name: str
    table: pa.Table
    notes: list[str]


@dataclass(slots=True)
class Shown:
    """Collects the parts of one call."""

    workspace: Path
    names: Names
    """Chooses each part's name."""
    title: str | None
    name: str | None
    known: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    """The lengths and columns of the tables that were read."""
    tables: list[ShownTable] = field(default_factory=list)
    figures: list[dict[str, Any]] = field(default_factory=list)
    charts: list[dict[str, Any]] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)
    pictures: list[dict[str, str]] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    """The files of the parts."""
    notes: list[str] = field(default_factory=list)
    own_given: bool = False
    last: Any = None
    """The last shown value. If it is also the value of the last line, it is not shown again."""

    def add(
        self, value: Any, title: str | None = None, name: str | None = None, variable: str | None = None
    ) -> bool:
        """Show a table, figure or chart and return True; return False for other values, which are printed instead."""
        figure = _figure_of(value)
        frame = as_frame(value) if figure is None else None
        chart = figure is None and frame is None and _is_chart(value)
        if figure is None and frame is None and not chart:
            return False
        if len(self.parts) >= _MOST:
            raise ValueError(f"One call can show at most {_MOST} tables, charts and figures. Show fewer.")
        self.last = value
        if figure is not None:
            self.add_figure(figure, title, name)
        elif frame is not None:
            self._add_table(frame, title, name, variable)
        else:
            self._add_chart(value, title, name, variable)
        return True

    def _own(self, title: str | None, name: str | None) -> tuple[str | None, str | None]:
        """Return the title and name for a part. The first part that has neither gets the call's title and name."""
        if title or name or self.own_given:
            return title, name
        self.own_given = True
        return self.title, self.name

    def _add_table(self, frame: Any, title: str | None, name: str | None, variable: str | None) -> None:
        title, name = self._own(title, name)
        made = flat(frame, self.known)
        name = self.names.new(name, title, variable)
        path = f"results/{name}.parquet"
        write(made.table, self.workspace / path)
        self.files.add(path)
        self.tables.append(ShownTable(name, made.table, made.notes))
        self.parts.append(
            {
                "renderer": "table",
                "file": path,
                "title": title or _words(variable or name),
                "name": name,
                "notes": made.notes,
            }
        )

    def add_figure(self, figure: Any, title: str | None = None, name: str | None = None) -> None:
        """Show a figure as a picture, and close it."""
        title, name = self._own(title, name)
        title = title or _figure_title(figure)
        name = self.names.new(name, title, "figure")
        dots = min(_DOTS, _WIDEST / max(*figure.get_size_inches(), 1))
        content = io.BytesIO()
        figure.savefig(content, format="png", dpi=dots, bbox_inches="tight", metadata={"Software": None})
        sys.modules["matplotlib.pyplot"].close(figure)
        path = f"results/{name}.png"
        file = self.workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.getvalue())
        self.files.add(path)
        self.figures.append({"name": name, "title": title or "Figure"})
        self.parts.append({"renderer": "images", "files": [path], "title": title or "Figure", "name": name})
        if len(self.pictures) < _MOST_SENT:
            data = base64.b64encode(content.getvalue()).decode()
            self.pictures.append({"media_type": "image/png", "data": data, "caption": title or name})
        else:
            self.notes.append(f"The figure {name} is shown to the user, but not sent to you as a picture.")

    def add_open_figures(self, title: str | None = None, name: str | None = None) -> None:
        """Show all open figures in the order of their creation, and close them. The first gets `title` and `name`."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        for number in pyplot.get_fignums() if pyplot else ():
            figure = pyplot.figure(number)
            if figure.axes or figure.texts:
                self.add(figure, title, name)
                title = name = None
            pyplot.close(figure)

    def _add_chart(self, chart: Any, title: str | None, name: str | None, variable: str | None) -> None:
        altair = sys.modules["altair"]
        with altair.data_transformers.enable("default", max_rows=None):
            spec = chart.to_dict()
        spec.pop("$schema", None)
        spec.pop("config", None)
        title, name = self._own(title, name)
        title = title or _spec_title(spec)
        name = self.names.new(name, title, variable, "chart")
        rows = _rows(spec)
        if rows > _MOST_CHART_ROWS:
            raise ValueError(
                f"The chart holds {rows:,} rows; a chart can hold {_MOST_CHART_ROWS:,}. "
                "Aggregate the data first, or draw it with matplotlib."
            )
        part: dict[str, Any] = {"renderer": "chart", "title": title or "Chart", "name": name}
        sets = spec.get("datasets", {})
        if len(sets) == 1 and isinstance(spec.get("data"), dict) and "name" in spec["data"]:
            part["data"] = next(iter(spec.pop("datasets").values()))
            spec.pop("data")
        self.charts.append({"name": name, "title": title or "Chart", "rows": rows})
        self.parts.append({**part, "spec": spec})


def is_artist(value: Any) -> bool:
    """Return whether a value is a matplotlib object or contains one, as plotting functions return. It is not worth
    printing.
    """
    artist = getattr(sys.modules.get("matplotlib.artist"), "Artist", ())
    if isinstance(value, artist):
        return True
    if type(value).__name__ == "ndarray":
        return bool(value.dtype == object and value.size and is_artist(value.flat[0]))
    if isinstance(value, dict):
        return bool(value) and any(is_artist(item) for item in value.values())
    return isinstance(value, list | tuple) and any(is_artist(item) for item in value)


def _figure_of(value: Any) -> Any:
    """Return the figure to which a matplotlib object belongs; None for other values."""
    artist = getattr(sys.modules.get("matplotlib.artist"), "Artist", ())
    return value.get_figure(root=True) if isinstance(value, artist) else None


def _is_chart(value: Any) -> bool:
    altair = sys.modules.get("altair")
    return altair is not None and isinstance(value, altair.TopLevelMixin)


def _figure_title(figure: Any) -> str | None:
    texts = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
    return next((" ".join(text.split())[:120] for text in texts if text.strip()), None)


def _spec_title(spec: Mapping[str, Any]) -> str | None:
    title = spec.get("title")
    text = title.get("text") if isinstance(title, dict) else title
    if isinstance(text, list):
        text = " ".join(str(line) for line in text)
    return text[:120] if isinstance(text, str) and text.strip() else None


def _rows(spec: Mapping[str, Any]) -> int:
    return sum(len(rows) for rows in spec.get("datasets", {}).values())


def _words(name: str) -> str:
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]
