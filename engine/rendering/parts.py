"""Makes the plan of a result with several parts, and handles the settings that all renderers have: a name and notes.
Pure.
"""

from collections.abc import Callable, Mapping

from engine.rendering.plans import ErrorPlan, PartsPlan, RenderPlan
from engine.rendering.renderer import RenderContext, Renderer
from engine.rendering.renderer_values import words
from engine.rendering.rows import CannotShow
from events.json_value import JSON, JSONObject

__all__ = ["PARTS", "named"]


def _make_part(item: JSON, make: Callable[[str, JSONObject], RenderPlan]) -> RenderPlan:
    """Return the plan of one part. A part is an object with the key `renderer` and the keys of that renderer's
    configuration.

    A part that cannot be shown becomes an error, so that the other parts are still shown.
    """
    values = item if isinstance(item, dict) else {}
    renderer, title = values.get("renderer"), values.get("title")
    wanted = renderer if isinstance(renderer, str) else "part"
    try:
        plan = named(make(wanted, values), values)
        if isinstance(plan, PartsPlan):
            raise CannotShow("parts cannot contain parts; list them side by side")
    except CannotShow as error:
        problem = error
    except KeyError:
        problem = CannotShow(f"the renderer {wanted} is not known to this release")
    except Exception as error:
        problem = CannotShow(f"the result does not fit: {type(error).__name__}")
    else:
        return plan
    return ErrorPlan(
        title=title if isinstance(title, str) else None,
        wanted=wanted,
        message=problem.message,
        keys=problem.keys,
    )


def _parts(values: JSONObject, around: RenderContext) -> RenderPlan:
    """Shows several results of one call, each with the renderer that it names."""
    listed = values.get("parts")
    if listed is not None and not isinstance(listed, list):
        raise CannotShow("parts must be a list of objects, each with a renderer and its configuration")
    return PartsPlan(
        title=words(values, "title"),
        code=words(values, "code"),
        language=words(values, "language") or "python",
        output=words(values, "output") or None,
        parts=tuple(_make_part(item, around.make) for item in listed or ()),
    )


PARTS = Renderer(
    name="parts",
    title="Several parts",
    results_as="as several parts",
    plan=PartsPlan,
    make=_parts,
    keys=frozenset({"code", "language", "output", "parts"}),
    needs=("parts", "output", "code"),
)


def named(plan: RenderPlan, values: Mapping[str, JSON]) -> RenderPlan:
    """Return the plan with the name and the notes in `values`."""
    name, notes = values.get("name"), values.get("notes")
    sentences = [notes] if isinstance(notes, str) else notes if isinstance(notes, list) else []
    found = {
        "name": name if isinstance(name, str) and name else plan.name,
        "notes": tuple(note for note in sentences if isinstance(note, str) and note) or plan.notes,
    }
    return plan.model_copy(update=found)
