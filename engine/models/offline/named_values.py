"""Values as conditions: which column they stand in, what negates them, parts of names and codes for names."""

from engine.models.offline.intent import Filter
from engine.models.offline.items import Item
from engine.models.offline.reader import Reader
from engine.models.offline.schema import ValueEntry

__all__ = ["FROM", "TO", "read_parts", "read_values"]


def read_values(reader: Reader) -> None:
    """Turn every value that is named into a condition, negated where a negation reaches it."""
    for item in reader.of("val"):
        if item.columns and not item.exact and not item.entries:
            continue
        entry = _chosen(reader, item)
        negation = _scope(reader, item)
        op = "contains" if item.part else "="
        reader.add(Filter(op, entry.column, (entry.value,), negated=negation is not None), item)
        reader.take(item, negation)
        before = reader.before(item)
        if before is not None and before.kind in ("after", "before", "from") and entry.value[:1].isdigit():
            reader.take(before)
        if entry.column.yes is not None:
            continue
        for beside in (reader.before(item), reader.after(item, ())):
            if (
                beside is not None
                and beside.kind == "col"
                and entry.column in beside.columns
                and not beside.used
                and (beside is reader.after(item, ()) or not _grouped(reader, beside))
            ):
                reader.take(beside)


def _grouped(reader: Reader, item: Item) -> bool:
    before = reader.before(item)
    return before is not None and before.kind in ("by", "order")


def _chosen(reader: Reader, item: Item) -> ValueEntry:
    """Where several columns hold the value: the column named, then the one of an earlier value, then the coarsest."""
    if len(item.entries) > 1 and (role := _role(reader, item)) is not None:
        return role
    named = {column for other in reader.of("col", unused=False) for column in other.columns}
    for entry in item.entries:
        if entry.column in named:
            return entry
    used = [condition.filter.column for condition in reader.conditions]
    for other in reader.of("val", unused=False):
        if (
            other is not item
            and len(other.entries) == 1
            and any(e.column is other.entries[0].column for e in item.entries)
        ):
            return next(e for e in item.entries if e.column is other.entries[0].column)
    for entry in item.entries:
        if entry.column in used:
            return entry
    heads = [
        entry.column for entry in item.entries if entry.column.words[-1:] == item.entries[0].column.words[-1:]
    ]
    if len(heads) > 1:
        reader.fail(f"it is not clear whether “{heads[0].name}” or “{heads[1].name}” is meant")
    return item.entries[0]


FROM = frozenset({"origin", "from", "pickup", "departure", "start", "source", "sender", "home"})


TO = frozenset({"destination", "dest", "to", "dropoff", "arrival", "end", "target", "receiver", "away"})


_COMING = ("arriv", "end", "finish", "drop", "land", "head", "bound", "going", "flying", "destin")
_GOING = ("depart", "left", "leav", "start", "originat", "board", "took", "flew")


def _direction(reader: Reader, item: Item) -> frozenset[str] | None:
    """Whether a place is spoken of as where something comes from or goes to."""
    word = reader.word_before(item)
    if word in ("to", "against", "into", "towards"):
        return TO
    for token in reversed(reader.tokens[max(0, item.start - 3) : item.start]):
        if token.word.startswith(_COMING) and word != "from":
            return TO
        if token.word.startswith(_GOING):
            return FROM
    return (
        FROM
        if word in ("from", "at", "leaving", "in", "of") and (word != "of" or _out(reader, item))
        else None
    )


def _out(reader: Reader, item: Item) -> bool:
    return item.start > 1 and reader.tokens[item.start - 2].word == "out"


def _role(reader: Reader, item: Item) -> ValueEntry | None:
    """Of two columns with the same values, the one that `from`, `to`, `at` or `against` speaks of."""
    wanted = _direction(reader, item)
    found = [entry for entry in item.entries if wanted and wanted & set(entry.column.words)]
    if len(found) == 1:
        before = reader.before(item)
        reader.take(before if before is not None and before.kind in ("vs", "to", "from") else None)
    return found[0] if len(found) == 1 else None


def _scope(reader: Reader, item: Item) -> Item | None:
    """The negation that a value stands under, one for a whole list of values."""
    for other in reversed(reader.items[: reader.index(item)]):
        if other.kind == "neg":
            return other
        if other.kind in ("val", "and", "or", "soft", "row", "both", "verb", "from") or (
            other.kind == "unknown" and other.text.lower() != "but"
        ):
            if other.kind == "val" and other.used and not _is_negated(reader, other):
                return None
            if (
                other.text.lower() in ("in", "for", "from", "of")
                and other.kind == "soft"
                and _first_of_clause(reader, other)
            ):
                continue
            continue
        if other.kind == "col" and set(other.columns) & {entry.column for entry in item.entries}:
            continue
        return None
    return None


def _first_of_clause(reader: Reader, item: Item) -> bool:
    before = reader.before(item)
    return before is None or before.kind == "neg"


def _is_negated(reader: Reader, item: Item) -> bool:
    return any(c.filter.negated for c in reader.conditions if c.start <= item.start < c.end)


def read_parts(reader: Reader) -> None:
    """Unknown words that stand inside the values of a column of names: makers in models, surnames in full names."""
    for item in reader.of("unknown"):
        token = reader.tokens[item.start]
        if len(token.stem) < 3:
            continue
        found = [
            e for e in reader.table.by_word.get(token.stem, ()) if len(e.stems) > 1 and e.column.complete
        ]
        found = found or [
            e for e in reader.table.by_word.get(token.word, ()) if len(e.stems) > 1 and e.column.complete
        ]
        columns = {entry.column for entry in found}
        if len(columns) == 1 and len(found) <= 0.5 * max(entry.column.distinct for entry in found):
            negation = _scope(reader, item)
            entry = found[0]
            if len(found) == 1:
                new = Filter("=", entry.column, (entry.value,), negated=negation is not None)
            else:
                at_start = all(other.stems[0] == token.stem for other in found)
                word = token.stem if any(token.stem in other.value.lower() for other in found) else token.word
                new = Filter(
                    "begins" if at_start else "contains", entry.column, (word,), negated=negation is not None
                )
            reader.add(new, item)
            reader.take(item, negation)
        elif not columns:
            _code(reader, item, token.word)


def _code(reader: Reader, item: Item, word: str) -> None:
    """A code for a name: GOOG for Google, AMZN for Amazon, NL for Netherlands; only where one alone fits."""
    if len(word) < 5:
        return
    fits = []
    for column in reader.table.columns:
        if column.role != "text" or not column.complete or column.distinct > 500:
            continue
        for value in column.values:
            code = value.lower()
            if (
                value.isupper()
                and 3 <= len(code) <= 5
                and code.isalpha()
                and code[0] == word[0]
                and _subsequence(code, word)
            ):
                fits.append((column, value))
    if len(fits) == 1:
        negation = _scope(reader, item)
        reader.add(Filter("=", fits[0][0], (fits[0][1],), negated=negation is not None), item)
        reader.take(item, negation)


def _subsequence(code: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in code)
