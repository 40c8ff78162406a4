"""One part of a result that has several, and what every renderer takes: a name and notes. Pure."""

from collections.abc import Callable, Mapping

from engine.rendering.plans import ErrorPlan, PartPlan, PartsPlan, RenderPlan
from engine.rendering.rows import CannotShow
from events.canonical import JSON, JSONObject

__all__ = ["make_part", "named"]


def make_part(item: JSON, make: Callable[[str, JSONObject], RenderPlan]) -> PartPlan:
    """Return the plan of one part, an object with `renderer` beside that renderer's configuration.

    A part that cannot be shown becomes an error, so that the others are shown all the same.
    """
    values = item if isinstance(item, dict) else {}
    renderer, title = values.get("renderer"), values.get("title")
    wanted = renderer if isinstance(renderer, str) else "part"
    try:
        plan = named(make(wanted, values), values)
        if isinstance(plan, PartsPlan):
            raise CannotShow("parts cannot hold parts; list them side by side")
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


def named(plan: RenderPlan, values: Mapping[str, JSON]) -> RenderPlan:
    """Return the plan with the name and the notes that `values` give it."""
    name, notes = values.get("name"), values.get("notes")
    sentences = [notes] if isinstance(notes, str) else notes if isinstance(notes, list) else []
    found = {
        "name": name if isinstance(name, str) and name else plan.name,
        "notes": tuple(note for note in sentences if isinstance(note, str) and note) or plan.notes,
    }
    return plan.model_copy(update=found)
