"""Decides how to show a call: configuration + call + files → `RenderPlan`, once, right after the call.

Errors here are caused by a bundle's author or a tool, so they become an `ErrorPlan`, never an exception: the call
succeeded, and its result can always be shown as JSON.
"""

from collections.abc import Iterable, Mapping

from engine.rendering.interpolate import Scope, Unresolved, interpolate
from engine.rendering.parts import named
from engine.rendering.plans import ErrorPlan, JsonPlan, PartsPlan, RenderPlan, plan_to_json
from engine.rendering.renderer import RenderContext
from engine.rendering.renderers import RENDERERS
from engine.rendering.rows import CannotShow
from engine.workspace.manifest import FileEntry, Files
from events.canonical import canonical_json
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = [
    "USERS_OWN",
    "CallFacts",
    "RenderConfig",
    "choose",
    "make_plan",
    "plan_from_json",
    "plan_to_json",
]

USERS_OWN = 100
"""The priority of the user's choice; a manifest's priorities are at most 99."""


@dataclass(frozen=True, slots=True)
class RenderConfig:
    """The configuration for showing a tool's results."""

    renderer: str
    config: Mapping[str, JSON]
    priority: int = 0
    """The configuration with the highest priority wins: 0 for a manifest's, 100 for the user's."""


@dataclass(frozen=True, slots=True)
class CallFacts:
    """The facts about a call that a plan may use."""

    args: JSON
    result: JSON
    """The value that the tool returned; None if it returned nothing (the plan is then JSON)."""
    chat_id: str


def choose(configs: Iterable[RenderConfig]) -> RenderConfig | None:
    """Return the configuration with the highest priority; if several have it, the last one."""
    return max(reversed(list(configs)), key=lambda config: config.priority, default=None)


def make_plan(
    config: RenderConfig | None, call: CallFacts, files: Files, artifacts: Mapping[str, FileEntry]
) -> RenderPlan:
    """Return the render plan of a finished call.

    `files` is the workspace after the call; `artifacts` contains the bundle's files by their path in the bundle.
    """
    if config is None or call.result is None:
        return JsonPlan()
    if config.renderer not in RENDERERS:
        return JsonPlan(note=f"the renderer {config.renderer} is not known to this release")
    try:
        values = interpolate(dict(config.config), Scope(call.args, call.result, call.chat_id))
        if isinstance(values, Unresolved):
            raise CannotShow(values.message, values.expression, values.keys)
        assert isinstance(values, dict)

        def make(name: str, own: JSONObject) -> RenderPlan:
            return RENDERERS[name].make(own, around)

        around = RenderContext(files, artifacts, make)
        plan = named(make(config.renderer, values), values)
        canonical_json(plan_to_json(plan))
        if isinstance(plan, JsonPlan) and plan.value == call.result:
            return plan.model_copy(update={"source": "result", "value": None})
    except CannotShow as error:
        return ErrorPlan(
            wanted=config.renderer, message=error.message, expression=error.expression, keys=error.keys
        )
    except Exception as error:
        return ErrorPlan(wanted=config.renderer, message=f"the result does not fit: {type(error).__name__}")
    return plan


_PLANS = {name: renderer.plan for name, renderer in RENDERERS.items() if renderer.plan} | {"error": ErrorPlan}


def plan_from_json(value: JSON) -> RenderPlan:
    """Return the plan that `plan_to_json` wrote; if this release does not know it, a plan that shows the result as
    JSON."""
    try:
        return _read(value)
    except (ValueError, TypeError, KeyError, RecursionError):
        wanted = value.get("renderer") if isinstance(value, dict) else None
        known = f"the renderer {wanted}" if isinstance(wanted, str) else "this plan"
        return JsonPlan(note=f"{known} is not known to this release")


def _read(value: JSON) -> RenderPlan:
    if not isinstance(value, dict) or not isinstance(value["renderer"], str):
        raise TypeError("a plan must be an object that names its renderer")
    kind = _PLANS[value["renderer"]]
    if not issubclass(kind, PartsPlan):
        return kind.model_validate(value)
    listed = value.get("parts", [])
    if not isinstance(listed, list):
        raise TypeError("parts must be a list")
    parts = tuple(_read(part) for part in listed)
    if any(isinstance(part, PartsPlan) for part in parts):
        raise ValueError("parts cannot contain parts")
    return kind.model_validate({**value, "parts": parts})
