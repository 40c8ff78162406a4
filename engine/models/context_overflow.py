"""Recognizes providers' errors about requests that are too long, and reads the limit that they state. Pure."""

import re

from engine.models.json_access import integer_of
from events.json_value import JSONObject

__all__ = ["is_too_long", "limit_in"]

_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size|limit)|maximum context|exceed_context_size|prompt (is )?too long"
    r"|too many (input )?tokens|input (is|token count).{0,40}(too long|exceeds)|exceeds? the (maximum|available|model)"
    r".{0,30}(token|context)|maximum (number of|allowed) (input )?tokens|context_length_exceeded|request_too_large"
    r"|max_model_len|maximum model length|model's context|maximum prompt length"
    r"|prompt token count.{0,40}exceeds|exceeded model token limit"
    r"|input length .{0,60}exceed|reduce the length of the (messages|prompt|input)",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER = r"(?P<limit>\d[\d,_]*)"
_LIMITS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"> ?{_NUMBER} maximum",
        rf"\d+ \+ \d+ > ?{_NUMBER}",
        rf"maximum number of (?:input )?tokens allowed\D{{0,5}}{_NUMBER}",
        rf'"?n_ctx"?\s*[:=]\s*{_NUMBER}',
        rf"{_NUMBER} maximum context",
        rf"maximum (?:context|model|prompt|input) length (?:is|of|=|:)? ?(?:only )?{_NUMBER}",
        rf"max_model_len\D{{0,12}}{_NUMBER}",
        rf"must be (?:<=|at most) ?{_NUMBER}",
        rf"context (?:size|length|window|limit) (?:of|is|=)? ?(?:only )?\(?{_NUMBER}",
        rf"(?:token limit|the limit)(?: of| is|:) ?{_NUMBER}",
        rf"{_NUMBER}[- ]tokens? (?:context|limit)",
    )
)
_SMALLEST, _LARGEST = 128, 100_000_000


def is_too_long(text: str) -> bool:
    """Return whether an error says that the request is longer than the model can read."""
    return bool(_TOO_LONG.search(text))


def limit_in(error: JSONObject, message: str) -> int | None:
    """Return the token limit for requests that a "too long" error states; None if it states no limit."""
    said = [integer_of(error, "n_ctx")]
    said += [_number(found["limit"]) for found in (each.search(message) for each in _LIMITS) if found]
    return next((tokens for tokens in said if tokens and _SMALLEST <= tokens <= _LARGEST), None)


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text)[:12])
