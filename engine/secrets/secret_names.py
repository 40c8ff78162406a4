"""Names of secrets, the environment variables for them, and the rules for valid values."""

import re

from engine.errors import Invalid
from engine.secrets.secret_variables import SHORTEST

__all__ = [
    "checked_secret",
    "model_secret",
    "model_variable",
    "short_name",
    "source_secret",
    "toolset_secret",
    "variable_of",
]

LONGEST = 16_384
_NAME = re.compile(r"[a-z]+(/[A-Za-z0-9][A-Za-z0-9_.-]{0,63}){1,2}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def model_secret(provider: str) -> str:
    """Return the name of the key for a model provider."""
    return f"model/{provider}"


def model_variable(provider: str) -> str:
    """Return the environment variable with the key for a model provider."""
    return f"{provider.upper().replace('-', '_')}_API_KEY"


def variable_of(name: str) -> str:
    """Return the variable for a secret: `OPENAI_API_KEY` for `model/openai`, else its short name."""
    kind, _, rest = name.partition("/")
    return model_variable(rest) if kind == "model" else short_name(name)


def toolset_secret(toolset_id: str, key: str) -> str:
    """Return the name of a toolset's secret."""
    return f"toolset/{toolset_id}/{key}"


def source_secret(name: str) -> str:
    """Return the name of a source's password or token."""
    return f"source/{name}"


def short_name(name: str) -> str:
    """Return the name that is shown in place of a secret: `GEMINI_API_KEY`, `openai`."""
    return name.rsplit("/", 1)[-1]


def checked_secret(name: str, value: str) -> str:
    """Return `value` without the blanks around it.

    Raises:
        Invalid: the value cannot be a secret, or `name` cannot name one; the message does not quote the value.
    """
    value = value.strip()
    if not _NAME.fullmatch(name):
        raise Invalid("secret_name", f"{name!r} is not the name of a secret; write one such as model/openai.")
    short = short_name(name)
    if len(value) < SHORTEST:
        raise Invalid(
            "secret_short",
            f"The value for {short} has fewer than {SHORTEST} characters, which is too short for a key: removing it "
            "from recorded text would damage ordinary words. Copy the whole key.",
        )
    if len(value) > LONGEST:
        raise Invalid(
            "secret_long", f"The value for {short} has more than {LONGEST:,} characters. Copy only the key."
        )
    if _CONTROL.search(value):
        raise Invalid(
            "secret_text", f"The value for {short} contains characters that are not text. Copy the key again."
        )
    if value in f"[secret:{short}]":
        raise Invalid("secret_placeholder", f"The value for {short} is its own name. Give the key itself.")
    return value
