"""Slips of the pen: an unknown word that is nearly a column, a word of grammar, or a value."""

from engine.models.offline.column_names import GENERIC
from engine.models.offline.concepts import COLUMN_WORDS
from engine.models.offline.items import Item
from engine.models.offline.lexicon import PHRASES, longest_phrase
from engine.models.offline.schema import Column, Table, ValueEntry
from engine.models.offline.value_names import one_each
from engine.models.offline.words import Token, near, word_list

__all__ = []


def near_items(item: Item, token: Token, table: Table) -> None:
    """Turn an unknown word into what it is most like: a column, a value, a grammar word; or leave it unknown."""
    word = token.stem
    if word in _REAL_WORDS or len(word) < 4:
        return
    options: list[tuple[int, int, str, object]] = []
    for column in table.columns:
        for known in column.words:
            slips = near(word, known)
            if slips is not None and known not in GENERIC:
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
                    if len(entry.stems) == 1 or (slips and len(entries) == 1 and entry.column.distinct <= 60)
                ]
    if options:
        _become(item, options)


def _become(item: Item, options: list[tuple[int, int, str, object]]) -> None:
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
        item.kind, item.entries = "val", one_each(entries, None)


_REAL_WORDS = frozenset(
    word_list("""
        height weight county country state stage cast cost rate date volume humidity salary revenue
        profit price prize rating raining color clarity quality quantity distance duration deviation
        population pollution region religion season reason store score share shape sales scale speed
        spend female email title table temperature house hours horse month mouth mother father brand
        grand trend track truck train plane place plate plant planet player prayer market marker student
        patient patent weather whether winner winter dinner manager danger order border border older
        friendly better letter customer consumer costume humour accident incident hospital hotel model
        modem mode motel engine origin organ organic goal goals coal gold age wage page stage wins wind
        wine wing size site side sick oscar award awards crime prime time children smoking smoker income
        outcome vaccine medicine length strength breadth depth death debt tax fuel
    """)
) | frozenset(word for words in COLUMN_WORDS.values() for word in words)
"""Words that stand for themselves, however near they are to something else."""
