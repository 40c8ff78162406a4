"""Which cleaning step is suggested first for a column."""

import pytest

from engine.app.app import App
from engine.commands.catalog import CreateChat, Upload, UploadFiles
from engine.views.shape_steps import offers_for
from tests.support.long_cases import mostly_long


@pytest.mark.parametrize(
    ("values", "first"),
    mostly_long(
        [
            (["C-1", "C-2", "K-17"], "unify"),
            (["EUR 15", "USD12", "about 900"], "numbers"),
            (["1.5 kg", "800 g", "n/a"], "numbers"),
            (["2026-07-14", "14.07.2026", "soon"], "dates"),
            (["Oslo", "oslo", "Bergen"], "unify"),
        ],
        quick=(1, 3),
    ),
)
def test_the_suggested_step_fits_the_values_of_the_column(app: App, values: list[str], first: str) -> None:
    assert offered(app, values)[0] == first


def test_text_can_be_read_as_decimals_again_because_a_point_may_separate_thousands(app: App) -> None:
    kinds = offered(app, ["1.234", "2.000", "3.734"])
    assert "numbers" in kinds
    assert kinds[0] != "numbers"


def offered(app: App, values: list[str]) -> list[str]:
    """The kinds of steps that are suggested for a column of these values, in order."""
    chat_id = app.send(CreateChat())
    app.send(
        UploadFiles(
            chat_id,
            [Upload("t.csv", ("id,v\n" + "".join(f"{n},{v}\n" for n, v in enumerate(values))).encode())],
        )
    )
    (table,) = app.workspace.tables(chat_id)
    return [one.kind for one in offers_for(table.columns[1])]
