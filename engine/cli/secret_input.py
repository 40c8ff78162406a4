"""Reads secrets from a hidden prompt or from standard input, never from command-line arguments."""

from collections.abc import Sequence

from engine.cli.cli_context import ask, is_interactive
from engine.errors import Refused

__all__ = ["read_secrets"]


def read_secrets(names: Sequence[str]) -> dict[str, str | None]:
    """At a terminal, ask for each secret. Otherwise read a line of standard input for each; a single secret gets all of
    it.

    Raises: Refused: standard input ends before each secret has a value (`secret_missing`).
    """
    if not names:
        return {}
    if is_interactive():
        return {name: ask("secret", name) for name in names}
    given = ask("stdin")
    values = [given] if len(names) == 1 else given.splitlines()
    if len(values) < len(names) or not all(value.strip() for value in values[: len(names)]):
        raise Refused(
            "secret_missing",
            f"Standard input contained no value for {names[min(len(values), len(names)) - 1]}. "
            "Send only the values, one line for each --secret.",
        )
    return dict(zip(names, values, strict=False))
