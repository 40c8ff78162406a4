"""What people say besides a question: fillers and remarks, which change no number."""

import re
from collections.abc import Callable, Sequence

from engine.models.offline.words import Token, base_forms, tokens_of

__all__ = ["order_in", "refers_back", "sentences_of", "without_fillers"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FILLERS = _words(
    """
    pls plz please lol haha thx ty thanks cheers hi hello hey dear kindly btw hmm um ok okay oh yo actually
    really basically simply quickly quick ever overall altogether just so maybe perhaps got gotten get gets
    there everything whatsoever i we you me us could would can want wanna gimme lemme been being be have has
    had did does do then show appear appears exist exists ( )
    """
)
"""Words that never change what a question asks: politeness, pronouns, auxiliaries. A word that names something in the
table is not a filler."""
_HAPPENED = _words(
    """
    carried conducted performed recorded reported registered listed logged made given taken placed held played
    filed issued submitted happened occurred took
    """
)
"""Participles that say only that rows exist, if they follow their noun: “orders placed in May”. Before a noun they
select rows (“registered users”), so they are not fillers there."""
_FOLLOWS = _words(
    "in on at by from between during since before after for per with to of each every until through , -"
)
"""Words that can follow such a participle."""
_PAIRS = frozenset({("carried", "out"), ("took", "place"), ("show", "up"), ("shows", "up"), ("showed", "up")})
"""Verbs with the second word that belongs to them."""
_STARTS = _words(
    """
    i we my our us hi hello hey dear thanks thank thx cheers sorry please need lol ok okay good just this it
    morning quick afternoon
    """
)
_CONDITIONS = _words(
    """
    only without exclude excluding except ignore ignoring not never no don't assume assuming if unless but
    instead mean means define count where per which more less than before after since until between over under
    above below
    """
)
_REFERRING = frozenset({"they", "them", "those", "these", "their", "theirs"})
"""Words that speak of what the question before was about."""
_POLITE = frozenset(
    {"please", "can", "could", "would", "you", "hi", "hey", "hello", ",", "now", "then", "and"}
)
_ORDERS = _words(
    """
    delete cancel remove update insert rename replace refund send email book fix correct edit undo upload
    schedule close reopen assign fire hire write save
    """
)
"""Verbs of orders to change something, which are not questions about a table."""
_SENTENCE = re.compile(r"(?<=[?!:])\s+|(?<=[^\s.]{3}\.)\s+(?=[A-Z])|\n+")


def order_in(tokens: Sequence[Token]) -> Token | None:
    """Return the verb of an order to change something: “Please cancel …”; None if there is none."""
    first = next((token for token in tokens if token.word not in _POLITE), None)
    return first if first is not None and first.word in _ORDERS and not first.quoted else None


def refers_back(tokens: Sequence[Token]) -> bool:
    """Return whether a question speaks of what the one before was about."""
    return any(token.word in _REFERRING for token in tokens)


def without_fillers(tokens: Sequence[Token], named: Callable[[int], bool]) -> list[Token]:
    """Return the tokens without fillers. `named` returns whether the token at a place names something."""
    kept = [token for place, token in enumerate(tokens) if not _is_filler(tokens, place) or named(place)]
    while kept and kept[-1].word == ",":
        kept.pop()
    while kept and kept[0].word == ",":
        kept.pop(0)
    return kept


def _is_filler(tokens: Sequence[Token], place: int) -> bool:
    word = tokens[place].word
    before = tokens[place - 1].word if place else ""
    after = tokens[place + 1].word if place + 1 < len(tokens) else ","
    if tokens[place].quoted:
        return False
    if word in _FILLERS or (before, word) in _PAIRS:
        return True
    return word in _HAPPENED and place > 0 and (after in _FOLLOWS or (word, after) in _PAIRS)


def sentences_of(question: str, named: Callable[[Token], bool]) -> tuple[list[str], tuple[str, ...]]:
    """Split a question into the sentences that ask something and remarks, such as “We have a meeting tomorrow.”

    A remark begins with a word such as “we”, and has no condition, no number and no word for which `named` is true.
    """
    asked: list[str] = []
    remarks: list[str] = []
    for sentence in filter(None, (part.strip() for part in _SENTENCE.split(question))):
        (remarks if _is_remark(tokens_of(sentence), named) and not sentence.endswith("?") else asked).append(
            sentence
        )
    return asked, tuple(remarks)


def _is_remark(tokens: Sequence[Token], named: Callable[[Token], bool]) -> bool:
    if not tokens or tokens[0].word not in _STARTS:
        return False
    return not any(
        token.quoted or token.number is not None or token.word in _CONDITIONS
        or base_forms(token.word) & _CONDITIONS or named(token)
        for token in tokens
    )  # fmt: skip
