"""Where `python` runs: a host that starts on demand, a fork or a single-use process, and parallel calls."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.app.app import App
from engine.app.wiring_parts import PRELOAD
from engine.commands.catalog import SelectTools, Upload, UploadFiles
from engine.config import shipped_bundles
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from tests.sample_bundles.python_lab import orders
from tests.support.talk import Talk, call

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="tool processes need POSIX"),
    pytest.mark.xdist_group("python"),
]
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux forks")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app with the bundles that ship."""
    opened = App(tmp_path_factory.mktemp("data"))
    yield opened
    opened.close()


def run(pool: Pool, workspace: Path, code: str, memory_bytes: int = 4 << 30) -> RunOutcome:
    """Run code in a folder with a pool."""
    request = replace(request_of(workspace, code), limits=Limits(memory_bytes=memory_bytes))
    return pool.run(request, cancel=Cancellation())


def request_of(workspace: Path, code: str) -> RunRequest:
    """A call of `python` in a folder."""
    workspace.mkdir(exist_ok=True)
    bundle = shipped_bundles() / "data-analyst"
    return RunRequest("call", bundle, "tools.python:run", workspace, {"code": code}, runtime="analysis")


CODE = """
import sys
model = smf.ols("amount ~ items", tables.orders).fit(cov_type="HC3")
tables.orders.plot.scatter("items", "amount")
print(model.params.round(6).to_dict(), sorted(name for name in ("scipy", "altair") if name in sys.modules))
"""


@pytest.mark.long
@LINUX
def test_the_result_is_the_same_in_a_fork_and_in_a_single_use_process(tmp_path: Path) -> None:
    """If forking is not safe, each call has a process that loads the packages itself."""
    values, facts = [], []
    for forks in (True, False):
        folder = tmp_path / str(forks)
        folder.mkdir()
        (folder / "orders.csv").write_text(orders())
        with Pool(preload=PRELOAD, fork=forks) as pool:
            outcome = run(pool, folder, CODE)
            assert outcome.status == "success", outcome.error
            assert outcome.confinement.level == ("full" if forks else outcome.confinement.level)
            assert outcome.stderr == ""  # no warning of matplotlib's about folders or fonts
            values.append({key: value for key, value in (outcome.value or {}).items() if key != "_pictures"})
            facts.append(outcome.environment)
    assert values[0] == values[1]
    assert facts[0] == facts[1]
    assert (tmp_path / "True/results/figure.png").read_bytes() == (
        tmp_path / "False/results/figure.png"
    ).read_bytes()


@pytest.mark.long
@LINUX
def test_the_host_starts_with_the_first_call_that_needs_it(tmp_path: Path) -> None:
    """Opening an app and using tools of the plain runtime do not start it."""
    with Pool(preload=PRELOAD) as pool:
        pool.warm()
        nothing = RunRequest("call", None, "anabranch_tool.files:list_files", tmp_path, {})
        assert pool.run(nothing, cancel=Cancellation()).status == "success"
        analysis = pool._hosts["analysis"]
        assert analysis._running is None  # type: ignore[attr-defined]
        told: list[str] = []
        request = request_of(tmp_path / "w", "1")
        for _ in range(2):
            pool.run(request, cancel=Cancellation(), on_progress=lambda _, text: told.append(text))
        assert told == ["Loading Python's analysis packages (only once)"]
        host = analysis._running[0].pid  # type: ignore[attr-defined]
        assert run(pool, tmp_path / "w", "2").status == "success"
        assert analysis._running[0].pid == host  # type: ignore[attr-defined]


@pytest.mark.long
@LINUX
def test_a_call_that_exceeds_its_memory_limit_ends_with_a_message(tmp_path: Path) -> None:
    """The limit applies to the call; the packages that it shares with the host fit within it."""
    with Pool(preload=PRELOAD) as pool:
        assert run(pool, tmp_path / "w", "np.ones(1000).sum()", 1 << 30).status == "success"
        outcome = run(pool, tmp_path / "w", "np.ones(400_000_000).sum()", 1 << 30)
        assert outcome.error is not None
        assert "It needs more memory than a call may use." in outcome.error.message


@pytest.mark.long
def test_parallel_calls_have_separate_files_and_names(app: App, tmp_path: Path) -> None:
    """They run at the same time on copies of the same files without clashes; later SQL finds each result."""
    talk = Talk(app, tmp_path)
    app.send(SelectTools(talk.chat_id, {"data-analyst": ["query", "python"]}))
    app.send(UploadFiles(talk.chat_id, [Upload("orders.csv", orders().encode())]))
    python, query = "toolset__data-analyst__python", "toolset__data-analyst__query"
    frame = "show(tables.orders.head({n}), name='top'); plt.plot([{n}]); tables.orders.tail({n})"
    talk.replies(
        {
            "calls": [
                call(python, code=frame.format(n=1)),
                call(query, sql="SELECT 2 AS n", name="top"),
                call(python, code=frame.format(n=3)),
                call(query, sql="SELECT count(*) AS n FROM orders"),
            ]
        },
        {"calls": [call(query, sql="SELECT count(*) AS n FROM top_call3")]},
        {"text": "Done."},
    )
    talk.ask()
    made = talk.calls()
    assert [one.status for one in made] == ["success"] * 5, [one.error for one in made]
    names = []
    for one in made[:4]:
        assert isinstance(one.result, dict)
        shown = one.result.get("tables", [one.result])
        names += [table["table"] for table in shown] + [p["name"] for p in one.result.get("pictures", [])]
    assert len(names) == len(set(names)) == 8
    assert isinstance(made[4].result, dict)
    assert made[4].result["rows"] == [[3]]
