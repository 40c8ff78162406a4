"""Puts two charts of the same form on a common scale, with the first chart's outline in the second. Pure."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from events.json_value import JSONObject

__all__ = ["one_scale"]

_OUTLINED = {"bar": {"type": "bar", "fillOpacity": 0}, "line": {"type": "line", "fillOpacity": 0}}
_LOOK = {"stroke": "#7d8a8e", "strokeDash": [4, 3], "strokeWidth": 1.2}


def one_scale(
    a: JSONObject, a_rows: Sequence[JSONObject], b: JSONObject, b_rows: Sequence[JSONObject]
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return both specifications with their data, on a common scale; None unless both are bars or lines of the same
    form.

    The second chart shows the first as a dashed outline.
    """
    form = _form(a)
    if form is None or form != _form(b) or not a_rows or not b_rows:
        return None
    _, place, measure, _, _ = form
    domain = _domain([row.get(measure[1]) for row in (*a_rows, *b_rows)], bar=form[0] == "bar")
    if domain is None:
        return None
    first, second = (_scaled(spec, measure[0], domain) for spec in (a, b))
    places = list(dict.fromkeys(row.get(place[1]) for row in (*a_rows, *b_rows)))
    if form[0] == "bar":
        for spec in (first, second):
            spec["encoding"][place[0]] = {**spec["encoding"][place[0]], "sort": places}
            spec["encoding"][place[0]]["scale"] = {**_scale(spec, place[0]), "domain": places}
    outline = {
        "data": {"values": list(a_rows)},
        "mark": {**_OUTLINED[form[0]], **_LOOK, "tooltip": None},
        "encoding": {
            channel: second["encoding"][channel]
            for channel in (place[0], measure[0])
            if channel in second["encoding"]
        },
    }
    own = {key: second.pop(key) for key in ("mark", "encoding")}
    first["data"] = {"values": list(a_rows)}
    second["data"] = {"values": list(b_rows)}
    return first, {**second, "layer": [own, outline]}


def _form(spec: JSONObject) -> tuple[str, tuple[str, str], tuple[str, str], str, str] | None:
    """Return the mark, the channel and column of the labels, and the channel and column of the measure; None for other
    charts.

    Charts that compute their measure, and charts with several colours or panels, are not supported.
    """
    mark, encoding = spec.get("mark"), spec.get("encoding")
    kind = mark.get("type") if isinstance(mark, Mapping) else mark
    if kind not in _OUTLINED or not isinstance(encoding, Mapping):
        return None
    if {"color", "row", "column", "facet", "xOffset", "yOffset", "x2", "y2"} & set(encoding):
        return None
    found = {channel: encoding.get(channel) for channel in ("x", "y")}
    sides = {channel: one for channel, one in found.items() if isinstance(one, Mapping) and "field" in one}
    if len(sides) < 2 or any({"aggregate", "bin"} & set(one) for one in sides.values()):
        return None
    measures = [channel for channel, one in sides.items() if one.get("type") == "quantitative"]
    if len(measures) != 1:
        return None
    measure = measures[0]
    place = "x" if measure == "y" else "y"
    scale = sides[measure].get("scale")
    kinds = str(sides[place].get("type")), str(scale.get("type") if isinstance(scale, Mapping) else None)
    return str(kind), (place, str(sides[place]["field"])), (measure, str(sides[measure]["field"])), *kinds


def _domain(values: Sequence[Any], *, bar: bool) -> list[float] | None:
    numbers = [
        v for v in values if isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v)
    ]
    if not numbers:
        return None
    low, high = min(numbers), max(numbers)
    if bar:
        low, high = min(low, 0), max(high, 0)
    return [low, high] if low < high else None


def _scaled(spec: JSONObject, channel: str, domain: Sequence[float]) -> dict[str, Any]:
    made: dict[str, Any] = dict(spec)
    encoding: dict[str, Any] = dict(made["encoding"])
    made["encoding"] = encoding
    encoding[channel] = {
        **encoding[channel],
        "scale": {**_scale(made, channel), "domain": list(domain), "nice": True},
    }
    return made


def _scale(spec: Mapping[str, Any], channel: str) -> dict[str, Any]:
    return dict(spec["encoding"][channel].get("scale") or {})
