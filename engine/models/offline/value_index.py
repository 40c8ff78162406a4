"""Finds the values of columns to which words of a question refer."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from engine.models.offline.columns import Column
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import (
    AGAIN,
    COUNTRIES,
    FILLERS,
    GENERIC_NOUNS,
    MONTHS,
    OBJECTS_BEGIN,
    ORDINALS,
    PEOPLE,
    ROW_NOUNS,
    SYNONYMS,
    UNITS,
    VALUE_SYNONYMS,
    WEEKDAYS,
    words,
)
from engine.models.offline.words import Token, alike, base_forms, past, same_family, value_words
from events.late_dataclass import dataclass

__all__ = ["Value", "acted", "value_index", "values_at"]

_COUNTRY_CODES = frozenset({"us", "uk", "eu"})
_PLACES = frozenset({"state", "province", "territory", "country", "st"})
_JOINS = frozenset("-/&,.")
"""Characters inside values that are treated like spaces."""
_COMMON = words("function words")
"""Function words, which are values only if they are written as the table writes them."""
_FEW = 50
"""Nouns at the end of several values, such as “oak”, are searched for only in columns with at most this many values."""
_GENERAL = (
    frozenset(word for group in SYNONYMS for word in group) | GENERIC_NOUNS | ROW_NOUNS | PEOPLE | UNITS
)
"""General words for columns and rows. Such a word does not mean a longer value that contains it: “city” is not City
Hall.
"""
_ADJECTIVE_ENDINGS = ("y", "n", "an", "ian", "ean", "ese", "ish", "ic", "al", "ly", "ful")


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a column that the question mentions.

    If `part` is true, `text` is not a whole value but words that several values contain: “Fords” means all names that
    begin with Ford.
    """

    column: Column
    text: str
    part: bool = False


@dataclass(frozen=True, slots=True)
class _Entry:
    words: tuple[str, ...]
    column: Column
    value: str
    part: bool = False
    """Whether it means all values that contain its words."""
    cost: int = 0
    names_rows: bool = False
    """Whether its first word also names the rows of the table: a “booking” is not Booking.com."""

    @property
    def meant(self) -> Value:
        """Return the value that this entry means."""
        return Value(self.column, self.value, self.part)


@lru_cache(maxsize=64)
def value_index(table: Table) -> dict[str, list[_Entry]]:
    """Return the text values of a table by their first word and its base forms."""
    found: dict[str, list[_Entry]] = {}
    for column in table.columns:
        if column.role != "text":
            continue
        pieces = _pieces(column)
        for value in (*column.profile.values, *pieces):
            words = value_words(value)
            if 0 < len(words) <= 8:
                rows = len(words) > 1 and bool(base_forms(words[0]) & table.nouns)
                entry = _Entry(words, column, value, value in pieces, names_rows=rows)
                for form in base_forms(words[0]):
                    found.setdefault(form, []).append(entry)
        for entry in _kinds(column, table):
            for form in base_forms(entry.words[0]):
                found.setdefault(form, []).append(entry)
    return found


def _kinds(column: Column, table: Table) -> list[_Entry]:
    """Return entries for the nouns at the end of values: “oaks” for Red Oak and English Oak."""
    values = column.profile.values
    if not column.profile.values_complete or column.profile.distinct > _FEW:
        return []
    named = {form for c in table.columns for word in c.all_words for form in base_forms(word)} | table.nouns
    found = []
    split = {value: value_words(value) for value in values}
    for noun in dict.fromkeys(said[-1] for said in split.values() if len(said) in (2, 3)):
        ending = [value for value, said in split.items() if said[-1] == noun]
        having = [value for value in values if noun in value.lower()]
        plain = noun.isalpha() and len(noun) > 2 and not base_forms(noun) & (named | _GENERAL | _COMMON)
        if (
            plain
            and ending == having
            and len(ending) < len(values)
            and all(len(split[one]) > 1 for one in ending)
        ):
            found.append(_Entry((noun,), column, noun if len(ending) > 1 else ending[0], len(ending) > 1, 3))
    return found


def _pieces(column: Column) -> frozenset[str]:
    """Return the parts of a column's values, if most values are lists: “Florida” in “Pad 39A, Florida, USA”."""
    values = column.profile.values
    listed = [value for value in values if ", " in value]
    if not column.profile.values_complete or 2 * len(listed) <= len(values):
        return frozenset()
    return frozenset(piece for value in listed for piece in value.split(", ")).difference(values)


def acted(word: str, columns: Iterable[Column]) -> Iterator[Value]:
    """Yield the values that match a noun for an act: `denied` for “denial”, `abandoned` for “abandonment”."""
    for column in columns:
        few = column.role == "text" and column.profile.values_complete and column.profile.distinct <= 50
        for value in column.profile.values if few else ():
            if past(value.lower()) and same_family(word, value.lower()):
                yield Value(column, value)


def values_at(
    tokens: list[Token], start: int, index: dict[str, list[_Entry]]
) -> Iterator[tuple[int, Value, int]]:
    """Yield the values that begin at `start`: their end, the value, and the cost of this reading."""
    token = tokens[start]
    if token.quoted:
        yield from _quoted(token, start, index)
        return
    forms = base_forms(token.word)
    entries = {id(entry): entry for form in forms for entry in index.get(form, ())}
    partly: dict[Column, list[_Entry]] = {}
    whole = 0
    for entry in entries.values():
        length, end = _match(tokens, start, entry.words)
        if length == 1 and (_to_do(tokens, start, entry) or _did(tokens, start, entry)):
            continue
        if length == len(entry.words):
            if _plain(tokens[start:end], entry):
                name = length == 1 and entry.column.profile.distinct > 100 and token.text.islower()
                exact = length == 1 or tokens[end - 1].word == entry.words[-1]
                exact = exact and (length > 1 or token.word == entry.words[0])
                whole = max(whole, end)
                if entry.cost and not _is_noun_form(token.word, entry.words[0]):
                    continue  # “left” does not mean On Leave
                whole_too = (
                    o for o in entries.values() if not o.part and not o.cost and o.words == entry.words
                )
                piece = entry.part and any(whole_too)
                yield end, entry.meant, entry.cost or (3 if name or piece else 0 if exact else 1)
        elif length:
            partly.setdefault(entry.column, []).append(entry)
    yield from ((end, value, cost) for end, value, cost in _parts(tokens, start, partly) if end > whole)
    yield from _places_at(tokens, start, index, named=whole > start)


def _places_at(
    tokens: list[Token], start: int, index: dict[str, list[_Entry]], *, named: bool
) -> Iterator[tuple[int, Value, int]]:
    """Yield the values for which the words have another form: `Germany` for “German”, `NY` for “New York”.

    If the words are a value themselves (`named`), they do not mean the code of the same place in another column.
    """
    word = tokens[start].word
    both = f"{word} {tokens[start + 1].word}" if start + 1 < len(tokens) else ""
    countries = {written: 1 for form in base_forms(word) for written in COUNTRIES.get(form, ())}
    countries |= dict.fromkeys(COUNTRIES.get(both, ()), 2)
    for written in dict.fromkeys((*sorted(countries), *_other_forms(word))):
        for entry in index.get(written.split()[0], ()):
            coded = written in countries and len(written) == 2 and written not in _COUNTRY_CODES
            if coded and (named or not _PLACES & set(entry.column.words)):
                continue  # `ak` is Alaska only in a column of states
            if not entry.cost and " ".join(entry.words) == written and not _to_do(tokens, start, entry):
                # “French films” may be of a language or of a country
                yield start + countries.get(written, 1), entry.meant, int(written not in countries)


def _is_noun_form(word: str, noun: str) -> bool:
    """Return whether a word is `noun` or its plural, and not another form such as the past tense of a verb."""
    plurals = (f"{noun}s", f"{noun}es", f"{noun.removesuffix('y')}ies")
    return word == noun or word in plurals


def _did(tokens: list[Token], start: int, entry: _Entry) -> bool:
    """Whether a past tense with an object means an action, not a value: who “opened the most tickets” is not about rows
    that are `Open`.
    """
    word, after = tokens[start].word, tokens[start + 1].word if start + 1 < len(tokens) else ""
    often = [token.word for token in tokens[start + 1 : start + 6]]
    counted = after == "more" and often[1:2] == ["than"] and bool({"once", "twice", "times"} & set(often[2:]))
    acts = word.endswith("ed") and past(word) and after in OBJECTS_BEGIN and not counted
    return acts and len(entry.words) == 1 and not past(entry.words[0])


def _to_do(tokens: list[Token], start: int, entry: _Entry) -> bool:
    """Whether a verb names an action that is still to come: “time to close” is not about rows that are `Closed`."""
    return start > 0 and tokens[start - 1].word == "to" and past(entry.words[0]) > past(tokens[start].word)


def _quoted(token: Token, start: int, index: dict[str, list[_Entry]]) -> Iterator[tuple[int, Value, int]]:
    words = value_words(token.text)
    for entry in index.get(words[0], ()) if words else ():
        if entry.words == words:
            yield start + 1, entry.meant, 0


def _match(tokens: list[Token], start: int, words: tuple[str, ...]) -> tuple[int, int]:
    """Return how many of a value's words match the tokens from `start` on, and where the match ends. The last word may
    be a plural.
    """
    count, place, end = 0, start, start
    for word in words:
        while count and place < len(tokens) and tokens[place].word in _JOINS:
            place += 1
        if place >= len(tokens) or tokens[place].quoted:
            break
        said = tokens[place].word
        if said != word and not (
            (count == len(words) - 1 or len(words) == 1) and len(word) > 2 and alike(said, word)
        ):
            break
        count += 1
        place += 1
        end = place
    return count, end


def _plain(tokens: list[Token], entry: _Entry) -> bool:
    """Whether tokens may mean a value. If the value is very short or a common word, they must be written exactly as in
    the table: “r” does not mean `R`.
    """
    text = " ".join(token.text for token in tokens)
    if len(entry.value) <= 2 or entry.value.lower() in _COMMON:
        return text == entry.value
    return True


def _parts(
    tokens: list[Token], start: int, partly: dict[Column, list[_Entry]]
) -> Iterator[tuple[int, Value, int]]:
    """Yield longer values that begin with the words. If there are several, yield one value that means all values that
    contain the words.
    """
    token = tokens[start]
    if len(token.word) < 4 or token.word in MONTHS or token.word in WEEKDAYS or token.number is not None:
        return
    for column, entries in partly.items():
        longest, end = max(_match(tokens, start, entry.words) for entry in entries)
        best = [entry for entry in entries if _match(tokens, start, entry.words)[0] == longest]
        few = column.profile.distinct <= 50 and token.word not in _COMMON | FILLERS | AGAIN | set(ORDINALS)
        known = (column.profile.values_complete and (few or not token.text[0].islower())) or longest > 1
        if not known:
            continue
        if longest == 1 and base_forms(token.word) & _GENERAL:
            continue  # “city” is not City Hall
        if longest == 1 and token.text.islower() and any(entry.names_rows for entry in best):
            continue
        named = {token.word for token in tokens[start:end]}
        others = (value for value in column.profile.values if value != best[0].value)
        if len(best) == 1 and any(named <= set(value_words(value)) for value in others):
            continue  # “terminated”: other values contain this word too
        if len(best) == 1:
            yield end, Value(column, best[0].value), 3
        elif column.naming or column.profile.distinct > 30:
            said = " ".join(best[0].words[:longest])
            yield end, Value(column, said, part=True), 4


def _other_forms(word: str) -> Iterator[str]:
    """Yield other forms of a word that may be a value: “Bavarian” means Bavaria, “rainy” means rain."""
    for group in VALUE_SYNONYMS:
        if base_forms(word) & group:
            yield from sorted(group - {word})
    for form in filter(lambda form: len(form) > 3, base_forms(word)):
        yield from (form + ending for ending in ("ure", "ion", "ed", "d", "ful", "r", "er"))
    for ending in _ADJECTIVE_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)]
            yield stem
            yield stem + "e"
            yield stem + "a"
