"""API documents about toolsets and their tools."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator

__all__ = [
    "Enabled",
    "Executed",
    "Execution",
    "Import",
    "Installed",
    "Restored",
    "ToolDocument",
    "ToolsetDocument",
    "Uninstalled",
]


class ToolDocument(BaseModel):
    """A tool."""

    tool_id: str
    toolset_id: str | None
    tool_name: str
    name: str
    description: str
    input_schema: dict[str, Any]
    effects: Literal["read", "create", "write"]
    requires_confirmation: bool
    timeout: float
    command: str | None
    category: str | None
    entrypoint: str | None
    """`module:function` of a Python tool; None for a tool of an MCP server."""
    renderer: str | None
    """The renderer that shows the tool's results; None: they are shown as JSON."""
    enabled: bool
    available: bool
    reason: str | None
    """The reason why the tool cannot run; None if it can."""


class ToolsetDocument(BaseModel):
    """An installed toolset."""

    id: str
    name: str
    version: str
    description: str
    enabled: bool
    installed_at: datetime
    source_type: str
    source_ref: str
    tools: list[dict[str, Any]]
    skill: dict[str, Any] | None
    """The front matter of the toolset's SKILL.md, if it has one."""
    available: bool
    reason: str | None
    note: str | None
    """The reason why the current state of the toolset's folder is not used; None if it is used."""
    follows: str | None
    """The folder that the toolset follows: changes to the code in it are used without another install."""
    changed_files: list[str]
    """Stored files that differ from the installed ones. None of the toolset's tools runs until they are restored."""


class Import(BaseModel):
    """A bundle to install, from an address or a path on this machine."""

    url: str | None = Field(default=None, max_length=4000)
    path: str | None = Field(default=None, max_length=4000)
    agreed_hash: str | None = Field(default=None, max_length=64)
    """The `content_hash` of the sheet that the user accepted."""
    keep_keys: list[str] = Field(default=[], max_length=100)
    """The keys in the sheet's `keys_stored` that the user agreed to hand over."""
    variables: list[str] = Field(default=[], max_length=100)
    """The variables in the sheet's `variables` that the user agreed to give. In a form, send `keep_keys` and
    `variables` as comma-separated names.
    """

    @field_validator("keep_keys", "variables", mode="before")
    @classmethod
    def _names(cls, value: Any) -> Any:
        return (
            [name.strip() for name in value.split(",") if name.strip()] if isinstance(value, str) else value
        )


class Installed(BaseModel):
    """The outcome of an installation."""

    toolset_id: str
    version: str
    content_hash: str
    outcome: Literal["installed", "upgraded", "unchanged"]


class Enabled(BaseModel):
    """Whether a toolset is enabled."""

    enabled: bool


class Restored(BaseModel):
    """A toolset whose stored files were restored."""

    toolset_id: str
    files: list[str]
    """The restored files."""


class Uninstalled(BaseModel):
    """A toolset that was uninstalled."""

    toolset_id: str
    uninstalled: bool


class Execution(BaseModel):
    """A call of one tool."""

    tool_call_id: str = Field(max_length=200)
    params: dict[str, Any] = Field(default_factory=dict)
    chat_id: str | None = Field(default=None, pattern=r"^[0-9A-Za-z_-]{1,64}$")
    """The chat whose files the tool uses; without a chat there are no files."""
    allow_confirmations: bool = False


class Executed(BaseModel):
    """The outcome of a call: a result, or an error."""

    tool_call_id: str
    result: Any = None
    error: dict[str, Any] | None = None
