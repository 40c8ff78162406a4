"""From words to what they may mean over one table: columns, values, times, numbers, grammar.

Longest span first; of spans of equal length the surer meaning. A word that nothing claims is `unknown`, and
an unknown word is a reason not to answer.
"""

from engine.models.offline.column_names import concept_columns, find_columns
from engine.models.offline.concepts import ADJECTIVES, COMPARATIVES, SUPERLATIVES, UNITS, VERBS
from engine.models.offline.items import Item, span_text
from engine.models.offline.lexicon import CLOSED, SOFT, longest_phrase
from engine.models.offline.schema import Table
from engine.models.offline.times import Recurring, read_time
from engine.models.offline.value_names import value_item
from engine.models.offline.words import Token, word_list

__all__ = ["link"]


_HEADS = frozenset(
    word_list("""
        speed level value amount type kind category grade class name number figure status group label
        column field rating score size area code reading measurement band tier
    """)
)


_WEAK_PHRASES = frozenset(word_list("""
        chart list range rate share describe extent head rest greet mutate same dist trend change advice
        future more top order missing thanks
    """))  # fmt: skip


def link(tokens: list[Token], table: Table) -> list[Item]:
    """Read every token of a question over `table`, from left to right."""
    items: list[Item] = []
    shouted = sum(token.capital for token in tokens) > len(tokens) / 2
    start = 0
    while start < len(tokens):
        item = _at(tokens, start, table, items, shouted)
        items.append(item)
        start = item.end
    return items


def _at(tokens: list[Token], start: int, table: Table, before: list[Item], shouted: bool) -> Item:
    token = tokens[start]
    phrase = _phrase(tokens, start)
    column = _column_item(tokens, start, table)
    value = value_item(tokens, start, table, before, shouted)
    timed = read_time(tokens, start)
    named_day = value is not None and isinstance(timed[1], Recurring) if timed else False
    if timed and not named_day and not (value and value.end - value.start > timed[0]):
        return Item(
            "when", start, start + timed[0], span_text(tokens, start, start + timed[0]), when=timed[1]
        )
    if phrase is not None and phrase.kind == "rest" and phrase.end - start == 2 and start + 1 < len(tokens):
        inner = value_item(tokens, start + 1, table, before, shouted)
        if inner is not None and inner.exact:
            return Item("soft", start, start + 1, token.text)
    if column is not None and column.exact and phrase is not None and _is_measured(before, column):
        return column
    best = _choose(phrase, column, value, tokens)
    if best is not None:
        return best
    if token.number is not None:
        return Item(
            "num", start, start + 1, token.text, number=token.number, percent=token.percent, money=token.money
        )
    return _word(token, start, table)


def _is_measured(before: list[Item], column: Item) -> bool:
    """`average total`, `mean count of …`: a column of numbers right after an aggregate, whatever else it could be."""
    last = before[-1] if before else None
    return (
        last is not None
        and last.kind == "agg"
        and last.value in ("avg", "median", "stddev")
        and any(c.role == "number" for c in column.columns)
    )


def _phrase(tokens: list[Token], start: int) -> Item | None:
    words = [token.word for token in tokens]
    found = longest_phrase(words, start)
    if found and words[start] == "the" and start + 1 < len(words):
        inner = longest_phrase(words, start + 1)
        if inner and inner[0] + 1 > found[0]:
            return Item("soft", start, start + 1, tokens[start].text)
    if found and found[1].kind == "tail" and not _is_tail(tokens, start, found[0]):
        found = longest_phrase(words[: start + 1], start)
    if not found or tokens[start].quoted:
        return None
    size, tag = found
    if tag.kind == "list" and start and words[start - 1] in ("the", "this", "my", "our", "that"):
        return Item("soft", start, start + 1, tokens[start].text)
    return Item(tag.kind, start, start + size, span_text(tokens, start, start + size), value=tag.value)


def _is_tail(tokens: list[Token], start: int, size: int) -> bool:
    end = start + size
    return (
        bool(start)
        and _after_number(tokens, start)
        and not (end < len(tokens) and tokens[end].word == "than")
    )


def _after_number(tokens: list[Token], start: int) -> bool:
    return any(
        token.number is not None or token.word[:1].isdigit() for token in tokens[max(0, start - 2) : start]
    )


def _column_item(tokens: list[Token], start: int, table: Table) -> Item | None:
    if tokens[start].number is not None and not tokens[start].text.isalpha():
        return None
    for size in range(min(5, len(tokens) - start), 0, -1):
        stems = tuple(token.stem for token in tokens[start : start + size])
        if stems[0] in ("of", "the", "in", "per", "a", "for", "by", "at") or stems[-1] in CLOSED:
            continue
        if size == 1 and stems[0] in UNITS and not any(stems[0] in column.words for column in table.columns):
            continue
        if size == 1 and (stems[0] in CLOSED or (len(stems[0]) == 1 and not _single(stems[0], table))):
            continue
        columns, score = find_columns(stems, table)
        word = tokens[start].word
        if score < 0.8 and size == 1 and (word in ADJECTIVES or word in SUPERLATIVES or word in COMPARATIVES):
            continue
        if size == 1 and score < 0.95 and columns and all(c.key and c.unique for c in columns):
            continue
        if size == 1 and score < 0.95 and table.may_be_called(stems[0]) and all(c.naming for c in columns):
            continue
        if (
            size == 1
            and stems[0] in table.nouns
            and (score < 0.95 or all(c.key and c.unique for c in columns))
        ):
            continue
        if columns and (score > 0.52 or size > 1):
            item = Item("col", start, start + size, span_text(tokens, start, start + size), columns=columns)
            item.exact = score >= 0.95
            return item
    return None


def _single(letter: str, table: Table) -> bool:
    return any(column.name.lower() == letter for column in table.columns)


def _choose(phrase: Item | None, column: Item | None, value: Item | None, tokens: list[Token]) -> Item | None:
    found = [item for item in (phrase, column, value) if item is not None]
    if not found:
        return None
    longest = max(item.end for item in found)
    found = [item for item in found if item.end == longest]
    if value in found and column in found and value is not None and column is not None:
        if column.exact and not value.exact:
            return column
        if column.exact and column.end - column.start == 1 and phrase not in found:
            # a word that names a column whole and is also a value: the column, unless a value of itself
            return column
        value.columns = column.columns
        return value
    if phrase in found and column in found and phrase is not None and column is not None:
        return _phrase_or_column(phrase, column, tokens)
    if value in found and value is not None:
        return value
    return found[0]


def _phrase_or_column(phrase: Item, column: Item, tokens: list[Token]) -> Item:
    if phrase.kind == "time":
        if column.exact:
            phrase.columns = column.columns
        return phrase
    if phrase.kind == "agg" and phrase.value == "sum" and column.exact:
        following = tokens[phrase.end].word if phrase.end < len(tokens) else ""
        return phrase if following and following not in CLOSED else column
    if phrase.end - phrase.start > 1:
        return phrase
    if column.exact or (
        phrase.kind in _WEAK_PHRASES and phrase.text.lower() not in ("list", "plot", "chart", "show")
    ):
        return column
    return phrase


def _word(token: Token, start: int, table: Table) -> Item:
    word = token.word

    def item(kind: str, **more: object) -> Item:
        made = Item(kind, start, start + 1, token.text)
        for name, value in more.items():
            setattr(made, name, value)
        return made

    if token.quoted:
        return item("unknown", exact=True)
    if word in SUPERLATIVES:
        direction, concepts = SUPERLATIVES[word]
        return item("sup", value="adj", direction=direction, concepts=concepts)
    if word in COMPARATIVES:
        direction, concepts = COMPARATIVES[word]
        return item("adj", direction=direction, concepts=concepts)
    if word in VERBS and (concept_columns(table, tuple(VERBS[word].split())) or word not in SOFT):
        return item("verb", concepts=tuple(VERBS[word].split()))
    if word in ADJECTIVES:
        direction, concepts = ADJECTIVES[word]
        return item("base", direction=direction, concepts=concepts)
    if table.may_be_called(token.stem) and token.stem not in UNITS:
        return item("row")
    if word in SOFT or word in CLOSED:
        return item("soft")
    if word.endswith(("est", "iest")) and len(word) > 5 and word not in _NO_SUPERLATIVES:
        return item("sup", value="vague")
    if token.stem in UNITS or word in UNITS:
        return item("unit", value=token.stem if token.stem in UNITS else word)
    return item("unknown")


_NO_SUPERLATIVES = frozenset(
    word_list("forest harvest request contest interest priest protest honest invest suggest guest latest")
)
