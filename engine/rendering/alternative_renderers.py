"""Other ways to show a tool's results than its author's: configurations that fit, for the user to choose from (RND-7).

Pure. A way is offered where one result made a plan of it; without a result, where the author's own configuration names
what another renderer needs too.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from engine.rendering.media import IMAGE_TYPES, media_type_of
from engine.rendering.plan import CallFacts, RenderConfig, make_plan
from engine.rendering.plans import ErrorPlan
from engine.workspace.manifest import FileEntry, Files
from events.canonical import JSON, JSONObject

__all__ = ["fitting_ways", "ways_like"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_PLAIN = re.compile(r"[^.\[\]\\\"']+")
"""Columns that a chart's specification can name as they are."""
_TABLES = frozenset({"csv", "tsv", "parquet", "json", "jsonl", "ndjson", "xlsx"})
_NO_TEXT = frozenset({"parquet", "xlsx", "pdf", "zip", "gz", "db", "duckdb"})
_LONG = 60
"""Characters from which a text is taken for one to read."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What a result holds, each as the expression that names it."""

    file: str | None = None
    path: str = ""
    """The file's own name, here."""
    rows: str | None = None
    first: tuple[JSON, ...] = ()
    """The rows themselves."""
    text: str | None = None
    pictures: str | None = None
    spec: str | None = None
    titles: Mapping[str, JSON] | None = None
    """The keys that every renderer of a result takes: its title."""


def fitting_ways(
    usual: RenderConfig | None, call: CallFacts, files: Files, artifacts: Mapping[str, FileEntry]
) -> list[RenderConfig]:
    """Return the ways in which this very result can be shown, but for `usual`, the way that its author says."""
    found = _look(call.result, files, usual)
    return [
        way
        for way in _ways(found)
        if way.renderer != (usual.renderer if usual else "json")
        and not isinstance(make_plan(way, call, files, artifacts), ErrorPlan)
    ]


def ways_like(usual: RenderConfig | None) -> list[RenderConfig]:
    """Return the ways that suit results of which nothing is known but how their author shows them."""
    config = usual.config if usual else {}
    ways = [RenderConfig("json", {}), RenderConfig("code", _as_code("$return"))]
    title = {"title": config["title"]} if "title" in config else {}
    if usual is not None and usual.renderer in ("code", "document", "file"):
        named = {key: config[key] for key in ("file", "content") if key in config}
        others = ("code", "document", "file") if "file" in named else ("code", "document")
        ways = [ways[0], *(RenderConfig(name, named | title) for name in others)]
    return [way for way in ways if way.renderer != (usual.renderer if usual else "json")]


def _ways(found: _Found) -> Iterator[RenderConfig]:
    title = dict(found.titles or {})
    kind = PurePosixPath(found.path).suffix.lower().removeprefix(".")
    picture = found.file is not None and media_type_of(found.path) in IMAGE_TYPES
    table = found.file is not None and kind in _TABLES
    if table:
        yield RenderConfig("table", {"file": found.file} | title)
    elif found.rows:
        yield RenderConfig("table", {"rows": found.rows} | title)
    # Rows beside a table's file are a sample of it, of which a chart would tell a lie.
    spec = _bars(found.first) if found.rows and not table else None
    if found.spec:
        yield RenderConfig("chart", {"spec": found.spec} | title)
    elif spec:
        yield RenderConfig("chart", {"spec": spec, "data": found.rows} | title)
    if found.file and not picture and kind not in _NO_TEXT:
        yield RenderConfig("code", {"file": found.file} | title)
        yield RenderConfig("document", {"file": found.file} | title)
    elif found.text:
        yield RenderConfig("code", {"content": found.text} | title)
        yield RenderConfig("document", {"content": found.text} | title)
    else:
        yield RenderConfig("code", _as_code("$return") | title)
    if found.pictures or picture:
        shown: JSON = found.pictures or [found.file]
        yield RenderConfig("images", {"files": shown} | title)
    if found.file and not table and not picture:
        yield RenderConfig("file", {"file": found.file} | title)
    yield RenderConfig("json", {})


def _as_code(expression: str) -> JSONObject:
    return {"content": expression, "language": "json"}


def _look(result: JSON, files: Files, usual: RenderConfig | None) -> _Found:
    members = result if isinstance(result, dict) else {}
    title = usual.config.get("title") if usual else None
    titles: dict[str, JSON] = {"title": title} if title is not None else {}
    if "title" not in titles and isinstance(members.get("title"), str):
        titles["title"] = "$return.title"
    file = next((key for key, value in members.items() if isinstance(value, str) and value in files), None)
    rows = next((key for key, value in members.items() if _is_rows(value)), None)
    texts = [(len(v), k) for k, v in members.items() if isinstance(v, str) and (len(v) > _LONG or "\n" in v)]
    spec = next((key for key, value in members.items() if _is_spec(value)), None)
    pictures = next((key for key, value in members.items() if _are_pictures(value, files)), None)
    first = members.get(rows) if rows is not None else None
    return _Found(
        file=_named(file),
        path=str(members.get(file, "")) if file is not None else "",
        rows=_named(rows),
        first=tuple(first) if isinstance(first, list) else (),
        text=_named(max(texts)[1] if texts else None),
        pictures=_named(pictures),
        spec=_named(spec),
        titles=titles,
    )


def _named(key: str | None) -> str | None:
    """The expression that names a member of what a tool returned."""
    if key is None:
        return None
    return f"$return.{key}" if _NAME.fullmatch(key) else f"$return[{json.dumps(key, ensure_ascii=False)}]"


def _is_rows(value: JSON) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) and row for row in value)


def _is_spec(value: JSON) -> bool:
    return isinstance(value, dict) and ("mark" in value or "layer" in value) and "data" in value


def _are_pictures(value: JSON, files: Files) -> bool:
    if not isinstance(value, list) or not value:
        return False
    paths = [item.get("file", item.get("path")) if isinstance(item, dict) else item for item in value]
    return all(isinstance(p, str) and p in files and media_type_of(p) in IMAGE_TYPES for p in paths)


def _bars(rows: tuple[JSON, ...]) -> JSONObject | None:
    """Bars of the first column of numbers, along the first that has none; None where there are no such two."""
    objects = [row for row in rows if isinstance(row, dict)]
    columns = [name for name in (objects[0] if objects else {}) if _PLAIN.fullmatch(name)]
    numbers = [name for name in columns if all(_is_number(row.get(name)) for row in objects)]
    along = next((name for name in columns if name not in numbers), None)
    if len(objects) < 2 or along is None or not numbers:
        return None
    x, y = (name.replace("$", "$$") for name in (along, numbers[0]))
    return {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {"field": x, "type": "nominal", "sort": None},
            "y": {"field": y, "type": "quantitative"},
        },
    }


def _is_number(value: JSON) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
