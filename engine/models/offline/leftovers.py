"""What of a question was not put to use. A word that means something and was not used is a reason not to answer."""

from engine.models.offline.concepts import COLUMN_WORDS, UNITS
from engine.models.offline.intent import Intent
from engine.models.offline.items import Item
from engine.models.offline.reader import Reader
from engine.models.offline.words import word_list

__all__ = ["MEASURE_WORDS", "unexplained"]

_MUST_BE_USED = word_list("""
    num limit quantile when val col agg sup top op neg share corr missing dist describe extent change
    bymuch vs adj more base verb streak above belowavg freezing count howmuch howadj between since after
    before until range rest tail rate cause mutate unit whenq whereq by time head order dir flip than
    trend chart paint instead likely sign
""")
_ROW_PLACES = word_list("""
    count of the all list val sup top limit which these those any for show among these this by me each
    different our my in
""")
_YOUNG = frozenset({"kid", "child", "teenager", "baby", "adult", "senior", "minor"})


def unexplained(reader: Reader, intent: Intent | None) -> str | None:
    """Why the question cannot be taken as read, as the second half of a sentence; None where all is explained."""
    unknown = [item for item in reader.of("unknown") if not _is_row_noun(reader, item, intent)]
    if unknown:
        words = list(dict.fromkeys(item.text for item in unknown))
        return "nothing in the table is called " + " or ".join(f"“{word}”" for word in words[:3])
    if intent is None:
        return "it is not clear what to compute"
    stems = {reader.tokens[item.start].stem for item in reader.of("unknown")}
    if len(stems) > 1 and not _side_by_side(reader):
        return f"it is not clear what “{reader.of('unknown')[0].text}” means"
    for item in reader.items:
        if item.used or item.kind not in _MUST_BE_USED:
            continue
        if item.kind == "by" and _is_idle_by(reader, item):
            continue
        if item.kind == "time" and (
            intent.kind not in ("aggregate", "compare", "share") or any(d.unique for d in reader.table.dates)
        ):
            continue
        if item.kind == "col" and _is_explained_column(reader, item, intent):
            continue
        if item.kind == "unit" and _is_explained_unit(reader, item, intent):
            continue
        if item.kind == "verb" and _is_explained_verb(reader, item, intent):
            continue
        if item.kind == "sup" and item.value == "vague":
            return f"“{item.text}” does not say by what"
        if item.kind in ("base", "adj", "sup", "verb") and item.concepts and not reader.measure_columns(item):
            return f"no column tells what “{item.text}” means"
        return f"it is not clear what “{item.text}” means here"
    return None


def _is_idle_by(reader: Reader, item: Item) -> bool:
    """`carried by Nordwind`, `delayed by more than …`: no grouping."""
    after = reader.after(item)
    return after is None or (after.used and after.kind in ("val", "op", "num", "tail", "than"))


def _is_explained_unit(reader: Reader, item: Item, intent: Intent) -> bool:
    """`… in mm`: the unit of a column that is measured anyway."""
    units = {m.column.unit for m in intent.measures if m.column is not None}
    if item.value in units or UNITS[item.value] in [UNITS.get(unit or "") for unit in units]:
        return True
    return (
        bool(units)
        and reader.word_before(item) in ("in", "of")
        and UNITS[item.value][0] in ("money", "euro", "temperature", "sterling")
    )


def _is_explained_verb(reader: Reader, item: Item, intent: Intent) -> bool:
    """`pay higher fares`, `earn a salary of`: the column is named beside the verb."""
    named = {c for other in reader.of("col", unused=False) if other.used for c in other.columns}
    following = reader.after(item, ("soft", "by"))
    if (
        item.text.lower()
        in ("paid", "sold", "spent", "charged", "generated", "produced", "consumed", "earned")
        and following is not None
        and following.kind == "val"
    ):
        return True
    if following is not None and following.kind == "val":
        words = {word for entry in following.entries for word in entry.column.words}
        if any(words & set(COLUMN_WORDS.get(concept, ())) for concept in item.concepts):
            return True
    return any(m.column in named for m in intent.measures if m.column is not None)


def _side_by_side(reader: Reader) -> bool:
    items = reader.of("unknown")
    return len(items) == 2 and items[0].end == items[1].start


def _is_explained_column(reader: Reader, item: Item, intent: Intent) -> bool:
    """A column that stands beside its own value, or names what the rows are."""
    used = {filter_.column for filter_ in intent.filters} | {group.column for group in intent.groups}
    used |= (
        {measure.column for measure in intent.measures}
        | set(intent.columns)
        | {f.column for f in intent.predicate}
    )
    used |= {side.filter.column for side in intent.sides}
    if any(column in used for column in item.columns):
        return True
    before = reader.before(item)
    if before is not None and before.kind == "val" and before.used:
        named = {word for filter_ in intent.filters if filter_.column for word in filter_.column.words}
        if any(set(column.words) & named for column in item.columns):
            return True
    return reader.tokens[item.start].stem in reader.table.nouns


def _is_row_noun(reader: Reader, item: Item, intent: Intent | None) -> bool:
    """Whether an unknown word stands where the rows are spoken of, and may well be what they are."""
    if (
        item.exact
        or len(item.text) < 3
        or not item.text.isalpha()
        or item.text.lower().endswith(("ed", "ing", "ly"))
    ):
        return False
    stem = reader.tokens[item.start].stem
    table = reader.table
    before = reader.items[reader.index(item) - 1] if reader.index(item) else None
    following = reader.after(item, ())
    if (
        before is not None
        and before.text.lower() == "the"
        and following is not None
        and following.text.lower() == "of"
    ):
        further = reader.items[reader.index(before) - 1] if reader.index(before) else None
        if further is None or further.text.lower() != "of":
            return False
    if (
        intent is not None
        and intent.kind in ("list", "distinct", "describe")
        and not table.may_be_called(stem)
        and not (intent.filters and intent.kind == "list")
    ):
        return False
    aged = any(c.filter.column is not None and "age" in c.filter.column.words for c in reader.conditions)
    known = table.may_be_called(stem) or (stem in _YOUNG and aged)
    if not known and _is_name_or_attribute(reader, item):
        return False
    if not known and (
        stem in MEASURE_WORDS
        or table.knows_family()
        or any(date.unique and date.type == "DATE" for date in table.dates)
    ):
        return False
    if intent is not None and item.text not in reader.nouns:
        reader.nouns.append(item.text)
    return _in_row_place(reader, item)


def _is_name_or_attribute(reader: Reader, item: Item) -> bool:
    """A name with a capital inside a sentence, or what something has: `how many wars did Norland have`."""
    if item.start and item.text[0].isupper() and not reader.tokens[0].text.isupper():
        return True
    following = reader.after(item, ())
    return following is not None and following.text.lower() in ("did", "does", "do")


def _in_row_place(reader: Reader, item: Item) -> bool:
    before = reader.items[reader.index(item) - 1] if reader.index(item) else None
    if before is None:
        return True
    if before.kind in ("agg", "onavg"):
        return False
    if before.kind in (
        "count",
        "val",
        "sup",
        "limit",
        "top",
        "which",
        "list",
        "neg",
        "num",
        "unknown",
        "adj",
        "by",
        "head",
        "share",
        "base",
        "row",
        "flag",
        "chart",
        "col",
    ):
        return True
    return before.kind == "soft" and before.text.lower() in _ROW_PLACES


MEASURE_WORDS = frozenset(word for words in COLUMN_WORDS.values() for word in words) | frozenset(
    word_list("""
        country state city region county humidity pressure color brand name address email phone title
        gender sex department team job manager owner salary bonus profit margin revenue income loss debt
        tax discount rating review award oscar prize accident injury complaint goal assist point win
        victory defeat medal child kid wheel door seat engine page word author publisher actor actress
        producer studio language religion ethnicity race height weight age volume market symptom disease
        diagnosis medicine treatment supplier warehouse shipping delivery refund tip click user session
        subscriber follower like comment temperature wind snow
    """)
)
"""Words for what a thing has, which do not say what it is."""
