"""Files that a question names: which tables are meant by them, and why one of them holds no table."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from engine.models.offline.joining import scopes
from engine.models.offline.schema import Table
from engine.models.offline.value_index import value_index
from engine.models.offline.words import name_words
from engine.workspace.table_facts import TableProfile

__all__ = ["tableless", "tables_named"]

_ENDINGS = "csv|tsv|tab|parquet|pq|jsonl|ndjson|json|xlsx|xlsm|xlsb|xls|ods"
_LIKE_A_FILE = re.compile(
    rf"(?<![\w./-])[\w-]+(?:[./][\w-]+)*\.(?:{_ENDINGS})(?:\.gz)?(?![\w-])", re.IGNORECASE
)
_OPEN, _CLOSE = r"[\"“‘'`]?", r"[\"”’'`]?"
_STANDS_FOR_IT = ("table", "dataset", "spreadsheet", "database", "file")
"""Words that mean nothing beside a question; one that is no column's."""


def _spans(question: str, paths: Sequence[str]) -> list[tuple[int, int, str]]:
    """Where `question` names files of `paths`: by the whole path, or by the file's own name."""
    found: list[tuple[int, int, str]] = []
    forms = [(form, path) for path in paths for form in {path, PurePosixPath(path).name}]
    for form, path in sorted(forms, key=lambda item: (-len(item[0]), item[1])):
        named = rf"(?<![\w./-]){_OPEN}{re.escape(form)}{_CLOSE}(?![\w/-]|\.\w)"
        for match in re.finditer(named, question, re.IGNORECASE):
            within = any(start <= match.start() and match.end() <= end for start, end, _ in found)
            same = any((start, end) == match.span() for start, end, _ in found)
            if same or not within:
                found.append((*match.span(), path))
    return found


def tables_named(question: str, profiles: Sequence[TableProfile]) -> tuple[str, Sequence[TableProfile]]:
    """The question with “the table”, or the like, for each file or table that it names, and the profiles of those.

    All profiles, and the question as it is, where it names none. A bare name counts after `in`, `from`, `table` or
    `describe`, and where no column and no value has that word.
    """
    tables = [table for table in scopes(tuple(profiles)) if not table.joins]
    spans = _spans(question, list(dict.fromkeys(profile.path for profile in profiles)))
    if not spans:
        spans = [(*span, profile.path) for profile in profiles for span in _bare(question, profile, tables)]
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


def _bare(question: str, profile: TableProfile, tables: Sequence[Table]) -> list[tuple[int, int]]:
    stem = re.sub(rf"(?i)\.(?:{_ENDINGS})(?:\.gz)?$", "", PurePosixPath(profile.path).name)
    names = {profile.name.lower(), stem.lower()}
    names |= {re.sub(r"[\W_]+", " ", name).strip() for name in names}
    if any(_means_more(name, table) for name in names for table in tables):
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
    """Why a file that the question names holds no table, or that there is none of that name; else None."""
    named = [path for _, _, path in _spans(question, list(unread))]
    if named:
        return " ".join(
            f"`{path}` holds no table: {unread[path].rstrip('. ')}." for path in dict.fromkeys(named)
        )
    known = [(start, end) for start, end, _ in _spans(question, [table.path for table in tables])]
    for match in _LIKE_A_FILE.finditer(question):
        if not any(start <= match.start() and match.end() <= end for start, end in known):
            return f"There is no file `{match.group()}` in this chat."
    bare = [path for path in unread if _only_described(question, path)]
    return f"`{bare[0]}` holds no table: {unread[bare[0]].rstrip('. ')}." if len(bare) == 1 else None


def _only_described(question: str, path: str) -> bool:
    """`describe fake`: the file's name without its ending, and nothing else."""
    stem = re.escape(PurePosixPath(path).name.split(".")[0])
    asked = rf"\W*(?:describe|summari[sz]e|show|open|what is in|what's in)\s+(?:the\s+)?(?:table\s+|file\s+)?{stem}\W*"
    return re.fullmatch(asked, question, re.IGNORECASE) is not None
