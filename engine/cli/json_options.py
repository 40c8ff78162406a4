"""Options whose value is a JSON object."""

import json
from typing import TYPE_CHECKING

from engine.errors import Invalid

if TYPE_CHECKING:
    from events.json_value import JSON

__all__ = ["json_object"]


def json_object(text: str, option: str) -> "dict[str, JSON]":
    """Return the JSON object in an option's value.

    Raises:
        Invalid: the value is not a JSON object (`arguments_json`).
    """
    try:
        value: JSON = json.loads(text)
        json.dumps(value, allow_nan=False)
    except RecursionError:
        raise Invalid("arguments_json", f"{option} is nested too deeply.") from None
    except ValueError as error:
        raise Invalid("arguments_json", f"{option} is not valid JSON: {error}.") from None
    if not isinstance(value, dict):
        raise Invalid("arguments_json", f"{option} must be one JSON object.")
    return value
