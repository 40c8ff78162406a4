"""The tool `python`: whole analyses with checked numbers, and how everything that code shows is handled."""

import io
import json
import re
import sys
from collections.abc import Iterator

import pyarrow.parquet as pq
import pytest

from engine.app.app import App
from engine.rendering.plans import ChartPlan, ImagesPlan, PartsPlan, TablePlan
from engine.views.placement import results_of
from events.catalog.tool_call import ToolCallFinished
from tests.sample_bundles.python_lab import Lab, csv_of, monthly, orders

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="tool processes need POSIX"),
    pytest.mark.xdist_group("python"),
]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app with the bundles that ship."""
    opened = App(tmp_path_factory.mktemp("data"))
    yield opened
    opened.close()


@pytest.fixture
def lab(app: App) -> Lab:
    """A chat with orders and a monthly series."""
    return Lab.opened(app, {"orders.csv": orders(), "series.csv": monthly()})


def test_a_regression_with_robust_errors_has_its_p_value(lab: Lab) -> None:
    """The slope, its robust error and p-value; the summary has neither date nor time, which differ from run to run."""
    result = lab.result(
        """
        model = smf.ols("amount ~ items", tables["orders"]).fit(cov_type="HC3")
        print(model.summary())
        pd.DataFrame({"coef": model.params, "error": model.bse, "p": model.pvalues})
        """.replace("\n        ", "\n")
    )
    assert "Covariance Type:                  HC3" in result["output"]
    assert re.search(r"(?m)^(Date|Time):\s+\d", result["output"]) is None
    (table,) = result["tables"]
    assert [column["name"] for column in table["columns"]] == ["index", "coef", "error", "p"]
    (slope,) = [row for row in table["rows"] if row[0] == "items"]
    assert 2.5 < slope[1] < 3.5
    assert slope[3] < 1e-6


def test_welchs_t_test_can_be_computed(lab: Lab) -> None:
    """`stats` is scipy.stats; the value of the last line is the output."""
    result = lab.result(
        "df = tables.orders\n"
        "test = stats.ttest_ind(df[df.region == 'South'].amount, df[df.region == 'North'].amount, equal_var=False)\n"
        "{'t': round(test.statistic, 3), 'p': float(f'{test.pvalue:.3g}'), 'sure': bool(test.pvalue < 0.05)}"
    )
    assert re.fullmatch(r"\{'t': -?[\d.]+, 'p': [\d.e-]+, 'sure': True\}", result["output"])


def test_a_seasonal_decomposition_and_a_forecast_are_correct(lab: Lab) -> None:
    """The known season is found, and the forecast continues it; dates are real dates."""
    result = lab.result(
        "from statsmodels.tsa.seasonal import seasonal_decompose\n"
        "from statsmodels.tsa.holtwinters import ExponentialSmoothing\n"
        "s = tables['series'].set_index('month')['value'].asfreq('MS')\n"
        "season = seasonal_decompose(s, period=12).seasonal[:12].rename('season')\n"
        "show(season, title='Season', name='season')\n"
        "fit = ExponentialSmoothing(s, trend='add', seasonal='add', seasonal_periods=12).fit()\n"
        "fit.forecast(12).rename('forecast')",
    )
    season, forecast = result["tables"]
    assert [c["name"] for c in season["columns"]] == ["month", "season"]
    assert season["columns"][0]["type"] == "DATE"
    assert abs(max(row[1] for row in season["rows"]) - 15) < 1
    assert forecast["row_count"] == 12
    assert forecast["rows"][0][0] == "2024-01-01"
    assert abs(forecast["rows"][0][1] - (100 + 2 * 60)) < 4


@pytest.mark.long
def test_clustering_gives_a_table_and_a_figure(lab: Lab) -> None:
    """Clusters as a table that later SQL can use, and the figure as a PNG in the chat's files and for the model."""
    call = lab.run(
        "from sklearn.cluster import KMeans\n"
        "df = tables.orders.copy()\n"
        "df['cluster'] = KMeans(3, n_init=5).fit_predict(df[['items', 'amount']])\n"
        "fig, ax = plt.subplots(figsize=(5, 4))\n"
        "ax.scatter(df['items'], df.amount, c=df.cluster)\n"
        "ax.set_title('Three clusters')\n"
        "df.groupby('cluster').agg(orders=('amount', 'size'), mean=('amount', 'mean'))",
        name="clusters",
    )
    assert call.error is None
    assert isinstance(call.result, dict)
    assert call.result["pictures"] == [{"name": "three_clusters", "title": "Three clusters"}]
    assert "tables" in call.result
    assert lab.read("results/three_clusters.png").startswith(b"\x89PNG")
    counted = lab.run("SELECT sum(orders) AS n FROM clusters", tool="query")
    assert isinstance(counted.result, dict)
    assert counted.result["rows"] == [[200]]
    (finished,) = [e for e in events(lab) if e.call_id == call.call_id]
    assert [picture.media_type for picture in finished.pictures] == ["image/png"]


def events(lab: Lab) -> list[ToolCallFinished]:
    found = [recorded.event for recorded in lab.app.log.read_stream(f"chat-{lab.chat_id}")]
    return [event for event in found if isinstance(event, ToolCallFinished)]


@pytest.mark.long
def test_printed_text_frames_figures_and_charts_become_parts_in_their_order(lab: Lab) -> None:
    """Parts on the page refer to files by hash; the model gets no chart data and no picture as text."""
    call = lab.run(
        "print('Looking')\n"
        "by = tables.orders.groupby('region', as_index=False).amount.sum()\n"
        "show(by, title='By region')\n"
        "plt.plot([1, 3, 2]); plt.title('First'); plt.show()\n"
        "display(alt.Chart(by, title='Bars').mark_bar().encode(x='region', y='amount'))\n"
        "fig, ax = plt.subplots(); ax.hist([1, 2, 2]); ax.set_title('Second')\n"
        "tables.orders.sort_values('amount').head(3)",
    )
    plan = call.plan
    assert isinstance(plan, PartsPlan)
    assert [(type(part), part.name) for part in plan.parts] == [
        (TablePlan, "by_region"),
        (ImagesPlan, "first"),
        (ChartPlan, "bars"),
        (TablePlan, "result"),
        (ImagesPlan, "second"),
    ]
    assert plan.output == "Looking"
    assert plan.code is not None
    assert plan.code.startswith("print('Looking')")
    chart = plan.parts[2]
    assert isinstance(chart, ChartPlan)
    assert chart.data is not None
    assert len(chart.data) == 2
    assert "datasets" not in chart.spec
    assert isinstance(call.result, dict)
    assert call.result["charts"] == [{"name": "bars", "title": "Bars", "rows": 2}]
    assert [column["name"] for column in call.result["tables"][1]["columns"]] == [
        "day",
        "region",
        "items",
        "amount",
    ]
    assert set(call.result) == {"output", "tables", "charts", "pictures"}
    assert len(json.dumps(call.result)) < 8_000


@pytest.mark.long
def test_a_failing_chart_does_not_remove_the_text_the_tables_or_other_charts(lab: Lab) -> None:
    """The whole call used to fail, although its files were joined."""
    call = lab.run(
        "print('Looking')\n"
        "by = tables.orders.groupby('region', as_index=False).amount.sum()\n"
        "good = alt.Chart(by, title='Good').mark_bar().encode(x='region', y='amount')\n"
        "show(good)\n"
        "show(good.transform_filter('datum.amount < 0').properties(title='Bad'))\n"
        "by"
    )
    assert call.error is None
    assert isinstance(call.result, dict)
    assert call.result["output"] == "Looking"
    assert [chart["name"] for chart in call.result["charts"]] == ["good"]
    assert [table["table"] for table in call.result["tables"]] == ["by_data"]
    (why,) = call.result["notes"]
    assert why.startswith("The chart “Bad” (bad) is not shown. The chart draws no mark:")
    assert isinstance(call.plan, PartsPlan)
    assert call.plan.notes == (why,)
    assert [part.name for part in call.plan.parts] == ["good", "by_data"]
    assert "results/by_data.parquet" in lab.files()


def test_show_without_a_value_names_the_open_figure(lab: Lab) -> None:
    """Its title and name used to be lost, so an answer could not place the figure by that name."""
    result = lab.result(
        "plt.plot([1, 2]); plt.figure(); plt.plot([2, 1])\nshow(title='Trend and rest', name='trend')"
    )
    assert [(one["name"], one["title"]) for one in result["pictures"]] == [
        ("trend", "Trend and rest"),
        ("figure", "Figure"),
    ]


def test_a_meaningful_index_becomes_columns_and_levels_are_joined(lab: Lab) -> None:
    """A pivot with two column levels and a named index; plain row numbers are left out."""
    result = lab.result(
        "df = tables.orders\n"
        "wide = df.pivot_table(index='region', columns='items', values='amount', aggfunc=['mean', 'size'])\n"
        "show(wide, name='wide')\n"
        "show(df[df.amount > 40].head(5), name='dear')\n"
        "show(df.amount.describe(), name='described')\n"
        "show(pd.DataFrame({'n': [1, 2]}, index=[2020, 2021]), name='years')\n"
        "df.groupby(['region', 'items']).size()"
    )
    names = {table["table"]: [column["name"] for column in table["columns"]] for table in result["tables"]}
    assert names["wide"][:3] == ["region", "mean_1", "mean_2"]
    assert names["dear"] == ["day", "region", "items", "amount"]
    assert names["described"] == ["index", "amount"]
    assert names["years"] in (["index", "n"], ["n"])
    assert names["result"] == ["region", "items", "value"]


def test_decimals_are_passed_as_float64_and_that_is_reported_once(app: App) -> None:
    """Sums of floats can differ from exact ones in their last digits."""
    lab = Lab.opened(app, {"orders.csv": orders()})
    result = lab.result(
        "d = sql('SELECT CAST(amount AS DECIMAL(10,2)) AS exact FROM orders')\n"
        "d = sql('SELECT CAST(amount AS DECIMAL(10,2)) AS exact FROM orders')\n"
        "str(d.exact.dtype)"
    )
    assert result["output"] == "float64"
    assert len([note for note in result["notes"] if "exact in SQL, float64 here" in note]) == 1


def test_times_that_are_all_midnight_are_dates(lab: Lab) -> None:
    """pandas has no dates, so those of a file used to come back as times at 00:00."""
    result = lab.result(
        "day = pd.to_datetime(['2024-01-01', '2024-02-01', None])\n"
        "frame = pd.DataFrame({'day': day, 'none': pd.Series([pd.NaT] * 3), 'month': day.to_period('M')})\n"
        "frame['at'] = day + pd.Timedelta(hours=1)\n"
        "frame['zone'] = day.tz_localize('UTC')\n"
        "frame['old'] = pd.to_datetime(['1900-01-01', '1969-12-31', '2024-01-01'])\n"
        "frame"
    )
    (table,) = result["tables"]
    kinds = {column["name"]: column["type"] for column in table["columns"]}
    assert kinds == {
        "day": "DATE", "none": "TIMESTAMP", "month": "DATE", "at": "TIMESTAMP", "zone": "TIMESTAMP", "old": "DATE"
    }  # fmt: skip
    assert table["rows"][1][0] == "2024-02-01"
    assert table["rows"][2][:4] == [None] * 4


def test_missing_numbers_are_nan_and_dates_are_datetimes(app: App) -> None:
    """As numeric libraries expect them."""
    lab = Lab.opened(
        app, {"gaps.csv": csv_of(("day", "n", "s"), [("2024-01-01", 1, "a"), ("2024-01-02", "", "")])}
    )
    kinds = lab.result("tables.gaps.dtypes.astype(str).to_dict()")["output"]
    assert "'n': 'float64'" in kinds
    assert "'day': 'datetime64" in kinds
    assert "'s': 'str'" in kinds


def test_code_can_use_sql_on_its_own_frames_and_its_written_files_are_listed(lab: Lab) -> None:
    """`workspace` is the chat's folder."""
    result = lab.result(
        "top = tables.orders.nlargest(5, 'amount')\n"
        "(workspace / 'notes.txt').write_text('five')\n"
        "show(tables.orders.head(3), name='few')\n"
        "few = '(SELECT count(*) FROM few)'\n"
        "sql(f'SELECT count(*) AS n, (SELECT count(*) FROM orders) AS every, {few} AS few FROM top')",
    )
    assert result["files"] == ["notes.txt"]
    assert result["tables"][1]["rows"] == [[5, 200, 3]]
    assert lab.read("notes.txt") == b"five"


def test_the_result_is_at_most_8_kb_but_its_tables_are_complete(lab: Lab) -> None:
    """Whatever is printed and shown, omissions are reported and the files contain every row."""
    result = lab.result(
        "print('x' * 300_000)\n"
        "wide = pd.DataFrame(np.zeros((50_000, 120)), columns=[f'column number {n}' for n in range(120)])\n"
        "for n in range(10): show(tables.orders, name=f'copy {n}')\n"
        "wide"
    )
    assert len(json.dumps(result, ensure_ascii=False).encode()) <= 8_000
    assert re.search(r"… [\d,]+ characters are left out here …", result["output"])
    assert [table["row_count"] for table in result["tables"]] == [200] * 10 + [50_000]
    assert any("of 120 columns are listed here" in note for note in result["notes"])
    stored = pq.read_table(io.BytesIO(lab.read("results/wide.parquet")))
    assert stored.shape == (50_000, 120)


def test_values_that_could_not_be_read_are_in_the_notes_of_the_result_and_its_card(app: App) -> None:
    """Whether the table was read whole or by SQL; once, and only for tables that were used."""
    rows = [f"{n},{n * 5}" for n in range(1, 61)]
    text = "\n".join(["n,amount", *rows, "61,abt 9", "62,~12"]) + "\n"
    for code in (
        "tables['sales'].amount.sum()",
        "sql('SELECT sum(amount) AS total FROM sales')",
        "sql('SELECT n FROM sales LIMIT 1'); plt.plot(tables.sales.amount); plt.title('Growth');",
    ):
        lab = Lab.opened(app, {"sales.csv": text, "other.csv": text.replace("abt 9", "abt 8")})
        call = lab.run(code)
        assert isinstance(call.result, dict)
        assert isinstance(call.plan, PartsPlan)
        assert len([note for note in call.result["notes"] if "abt 9" in note]) == 1
        assert call.plan.notes == tuple(call.result["notes"])
        assert not any("abt 8" in note for note in call.plan.notes)
        assert any("abt 9" in note for result in results_of([call]) for note in result.plan.notes)


def test_warnings_are_notes_and_a_semicolon_hides_the_last_value(lab: Lab) -> None:
    """Warnings include the line that caused them."""
    result = lab.result("import warnings\nwarnings.warn('mind the gap')\nnp.log(np.array([-1.0]))\n1 + 1;")
    assert "line 2: UserWarning: mind the gap" in result["notes"]
    assert any("RuntimeWarning: invalid value" in note for note in result["notes"])
    assert "output" not in result


def test_random_numbers_are_the_same_in_every_run(lab: Lab) -> None:
    """For each source that code commonly uses; sets keep their order too."""
    code = (
        "import random\n"
        "print(random.random(), np.random.rand(), np.random.default_rng().normal())\n"
        "print(tables.orders.sample(3)['amount'].tolist(), list({'b', 'a', 'c'}), stats.norm.rvs(size=2))"
    )
    assert lab.result(code) == lab.result(code)


def test_a_second_run_gives_the_same_bytes(app: App) -> None:
    """Result, Parquet files and pictures: a call only depends on the workspace."""
    code = (
        "show(tables.orders.groupby('region').amount.agg(['mean', 'std']), name='spread')\n"
        "tables.orders.plot.scatter('items', 'amount', title='Orders')\n"
        "print(smf.ols('amount ~ items', tables.orders).fit().summary())\n"
        "object()"
    )
    found = []
    for _ in range(2):
        lab = Lab.opened(app, {"orders.csv": orders()})
        result = lab.result(code)
        (finished,) = events(lab)
        assert finished.environment is not None
        shown = {path: entry.sha256 for path, entry in lab.files().items()}
        found.append((result, shown, finished.environment.sha256))
    assert found[0] == found[1]
    assert "results/spread.parquet" in found[0][1]


def test_names_of_results_do_not_clash_with_tables_of_the_chat(lab: Lab) -> None:
    """A result never takes the name of a file, of an earlier result, or of another one in its call."""
    first = lab.result("show(tables.orders, name='orders'); orders = tables.orders; orders")
    assert [table["table"] for table in first["tables"]] == ["orders_2"]
    again = lab.result("show(tables.orders.head(1), name='orders'); tables.orders.head(2)", title="orders!")
    assert [table["table"] for table in again["tables"]] == ["orders_3", "orders_4"]


def test_the_environment_lists_the_analysis_packages(lab: Lab) -> None:
    """With their versions."""
    lab.result("1")
    (finished,) = events(lab)
    assert finished.environment is not None
    facts = json.loads(lab.app.workspace.read(lab.chat_id, finished.environment.sha256))
    assert {"numpy", "pandas", "scipy", "statsmodels", "sklearn", "matplotlib", "altair"} <= set(
        facts["packages"]
    )
