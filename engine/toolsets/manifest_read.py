"""Parses toolset.yaml into a `Manifest`, and reports all broken rules at once.

pydantic checks the shape. Rules that need more than one field, or the bundle's other files, are checked in
`manifest_rules` on the tree itself, so that one mistake never hides another mistake.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from engine.config import SHIPPED
from engine.errors import Problem
from engine.system.input_limits import nearest
from engine.toolsets.entrypoint import Contents
from engine.toolsets.lookalikes import reserved_id
from engine.toolsets.manifest import (
    MANIFEST_NAME,
    ConfigKey,
    Example,
    Manifest,
    McpServer,
    Permissions,
    RendererManifest,
    ToolManifest,
)
from engine.toolsets.manifest_rules import check_rules
from engine.toolsets.manifest_yaml import Node, parse_yaml
from engine.toolsets.problems import invalid_bundle
from engine.toolsets.redact import literal_secrets
from engine.toolsets.skill import SKILL_NAME, Skill, manifest_of, read_front_matter
from events.late_dataclass import dataclass

__all__ = ["ADVICE", "ReadManifest", "read_manifest"]

_PARTS: Mapping[str, type[BaseModel]] = {
    "tools": ToolManifest,
    "mcp_servers": McpServer,
    "config": ConfigKey,
    "permissions": Permissions,
    "renderer": RendererManifest,
    "examples": Example,
}
_DERIVED = {"command", "env", "command_argument"}
_KINDS = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
}


ADVICE = frozenset({"renderer_unknown", "nothing_offered", "skill_key_unknown"})
"""Codes that are reported but do not cause a refusal."""


@dataclass(frozen=True, slots=True)
class ReadManifest:
    """A valid manifest, with advice for its author."""

    manifest: Manifest
    advice: tuple[Problem, ...] = ()
    """Advice that does not cause a refusal, such as about a renderer that this release does not know."""
    skill: Skill | None = None
    """The bundle's SKILL.md, if it has one."""


def read_manifest(files: Contents, folder: str = "") -> ReadManifest:
    """Read and check toolset.yaml and SKILL.md against the bundle's files; a bundle may have only SKILL.md.
    `folder` is the name of the folder that contains the files; empty if unknown.

    Raises:
        Invalid: lists every problem (code `invalid_bundle`).
    """
    if MANIFEST_NAME not in files:
        return _bare_skill(files, folder)
    root, problems = parse_yaml(files.read(MANIFEST_NAME), MANIFEST_NAME)
    if root is None and problems:
        raise invalid_bundle(problems)
    if root is None or not isinstance(root.value, dict):
        message = (
            "the manifest must be a mapping with keys such as manifest_version, id, name, version and tools"
        )
        raise invalid_bundle(
            [*problems, Problem("manifest_shape", message, MANIFEST_NAME, root.line if root else 1)]
        )
    rules = check_rules(root, files)
    problems += [problem for problem in rules if problem.code not in ADVICE]
    own = root.keys.get("id")
    skill, found = read_front_matter(files, own.text if own else "")
    rules += [problem for problem in found if problem.code in ADVICE]
    problems += [problem for problem in found if problem.code not in ADVICE]
    manifest: Manifest | None = None
    try:
        manifest = Manifest.model_validate(root.value)
    except ValidationError as error:
        problems += [problem for details in error.errors() if (problem := _explain(details, root))]
    if manifest is not None:
        problems += _literals(manifest, root)
    if problems or manifest is None:
        raise invalid_bundle(problems)
    return ReadManifest(manifest, tuple(problem for problem in rules if problem.code in ADVICE), skill)


def _bare_skill(files: Contents, folder: str) -> ReadManifest:
    """Return the manifest of a bundle that is only a skill: a toolset without tools."""
    if SKILL_NAME not in files:
        message = (
            "the bundle has neither toolset.yaml nor SKILL.md at its root; add one (see docs/authoring.md)"
        )
        raise invalid_bundle([Problem("manifest_missing", message, MANIFEST_NAME)])
    skill, problems = read_front_matter(files, folder)
    if skill is None:
        raise invalid_bundle(problems)
    if taken := reserved_id(skill.name, SHIPPED):
        message = f"the name is, or looks like, {taken}, which is taken by Anabranch; choose another name"
        raise invalid_bundle([Problem("id_reserved", message, SKILL_NAME)])
    return ReadManifest(manifest_of(skill), tuple(problems), skill)


def _literals(manifest: Manifest, root: Node) -> Iterator[Problem]:
    """Find keys that are written into the configuration of MCP servers. Keys must not be in a manifest, because the log
    stores the manifest forever.
    """
    for place, server in enumerate(manifest.mcp_servers):
        for told in literal_secrets(server, manifest):
            message = (
                f"the MCP server {server.id} contains what looks like a key in {told}; a manifest is stored in the "
                "log: write a reference instead, and declare its name under config as a secret"
            )
            yield Problem("mcp_literal_secret", message, MANIFEST_NAME, root.at(("mcp_servers", place)).line)


def _explain(details: ErrorDetails, root: Node) -> Problem | None:
    """Turn one of pydantic's errors into a problem with a code, a line and a way to fix it."""
    place: tuple[str | int, ...] = tuple(step for step in details["loc"] if step != "[key]")
    kind = details["type"]
    key = str(place[-1]) if place else ""
    node = root.at(place)
    written = place and key in root.at(place[:-1]).keys
    label = ".".join(str(step + 1) if isinstance(step, int) else step for step in place)
    if kind == "missing" or (not written and key in _DERIVED):
        if key in _DERIVED or not place:
            return None
        return Problem("missing_key", f"{label} is missing; add it", MANIFEST_NAME, node.line)
    if kind == "extra_forbidden":
        near = nearest(key, _known_keys(place), 1)
        hint = f"did you mean {near[0]}?" if near else "remove it"
        return Problem("unknown_key", f"{label} is not a key of a manifest; {hint}", MANIFEST_NAME, node.line)
    code, message = _broken(kind, details, node)
    return Problem(code, f"{label} {message}", MANIFEST_NAME, node.line)


def _broken(kind: str, details: ErrorDetails, node: Node) -> tuple[str, str]:
    """Return the code and the rest of the sentence for a value of the wrong type or outside its range."""
    context: Mapping[str, Any] = details.get("ctx") or {}
    if kind == "string_type" and node.plain and not isinstance(node.value, str):
        return "wrong_type", f'must be text; put it in quotes: "{node.text}"'
    if kind in _KINDS:
        return "wrong_type", f"must be {_KINDS[kind]}"
    if kind == "string_pattern_mismatch":
        return "invalid_id", f"is {node.text!r} and must match {context['pattern'].strip('^$')}"
    if kind == "invalid_version":
        return "invalid_version", details["msg"]
    if kind == "literal_error":
        if details["loc"] == ("manifest_version",):
            return "manifest_version", 'must be "1"; other versions need another release of Anabranch'
        return "invalid_value", f"must be {context['expected']}"
    if details["loc"][-1:] == ("timeout",):
        return "timeout_range", "must be a number of seconds above 0 and at most 3600"
    return "invalid_value", details["msg"][:1].lower() + details["msg"][1:]


def _known_keys(place: tuple[str | int, ...]) -> list[str]:
    """Return the keys that are allowed in the object that contains the unknown key at `place`."""
    model: type[BaseModel] = Manifest
    for step in place[:-1]:
        model = _PARTS.get(str(step), model)
    return list(model.model_fields)
