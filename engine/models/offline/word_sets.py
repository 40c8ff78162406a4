"""Sets of words, written as text."""

__all__ = ["words"]


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())
