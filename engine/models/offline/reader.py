"""A question being read: its items, what was taken of them, and the conditions found so far."""

from dataclasses import dataclass, field

from engine.models.offline.column_names import concept_columns
from engine.models.offline.intent import Filter, Group
from engine.models.offline.items import Item
from engine.models.offline.linking import link
from engine.models.offline.schema import Column, Table
from engine.models.offline.slips import near_items
from engine.models.offline.words import Token, tokenise, word_list

__all__ = ["Condition", "Reader", "open_reader"]


_HEADS = frozenset(
    word_list("""
        speed level value amount type kind category grade class number figure status group reading measurement band
        size rating tier quality score column field airport city country state station port town place
    """)
)


@dataclass(slots=True)
class Condition:
    """A filter and where in the question it was said."""

    filter: Filter
    start: int
    end: int
    text: str


@dataclass(slots=True)
class Reader:
    """Items of one question over one table; reading it marks items as used."""

    table: Table
    tokens: list[Token]
    items: list[Item]
    conditions: list[Condition] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    having: Filter | None = None
    problem: str | None = None
    nouns: list[str] = field(default_factory=list)
    """Words taken for what the rows are."""

    def index(self, item: Item) -> int:
        """Place of `item` among the items."""
        return self.items.index(item)

    def of(self, *kinds: str, unused: bool = True) -> list[Item]:
        """Items of `kinds` that were not used yet."""
        return [item for item in self.items if item.kind in kinds and not (unused and item.used)]

    def first(self, *kinds: str) -> Item | None:
        """The first unused item of `kinds`."""
        return next(iter(self.of(*kinds)), None)

    def has(self, *kinds: str) -> bool:
        """Whether there is an unused item of `kinds`."""
        return bool(self.of(*kinds))

    def take(self, *items: Item | None) -> None:
        """Mark items as used."""
        for item in items:
            if item is not None:
                item.used = True

    def after(self, item: Item, skip: tuple[str, ...] = ("soft",)) -> Item | None:
        """The next item that is not of the kinds in `skip`."""
        return next((other for other in self.items[self.index(item) + 1 :] if other.kind not in skip), None)

    def before(self, item: Item, skip: tuple[str, ...] = ("soft",)) -> Item | None:
        """The last item before `item` that is not of the kinds in `skip`."""
        return next(
            (other for other in reversed(self.items[: self.index(item)]) if other.kind not in skip), None
        )

    def word_before(self, item: Item) -> str:
        """The word right before `item`."""
        return self.tokens[item.start - 1].word if item.start else ""

    def fail(self, problem: str) -> None:
        """Remember why this cannot be answered; the first reason stands."""
        self.problem = self.problem or problem

    def measure_columns(self, item: Item) -> tuple[Column, ...]:
        """Columns of numbers that an item speaks of."""
        if item.kind in ("col", "val", "time"):
            return tuple(c for c in item.columns if c.role == "number" and (item.exact or not c.key))
        return tuple(c for c in concept_columns(self.table, item.concepts) if c.role == "number")

    def add(self, filter_: Filter, start: Item, end: Item | None = None) -> None:
        """Note a condition."""
        last = end or start
        text = " ".join(token.text for token in self.tokens[start.start : last.end])
        self.conditions.append(Condition(filter_, start.start, last.end, text))


def open_reader(question: str, table: Table) -> Reader:
    """Tokenise and link `question` over `table`, with slips of the pen mended and degrees put together."""
    _, tokens = tokenise(question)
    items = link(tokens, table)
    reader = Reader(table, tokens, items)
    for item in items:
        if item.kind == "unknown" and not item.exact:
            near_items(item, tokens[item.start], table)
    _join_columns(reader)
    _degrees(reader)
    _heads(reader)
    return reader


def _join_columns(reader: Reader) -> None:
    """A mended word beside a column's word may name one column together with it."""
    for left, right in zip(reader.items, reader.items[1:], strict=False):
        if left.kind == right.kind == "col" and not left.used and not right.used:
            common = tuple(column for column in left.columns if column in right.columns)
            if common and (len(left.columns) > 1 or len(right.columns) > 1 or left.columns == right.columns):
                right.columns, right.start, left.used = common, left.start, True
                left.kind = "soft"


def _degrees(reader: Reader) -> None:
    """`most expensive`, `less efficient`, `how heavy`: one item with a direction."""
    for left, right in zip(reader.items, reader.items[1:], strict=False):
        if (
            right.kind == "unknown"
            and right.text.lower() in ("fuel", "energy", "cost")
            and left.kind in ("sup", "more")
        ):
            following = reader.after(right)
            if following is not None and following.kind == "base":
                right.kind = "soft"
                _join_degree(left, following)
                continue
        if right.kind in ("base", "verb") and (
            right.kind == "base" or right.text.lower().endswith(("ed", "ing", "id", "old"))
        ):
            _join_degree(left, right)


def _join_degree(left: Item, right: Item) -> None:
    base = right.direction or 1
    if left.kind == "sup" and left.value in ("most", "least"):
        sign = 1 if left.value == "most" else -1
        right.kind, right.value, right.direction, left.kind = "sup", "adj", base * sign, "soft"
    elif left.kind == "sup" and left.value in ("max", "min", "vague"):
        worst = left.value == "min" or left.text.lower().startswith("wor")
        right.kind, right.value, right.direction, left.kind = (
            "sup",
            "adj",
            base * (-1 if worst else 1),
            "soft",
        )
    elif left.kind == "more" and right.kind == "base":
        right.kind, right.direction, left.kind = "adj", base * (1 if left.value == "gt" else -1), "soft"
    elif left.text.lower() == "how" and right.kind == "base":
        right.kind = "howadj"


def _heads(reader: Reader) -> None:
    """A general noun after a column's name adds nothing: `wind speed`, `clarity grades`, `weather type`."""
    for left, right in zip(reader.items, reader.items[1:], strict=False):
        if left.kind == "col" and right.kind == "unknown" and reader.tokens[right.start].stem in _HEADS:
            right.kind = "soft"
