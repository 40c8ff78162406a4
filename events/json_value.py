"""The types of JSON values, which pydantic can check."""

from typing import TypeAlias

from pydantic import JsonValue as JSON

__all__ = ["JSON", "JSONObject"]

JSONObject: TypeAlias = dict[str, JSON]
