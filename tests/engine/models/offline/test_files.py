"""Files that a question names: which table is meant, or why there is none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.models.messages import Message, TextPart
from engine.models.model import ModelRequest, TextDelta, ToolSpec
from engine.models.offline.analyst import OfflineModel
from engine.system.cancellation import Cancellation
from engine.workspace.table_facts import TableProfile
from tests.support.ask_offline import ask, profile, profiled
from tests.support.long_cases import mostly_long

TOOLS = tuple(ToolSpec(f"toolset__data-analyst__{name}", name, {}) for name in ("query", "chart", "describe"))
CITIES = "city,amount,species\nRome,1,a\nOslo,2,b\nRome,3,a\n"


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("several")
    for name in ("penguins", "diamonds", "big", "semi"):
        (tmp_path / f"{name}.csv").write_text(CITIES)
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "blank.csv").write_bytes(b"\n \n")
    (tmp_path / "fake.parquet").write_text("this is text")
    (tmp_path / "broken.json").write_text('{"a": [1, ')
    (tmp_path / "book.xlsx").write_text("this is text too")
    return tmp_path


def said(workspace: Path, *questions: str) -> str:
    """The answer to the last question, including the leading text that every model gets."""
    profiles, unread = profiled(workspace)
    history = tuple(
        Message(f"m{number}", "user", (TextPart(text=question),)) for number, question in enumerate(questions)
    )
    request = ModelRequest("analyst", "Be brief.", history, TOOLS, profiles, unread)
    return "".join(d.text for d in OfflineModel().stream(request, Cancellation()) if isinstance(d, TextDelta))


def one(workspace: Path, *questions: str) -> dict[str, Any]:
    return list(ask(workspace, questions, profile(workspace)))[-1]


def sql(document: dict[str, Any]) -> str:
    assert [call["status"] for call in document["tool_calls"]] == ["success"], document["answer"]
    return " ".join(document["tool_calls"][0]["args"]["sql"].split())


@pytest.mark.parametrize(
    ("question", "reason"),
    mostly_long(
        [
            ("describe empty.csv", "`empty.csv` contains no table: it is empty."),
            ("how many rows are in empty.csv?", "`empty.csv` contains no table: it is empty."),
            ("describe blank.csv", "`blank.csv` contains no table: it is empty."),
            (
                "average amount by city in “fake.parquet”",
                "`fake.parquet` contains no table: it is not a Parquet file.",
            ),
            ("describe fake", "`fake.parquet` contains no table: it is not a Parquet file."),
            ("what is in broken.json", "`broken.json` contains no table: it is not valid JSON"),
            ("describe book.xlsx", "`book.xlsx` contains no table: it is not a workbook."),
            ("describe other.csv", "There is no file `other.csv` in this chat."),
        ],
        quick=(1, 6),
    ),
)
def test_a_file_without_a_table_is_named_with_the_reason(several: Path, question: str, reason: str) -> None:
    answer = said(several, question)
    assert answer.startswith(reason)
    assert answer.count("\n- ") == 3
    offered = [line[2:] for line in answer.splitlines() if line.startswith("- ")]
    assert [call["status"] for asked in offered for call in one(several, asked)["tool_calls"]] == [
        "success"
    ] * 3


def test_if_no_file_contains_a_table_the_reasons_are_reported(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_bytes(b"")
    assert said(tmp_path, "how many rows?") == (
        "No file in this chat contains a table that I can read. `empty.csv`: it is empty."
    )


@pytest.mark.parametrize(
    "question",
    mostly_long(
        [
            "average amount by city in big.csv",
            "average amount by city in “big.csv”",
            "average amount by city in the file big.csv",
            "average amount by city in BIG.CSV?",
            "in big.csv, average amount by city",
            "big.csv: average amount by city",
            "average amount by city in big",
            "average amount by city in the table big",
        ],
        quick=(1, 4, 7),
    ),
)
def test_a_named_file_is_the_table_that_is_queried(several: Path, question: str) -> None:
    assert "FROM big GROUP BY 1" in sql(one(several, question))


@pytest.mark.parametrize(
    "question",
    mostly_long(
        ["how many rows are in semi.csv?", "how many rows in semi", "number of rows in semi.csv"], quick=(1,)
    ),
)
def test_the_name_of_a_file_does_not_name_its_rows(several: Path, question: str) -> None:
    document = one(several, question)
    assert sql(document) == "SELECT count(*) AS count FROM semi_data"
    assert document["answer"].startswith("**3** rows. Counted in `semi_data`")


@pytest.mark.long
@pytest.mark.parametrize("question", ["describe diamonds.csv", "describe diamonds"])
def test_a_file_is_described_by_its_name(several: Path, question: str) -> None:
    assert one(several, question)["tool_calls"][0]["args"] == {"table": "diamonds"}


def test_naming_another_file_changes_the_question(several: Path) -> None:
    questions: Sequence[str] = ("average amount by city in big.csv", "and the total amount in semi.csv?")
    assert sql(one(several, *questions)).endswith("FROM semi_data")


def test_a_word_that_is_a_value_is_not_mistaken_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "rome.csv").write_text(CITIES)
    assert "city = 'Rome'" in sql(one(tmp_path, "average amount in Rome"))


def test_the_word_that_names_a_file_is_not_a_column_of_it(tmp_path: Path) -> None:
    (tmp_path / "cuts.csv").write_text("cut,table,price\na,57,100\nb,58,200\n")
    assert sql(one(tmp_path, "average price in cuts.csv")).startswith(
        "SELECT avg(price) AS average_price, count("
    )
    assert sql(one(tmp_path, "how many rows in cuts.csv")) == "SELECT count(*) AS count FROM cuts"
    assert sql(one(tmp_path, "show cuts.csv")) == "SELECT * FROM cuts"


def _asked(question: str, tables: Sequence[TableProfile], unread: dict[str, str]) -> str:
    history = (Message("m1", "user", (TextPart(text=question),)),)
    request = ModelRequest("analyst", "", history, (), tuple(tables), unread)
    deltas = OfflineModel().stream(request, Cancellation())
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def test_an_earlier_result_does_not_replace_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "total_amount_by_region.csv").write_text("region,amount\nNorth,10\nSouth,20\n")
    tables = profile(tmp_path)

    gone = _asked("total amount by region", tables, {"orders.csv": "the file is gone"})
    named = _asked("total amount in total_amount_by_region", tables, {"orders.csv": "the file is gone"})

    assert "`orders.csv` cannot be read: the file is gone." in gone
    assert "`total_amount_by_region`" in gone
    assert "cannot be read" not in named
