"""Reads a question of two or three parts: “Which agent has the best average score? Tell me the number as well.”

The first part is a complete question. A later part asks for the number in its answer, changes the question, adds a
number, or asks which row was found. Every word of each part is read, as in a question of one part.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeAlias

from engine.models.offline.checks import checked
from engine.models.offline.form import Aggregate, Filter, Form, Join, Measure, Order, Ref
from engine.models.offline.items import Item
from engine.models.offline.lexer import items_of
from engine.models.offline.plain_speech import refers_back
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import ROW_NOUNS, words
from engine.models.offline.words import Token, base_forms, past, related, tokens_of

__all__ = ["asks_twice", "in_parts"]

Read: TypeAlias = Callable[[str, Form | None], "Form | None"]
"""Reads a text as a question, or as a follow-up of a form; None if it does not have exactly one meaning."""

_MOST = 3
_AND = re.compile(
    r"(?:,|;|\s-|\s–)?\s(?:and|&)\s(?=(?:also\s)?(?:(?:at|in|on|by|for|from)\s(?=what|which|whom))?"
    r"(?:what|how|which|who|when|where|give|show|tell|include|list)\b)"
    r"|\s?[,;]\s(?=(?:what|how|which|who|when|where)\b)|\s[-–]\s(?=(?:what|how|which|who|when|where)\b)",
    re.IGNORECASE,
)
"""Matches where the next part of a sentence begins. Expects single spaces."""
_ALSO = re.compile(r"(?:and|also|what about|how about)\b", re.IGNORECASE)
_EACH = re.compile(
    r"\s(?:are there\s)?(?:(?:in|for|of|per|with)\s)?each(?:\sone|\sof them)?\s?[?.!]*$", re.IGNORECASE
)
_ASKS = re.compile(
    r"(?:and\s+|also\s+)?(?:what|how|which|who|when|where|is|are|was|were|do|does|did)\b", re.I
)
_ONE_NUMBER = frozenset({"number", "figure", "value", "it", "that", "many", "much", "exact", "amount", "one"})
_SAID = words("asks for the number")
_TOTALS = frozenset({"total", "totals", "sum", "combined"})
_KINDS: dict[str, frozenset[Aggregate]] = {
    **dict.fromkeys(("average", "mean", "avg"), frozenset[Aggregate]({"mean"})),
    "median": frozenset({"median"}),
    **dict.fromkeys(_TOTALS, frozenset[Aggregate]({"sum", "count"})),
    **dict.fromkeys(("count", "counts", "many"), frozenset[Aggregate]({"count", "distinct", "missing"})),
    **dict.fromkeys(
        ("much", "amount", "amounts"), frozenset[Aggregate]({"sum", "mean", "median", "min", "max"})
    ),
    **dict.fromkeys(("highest", "maximum", "max"), frozenset[Aggregate]({"max"})),
    **dict.fromkeys(("lowest", "minimum", "min"), frozenset[Aggregate]({"min"})),
}
_REFERS = frozenset(
    {"it", "its", "that", "this", "they", "their", "them", "those", "these", "his", "her", "he", "she"}
)
_SHARES = frozenset({"percent", "percentage", "percentages", "share", "shares", "rate", "%"})
_ROW = words("asks which row")


def asks_twice(sentences: Sequence[str]) -> bool:
    """Return whether at least two parts of a question ask something: “how many … and what is …”."""
    return sum(part.endswith("?") or _ASKS.match(part) is not None for part in _parts_of(sentences)) > 1


def in_parts(
    sentences: Sequence[str], read: Read, tables: Sequence[Table], previous: Form | None = None
) -> tuple[Form | None, tuple[str, ...]]:
    """Return the form of a question of several parts; None if it has only one part, or does not have exactly one
    meaning.

    The first part may be a condition: “Only look at 2024. Which region sold the most?” It may also be a follow-up of
    `previous`. If the parts are complete questions that cannot be joined, there is no form; instead, the parts that can
    be asked separately are returned. Reading them as one sentence would apply all conditions to both.
    """
    parts = _parts_of(sentences)
    if not 2 <= len(parts) <= _MOST:
        return None, ()
    of = {(table.name, table.joins): table for table in tables}
    refers = [refers_back(tokens_of(part)) for part in parts]
    if refers[0] and previous is None:
        return None, ()
    form = _from_first(parts, read, of, previous)
    if form is None and not _ASKS.match(parts[0]) and not parts[0].endswith("?") and not any(refers):
        form = _from_first([*parts[1:], parts[0]], read, of, previous)
    if form is not None and checked(form, of[form.table, form.joins]):
        return form, ()
    own = all(_ASKS.match(part) and read(part, None) is not None for part in parts)
    alone = (part.rstrip("?.! ") for part, back in zip(parts, refers, strict=True) if not back)
    return None, tuple(alone) if own else ()


def _parts_of(sentences: Sequence[str]) -> list[str]:
    said = [part for one in sentences for part in _AND.split(" ".join(one.split()))]
    return [part.strip(" ,;–-") for part in said if part.strip(" ,;–-?.!")]


def _from_first(
    parts: Sequence[str], read: Read, of: Mapping[tuple[str, tuple[Join, ...]], Table], previous: Form | None
) -> Form | None:
    form = read(parts[0], previous)
    for part in parts[1:]:
        if form is None:
            return None
        form = _with(form, part, read, of[form.table, form.joins])
    return form


def _with(form: Form, part: str, read: Read, table: Table) -> Form | None:
    """Return `form` changed by a further part; None if the part has no meaning."""
    tokens = tokens_of(part)
    if _asks_for_its_number(tokens, form, table):
        return form
    if (shown := _of_its_row(tokens, form, table)) is not None:
        return shown
    if not _ASKS.match(part):
        after = read(f"now {part}", form)
        return _changed(form, after) or (_both(form, after) if _ALSO.match(part) else None)
    each = _EACH.search(part) if form.groups else None
    other = read(part[: each.start()] if each else part, None)
    refers = each is not None or refers_back(tokens) or "it" in _texts(tokens)
    return _both(form, other) or _with_another(form, other, refers=refers)


def _texts(tokens: Sequence[Token]) -> list[str]:
    return [token.word for token in tokens]


def _asks_for_its_number(tokens: Sequence[Token], form: Form, table: Table) -> bool:
    """Whether a part only asks for the number that the answer contains anyway: “and how many has she got?”"""
    said = set(_texts(tokens))
    if (
        form.show == "rows"
        and form.order is not None
        and isinstance(form.order.by, Ref)
        and form.limit is not None
    ):
        shown = table.column(form.order.by).all_words
        named = {word for word in said if any(related(word, name) == 0 for name in shown)}
        return said <= _SAID | named and bool(named | (said & (_ONE_NUMBER - {"many"})))
    if form.show != "numbers" or form.chart is not None or len(form.measures) != 1 or not tokens:
        return False
    measure = form.measures[0]
    names = {word for ref in (measure.of, *form.groups) if ref for word in table.column(ref).all_words}
    nouns = (
        table.nouns | table.kinds | ROW_NOUNS if measure.aggregate == "count" and not form.filters else set()
    )

    says_name = any(related(word, name) == 0 for word in said for name in names)

    def known(token: Token) -> bool:
        mine = any(related(token.word, name) == 0 for name in names) or bool(base_forms(token.word) & nouns)
        return not token.quoted and (token.word in _SAID | _SHARES or token.word in _KINDS or mine)

    if not all(map(known, tokens)) or not said & (_ONE_NUMBER | _KINDS.keys() | _SHARES | names):
        return False
    if said & _SHARES and not measure.share:
        return any(related(word, name) == 0 for word in said & _SHARES for name in names)
    if said & _TOTALS and (form.groups or form.filters):
        return False  # the question may mean the total of all groups or rows, which is another number
    if form.filters and says_name and not said & _REFERS:
        return False  # "and what is the average salary?" may be that of all rows
    able = [_KINDS[word] for word in said if word in _KINDS]
    counts = measure.aggregate == "sum" and measure.of is not None and table.column(measure.of).whole
    return all(measure.aggregate in kinds or ("many" in said and counts) for kinds in able)


def _of_its_row(tokens: Sequence[Token], form: Form, table: Table) -> Form | None:
    """Read “and which vehicle was that?”, after a question for the highest number or the row with it."""
    columns = _columns_only(tokens, table)
    if not columns:
        return None
    if form.show == "rows" and form.order is not None and form.limit is not None:
        more = tuple(ref for ref in columns if ref not in form.columns)
        return replace(form, columns=(*form.columns, *more)) if form.columns else form
    extreme = form.measures[0] if form.show == "numbers" and len(form.measures) == 1 else None
    if extreme is None or extreme.aggregate not in ("min", "max") or extreme.of is None or form.groups:
        return None
    if extreme.operator or extreme.where or form.chart is not None:
        return None
    order = Order(extreme.of, descending=extreme.aggregate == "max")
    shown = tuple(dict.fromkeys((*columns, extreme.of)))
    return Form(
        form.table, form.joins, "rows", filters=form.filters, columns=shown, order=order, limit=1, ties=True
    )


def _columns_only(tokens: Sequence[Token], table: Table) -> tuple[Ref, ...]:
    """Return the columns that a part asks for, if it contains nothing else: “when was it and where?”"""
    items, found, place = items_of(list(tokens), table), list[Ref](), 0
    refers = bool({"it", "that", "this"} & set(_texts(tokens)))  # “which rocket carried it”
    asked = {"when": table.times, "where": tuple(c for c in table.columns if set(c.words) & words("places"))}
    while place < len(tokens):
        named = _column_at(items[place])
        if named is not None:
            found.append(named[0])
            place = named[1]
            continue
        word = tokens[place].word
        if word in asked:
            if len(asked[word]) != 1:
                return ()
            found.append(asked[word][0].ref)
        elif word not in _ROW and not (past(word) and refers):
            return ()
        place += 1
    return tuple(dict.fromkeys(found))


def _column_at(items: Sequence[Item]) -> tuple[Ref, int] | None:
    """Return the only column that is named here, and the place after its name; None if no column or several columns are
    named."""
    named = [item for item in items if item.kind == "col" and item.cost == 0]
    longest = max((item.end for item in named), default=0)
    refs = {item.meaning.ref for item in named if item.end == longest}  # type: ignore[union-attr]
    return (refs.pop(), longest) if len(refs) == 1 else None


def _changed(form: Form, after: Form | None) -> Form | None:
    """Return the form changed by a follow-up, if that keeps its measures, conditions and groups; else None."""
    if after is None or after.measures != form.measures:
        return None
    kept = set(form.filters) <= set(after.filters) and set(form.having) <= set(after.having)
    return (
        after
        if kept and set(form.groups) <= set(after.groups) and after.show in (form.show, "numbers")
        else None
    )


def _both(form: Form, other: Form | None) -> Form | None:
    """Read “how many are in Sales, and how many are in HR?” as the number in each of these two departments."""
    if (
        other is None
        or not (_plain(form) and _plain(other))
        or form.groups
        or replace(other, filters=()) != replace(form, filters=())
    ):
        return None
    mine, its = (
        [f for f in one.filters if f not in two.filters] for one, two in ((form, other), (other, form))
    )
    if len(mine) != 1 or len(its) != 1 or len(mine[0].any) != 1 or len(its[0].any) != 1:
        return None
    first, second = mine[0].any[0], its[0].any[0]
    if (
        first.of != second.of
        or {first.compare, second.compare} != {"="}
        or set(first.values) & set(second.values)
    ):
        return None
    every = Filter((replace(first, values=(*first.values, *second.values)),))
    kept = tuple(f for f in form.filters if f != mine[0])
    return replace(form, groups=(first.of,), filters=(*kept, every))


def _with_another(form: Form, other: Form | None, *, refers: bool) -> Form | None:
    """Add the measures of another question to a form: “and what is their average age?”

    Conditions of the first part apply to the second part only if it `refers` back.
    """
    if other is None or (other.table, other.joins) != (form.table, form.joins):
        return None
    if (
        not (_plain(form) and _plain(other))
        or other.limit is not None
        or other.having
        or other.order is not None
    ):
        return None
    if set(other.measures) & set(form.measures):
        return None
    if other.groups != form.groups and not (refers and not other.groups):
        return None
    extreme = not form.groups and any(m.aggregate in ("min", "max", "range") for m in form.measures)
    if extreme and refers:
        return None  # “when was the last one, and how strong was it?” asks about that row
    if form.limit is not None and not (refers and not other.filters and not other.groups):
        return None
    same: tuple[tuple[Filter, ...], ...] = (form.filters, *(((),) if refers else ()))
    return replace(form, measures=(*form.measures, *other.measures)) if other.filters in same else None


def _plain(form: Form) -> bool:
    """Whether other numbers can be shown next to the numbers of a form."""
    every: list[Measure] = list(form.measures)
    shown = form.show == "numbers" and form.chart is None and form.window is None and not form.compares
    parts = chain.from_iterable((m.share, bool(m.where), m.aggregate == "correlation") for m in every)
    return shown and not any(parts)
