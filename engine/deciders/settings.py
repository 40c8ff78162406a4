"""Decides whether a value is valid for a setting. Pure."""

from engine.config import SETTINGS
from engine.errors import Invalid, NotFound
from events.json_value import JSON

__all__ = ["check_setting"]

_BY_NAME = {setting.name: setting for setting in SETTINGS}


def check_setting(name: str, value: JSON) -> None:
    """Check a setting and its new value; None restores the default.

    Raises:
        NotFound: there is no such setting (`setting_not_found`).
        Invalid: the value has another type than the default, is not one of the choices, or is out of range.
    """
    setting = _BY_NAME.get(name)
    if setting is None:
        raise NotFound(
            "setting_not_found", f"There is no setting {name}. The settings are: {', '.join(_BY_NAME)}."
        )
    if value is not None and type(value) is not type(setting.default):
        wanted = type(setting.default).__name__
        raise Invalid("setting_type", f"{name} must be of type {wanted}, not {type(value).__name__}.")
    if (
        name == "base_urls"
        and isinstance(value, dict)
        and not all(isinstance(v, str) for v in value.values())
    ):
        raise Invalid("setting_type", "base_urls must contain each provider's address as text.")
    if name == "models_that_see" and isinstance(value, list) and not all(isinstance(v, str) for v in value):
        raise Invalid("setting_type", "models_that_see must be a list of patterns, each a string.")
    if name == "context_window" and isinstance(value, dict) and not all(map(_is_window, value.values())):
        raise Invalid(
            "setting_range",
            "context_window must contain a number of tokens for each pattern, at least 1,000.",
        )
    if setting.choices and value is not None and value not in setting.choices:
        raise Invalid("setting_choice", f"{name} must be one of {', '.join(setting.choices)}, not {value!r}.")
    if name == "disclosure_tokens" and isinstance(value, int) and not 0 <= value <= 1_000_000:
        raise Invalid("setting_range", f"{name} must be from 0 to 1,000,000, not {value}.")
    if name == "unreadable_values" and isinstance(value, float) and not 0 <= value <= 0.5:
        raise Invalid("setting_range", f"{name} must be from 0 to 0.5, not {value}.")
    if name in ("max_tool_iterations", "thorough_steps") and isinstance(value, int) and not 1 <= value <= 200:
        raise Invalid("setting_range", f"{name} must be from 1 to 200, not {value}.")


def _is_window(tokens: JSON) -> bool:
    return isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 1000
