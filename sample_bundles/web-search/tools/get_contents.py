"""Fetches the text of web pages."""

from pathlib import Path
from typing import Any

from tools.exa import ExaError, ask
from tools.pages import address, line, published, text

SECONDS = 45.0
_WHY = {
    "CRAWL_NOT_FOUND": "there is no such page",
    "CRAWL_TIMEOUT": "it did not answer in time",
    "CRAWL_LIVECRAWL_TIMEOUT": "it did not answer in time",
    "SOURCE_NOT_AVAILABLE": "reading it is not allowed",
    "UNSUPPORTED_URL": "pages of this kind are not read",
}


def run(workspace: Path, urls: list[str], characters: int = 10_000) -> dict[str, Any]:
    """Return each page's text, the pages that could not be read and why, and all texts as one document.

    Raises:
        ExaError: there was no answer, or none of the pages could be read.
    """
    wanted = list(dict.fromkeys(url.strip() for url in urls))
    body = {"urls": wanted, "text": {"maxCharacters": characters}}
    answer = ask("/contents", body, SECONDS)
    pages = []
    for item in answer["results"][: len(wanted)]:
        if isinstance(item, dict) and address(item.get("url")):
            content, cut = text(item.get("text"), characters)
            pages.append(
                {
                    "url": address(item.get("url")),
                    "title": line(item.get("title")) or address(item.get("url")),
                    "published": published(item.get("publishedDate")),
                    "text": content,
                    "cut": cut or len(content) == characters,
                }
            )
    failed = _failed(answer.get("statuses"))
    if not pages:
        told = "; ".join(f"{entry['url']}: {entry['reason']}" for entry in failed) or "it sent no page"
        raise ExaError(f"Exa could read none of the pages: {told}.")
    return {"pages": pages, "failed": failed, "document": "\n\n---\n\n".join(map(_shown, pages))}


def _failed(statuses: Any) -> list[dict[str, str]]:
    found = []
    for entry in statuses if isinstance(statuses, list) else []:
        if isinstance(entry, dict) and entry.get("status") == "error":
            error = entry.get("error")
            tag = line(error.get("tag"), 60) if isinstance(error, dict) else ""
            found.append(
                {"url": line(entry.get("id")), "reason": _WHY.get(tag, tag or "it could not be read")}
            )
    return found


def _shown(page: dict[str, Any]) -> str:
    """Return a page as Markdown. Its text is indented as code, so that nothing in it is formatted or fetched."""
    body = "\n".join(f"    {row}" for row in page["text"].splitlines())
    cut = "\n\n(The page continues.)" if page["cut"] else ""
    title = page["title"].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("<", "&lt;")
    return f"## {title}\n\n    {page['url']}\n\n{body}{cut}"
