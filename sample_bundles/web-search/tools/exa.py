"""Calls Exa's API with only the standard library: one request, limited in time and size, with readable errors.

Redirects are not followed, since the request carries the key. Requests and answers are described at
https://exa.ai/docs/reference/search, …/get-contents and …/error-codes.
"""

import contextlib
import http.client
import importlib
import json
import math
import os
import re
import ssl
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import SplitResult, urlsplit

__all__ = ["ExaError", "ask"]

ADDRESS = "https://api.exa.ai"
LARGEST = 8 << 20
"""The maximum size of an answer in bytes."""
_QUOTED = 300
_SET_KEY = "`anabranch toolset configure web-search --secret EXA_API_KEY`, or on the Toolsets page"


class ExaError(Exception):
    """Raised if Exa gives no usable answer; the message says why and what to do."""


def ask(path: str, body: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Send `body` to an endpoint such as /search and return the answer.

    Raises:
        ExaError: there was no usable answer within `seconds`.
    """
    key = os.environ.get("EXA_API_KEY", "")
    if not key:
        raise ExaError(f"There is no key for Exa. Set it with {_SET_KEY}.")
    base = os.environ.get("EXA_BASE_URL", "").strip() or ADDRESS
    parts = _address(base.rstrip("/") + path)
    headers = {"Content-Type": "application/json", "Accept": "application/json", "x-api-key": key}
    try:
        status, answered, content = _send(parts, headers, json.dumps(body).encode(), seconds)
    except TimeoutError:
        raise ExaError(
            f"Exa did not answer within {seconds:.0f} seconds. Try again, or ask for less."
        ) from None
    except ssl.SSLError as error:
        reason = error.reason or "its certificate is not accepted"
        raise ExaError(f"Exa cannot be reached safely at {parts.hostname}: {reason}.") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ExaError(
            f"Exa cannot be reached at {parts.hostname}: {reason}. Is this machine online?"
        ) from None
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    if status != 200:
        raise ExaError(_refusal(status, answered, value, key))
    if not isinstance(value, dict) or not isinstance(value.get("results"), list):
        raise ExaError("Exa answered with something that is not a list of results. Is EXA_BASE_URL right?")
    return value


def _address(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid:
        raise ExaError("EXA_BASE_URL is not an http or https address. Set it again, or remove it.")
    return parts


def _send(
    parts: SplitResult, headers: Mapping[str, str], data: bytes, seconds: float
) -> tuple[int, Mapping[str, str], bytes]:
    ends = time.monotonic() + seconds
    host, port = parts.hostname or "", parts.port
    connection = (
        http.client.HTTPSConnection(host, port, timeout=seconds, context=_trusting())
        if parts.scheme == "https"
        else http.client.HTTPConnection(host, port, timeout=seconds)
    )
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", target, body=data, headers={**headers, "Connection": "close"})
        wire = connection.sock
        wire.settimeout(_left(ends))
        response = connection.getresponse()
        content = bytearray()
        while True:
            wire.settimeout(_left(ends))
            piece = response.read1(1 << 16)
            if not piece:
                break
            content += piece
            if len(content) > LARGEST:
                raise ExaError(
                    f"Exa sent more than {LARGEST >> 20} MiB. Ask for fewer results, or less of each."
                )
        return response.status, {k.lower(): v for k, v in response.getheaders()}, bytes(content)
    finally:
        connection.close()


def _trusting() -> ssl.SSLContext:
    """Return a context that trusts the system's certificates, or those of the certifi package if Python finds none."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not (paths.cafile or paths.capath or context.cert_store_stats()["x509_ca"]):
        with contextlib.suppress(ImportError):
            context.load_verify_locations(importlib.import_module("certifi").where())
    return context


def _left(ends: float) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _refusal(status: int, headers: Mapping[str, str], value: Any, key: str) -> str:
    told = value if isinstance(value, dict) else {}
    said = " ".join(str(told.get("error") or told.get("message") or "").replace(key, "[key]").split())
    quoted = f" It says: {said[:_QUOTED]}" if said else ""
    if status == 401:
        return f"Exa did not accept the key (HTTP 401). Set another one with {_SET_KEY}.{quoted}"
    if status == 402:
        return f"The credits of this Exa key are used up (HTTP 402). Add some at dashboard.exa.ai.{quoted}"
    if status == 403:
        return f"Exa does not allow this with your key (HTTP 403).{quoted}"
    if status == 429:
        return f"Exa received too many requests. {_wait(headers)}{quoted}"
    if status >= 500:
        return f"Exa had an internal problem (HTTP {status}). Try again later.{quoted}"
    if status < 400:
        return f"Exa's answer is not a search result (HTTP {status}). Is EXA_BASE_URL right?"
    return f"Exa refused the request (HTTP {status}).{quoted}"


def _wait(headers: Mapping[str, str]) -> str:
    given = headers.get("retry-after", "").strip()
    seconds: float | None = None
    if re.fullmatch(r"[0-9]{1,6}(\.[0-9]+)?", given):
        seconds = float(given)
    else:
        with contextlib.suppress(TypeError, ValueError):
            seconds = max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    return "Try again later." if seconds is None else f"Try again in {math.ceil(seconds)} seconds."
