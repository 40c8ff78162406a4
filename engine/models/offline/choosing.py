"""Chooses among the cheapest readings of a question, and completes them. Pure."""

from collections.abc import Mapping, Sequence

from engine.models.offline.form import Form
from engine.models.offline.items import Item
from engine.models.offline.named_columns import of_amounts, of_dated_groups, of_named_columns
from engine.models.offline.one_time import of_end, of_main_date, of_one_time, once, or_happened
from engine.models.offline.schema import Table
from engine.models.offline.words import Token

__all__ = ["chosen"]


def chosen(
    forms: tuple[Form, ...], table: Table, tokens: Sequence[Token], items: Mapping[int, Sequence[Item]]
) -> tuple[Form, ...]:
    """Return the readings that are left if the question's words and dates decide between them; none if it is unclear
    which of its dates is meant.
    """
    forms = of_end(of_main_date(of_one_time(forms, table), table, tokens), table, tokens)
    forms = of_named_columns(tuple(map(of_dated_groups, forms)), table, tokens, items)
    return once(or_happened(of_amounts(forms, table, tokens), items)) if forms else ()
