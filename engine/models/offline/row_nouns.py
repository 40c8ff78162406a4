"""Nouns for the rows of a table."""

from collections.abc import Sequence

from engine.models.offline.columns import Column
from engine.models.offline.money import is_sold
from engine.models.offline.periods import periods_at
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import ACTS, GRAINS, HAPPENED, OBJECTS_BEGIN, ROW_NOUNS, SYNONYMS, words
from engine.models.offline.words import Token, base_forms, past, related, same_family

__all__ = [
    "ANY_ROW",
    "belongs_to_lines",
    "counts_rows",
    "holds_for_some",
    "is_act",
    "is_counted",
    "is_dated_creation",
    "is_object",
    "is_own_noun",
    "is_row_noun",
    "means_rows",
    "numbers_rows",
    "said_by",
    "says_it_happened",
    "sorts_named",
    "time_follows",
]

ANY_ROW = "row"
"""The noun for rows that is used if the question contains the table's whole name: the rows of “job postings” are not
jobs.
"""

_MASSES = words("masses of money")
_ACTED = words("acted")
_CREATED = words("verbs of creation")
_LISTED = frozenset({"invoice", "order", "receipt", "transaction", "bill"})
_PASSIVE = frozenset({"is", "are", "was", "were", "be", "been", "being", "get", "gets", "got"})
_BEFORE_TIMES = frozenset(
    {"in", "on", "at", "during", "after", "before", "since", "between", "until", "by", "the", "a", "an", "each",
     "every", "per", "last", "this", "from", "over"}
)  # fmt: skip
_WAYS = frozenset({"by", "via", "through", "from"})
_OWN = frozenset({"own", "possess"})
_BEGIN = frozenset({"start", "begin", "depart"})
_MORE = frozenset({"most", "more", "fewest", "fewer", "least", "many"})
_STARTED = frozenset({"start", "started", "begin", "began", "begun", "departed", "departure", "pickup"})
"""Verbs that refer to the time of rows: “how many rides start on each weekday”."""


def is_row_noun(word: str, table: Table) -> bool:
    """Return whether a word is a noun for the rows of `table`."""
    forms = base_forms(word)
    if past(word) and _has_gaps(word, table):
        return False  # “adopted dogs”, in a table `adoptions` in which some have no date of adoption
    forms |= {
        form.removesuffix("ment") for form in forms if form.endswith("ment")
    }  # movements of `stock_moves`
    if forms & (table.kinds | table.nouns) or ("sale" in forms and is_sold(table)):
        return True
    if forms & _MASSES:
        return False
    named = [
        c for c in table.columns if c.label and len(c.words) == 1 and c.words[0] in forms and _repeats(c)
    ]
    if any(not belongs_to_lines(c, table) for c in named):
        return False  # “lines” of a table with a column `line`
    if forms & ROW_NOUNS or any(forms & group and table.nouns & group for group in SYNONYMS):
        return True
    if _ends_a_noun(word, table):
        return True
    if any(
        c.role == "text"
        and not c.stuck
        and len(c.words) == 1
        and c.words[0] in forms
        and c.profile.distinct * 5 > c.rows
        for c in table.columns
    ):
        return True
    titles = [c for c in table.columns if table.names_rows(c) and c.words[-1:] in (("name",), ("title",))]
    titles += [
        c for c in table.columns if len(c.words) == 2 and c.words[1] in ("outcome", "status", "result")
    ]
    titles += [c for c in table.times if len(c.words) == 2 and c.words[1] == "date" and len(table.dates) == 1]
    titles += [
        c for c in table.columns if c.key and len(c.words) == 2 and c.profile.distinct >= 0.95 * c.rows
    ]
    return any(form in column.words[:-1] for column in titles for form in forms)


def means_rows(word: str, table: Table) -> bool:
    """Return whether a word or a synonym of it is in the table's name: “baby”, in a table of births."""
    forms = base_forms(word)
    return bool(forms & table.nouns) or any(forms & group and table.nouns & group for group in SYNONYMS)


def numbers_rows(column: Column) -> bool:
    """Return whether a column has a one-word name and may be only a number for each row: `section`, in a table of
    sections.
    """
    return column.measure and column.whole and column.adds is None and len(column.all_words) == 1


def belongs_to_lines(column: Column, table: Table) -> bool:
    """Return whether a column describes the lines of each invoice or order, as `Line` does. There, “lines” are rows."""
    listed = any(c.key and _LISTED & set(c.words) for c in table.columns)
    return listed and column.measure and column.words[:1] == ("line",)


def sorts_named(word: str, table: Table) -> list[Column]:
    """Return the text columns that contain `word` as a value. In a table of films and series, "film" can mean the rows
    or a value of the column `type`.
    """
    sorts = (c for c in table.columns if c.role == "text" and not c.table and c.profile.values_complete)
    return [c for c in sorts if base_forms(word) & {value.lower() for value in c.profile.values}]


def is_own_noun(word: str, table: Table) -> bool:
    """Return whether a word refers to the table's rows by the table's own name or kind, or is a noun for any rows."""
    forms = base_forms(word)
    return bool(forms & (ROW_NOUNS | table.nouns | table.kinds)) or _ends_a_noun(word, table)


def _ends_a_noun(word: str, table: Table) -> bool:
    """Whether a word is the end of a longer noun for the rows: “fires” for “wildfires”."""
    forms = base_forms(word)
    return any(
        noun.endswith(form) and len(form) > 3 and len(noun) >= len(form) + 3
        for noun in table.nouns
        for form in forms
    )


def _repeats(column: Column) -> bool:
    return column.profile.distinct * 2 <= column.rows


def is_counted(word: str, table: Table) -> bool:
    """Return whether a noun names the things that are counted, as in “patients older than 65”."""
    forms = base_forms(word)
    return is_row_noun(word, table) or any(c.key and forms & set(c.words[:-1]) for c in table.columns)


def says_it_happened(tokens: list[Token], start: int, table: Table) -> bool:
    """Return whether a verb adds no condition because it is true of all rows: “orders placed in May”, “who opened the
    most tickets”.

    In contrast, “registered users” are only some users, and so are “tickets that were opened”. Tasks that “were
    published” are only some tasks if the date of publishing is missing in some rows.
    """
    word = tokens[start].word
    if start == 0 or holds_for_some(word, table):
        return False
    if word == "born" and "birth" in table.nouns:
        return True
    if word in _OWN:
        return tokens[start - 1].word in ("we", "i") and not _is_told(word, table)
    if is_dated_creation(tokens, start, table) or is_act(word, table):
        return True
    timed = any(
        base_forms(other.word) & GRAINS.keys() or [*periods_at(tokens, at)] for at, other in enumerate(tokens)
    )
    if word in _CREATED and tokens[start - 1].word in _PASSIVE and timed and _begins(word, table):
        return True
    after = tokens[start + 1].word if start + 1 < len(tokens) else ""
    if word in _ACTED:
        return after in OBJECTS_BEGIN and tokens[start - 1].word not in _PASSIVE
    begins = bool(base_forms(word) & _BEGIN) and (
        [c.role for c in table.times] == ["date"] or starts_once(table)
    )
    return (word in HAPPENED or begins) and not (after and is_row_noun(after, table))


def is_dated_creation(tokens: list[Token], start: int, table: Table) -> bool:
    """Return whether a verb means the creation of the rows and not a state, because a time or a way follows it: “opened
    on a weekend” or “opened by phone”, in a table of tickets some of which are `Open`.
    """
    word, before = tokens[start].word, tokens[start - 1].word if start else ""
    able = bool(before) and (before in _PASSIVE or is_row_noun(before, table))
    if not past(word) or word not in _CREATED or not able or len(_creations(table)) != 1:
        return False
    by_a_way = start + 2 < len(tokens) and tokens[start + 1].word in _WAYS
    return by_a_way or time_follows(tokens, start + 1)


def time_follows(tokens: Sequence[Token], start: int) -> bool:
    """Return whether words for a time begin at `start`: “in March”, “each week”, “on a weekend”."""
    at = start
    while at < len(tokens) and tokens[at].word in _BEFORE_TIMES:
        at += 1
    if at == start or at == len(tokens):
        return False
    timed = base_forms(tokens[at].word) & (GRAINS.keys() | {"weekend", "workday"})
    return bool(timed) or any(True for _ in periods_at(list(tokens), at))


def _creations(table: Table) -> list[Column]:
    return [c for c in table.dates if _CREATED & set(c.words) and not c.profile.missing]


def holds_for_some(verb: str, table: Table) -> bool:
    """Return whether a verb is true of only some rows, or distinguishes between two columns."""
    return _has_gaps(verb, table) or _distinguishes(verb, table)


def _distinguishes(verb: str, table: Table) -> bool:
    """Whether two columns differ only in their verbs, one of which is `verb`: loaded and delivered parcels."""
    names = [set(c.words) for c in table.columns if c.measure and len(c.words) > 1]
    of = [name - {word} for name in names for word in name if same_family(verb, word)]
    others = [name for name in names if not any(same_family(verb, word) for word in name)]
    return any(rest < name and len(name) == len(rest) + 1 for rest in of for name in others)


def _begins(verb: str, table: Table) -> bool:
    """Whether every row has a creation date, and no value is a state with the verb's name: “tickets that were opened in
    May”, for a column `created_at`.
    """
    dates = _creations(table)
    state = any(base_forms(verb) & {value.lower()} for c in table.columns for value in c.profile.values)
    return len(dates) == 1 and not state


def _acts(table: Table) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return sets of verbs that are true of every row, such as “borrowed” for loans, each with nouns for the thing that
    a row is about."""
    rows = table.nouns | table.kinds | ({"sale"} if is_sold(table) else set())
    return [(verbs, objects) for nouns, verbs, objects in ACTS if nouns & rows]


def is_object(tokens: Sequence[Token], start: int, table: Table) -> bool:
    """Return whether a noun means the rows because of the verb before it: “launched the most rockets”."""
    if start == 0 or tokens[start - 1].word not in _MORE:
        return False
    before = {form for token in tokens[:start] for form in base_forms(token.word)}
    return any(before & verbs and base_forms(tokens[start].word) & objects for verbs, objects in _acts(table))


def is_act(word: str, table: Table) -> bool:
    """Return whether a verb is true of every row, so it adds no condition: “borrowed”, in a list of loans. If a column
    or a value has a word of the same family, the verb may be true of only some rows.
    """
    forms = base_forms(word)
    acts = {verb for verbs, _ in _acts(table) for verb in verbs}
    if not forms & acts or word in table.nouns:
        return False
    told = {
        named for c in table.columns if c.role != "date"
        for text in (*c.words, *c.profile.values) for named in text.lower().split()
    }  # fmt: skip
    return not any(same_family(word, named) for named in told)


def starts_once(table: Table) -> bool:
    """Return whether exactly one date column is about the start of each row: `started_at`, beside `ended_at`."""
    return (
        len([c for c in table.dates if not c.table and not c.profile.missing and set(c.words) & _STARTED])
        == 1
    )


def _is_told(verb: str, table: Table) -> bool:
    """Whether a column or value shows of which rows a verb is true: `ownership` for “vans that we own”."""
    told = {
        word for c in table.columns for text in (*c.words, *c.profile.values) for word in text.lower().split()
    }
    return any(word.startswith(verb) for word in told)


def _has_gaps(verb: str, table: Table) -> bool:
    """Whether a column with a name from the verb's word family has no value in some rows."""
    return any(
        c.profile.missing and any(same_family(verb, named) for named in c.words) for c in table.columns
    )


def said_by(word: str, column: Column) -> bool:
    """Return whether a numeric column's name only repeats `word`, the noun for rows: `order_count` for “orders”."""
    named = set(column.words) - {"number", "of", "count", "total", "num", "id", "name"}
    return column.measure and len(named) == 1 and related(word, next(iter(named))) is not None


def counts_rows(tokens: list[Token], start: int, table: Table) -> bool:
    """Return whether a word refers to rows and not to an amount of money: “3 gifts”, “largest gift”, “how many”."""
    if any(other.word == "many" for other in tokens[:start]):
        return True
    before = tokens[start - 1] if start else Token("", "")
    number = before.number is not None or (
        before.word == "of" and tokens[start - 2].word in ("number", "count")
    )
    return (number or before.word.endswith("est")) and is_row_noun(tokens[start].word, table)
