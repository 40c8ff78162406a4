"""Tables in Markdown, for the generated parts of the documentation."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from docs.source import fields_of

__all__ = ["as_code", "field_row", "table_of"]


def table_of(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, with a row of column names above `rows`."""
    lines = [list(head), ["---"] * len(head), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def as_code(text: str | None) -> str:
    """Return `text` as code; "" if there is none."""
    return f"`{text}`" if text else ""


def field_row(cls: type[BaseModel], name: str) -> tuple[str, str, str, str]:
    """Return the name, type, default and meaning of a field, for a row of a table."""
    source = next(field for field in fields_of(cls) if field.name == name)
    return f"`{name}`", as_code(source.annotation), as_code(source.default), source.doc
