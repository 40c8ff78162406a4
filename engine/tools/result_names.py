"""The names that a model uses for the results of a call: tables, charts and files. Pure."""

from collections.abc import Iterator

from events.json_value import JSON

__all__ = ["call_name", "names_of"]

_NAMED = ("table", "chart", "name")
_SEVERAL = ("tables", "charts", "figures")


def call_name(number: int) -> str:
    """Return the name of a call from its place on the branch, counted from 1.

    In a fork, calls have the same places but other ids.
    """
    return f"call-{number}"


def names_of(result: JSON) -> tuple[str, ...]:
    """Return the distinct names in a recorded result, in their order; none if the result has no names."""
    return tuple(dict.fromkeys(_names(result)))


def _names(result: JSON) -> Iterator[str]:
    if not isinstance(result, dict):
        return
    for key in _NAMED:
        name = result.get(key)
        if isinstance(name, str) and name:
            yield name
    for key in _SEVERAL:
        listed = result.get(key)
        for item in listed if isinstance(listed, list) else ():
            if isinstance(item, str):
                yield item
            else:
                yield from _names(item)
