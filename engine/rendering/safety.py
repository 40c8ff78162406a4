"""Checks whether showing a chart's specification or a frame's address would fetch anything from outside.

A frame's address is fetched only when the reader asks for it, over https or from this machine.

Vega loads the address in `url`, draws `image` marks from their address, opens `href`, turns a tooltip's `image` field
into a picture and takes options with addresses from `usermeta`. A plan must contain none of these.
"""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

from engine.rendering.tooltips import PICTURE
from events.json_value import JSON, JSONObject

__all__ = ["chart_danger", "frame_danger", "frame_source"]

MAX_DEPTH = 100

_FETCHING_KEYS = {"url", "href", "usermeta"}


def chart_danger(spec: JSONObject, data: JSON = None) -> str | None:
    """Return a sentence about the part of a Vega-Lite specification that would fetch something; None if no part
    would."""
    return next(_chart(spec, "spec", 0), None) or next(_tooltips(spec, data), None)


def frame_danger(url: str, own_port: int | None = None) -> str | None:
    """Return the reason why an address may not be framed; None if it may be framed. `own_port` is the app's port on
    this machine."""
    if _UNCLEAR.search(url):
        return "the address contains characters that browsers read in different ways"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "the address cannot be read"
    if parts.username is not None or parts.password is not None:
        return "the address contains a user name or a password"
    if not host or not (_HOST.fullmatch(host) or _is_address(host)):
        return "the address has no host"
    if own_port is not None and _is_loopback(host) and (port or _PORTS.get(parts.scheme)) == own_port:
        return "it is the address of this app itself"
    if parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host)):
        return None
    return "only https addresses, and pages of this machine, can be shown"


def frame_source(url: str) -> str:
    """Return the source that a policy must allow so that `url`, which `frame_danger` accepts, can be framed."""
    parts = urlsplit(url)
    return "https:" if parts.scheme == "https" and not _is_loopback(parts.hostname or "") else _origin(url)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower()}"


_PORTS = {"http": 80, "https": 443}
_UNCLEAR = re.compile(r"[^\x21-\x7e]|\\")
_HOST = re.compile(r"(?=.*[a-z])[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
"""Matches a host name. A host without letters is an IP address in some notation."""


def _is_address(host: str) -> bool:
    try:
        return "%" not in host and bool(ip_address(host))
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    return _is_address(host) and ip_address(host).is_loopback


def _chart(node: JSON, place: str, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        yield f"the specification is nested more than {MAX_DEPTH} levels deep"
    elif isinstance(node, list):
        for index, item in enumerate(node):
            yield from _chart(item, f"{place}[{index}]", depth + 1)
    elif isinstance(node, str):
        lowered = node.lower().replace(" ", "")
        if lowered.startswith(("image://", "javascript:")) or "url(" in lowered:
            yield f"{place} names something that would be fetched"
    elif isinstance(node, dict):
        for key, item in node.items():
            here = f"{place}.{key}"
            if key in _FETCHING_KEYS:
                yield f"{here} would fetch or open an address; put the data into the specification"
            elif key == "datasets" or (key == "values" and place.rsplit(".", 1)[-1] == "data"):
                continue
            elif (key == "mark" and item == "image") or (key == "type" and item == "image"):
                yield f"{here}: image marks are fetched from their addresses"
            else:
                yield from _chart(item, here, depth + 1)


def _tooltips(spec: JSONObject, data: JSON) -> Iterator[str]:
    """Yield the reason why a tooltip could fetch a picture, if it could. Tooltips show a member called `image` as a
    picture.

    A field called `image` in an ordinary encoding is harmless, because the module `tooltips` gives it another title.
    """
    texts = list(_under_tooltip(spec, False, 0))
    if PICTURE in texts:
        yield "a tooltip may not show a field called image: it would be fetched as a picture"
    elif _MADE in texts:
        yield "a tooltip may not come from an expression or a condition: it could make the browser fetch a picture"
    elif "data" in texts and any(_has_image(rows) for rows in (data, *_rows(spec, 0))):
        yield "a tooltip that shows all data may not contain a column called image: it would be fetched as a picture"
    elif "data" in texts and any(name in ("pivot", PICTURE) for name in _names(spec, 0)):
        yield "a tooltip that shows all data may not include a field called image: it would be fetched as a picture"
    elif any(name == PICTURE or "\\" in name or '"' in name for name in _repeated(spec, 0)):
        yield "`repeat` may not use a column called image: tooltips would load its values as pictures"


_MADE = "\0 made"


def _under_tooltip(node: JSON, inside: bool, depth: int) -> Iterator[str]:
    """Yield the texts and member names inside tooltips, and `_MADE` if a tooltip is computed."""
    if depth > MAX_DEPTH:
        return
    if isinstance(node, str) and inside:
        yield node
    elif isinstance(node, list):
        for item in node:
            yield from _under_tooltip(item, inside, depth + 1)
    elif isinstance(node, dict):
        for key, item in node.items():
            if inside:
                yield (
                    _MADE
                    if key in ("expr", "signal") or (key == "condition" and "field" in _names(item, 0))
                    else key
                )
            if key not in {"values", "datasets"}:
                yield from _under_tooltip(item, inside or key == "tooltip", depth + 1)


def _names(node: JSON, depth: int) -> Iterator[str]:
    """Yield every text and every member's name, except in the data."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, list) and depth <= MAX_DEPTH:
        for item in node:
            yield from _names(item, depth + 1)
    elif isinstance(node, dict) and depth <= MAX_DEPTH:
        for key, item in node.items():
            yield key
            if key not in {"values", "datasets"}:
                yield from _names(item, depth + 1)


def _repeated(node: JSON, depth: int) -> Iterator[str]:
    """Yield the columns for which a chart is repeated."""
    if depth > MAX_DEPTH or not isinstance(node, dict | list):
        return
    for key, item in node.items() if isinstance(node, dict) else enumerate(node):
        if key == "repeat":
            yield from _names(item, depth + 1)
        elif key not in ("values", "datasets"):
            yield from _repeated(item, depth + 1)


def _rows(node: JSON, depth: int) -> Iterator[JSON]:
    if depth > MAX_DEPTH or not isinstance(node, dict | list):
        return
    for key, item in node.items() if isinstance(node, dict) else enumerate(node):
        if key == "values":
            yield item
        elif key == "datasets" and isinstance(item, dict):
            yield from item.values()
        else:
            yield from _rows(item, depth + 1)


def _has_image(rows: JSON) -> bool:
    if isinstance(rows, list):
        return any(isinstance(row, dict) and "image" in row for row in rows)
    return isinstance(rows, str) and "image" in rows
