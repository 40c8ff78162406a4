"""Describes providers' failures so that the user can act on them: what happened, to what, and what to do (TRN-10)."""

import re
from collections.abc import Mapping

from engine.models import http_exchange as http
from engine.models.addresses import is_loopback
from engine.models.context_overflow import is_too_long, limit_in
from engine.models.dialect import Place
from engine.models.finish_reasons import explained, meaning_of
from engine.models.http_exchange import Lost
from engine.models.json_access import integer_of, object_of, text_of
from engine.models.model import FailureKind, Finished, Usage
from engine.models.replies import Ending
from engine.models.reply_json import parse_json
from engine.models.retry_after import seconds_to_wait
from events.json_value import JSON, JSONObject

__all__ = ["bad_key", "ended", "lost", "no_key", "plain_http", "quoted", "refused_by"]

_QUOTE_CHARACTERS = 300
_READ_CHARACTERS = 10_000
"""The maximum number of characters of an error that are examined."""
_SECRET = re.compile(
    r"\b(sk|pk|gsk|xai|csk|fw|tgp|hf)[-_][A-Za-z0-9_-]{12,}|\bAIza[A-Za-z0-9_-]{20,}|Bearer\s+\S+"
)
_KEY_REFUSED = re.compile(
    r"authentication_error|permission_error|invalid_api_key|api[ _]key not valid|API_KEY_INVALID|UNAUTHENTICATED"
    r"|PERMISSION_DENIED|incorrect api key|invalid (x-)?api[ -]?key|unauthorized",
    re.IGNORECASE,
)
_SLOW_DOWN = re.compile(r"rate_?limit|RESOURCE_EXHAUSTED|too many requests|insufficient_quota", re.IGNORECASE)
_BUSY = re.compile(
    r"overloaded|UNAVAILABLE|server_error|internal_?error|\bINTERNAL\b|api_error|timeout|bad gateway"
    r"|service unavailable|provider returned error",
    re.IGNORECASE,
)
_NOT_THERE = re.compile(r"not_found|NOT_FOUND|model_not_found|no such model", re.IGNORECASE)
_HINTS = (
    (re.compile(r"--jinja"), "Start llama-server with --jinja, so that the model can call tools."),
    (
        re.compile(
            r"does not support tools|tool (use|calling|choice).{0,40}not supported|no endpoints.{0,30}tool",
            re.I,
        ),
        "Pick a model that can call tools, or switch tools off.",
    ),
    (re.compile(r"insufficient_quota|billing|credit|balance|payment", re.I), "Check your account there."),
    (
        re.compile(r"tool_use_failed|MALFORMED_FUNCTION_CALL", re.I),
        "The model wrote a call that is not valid; retry.",
    ),
)


def no_key(place: Place) -> Finished:
    """Describe a missing key."""
    variable = place.provider.key_variables[0] if place.provider.key_variables else "the environment"
    words = (
        f"{place.provider.title} has no key. Enter yours in Settings, or set it in {variable}, then retry."
    )
    return Finished("error", error=words, kind="no_key")


def bad_key(place: Place) -> Finished:
    """Describe a key that cannot be sent, because it was cut or copied together with other text."""
    words = (
        f"The key for {place.provider.title} contains characters that no key can contain. Check it in "
        "Settings, then retry."
    )
    return Finished("error", error=words, kind="unauthorized")


def plain_http(place: Place) -> Finished:
    """Describe a key that would be sent unencrypted over the open network."""
    words = (
        f"The key for {place.provider.title} is not sent to {place.host} over http. Use an https:// address."
    )
    return Finished("error", error=words, kind="refused")


def lost(place: Place, loss: Lost, usage: Usage) -> Finished:
    """Describe a connection that failed."""
    title = place.provider.title
    if loss.how == "silent":
        silence = _duration(http.IDLE_SECONDS)
        words = f"{title} at {place.host} sent nothing for {silence}. Retry, or pick another model."
        return Finished("error", usage, words, "broken")
    if loss.how == "cut":
        return Finished("error", usage, _cut(place), "broken")
    if is_loopback(place.base_url) and "SSL" not in loss.detail:
        words = f"Nothing is listening at {place.host} ({title}). Start it, or pick another model and retry."
    else:
        detail = quoted(loss.detail, place)
        words = (
            f"{title} cannot be reached at {place.host} ({detail}). Check the network connection and retry."
        )
    return Finished("error", usage, words, "unreachable")


def ended(place: Place, ending: Ending, headers: Mapping[str, str], now: float) -> Finished:
    """Describe the end of a reply with status 200, whether it was complete or not."""
    if ending.reason != "error":
        return Finished(ending.reason, ending.usage)
    if ending.error is not None:
        error = object_of(ending.error) or {"message": ending.error}
        return _told(place, _status_in(error), error, headers, now, ending.usage)
    if ending.broken == "cut":
        return Finished("error", ending.usage, _cut(place), "broken")
    title, host = place.provider.title, place.host
    if ending.finish:
        words = _stopped(place, ending.finish, ending.detail)
        return Finished("error", ending.usage, words, "broken")
    quote = quoted(ending.broken, place)
    words = f"{title} at {host} sent something that is not a reply ({quote}). Retry, or check the address."
    return Finished("error", ending.usage, words, "broken")


def refused_by(place: Place, status: int, headers: Mapping[str, str], body: bytes, now: float) -> Finished:
    """Describe an answer with a status other than 200."""
    if status < 400:
        target = quoted(headers.get("location", "another address"), place)
        words = (
            f"{place.host} redirects to {target}, and Anabranch does not follow redirects. Enter the "
            "right base URL and retry."
        )
        return Finished("error", error=words, kind="not_found")
    text = body.decode("utf-8", "replace").strip()
    try:
        parsed = parse_json(text)
    except ValueError:
        parsed = {"message": re.sub(r"<[^<>]*>", " ", text[:_READ_CHARACTERS])}
    return _told(place, status, place.provider.dialect.error(parsed), headers, now, Usage())


def _told(
    place: Place, status: int, error: JSONObject, headers: Mapping[str, str], now: float, usage: Usage
) -> Finished:
    message = _message(error)[:_READ_CHARACTERS]
    kind = _kind(
        status,
        f"{message} {error.get('type')} {error.get('code')} {error.get('status')} {error.get('reason')}",
    )
    if "API_KEY_INVALID" in str(error.get("details")):
        kind = "unauthorized"
    wait = seconds_to_wait(headers, error, now) if kind in ("rate_limited", "overloaded") else None
    words = _words(place, kind, status, wait)
    hint = next((hint for known, hint in _HINTS if known.search(f"{message} {error.get('code')}")), "")
    quote = quoted(message, place)
    told = f" It says: {quote}" if quote else ""
    limit = limit_in(error, message) if kind == "context_overflow" else None
    return Finished("error", usage, " ".join(f"{words} {hint}".split()) + told, kind, wait, limit)


def _kind(status: int, text: str) -> FailureKind:
    if status in (0, 400, 413, 422, 500) and is_too_long(text):
        return "context_overflow"
    if status in (401, 403) or (status in (0, 400) and _KEY_REFUSED.search(text)):
        return "unauthorized"
    if status == 404 or (status in (0, 400) and _NOT_THERE.search(text)):
        return "not_found"
    if status == 429 or (status == 0 and _SLOW_DOWN.search(text)):
        return "rate_limited"
    if "--jinja" in text:
        return "refused"
    if status >= 500 or status in (408, 409, 425) or (status == 0 and _BUSY.search(text)):
        return "overloaded"
    return "broken" if status in (0, 499) and "invalid" not in text else "refused"


def _words(place: Place, kind: FailureKind, status: int, wait: float | None) -> str:
    title, host, model = place.provider.title, place.host, place.model
    code = f" (HTTP {status})" if status else ""
    match kind:
        case "context_overflow":
            return (
                f"The conversation is longer than {model} can read at {host}. Start a new chat, ask from an earlier"
                " message, or pick a model that reads more."
            )
        case "unauthorized" if place.key:
            return (
                f"{title} refused the key{code}. Check the key in Settings, and whether it may use "
                f"{model}, then retry."
            )
        case "unauthorized":
            return f"{title} at {host} requires a key{code}. Enter yours in Settings and retry."
        case "not_found":
            return f"{host} has no model {model}, or the address is wrong{code}. Check both and retry."
        case "rate_limited":
            soon = f"in {_duration(wait)}" if wait else "in a while"
            return f"{title} accepts no more requests for now{code}. Retry {soon}."
        case "overloaded":
            soon = f" in {_duration(wait)}" if wait else ""
            return f"{title} had a problem on its side{code}. Retry{soon}, or pick another model."
        case "broken":
            return f"{title} ended the reply with an error. Retry."
        case _:
            return (
                f"{title} refused the request for {model}{code}. Change your question, or pick another model."
            )


def _duration(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} minutes"


def _cut(place: Place) -> str:
    return f"The connection to {place.provider.title} at {place.host} ended before the reply did. Retry."


def _stopped(place: Place, finish: str, detail: str) -> str:
    """Return the message for a reply whose finish reason does not mean a normal end."""
    title, meaning = place.provider.title, meaning_of(finish)
    why = explained(finish)
    why = f"because {why}" if why else "for a reason that Anabranch does not know"
    said = quoted(f"{finish}: {detail}" if detail else finish, place)
    done = " No tool of this reply was run." if meaning == "bad_call" else ""
    return f"{title} stopped the reply {why} ({said}).{done} Retry, or pick another model."


def _status_in(error: JSONObject) -> int:
    """Return the HTTP status in an error inside a stream; 0 if it has none."""
    for name in ("status_code", "code", "status", "http_code"):
        value = error.get(name)
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        number = integer_of({"n": value}, "n")
        if number is not None and 400 <= number < 600:
            return number
    return 0


def _message(error: JSONObject) -> str:
    """Return the provider's own message, from whichever field contains it."""
    for name in ("message", "detail", "error", "errors", "msg", "title"):
        value: JSON = error.get(name)
        if isinstance(value, list):
            value = value[0] if value else None
        if isinstance(value, dict):
            value = _message(value)
        if text := text_of(value):
            metadata = object_of(error.get("metadata"))
            more = text_of(metadata.get("raw")) if name == "message" else ""
            return f"{text} {more}".strip()
    return ""


def quoted(text: str, place: Place) -> str:
    """Return a provider's message in one line of at most 300 characters, with any key removed."""
    if place.key:
        text = text.replace(place.key, "[key]")
    line = " ".join(_SECRET.sub("[key]", text[:_READ_CHARACTERS]).split())
    return line if len(line) <= _QUOTE_CHARACTERS else line[: _QUOTE_CHARACTERS - 1] + "…"
