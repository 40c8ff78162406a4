"""From a model's name to the model: the one place that knows which providers there are."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from engine.errors import Refused
from engine.models.model import Model
from engine.models.scripted import ScriptedModel, read_script

__all__ = ["Keys", "Models", "model_title"]

Keys: TypeAlias = Callable[[str], str | None]
"""From a provider's id to the user's key for it; None where there is none."""


class Models:
    """Resolves names of models with the user's keys."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def resolve(self, name: str, base_url: str | None = None) -> Model:
        """Return the model that `name` means, at `base_url` where that is given.

        Raises:
            Refused: no such provider is known to this release.
            NotFound, Invalid: a script that is not there, or is none.
        """
        provider, _, rest = name.partition(":")
        if provider == "offline":
            from engine.models.offline.analyst import (  # noqa: PLC0415 - its lexicon loads when it is asked
                OfflineModel,
            )

            return OfflineModel()
        if provider == "scripted" and rest:
            return ScriptedModel(read_script(Path(rest).expanduser()))
        raise Refused(
            "model_unknown",
            f"This release cannot use the model {name}. Choose `offline`, or `scripted:FILE` with a script of replies.",
        )


def model_title(name: str) -> str:
    """The name as people read it."""
    provider, _, rest = name.partition(":")
    if provider == "offline":
        return "Offline analyst"
    return f"Script {Path(rest).name}" if provider == "scripted" else rest or name
