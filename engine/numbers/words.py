"""Normalizes words of answers, labels and column names, so that "Regions" matches `region`."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from engine.system.lazy_module import LazyModule

if TYPE_CHECKING:
    import snowballstemmer
else:
    snowballstemmer = LazyModule("snowballstemmer")

__all__ = ["Word", "forms", "name_pieces", "name_words", "stem", "text_words", "written"]

_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+|%|°")
_SYNONYMS = """
avg average averaging mean | cnt count number num nr no
pct percent percentage proportion share shr portion fraction | qty quantity
min minimum lowest smallest low | max maximum highest largest high peak
std standard sd stddev deviation stdev | amt amount | temp temperature | rev revenue turnover sales sale
diff difference delta gap | chg change | growth grow grew | prev previous prior | corr correlation correlate
estimate coefficient coef coeff | squared r² r2 | adj adjusted | error failed failure fail se
conversion convert converted conv | customer cust client
applied apply application applicant | hired hire joined join | delivered delivery | retained retention retain
respondent response respond answer answered | missing null blank | bought buy purchase purchased | opened open
visited visit visitor appointment | admitted admission admit | departed departure depart | arrived arrival arrive
refund refunded | churn churned | weight weigh weighed | height tall | cost expense spend spent spending expenditure
price priced
jan january | feb february | mar march | apr april | jun june | jul july | aug august | sep sept september
oct october | nov november | dec december | mon monday | tue tuesday | wed wednesday | thu thursday
fri friday | sat saturday | sun sunday
win won wins winner | draw drew drawn | lose lost loss defeat defeated | sell sold | pay paid payment | make made
keep kept | leave left | run ran | send sent | build built | fly flew flown flight | drive drove driven driver
write wrote written | take took taken | give gave given | break broke broken | steal stole stolen theft
choose chose chosen | speak spoke spoken | hold held | catch caught | teach taught | think thought
meet met | shoot shot | sleep slept | eat ate eaten | drink drank | ride rode ridden rider | begin began begun
die died dead death deaths killed fatalities fatality | bear born birth | marry married marriage
bike bicycle cycle cycling cyclist bicycling | register registered registration
subscribe subscribed subscription subscriber | produce produced
produces producing | consume consumed consumption | reduce reduced reduction | resolve resolved resolution
cancel cancelled canceled cancellation | occupy occupied occupancy | vary varied variance variation
receive received receipt | ship shipped shipment | game match fixture play played | mile mileage | ill illness sick
long length | deep depth | wide width | hot heat | fast speed quick | age aged old | km kilometre kilometer
female woman women | male man men | delay delayed late | point pts pt | rebound reb | assist ast
attempt att attempted | employee staff headcount personnel workforce
kg kilogram kilo | withdraw withdrew withdrawn withdrawal | overspend overspent | m2 m² sqm | tonne ton tonnage
"""
"""Words with the same meaning in column names and in sentences; the first of each group replaces the others."""


@cache
def _stemmer() -> "snowballstemmer.stemmer":
    return snowballstemmer.stemmer("english")


@cache
def _synonyms() -> Mapping[str, str]:
    found = {}
    for group in re.split(r"[|\n]", _SYNONYMS.strip()):
        words = group.split()
        for word in words:
            found[word] = words[0]
            found.setdefault(_stemmer().stemWord(word), words[0])
    return found


class Word(NamedTuple):
    """A word in a text in its common form, with its position."""

    form: str
    start: int
    end: int


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word in its common form: its stem in lower case, with one word for all synonyms."""
    plain = re.sub(r"['’]s?$|['’][a-z]+$", "", word.casefold())
    same = _synonyms().get(plain)
    if same is None and plain.isalpha() and plain.isascii():
        plain = _stemmer().stemWord(plain)
        same = _synonyms().get(plain)
    return same or _root(plain)


_ROOTS = ((re.compile(r"(?<=...)miss$"), "mit"), (re.compile(r"(?<=..)script$"), "scrib"))
"""Endings of nouns that the stemmer does not relate to their verbs: "readmission" to "readmit"."""


def _root(plain: str) -> str:
    for found, verb in _ROOTS:
        plain = found.sub(verb, plain)
    return plain


def forms(words: str) -> frozenset[str]:
    """Return the common forms of words that are separated by spaces."""
    return frozenset(stem(word) for word in words.split())


def written(words: str) -> frozenset[str]:
    """Return words that are separated by spaces, as they are written."""
    return frozenset(words.split())


def text_words(text: str) -> list[Word]:
    """Return the words in a text with their positions."""
    words: list[Word] = []
    for found in _WORD.finditer(text):
        form = stem(found[0])
        makes_up = form == "up" and bool(words) and words[-1].form == "make"  # "make up": a share, not a rise
        words.append(Word("make" if makes_up else form, found.start(), found.end()))
    return words


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a column's or table's name in their common form: `avgPrice_EUR` is "avg", "price", "eur"."""
    return tuple(stem(piece) for piece in name_pieces(name))


@lru_cache(maxsize=5_000)
def name_pieces(name: str) -> tuple[str, ...]:
    """Return the words of a column's or table's name as they are written, in lower case."""
    pieces: list[str] = []
    for found in _PIECE.finditer(name):
        piece = found[0]
        if (
            pieces
            and piece.isdigit()
            and len(piece) < 4
            and len(pieces[-1]) <= 2
            and name[found.start() - 1] not in "_ -"
        ):
            pieces[-1] += piece  # q2
        else:
            pieces.append(piece.casefold())
    return tuple(pieces)
