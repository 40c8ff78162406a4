"""The tables that a query can use: the chat's tables, and source tables whose values were read for questions."""

from dataclasses import replace

from engine.views.workspace import TablesShown
from engine.workspace.table_facts import TableProfile
from ui.current_app import app, is_demo

__all__ = ["source_profiles", "with_sources"]


def source_profiles() -> tuple[TableProfile, ...]:
    """Return the source tables whose values were read; a demo has none."""
    return () if is_demo() else app().sources.profiles()


def with_sources(shown: TablesShown) -> TablesShown:
    """Return the tables of files together with the tables of sources."""
    return replace(shown, tables=(*shown.tables, *source_profiles()))
