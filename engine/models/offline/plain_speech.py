"""Words around a question, such as fillers and remarks, that do not change its meaning."""

import re
from collections.abc import Callable, Sequence

from engine.models.offline.vocabulary import words
from engine.models.offline.words import Token, base_forms, tokens_of

__all__ = ["asks_whether", "order_in", "refers_back", "sentences_of"]


_STARTS = words("remarks begin")
_CONDITIONS = words("conditions")
_STORIES = words("stories begin")
_DIRECTIONS = words("directions") | words("computing words") | words("not left out")
_REFERRING = frozenset({"they", "them", "those", "these", "their", "theirs"})
"""Words that refer to the topic of the previous question."""
_POLITE = frozenset(
    {"please", "can", "could", "would", "you", "hi", "hey", "hello", ",", "now", "then", "and"}
)
_ORDERS = words("orders")
"""Verbs of requests to change something. Such a request is not a question about a table."""
_AFTER_NOUNS = words("after nouns")
"""Words that turn a preceding verb of `_ORDERS` into a noun: “refund rate”, “cancel reasons”."""
_WHETHER = words("whether")
_ASKS = words("asking words")
_SENTENCE = re.compile(r"(?<=[?!:])\s+|(?<=[^\s.]{3}\.)\s+(?=[A-Z])|(?<=\.\.)\s+|\n+")


def order_in(tokens: Sequence[Token]) -> Token | None:
    """Return the verb of a request to change something: “Please cancel …”; None if there is none."""
    said = [token for token in tokens if token.word not in _POLITE][:2]
    if not said or said[0].word not in _ORDERS or said[0].quoted:
        return None
    return None if len(said) == 1 or said[1].word in _AFTER_NOUNS else said[0]


def asks_whether(tokens: Sequence[Token]) -> bool:
    """Return whether a question can be answered with yes or no: “is …”, “did …”, but not “do you know how many …”."""
    words = [token.word for token in tokens if token.word not in _POLITE]
    return bool(words) and words[0] in _WHETHER and not any(word in _ASKS for word in words[1:])


def refers_back(tokens: Sequence[Token]) -> bool:
    """Return whether a question refers to the topic of the previous one."""
    return any(token.word in _REFERRING for token in tokens)


def sentences_of(question: str, named: Callable[[Token], bool]) -> tuple[list[str], tuple[str, ...]]:
    """Split a question into sentences that ask something, and remarks such as “We have a meeting tomorrow.”

    A remark begins with a word such as “we”, and contains no condition, no number and no word for which `named` is
    true. Before the question, a remark may also state a fact: “The sensors fail sometimes.”
    """
    asked: list[str] = []
    remarks: list[str] = []
    sentences = [part.strip() for part in _SENTENCE.split(question) if part.strip()]
    for place, sentence in enumerate(sentences):
        tokens = tokens_of(sentence)
        told = place + 1 < len(sentences) and not asked and _tells(tokens, sentence)
        begins = bool(tokens) and tokens[0].word in _STARTS
        remark = (told or begins) and _says_nothing(tokens, named)
        (remarks if remark and not sentence.endswith("?") else asked).append(sentence)
    return asked, tuple(remarks)


def _tells(tokens: Sequence[Token], sentence: str) -> bool:
    """Whether a sentence is a statement, and not an instruction on how to count or compute."""
    whole = len(tokens) > 3 and sentence.endswith(".") and tokens[0].word in _STORIES
    return whole and not any(base_forms(token.word) & _DIRECTIONS for token in tokens)


def _says_nothing(tokens: Sequence[Token], named: Callable[[Token], bool]) -> bool:
    return not any(
        token.quoted or (token.number is not None and token.word != "one") or token.word in _CONDITIONS
        or base_forms(token.word) & _CONDITIONS or named(token)
        for token in tokens
    )  # fmt: skip
