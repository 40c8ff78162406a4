"""Rules for a renderer's configuration, whether it comes from a manifest or from the user."""

from collections.abc import Container, Iterator, Mapping

from engine.rendering.renderers import RENDERERS
from engine.system.input_limits import nearest
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["RendererFault", "renderer_faults"]


@dataclass(frozen=True, slots=True)
class RendererFault:
    """One broken rule. Its sentence continues after the name of the place where the rule is broken."""

    code: str
    message: str
    key: str | None = None
    """The key of the configuration that has the fault."""


def renderer_faults(
    name: str, config: Mapping[str, JSON] | None, files: Container[str]
) -> Iterator[RendererFault]:
    """Yield every fault; `files` contains the paths of the bundle, and a `config` of None is not checked."""
    if name not in RENDERERS:
        near = nearest(name, RENDERERS, 1)
        hint = f"did you mean {near[0]}?" if near else f"the renderers are {', '.join(RENDERERS)}"
        yield RendererFault(
            "renderer_unknown",
            f"there is no renderer {name}, so results are shown as JSON; {hint}",
        )
        return
    if config is None:
        return
    known, needed = RENDERERS[name].all_keys, RENDERERS[name].needs
    for key in config.keys() - known:
        near = nearest(key, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(sorted(known))}"
        yield RendererFault("unknown_key", f"the renderer {name} has no key {key}; {hint}", key)
    if needed and not any(key in config for key in needed):
        yield RendererFault("renderer_config", f"the renderer {name} needs {' or '.join(needed)}")
    artifact = config.get("artifact")
    if isinstance(artifact, str) and "$" not in artifact.removeprefix("$toolset/"):
        path = artifact.removeprefix("$toolset/").removeprefix("./")
        if path not in files and f"artifacts/{path}" not in files:
            yield RendererFault(
                "artifact_missing",
                f"the artifact {artifact} is not in the bundle; add the file or correct the path",
                "artifact",
            )
