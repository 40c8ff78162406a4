"""The sources as tools use them: their names, their tables, and a call's access to them."""

from collections.abc import Mapping

from engine.chats.sources import SourceBook
from engine.deciders.sources import Source
from engine.errors import NotFound, Unavailable
from engine.tools.sources.access import Access, access_to
from engine.tools.sources.catalog import ListedTables, SourceCatalog
from engine.tools.sources.probe import Look, SourceProbe
from engine.tools.sources.profiles import profile_of
from engine.workspace.table_facts import TableProfile
from events.catalog.source import SourceTested
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Sources"]


@dataclass(frozen=True, slots=True)
class Sources:
    """All sources. Thread-safe."""

    book: SourceBook
    probe: SourceProbe
    catalog: SourceCatalog

    def all(self) -> Mapping[str, Source]:
        """Return the sources by name."""
        return self.book.all()

    def listed(self) -> dict[str, tuple[Source, ListedTables]]:
        """Return the sources with their last known tables; makes no connection."""
        return {name: (source, self.catalog.listed(source)) for name, source in self.all().items()}

    def look(self, source: Source) -> Look:
        """Connect to a source, store the list of its tables, and record whether that worked."""
        look = self.probe.look(source)
        if look.kind is not None:
            message = (look.message or "")[:2_000]
            self.book.tested(source.name, SourceTested(connected=False, kind=look.kind, message=message))
            return look
        listed = self.catalog.keep(source, look.tables, look.left_out)
        counts = {"tables": len(listed.tables) + listed.left_out, "schemas": len(listed.schemas())}
        self.book.tested(source.name, SourceTested(connected=True, server=look.server, **counts))
        return look

    def tables(self, source: Source) -> ListedTables:
        """Return the tables of a source; if they were never read, read them now.

        Raises:
            Unavailable: the source does not answer.
        """
        listed = self.catalog.listed(source)
        if listed.read_at is not None:
            return listed
        look = self.look(source)
        if look.kind is not None:
            raise Unavailable("source_unavailable", f"{source.name} does not answer: {look.message}")
        return self.catalog.listed(source)

    def profiles(self) -> tuple[TableProfile, ...]:
        """Return the profiles of tables about which questions can be typed, ordered by source and name; makes no
        connection.
        """
        return tuple(one for _, listed in self.listed().values() for one in listed.profiles)

    def profile(self, source: Source, full_name: str) -> TableProfile:
        """Read the first rows of a table once, and cache their profile with the time.

        Raises:
            NotFound: the source lists no such table.
            Unavailable: the source does not answer.
        """
        table = next((one for one in self.tables(source).tables if one.full_name == full_name), None)
        if table is None:
            raise NotFound(
                "source_table_not_found",
                f"{source.name} has no table {full_name}. `anabranch source tables {source.name}` lists its tables.",
            )
        found = self.probe.profile(source, table.schema, table.name)
        problem = found.get("problem")
        if problem is not None or "unread" in found:
            why = problem["message"] if problem else found["unread"]
            raise Unavailable("source_unavailable", f"{full_name} could not be read at {source.name}: {why}")
        profile = profile_of(source, table, found, self.catalog.now())
        self.catalog.keep_profile(source, profile)
        return profile

    def access(self, source: Source, call_id: str) -> Access:
        """Return a call's access to a source."""
        schemas = self.catalog.listed(source).schemas()
        known: dict[str, JSON] = {name: [t.name for t in tables] for name, tables in schemas.items()}
        return access_to(self.book, source, call_id, known)

    def forget(self, name: str) -> None:
        """Remove the cached data of a removed source."""
        self.catalog.forget(name)
