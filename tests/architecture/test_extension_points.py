"""Every event, renderer and dialect has all its declarations; a failing test names what is missing."""

import re
from collections.abc import Iterator
from string import Formatter
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from engine.deciders.import_validation import unsound
from engine.models.call_ids import CallIds
from engine.models.dialect import Dialect, Place, Provider, base_of
from engine.models.messages import Message, TextPart, ToolRequest
from engine.models.model import ModelRequest
from engine.models.providers import PROVIDERS
from engine.rendering.plan import plan_from_json
from engine.rendering.plans import ErrorPlan
from engine.rendering.renderer import Found
from engine.rendering.renderers import RENDERERS
from engine.views.event_descriptions import lane_of, what_happened
from events.catalog.chat import ChatCreated
from events.catalog.event_types import CATALOG, EVENT_TYPES
from events.declarations import (
    LANES,
    ByField,
    Content,
    Copied,
    Dropped,
    Makes,
    Refers,
    RemovesContents,
    declared,
    inner,
)
from events.event import ChatEvent, Event
from tests.architecture.modules import ROOT
from tests.golden.samples import full, least
from ui.widgets.render_plan import CARDS

CHAT_EVENTS = {name: event for name, event in EVENT_TYPES.items() if issubclass(event, ChatEvent)}
ELSEWHERE = {
    "tool_id": "a tool's name",
    "provider_call_id": "given by a provider",
    "origin_chat_id": "another chat",
    "origin_message_id": "a message of another chat",
    "from_chat_id": "another chat",
}
"""Fields with ids of things that no event of the same chat makes."""


def classes(event: type[BaseModel]) -> set[type[BaseModel]]:
    """An event, and the values that it can contain."""
    found, waiting = {event}, [event]
    while waiting:
        for models in inner(waiting.pop()).values():
            waiting += models - found
            found |= models
    return found


def holds_text(annotation: Any) -> bool:
    """Whether a field contains exactly one text."""
    return annotation is str or str in get_args(annotation)


def fields() -> Iterator[tuple[str, type[BaseModel], str, Any]]:
    """The fields of chat events and of values in them: readable name, class, field name, and type."""
    seen: set[type[BaseModel]] = set()
    for event in CHAT_EVENTS.values():
        for cls in classes(event) - seen:
            seen.add(cls)
            for name, field in cls.model_fields.items():
                yield f"{cls.__name__}.{name}", cls, name, field.annotation


def samples(event: type[Event]) -> list[Event]:
    """An event with all its fields, and one with only the required ones."""
    goldens = [full(event), least(event)]
    nothing = {name: None for name, field in event.model_fields.items() if field.is_required()}
    return [event.model_validate({**nothing, **g["payload"], **g["ids"], "type": g["type"]}) for g in goldens]


def test_every_event_in_a_chat_stream_is_a_chat_event() -> None:
    """Otherwise a fork would drop it, an import reject it, and the history have no lane for it."""
    others = [
        name
        for module in CATALOG.values()
        if "chat-<id>" in str(module.__doc__) or "the chat's own" in str(module.__doc__)
        for name, event in EVENT_TYPES.items()
        if event.__module__ == module.__name__ and not issubclass(event, ChatEvent)
    ]
    assert others == []


def test_an_event_without_a_declaration_is_rejected_by_name() -> None:
    """When its module is imported, not when a user opens the history."""
    with pytest.raises(TypeError, match="The event Forgetful does not declare its history and fork"):

        class Forgetful(ChatEvent):
            type: Literal["Forgetful"] = "Forgetful"


def test_every_id_declares_what_it_identifies() -> None:
    """A field with an id creates something, or refers to something that an event creates."""
    silent = [
        title
        for title, cls, name, annotation in fields()
        if (name.endswith("_id") or name == "replaces") and holds_text(annotation)
        if name not in ELSEWHERE and name not in declared(cls, Makes) and name not in declared(cls, Refers)
    ]
    assert silent == []
    made = {one.kind for _, cls, _, _ in fields() for one in declared(cls, Makes).values()} | {"any"}
    unmade = [
        title
        for title, cls, name, _ in fields()
        if name in declared(cls, Refers) and declared(cls, Refers)[name].kind not in made
    ]
    assert unmade == []


def test_every_field_that_a_declaration_names_exists() -> None:
    """Otherwise a typo in a declaration would only show when a chat is forked."""
    wrong = []
    for title, cls, name, _ in fields():
        refers, makes = declared(cls, Refers).get(name), declared(cls, Makes).get(name)
        named = [refers.instead if refers else "", makes.version if makes else ""]
        wrong += [f"{title}: {other}" for other in named if other and other not in cls.model_fields]
    for name, event in CHAT_EVENTS.items():
        if isinstance(event.fork, Copied):
            ids = {**declared(event, Makes), **declared(event, Refers)}
            wrong += [f"{name}: {f}" for f in (event.fork.along, event.fork.before_end) if f and f not in ids]
    assert wrong == []


def test_every_hash_is_declared_as_the_hash_of_content() -> None:
    """SQL finds contents by the name `sha256`, Python by the declaration; both must agree."""
    hashes = {title for title, _, name, _ in fields() if name == "sha256"}
    contents = {title for title, cls, name, _ in fields() if name in declared(cls, Content)}
    assert hashes == contents
    lists = {title for title, _, name, _ in fields() if name == "contents"}
    assert lists == {title for title, cls, name, _ in fields() if name in declared(cls, RemovesContents)}


@pytest.mark.parametrize("name", CHAT_EVENTS)
def test_a_fork_copies_an_event_or_has_a_reason_to_omit_it(name: str) -> None:
    """Every chat event has one or the other."""
    fork = CHAT_EVENTS[name].fork
    assert isinstance(fork, Copied) or (isinstance(fork, Dropped) and fork.why)


@pytest.mark.parametrize("name", CHAT_EVENTS)
def test_an_import_checks_what_an_event_refers_to(name: str) -> None:
    """An event that must refer to something is rejected without it; none is called foreign to a chat."""
    event = CHAT_EVENTS[name]
    if event.begins:
        return
    for sample in samples(event):
        wrong = str(unsound([ChatCreated(), sample], set()))
        required = [f for f, one in declared(event, Refers).items() if one.earlier and getattr(sample, f)]
        assert "does not belong to a chat" not in wrong
        assert ("refers to something that did not exist" in wrong) >= bool(required)


@pytest.mark.parametrize("name", CHAT_EVENTS)
def test_the_history_has_a_lane_and_a_sentence_for_an_event(name: str) -> None:
    """For a complete event as well as for a bare one."""
    event = CHAT_EVENTS[name]
    assert lane_of(name) in LANES
    for sample in samples(event):
        assert re.fullmatch(r"[A-Z].+\.", what_happened(sample), re.S)
    says = event.history.says
    if isinstance(says, ByField):
        values = event.model_fields[says.name].annotation
        assert get_origin(values) is Literal
        assert says.otherwise or set(get_args(values)) == set(says.sentences)
    told = [*says.sentences.values(), says.otherwise] if isinstance(says, ByField) else [says]
    used = {field for sentence in told for _, field, _, _ in Formatter().parse(sentence) if field}
    assert used <= set(event.model_fields)


@pytest.mark.parametrize("name", CHAT_EVENTS)
def test_the_page_of_events_shows_the_declarations_of_an_event(name: str) -> None:
    """Its lane, and what a fork does with it."""
    section = (ROOT / "docs" / "events.md").read_text().split(f"### {name}\n")[1].split("\n#")[0]
    assert f"The history shows it in the lane *{CHAT_EVENTS[name].history.lane}*" in section
    assert any(said in section for said in ("Forks copy it", "Forks always copy it", "Forks do not copy it"))


@pytest.mark.parametrize("name", RENDERERS)
def test_a_renderer_has_all_its_parts(name: str) -> None:
    """A renderer has a name for menus, a render plan or its own texts, a card, and a section in the docs."""
    renderer = RENDERERS[name]
    assert renderer.title
    assert renderer.results_as.startswith("as ")
    assert set(renderer.needs) <= renderer.keys
    assert (renderer.plan or renderer.make).__doc__
    assert f"## {name}\n" in (ROOT / "docs" / "renderers.md").read_text()
    if renderer.plan is not None:
        assert renderer.plan.model_fields["renderer"].default == name
        assert name in CARDS
        assert "not known to this release" in str(plan_from_json({"renderer": name, "title": 1}))
    found = renderer.fitting(Found("$return.file", "a.csv", "$return.rows", text="$return.text"))
    assert found is None or found.keys() <= renderer.keys


def test_every_card_belongs_to_a_renderer() -> None:
    """Or is the card for results that cannot be shown."""
    made = {renderer.plan for renderer in RENDERERS.values() if renderer.plan} | {ErrorPlan}
    assert set(CARDS) == {plan.model_fields["renderer"].default for plan in made}


SPOKEN: dict[type[Dialect], Provider] = {type(p.dialect): p for p in reversed(PROVIDERS.values())}


@pytest.mark.parametrize("dialect", SPOKEN, ids=lambda dialect: dialect.__doc__)
def test_a_dialect_has_all_its_parts(dialect: type[Dialect]) -> None:
    """It has an address, takes ids, writes a body, reads replies and errors, and is in the docs."""
    provider = SPOKEN[dialect]
    own, base = provider.dialect, base_of(provider, None)
    place = Place(provider, base, "a-model", "key")
    assert own.endpoint(base, "a-model").startswith(base)
    assert own.list_endpoint(base).startswith(base)
    assert own.models({"nothing": "here"}) is None
    request = ModelRequest(
        "a-model",
        "Be brief.",
        (Message("a-message", "user", (TextPart(text="Hello"),)),),
        (),
        parameters=own.parameters(provider, "a-model"),
    )
    assert b"Hello" in own.body(request, place) == own.body(request, place)
    wire_id = CallIds(provider.ids).of(ToolRequest("an id of ours", "query", {}, "no/id: ü"))
    assert provider.ids.fits.fullmatch(wire_id)
    reader = own.reader(place)
    assert list(reader.finish()) == []
    assert reader.ending.reason == "error"
    assert isinstance(own.error({"error": {"message": "No."}}), dict)
    assert f"`{provider.id}`" in (ROOT / "docs" / "extending.md").read_text()
    assert str(dialect.__doc__).splitlines()[0] in (ROOT / "docs" / "extending.md").read_text()
