"""The picture provider that the user configured, read from the environment variables granted to this toolset."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

__all__ = ["Failed", "Studio", "studio"]

GEMINI = "https://generativelanguage.googleapis.com/v1beta"
OPENAI = "https://api.openai.com/v1"


class Failed(Exception):
    """Raised if a picture was not made; the message is written for the user."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        """`final` means that another request in this call would fail in the same way."""
        super().__init__(message)
        self.final = final


@dataclass(frozen=True, slots=True)
class Studio:
    """The configured provider of pictures."""

    provider: str
    """`gemini` or `openai`."""
    title: str
    """The name used in messages."""
    base_url: str
    model: str
    """The model's name; empty for the server's default."""
    key: str = field(repr=False)
    key_name: str = ""


def studio(environ: Mapping[str, str] = os.environ) -> Studio:
    """Return the configured provider.

    Raises:
        ValueError: the configuration names no provider, or no key for it.
    """
    base_url, model = environ.get("IMAGE_BASE_URL", "").rstrip("/"), environ.get("IMAGE_MODEL", "")
    gemini, openai = environ.get("GEMINI_API_KEY", ""), environ.get("OPENAI_API_KEY", "")
    provider = environ.get("IMAGE_PROVIDER", "").lower()
    if provider not in ("", "gemini", "openai"):
        raise ValueError(f"IMAGE_PROVIDER is {provider!r}; set it to gemini or openai")
    if not provider:
        provider = "gemini" if gemini and not base_url else "openai"
    if base_url and not _is_address(base_url):
        raise ValueError(
            f"IMAGE_BASE_URL is {base_url!r}; give an address that begins with http:// or https://"
        )
    if provider == "gemini":
        made = Studio(
            provider,
            "Gemini",
            base_url or GEMINI,
            model or "gemini-3.1-flash-image",
            gemini,
            "GEMINI_API_KEY",
        )
    else:
        title = "The image server" if base_url else "OpenAI"
        model = model or ("" if base_url else "gpt-image-2")
        made = Studio(provider, title, base_url or OPENAI, model, openai, "OPENAI_API_KEY")
    if not made.key and not base_url:
        raise ValueError(
            f"there is no key for {made.title}; set {made.key_name} in the settings of this toolset"
        )
    return made


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
