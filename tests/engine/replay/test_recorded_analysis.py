"""An analysis of 20 calls runs again on another day, with other threads, and with another version of pandas."""

import json
import os
import shutil
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.app.app import App
from engine.commands.catalog import BeginChat, ReplayChat, Upload
from engine.runtime import processes
from tests.support.talk import call, script

ROOT = Path(__file__).resolve().parents[3]
OTHER_PANDAS = "3.1.0"

MONTHS = "JOIN targets USING (region)"
REGRESSION = """
import statsmodels.formula.api as smf
table = tables['orders']
fitted = smf.ols('revenue ~ units + C(region)', table).fit()
result = fitted.params.rename('value').reset_index().assign(p=fitted.pvalues.values)
result
"""
FORECAST = """
import numpy as np
from scipy import stats
t = tables['orders'].groupby('month', as_index=False)['revenue'].sum()
slope = stats.linregress(np.arange(len(t)), t['revenue'])
{'slope': slope.slope, 'p': slope.pvalue, 'next': slope.intercept + slope.slope * len(t)}
"""
WORKBOOK = """
tables['orders'].groupby('region', as_index=False)['revenue'].sum().to_excel(workspace / 'regions.xlsx', index=False)
'written'
"""
CALLS: tuple[dict[str, Any], ...] = (
    call("describe", table="orders"),
    call("describe", table="targets"),
    call(
        "query",
        sql="SELECT region, sum(revenue) AS r FROM orders GROUP BY ALL ORDER BY r DESC",
        title="By region",
    ),
    call(
        "query",
        sql="SELECT month, sum(revenue) AS r FROM orders GROUP BY ALL ORDER BY month",
        title="By month",
    ),
    call(
        "query",
        sql=f"SELECT region, sum(revenue) / max(target) AS s FROM orders {MONTHS} GROUP BY ALL ORDER BY 1",
    ),
    call("query", sql="SELECT avg(revenue), stddev(revenue), median(units) FROM orders", title="Spread"),
    call("query", sql="SELECT corr(units, revenue) AS c FROM orders", title="Correlation"),
    call(
        "query",
        sql="SELECT *, sum(revenue) OVER (ORDER BY n) AS total FROM orders ORDER BY n",
        title="Running",
    ),
    call("query", sql="SELECT region FROM by_region WHERE r > 1000 ORDER BY 1", title="Large"),
    call("chart", sql="SELECT * FROM by_month", mark="line", x="month", y="r", title="Months"),
    call("chart", sql="SELECT * FROM by_region", mark="bar", x="region", y="r", title="Regions"),
    call(
        "chart", sql="SELECT units, revenue FROM orders", mark="point", x="units", y="revenue", title="Each"
    ),
    call("python", code=REGRESSION),
    call("python", code=FORECAST),
    call("python", code="tables['orders'].describe()"),
    call("python", code="tables['orders'].pivot_table(index='region', columns='month', values='revenue')"),
    call("python", code=WORKBOOK),
    call("python", code="tables['orders'].head(20).to_csv(workspace / 'first.csv', index=False)\n'written'"),
    call("query", sql="SELECT count(*) AS n FROM first", title="First"),
    call("query", sql="SELECT sum(revenue) AS r FROM regions", title="Sum of the workbook"),
)


def orders() -> bytes:
    rows = (
        "{},{},2026-{:02d},{},{}".format(i, "NSEW"[i % 4], 1 + i % 12, 1 + i % 9, i * 37 % 991)
        for i in range(500)
    )
    return ("n,region,month,units,revenue\n" + "\n".join(rows) + "\n").encode()


def targets() -> bytes:
    made = BytesIO()
    table = pd.DataFrame({"region": list("NSEW"), "target": [9_000.5, 8_000, 7_000, 6_000]})
    table.to_excel(made, index=False, engine="xlsxwriter")
    return made.getvalue()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A closed data folder with the analysis, and the chat's id."""
    folder = tmp_path_factory.mktemp("recorded")
    model = script(folder / "script.json", [*({"calls": [one]} for one in CALLS), {"text": "Done."}])
    with opened(folder / "data") as app:
        files = [Upload("orders.csv", orders()), Upload("targets.xlsx", targets())]
        begun = app.send(
            BeginChat("Analyse.", files, model=model, depth="thorough", allow_confirmations=True)
        )
        assert app.wait(begun.turn_id, 500)
        calls = list(app.chat(begun.chat_id).calls.values())
        assert [(one.tool_id, one.error) for one in calls if one.status != "success"] == []
        assert len(calls) == 20
    return folder / "data", begun.chat_id


class opened:
    """An app whose clock is that many days ahead."""

    def __init__(self, data: Path, days: int = 0) -> None:
        self._app = App(data, clock=lambda: datetime.now(UTC) + timedelta(days=days))

    def __enter__(self) -> App:
        return self._app

    def __exit__(self, *_: object) -> None:
        self._app.close()


@pytest.fixture
def data(recorded: tuple[Path, str], tmp_path: Path) -> Path:
    """A copy of the same folder for one test."""
    shutil.copytree(recorded[0], tmp_path / "data", symlinks=True)
    return tmp_path / "data"


def verified(app: App, chat_id: str) -> list[dict[str, Any]]:
    document: Any = app.replay(chat_id, app.send(ReplayChat(chat_id)))
    return list(document["calls"])


@pytest.mark.long
def test_an_analysis_of_20_calls_is_identical_on_another_day(recorded: tuple[Path, str], data: Path) -> None:
    """CSV, workbook, SQL, regression, charts and files, after another start of the app, a day later."""
    with opened(data, days=1) as app:
        calls = verified(app, recorded[1])
    odd = [(one["tool_id"], one["verdict"], one["reason"]) for one in calls if one["verdict"] != "identical"]
    assert odd == [
        ("data-analyst:python", "equal", "The tables have the same cells, stored as different bytes.")
    ]
    assert {tuple(one["environment"]) for one in calls} == {()}


@pytest.mark.long
def test_a_different_number_of_threads_is_reported(
    recorded: tuple[Path, str], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The results agree, and each verdict says how the environment differs."""
    monkeypatch.setitem(processes._FIXED, "OMP_NUM_THREADS", "2")
    monkeypatch.setitem(processes._FIXED, "OPENBLAS_NUM_THREADS", "2")
    with opened(data) as app:
        calls = verified(app, recorded[1])
    assert {one["verdict"] for one in calls} <= {"identical", "equal"}
    assert {tuple(one["environment"]) for one in calls} == {("threads 1 → 2",)}


@pytest.fixture
def one_core() -> Iterator[None]:
    """A machine with one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.mark.long
def test_a_different_number_of_cores_gives_the_same_results(
    recorded: tuple[Path, str], data: Path, one_core: None
) -> None:
    """Queries may run on several threads, but their results do not depend on it."""
    with opened(data) as app:
        calls = verified(app, recorded[1])
    assert Counter(one["verdict"] for one in calls) == {"identical": 19, "equal": 1}


@pytest.mark.long
def test_a_different_patch_version_of_pandas_is_reported(
    recorded: tuple[Path, str], data: Path, tmp_path: Path
) -> None:
    """In a second virtual environment with the same packages except for pandas."""
    place = tmp_path / "venv"
    venv.create(place, with_pip=False, symlinks=True)
    (site,) = place.glob("lib/python*/site-packages")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site)]
    subprocess.run([*pip, f"pandas=={OTHER_PANDAS}"], check=True)
    (site / "others.pth").write_text(f"{Path(pd.__file__).parents[1]}\n")
    words = ["replay", recorded[1], "--data", str(data), "--json"]
    program = ["-c", "from engine.cli.main import main; main()", *words]
    ran = subprocess.run(
        [place / "bin" / "python", *program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    calls = json.loads(ran.stdout)["calls"]
    assert {one["verdict"] for one in calls} <= {"identical", "equal"}
    told = {fact for one in calls for fact in one["environment"]}
    assert told == {f"pandas {pd.__version__} → {OTHER_PANDAS}"}
