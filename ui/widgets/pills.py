"""The parts of a query form as pills: with menus, or read-only."""

from collections.abc import Sequence

from engine.views.query_form import FormChoice, FormPart
from ui.components.query_pills.component import Pill
from ui.words import escape

__all__ = ["adding_pill", "pill_of", "pills_html"]

_KINDS = {
    "table": ("Table", "From", "Find a table"),
    "measure": ("Measure", "Show", "Find a measure"),
    "columns": ("Columns", "Show", "Find a column"),
    "group": ("Group", "Group by", "Find a column"),
    "filter": ("Filter", "Where", "Find a column or a value"),
    "having": ("Condition on groups", "Only groups with", "Find a condition"),
    "order": ("Order", "Order", "Find an order"),
    "limit": ("Limit", "How many", "Find a number"),
    "window": ("Over time", "Over time", "Find a calculation"),
    "chart": ("Shown", "Show as", "Find a chart"),
    "add": ("Add a part", "Add", "Find a part"),
}
"""Kind → its name, the title of its menu, and the placeholder of the menu's search field."""
_REMOVES = frozenset({"Remove", "Do not group", "All rows", "Default order"})


def pill_of(part: FormPart, place: int, lead: str | None = None) -> Pill:
    """Return the pill of the part at `place`; `lead` replaces its connecting words."""
    name, title, find = _KINDS[part.kind]
    shown = part.lead if lead is None else lead
    add = part.kind == "add"
    said = " ".join(filter(None, (part.lead, part.text)))
    return Pill(
        id=f"{part.kind}-{place}",
        name=name if add else f"{name}: {said}",
        title=title,
        find=find,
        lead=shown,
        text="" if add else part.text,
        problem=part.problem,
        add=add,
        current="" if add or part.problem else part.text,
        remove=next((at for at, one in enumerate(part.choices) if one.text in _REMOVES), -1),
        choices=tuple((choice.text, choice.detail) for choice in part.choices),
    )


def adding_pill(word: str, kind: str, choices: Sequence[FormChoice], prefix: str = "") -> Pill:
    """Return a pill that adds a part, such as `+ Group`; `prefix` is removed from the texts of the choices."""
    _, title, find = _KINDS[kind]
    texts = tuple((choice.text.removeprefix(prefix), choice.detail) for choice in choices)
    return Pill(f"add-{kind}", f"Add: {word}", title, find, "", word, add=True, choices=texts)


def pills_html(parts: Sequence[FormPart]) -> str:
    """Return read-only pills as HTML."""
    pills = [
        f'<span class="ab-pill{" gone" if part.problem else ""}" title="{escape(part.problem)}">'
        f"{f'<i>{escape(part.lead)}</i> ' if part.lead else ''}{escape(part.text)}</span>"
        for part in parts
        if part.kind != "add"
    ]
    return f'<span class="ab-pills">{"".join(pills)}</span>'
