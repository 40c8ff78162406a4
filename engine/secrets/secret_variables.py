"""Recognizes environment variables that contain a secret, by their names and values.

A name by itself is not enough: because of `SSH_AUTH_SOCK`, `KEYMAP=us-intl` or `MAX_TOKENS=100000`, ordinary words
would be removed from every text. So a value that is a number, a word, or an existing path is not treated as a secret.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["SHORTEST", "secret_variables"]

SHORTEST = 8
"""The minimum number of characters of a secret. Removing shorter values would destroy ordinary text."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_STRONG = frozenset(
    {"TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"}
)
_WEAK = frozenset({"KEY", "KEYS", "APIKEY"})
"""Words in the names of variables. The values of such variables are often not secrets. A value of plain words is not
treated as a secret.
"""
_ABOUT = frozenset(
    {
        "FILE",
        "PATH",
        "DIR",
        "DIRECTORY",
        "NAME",
        "TYPE",
        "URL",
        "URI",
        "HOST",
        "PORT",
        "TTL",
        "TIMEOUT",
        "ENDPOINT",
    }
    | {
        "REGION",
        "MODE",
        "METHOD",
        "BACKEND",
        "PROVIDER",
        "COMMAND",
        "HELPER",
        "REQUIRE",
        "EXPIRES",
        "ALGORITHM",
    }
)
"""Last words in the names of variables that describe a secret but do not contain one."""
_NUMBER = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|[0-9][0-9_,.:]*([eE][-+]?[0-9]+)?)")
_PLAIN_WORD = re.compile(r"[A-Za-z]?[a-z]{1,15}|[A-Z]{1,16}")
_WORDS_ALONE = re.compile(r"[A-Za-z]{1,15}([ _-][A-Za-z]{1,15})*")


def secret_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that look secret, each with its secret: the value, or the password in an address."""
    found: dict[str, str] = {}
    for name, value in environ.items():
        secret = value.strip() if _is_secret(name, value.strip()) else _password_of(value)
        if secret is not None and len(secret) >= SHORTEST:
            found[name] = secret
    return found


def _is_secret(name: str, value: str) -> bool:
    words = [word.upper() for word in _WORDS.findall(name)]
    strong = not _STRONG.isdisjoint(words)
    if not words or words[-1] in _ABOUT or not (strong or not _WEAK.isdisjoint(words)):
        return False
    if len(value) < SHORTEST or _NUMBER.fullmatch(value) or _is_path(value):
        return False
    if _PLAIN_WORD.fullmatch(value):
        return False  # such as `password` or `postgres`: removing such a word from every text would only do damage
    return strong or not _WORDS_ALONE.fullmatch(value)


def _is_path(value: str) -> bool:
    """Return whether a value is an existing path, or a list of existing paths."""
    try:
        return all(Path(part).expanduser().exists() for part in value.split(os.pathsep) if part)
    except (OSError, ValueError, RuntimeError):
        return False


def _password_of(value: str) -> str | None:
    """Return the password in an address such as `postgres://user:password@host/db`."""
    if "://" not in value or "@" not in value:
        return None
    try:
        password = urlsplit(value.strip()).password
    except ValueError:
        return None
    return unquote(password) if password else None
