"""Words of answers, labels and column names, brought to one form, so that "Regions" finds `region`."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer

__all__ = ["Word", "forms", "name_pieces", "name_words", "stem", "text_words"]

_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+|%|°")
_SYNONYMS = """
avg average averaging mean | cnt count number num nr no
pct percent percentage proportion share shr portion fraction | qty quantity
min minimum lowest smallest low | max maximum highest largest high peak
std standard sd stddev deviation stdev | amt amount | temp temperature | rev revenue turnover sales sale
diff difference delta gap | chg change | growth grow grew | prev previous prior | corr correlation correlate
estimate coefficient coef coeff | squared r² r2 | adj adjusted | error failed failure fail se
conversion convert converted conv | customer cust client | spend spent spending expenditure
applied apply application applicant | hired hire joined join | delivered delivery | retained retention retain
respondent response respond answer answered | missing null blank | bought buy purchase purchased | opened open
visited visit visitor | admitted admission admit | departed departure depart | arrived arrival arrive
refund refunded | churn churned | weight weigh weighed | height tall | cost expense | price priced
jan january | feb february | mar march | apr april | jun june | jul july | aug august | sep sept september
oct october | nov november | dec december | mon monday | tue tuesday | wed wednesday | thu thursday
fri friday | sat saturday | sun sunday
"""
"""Words that mean the same in names of columns and in sentences about them; the first of each group stands for all."""
_stemmer = snowballstemmer.stemmer("english")


def _synonyms() -> dict[str, str]:
    found = {}
    for group in re.split(r"[|\n]", _SYNONYMS.strip()):
        words = group.split()
        for word in words:
            found[word] = words[0]
            found.setdefault(_stemmer.stemWord(word), words[0])
    return found


_SAME: Mapping[str, str] = _synonyms()


class Word(NamedTuple):
    """A word of a text in its common form, and where it stands."""

    form: str
    start: int
    end: int


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word in its common form: its stem in lower case, and one word for those that mean the same."""
    plain = re.sub(r"['’]s?$|['’][a-z]+$", "", word.casefold())
    same = _SAME.get(plain)
    if same is None and plain.isalpha() and plain.isascii():
        plain = _stemmer.stemWord(plain)
        same = _SAME.get(plain)
    return same or plain


def forms(words: str) -> frozenset[str]:
    """Return some words, written with spaces between them, in their common form."""
    return frozenset(stem(word) for word in words.split())


def text_words(text: str) -> list[Word]:
    """Return the words of a text with their places."""
    return [Word(stem(found[0]), found.start(), found.end()) for found in _WORD.finditer(text)]


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a column's or table's name in their common form: `avgPrice_EUR` is "avg", "price", "eur"."""
    return tuple(stem(piece) for piece in name_pieces(name))


@lru_cache(maxsize=5_000)
def name_pieces(name: str) -> tuple[str, ...]:
    """Return the words of a column's or table's name as they are written, in lower case."""
    pieces: list[str] = []
    for found in _PIECE.finditer(name):
        piece = found[0]
        if pieces and piece.isdigit() and len(pieces[-1]) <= 2 and name[found.start() - 1] not in "_ -":
            pieces[-1] += piece  # q2
        else:
            pieces.append(piece.casefold())
    return tuple(pieces)
