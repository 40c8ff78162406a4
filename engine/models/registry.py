"""From a model's name to the model: the one place that knows which providers there are."""

from pathlib import Path

from engine.errors import Refused
from engine.models.model import Model
from engine.models.scripted import ScriptedModel, read_script

__all__ = ["model_title", "resolve"]


def resolve(name: str) -> Model:
    """Return the model that `name` means.

    Raises:
        Refused: no such provider is known to this release.
        NotFound, Invalid: a script that is not there, or is none.
    """
    provider, _, rest = name.partition(":")
    if provider == "offline":
        from engine.models.offline.analyst import OfflineModel  # noqa: PLC0415 - its lexicon loads when it is asked

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
