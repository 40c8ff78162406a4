"""The lists at `@` and `/` in the question, filled from the chat's data and its tools."""

from collections.abc import Mapping, Sequence

from engine.config import sample_data
from engine.views.mentions import commands, mention_document, mentions
from events.canonical import JSONObject
from ui.components.mentions.component import mention_lists
from ui.current_app import app
from ui.owner_cache import OwnerCache

__all__ = ["name_lists"]

_names = OwnerCache[list[JSONObject]](8)


def name_lists(chat_id: str | None, selection: Mapping[str, Sequence[str]]) -> None:
    """Draw the lists. No file is read for them: tables that were not read yet are listed as files."""
    engine = app()
    offered = commands(engine.tools(), selection if engine.settings.tools_on else {})
    names = _names_of(chat_id) if chat_id is not None else _names_before_a_chat()
    mention_lists(names, [mention_document(one) for one in offered], key="mentions")


def _names_of(chat_id: str) -> list[JSONObject]:
    engine = app()
    view = engine.chat(chat_id)
    tables = engine.workspace.tables_known_last(chat_id)
    listed = engine.sources.listed()
    sources = {name: shown.tables for name, (_, shown) in listed.items()}
    stamp = tuple((name, shown.read_at) for name, (_, shown) in listed.items())

    def made() -> list[JSONObject]:
        files = engine.workspace.files(chat_id)
        moments = [row["name"] for row in engine.read("moments", chat_id=chat_id)]
        return [mention_document(one) for one in mentions(tables, files, view, moments, sources)]

    return _names.get(engine, (chat_id, engine.version(chat_id), view.leaf, len(tables), stamp), made)


def _names_before_a_chat() -> list[JSONObject]:
    """The names in the sample data, if it comes with the first question, and in sources.

    The first page of all does not wait until the sample data is read, and lists its files.
    """
    engine = app()
    with_sample = not engine.chats()
    listed = engine.sources.listed()
    sources = {name: shown.tables for name, (_, shown) in listed.items()}
    stamp = tuple((name, shown.read_at) for name, (_, shown) in listed.items())
    tables = engine.workspace.tables_known_in(sample_data()) if with_sample else ()
    files = [path.name for path in sorted(sample_data().iterdir())] if tables is None else ()

    def made() -> list[JSONObject]:
        return [mention_document(one) for one in mentions(tables or (), files, None, (), sources)]

    return _names.get(engine, (None, with_sample, tables is None, stamp), made)
