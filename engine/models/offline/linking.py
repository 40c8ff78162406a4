"""From words to what they may mean over one table: columns, values, times, numbers, grammar.

Longest span first; of spans of equal length the surer meaning. A word that nothing claims is `unknown`, and
an unknown word is a reason not to answer.
"""

from engine.models.offline.words import word_list
from dataclasses import dataclass
from functools import lru_cache

from engine.models.offline.concepts import (
    ADJECTIVES,
    COLUMN_WORDS,
    COMPARATIVES,
    DEMONYMS,
    SUPERLATIVES,
    UNITS,
    VALUE_WORDS,
    VERBS,
)  # fmt: skip
from engine.models.offline.lexicon import CLOSED, PHRASES, SOFT, longest_phrase
from engine.models.offline.schema import Column, Table, ValueEntry, same_words, words_of
from engine.models.offline.times import Recurring, When, read_time
from engine.models.offline.words import Token, near, root, stem

__all__ = ["Item", "concept_columns", "link"]


@dataclass(slots=True, eq=False)
class Item:
    """A span of the question with one meaning, and others that it could have."""

    kind: str
    start: int
    end: int
    text: str
    value: str = ""
    """What a grammar word does: see the lexicon."""
    number: float | None = None
    columns: tuple[Column, ...] = ()
    """Columns that it may name, equally likely."""
    entries: tuple[ValueEntry, ...] = ()
    """Values that it may name, one for each column."""
    when: When | None = None
    direction: int = 0
    concepts: tuple[str, ...] = ()
    part: bool = False
    """Whether only a part of the values was named: a match by containing."""
    exact: bool = False
    """Whether a column's whole name was said."""
    percent: bool = False
    money: bool = False
    used: bool = False


_SHORTENED = frozenset(word_list("temp max min pop prec precip qual dist desc dur elev dept exp avg amt qty lat lon acc vol freq"))
_ONE_WORD = frozenset(word for word, entries in PHRASES.items() if any(len(words) == 1 for words, _ in entries))
_MODIFIED = frozenset(
    word_list("""name id key code type kind date time year day number no title label group class category level score rating status
    count total amount value rate""")
)
_ABBREVIATED = {
    "average": "avg", "maximum": "max", "minimum": "min", "high": "max", "low": "min", "number": "num", "percent": "pct",
    "percentage": "pct", "amount": "amt", "year": "yr", "latitude": "lat", "longitude": "lon lng long", "population": "pop",
    "employee": "emp", "customer": "cust", "product": "prod", "department": "dept", "quantity": "qty", "weight": "wt",
    "height": "ht", "temperature": "temp", "mile per gallon": "mpg", "horsepower": "hp", "address": "addr", "category": "cat",
    "transaction": "txn trans", "identifier": "id", "manager": "mgr", "hour": "hr", "minute": "min", "second": "sec",
    "kilometer": "km", "kilogram": "kg", "gram": "g", "year built": "yr_built", "bedroom": "br bed", "bathroom": "ba bath",
    "reference": "ref", "description": "desc", "message": "msg", "account": "acct", "balance": "bal", "doctor": "dr",
}  # fmt: skip
_GENERIC = frozenset(word_list("""
    number value total count average max min per level mean no of in the and a or rate index grand maximum
    minimum first last new old other
"""))
_HEADS = frozenset(word_list("""
    speed level value amount type kind category grade class name number figure status group label column
    field rating score size area code reading measurement band tier
"""))
_WEAK_PHRASES = frozenset(word_list("""
    chart list range rate share describe extent head rest greet mutate same dist trend change advice future
    more top order missing thanks
"""))  # fmt: skip


def _matches(said: str, known: str) -> float:
    if said == known:
        return 1.0
    if known in same_words(said):
        return 0.85
    if known in _ABBREVIATED.get(said, "").split() or said in _ABBREVIATED.get(known, "").split():
        return 0.9
    if said in UNITS:
        return 0.0
    if (
        (len(known) >= 4 or known in _SHORTENED)
        and len(said) >= len(known) + 2
        and said.startswith(known)
        and len(known) * 2 >= len(said) - 3
    ):
        return (
            0.75
            if known in _SHORTENED
            else 0.6
        )
    if len(said) >= 4 and known.startswith(said) and len(said) * 2 >= len(known):
        return 0.7
    if len(said) >= 5 and root(said) == root(known) and said not in PHRASES:
        return 0.7
    return 0.0


def _column_score(span: tuple[str, ...], column: Column) -> float:
    names = list(column.words)
    if column.unit and column.unit not in names:
        names.append(column.unit)
    joined = "-".join(span)
    if any(joined in same_words(word) for word in column.words if len(span) > 1):
        return 0.9
    if "".join(span) == "".join(column.words) or "".join(span) == column.name.lower():
        return 1.0
    names = [name for name in names if name != "per"]
    total, left = 0.0, list(names)
    for said in span:
        best = max(((_matches(said, known), known) for known in left), default=(0.0, ""))
        if best[0] == 0.0 and len(span) > 1 and total and len(said) >= 6:
            start = [known for known in left if 3 <= len(known) < len(said) and said.startswith(known)]
            best = (0.7, start[0]) if start else best
        if best[0] == 0.0 and len(span) > 1 and len(said) >= 3:
            short = [known for known in left if len(said) == len(known) - 1 and known.startswith(said)]
            best = (0.6, short[0]) if short else best
        if best[0] == 0.0:
            return 0.0
        total += best[0]
        left.remove(best[1])
    unsaid = sum(word in left for word in column.words)
    # a word that only modifies the name's last word names the column less surely than that word does
    head = 1.0 if not column.words or column.words[-1] not in left or column.words[-1] in _MODIFIED else 0.88
    return total / len(span) * (1.0 - 0.12 * unsaid) * head


@lru_cache(maxsize=4096)
def _find_columns(span: tuple[str, ...], table: Table) -> tuple[tuple[Column, ...], float]:
    words = tuple(word for word in span if word not in ("of", "the", "in", "per", "a", "for", "at"))
    if not words:
        return (), 0.0
    scores = [(column, _column_score(words, column)) for column in table.columns]
    best = max((score for _, score in scores), default=0.0)
    if best < 0.5:
        return (), 0.0
    found = tuple(column for column, score in scores if score > best - 0.02)
    if len(words) == 1 and words[0] in _GENERIC and best < 0.99:
        return (), 0.0
    return found, best


def concept_columns(table: Table, concepts: tuple[str, ...]) -> tuple[Column, ...]:
    """Columns of numbers or dates whose name answers to the first of `concepts` that any answers to."""
    for concept in concepts:
        names = COLUMN_WORDS.get(concept, (concept,))
        found = [
            (names.index(word), len(column.words), column)
            for column in table.columns
            for word in [*column.words, column.unit or ""]
            if word in names and column.role in ("number", "date") and not column.key
        ]
        if found:
            units = [entry for entry in found if entry[2].unit and names[entry[0]] == entry[2].unit]
            named = [entry for entry in found if entry not in units] or found
            best = min(entry[0] for entry in named)
            return tuple(dict.fromkeys(column for rank, _, column in named if rank == best))
    return ()


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
    value = _value_item(tokens, start, table, before, shouted)
    timed = read_time(tokens, start)
    named_day = value is not None and isinstance(timed[1], Recurring) if timed else False
    if timed and not named_day and not (value and value.end - value.start > timed[0]):
        return Item("when", start, start + timed[0], _text(tokens, start, start + timed[0]), when=timed[1])
    best = _choose(phrase, column, value, tokens, before)
    if best is not None:
        return best
    if token.number is not None:
        return Item(
            "num", start, start + 1, token.text, number=token.number, percent=token.percent, money=token.money
        )
    return _word(token, start, table)


def _text(tokens: list[Token], start: int, end: int) -> str:
    return " ".join(token.text for token in tokens[start:end])


def _phrase(tokens: list[Token], start: int) -> Item | None:
    words = [token.word for token in tokens]
    found = longest_phrase(words, start)
    if found and found[1].kind == "tail" and not _is_tail(tokens, start, found[0]):
        found = longest_phrase(words[: start + 1], start)
    if not found or tokens[start].quoted:
        return None
    size, tag = found
    if tag.kind == "list" and start and words[start - 1] in ("the", "this", "my", "our", "that"):
        return Item("soft", start, start + 1, tokens[start].text)
    return Item(tag.kind, start, start + size, _text(tokens, start, start + size), value=tag.value)


def _is_tail(tokens: list[Token], start: int, size: int) -> bool:
    end = start + size
    return bool(start) and _after_number(tokens, start) and not (end < len(tokens) and tokens[end].word == "than")


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
        columns, score = _find_columns(stems, table)
        word = tokens[start].word
        if score < 0.8 and size == 1 and (word in ADJECTIVES or word in SUPERLATIVES or word in COMPARATIVES):
            continue
        if size == 1 and score < 0.95 and columns and all(c.key and c.unique for c in columns):
            continue
        if size == 1 and score < 0.95 and table.may_be_called(stems[0]) and all(c.naming for c in columns):
            continue
        if size == 1 and stems[0] in table.nouns and (score < 0.95 or all(c.key and c.unique for c in columns)):
            continue
        if columns and (score > 0.52 or size > 1):
            item = Item("col", start, start + size, _text(tokens, start, start + size), columns=columns)
            item.exact = score >= 0.95
            return item
    return None


def _single(letter: str, table: Table) -> bool:
    return any(column.name.lower() == letter for column in table.columns)


def _value_item(
    tokens: list[Token], start: int, table: Table, before: list[Item], shouted: bool
) -> Item | None:
    token = tokens[start]
    if token.quoted:
        span: tuple[str, ...] = words_of(token.word)
        found = [entry for entry in table.by_first.get(span[0] if span else "", ()) if entry.stems == span]
        if found:
            return Item("val", start, start + 1, token.text, entries=_one_each(found, None), exact=True)
        return None
    stems = tuple(part.stem for part in tokens[start : start + 10])
    entries = [
        entry for entry in table.by_first.get(stems[0], ()) if entry.stems == stems[: len(entry.stems)]
    ]
    if not entries and token.word.endswith("ies"):
        entries = [entry for entry in table.by_first.get(token.word[:-1], ()) if len(entry.stems) == 1]
    if not entries:
        return _other_word(token, start, table)
    longest = max(len(entry.stems) for entry in entries)
    entries = [entry for entry in entries if len(entry.stems) == longest]
    beside = _beside(tokens, start, longest, table, before)
    if longest == 1:
        entries = [entry for entry in entries if _plausible(entry, token, beside, shouted)]
        if not entries:
            return None
    chosen = _one_each(entries, beside)
    return Item(
        "val", start, start + longest, _text(tokens, start, start + longest), entries=chosen, exact=True
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
            columns, score = _find_columns((tokens[start + size + skip].stem,), table)
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
    if word in SOFT or word in _ONE_WORD or word in SUPERLATIVES:
        return near_column or (token.text[0].isupper() and token.start > 0 and not shouted)
    if (
        entry.column.naming
        and not near_column
        and len(entry.stems) == 1
        and (word in VERBS or word in ADJECTIVES)
    ):
        return False
    return True


def _one_each(entries: list[ValueEntry], beside: frozenset[Column] | None) -> tuple[ValueEntry, ...]:
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
    return Item("val", start, start + 1, token.text, entries=_one_each(found, None))


def _exactly(table: Table, words: tuple[str, ...]) -> list[ValueEntry]:
    wanted = tuple(stem(word) for word in words)
    return [
        entry
        for entry in table.by_first.get(wanted[0], ())
        if entry.stems == wanted and not entry.column.naming
    ]


def _choose(
    phrase: Item | None, column: Item | None, value: Item | None, tokens: list[Token], before: list[Item]
) -> Item | None:
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


def near_items(item: Item, token: Token, table: Table) -> None:
    """Turn an unknown word into what it is most like: a column, a value, a grammar word; or leave it unknown."""
    word = token.stem
    if word in _REAL_WORDS or len(word) < 4:
        return
    options: list[tuple[int, int, str, object]] = []
    for column in table.columns:
        for known in column.words:
            slips = near(word, known)
            if slips is not None and known not in _GENERIC:
                options.append((slips, 0, "col", column))
    for known in PHRASES:
        slips = near(token.word, known)
        if slips is not None and len(known) > 4:
            options.append((slips, 1, "phrase", known))
    if not options:
        for known, entries in table.by_word.items():
            slips = near(word, known)
            if slips is not None and len(known) > 4:
                options += [
                    (slips, 2, "val", entry)
                    for entry in entries
                    if len(entry.stems) == 1 or entry.column.distinct <= 60
                ]
    if options:
        _become(item, options, token)


def _become(item: Item, options: list[tuple[int, int, str, object]], token: Token) -> None:
    best = min((slips, rank) for slips, rank, _, _ in options)
    chosen = [option for option in options if option[:2] == best]
    kind, thing = chosen[0][2], chosen[0][3]
    if kind == "phrase" and isinstance(thing, str):
        size_tag = longest_phrase([thing], 0)
        if size_tag:
            item.kind, item.value = size_tag[1].kind, size_tag[1].value
    elif kind == "col":
        item.kind = "col"
        item.columns = tuple(dict.fromkeys(option[3] for option in chosen if isinstance(option[3], Column)))
    else:
        entries = [option[3] for option in chosen if isinstance(option[3], ValueEntry)]
        item.kind, item.entries = "val", _one_each(entries, None)


_NO_SUPERLATIVES = frozenset("forest harvest request contest interest priest protest honest invest suggest guest latest".split())
_REAL_WORDS = frozenset(word_list("""
    height weight county country state stage cast cost rate date volume humidity salary revenue profit price
    prize rating raining color clarity quality quantity distance duration deviation population pollution
    region religion season reason store score share shape sales scale speed spend female email title table
    temperature house hours horse month mouth mother father brand grand trend track truck train plane place
    plate plant planet player prayer market marker student patient patent weather whether winner winter
    dinner manager danger order border border older friendly better letter customer consumer costume humour
    accident incident hospital hotel model modem mode motel engine origin organ organic goal goals coal gold
    age wage page stage wins wind wine wing size site side sick oscar award awards crime prime time children
    smoking smoker income outcome vaccine medicine length strength breadth depth death debt tax fuel
""")) | frozenset(word for words in COLUMN_WORDS.values() for word in words)
"""Words that stand for themselves, however near they are to something else."""
