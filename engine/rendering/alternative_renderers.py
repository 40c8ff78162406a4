"""Finds other renderers and configurations that fit a tool's results, so that the user can choose one (RND-7).

Pure. A renderer is offered if it could make a plan from one result. If there is no result, a renderer is offered if the
author's own configuration names everything that the renderer needs.
"""

import json
import re
from collections.abc import Iterator, Mapping

from engine.rendering.media import IMAGE_TYPES, media_type_of
from engine.rendering.plan import CallFacts, RenderConfig, make_plan
from engine.rendering.plans import ErrorPlan, RenderPlan
from engine.rendering.renderer import Found
from engine.rendering.renderers import RENDERERS
from engine.rendering.text_renderers import CODE
from engine.workspace.manifest import FileEntry, Files
from events.json_value import JSON

__all__ = ["fitting_ways", "recorded_plan_as", "ways_like"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_LONG = 60
"""The number of characters above which a text counts as prose."""


def fitting_ways(
    usual: RenderConfig | None,
    call: CallFacts,
    files: Files,
    artifacts: Mapping[str, FileEntry],
    title: str | None = None,
) -> list[RenderConfig]:
    """Return the ways in which this recorded result can be shown, except `usual`, the way that the tool's author chose.

    `title` is the current title of the result.
    """
    found, titles = _look(call.result, files), _titles(call.result, usual)
    return [
        way
        for way in _ways(found, titles)
        if way.renderer != (usual.renderer if usual else "json")
        and not isinstance(recorded_plan_as(way, call, files, artifacts, title), ErrorPlan)
    ]


def recorded_plan_as(
    way: RenderConfig, call: CallFacts, files: Files, artifacts: Mapping[str, FileEntry], title: str | None
) -> RenderPlan:
    """Return the plan for showing a recorded result in another way. The result's current `title` is used, because the
    expression for the title may name a part of the result that was not recorded.
    """
    untitled = {key: value for key, value in way.config.items() if key != "title"}
    plan = make_plan(RenderConfig(way.renderer, untitled), call, files, artifacts)
    return plan.model_copy(update={"title": title}) if "title" in way.config else plan


def ways_like(usual: RenderConfig | None) -> list[RenderConfig]:
    """Return the renderers that fit a tool's results, judging only by the author's choice of renderer. Results that are
    shown as text fit every text renderer, and every result can be shown as JSON.
    """
    config = usual.config if usual else {}
    own = RENDERERS.get(usual.renderer) if usual else None
    ways = [RenderConfig("json", {})]
    title = {"title": config["title"]} if "title" in config else {}
    if own is not None and own.shows_text:
        named = {key: config[key] for key in ("file", "content") if key in config}
        for renderer in RENDERERS.values():
            taken = {key: value for key, value in named.items() if key in renderer.keys}
            if renderer.shows_text and taken:
                ways.append(RenderConfig(renderer.name, taken | title))
    else:
        ways += [RenderConfig("code", config) for config in [CODE.fitting(Found())] if config]
    return [way for way in ways if way.renderer != (usual.renderer if usual else "json")]


def _ways(found: Found, titles: Mapping[str, JSON]) -> Iterator[RenderConfig]:
    for renderer in RENDERERS.values():
        config = renderer.fitting(found)
        if config is not None:
            yield RenderConfig(renderer.name, {**config, **titles} if config else {})


def _titles(result: JSON, usual: RenderConfig | None) -> Mapping[str, JSON]:
    """Return the part of the configuration that every renderer accepts: the title of the result."""
    members = result if isinstance(result, dict) else {}
    title = usual.config.get("title") if usual else None
    titles: dict[str, JSON] = {"title": title} if title is not None else {}
    if "title" not in titles and isinstance(members.get("title"), str):
        titles["title"] = "$return.title"
    return titles


def _look(result: JSON, files: Files) -> Found:
    members = result if isinstance(result, dict) else {}
    file = next((key for key, value in members.items() if isinstance(value, str) and value in files), None)
    rows = next((key for key, value in members.items() if _is_rows(value)), None)
    texts = [(len(v), k) for k, v in members.items() if isinstance(v, str) and (len(v) > _LONG or "\n" in v)]
    spec = next((key for key, value in members.items() if _is_spec(value)), None)
    pictures = next((key for key, value in members.items() if _are_pictures(value, files)), None)
    first = members.get(rows) if rows is not None else None
    return Found(
        file=_named(file),
        path=str(members.get(file, "")) if file is not None else "",
        rows=_named(rows),
        first=tuple(first) if isinstance(first, list) else (),
        text=_named(max(texts)[1] if texts else None),
        pictures=_named(pictures),
        spec=_named(spec),
    )


def _named(key: str | None) -> str | None:
    """Return the expression that names a member of a tool's result."""
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
