"""Replaces expressions in a renderer's configuration with their values: `$args.name`, `$return.rows[0].x`, `$chat_id`.

If a text is exactly one expression, it becomes the value itself, with its type. Inside other text the value is
inserted, as JSON if it is not text. `$$` is a dollar sign, and so is a `$` before something that is not a name. Pure;
failures are values.
"""

import json
import re
from collections.abc import Mapping

from events.canonical import canonical_json
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Scope", "Unresolved", "interpolate"]

MAX_KEYS = 20
MAX_DEPTH = 100

_STEP = r"\.[A-Za-z_][A-Za-z0-9_-]*|\[\d{1,9}\]|\[\"(?:[^\"\\]|\\.)*\"\]"
_TOKEN = re.compile(rf"\$\$|\$([A-Za-z_][A-Za-z0-9_]*)((?:{_STEP})*)")
_STEPS = re.compile(_STEP)


@dataclass(frozen=True, slots=True)
class Scope:
    """The names available to expressions."""

    args: JSON
    result: JSON
    """The value of `$return`."""
    chat_id: str
    workspace: str = "$workspace"
    """The value of `$workspace`: a name for the workspace, not its path on this machine."""
    toolset: str = "$toolset"

    def roots(self) -> dict[str, JSON]:
        """Return the value of each name that may follow a dollar."""
        return {
            "args": self.args,
            "return": self.result,
            "chat_id": self.chat_id,
            "workspace": self.workspace,
            "toolset": self.toolset,
        }


@dataclass(frozen=True, slots=True)
class Unresolved:
    """An expression with an unknown name, and the names that could be used instead."""

    expression: str
    message: str
    keys: tuple[str, ...] = ()


def interpolate(template: JSON, scope: Scope) -> JSON | Unresolved:
    """Return `template` with every expression in its texts replaced; keys of objects do not change.

    If an expression has an unknown name, the first such expression is returned as `Unresolved` instead.
    """
    return _value(template, scope.roots(), 0)


def _value(template: JSON, roots: Mapping[str, JSON], depth: int) -> JSON | Unresolved:
    if depth > MAX_DEPTH:
        return Unresolved("…", f"the configuration is nested more than {MAX_DEPTH} levels deep")
    if isinstance(template, str):
        return _text(template, roots)
    if isinstance(template, list):
        items: list[JSON] = []
        for item in template:
            found = _value(item, roots, depth + 1)
            if isinstance(found, Unresolved):
                return found
            items.append(found)
        return items
    if isinstance(template, dict):
        members: dict[str, JSON] = {}
        for key, item in template.items():
            found = _value(item, roots, depth + 1)
            if isinstance(found, Unresolved):
                return found
            members[key] = found
        return members
    return template


def _text(template: str, roots: Mapping[str, JSON]) -> JSON | Unresolved:
    whole = _TOKEN.fullmatch(template)
    if whole and whole[1]:
        return _lookup(whole, roots)
    pieces: list[str] = []
    end = 0
    for token in _TOKEN.finditer(template):
        pieces.append(template[end : token.start()])
        end = token.end()
        if not token[1]:
            pieces.append("$")
            continue
        found = _lookup(token, roots)
        if isinstance(found, Unresolved):
            return found
        pieces.append(found if isinstance(found, str) else canonical_json(found))
    return "".join(pieces) + template[end:]


def _lookup(token: re.Match[str], roots: Mapping[str, JSON]) -> JSON | Unresolved:
    expression, name = token[0], token[1]
    if name not in roots:
        known = tuple(f"${root}" for root in roots)
        return Unresolved(expression, f"${name} is not known; a dollar sign is written $$", known)
    value = roots[name]
    walked = f"${name}"
    for step in _STEPS.findall(token[2]):
        if step.startswith("[") and step[1] != '"':
            index = int(step[1:-1])
            if not isinstance(value, list):
                return Unresolved(expression, f"{walked} is {_kind(value)}, not a list", _keys(value))
            if index >= len(value):
                return Unresolved(expression, f"{walked} has {len(value)} items; the first is [0]")
            value = value[index]
        else:
            key = json.loads(step[1:-1]) if step.startswith("[") else step[1:]
            if not isinstance(value, dict):
                return Unresolved(expression, f"{walked} is {_kind(value)}; it has no keys")
            if key not in value:
                return Unresolved(expression, f"{walked} has no key {key}", _keys(value))
            value = value[key]
        walked += step
    return value


def _keys(value: JSON) -> tuple[str, ...]:
    if not isinstance(value, dict):
        return ()
    keys = sorted(value)
    return tuple(keys[:MAX_KEYS]) + (("…",) if len(keys) > MAX_KEYS else ())


def _kind(value: JSON) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {str: "text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names[type(value)]
