"""Makes text safe for the log and the screen."""

__all__ = ["scrub_surrogates"]


def scrub_surrogates(text: str) -> str:
    """Return `text` with each lone surrogate replaced by U+FFFD; other text is returned unchanged."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
