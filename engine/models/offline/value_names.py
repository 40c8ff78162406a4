"""Which values a few words name: as they stand, under another word, or marked by the column beside them."""

from engine.models.offline.column_names import find_columns
from engine.models.offline.concepts import (
    ADJECTIVES,
    COMPARATIVES,
    DEMONYMS,
    SUPERLATIVES,
    VALUE_WORDS,
    VERBS,
)
from engine.models.offline.items import Item, span_text
from engine.models.offline.lexicon import CLOSED, PHRASES, SOFT
from engine.models.offline.places import STATES
from engine.models.offline.schema import Column, Table, ValueEntry, words_of
from engine.models.offline.words import Token, root, stem

__all__ = ["one_each", "value_item"]


_ONE_WORD = frozenset(
    word for word, entries in PHRASES.items() if any(len(words) == 1 for words, _ in entries)
)


def value_item(
    tokens: list[Token], start: int, table: Table, before: list[Item], shouted: bool
) -> Item | None:
    """The values that the words from `start` on name, as an item; None where they name none."""
    token = tokens[start]
    if token.quoted:
        span: tuple[str, ...] = words_of(token.word)
        found = [entry for entry in table.by_first.get(span[0] if span else "", ()) if entry.stems == span]
        if found:
            return Item("val", start, start + 1, token.text, entries=one_each(found, None), exact=True)
        return None
    stems = tuple(part.stem for part in tokens[start : start + 10])
    entries = [
        entry for entry in table.by_first.get(stems[0], ()) if entry.stems == stems[: len(entry.stems)]
    ]
    if not entries and token.word.endswith("ies"):
        entries = [entry for entry in table.by_first.get(token.word[:-1], ()) if len(entry.stems) == 1]
    if not entries:
        return _state(tokens, start, table) or _other_word(token, start, table)
    entries = [*_sexes(stems[0], table), *entries]
    longest = max(len(entry.stems) for entry in entries)
    entries = [entry for entry in entries if len(entry.stems) == longest]
    beside = _beside(tokens, start, longest, table, before)
    kind_of = (
        start > 1 and tokens[start - 1].word == "of" and tokens[start - 2].stem in ("type", "kind", "sort")
    )
    if longest == 1 and kind_of:
        return None
    if longest == 1 and token.stem in table.nouns and not beside and not token.text[0].isupper():
        return None
    if longest == 1:
        entries = [entry for entry in entries if _plausible(entry, token, beside, shouted)]
        if not entries:
            return None
    chosen = one_each(entries, beside)
    return Item(
        "val", start, start + longest, span_text(tokens, start, start + longest), entries=chosen, exact=True
    )


def _beside(
    tokens: list[Token], start: int, size: int, table: Table, before: list[Item]
) -> frozenset[Column]:
    """Columns named right before or after a span."""
    found: set[Column] = set()
    for item in reversed(before[-4:]):
        if item.kind == "col":
            found.update(item.columns)
        elif item.kind not in ("val", "soft", "and", "or", "num", "neg", "op", "verb"):
            break
    for skip in (0, 1):
        if skip and (start + size >= len(tokens) or tokens[start + size].word not in ("and", "or")):
            break
        if start + size + skip < len(tokens):
            columns, score = find_columns((tokens[start + size + skip].stem,), table)
            if score >= 0.7:
                found.update(columns)
                break
    return frozenset(found)


def _plausible(entry: ValueEntry, token: Token, beside: frozenset[Column], shouted: bool) -> bool:
    """Whether a single word that is also grammar, or a single letter, is meant as a value."""
    word = token.word
    near_column = entry.column in beside
    if word.isdigit():
        return near_column
    if len(word) == 1 or word in CLOSED:
        capital = token.capital and entry.value.isupper() and not shouted
        return (capital and (near_column or (len(word) > 1) or word not in ("i", "a"))) or (
            near_column and len(word) == 1 and word != "a"
        )
    if not entry.column.naming and entry.column.distinct <= 30 and _weak(word) and not near_column:
        return True
    if word in SOFT or word in _ONE_WORD or word in SUPERLATIVES:
        return near_column or (token.text[0].isupper() and token.start > 0 and not shouted)
    is_verb = word in VERBS or word in ADJECTIVES
    return near_column or not (entry.column.naming and len(entry.stems) == 1 and is_verb)


def _weak(word: str) -> bool:
    """Whether a word is grammar only where no column has it as a value: `running`, `rest`."""
    kinds = {tag.kind for words, tag in PHRASES.get(word, ()) if len(words) == 1}
    return bool(kinds) and kinds <= {"streak", "rest", "greet", "thanks", "mutate", "same"}


def one_each(entries: list[ValueEntry], beside: frozenset[Column] | None) -> tuple[ValueEntry, ...]:
    """One entry for each column, the likeliest column first."""
    chosen = [entry for entry in entries if beside and entry.column in beside] or entries
    chosen = sorted(chosen, key=lambda entry: (entry.column.naming, entry.column.distinct))
    return tuple({entry.column: entry for entry in reversed(chosen)}.values())[::-1]


def _other_word(token: Token, start: int, table: Table) -> Item | None:
    """Values under another word: demonyms, `women` for F, `rainy` for rain, tickers and initials."""
    word = token.stem
    if token.word in CLOSED or (token.word in SOFT and token.word not in VALUE_WORDS):
        return None
    others = f"{DEMONYMS.get(token.word, '')} {DEMONYMS.get(word, '')} {VALUE_WORDS.get(word, '')}".split()
    found = [entry for other in others for entry in _exactly(table, tuple(other.split("-")))]
    if (
        not found
        and token.word not in PHRASES
        and token.word not in SUPERLATIVES
        and token.word not in COMPARATIVES
    ):
        found = [
            entry
            for entry in table.by_root.get(root(word), ())
            if not entry.column.naming and len(root(word)) >= 3
        ]
        found = [entry for entry in found if abs(len(entry.stems[0]) - len(word)) <= 3]
    if not found:
        return None
    return Item("val", start, start + 1, token.text, entries=one_each(found, None))


def _state(tokens: list[Token], start: int, table: Table) -> Item | None:
    """A state of the USA by name, in a column of codes."""
    for size in (3, 2, 1):
        words = tuple(token.word for token in tokens[start : start + size])
        found = table.by_first.get(STATES[words], []) if words in STATES else []
        found = [e for e in found if len(e.stems) == 1 and e.value.isupper() and "state" in e.column.words]
        if found:
            text = span_text(tokens, start, start + size)
            return Item("val", start, start + size, text, entries=one_each(found, None), exact=True)
    return None


def _sexes(word: str, table: Table) -> list[ValueEntry]:
    """Men and women in a column of sexes, whatever other column has values of these names."""
    if word not in ("man", "woman"):
        return []
    found = [entry for other in VALUE_WORDS[word].split() for entry in _exactly(table, (other,))]
    return [ValueEntry(e.column, e.value, (word,)) for e in found if {"sex", "gender"} & set(e.column.words)]


def _exactly(table: Table, words: tuple[str, ...]) -> list[ValueEntry]:
    wanted = tuple(stem(word) for word in words)
    return [
        entry
        for entry in table.by_first.get(wanted[0], ())
        if entry.stems == wanted and not entry.column.naming
    ]
