"""Reads a bundle's `SKILL.md` in the open Agent Skills format: front matter that says when the skill is useful, and
instructions.

Format: https://agentskills.io/specification. A model receives the name and description, and reads the rest if
necessary. Nothing in a skill is executed here: its scripts are text like its other files.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, field
from hashlib import sha256

from engine.errors import Problem
from engine.toolsets.entrypoint import Contents
from engine.toolsets.manifest import Manifest
from engine.toolsets.manifest_yaml import MAX_BYTES, Node, parse_yaml
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["SKILL_NAME", "Skill", "instructions", "manifest_of", "read_front_matter"]

SKILL_NAME = "SKILL.md"

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST: Mapping[str, int] = {"name": 64, "description": 1024, "license": 1000, "compatibility": 500}
_KEYS = (*_LONGEST, "metadata", "allowed-tools")
_LONGEST_ID = 40
_UNVERSIONED = "1.0.0"


@dataclass(frozen=True, slots=True)
class Skill:
    """The front matter of a skill."""

    name: str
    description: str
    license: str = ""
    compatibility: str = ""
    allowed_tools: str = ""
    """The list of tools, as written. Anabranch does not use it to allow anything."""
    metadata: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> JSONObject:
        """Return the skill in the form that the log stores."""
        return asdict(self)


def read_front_matter(files: Contents, folder: str) -> tuple[Skill | None, list[Problem]]:
    """Read a bundle's SKILL.md. Return the skill, or None if it is missing or invalid, and every problem.

    `folder` is the name of the folder that contains the skill; empty if unknown.
    """
    if SKILL_NAME not in files:
        return None, []
    data = files.read(SKILL_NAME)
    if len(data) > MAX_BYTES:
        message = (
            f"it is {len(data):,} bytes long; the limit is {MAX_BYTES:,}: move parts of it to references/"
        )
        return None, [Problem("skill_too_large", message, SKILL_NAME)]
    try:
        head, _ = _split(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return None, [Problem("manifest_encoding", "it is not UTF-8; save it as UTF-8", SKILL_NAME, line)]
    if head is None:
        message = "it must begin with front matter: a line ---, then name and description, then a line ---"
        return None, [Problem("skill_front_matter", message, SKILL_NAME, 1)]
    root, problems = parse_yaml(head.encode(), SKILL_NAME)
    if root is None or not root.keys:
        if not problems:
            message = "its front matter is empty; write name and description"
            problems = [Problem("skill_front_matter", message, SKILL_NAME, 1)]
        return None, problems
    problems += _problems(root, folder)
    return (None if any(p.code != "skill_key_unknown" for p in problems) else _skill(root)), problems


def instructions(text: str) -> str:
    """Return the text below the front matter."""
    return _split(text.removeprefix("\ufeff"))[1].lstrip("\n")


def manifest_of(skill: Skill) -> Manifest:
    """Return a manifest for a skill that has no manifest: the manifest of a toolset without tools."""
    version = skill.metadata.get("version", "")
    facts: dict[str, JSON] = {
        "manifest_version": "1",
        "id": _id(skill.name),
        "name": skill.name,
        "version": version if re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", version) else _UNVERSIONED,
        "description": skill.description,
    }
    return Manifest.model_validate(facts)


def _id(name: str) -> str:
    """Return a toolset id for a skill. A name that is too long for an id is shortened."""
    if len(name) <= _LONGEST_ID:
        return name
    return f"{name[: _LONGEST_ID - 9]}-{sha256(name.encode()).hexdigest()[:8]}"


def _split(text: str) -> tuple[str | None, str]:
    """Return the YAML between the two lines `---`, with its lines numbered as in the file, and the text after it."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != "---":
        return None, text
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "\n" + "".join(lines[1:number]), "".join(lines[number + 1 :])
    return None, text


def _problems(root: Node, folder: str) -> Iterator[Problem]:
    for key, node in root.keys.items():
        if key not in _KEYS:
            message = f"{key} is not a key of the Agent Skills format; other programs may refuse it: put it in metadata"
            yield Problem("skill_key_unknown", message, SKILL_NAME, node.line)
    for key in ("name", "description"):
        if key not in root.keys:
            yield Problem("missing_key", f"{key} is missing; add it", SKILL_NAME, 1)
    for key, longest in _LONGEST.items():
        if key in root.keys:
            yield from _text_problems(key, root.keys[key], longest)
    name = root.keys.get("name")
    if name is not None and name.text and len(name.text) <= _LONGEST["name"]:
        yield from _name_problems(name, folder)
    metadata = root.keys.get("metadata")
    if metadata is not None and (metadata.items or any(n.keys or n.items for n in metadata.keys.values())):
        yield Problem("wrong_type", "metadata must be a mapping of keys to text", SKILL_NAME, metadata.line)
    tools = root.keys.get("allowed-tools")
    if tools is not None and (tools.keys or any(item.keys or item.items for item in tools.items)):
        yield Problem("wrong_type", "allowed-tools must be names separated by spaces", SKILL_NAME, tools.line)


def _text_problems(key: str, node: Node, longest: int) -> Iterator[Problem]:
    if node.keys or node.items:
        yield Problem("wrong_type", f"{key} must be text", SKILL_NAME, node.line)
    elif not node.text.strip() and key in ("name", "description"):
        yield Problem(
            "skill_empty", f"{key} is empty; models need it to choose a skill", SKILL_NAME, node.line
        )
    elif len(node.text) > longest:
        message = f"{key} has {len(node.text):,} characters; the limit is {longest:,}"
        yield Problem("skill_too_long", message, SKILL_NAME, node.line)


def _name_problems(node: Node, folder: str) -> Iterator[Problem]:
    if not _NAME.fullmatch(node.text):
        message = (
            f"the name {node.text!r} must be lower-case letters and digits with single hyphens between them"
        )
        yield Problem("skill_name", message, SKILL_NAME, node.line)
    elif folder and folder != node.text:
        message = f"the name {node.text} must be the same as that of its folder, {folder}; rename one of them"
        yield Problem("skill_folder", message, SKILL_NAME, node.line)


def _skill(root: Node) -> Skill:
    def text(key: str) -> str:
        return " ".join(root.keys[key].text.split()) if key in root.keys else ""

    tools, metadata = root.keys.get("allowed-tools"), root.keys.get("metadata")
    return Skill(
        text("name"),
        text("description"),
        text("license"),
        text("compatibility"),
        " ".join(item.text for item in tools.items) if tools and tools.items else text("allowed-tools"),
        {key: node.text for key, node in metadata.keys.items()} if metadata else {},
    )
