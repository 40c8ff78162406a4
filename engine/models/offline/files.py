"""Finds the tables of files that a question mentions, and the reasons why a file has no table."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from engine.models.offline.joining import scopes
from engine.models.offline.schema import Table
from engine.models.offline.value_index import value_index
from engine.models.offline.words import name_words
from engine.workspace.table_facts import TableProfile

__all__ = ["RESULTS", "not_yet_read", "only_results", "tableless", "tables_asked", "tables_named"]

RESULTS = "results/"
"""The folder with the tables that calls made."""

_ENDINGS = "csv|tsv|tab|parquet|pq|jsonl|ndjson|json|xlsx|xlsm|xlsb|xls|ods"
_LIKE_A_FILE = re.compile(
    rf"(?<![\w./-])[\w-]+(?:[./][\w-]+)*\.(?:{_ENDINGS})(?:\.gz)?(?![\w-])", re.IGNORECASE
)
_OPEN, _CLOSE = r"[\"“‘'`]?", r"[\"”’'`]?"
_STANDS_FOR_IT = ("table", "dataset", "spreadsheet", "database", "file")
"""Words for a table. They add nothing to a question, unless they are in the name of a column."""


def _spans(question: str, named: Mapping[str, Collection[str]]) -> list[tuple[int, int, str]]:
    """Return the start, end and path of each file name in `question`; `named`: path → the names that can mean it."""
    found: list[tuple[int, int, str]] = []
    forms = [(form, path) for path, forms in named.items() for form in forms]
    for form, path in sorted(forms, key=lambda item: (-len(item[0]), item[1])):
        pattern = rf"(?<![\w./-]){_OPEN}{re.escape(form)}{_CLOSE}(?![\w/-]|\.\w)"
        for match in re.finditer(pattern, question, re.IGNORECASE):
            within = any(start <= match.start() and match.end() <= end for start, end, _ in found)
            same = any((start, end) == match.span() for start, end, _ in found)
            if same or not within:
                found.append((*match.span(), path))
    return found


def tables_named(question: str, profiles: Sequence[TableProfile]) -> tuple[str, Sequence[TableProfile]]:
    """Return the question with “the table” or similar words in place of each file or table name, and the profiles of
    those tables.

    If the question mentions no file or table, return all profiles and the question unchanged. A name without its
    extension counts only after a word such as `in`, `from` or `describe`, and only if no column and no value has that
    word.
    """
    tables = [table for table in scopes(tuple(profiles)) if not table.joins]
    spans = _spans(question, {profile.path: _forms_of(profile) for profile in profiles})
    if not spans:
        spans = [
            (*span, profile.path) for profile in profiles for span in _written_out(question, profile, tables)
        ]
    own = [profile for profile in profiles if profile.source is None]
    for some in (own, [profile for profile in profiles if profile.source is not None]):
        # a table in the chat's files takes precedence over a source's table of the same name
        spans = spans or [
            (*span, profile.path) for profile in some for span in _bare(question, profile, tables)
        ]
    if not spans:
        return question, profiles
    paths = {path for _, _, path in spans}
    word = next(
        (word for word in _STANDS_FOR_IT if not any(_means_more(word, table) for table in tables)), "table"
    )
    asked = question
    for start, end in sorted({(start, end) for start, end, _ in spans}, reverse=True):
        asked = f"{asked[:start]}the {word}{asked[end:]}"
    asked = re.sub(rf"\b(?:the )?(?:table|file|dataset) the {word}\b", f"the {word}", asked)
    return asked, [profile for profile in profiles if profile.path in paths]


def tables_asked(
    question: str, profiles: Sequence[TableProfile], before: Collection[str] = ()
) -> list[TableProfile]:
    """Return the tables in `profiles` that a question is about if it does not name a table exactly.

    These are the tables of the chat's files; if there are none except the results of earlier answers, the tables of
    sources. A source's table also counts if the question mentions it or its source, or if it is in `before`, the tables
    of the previous question.
    """
    own = [p for p in profiles if p.source is None and not p.path.startswith(RESULTS)]
    if not own:
        return [p for p in profiles if not p.path.startswith(RESULTS)] or list(profiles)
    tables = [table for table in scopes(tuple(own)) if not table.joins]
    called = {word for table in tables for word in table.nouns}

    def counts(profile: TableProfile) -> bool:
        return (
            profile.source is None
            or profile.name in before
            or any(
                re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w-])", question, re.IGNORECASE)
                and not set(name_words(name)) & called
                and not any(_means_more(name, table) for table in tables)
                for name in (
                    profile.source.name,
                    profile.source.table,
                    profile.source.table.replace("_", " "),
                )
            )
        )

    return [p for p in profiles if not p.path.startswith(RESULTS) and counts(p)]


def not_yet_read(
    question: str,
    sources: Mapping[str, Sequence[str]],
    profiles: Sequence[TableProfile],
    unread: Collection[str] = (),
) -> str | None:
    """Return the table of a source that a question mentions, as `source.table`, if it has not been read for questions
    yet.

    `sources` contains the names of each source's tables. Names of files and of tables that were read take precedence.
    """
    known = [form for profile in profiles for form in _forms_of(profile)]
    known += [form for path in unread for form in _forms(path)]
    listed = {
        form: f"{source}.{table}"
        for source, tables in sources.items()
        for table in tables
        for form in (f"{source}.{table}", f"{source}.{table.rpartition('.')[2]}")
    }
    names = {form.lower(): "" for form in known}
    names = {form.lower(): table for form, table in listed.items()} | names
    taken: list[tuple[int, int]] = []
    for form in sorted(names, key=len, reverse=True):
        for match in re.finditer(rf"(?<![\w./-]){re.escape(form)}(?![\w-])", question, re.IGNORECASE):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            if names[form]:
                return names[form]
            taken.append(match.span())
    return None


def _forms_of(profile: TableProfile) -> set[str]:
    """Return the names by which a question can mention a table: its path and the name of its file; for a table of a
    source, its path and `source.table`.
    """
    source = profile.source
    if source is not None:
        return {profile.path, f"{source.name}.{source.table}"}
    return _forms(profile.path)


def _forms(path: str) -> set[str]:
    return {path, PurePosixPath(path).name}


def only_results(question: str, profiles: Sequence[TableProfile]) -> bool:
    """Return whether all tables are results of earlier calls, and the question mentions none of them."""
    asked, _ = tables_named(question, profiles)
    return asked == question and all(profile.path.startswith(RESULTS) for profile in profiles)


def _written_out(question: str, profile: TableProfile, tables: Sequence[Table]) -> list[tuple[int, int]]:
    """Return the places where the table's name is written with its underscores; none if a column has the same name."""
    if "_" not in profile.name or profile.name.lower() not in question.lower():
        return []
    if any(column.name.lower() == profile.name.lower() for table in tables for column in table.columns):
        return []
    named = rf"(?<![\w./-]){_OPEN}{re.escape(profile.name)}{_CLOSE}(?![\w/-]|\.\w)"
    return [match.span() for match in re.finditer(named, question, re.IGNORECASE)]


def _bare(question: str, profile: TableProfile, tables: Sequence[Table]) -> list[tuple[int, int]]:
    stem = re.sub(rf"(?i)\.(?:{_ENDINGS})(?:\.gz)?$", "", PurePosixPath(profile.path).name)
    names = {profile.name.lower(), stem.lower()}
    if profile.source is not None:
        names |= {
            profile.source.table.lower(),
            f"{profile.source.schema_name}.{profile.source.table}".lower(),
        }
    names |= {re.sub(r"[\W_]+", " ", name).strip() for name in names}
    asked = question.lower()
    if not any(name in asked for name in names) or any(
        _means_more(n, table) for n in names for table in tables
    ):
        return []
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name)
    named = (
        r"\b(?:in|from|within|describe|table|file|dataset)\s+(?:the\s+)?(?:(?:table|file|dataset)\s+)?"
        rf"(?P<name>{_OPEN}(?:{either}){_CLOSE}(?:\s+(?:table|file|dataset)\b)?)(?![\w.-])"
    )
    return [match.span("name") for match in re.finditer(named, question, re.IGNORECASE)]


def _means_more(name: str, table: Table) -> bool:
    return any(
        word in value_index(table) or any(word in column.words for column in table.columns)
        for word in name_words(name)
    )


def tableless(question: str, tables: Sequence[TableProfile], unread: Mapping[str, str]) -> str | None:
    """Return the reason why a file that the question mentions contains no table or does not exist; else None."""
    named = [path for _, _, path in _spans(question, {path: _forms(path) for path in unread})]
    if named:
        return " ".join(
            f"`{path}` contains no table: {unread[path].rstrip('. ')}." for path in dict.fromkeys(named)
        )
    known = [
        (start, end) for start, end, _ in _spans(question, {table.path: _forms_of(table) for table in tables})
    ]
    for match in _LIKE_A_FILE.finditer(question):
        if not any(start <= match.start() and match.end() <= end for start, end in known):
            return f"There is no file `{match.group()}` in this chat."
    bare = [path for path in unread if _only_described(question, path)]
    return f"`{bare[0]}` contains no table: {unread[bare[0]].rstrip('. ')}." if len(bare) == 1 else None


def _only_described(question: str, path: str) -> bool:
    """Whether a question only asks what a file contains, and names the file without its extension: `describe fake`."""
    stem = re.escape(PurePosixPath(path).name.split(".")[0])
    asked = rf"\W*(?:describe|summari[sz]e|show|open|what is in|what's in)\s+(?:the\s+)?(?:table\s+|file\s+)?{stem}\W*"
    return re.fullmatch(asked, question, re.IGNORECASE) is not None
