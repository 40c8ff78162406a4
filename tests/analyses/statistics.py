"""A regression with robust errors, a seasonal series and its forecast, a t-test, and clusters."""

import math
import random
from collections.abc import Mapping

from tests.analyses.case import Case
from tests.support.policy import Analysis, Seen, chart, python, query, say

__all__ = [
    "CLUSTERS",
    "REGRESSION",
    "SEASONS",
    "T_TEST",
    "flats",
    "harvest",
    "members",
    "visitors",
]


def _csv(header: str, rows: list[tuple[object, ...]]) -> bytes:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows), ""]).encode()


def flats() -> list[tuple[float, float]]:
    """Area and rent; rents vary more for large flats."""
    dice = random.Random(3)
    areas = [round(dice.uniform(25, 140), 1) for _ in range(150)]
    return [(area, round(900 + 2 * area + dice.gauss(0, 4 * area), 2)) for area in areas]


_FIT = """
fit = smf.ols("rent ~ area", tables["flats"]).fit(cov_type="HC3")
table = pd.DataFrame({"term": fit.params.index, "estimate": fit.params.values, "robust_se": fit.bse.values,
                      "z": fit.tvalues.values, "p_value": fit.pvalues.values})
show(table, title="Regression of rent on area (HC3)", name="coefficients")
print(f"{fit.rsquared:.6f} {int(fit.nobs)}")
"""


def _regress(_: Seen) -> Analysis:
    seen = yield say("I fit the rent on the area, with robust errors.", python(_FIT))
    told = seen.result()
    table = told["tables"][0]
    names = [column["name"] for column in table["columns"]]
    area = dict(zip(names, next(row for row in table["rows"] if row[0] == "area"), strict=True))
    explained, flats_seen = told["output"].split()
    seen = yield say(
        "I look at the spread.",
        chart(table="flats", mark="point", x="area", y="rent", title="Rent by area", name="rents"),
    )
    assert "150" in seen.result()["summary"], seen.result()
    yield say(
        f"Each further square metre costs {area['estimate']:.4f} more (robust standard error "
        f"{area['robust_se']:.4f}, p = {area['p_value']:.3g}), R² = {explained}, {flats_seen} flats. "
        "The errors are HC3, since rents spread more where flats are large:\n\n![](result:rents)\n\n"
        "![](result:coefficients)"
    )


REGRESSION = Case(
    "A regression",
    "How does rent depend on area? Use robust errors.",
    lambda: {"flats.csv": _csv("area,rent", list(flats()))},
    _regress,
    ("rents", "coefficients"),
)


def visitors() -> list[tuple[str, float]]:
    """Six years of months: a trend, a season, and noise."""
    dice = random.Random(4)
    return [
        (
            f"{2018 + n // 12}-{n % 12 + 1:02}-01",
            round(900 + 6 * n + 150 * math.sin(2 * math.pi * n / 12) + dice.gauss(0, 12), 1),
        )
        for n in range(72)
    ]


_DECOMPOSE = """
from statsmodels.tsa.seasonal import seasonal_decompose
from statsmodels.tsa.holtwinters import ExponentialSmoothing

series = tables["visitors"].set_index("month")["visitors"].asfreq("MS")
parts = seasonal_decompose(series, model="additive", period=12)
parts.plot()
show(title="Trend, season and rest", name="decomposition")
season = parts.seasonal[:12]
show(pd.DataFrame({"month": season.index.month_name(), "effect": season.values}), title="Season", name="season")
fit = ExponentialSmoothing(series, trend="add", seasonal="add", initialization_method="estimated").fit()
ahead = fit.forecast(12)
both = pd.concat([pd.DataFrame({"month": series.index, "visitors": series.values, "kind": "measured"}),
                  pd.DataFrame({"month": ahead.index, "visitors": ahead.values, "kind": "forecast"})])
show(both, title="Visitors and forecast", name="forecast")
"""


def _seasons(_: Seen) -> Analysis:
    seen = yield say("I take the series apart and go a year ahead.", python(_DECOMPOSE))
    made = {table["table"] for table in seen.result()["tables"]}
    assert made == {"season", "forecast"}
    seen = yield say(
        "I draw it, and read the numbers.",
        chart(
            table="forecast",
            mark="line",
            x="month",
            y="visitors",
            color="kind",
            name="forecast_chart",
            title="Visitors with a forecast for 2024",
        ),
        query("SELECT month, effect FROM season ORDER BY effect DESC LIMIT 1"),
        query("SELECT avg(visitors) AS mean, count(*) AS n FROM forecast WHERE kind = 'forecast'"),
    )
    assert "84 rows" in seen.result()["summary"], seen.result()
    month, effect = seen.result(1)["rows"][0]
    mean, months = seen.result(2)["rows"][0]
    yield say(
        f"The season is highest in {month} with {effect:+.2f} visitors. "
        f"The next {months} months have a mean of {mean:,.1f}.\n\n"
        "![](result:forecast_chart)\n\nThe parts of the series:\n\n![](result:decomposition)\n\n"
        "![](result:season)"
    )


SEASONS = Case(
    "A seasonal series",
    "What is the season of the visitors, and what comes next year?",
    lambda: {"visitors.csv": _csv("month,visitors", list(visitors()))},
    _seasons,
    ("forecast_chart", "decomposition", "season"),
)


def harvest() -> tuple[list[float], list[float]]:
    """The yield of plants with and without fertilizer."""
    dice = random.Random(5)
    return (
        [round(dice.gauss(5.8, 0.6), 2) for _ in range(40)],
        [round(dice.gauss(5.0, 0.9), 2) for _ in range(35)],
    )


def _plants() -> Mapping[str, bytes]:
    treated, control = harvest()
    rows: list[tuple[object, ...]] = [("treated", kilos) for kilos in treated]
    rows += [("control", kilos) for kilos in control] + [("control", "")]
    return {"plants.csv": _csv("plot,kilos", rows)}


_TEST = """
plants = tables["plants"].dropna()
treated, control = (plants.loc[plants["plot"] == name, "kilos"] for name in ("treated", "control"))
test = stats.ttest_ind(treated, control, equal_var=False)
low, high = test.confidence_interval(0.95)
show(pd.DataFrame({"difference": [treated.mean() - control.mean()], "low": [low], "high": [high],
                   "t": [test.statistic], "df": [test.df], "p_value": [test.pvalue]}),
     title="Welch's t-test", name="welch")
"""


def _compare(_: Seen) -> Analysis:
    seen = yield say(
        "I look at both groups.",
        query(
            'SELECT "plot", count(kilos) AS n, count(*) - count(kilos) AS missing, avg(kilos) AS mean, '
            "stddev_samp(kilos) AS sd FROM plants GROUP BY 1 ORDER BY 1",
            name="groups",
            title="Groups",
        ),
    )
    missing = sum(seen.column("missing"))
    seen = yield say(
        "The spreads differ, so I take Welch's test.",
        python(_TEST),
        chart(
            sql="SELECT * FROM plants",
            mark="boxplot",
            x="plot",
            y="kilos",
            name="boxes",
            title="Kilos by plot",
        ),
    )
    table = seen.result()["tables"][0]
    named = zip((column["name"] for column in table["columns"]), table["rows"][0], strict=True)
    found = dict(named)
    yield say(
        f"Treated plants yield {found['difference']:.4f} kg more (95 % from {found['low']:.4f} to "
        f"{found['high']:.4f}), t = {found['t']:.4f}, df = {found['df']:.3f}, p = {found['p_value']:.5f}; "
        f"left out: {missing} plant without a weight.\n\n![](result:boxes)\n\n![](result:welch)\n\n"
        "![](result:groups)"
    )


T_TEST = Case(
    "A t-test",
    "Does the fertilizer help?",
    _plants,
    _compare,
    ("boxes", "welch", "groups"),
)


def members() -> list[tuple[int, float, float]]:
    """Visits and spending of three kinds of members, with the kind of each."""
    dice = random.Random(6)
    kinds = ((4, 20, 60), (20, 45, 50), (12, 120, 30))
    return [
        (kind, round(dice.gauss(visits, 1.5), 2), round(dice.gauss(spent, 6), 2))
        for kind, (visits, spent, size) in enumerate(kinds)
        for _ in range(size)
    ]


_CLUSTER = """
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

data = tables["members"]
scaled = StandardScaler().fit_transform(data[["visits", "spent"]])
scores = {k: silhouette_score(scaled, KMeans(k, n_init=10, random_state=0).fit_predict(scaled)) for k in range(2, 7)}
best = max(scores, key=scores.get)
data["cluster"] = KMeans(best, n_init=10, random_state=0).fit_predict(scaled)
print(best, round(scores[best], 4))
centres = data.groupby("cluster").agg(members=("visits", "size"), visits=("visits", "mean"), spent=("spent", "mean"))
show(centres.reset_index(), title="Clusters", name="clusters")
fig, ax = plt.subplots()
for cluster, part in data.groupby("cluster"):
    ax.scatter(part["visits"], part["spent"], label=f"cluster {cluster}")
ax.set(xlabel="Visits", ylabel="Spent", title="Members by cluster")
ax.legend()
show(fig, name="picture")
"""


def _cluster(_: Seen) -> Analysis:
    seen = yield say("I try two to six clusters and keep what separates best.", python(_CLUSTER))
    best, score = seen.result()["output"].split()
    table = seen.result()["tables"][0]
    assert "data:image/png;base64," in seen.told
    sizes = "".join(
        f"- {size} members with {visits:.2f} visits and {spent:.2f} spent\n"
        for _, size, visits, spent in table["rows"]
    )
    yield say(
        f"There are {best} clusters (silhouette {score}).\n\n![](result:picture)\n\n{sizes}\n"
        "![](result:clusters)"
    )


CLUSTERS = Case(
    "Clusters",
    "What kinds of members are there?",
    lambda: {"members.csv": _csv("visits,spent", [row[1:] for row in members()])},
    _cluster,
    ("picture", "clusters"),
)
