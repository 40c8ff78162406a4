"""Makes the generated part of docs/events.md."""

import importlib
import inspect
from types import ModuleType

from pydantic import BaseModel

from docs.source import aliases, summary
from docs.tables import as_code, field_row, table_of
from events.catalog.event_types import CATALOG, EVENT_TYPES
from events.declarations import (
    ByField,
    Copied,
    InFork,
    Makes,
    NamesContents,
    NamesFiles,
    Refers,
    RemovesContents,
    declared,
)
from events.event import ChatEvent, Event

__all__ = ["event_modules", "events"]


def event_modules() -> list[ModuleType]:
    """Return the modules of the event catalog, in the order in which the page lists them."""
    return list(CATALOG.values())


def events() -> str:
    """Return every event with its stream, type, version and fields, and then the values inside events."""
    parts = []
    for heading, module in CATALOG.items():
        parts.append(f"## {heading}\n\n{summary(module)}")
        own = [event for event in EVENT_TYPES.values() if event.__module__ == module.__name__]
        parts += [_event(event) for event in own]
    return "\n\n".join([*parts, _values()])


def _event(event: type[Event]) -> str:
    head = f"### {event.model_fields['type'].default}\n\n{summary(event)} Version {event.schema_version}."
    if issubclass(event, ChatEvent):
        head += f"\n\n{_in_chats(event)}"
    rows = [field_row(event, name) for name in event.model_fields if name != "type"]
    return f"{head}\n\n" + (table_of(("field", "type", "default", "meaning"), rows) if rows else "No fields.")


def _in_chats(event: type[ChatEvent]) -> str:
    """Return an event's declarations: its lane in the history, how forks treat it, and what its ids refer to."""
    says = event.history.says
    told = [*says.sentences.values(), says.otherwise] if isinstance(says, ByField) else [says]
    quoted = ", ".join(f"“{sentence}”" for sentence in told if sentence)
    lane = f"The history shows it in the lane *{event.history.lane}*"
    lines = [f"{lane}, as {quoted}" if quoted else f"{lane}."]
    fork = event.fork
    if isinstance(fork, Copied):
        always = "" if fork.along else "always "
        along = f" together with the item that `{fork.along}` names" if fork.along else ""
        end = f", if its branch continues after `{fork.before_end}`" if fork.before_end else ""
        lines.append(f"Forks {always}copy it{along}{end}.")
    else:
        lines.append(f"Forks do not copy it: {fork.why}.")
    lines += [
        f"`{name}` is the id of a new {_in_words(one.kind)}." for name, one in declared(event, Makes).items()
    ]
    for name, one in declared(event, Refers).items():
        lines.append(f"`{name}` refers to {_named(one)}.")
    for name, sets in declared(event, InFork).items():
        value = f"the same as `{sets.same_as}`" if sets.same_as else f"`{_said(sets.value)}`"
        lines.append(f"In a fork, `{name}` is {value}.")
    for kind, what in (
        (NamesFiles, "refers to contents of files"),
        (NamesContents, "contains a value that refers to contents"),
        (RemovesContents, "lists removed contents"),
    ):
        lines += [f"`{name}` {what}." for name in declared(event, kind)]
    return " ".join(lines)


def _said(value: object) -> str:
    return "null" if value is None else str(value).lower()


def _in_words(kind: str) -> str:
    return {"queued": "queued question", "rerun": "re-run"}.get(kind, kind)


def _named(one: Refers) -> str:
    article = "an existing" if one.earlier else "a"
    kind = "an item of any kind" if one.kind == "any" else f"{article} {_in_words(one.kind)}"
    lacks = "in a fork that does not contain it"
    fork = {"renamed": "", "cleared": f"; null {lacks}", "kept": f"; kept even {lacks}"}
    instead = f"; {lacks}, the same as `{one.instead}`" if one.instead else ""
    return f"{kind}{fork[one.not_copied]}{instead}"


def _values() -> str:
    modules = [importlib.import_module(name) for name in ("events.event", "events.catalog.parts")]
    modules += event_modules()
    parts = ["## Values inside events"]
    for module in modules:
        for name in sorted(module.__all__):
            value = getattr(module, name)
            is_model = (
                inspect.isclass(value) and issubclass(value, BaseModel) and not issubclass(value, Event)
            )
            if not is_model or value.__module__ != module.__name__ or not value.model_fields:
                continue
            rows = [field_row(value, field) for field in value.model_fields]
            parts.append(
                f"### {name}\n\n{summary(value)}\n\n{table_of(('field', 'type', 'default', 'meaning'), rows)}"
            )
    named = [found for module in modules for found in aliases(module)]
    parts.append(
        "### Names of types\n\n"
        + table_of(("name", "type", "meaning"), [(f"`{n}`", as_code(t), doc) for n, t, doc in named])
    )
    return "\n\n".join(parts)
