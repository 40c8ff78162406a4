"""Which columns a few words name: whole names, parts, abbreviations, other words for the same, concepts."""

from functools import lru_cache

from engine.models.offline.concepts import COLUMN_WORDS, UNITS
from engine.models.offline.lexicon import PHRASES
from engine.models.offline.schema import Column, Table, same_words
from engine.models.offline.words import root, word_list

__all__ = ["GENERIC", "concept_columns", "find_columns"]


_SHORTENED = frozenset(
    word_list(
        "temp max min pop prec precip qual dist desc dur elev dept avg amt qty lat lon acc vol freq mag "
        "alt disp accel eff prem inc hum pct"
    )
)


_MODIFIED = frozenset(
    word_list("""
        name id key code type kind date time year day number no title label group class category level
        score rating status count total amount value rate
    """)
)


_ABBREVIATED = {
    "average": "avg", "maximum": "max", "minimum": "min", "high": "max", "low": "min", "number": "num",
    "percent": "pct",
    "percentage": "pct", "amount": "amt", "year": "yr", "latitude": "lat", "longitude": "lon lng long",
    "population": "pop",
    "employee": "emp", "customer": "cust", "product": "prod", "department": "dept", "quantity": "qty", "weight": "wt",
    "height": "ht", "temperature": "temp", "mile per gallon": "mpg", "horsepower": "hp", "address": "addr",
    "category": "cat",
    "transaction": "txn trans", "identifier": "id", "manager": "mgr", "hour": "hr", "minute": "min", "second": "sec",
    "kilometer": "km", "kilogram": "kg", "gram": "g", "year built": "yr_built", "bedroom": "br bed",
    "bathroom": "ba bath",
    "reference": "ref", "description": "desc", "message": "msg", "account": "acct", "balance": "bal", "doctor": "dr",
}  # fmt: skip


GENERIC = frozenset(
    word_list("""
        number value total count average max min per level mean no of in the and a or rate index grand
        maximum minimum first last new old other
    """)
)


def _matches(said: str, known: str) -> float:
    if said == known:
        return 1.0
    if known in same_words(said):
        return 0.85
    if known in _ABBREVIATED.get(said, "").split() or said in _ABBREVIATED.get(known, "").split():
        return 0.9
    if said in UNITS:
        return 0.0
    if (
        (len(known) >= 4 or known in _SHORTENED)
        and len(said) >= len(known) + 2
        and said.startswith(known)
        and len(known) * 2 >= len(said) - 3
    ):
        return 0.75 if known in _SHORTENED else 0.6
    if len(said) >= 4 and known.startswith(said) and len(said) * 2 >= len(known):
        return 0.7
    if len(said) >= 5 and root(said) == root(known) and said not in PHRASES:
        return 0.7
    return 0.0


_SMALL = frozenset({"of", "the", "in", "per", "a", "for", "at"})


def _all_others_sure(span: tuple[str, ...], said: str, column: Column) -> bool:
    return all(word in column.words for word in span if word != said)


def _shortened(known: str, said: str) -> bool:
    """Whether `known` may be short for `said`: its beginning."""
    return said.startswith(known) and said not in PHRASES


def _column_score(span: tuple[str, ...], column: Column) -> float:
    inner = column.words[1:-1]
    words = (*column.words[:1], *(word for word in inner if word not in _SMALL), *column.words[1:][-1:])
    if column.unit and len(words) > 1 and words[-1] in _SMALL:
        words = words[:-1]
    if len(span) == 1 and len(span[0]) > 2 and span[0] == "".join(word[0] for word in column.words):
        return 0.95
    names = list(words)
    if column.unit and column.unit not in names:
        names.append(column.unit)
    joined = "-".join(span)
    if any(joined in same_words(word) for word in column.words if len(span) > 1):
        return 0.9
    if "".join(span) in ("".join(words), "".join(column.words)) or "".join(span) == column.name.lower():
        return 1.0
    names = [name for name in names if name != "per"]
    total, left = 0.0, list(names)
    for said in span:
        best = max(((_matches(said, known), known) for known in left), default=(0.0, ""))
        if best[0] == 0.0 and len(span) > 1 and total and len(said) >= 6:
            start = [known for known in left if 3 <= len(known) < len(said) and said.startswith(known)]
            best = (0.7, start[0]) if start else best
        if best[0] == 0.0 and len(span) > 1 and len(said) >= 6 and _all_others_sure(span, said, column):
            short = [known for known in left if 3 <= len(known) < len(said) and _shortened(known, said)]
            best = (0.8, short[0]) if len(short) == 1 else best
        if best[0] == 0.0 and len(span) > 1 and len(said) >= 3:
            short = [known for known in left if len(said) == len(known) - 1 and known.startswith(said)]
            best = (0.6, short[0]) if short else best
        if best[0] == 0.0:
            return 0.0
        total += best[0]
        left.remove(best[1])
    unsaid = sum(word in left for word in words)
    # a word that only modifies the name's last word names the column less surely than that word does
    head = 1.0 if not column.words or column.words[-1] not in left or column.words[-1] in _MODIFIED else 0.88
    return total / len(span) * (1.0 - 0.12 * unsaid) * head


@lru_cache(maxsize=4096)
def find_columns(span: tuple[str, ...], table: Table) -> tuple[tuple[Column, ...], float]:
    """Columns of `table` that a span of stems names equally well, and how well (0 to 1)."""
    words = tuple(word for word in span if word not in _SMALL)
    if not words:
        return (), 0.0
    scores = [(column, _column_score(words, column)) for column in table.columns]
    best = max((score for _, score in scores), default=0.0)
    if best < 0.5:
        return (), 0.0
    found = tuple(column for column, score in scores if score > best - 0.02)
    if len(words) == 1 and words[0] in GENERIC and best < 0.99:
        return (), 0.0
    return found, best


def concept_columns(table: Table, concepts: tuple[str, ...]) -> tuple[Column, ...]:
    """Columns of numbers or dates whose name answers to the first of `concepts` that any answers to."""
    for concept in concepts:
        names = COLUMN_WORDS.get(concept, (concept,))
        found = [
            (names.index(word), len(column.words), column)
            for column in table.stored
            for word in [*column.words, column.unit or ""]
            if word in names and column.role in ("number", "date") and not column.key
        ]
        if found:
            units = [entry for entry in found if entry[2].unit and names[entry[0]] == entry[2].unit]
            named = [entry for entry in found if entry not in units] or found
            best = min(entry[0] for entry in named)
            return tuple(dict.fromkeys(column for rank, _, column in named if rank == best))
    lasting = bool({"duration", "length"} & set(concepts))
    return tuple(column for column in table.columns if column.virtual and lasting)
