"""API errors as problem+json (RFC 9457) with a stable `code`. All errors are mapped here."""

import json
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from engine.api.streams import TooManyStreams
from engine.errors import AnabranchError, Invalid, NotFound, Refused
from engine.views.documents import as_json
from events.text import scrub_surrogates

__all__ = ["PROBLEM", "Json", "problem", "problem_body", "problem_document", "problem_of", "tell_problems"]

PROBLEM = "application/problem+json"
_TITLES = {
    400: "Not understood",
    401: "No token",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    406: "Not in this format",
    409: "Refused",
    413: "Too large",
    415: "Not in this format",
    421: "Wrong address",
    422: "Not valid",
    429: "Too many at once",
    500: "An error in Anabranch itself",
    503: "Not available now",
}
_NO_METHOD = "This address does not support that method."
_log = logging.getLogger("anabranch.api")


class Json(Response):
    """A JSON response: times in ISO 8601, and text that is always UTF-8."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the content as bytes."""
        return scrub_surrogates(json.dumps(as_json(content), ensure_ascii=False)).encode()


def problem_body(status: int, code: str, message: str, **more: Any) -> dict[str, Any]:
    """Return the members of a problem document."""
    title = _TITLES.get(status, "Refused")
    return {"type": "about:blank", "title": title, "status": status, "detail": message, "code": code, **more}


def problem(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """Return a response with a problem document."""
    return Json(
        problem_body(status, code, message, **more),
        status_code=status,
        media_type=PROBLEM,
        headers=dict(headers or {}),
    )


def problem_document(error: AnabranchError) -> dict[str, Any]:
    """Return the members of the problem document for an error of the engine."""
    if isinstance(error, Invalid):
        return problem_body(422, error.code, error.message, problems=list(error.problems))
    if isinstance(error, TooManyStreams):
        return problem_body(429, error.code, error.message)
    status = 404 if isinstance(error, NotFound) else 409 if isinstance(error, Refused) else 503
    return problem_body(status, error.code, error.message)


def problem_of(error: AnabranchError) -> Response:
    """Return the response with the problem document for an error of the engine."""
    document = problem_document(error)
    later = {"retry-after": str(error.retry_after)} if isinstance(error, TooManyStreams) else {}
    return Json(document, status_code=document["status"], media_type=PROBLEM, headers=later)


def tell_problems(routes: FastAPI) -> None:
    """Report every error of `routes` as a problem document."""

    @routes.exception_handler(AnabranchError)
    def _ours(_: Request, error: AnabranchError) -> Response:
        return problem_of(error)

    @routes.exception_handler(RequestValidationError)
    def _invalid(_: Request, error: RequestValidationError) -> Response:
        problems = [
            {
                "code": str(found["type"]),
                "message": f"{'.'.join(str(at) for at in found['loc'])}: {found['msg']}",
                "file": None,
                "line": None,
            }
            for found in error.errors()
        ]
        told = "; ".join(str(each["message"]) for each in problems[:3])
        return problem(422, "request_invalid", f"The request is not valid: {told}.", problems=problems)

    @routes.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Response:
        code = {404: "route_not_found", 405: "method_not_allowed", 413: "too_large"}.get(
            error.status_code, "http"
        )
        words = {404: f"There is nothing at {request.url.path}.", 405: _NO_METHOD}
        detail = words.get(error.status_code, str(error.detail))
        return problem(error.status_code, code, f"{detail} See /v1/openapi.json.", error.headers)

    @routes.exception_handler(Exception)
    def _unexpected(_: Request, error: Exception) -> Response:
        _log.error("A request failed.", exc_info=error)
        return problem(
            500, "internal", f"This is an error in Anabranch itself ({type(error).__name__}). See its log."
        )
