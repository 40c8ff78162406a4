"""Translates providers' errors about missing pictures into messages that tell the user what to do."""

import math
import re
import time
from email.utils import parsedate_to_datetime
from typing import Any

from tools.studio import Failed, Studio
from tools.transport import Answer

__all__ = ["blocked", "not_made", "wordless"]

_RULES = {
    "SAFETY": "its safety rules do not allow this picture",
    "IMAGE_SAFETY": "its safety rules do not allow this picture",
    "PROHIBITED_CONTENT": "its rules forbid what the prompt asks for",
    "IMAGE_PROHIBITED_CONTENT": "its rules forbid what the prompt asks for",
    "BLOCKLIST": "the prompt contains words that are not allowed",
    "SPII": "the prompt asks for somebody's personal details",
    "RECITATION": "the picture would be too close to somebody else's work",
    "IMAGE_RECITATION": "the picture would be too close to somebody else's work",
    "MODEL_ARMOR": "a filter that the account's owner set up stopped the prompt",
    "MODERATION_BLOCKED": "its safety rules do not allow this picture",
    "CONTENT_POLICY_VIOLATION": "its rules do not allow this picture",
    "CONTENT_FILTER": "its rules do not allow this picture",
}
_ADVICE = "Describe it in other words, without real people, brands or violence."
_LONGEST = 300


def blocked(studio: Studio, reason: str, said: str = "") -> Failed:
    """Return the error for a picture that a rule stopped; `reason` is the provider's word for the rule."""
    why = _RULES.get(reason.upper(), f"it gave the reason {reason}")
    more = f" It says: {_short(said)}" if said else ""
    return Failed(f"{studio.title} refused: {why}.{more} {_ADVICE}")


def wordless(studio: Studio, finish: str, text: str) -> Failed:
    """Return the error for an answer that contains no picture although nothing was refused."""
    if finish.upper() in _RULES:
        return blocked(studio, finish)
    if text.strip():
        return Failed(f"{studio.title} answered in words instead of a picture: “{_short(text)}”")
    why = f" ({finish})" if finish and finish.upper() != "STOP" else ""
    return Failed(
        f"{studio.title} answered without a picture{why}. Try again, or ask for the picture more plainly."
    )


def not_made(studio: Studio, answer: Answer) -> Failed:
    """Return the error for an answer with an HTTP error, or with no picture."""
    error = _error(answer.json())
    said = _short(_without_key(studio, str(error.get("message") or "")))
    codes = " ".join(str(error.get(name) or "") for name in ("code", "type", "status"))
    quoted = f" It says: {said}" if said else ""
    rule = next((word for word in codes.split() if word.upper() in _RULES), None)
    if rule or "safety system" in said.lower():
        return blocked(studio, rule or "SAFETY")
    if answer.status in (401, 403) or re.search(
        r"api[ _]key (not valid|invalid|expired)", said, re.IGNORECASE
    ):
        has = (
            f"did not accept the key {studio.key_name}"
            if studio.key
            else f"requires a key; {studio.key_name} is not set"
        )
        hint = f"`anabranch toolset configure image-studio --secret {studio.key_name}`"
        return Failed(f"{studio.title} {has} (HTTP {answer.status}). Set it with {hint}.{quoted}", final=True)
    if answer.status == 429:
        return Failed(
            f"{studio.title} received too many requests, or the quota is used up. {_wait(answer)}{quoted}",
            final=True,
        )
    if answer.status == 404:
        model = f"the model {studio.model}" if studio.model else "pictures at that address"
        return Failed(
            f"{studio.title} does not know {model}. Set IMAGE_MODEL or IMAGE_BASE_URL.{quoted}", final=True
        )
    if answer.status >= 500:
        return Failed(
            f"{studio.title} had an internal problem (HTTP {answer.status}). Try again later.{quoted}"
        )
    if answer.status < 400:
        return Failed(
            f"{studio.title} answered with something that is not a picture (HTTP {answer.status}).{quoted}",
            final=True,
        )
    return Failed(f"{studio.title} refused the request (HTTP {answer.status}).{quoted}", final=True)


def _error(value: Any) -> dict[str, Any]:
    if isinstance(value, list) and value:
        value = value[0]
    error = value.get("error") if isinstance(value, dict) else None
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, dict) else {}


def _wait(answer: Answer) -> str:
    """Return advice on when to try again, from the header or from the details in Google's error."""
    seconds = _seconds(answer.headers.get("retry-after", ""))
    details = _error(answer.json()).get("details")
    for detail in details if isinstance(details, list) else []:
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and re.fullmatch(r"[0-9.]{1,9}s", delay):
            seconds = float(delay[:-1])
    return f"Try again in {math.ceil(seconds)} seconds." if seconds is not None else "Try again later."


def _seconds(header: str) -> float | None:
    if re.fullmatch(r"[0-9]{1,6}(\.[0-9]+)?", header.strip()):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _without_key(studio: Studio, text: str) -> str:
    return text.replace(studio.key, "[key]") if studio.key else text


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
