"""Rejects whole specifications in which bars or areas have misleading lengths, or that compute with text."""

from collections.abc import Mapping
from typing import Any

from anabranch_tool import ToolError
from tools.chart_columns import Column
from tools.chart_fields import plain_name

__all__ = ["check_lengths"]

_VIEWS = ("layer", "hconcat", "vconcat", "concat", "spec")
_OF_NUMBERS = ("sum", "mean", "average", "median", "product", "stdev", "variance", "q1", "q3")


def check_lengths(spec: Mapping[str, Any], known: Mapping[str, Column]) -> None:
    """Check each view that has a mark, by the rules that the short form of `chart` uses.

    Raises:
        ToolError: a bar or area does not start at zero, or numbers are computed from a column without numbers.
    """
    _check(spec, {name: column for name, column in known.items() if name not in _made_names(spec)}, {})


def _check(view: Any, known: Mapping[str, Column], above: Mapping[str, Any]) -> None:
    if not isinstance(view, dict):
        return
    channels = {**above, **(view.get("encoding") or {})}
    for item in channels.values():
        if isinstance(item, dict):
            _check_aggregate(item, known)
    mark = view.get("mark")
    kind = mark.get("type") if isinstance(mark, dict) else mark
    if kind in ("bar", "area"):
        _check_start(kind, mark.get("orient") if isinstance(mark, dict) else None, channels)
    for key in _VIEWS:
        inner = view.get(key)
        for one in inner if isinstance(inner, list) else [inner]:
            _check(one, known, channels)


def _made_names(part: Any) -> set[str]:
    """Return the fields that a specification computes. They may have the same name as a column."""
    if isinstance(part, list):
        return set().union(*(_made_names(one) for one in part))
    if not isinstance(part, dict):
        return set()
    named = part.get("as", [])
    own = {str(name) for name in (named if isinstance(named, list) else [named])}
    return own.union(*(_made_names(one) for one in part.values()))


def _check_aggregate(item: Mapping[str, Any], known: Mapping[str, Column]) -> None:
    how, field = item.get("aggregate"), item.get("field")
    if how not in _OF_NUMBERS or not isinstance(field, str):
        return
    column = known.get(plain_name(field))
    if column is not None and column.kind in ("text", "time", "other"):
        raise ToolError(
            f"aggregate: {how} needs a column of numbers, and “{column.name}” is of type {column.type}. "
            "If its values are numbers, CAST or TRY_CAST it in the SQL; to count rows, use aggregate: count."
        )


def _check_start(mark: str, orient: str | None, channels: Mapping[str, Any]) -> None:
    lengths = [name for name in ("x", "y") if _is_length(name, channels)]
    if len(lengths) == 2:
        combined = [name for name in lengths if "aggregate" in channels[name]]
        lengths = combined if len(combined) == 1 else ["x" if orient == "horizontal" else "y"]
    for name in lengths:
        scale = channels[name].get("scale")
        if not isinstance(scale, dict):
            continue
        domain = scale.get("domain")
        ends = [end for end in domain if isinstance(end, int | float)] if isinstance(domain, list) else []
        low = scale.get("domainMin")
        if scale.get("type") == "log":
            raise ToolError(
                f"{name}.scale: the length of a {mark} starts at zero, and a log scale has no zero. "
                "Use mark point or line with the log scale, or type: symlog."
            )
        cut = len(ends) > 1 and not min(ends) <= 0 <= max(ends)
        if scale.get("zero") is False or cut or (isinstance(low, int | float) and low > 0):
            raise ToolError(
                f"{name}.scale: the length of {'an area' if mark == 'area' else 'a bar'} must start "
                "at zero, or it misleads. Use mark point or line, or leave out zero and domain."
            )


def _is_length(name: str, channels: Mapping[str, Any]) -> bool:
    item = channels.get(name)
    if not isinstance(item, dict) or f"{name}2" in channels or item.get("bin"):
        return False
    return "aggregate" in item or item.get("type") == "quantitative"
