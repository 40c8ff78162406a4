"""The lists at `@` and `/` in the question, filled from the chat's data and its tools."""

from collections.abc import Mapping, Sequence

from engine.views.mentions import commands, mention_document, mentions
from events.canonical import JSONObject
from ui.components.mentions.component import mention_lists
from ui.current_app import app
from ui.owner_cache import OwnerCache

__all__ = ["name_lists"]

_names = OwnerCache[list[JSONObject]](8)


def name_lists(chat_id: str | None, selection: Mapping[str, Sequence[str]]) -> None:
    """Draw them. Nothing is read for them: tables that were not read yet are listed as files."""
    engine = app()
    offered = commands(engine.tools(), selection if engine.settings.tools_on else {})
    names = _names_of(chat_id) if chat_id is not None else _names_of_sources()
    mention_lists(names, [mention_document(one) for one in offered], key="mentions")


def _names_of(chat_id: str) -> list[JSONObject]:
    engine = app()
    view = engine.chat(chat_id)
    tables = engine.workspace.tables_known_last(chat_id)

    def made() -> list[JSONObject]:
        files = engine.workspace.files(chat_id)
        moments = [row["name"] for row in engine.read("moments", chat_id=chat_id)]
        return [mention_document(one) for one in mentions(tables, files, view, moments, sources)]

    sources = {name: listed.tables for name, (_, listed) in engine.sources.listed().items()}
    stamp = tuple((name, listed.read_at) for name, (_, listed) in engine.sources.listed().items())
    return _names.get(engine, (chat_id, engine.version(chat_id), view.leaf, len(tables), stamp), made)


def _names_of_sources() -> list[JSONObject]:
    sources = {name: listed.tables for name, (_, listed) in app().sources.listed().items()}
    return [mention_document(one) for one in mentions((), (), None, (), sources)]
