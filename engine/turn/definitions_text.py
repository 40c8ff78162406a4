"""The user's definitions in the system text."""

from collections.abc import Sequence

from events.catalog.definition import DefinitionSet

__all__ = ["definitions_text"]

_HEAD = "The user's definitions, which apply to every answer:"
_MOST = 16_000
"""The maximum number of characters of all definitions together."""
_TERM, _MEANING = 80, 500
"""The maximum number of characters of a term and of a meaning. An imported chat may contain longer ones."""


def definitions_text(definitions: Sequence[DefinitionSet]) -> tuple[str, tuple[DefinitionSet, ...]]:
    """Return the list of the user's definitions as text for the model, and the definitions that fit; the text is empty
    if there are none.

    If there are too many definitions, the newest are left out, so that the beginning of the text does not change.
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
