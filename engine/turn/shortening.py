"""Shortens values that are quoted to a model."""

__all__ = ["shortened"]


def shortened(value: str, longest: int) -> str:
    """Return a value on one line, cut to `longest` characters with `…` at its end if it has more."""
    flat = " ".join(value.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
