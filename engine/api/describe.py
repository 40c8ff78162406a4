"""Additions to the generated OpenAPI description: authentication, and the errors that routes can return."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from engine.api.commands import commands, described, queries
from engine.api.problem import PROBLEM
from engine.api.shapes import Problem

__all__ = ["describe"]

_ANY = {
    401: "The token is missing or wrong.",
    403: "The request comes from another origin, or this route does not accept the cookie.",
    404: "The request refers to something that does not exist.",
    421: "The request names another host.",
    422: "The request is not valid; `problems` lists the reasons.",
    503: "Something that the request needs is not available now.",
}
_CHANGES = {
    400: "The body cannot be understood.",
    409: "The request is refused.",
    413: "The body is too large.",
    415: "The body has the wrong content type.",
}


def describe(routes: FastAPI) -> None:
    """Add authentication and errors to the OpenAPI description of `routes`."""

    def openapi() -> dict[str, Any]:
        if routes.openapi_schema is None:
            schema = get_openapi(
                title=routes.title,
                version=routes.version,
                description=routes.description,
                routes=routes.routes,
                servers=[{"url": "/v1"}],
            )
            routes.openapi_schema = _completed(schema)
        return routes.openapi_schema

    routes.openapi = openapi  # type: ignore[method-assign]


def _completed(schema: dict[str, Any]) -> dict[str, Any]:
    components = schema.setdefault("components", {})
    shapes = components.setdefault("schemas", {})
    shapes["Problem"] = Problem.model_json_schema()
    shapes.pop("HTTPValidationError", None)
    shapes.pop("ValidationError", None)
    components["securitySchemes"] = {
        "token": {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of this installation: the file `service-token` in the configuration folder.",
        },
        "page": {
            "type": "apiKey",
            "in": "cookie",
            "name": "anabranch-8501",
            "description": "The page's own cookie; its name contains the port. It is accepted only from that origin.",
        },
    }
    told, definitions = described([*commands(), *queries()])
    for name, definition in definitions.items():
        shapes.setdefault(name, definition)
    for name, own in told.items():
        path = f"/commands/{name}"
        schema["paths"][path if path in schema["paths"] else f"/queries/{name}"]["post"] |= own
    for path, methods in schema["paths"].items():
        for method, route in methods.items():
            _complete(route, path, reads=method == "get")
    return schema


def _complete(route: dict[str, Any], path: str, *, reads: bool) -> None:
    if path == "/health":
        route["security"] = []
        errors = {421: _ANY[421], 403: _ANY[403], 503: _ANY[503]}
    else:
        own = path.split("/")[1] in ("commands", "queries")
        route["security"] = [{"token": []}] if own else [{"token": []}, {"page": []}]
        errors = _ANY if reads else _ANY | _CHANGES
    content = {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status, words in sorted(errors.items()):
        route["responses"][str(status)] = {"description": words, "content": content}
