"""Words in questions and names: tokens, base forms, numbers."""

import re
from functools import lru_cache

from engine.models.offline.vocabulary import ALIKE_UNITS, NUMBER_WORDS, SHORT_WORDS, SYNONYMS, UNITS, words
from events.late_dataclass import dataclass

__all__ = [
    "Token",
    "alike",
    "bare_name",
    "base_forms",
    "name_words",
    "number_of",
    "past",
    "related",
    "same_family",
    "tokens_of",
    "value_words",
]

_TOKEN = re.compile(
    r"""
    "(?P<double>[^"]+)" | “(?P<curly>[^”]+)” | (?<!\w)'(?P<single>[^']+)'(?!\w) | `(?P<code>[^`]+)`
    | (?P<measured>(?<![\w.,])\d+(?:[.,]\d+)?(?=(?:kg|g|km|cm|mm|lbs?|mins?|hrs?|days?|eur|usd)\b))
    | (?P<date>\d{4}-\d{2}-\d{2}|\d{4}-\d{2}(?!\d)|\d{4}-?[qQ][1-4]\b)
    | (?P<number>[-−]?[$€£]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.])[-−]?[$€£]?\d*\.?\d+)
      (?P<scale>\s?%|[kKmM](?!\w)|\s?bn\b)?(?![\w])
    | (?P<word>[^\W_]+) | (?P<sign>>=|<=|≥|≤|!=|<>|[<>=,:;()+*/×%?!.&-])
    """,
    re.VERBOSE
)  # fmt: skip
_SPELLED = (
    (r"\b(can)'?not\b|\bcan't\b", "can not"), (r"\bwon't\b", "will not"), (r"n't\b", " not"),
    (r"\b(do|does|did|is|are|was|were|have|has|had)nt\b", r"\1 not"), (r"\bwhats\b", "what is"),
    (r"\bcant\b", "can not"),
    (r"\b(what|which|who|where|when|how|that|there|it|here)'s\b", r"\1 is"),
    (r"\b(what|which|who|where|they|we)'re\b", r"\1 are"),
    (r"\bno\.\s+of\b|\bnr\.?\s+of\b", "number of"),
    (r"\br\b(?=\s+(there|in|they|we|you))", "are"), (r"\bu\b", "you"), (r"\bppl\b", "people"),
    (r"\bsquare (foot|feet)\b", "sqft"),
    (r"\bsquare (metre|meter)s?\b", "sqm"),
    (r"\bkm\s?/\s?h\b", "kmh"), (r"\bmi\s?/\s?h\b", "mph"),
    (r"\bw/o\b", "without"), (r"\bw/(?=\s|\w)", "with "), (r"#\s?of\b", "number of"), (r"\bavg\.", "avg"),
    (r"\bi'd\b", "i would"), (r"\bi'm\b", "i am"), (r"\bi've\b", "i have"), (r"\blet's\b", "let us"),
    (r"\b(\w+)['’](?:s\b|(?=\s|$))", r"\1")
)  # fmt: skip
_SCALES = {"k": 1e3, "m": 1e6, "bn": 1e9, "%": 1.0}


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign of a question."""

    text: str
    """The text of the token in the question."""
    word: str
    """The text in lower case."""
    number: float | None = None
    percent: bool = False
    quoted: bool = False
    scale: float = 1.0
    """The factor of the number: 1,000 for `50k`."""


def tokens_of(question: str) -> list[Token]:
    """Return the tokens of a question, with contractions written out."""
    text = question.replace("’", "'").replace("‘", "'")
    for pattern, spelled in _SPELLED:
        text = re.sub(pattern, spelled, text, flags=re.IGNORECASE)
    return _joined([token for match in _TOKEN.finditer(text) if (token := _token(match)) is not None])


def _joined(tokens: list[Token]) -> list[Token]:
    """Join the words of a number: “forty-five”, “two hundred”."""
    found: list[Token] = []
    for token in tokens:
        value = _joined_value(found[-1], token) if found else None
        if value is None:
            found.append(token)
        else:
            said = f"{found[-1].text} {token.text}"
            found[-1] = Token(said, said.lower(), value)
    return found


def _joined_value(before: Token, token: Token) -> float | None:
    """Return the value of two number words that belong together, such as “two” and “hundred”; None if they do not."""
    one, two = before.number, token.number
    spelled = before.word.split()[-1] in NUMBER_WORDS and token.word in NUMBER_WORDS
    if not spelled or one is None or two is None or {before.word, token.word} & {"once", "twice"}:
        return None
    if two in (100, 1_000, 1_000_000) and 0 < one < two:
        return one * two
    tens = one % 100
    joins = (20 <= tens <= 90 and tens % 10 == 0 and 1 <= two <= 9) or (
        one >= 100 and tens == 0 and two < 100
    )
    return one + two if joins and two > 0 else None


def _token(match: re.Match[str]) -> Token | None:
    for kind in ("double", "curly", "single", "code"):
        if (quoted := match.group(kind)) is not None:
            return Token(quoted, quoted.lower(), quoted=True)
    if (measured := match.group("measured")) is not None:
        return Token(measured, measured, float(measured.replace(",", "")))
    if (number := match.group("number")) is not None:
        scale = (match.group("scale") or "").strip().lower()
        plain = number.replace("−", "-").lstrip("$€£").replace(",", "")
        value = float(re.sub(r"[$€£]", "", plain)) * _SCALES.get(scale, 1.0)
        return Token(match.group(), match.group().lower(), value, scale == "%", scale=_SCALES.get(scale, 1.0))
    text = match.group()
    if text in ".?!" or (text in "-&" and _inside(match)):
        return None
    return Token(
        text, text.lower(), float(NUMBER_WORDS[text.lower()]) if text.lower() in NUMBER_WORDS else None
    )


def _inside(match: re.Match[str]) -> bool:
    """Return whether a sign joins two words, as in PG-13, but not two numbers, as in 10-20."""
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    return bool(before.strip() and after.strip()) and not (before.isdigit() and after.isdigit())


def number_of(text: str) -> float | None:
    """Return a text as a number, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


@lru_cache(maxsize=100_000)
def base_forms(word: str) -> frozenset[str]:
    """Return `word` and the words of which it may be a plural, a past tense or a participle."""
    found = {word}
    if len(word) > 3 and word.endswith("ies"):
        found |= {word[:-3] + "y", word[:-1]}
    elif len(word) > 4 and word.endswith("ves"):
        found |= {word[:-1], word[:-3] + "f", word[:-3] + "fe"}
    elif len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        found.add(word[:-2])
    elif len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        found.add(word[:-1])
        if word.endswith("oes"):
            found.add(word[:-2])
    if word == "rating":  # from “rated”, not from “rate”
        return frozenset({word, "rated"})
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 2:
            continue
        found |= {stem, stem + "e"} if len(stem) > 2 else {stem + "e"}
        if len(stem) > 3 and stem[-1] == stem[-2]:
            found.add(stem[:-1])
        if stem.endswith("i"):
            found.add(stem[:-1] + "y")
    for ending in ("ation", "ion"):
        if word.endswith(ending) and len(word) - len(ending) >= 5:
            stem = word[: -len(ending)]
            found |= {stem, stem + "e", *({stem[:-1]} if stem[-1] == stem[-2] else ())}
            break
    for ending, verb in _NOUNS_OF_VERBS.items():
        if word.endswith(ending) and len(word) > len(ending):
            found.add(word.removesuffix(ending) + verb)
    if word.endswith("ions") and len(word) > 6:
        found |= base_forms(word[:-1])
    irregular = _IRREGULAR.get(word)
    return frozenset(found | ({irregular} if irregular else set()))


_NOUNS_OF_VERBS = {
    "mission": "mit", "olution": "olve", "version": "vert", "cision": "cide", "duction": "duce", "scription": "scribe",
    "umption": "ume", "ception": "ceive", "ponse": "pond"
}  # fmt: skip
_IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "people": "person", "born": "birth", "sold": "sell",
    "built": "build", "made": "make", "paid": "pay", "sent": "send", "spent": "spend", "began": "begin", "flew": "fly",
    "won": "win", "lost": "lose", "shipped": "ship", "left": "leave", "bought": "buy", "taken": "take", "took": "take",
    "held": "hold", "died": "death", "criteria": "criterion", "indices": "index", "weighs": "weigh", "feet": "foot",
    "gave": "give", "given": "give", "lent": "loan",
    "failure": "fail", "failures": "fail", "closure": "close",
    "departed": "departure", "arrived": "arrival", "delivered": "delivery",
    "sales": "sale", "mice": "mouse", "data": "datum"
}  # fmt: skip


def past(word: str) -> bool:
    """Return whether a word is a past tense or participle, and therefore not a noun."""
    return (word.endswith("ed") and len(word) > 4) or word in _PAST


_PAST = words("past")


def alike(first: str, second: str) -> bool:
    """Return whether two words are forms of the same word."""
    return first == second or not base_forms(first).isdisjoint(base_forms(second))


@lru_cache(maxsize=50_000)
def related(said: str, named: str) -> int | None:
    """Return how close a word of the question is to a word of a name: 0 if equal, 1 for a synonym, None if they are
    unrelated.
    """
    if _root(said) == _root(named) and len(_root(said)) > 3:
        return 0 if alike(said, named) else 1
    if alike(said, named) or alike(SHORT_WORDS.get(said, said), SHORT_WORDS.get(named, named)):
        return 0
    if said in UNITS and any(said in group and named in group for group in ALIKE_UNITS):
        return 0
    if said in SHORT_WORDS and said in UNITS:
        return None  # “per sqft” does not mean by the area of a town
    mine = base_forms(SHORT_WORDS.get(said, said))
    its = base_forms(SHORT_WORDS.get(named, named))
    return 1 if any(mine & group and its & group for group in SYNONYMS) else None


def same_family(said: str, named: str) -> bool:
    """Return whether two words belong to the same family: “cancellations” and “cancelled”."""
    return len(_root(said)) > 3 and _root(said) == _root(named)


_SUFFIXES = (
    "eries", "ery", "ational", "ations", "ation", "ated", "ating", "ates", "ate",
    "ivals", "ival", "ships", "ship", "ivors", "ivor", "ingly", "ments",
    "ment", "ities", "ity", "ings", "ing", "ions", "ion", "ives", "ive", "ers", "ors", "er", "or", "als", "al", "ed",
    "ely", "ly", "es", "e", "s"
)  # fmt: skip


@lru_cache(maxsize=50_000)
def _root(word: str) -> str:
    """Return the root that all words of a family share: survive, survivors, survival; terminated, termination."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            stem = word[: -len(suffix)] + ("er" if suffix in ("ery", "eries") else "")
            return stem[:-1] if len(stem) > 4 and stem[-1] == stem[-2] else stem.removesuffix("iv")
    return word


def bare_name(name: str) -> str:
    """Return a name without the part in brackets at its end: `Price ($)` is Price."""
    return re.sub(r"\s*[(\[][^()\[\]]*[)\]]\s*$", "", name) or name


_MIXED = frozenset(
    {"kwh", "mwh", "gwh", "twh", "kwp", "mwp", "kva", "kpa", "hpa", "mpa", "kmh", "mhz", "ghz", "khz"}
)
"""Units with a capital letter inside, which do not begin new words: `UsageKWh`."""
_SCALED = re.compile(r"(?<![A-Z])(USD|EUR|GBP|CHF|CAD|AUD|JPY)(k|m|mn|bn)(?![a-z])")
"""Currencies with a scale at the end of a name: `launchCostUSDm`."""


def name_words(name: str) -> tuple[str, ...]:
    """Return the words in a column's or table's name: “unit” and “price” for `unitPrice`, `unit_price` and `Unit price
    (€)`."""
    name = _SCALED.sub(lambda found: f" {found[0].lower()} ", name)
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    found = re.findall(r"[^\W_]+", spaced.lower())
    for place in reversed(range(len(found) - 1)):
        if len(found[place]) <= 2 and (joined := "".join(found[place : place + 2])) in _MIXED:
            found[place : place + 2] = [joined]
    return tuple(found)


@lru_cache(maxsize=200_000)
def value_words(value: str) -> tuple[str, ...]:
    """Return the words of a value, split like the words of a question."""
    return tuple(token.word for token in tokens_of(value) if token.word not in ",;:()?!.&-/")
