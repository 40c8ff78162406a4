"""Searches the web for pages that answer a question."""

from datetime import date
from pathlib import Path
from typing import Any

from tools.exa import ask
from tools.pages import address, line, published

SECONDS = 30.0
PASSAGE = 600
"""The maximum number of characters of a page in a result."""


def run(
    workspace: Path,
    query: str,
    *,
    count: int = 8,
    since: str | None = None,
    until: str | None = None,
    domains: list[str] | None = None,
    without_domains: list[str] | None = None,
) -> dict[str, Any]:
    """Return the results, the best first; there may be none.

    Raises:
        ValueError: the query is blank, or a day is not valid.
        ExaError: there was no answer.
    """
    if not query.strip():
        raise ValueError("the query is blank; say what to look for")
    body: dict[str, Any] = {
        "query": query.strip(),
        "type": "auto",
        "numResults": count,
        "contents": {"text": {"maxCharacters": PASSAGE}},
    }
    if since:
        body["startPublishedDate"] = f"{_day(since, 'since')}T00:00:00.000Z"
    if until:
        body["endPublishedDate"] = f"{_day(until, 'until')}T23:59:59.999Z"
    if domains:
        body["includeDomains"] = domains
    if without_domains:
        body["excludeDomains"] = without_domains
    found = [item for item in ask("/search", body, SECONDS)["results"] if isinstance(item, dict)]
    results = [
        {
            "title": line(item.get("title")) or address(item.get("url")),
            "url": address(item.get("url")),
            "published": published(item.get("publishedDate")),
            "author": line(item.get("author")) or None,
            "passage": line(item.get("text"), PASSAGE),
        }
        for item in found[:count]
        if address(item.get("url"))
    ]
    told: dict[str, Any] = {"results": results, "count": len(results)}
    if not results:
        told["note"] = "Nothing was found. Ask in other words, or with fewer conditions."
    return told


def _day(text: str, name: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"{name} is {text}, which is not a date; write one such as 2024-03-31") from None
