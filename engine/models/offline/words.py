"""A question's words: tokens, stems, numbers, and how near two spellings are. Knows English, no table."""

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Token", "distance", "near", "number_word", "root", "stem", "tokenise", "word_list"]

_IRREGULAR = {
    "men": "man", "women": "woman", "people": "person", "persons": "person", "children": "child", "feet": "foot",
    "mice": "mouse", "geese": "goose", "lives": "life", "wives": "wife", "knives": "knife", "shelves": "shelf",
    "data": "data", "series": "series", "species": "species", "lbs": "lb", "hrs": "hour", "hr": "hour",
    "mins": "min", "secs": "sec", "yrs": "year", "colour": "color", "colours": "color", "coloured": "colored",
    "grey": "gray", "centre": "center", "centres": "center", "theatre": "theater", "metre": "meter",
    "metres": "meter", "litre": "liter", "litres": "liter", "kilometre": "kilometer", "kilometres": "kilometer",
    "neighbourhood": "neighborhood", "neighbourhoods": "neighborhood", "labour": "labor", "favourite": "favorite",
    "movies": "movie", "taxis": "taxi", "ties": "tie", "cookies": "cookie", "calories": "calorie", "buses": "bus",
    "gases": "gas",
    "statuses": "status", "bonuses": "bonus", "viruses": "virus", "this": "this", "is": "is", "was": "was",
    "has": "has",
    "does": "does", "news": "news", "lens": "lens", "analyses": "analysis", "diagnoses": "diagnosis", "axes": "axis",
    "categorised": "categorized", "organisation": "organization", "programme": "program", "cheque": "check",
}  # fmt: skip
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "mio": 1e6, "m": 1e6, "mn": 1e6, "billion": 1e9,
           "bn": 1e9, "b": 1e9, "dozen": 12}  # fmt: skip
_CONTRACTED = (
    (r"\bcan'?t\b|\bcannot\b", "can not"), (r"\bwon't\b", "will not"), (r"\b(\w+)n't\b", r"\1 not"),
    (r"\b(what|who|where|when|how|that|it|there|here|let)'s\b", r"\1 is"), (r"\b(\w+)'re\b", r"\1 are"),
    (r"\b(i)'m\b", r"\1 am"), (r"\b(\w+)'(?:ll|d|ve)\b", r"\1"), (r"\b(what|how)s\b", r"\1 is"),
    (r"\b(do|does|did|is|are|was|were|has|have|had)nt\b", r"\1 not"),
    (r"\bw/o\b", "without"), (r"\bw/(?=\s|\w)", "with "), (r"&", " and "), (r"\bno\. of\b", "number of"),
)  # fmt: skip
_TOKEN = re.compile(
    r"(?P<quoted>\"[^\"]{1,80}\"|“[^”]{1,80}”|‘[^’]{2,80}’)"
    r"|(?P<date>\d{4}-\d{1,2}-\d{1,2}|\d{4}-\d{2}(?!\d)|\d{1,2}/\d{1,2}/\d{4})"
    r"|(?P<number>(?<![\w.])[$€£]?-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?P<scale>\s?(?:k|bn|mn|mio|million|billion|thousand)\b)?"
    r"(?P<percent>\s?%)?(?![\w]))"
    r"|(?P<op>>=|<=|≥|≤|<>|!=|[<>=%])"
    r"|(?P<word>[^\W_]+(?:'s?\b)?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, sign or quoted text of a question."""

    text: str
    """As it was written."""
    word: str
    """Lower case, without a possessive."""
    stem: str
    start: int
    end: int
    number: float | None = None
    percent: bool = False
    money: bool = False
    quoted: bool = False

    @property
    def capital(self) -> bool:
        """Whether all its letters are capitals."""
        return self.text.isupper()


def tokenise(question: str) -> tuple[str, list[Token]]:
    """Return the question with its contractions spelled out, and its tokens; offsets point into that text."""
    text = question.replace("’", "'").replace("–", "-").replace("—", " - ").replace("−", "-")
    for pattern, full in _CONTRACTED:
        text = re.sub(pattern, full, text, flags=re.IGNORECASE)
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        raw = found.group()
        kind = found.lastgroup
        if found.group("quoted"):
            inner = raw[1:-1]
            tokens.append(Token(inner, inner.lower(), inner.lower(), found.start(), found.end(), quoted=True))
        elif found.group("number"):
            tokens.append(_number(found))
        elif kind in ("date", "op"):
            tokens.append(Token(raw, raw, raw, found.start(), found.end()))
        else:
            word = re.sub(r"'s?$", "", raw.lower())
            tokens.append(Token(raw, word, stem(word), found.start(), found.end(), number_word(word)))
    return text, tokens


def _number(found: re.Match[str]) -> Token:
    raw = found.group()
    bare = re.sub(r"[$€£,%\s]|[a-z]+$", "", raw.lower())
    scale = (found.group("scale") or "").strip().lower()
    value = float(bare) * _SCALES.get(scale, 1.0)
    word = str(int(value)) if value.is_integer() else str(value)
    return Token(
        raw, word, word, found.start(), found.end(), value, bool(found.group("percent")), raw[0] in "$€£"
    )


def number_word(word: str) -> float | None:
    """The number that one word says, e.g. `seven`; None for any other word."""
    if word in _ONES[2:] or word == "zero":
        return float(_ONES.index(word))
    if word in _TENS:
        return float(_TENS[word])
    return _SCALES.get(word) if word in ("hundred", "thousand", "million", "billion", "dozen") else None


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Singular of a noun, in American spelling; other words as they are."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        if word.endswith("ies") and len(word) > 4:
            return word[:-3] + "y"
        if word.endswith("zzes"):
            return word[:-3]
        if word.endswith(("sses", "xes", "ches", "shes")):
            return word[:-2]
        return word[:-1]
    return word


@lru_cache(maxsize=200_000)
def root(word: str) -> str:
    """What is left of a word without the endings of verbs and adjectives: `rainy`, `raining` → `rain`."""
    word = stem(word)
    for ending in (
        "iest",
        "ation",
        "ier",
        "ily",
        "ing",
        "est",
        "ion",
        "ed",
        "er",
        "or",
        "al",
        "ly",
        "y",
        "e",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word.removesuffix("i") if len(word) > 4 else word


def distance(left: str, right: str, most: int = 2) -> int:
    """Damerau-Levenshtein distance (optimal string alignment, Boytsov 2011), or `most` + 1 where it is greater."""
    if abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def near(word: str, known: str) -> int | None:
    """How many slips turn `known` into `word`; None where that is too many for a slip of the pen."""
    if len(word) < 4 or len(known) < 4 or word[0] != known[0]:
        return None
    most = 1 if len(known) < 8 else 2
    slips = distance(word, known, most)
    return slips if slips <= most else None


def word_list(text: str) -> tuple[str, ...]:
    """The words of a text, for lists of words that read better as text than one to a line."""
    return tuple(text.split())
