"""Keeps a chart's tooltips from showing pictures, whatever the names of its columns. Pure.

A tooltip is a table of titles and values. If a title is `image`, the page draws a picture and uses the value as its
address. Vega-Lite writes titles into an expression without escaping backslashes. So a column named `image` gets a title
that only looks the same, no title contains a backslash or a quotation mark, and a tooltip with one value is a table
too.
"""

from typing import Any

from events.json_value import JSON, JSONObject

__all__ = ["PICTURE", "without_pictures"]

PICTURE = "image"


def without_pictures(spec: JSONObject) -> dict[str, Any]:
    """Return `spec` with titles that no tooltip shows as a picture. `spec` must not be nested more deeply than a plan
    may be.
    """
    return {key: _walked(key, item) for key, item in spec.items()}


def _walked(key: str, node: JSON) -> JSON:
    if key in ("values", "datasets"):
        return node
    if key == "fieldTitle" and isinstance(node, str):
        return "verbal"  # `plain` would title a mean with only the name of its column
    if key == "encoding" and isinstance(node, dict):
        return {channel: _channel(channel, item) for channel, item in node.items()}
    if isinstance(node, dict):
        return {inner: _walked(inner, item) for inner, item in node.items()}
    return [_walked("", item) for item in node] if isinstance(node, list) else node


def _channel(channel: str, given: JSON) -> JSON:
    if isinstance(given, list):
        return [_channel("", item) for item in given]
    if not isinstance(given, dict):
        return given
    named = {
        key: _channel("", item) if key == "condition" else _walked(key, item) for key, item in given.items()
    }
    field, title = given.get("field"), given.get("title")
    if isinstance(title, str | list):
        named["title"] = _harmless(title)
    elif isinstance(field, str) and (field == PICTURE or "\\" in field or '"' in field):
        made = next(
            (given[key] for key in ("aggregate", "timeUnit") if isinstance(given.get(key), str)), None
        )
        clean = field.replace("\\", "").replace('"', "”")
        named["title"] = _harmless(f"{made} of {clean}" if made else clean)
    return [named] if channel == "tooltip" and "field" in given else named


def _harmless(title: str | list[JSON]) -> str | list[JSON]:
    """Return a title that looks the same but is not `image` and cannot break out of an expression. The tooltip joins a
    title's lines."""
    if isinstance(title, list):
        lines: list[JSON] = [_harmless(line) if isinstance(line, str) else str(line) for line in title]
        return lines
    clean = title.replace("\\", "").replace('"', "”")
    return f"{clean} " if clean == PICTURE else clean
