"""Finds how long a provider asks to wait, wherever its reply says so. Pure: the current time is an argument."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from engine.models.json_access import object_of, objects_of, text_of
from events.json_value import JSON, JSONObject

__all__ = ["seconds_to_wait"]

_LONGEST = 30 * 24 * 3600.0
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_IN_WORDS = re.compile(
    r"(?:try again|retry) (?:in|after) ([\d.]+\s?(?:ms|s|m|h|d)?(?:[\d.]+(?:ms|s))?)", re.IGNORECASE
)


def seconds_to_wait(headers: Mapping[str, str], error: JSONObject, now: float) -> float | None:
    """Return the seconds to wait from `now` (Unix time), at most 30 days; None if the response does not say."""
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    said = [_number(lower.get("retry-after-ms", ""), 0.001), _moment(lower.get("retry-after", ""), now)]
    said += [_span(text_of(d.get("retryDelay"))) for d in objects_of(error.get("details"))]
    said += [_moment(_header(error, name), now) for name in ("Retry-After", "X-RateLimit-Reset")]
    said += [_number(str(_member(error, name)), 1.0) for name in ("retry_after", "retry_after_seconds")]
    found = next((s for s in said if s is not None), None)
    if found is None:
        found = _reset(lower, now)
    if found is None and (words := _IN_WORDS.search(text_of(error.get("message")))):
        found = _span(words[1].replace(" ", ""))
    return None if found is None else min(max(found, 0.0), _LONGEST)


def _reset(headers: Mapping[str, str], now: float) -> float | None:
    """Return the latest time at which a used-up limit is reset, from headers such as x-ratelimit-reset and
    x-ratelimit-reset-tokens.
    """
    spans: list[float] = []
    for name, value in headers.items():
        if "ratelimit" not in name or "reset" not in name:
            continue
        left = headers.get(name.replace("reset", "remaining"), "0")
        span = _moment(value, now)
        if span is not None and left.split(".")[0] in ("0", "", "-1"):
            spans.append(span)
    return max(spans, default=None)


def _moment(text: str, now: float) -> float | None:
    """Return the seconds until a time: seconds, a span like `6m0s`, a Unix time in seconds or milliseconds, or an HTTP
    or ISO date.
    """
    number = _number(text, 1.0)
    if number is not None:
        if number > 1e12:
            return number / 1000 - now
        return number - now if number > 1e9 else number
    if (span := _span(text)) is not None:
        return span
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text)
        except (ValueError, TypeError, IndexError):
            continue
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now
    return None


def _number(text: str, unit: float) -> float | None:
    return float(text) * unit if re.fullmatch(r"\d+(\.\d*)?", text) else None


def _span(text: str) -> float | None:
    if not re.fullmatch(r"(\d+(\.\d+)?(ms|s|m|h|d))+", text):
        return _number(text, 1.0)
    return sum(float(n) * _UNITS[unit] for n, unit in re.findall(r"([\d.]+)(ms|s|m|h|d)", text))


def _member(error: JSONObject, name: str) -> JSON:
    return error.get(name) or object_of(error.get("metadata")).get(name)


def _header(error: JSONObject, name: str) -> str:
    """Return a header that a gateway passes on inside its error."""
    return text_of(object_of(object_of(error.get("metadata")).get("headers")).get(name))
