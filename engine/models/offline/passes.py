"""What is put right once all words of a question are linked: ordinals, degrees, heads of names, limits with a unit."""

from engine.models.offline.column_names import GENERIC
from engine.models.offline.leftovers import MEASURE_WORDS
from engine.models.offline.moments import main_date
from engine.models.offline.reader import Reader
from engine.models.offline.schema import PERSONS
from engine.models.offline.times import day_of_year
from engine.models.offline.words import word_list

__all__ = ["put_right"]

_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "sixth": 6, "6th": 6,
}  # fmt: skip
_MOST_STEPS = 15
"""Different values that a column of steps (classes, grades, floors) may have."""
_OFTEN_HEADS = frozenset(
    word_list("""
        color type kind status name code number size level rate date time length weight height age price year score
    """)
)


def put_right(reader: Reader) -> None:
    """Every such pass, one after the other."""
    _compounds(reader)
    _prefixes(reader)
    _days_of_the_year(reader)
    _value_or_time(reader)
    _ordinals(reader)
    _within(reader)
    _modifiers(reader)
    _mere_words(reader)
    _overall(reader)
    _better(reader)
    _persons(reader)
    _things(reader)


def _prefixes(reader: Reader) -> None:
    """`spends most on health` over a table called healthexp: what all of it is about anyway."""
    for item in reader.of("unknown"):
        stem = reader.tokens[item.start].stem
        if len(stem) > 4 and any(noun.startswith(stem) and noun != stem for noun in reader.table.nouns):
            before = reader.before(item, ())
            if before is not None and before.text.lower() in ("on", "for", "in", "about", "of"):
                item.kind = "soft"


def _days_of_the_year(reader: Reader) -> None:
    """`March 10` is one day where the dates are all of one year."""
    date = main_date(reader.table.dates)
    first, last = ((date.minimum or "")[:4], (date.maximum or "")[:4]) if date is not None else ("", "")
    for item in reader.of("when"):
        if first.isdigit() and first == last and (day := day_of_year(item.when, int(first))) is not None:
            item.when = day


def _value_or_time(reader: Reader) -> None:
    """`during the day or at night`: a word of time beside another value of a column that has both."""
    named = {entry.column for item in reader.of("val") for entry in item.entries}
    for item in reader.of("time"):
        found = reader.table.by_first.get(reader.tokens[item.start].stem, ())
        entries = tuple(e for e in found if e.column in named and len(e.stems) == item.end - item.start)
        if entries and not item.columns:
            item.kind, item.entries = "val", entries


def _compounds(reader: Reader) -> None:
    """`bird strikes` over a table of birdstrikes."""
    for left, right in zip(reader.items, reader.items[1:], strict=False):
        stems = [reader.tokens[item.start].stem for item in (left, right)]
        if left.end == right.start and "".join(stems) in reader.table.nouns and left.kind != "row":
            left.kind, right.kind, left.columns, left.entries = "soft", "row", (), ()


_MORE_IS_BETTER = frozenset(
    word_list("yield score rating grade mark sale revenue profit income efficiency economy mpg wage")
)


def _better(reader: Reader) -> None:
    """`was the yield better in 1931 than in 1932`: more, of what is the better the more there is of it."""
    named = {word for item in reader.of("col") for c in reader.measure_columns(item) for word in c.words}
    for item in reader.of("op", "sup"):
        if item.text.lower() in ("better than", "better") and named & _MORE_IS_BETTER and item.kind == "sup":
            item.kind, item.value = "more", "gt"


def _overall(reader: Reader) -> None:
    """`across all industries but government`: no grouping, and `but` leaves out."""
    for item in reader.items:
        text = item.text.lower()
        following = reader.after(item, ())
        if text == "across all" and following is not None and following.kind in ("col", "row", "unknown"):
            item.kind = following.kind = "soft"
        words = [token.word for token in reader.tokens[max(0, item.start - 4) : item.start]]
        if text == "but":
            beyond = reader.after(item)
            if (
                {"all", "every", "everything", "everyone"} & set(words)
                and beyond is not None
                and beyond.kind == "val"
            ):
                item.kind, item.value = "neg", "not"


_ASKS_CAUSE = ("what", "which", "who", "has", "have", "that", "")


def _mere_words(reader: Reader) -> None:
    """Words of grammar that stand here for nothing of the kind: `caused no damage`, `alcohol related crashes`."""
    for item in reader.items:
        following = reader.after(item, ())
        if item.kind == "cause" and item.text.lower() in ("caused", "cause", "causes"):
            if reader.word_before(item) not in _ASKS_CAUSE and (
                following is not None and following.kind in ("neg", "val", "col")
            ):
                item.kind = "soft"
        elif item.kind == "corr" and item.text.lower() == "related" and following is not None:
            item.kind = "soft" if following.kind in ("row", "unknown") and item.start else item.kind
        elif item.kind == "unknown" and item.text.lower().endswith("ing") and not item.exact:
            beyond = reader.after(item)
            item.kind = "soft" if beyond is not None and beyond.kind == "val" and item.start else item.kind


def _persons(reader: Reader) -> None:
    """Who died, where each row is a death, or a column counts them: `killed the most people`."""
    for verb in reader.of("verb"):
        if verb.concepts != ("deaths",):
            continue
        if not reader.measure_columns(verb):
            verb.kind = "soft" if "death" in reader.table.nouns else verb.kind
            continue
        for item in reader.of("unknown"):
            before = reader.before(item)
            if (
                reader.tokens[item.start].stem in PERSONS
                and before is not None
                and before.kind in ("sup", "count")
            ):
                item.kind = "row"


_GENERIC_NAMES = frozenset(
    word_list("series entity item label group category key variable symbol ticker abbrev")
)


def _things(reader: Reader) -> None:
    """`industries` over a table with one row for each series and month: its column of series, whatever it is called."""
    table = reader.table
    things = [c for c in table.columns if c.role == "text" and c.distinct > 1]
    if len(things) != 1 or things[0].distinct * 2 > table.rows or not _GENERIC_NAMES & set(things[0].words):
        return
    for item in reader.of("row", "unknown"):
        words = [token.word for token in reader.tokens[max(0, item.start - 2) : item.start]]
        if len(words) == 2 and words[0].rstrip("s") in ("type", "kind", "sort") and words[1] == "of":
            item.kind, item.columns = "col", (things[0],)
            return
    unknown = [item for item in reader.of("unknown", "row") if not item.exact and item.text.isalpha()]
    unknown = [
        item
        for item in unknown
        if item.kind != "row" or (table.panel and reader.tokens[item.start].stem in table.nouns)
    ]
    for item in unknown[:1]:
        if reader.tokens[item.start].stem in MEASURE_WORDS:
            continue
        before = reader.before(item)
        asked = (
            before is None
            or before.kind in ("count", "which", "by", "limit", "list")
            or (before.kind == "agg" and before.value == "distinct")
        )
        if asked and not item.text.lower().endswith(("ed", "ing", "ly")):
            item.kind, item.columns = "col", (things[0],)


def _ordinals(reader: Reader) -> None:
    """`3rd class`, where the column of classes holds numbers."""
    for left, right in zip(reader.items, reader.items[1:], strict=False):
        number = _ORDINALS.get(left.text.lower())
        if number is None or right.kind != "col" or left.kind not in ("sup", "unknown", "soft"):
            continue
        steps = [c for c in right.columns if c.whole and c.distinct <= _MOST_STEPS and not c.time_named]
        fits = [c for c in steps if c.low is not None and c.high is not None and c.low <= number <= c.high]
        if len(fits) == 1 and fits[0].yes is None:
            left.kind, left.number, right.columns = "num", float(number), (fits[0],)


def _within(reader: Reader) -> None:
    """`within 50 km`: at most; `within 2010` and `within the first week` are times."""
    for item in reader.of("soft"):
        if item.text.lower() != "within":
            continue
        number = reader.after(item, ())
        unit = reader.after(number, ()) if number is not None and number.kind == "num" else None
        if unit is not None and unit.kind in ("unit", "col"):
            item.kind, item.value = "op", "<="


def _modifiers(reader: Reader) -> None:
    """`detection method`, `payment type`: a word before the whole name of a column that sorts rows, where it is plain
    enough which column is meant."""
    for left, right in zip(reader.items, reader.items[1:], strict=False):
        if left.kind != "unknown" or left.exact or right.kind != "col" or not right.exact:
            continue
        column = right.columns[0]
        alone = len(right.columns) == 1 and len(column.words) == 1 and column.role == "text"
        others = [c for c in reader.table.columns if c is not column and column.words[-1] in c.words]
        if alone and column.category and not others and column.words[-1] not in GENERIC | _OFTEN_HEADS:
            left.kind = "soft"
