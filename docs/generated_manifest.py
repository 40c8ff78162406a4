"""Makes the generated parts of docs/manifest.md."""

from typing import Any

from pydantic import BaseModel

from docs.source import fields_of, sentences, summary
from docs.tables import table_of
from engine.toolsets import manifest as manifest_page
from engine.toolsets.manifest import Manifest
from engine.toolsets.manifest_read import ADVICE

__all__ = ["manifest", "problem_codes"]


MANIFEST_PARTS = (
    ("The file", "Manifest"),
    ("tools", "ToolManifest"),
    ("tools: renderer", "RendererManifest"),
    ("tools: examples", "Example"),
    ("mcp_servers", "McpServer"),
    ("config", "ConfigKey"),
    ("permissions", "Permissions"),
)
_DERIVED = {
    "ToolManifest.name": "the id in words",
    "ToolManifest.command": "the id with hyphens",
    "ToolManifest.command_argument": "the first required string",
    "ConfigKey.env": "the name in capitals",
}


def manifest() -> str:
    """Return every key of toolset.yaml, with its type, default, rule and meaning."""
    schema = Manifest.model_json_schema()
    parts = []
    for title, name in MANIFEST_PARTS:
        described = schema if name == "Manifest" else schema["$defs"][name]
        cls = getattr(manifest_page, name)
        rows = [_key(cls, key, described["properties"][key]) for key in cls.model_fields]
        parts.append(
            f"## {title}\n\n{summary(cls)}\n\n{table_of(('key', 'type', 'default', 'rule', 'meaning'), rows)}"
        )
    return "\n\n".join(parts)


def _key(cls: type[BaseModel], key: str, schema: dict[str, Any]) -> tuple[str, str, str, str, str]:
    source = next(field for field in fields_of(cls) if field.name == key)
    derived = _DERIVED.get(f"{cls.__name__}.{key}")
    required = cls.model_fields[key].is_required() and not derived
    default = derived or ("**required**" if required else _default(cls, key))
    return f"`{key}`", _json_type(schema), default, _rule(schema), source.doc


def _default(cls: type[BaseModel], key: str) -> str:
    value = cls.model_fields[key].get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        return "as below"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return "empty" if value in ("", (), {}) else "none" if value is None else f"`{value}`"


def _json_type(schema: dict[str, Any]) -> str:
    if "const" in schema:
        return f'`"{schema["const"]}"`'
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_json_type(part) for part in schema["anyOf"] if part.get("type") != "null")
    if "$ref" in schema:
        return "mapping"
    words = {"string": "text", "boolean": "true or false", "integer": "whole number", "number": "number"}
    if schema.get("type") == "array":
        return f"list of {_json_type(schema['items'])}".replace("of mapping", "of mappings")
    return words.get(schema.get("type", ""), "mapping")


def _rule(schema: dict[str, Any]) -> str:
    for part in [schema, *schema.get("anyOf", ()), schema.get("items", {})]:
        rules = []
        if "pattern" in part:
            rules.append(f"`{part['pattern'].strip('^$')}`")
        if "exclusiveMinimum" in part:
            rules.append(f"above {part['exclusiveMinimum']:g}")
        if "maximum" in part:
            rules.append(f"at most {part['maximum']:g}")
        if "maxLength" in part:
            rules.append(f"up to {part['maxLength']:,} characters")
        if rules:
            return ", ".join(rules)
    return ""


def problem_codes() -> str:
    """Return every error code for refused bundles, and every code of advice for their authors."""
    rows = [
        (f"`{s.code}`", "advice" if s.code in ADVICE else "refused", s.text)
        for s in sentences("engine.toolsets", raised=False)
    ]
    return table_of(("code", "result", "message"), rows)
