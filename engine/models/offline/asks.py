"""From a reader's items to an intent: which kind of question it is, and what is still unexplained in it.

Each `_ask_…` looks for one kind of question and returns None where it is another. The order matters: what has
a word of its own comes first, plain aggregates, counts and lists last.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.models.offline import asks_charts, asks_comparisons, asks_rankings, asks_relations
from engine.models.offline.asks_counts import ask_count
from engine.models.offline.asks_numbers import ask_aggregate, ask_bare, ask_how
from engine.models.offline.asks_plain import ask_describe, ask_extent, ask_having, ask_list, ask_missing_table
from engine.models.offline.conditions import read_conditions
from engine.models.offline.groups import read_groups
from engine.models.offline.intent import Intent, Measure
from engine.models.offline.leftovers import unexplained
from engine.models.offline.passes import put_right
from engine.models.offline.reader import Reader, open_reader
from engine.models.offline.refusals import refusal
from engine.models.offline.schema import Table

__all__ = ["Reading", "read"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading one question over one table."""

    table: Table
    reader: Reader
    intent: Intent | None = None
    problem: str | None = None
    """Why there is no intent, as the second half of a sentence."""
    refused: str | None = None
    """A kind of question that no table answers: `cause`, `future`, `advice`, `mutate`, `self`, `greet`, `vague`."""

    @property
    def explained(self) -> int:
        """How many items were put to use."""
        return sum(item.used for item in self.reader.items)


def read(question: str, table: Table) -> Reading:
    """Read `question` over `table`."""
    reader = open_reader(question, table)
    put_right(reader)
    refused = refusal(reader)
    if refused is not None:
        return Reading(table, reader, refused=refused)
    read_conditions(reader)
    read_groups(reader)
    intent = _first_of(reader)
    if intent is None or reader.problem is not None:
        return Reading(table, reader, problem=reader.problem or unexplained(reader, None))
    intent = _tallied(intent, reader)
    rest = unexplained(reader, intent)
    if rest is not None:
        return Reading(table, reader, problem=rest)
    return Reading(table, reader, replace(intent, noun=_noun(reader)))


def _first_of(reader: Reader) -> Intent | None:
    asks: tuple[Callable[[Reader], Intent | None], ...] = (
        ask_having,
        ask_missing_table,
        ask_describe,
        asks_relations.ask_correlation,
        asks_relations.ask_change,
        asks_relations.ask_share,
        asks_charts.ask_chart,
        asks_comparisons.ask_comparison,
        ask_extent,
        asks_charts.ask_distribution,
        asks_rankings.ask_ranking,
        ask_aggregate,
        ask_count,
        ask_how,
        ask_list,
        ask_bare,
    )
    for ask in asks:
        intent = ask(reader)
        if intent is not None or reader.problem is not None:
            return intent
    return None


def _tallied(intent: Intent, reader: Reader) -> Intent:
    """Where rows are counts of things, things are counted by adding these up; only `rows` are rows."""
    tally = intent.table.tally
    rows = {"row", "record", "entry", "line", "observation"} & {token.stem for token in reader.tokens}
    if tally is None or rows or intent.kind not in ("aggregate", "top", "compare", "share"):
        return intent
    if intent.kind == "share" and not intent.measures:
        return replace(intent, measures=(Measure("sum", tally),))
    measures = tuple(Measure("sum", tally) if m == Measure("count") else m for m in intent.measures)
    return replace(intent, measures=measures)


def _noun(reader: Reader) -> str:
    for item in reader.items:
        if item.kind == "row" and item.text.lower() != reader.table.name:
            return item.text.lower()
    return reader.nouns[0].lower() if reader.nouns else "rows"
