"""Finds the money columns that a question may mean without naming them: “the total”, “money”, “sales”. Pure."""

from engine.models.offline.amounts import Number
from engine.models.offline.columns import Column
from engine.models.offline.meanings import same_unit
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import words
from engine.models.offline.words import base_forms

__all__ = [
    "MONEY",
    "in_money",
    "is_money",
    "is_sold",
    "main_amount",
    "money_meant",
    "only_money",
    "paid_rows",
    "takings",
]

MONEY = frozenset({"revenue", "turnover", "sale", "takings"})
"""Words for the money from sales."""
_AMOUNT = frozenset({"amount", "amt", "amnt", "total"})
_ROWS_OF_MONEY, _ROWS_OR_MONEY = words("rows of money"), words("rows or money")
_TOTALS_OF_MONEY = words("totals of money")
_PARTS = words("parts of amounts")
_PAID_ROWS, _SOLD_ROWS = words("paid rows"), words("sold rows")
_QUANTITIES = words("quantities")
_WHOLE = frozenset(
    {"grand", "gross", "net", "order", "invoice", "line", "payment", "purchase", "transaction"}
    | {"usd", "eur", "gbp"}
)
"""Words that may be next to “amount” in the name of a row's main amount; “tax”, for example, may not."""


def takings(table: Table, word: str = "") -> list[Column]:
    """Return the column with the money from each sale: the only total or, if there is none, the only amount, such as
    the fare of a ride. The list is empty if there is not exactly one such column, or if a column is named revenue or
    sales.
    """
    named = {word for column in table.columns if column.measure for word in column.all_words}
    if named & MONEY:
        return []
    several = bool(named & _QUANTITIES)
    rows = bool(base_forms(word) & _ROWS_OR_MONEY)  # “what percentage of sales” may ask for rows
    main = None if several or rows or not (table.nouns | table.kinds) & _SOLD_ROWS else _paid(table)
    return _totals(table, several=several) or ([] if main is None else [main])


def _totals(table: Table, *, several: bool) -> list[Column]:
    """Return the only column with a total for each sale. `several` says whether a sale may be of several things."""
    if not several:
        totals = [
            c
            for c in table.columns
            if c.measure and "total" in c.words and {"amount", "price"} & set(c.words)
        ]
        return totals if len(totals) == 1 else []
    found = [
        c for c in table.columns if c.measure and {"total", "amount"} & set(c.words) and same_unit("$", c)
    ]
    found = found or [c for c in table.columns if c.measure and {"total", "amount"} & set(c.words)]
    return found if len(found) == 1 else []


def is_money(word: str, table: Table) -> bool:
    """Return whether a word means money from sales, not rows: “sales by month”, in a list of invoices."""
    priced = any(c.measure and (same_unit("$", c) or _AMOUNT & set(c.words)) for c in table.columns)
    money = priced and bool(base_forms(word) & MONEY) and not table.nouns & MONEY
    return money and not (base_forms(word) & _ROWS_OR_MONEY and is_sold(table))


def is_sold(table: Table) -> bool:
    """Return whether each row is the sale of one thing, with its date and price: homes with `date_sold`."""
    dated = any(
        c.role == "date" and {"sold", "sale"} & set(c.words) and not c.profile.missing for c in table.columns
    )
    return dated and not takings(table)


def in_money(table: Table, amount: Number) -> list[Column]:
    """Return the columns to which an amount of money without a name may refer: “over 10k”, “under $50”."""
    if amount.percent or (amount.scale == 1 and amount.unit != "$") or amount.unit not in ("", "$"):
        return []
    main = main_amount(table)
    able = [c for c in table.columns if c.measure and (same_unit("$", c) or _AMOUNT & set(c.words))]
    return [main] if main else able


def main_amount(table: Table) -> Column | None:
    """Return the main amount of money of each row, which “the total” adds up; None if there is not exactly one. A tax
    amount or a fine does not count.
    """
    named = [c for c in table.columns if c.measure and _AMOUNT & set(c.words)]
    whole = [c for c in named if not set(c.words) - _AMOUNT - _WHOLE - table.nouns - table.kinds]
    own = [c for c in whole if set(c.words) & table.nouns]  # `loan_amount`, beside `total_payment`
    found = whole if len(whole) == 1 else own
    return found[0] if len(found) == 1 else None


def money_meant(word: str, table: Table, *, total: bool = False) -> tuple[Column | None, bool]:
    """Return the amount of money that a noun for rows can mean, and whether it can also mean the rows: “expenses” are
    sums of money, “sales” may be either. With `total`, more nouns can mean either: “total payments”.
    """
    forms = base_forms(word)
    either = _TOTALS_OF_MONEY if total else _ROWS_OR_MONEY
    main = _paid(table) if forms & (_ROWS_OF_MONEY | either) else None
    sold = bool(forms & MONEY) and not table.nouns & MONEY and bool(table.nouns & _PAID_ROWS)
    return main, main is None or (bool(forms & either) and not sold)  # “sales” in a list of orders are money


def paid_rows(table: Table) -> Column | None:
    """Return the amount that “how much” asks for in a table of payments, expenses or the like."""
    return _paid(table) if table.nouns & _PAID_ROWS else None


def _paid(table: Table) -> Column | None:
    """Return the only money column, unless it is only a part of what is paid: a fee, a tax, a discount."""
    main = only_money(table)
    parts = _PARTS - table.nouns  # in a list of fines, a fine is not a part of another amount
    return None if main is None or parts & set(main.all_words) else main


def only_money(table: Table) -> Column | None:
    """Return the column that “how much money” means: the main amount, else the only money column that can be
    added up.
    """
    found = [c for c in table.columns if c.measure and c.adds is not False and same_unit("$", c)]
    main = main_amount(table)
    return main if main is not None else found[0] if len(found) == 1 else None
