"""The types of a manifest's fields: ids, versions, variable names, lists, and texts of limited length."""

import re
from typing import Annotated, TypeAlias, TypeVar

from pydantic import AfterValidator, Strict, StringConstraints
from pydantic_core import PydanticCustomError

__all__ = [
    "Command",
    "ConfigName",
    "EnvName",
    "Items",
    "Line",
    "Text",
    "ToolId",
    "ToolsetId",
    "Version",
]

_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?"
    r"(\+[\da-zA-Z-]+(\.[\da-zA-Z-]+)*)?",
    re.ASCII,
)

Item = TypeVar("Item")
Items: TypeAlias = Annotated[tuple[Item, ...], Strict(False)]
"""A YAML or JSON list."""


def _semantic(version: str) -> str:
    if not _SEMVER.fullmatch(version):
        raise PydanticCustomError("invalid_version", "must be a semantic version such as 1.2.0")
    return version


Version = Annotated[str, StringConstraints(max_length=64), AfterValidator(_semantic)]
ToolsetId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
ToolId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Command = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
ConfigName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$")]
EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
Line = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(max_length=20_000)]
