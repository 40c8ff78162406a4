"""A PDF's table against a CSV, and a SQLite database."""

import random
import re
import sqlite3
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.analyses.case import Case
from tests.support.pdf import pdf
from tests.support.policy import Analysis, Seen, chart, query, say, tool

__all__ = ["DATABASE", "PDF", "invoices", "loans"]


def invoices() -> tuple[dict[str, float], dict[str, float]]:
    """Invoices as in the PDF and in the ledger: one differs, and each lacks one."""
    dice = random.Random(9)
    printed = {f"INV-{number}": round(dice.uniform(50, 2000), 2) for number in range(101, 108)}
    booked = dict(printed)
    booked["INV-104"] = round(printed["INV-104"] + 90, 2)
    del booked["INV-106"]
    booked["INV-200"] = 75.5
    return printed, booked


def _papers() -> Mapping[str, bytes]:
    printed, booked = invoices()
    listed = "\n".join(f"{number}   {amount:,.2f}" for number, amount in printed.items())
    lines = ["invoice,amount", *(f"{number},{amount:.2f}" for number, amount in booked.items()), ""]
    return {
        "statement.pdf": pdf("Statement of June\nPage 2 lists the invoices.", f"Invoice   Amount\n{listed}"),
        "ledger.csv": "\n".join(lines).encode(),
    }


def _check(seen: Seen) -> Analysis:
    assert "statement.pdf" in seen.told
    seen = yield say("I read the statement.", tool("view", path="statement.pdf", page=2))
    found = re.findall(r"(INV-\d+)\s+([\d,]+\.\d\d)", str(seen.result()))
    values = ", ".join(f"('{number}', {amount.replace(',', '')})" for number, amount in found)
    seen = yield say(
        f"It lists {len(found)} invoices; I compare them with the ledger.",
        query(
            f"WITH statement(invoice, amount) AS (VALUES {values}) "
            "SELECT coalesce(s.invoice, l.invoice) AS invoice, s.amount AS statement, l.amount AS ledger, "
            "CASE WHEN l.invoice IS NULL THEN 'not in the ledger' WHEN s.invoice IS NULL "
            "THEN 'not on the statement' ELSE 'another amount' END AS finding "
            "FROM statement s FULL JOIN ledger l ON s.invoice = l.invoice "
            "WHERE s.amount IS DISTINCT FROM l.amount ORDER BY 1",
            title="Differences",
            name="differences",
        ),
    )
    lines = "".join(
        f"- {invoice}: {finding} ({'' if printed is None else f'{float(printed):,.2f}'}/"
        f"{'' if booked is None else f'{float(booked):,.2f}'})\n"
        for invoice, printed, booked, finding in seen.result()["rows"]
    )
    yield say(
        f"{seen.result()['row_count']} of the {len(found)} invoices on page 2 and those of the ledger "
        f"differ:\n\n{lines}\n![](result:differences)"
    )


PDF = Case(
    "A PDF and a ledger",
    "Does the statement agree with the ledger?",
    _papers,
    _check,
    ("differences",),
    ("statement.pdf, page 2 of 2",),
)


def loans() -> list[tuple[int, int, str, int | None]]:
    """Loans of a library: member, book, day, and number of days; None if the book is not back yet."""
    dice = random.Random(10)
    return [
        (
            dice.randint(1, 12),
            dice.randint(1, 8),
            f"2024-{dice.randint(1, 6):02}-{dice.randint(1, 28):02}",
            None if number % 20 == 0 else dice.randint(2, 45),
        )
        for number in range(200)
    ]


GENRES = ("Poetry", "Crime", "Travel", "History")


def _library() -> Mapping[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "library.sqlite")
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, genre TEXT)")
        database.execute("CREATE TABLE loans (member INTEGER, book INTEGER, day TEXT, kept INTEGER)")
        database.executemany(
            "INSERT INTO books VALUES (?, ?, ?)",
            [(number, f"Book {number}", GENRES[number % 4]) for number in range(1, 9)],
        )
        database.executemany("INSERT INTO loans VALUES (?, ?, ?, ?)", loans())
        database.commit()
        database.close()
        return {"library.sqlite": path.read_bytes()}


def _lend(seen: Seen) -> Analysis:
    books, lent = (
        re.findall(rf"^- (\w*{name}) \(", seen.question, re.MULTILINE) for name in ("books", "loans")
    )
    seen = yield say(
        "I count the loans of each genre.",
        query(
            "SELECT genre, count(*) AS loans, median(kept) AS median_days, "
            f"count(*) FILTER (kept IS NULL) AS still_out FROM {lent[0]} l JOIN {books[0]} b ON l.book = b.id "
            "GROUP BY 1 ORDER BY 2 DESC",
            title="Loans by genre",
            name="by_genre",
        ),
        chart(
            sql=f"SELECT genre, date_trunc('month', day::DATE) AS month, count(*) AS loans FROM {lent[0]} l "
            f"JOIN {books[0]} b ON l.book = b.id GROUP BY ALL ORDER BY 2, 1",
            mark="line",
            x="month",
            y="loans",
            facet="genre",
            name="by_month",
            title="Loans by month",
        ),
    )
    lines = "".join(
        f"- {genre}: {count} loans, median {days:g} days, {out} still out\n"
        for genre, count, days, out in seen.result()["rows"]
    )
    yield say(
        f"Loans by genre:\n\n{lines}\n![](result:by_month)\n\n![](result:by_genre)",
    )


DATABASE = Case(
    "A SQLite database",
    "Which genres are lent most, and for how long?",
    _library,
    _lend,
    ("by_month", "by_genre"),
)
