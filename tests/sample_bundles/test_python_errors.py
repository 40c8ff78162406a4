"""What `python` refuses or cannot do, with messages that say what to do; and that calls are isolated."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.app.app import App
from engine.commands.catalog import InstallToolset
from engine.config import shipped_bundles
from tests.sample_bundles.python_lab import Lab, orders
from tests.support.long_cases import mostly_long

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="tool processes need POSIX"),
    pytest.mark.xdist_group("python"),
]
CONFINED = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux confines tools fully")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app with the bundles that ship."""
    opened = App(tmp_path_factory.mktemp("data"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def lab(app: App) -> Lab:
    """A chat with one table. Failing calls leave nothing behind, so the tests share it."""
    return Lab.opened(app, {"orders.csv": orders(30)})


CASES = {
    "a line of its own, with the text": (
        "x = 1\ny = x / 0",
        ["line 2: y = x / 0", "ZeroDivisionError: division by zero"],
    ),
    "functions of the code, but no library": (
        "def mean(v):\n    return pd.to_numeric(v)\n\nmean(['a'])",
        [
            "line 4: mean(['a'])",
            "line 2, in mean: return pd.to_numeric(v)",
            "ValueError: Unable to parse string 'a'",
        ],
    ),
    "what was printed before": ("print('so far')\n1/0", ["Printed before that:\nso far"]),
    "a missing column": (
        "tables.orders['amout'].sum()",
        ["KeyError: 'amout'", "Did you mean 'amount'?", "The columns are: day, region, items, amount."],
    ),
    "a missing column in a grouping": ("tables.orders.groupby('Regions').size()", ["Did you mean 'region'?"]),
    "a missing attribute": ("tables.orders.grupby('region')", ["Did you mean 'groupby'?"]),
    "a column as an attribute": ("tables.orders.amont.sum()", ["Did you mean 'amount'?"]),
    "a missing table": ("tables['order']", ["there is no table 'order'. Did you mean 'orders'?"]),
    "a table by its file's name": ("tables['orders.csv']", ["Did you mean 'orders'?"]),
    "a table as a variable": ("orders.head()", ["The table is available as tables['orders']."]),
    "a missing name": (
        "total = 3\nprint(totl)",
        ["NameError: name 'totl' is not defined", "Did you mean 'total'?"],
    ),
    "a column in a formula": (
        "smf.ols('amount ~ itms', tables.orders).fit()",
        ["line 1: smf.ols", "itms", "Did you mean 'items'?"],
    ),
    "a column in SQL": (
        "sql('SELECT amont FROM orders')",
        ['Candidate bindings: "amount"', "The tables are: orders."],
    ),
    "a syntax error, with its place": (
        "for i in range(3)\n    print(i)",
        ["line 1: for i in range(3)\n                         ^", "SyntaxError: expected ':'"],
    ),
    "commands of notebooks": ("!pip install x", ["are for notebooks"]),
    "a package that is not there": (
        "import prophet",
        ["prophet is not installed here, and packages cannot be added", "statsmodels 0."],
    ),
    "the import of display": (
        "from IPython.display import display",
        ["Leave out the import: display() works without it."],
    ),
    "a module that is not there": (
        "import scipy.statistics",
        ["is installed; it has no module scipy.statistics"],
    ),
    "a misspelt file": ("pd.read_csv('order.csv')", ["Did you mean orders.csv?"]),
    "a file that is not there": ("open('nowhere.bin')", ["Its files are: orders.csv."]),
    "too much memory": ("np.ones((10**6, 10**6))", ["MemoryError", "more memory than a call may use"]),
    "its own end": ("import sys\nsys.exit(3)", ["The code exited with exit code 3."]),
    "a question to nobody": ("input('Name? ')", ["EOFError", "Nobody can answer input() here."]),
    "too many rows for a chart": (
        "alt.Chart(pd.DataFrame({'x': range(30_000)})).mark_bar().encode(x='x')",
        ["The chart holds 30,000 rows; a chart can hold 20,000.", "Aggregate"],
    ),
}


@pytest.mark.parametrize("case", mostly_long(CASES, quick=(0, 3, 8, 13, 15, 18, 21)))
def test_errors_name_the_lines_of_the_code_and_say_what_to_do(lab: Lab, case: str) -> None:
    """Without frames of libraries, and without paths on this computer."""
    code, expected = CASES[case]
    told = lab.error(code)
    for part in expected:
        assert part in told, told
    assert "site-packages" not in told
    assert str(lab.app.data) not in told
    assert len(told) < 4_600


@CONFINED
@pytest.mark.parametrize(
    "code",
    [
        "import urllib.request\nurllib.request.urlopen('https://example.org')",
        "pd.read_csv('https://example.org/x.csv')",
        "import socket\nsocket.create_connection(('127.0.0.1', 80))",
        "import httpx\nhttpx.get('http://127.0.0.1:1')",
    ],
)
def test_there_is_no_network_and_that_is_reported(lab: Lab, code: str) -> None:
    """Not even loopback, where the app itself listens."""
    assert "This tool has no network: the data must be in the workspace's files." in lab.error(code)


@pytest.mark.long
@CONFINED
def test_files_outside_the_workspace_cannot_be_read(app: App, lab: Lab, tmp_path: Path) -> None:
    """Neither the machine's, nor those of other chats, nor their typed tables, nor the log."""
    lab.result("1")
    own_tables = set((app.data / "cache" / "tables").rglob("*.parquet"))
    other = Lab.opened(app, {"secret.csv": "a\n98765\n"})
    other.result("len(tables.secret)")
    assert set((app.data / "cache" / "tables").rglob("*.parquet")) - own_tables
    own = {"toolsets", lab.chat_id}
    places = [p for p in app.data.rglob("*") if p.is_file() and not own & set(p.relative_to(app.data).parts)]
    places = [place for place in places if place not in own_tables]
    assert len(places) > 5
    (tmp_path / "private.txt").write_text("x")
    for path in ["/etc/shadow", str(tmp_path / "private.txt")]:
        assert "outside the workspace, which is all that this tool can read" in lab.error(
            f"open({path!r}).read()"
        )
    code = (
        f"found = []\nfor path in {[str(place) for place in places]!r}:\n"
        "    try:\n        open(path, 'rb').close()\n        found.append(path)\n"
        "    except OSError:\n        pass\nfound"
    )
    assert lab.result(code)["output"] == "[]"
    assert other.files()


@pytest.mark.long
def test_a_call_leaves_nothing_behind_except_its_files(app: App) -> None:
    """No variable, no changed module, no changed table, no open figure, no temporary file."""
    lab = Lab.opened(app, {"orders.csv": orders(10)})
    lab.result(
        "import os, tempfile, threading\n"
        "left = 1\nnp.pi = 3\npd.options.display.max_rows = 1\nos.environ['LEFT'] = '1'\n"
        "plt.plot([1]); tables.orders['new'] = 1\n"
        "open(os.path.join(tempfile.gettempdir(), 'left'), 'w').close()\n"
        "threading.Thread(target=lambda: __import__('time').sleep(30), daemon=False).start()"
    )
    seen = lab.result(
        "import os, tempfile\n"
        "print('left' in globals(), np.pi == 3, os.environ.get('LEFT'), plt.get_fignums())\n"
        "print('new' in tables.orders, os.path.exists(os.path.join(tempfile.gettempdir(), 'left')))"
    )
    assert seen["output"] == "False False None []\nFalse False"


def test_an_existing_file_is_never_changed(app: App) -> None:
    """Its effects are `create`: the call fails, and the file is unchanged."""
    lab = Lab.opened(app, {"orders.csv": orders(10)})
    before = lab.files()
    told = lab.error("tables.orders.assign(amount=0).to_csv('orders.csv', index=False)")
    assert "orders.csv" in told
    assert lab.files() == before


@pytest.mark.long
def test_code_that_runs_too_long_is_stopped_with_its_line(app: App, tmp_path: Path) -> None:
    """In a copy of the bundle with a limit of two seconds; code that catches all exceptions is stopped too."""
    bundle = tmp_path / "bundle"
    for source in (shipped_bundles() / "data-analyst").rglob("*"):
        if source.is_file() and source.name != "SKILL.md" and source.suffix != ".pyc":
            text = source.read_text()
            if source.name == "python.py":
                text = text.replace("SECONDS = 110", "SECONDS = 2")
            if source.name == "toolset.yaml":
                text = text.replace("id: data-analyst\nname: Data analyst", "id: hasty\nname: Hasty", 1)
            target = bundle / source.relative_to(shipped_bundles() / "data-analyst")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    app.send(InstallToolset(bundle, "yes"))
    lab = Lab.opened(app, {})
    code = "n = 0\nwhile True:\n    try:\n        n += 1\n    except Exception:\n        pass"
    call = lab.run(code, toolset="hasty")
    assert call.error is not None
    assert "OutOfTime: stopped after 2 s. Use fewer rows" in call.error["message"]
    assert call.error["message"].startswith("line ")


def test_a_crashed_process_is_an_error_and_the_next_call_runs(lab: Lab) -> None:
    """As for any tool."""
    assert "exit code 7" in lab.error("import os\nos._exit(7)")
    assert lab.result("1 + 1")["output"] == "2"
