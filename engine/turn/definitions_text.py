"""The user's definitions in the system text."""

from collections.abc import Sequence

from events.catalog.definition import DefinitionSet

__all__ = ["definitions_text"]

_HEAD = "The user's definitions, which hold for every answer:"
_MOST = 16_000
"""Characters of all of them."""
_TERM, _MEANING = 80, 500
"""Characters of a term and of a meaning: those of an imported chat may be longer."""


def definitions_text(definitions: Sequence[DefinitionSet]) -> tuple[str, tuple[DefinitionSet, ...]]:
    """Return the text, empty without definitions, and the definitions in it.

    If there are too many for one request, the newest are left out, so that the text keeps its beginning.
    """
    lines: list[str] = []
    told: list[DefinitionSet] = []
    room = _MOST
    for one in definitions:
        line = f"- {_short(one.term, _TERM)}: {_short(one.meaning, _MEANING)}"
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
        told.append(one)
    left = len(definitions) - len(told)
    if left:
        lines.append(f"({left} more did not fit. If a word is unclear, ask the user what it means.)")
    return ("\n".join([_HEAD, *lines]) if lines else ""), tuple(told)


def _short(text: str, longest: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
