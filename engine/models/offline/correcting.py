"""Corrects typos in a question."""

from dataclasses import replace

from rapidfuzz import process
from rapidfuzz.distance import OSA

from engine.models.offline.lexer import items_of
from engine.models.offline.money import MONEY, takings
from engine.models.offline.schema import Table
from engine.models.offline.value_index import value_index
from engine.models.offline.vocabulary import ADJECTIVES, AGAIN, BUSIEST, FILLERS, HAPPENED, SYNONYMS
from engine.models.offline.words import Token, base_forms, past

__all__ = ["correct"]

_COMMON = (
    "the",
    "many",
    "what",
    "which",
    "for",
    "per",
    "and",
    "from",
    "with",
    "have",
    "when",
    "where",
    "show",
    "than",
)
"""The only words to which a word of three or four letters can be corrected."""


def correct(
    tokens: list[Token], table: Table, known: frozenset[str]
) -> tuple[list[Token], tuple[tuple[str, str], ...]]:
    """Replace unknown words that are one typo away from a known word; return the tokens and the corrections.

    `known` contains the words of the grammar.
    """
    candidates = _candidates(table, known, {token.word for token in tokens})
    found, changed = [], []
    for place, (token, word) in enumerate((token, token.word) for token in tokens):
        here = items_of(tokens[place : place + 1], table)[0]
        unknown = token.number is None and not token.quoted and word.isalpha() and len(word) >= 3
        if not unknown or base_forms(word) & known or any(item.kind != "word" for item in here):
            found.append(token)
            continue
        near = process.extractOne(
            word,
            [one for one in candidates if one != word] if len(word) >= 5 else _COMMON,
            scorer=OSA.distance,
            score_cutoff=1 if len(word) < 8 else 2,
        )
        if near is None or near[0][0] != word[0] or _another_form(word, near[0]):
            found.append(token)
            continue
        changed.append((token.text, near[0]))
        found.append(replace(token, text=near[0], word=near[0]))
    return found, tuple(changed)


def _candidates(table: Table, known: frozenset[str], said: set[str]) -> list[str]:
    """Return the words to which a word of five or more letters can be corrected. The first word of a longer value is
    included only if the question also contains the value's second word: “twins” is not Twin Falls County.
    """
    names = {word for column in table.columns for word in column.all_words if len(word) > 3}
    names |= {
        word
        for word in (*BUSIEST, *(word for more, less, _ in ADJECTIVES for word in (more, less)))
        if len(word) > 4
    }
    names |= {
        entry.words[0]
        for entries in value_index(table).values()
        for entry in entries
        if len(entry.words[0]) > 3 and (len(entry.words) == 1 or entry.words[1] in said)
    } | {noun for noun in table.nouns if len(noun) > 3}
    names |= {word for group in SYNONYMS if group & names for word in group if len(word) > 4}
    names |= MONEY if takings(table) else frozenset()
    names |= {f"{word}s" for word in names if not word.endswith("s")}
    names |= {word for word in known if len(word) > 5} - HAPPENED
    return sorted(names - FILLERS - AGAIN)


def _another_form(said: str, known: str) -> bool:
    """Whether a word differs from a known word only in its ending, and so is not a typo: “assigned” is not a typo of
    “assignee”, nor “fully” of “full”.
    """
    if said.endswith("ly") and not known.endswith("ly") and known.startswith(said[:-2]):
        return True
    return past(said) and not past(known) and known.startswith(said[:-2])
