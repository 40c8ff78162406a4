"""Exported notebooks and SQL scripts: they run without Anabranch and give the recorded results."""

import io
import json
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import ExportChat
from engine.commands.catalog import Ask, BeginChat, NameMoment, SaveFile, Upload
from engine.errors import Refused
from tests.support.talk import Talk, call, script

ORDERS = b"date;region;revenue\n03.01.2024;East;1.200,50\n04.01.2024;West;800,25\n05.01.2024;East;99,25\n"
CODE = """
orders = tables["orders"]
means = orders.groupby("region", as_index=False)["revenue"].mean()
print("rows", len(orders), float(np.random.default_rng().integers(1000)))
show(means, title="Means", name="means")
"""
_STUB = (
    "import sys, types\nipython = types.ModuleType('IPython.display')\nipython.display = lambda *a, **k: None\n"
    + ("sys.modules['IPython'] = types.ModuleType('IPython')\nsys.modules['IPython.display'] = ipython\n")
)


def asked(app: App, folder: Path, *steps: dict[str, Any], later: Sequence[dict[str, Any]] = ()) -> Talk:
    """A chat with a first question whose calls are `steps`, and with `ask_again` a second one with calls `later`."""
    model = script(folder / "script.json", [*steps, {"text": "Done."}, *later, {"text": "Done."}])
    turn = app.send(BeginChat("What do the regions make?", [Upload("orders.csv", ORDERS)], model=model))
    app.wait(turn.turn_id)
    talk = Talk(app, folder, turn.chat_id)
    assert [one.status for one in talk.calls()] == ["success"] * len(steps)
    return talk


def add_a_row(talk: Talk) -> None:
    old = talk.app.workspace.files(talk.chat_id)["orders.csv"].sha256
    talk.app.send(SaveFile(talk.chat_id, "orders.csv", ORDERS + b"06.01.2024;West;5,00\n", old))


def ask_again(talk: Talk) -> None:
    talk.app.wait(talk.app.send(Ask(talk.chat_id, "And now?")).turn_id)


def query(sql: str, name: str) -> dict[str, Any]:
    return {"calls": [call("query", sql=sql, name=name)]}


def unpacked(talk: Talk, kind: Any, target: Path) -> Path:
    packed: bytes = answer(talk.app, ExportChat(talk.chat_id, kind, name="work"))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(target)
    return target / ("work.ipynb" if kind == "notebook" else "work.sql")


def run_sql(file: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the script reports for each result."""
    monkeypatch.chdir(file.parent)
    with duckdb.connect() as connection:
        return dict(connection.execute(file.read_text()).fetchall())


def cells(file: Path) -> list[str]:
    document = json.loads(file.read_text())
    return [cell["source"] for cell in document["cells"] if cell["cell_type"] == "code"]


def run_cells(file: Path) -> str:
    """What the cells print, run one after the other in a process that has none of our folders."""
    program = "\n".join([_STUB, *cells(file)])
    environment = {"PATH": os.defpath, "HOME": str(file.parent)}
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=file.parent, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_a_script_gives_the_recorded_results(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = asked(
        app,
        tmp_path,
        query(
            "SELECT region, sum(revenue) AS total, min(date) AS first FROM orders GROUP BY ALL; -- all",
            "totals",
        ),
        query("PIVOT orders ON region USING sum(revenue)", "wide"),
        query("SELECT *, total / 2 AS half FROM totals", "halves"),
    )

    assert run_sql(unpacked(talk, "sql", tmp_path / "out"), monkeypatch) == dict.fromkeys(
        ("totals", "wide", "halves"), "same as recorded"
    )


@pytest.mark.long
def test_a_file_that_changed_between_two_questions_is_read_in_the_right_version_for_each(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = query("SELECT count(*) AS n FROM orders", "after")
    talk = asked(app, tmp_path, query("SELECT count(*) AS n FROM orders", "before"), later=[later])
    add_a_row(talk)
    ask_again(talk)

    assert run_sql(unpacked(talk, "sql", tmp_path / "out"), monkeypatch) == dict.fromkeys(
        ("before", "after"), "same as recorded"
    )


@pytest.mark.long
def test_a_named_moment_is_a_schema_of_the_script(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = query("SELECT * FROM orders EXCEPT SELECT * FROM at_first.orders", "added")
    talk = asked(app, tmp_path, query("SELECT count(*) AS n FROM orders", "before"), later=[later])
    app.send(NameMoment(talk.chat_id, "at_first"))
    add_a_row(talk)
    ask_again(talk)

    assert run_sql(unpacked(talk, "sql", tmp_path / "out"), monkeypatch)["added"] == "same as recorded"


@pytest.mark.long
def test_a_notebook_runs_and_gives_the_recorded_results(app: App, tmp_path: Path) -> None:
    talk = asked(
        app,
        tmp_path,
        query("SELECT region, sum(revenue) AS total FROM orders GROUP BY ALL", "totals"),
        {"calls": [call("python", code=CODE)]},
        query('SELECT * FROM means JOIN totals USING (region) WHERE region <> \'"""\'', "joined"),
        {"calls": [call("chart", sql="FROM joined", mark="bar", x="region", y="total")]},
    )
    printed = str(talk.calls()[1].result["output"])  # type: ignore[index,call-overload]

    said = run_cells(unpacked(talk, "notebook", tmp_path / "out"))

    assert "totals: 2 rows, same as recorded" in said
    assert "joined: 2 rows, same as recorded" in said
    assert printed.strip() in said  # random numbers are seeded alike


@pytest.mark.long
def test_a_notebook_shows_the_recorded_outputs_before_it_runs(app: App, tmp_path: Path) -> None:
    talk = asked(
        app,
        tmp_path,
        query("SELECT region, sum(revenue) AS total FROM orders GROUP BY ALL ORDER BY 1", "totals"),
        {"calls": [call("chart", sql="FROM totals", mark="bar", x="region", y="total")]},
    )
    document = json.loads(unpacked(talk, "notebook", tmp_path / "out").read_text())
    shown = [output["data"] for cell in document["cells"] for output in cell.get("outputs", ())]

    assert "1,299.75" in shown[0]["text/html"]
    assert "image/png" in shown[1]


def test_exporting_again_gives_the_same_bytes_except_for_the_time(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, query("SELECT count(*) AS n FROM orders", "n"))
    one, two = (unpacked(talk, "sql", tmp_path / name) for name in ("one", "two"))

    assert one.read_bytes() == two.read_bytes()


def test_data_with_a_configured_key_is_not_exported(app: App, tmp_path: Path) -> None:
    code = "print(open(workspace / 'keys.txt').read()[:2])"
    key = "sk-live-0123456789abcdefghij"
    model = script(tmp_path / "script.json", [{"calls": [call("python", code=code)]}, {"text": "Done."}])
    turn = app.send(BeginChat("Look", [Upload("keys.txt", key.encode())], model=model))
    app.wait(turn.turn_id)
    app.vault.set("model/openai", key)

    with pytest.raises(Refused, match="contains the key"):
        answer(app, ExportChat(turn.chat_id, "notebook"))


@pytest.mark.long
def test_a_notebook_runs_in_jupyter_in_a_separate_environment(app: App, tmp_path: Path) -> None:
    talk = asked(
        app,
        tmp_path,
        query("SELECT region, sum(revenue) AS total FROM orders GROUP BY ALL", "totals"),
        {"calls": [call("python", code=CODE)]},
    )
    file = unpacked(talk, "notebook", tmp_path / "out")
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    needed = ["duckdb>=2", "pandas", "pyarrow", "nbclient", "nbformat", "ipykernel"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *needed], check=True)
    run = (
        "import nbformat, nbclient, sys\nbook = nbformat.read(sys.argv[1], 4)\nnbformat.validate(book)\n"
        "nbclient.NotebookClient(book).execute()\n"
        "print([o.text for c in book.cells for o in c.get('outputs', []) if o.output_type == 'stream'])"
    )
    done = subprocess.run(
        [python, "-c", run, file], cwd=file.parent, capture_output=True, text=True, check=True
    )

    assert "totals: 2 rows, same as recorded" in done.stdout
