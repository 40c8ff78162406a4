"""A PDF's table against a CSV, and a SQLite database."""

from collections import defaultdict
from statistics import median

import pytest

from engine.app.app import App
from tests.analyses.case import play
from tests.analyses.documents import DATABASE, GENRES, PDF, invoices, loans


def test_a_table_of_a_pdf_is_compared_with_a_csv(app: App) -> None:
    played = play(app, PDF)
    printed, booked = invoices()
    assert "3 of the 7 invoices" in played.answer
    assert f"- INV-104: another amount ({printed['INV-104']:,.2f}/{booked['INV-104']:,.2f})" in played.answer
    assert f"- INV-106: not in the ledger ({printed['INV-106']:,.2f}/)" in played.answer
    assert "- INV-200: not on the statement (/75.50)" in played.answer
    assert "statement.pdf (PDF" in played.told(0)


@pytest.mark.long
def test_the_tables_of_a_database_can_be_queried(app: App) -> None:
    played = play(app, DATABASE)
    kept: dict[str, list[int | None]] = defaultdict(list)
    for _, book, _, days in loans():
        kept[GENRES[book % 4]].append(days)
    for genre, days in kept.items():
        back = [number for number in days if number is not None]
        line = f"- {genre}: {len(days)} loans, median {median(back):g} days, {days.count(None)} still out"
        assert line in played.answer
    assert "kept: BIGINT; 2 to 45; 10 missing" in played.told(0)
