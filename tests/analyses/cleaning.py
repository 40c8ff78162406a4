"""Cleaning a messy export, and joining three files, one of which lacks a key."""

import json
import random
from collections.abc import Mapping
from datetime import date, timedelta

from tests.analyses.case import Case
from tests.support.policy import Analysis, Seen, chart, python, query, say

__all__ = ["JOIN", "MESSY", "messy_orders", "shop"]

REGIONS = ("North", "South", "West")
ODD = {4: "1 100", 40: "abt 900", 77: "€250.50"}
"""Amounts that somebody typed."""
ODD_AMOUNTS = {4: 1100.0, 40: 900.0, 77: 250.5}


def messy_orders() -> list[tuple[str, date, str, float]]:
    """The orders behind the export: number, day, region and amount."""
    dice = random.Random(1)
    orders = []
    for number in range(100):
        day = date(2024, 1, 3) + timedelta(days=round(number * 1.75))
        amount = ODD_AMOUNTS.get(number, round(dice.uniform(20, 400), 2))
        orders.append((f"A-{number:03}", day, dice.choice(REGIONS), amount))
    return orders


def _messy_file() -> Mapping[str, bytes]:
    lines = ["Sales export,,,", "Printed 2024-07-01,,,", ",,,", "Order,Date,Region,Amount"]
    total = 0.0
    for number, (order, day, region, amount) in enumerate(messy_orders()):
        written = day.strftime("%d/%m/%Y") if number % 3 == 0 else day.isoformat()
        line = f"{order},{written},{region.lower() if number % 7 == 0 else region},{ODD.get(number, amount)}"
        times = 2 if number in (12, 50) else 1
        lines += [line] * times
        total += amount * times
    return {"export.csv": "\n".join([*lines, f'Total,,,"{total:,.2f}"', ""]).encode()}


_CLEAN = r"""
raw = pd.read_csv(workspace / "export.csv", skiprows=3, dtype=str)
rows = raw[raw["Order"].ne("Total")]
clean = rows.drop_duplicates(ignore_index=True)
iso = pd.to_datetime(clean["Date"], format="%Y-%m-%d", errors="coerce")
clean["Date"] = iso.fillna(pd.to_datetime(clean["Date"], format="%d/%m/%Y", errors="coerce"))
clean["Region"] = clean["Region"].str.strip().str.capitalize()
clean["Amount"] = clean["Amount"].str.replace(r"[^\d.]", "", regex=True).astype(float)
print("duplicates", len(rows) - len(clean), "without a day", clean["Date"].isna().sum())
show(clean, title="Clean orders", name="clean_orders")
"""


def _clean(_: Seen) -> Analysis:
    seen = yield say(
        "I look at how the file was read.",
        query("SELECT count(*) AS n, count(Amount) AS with_amount, sum(Amount) AS total FROM export"),
    )
    seen = yield say("Some amounts are text, so I read the file again as text.", python(_CLEAN))
    dropped = seen.result()["output"].split()[1]
    seen = yield say(
        "I add it up by month.",
        query(
            "SELECT strftime(Date, '%Y-%m') AS month, round(sum(Amount), 2) AS revenue, count(*) AS orders "
            "FROM clean_orders GROUP BY 1 ORDER BY 1",
            title="Revenue by month",
            name="monthly_revenue",
        ),
        query(
            "SELECT round(sum(Amount), 2) AS revenue, count(*) AS orders, "
            "count(DISTINCT Region) AS regions FROM clean_orders"
        ),
    )
    revenue, orders, regions = seen.result(1)["rows"][0]
    months = seen.result()["row_count"]
    seen = yield say(
        "I draw it.",
        chart(table="monthly_revenue", mark="bar", x="month", y="revenue", name="revenue_chart"),
    )
    assert f"{months} rows" in seen.result()["summary"], seen.result()
    yield say(
        f"Revenue is {revenue:,.2f} over {orders} orders in {regions} regions; {dropped} duplicate rows "
        "and the total row are left out.\n\n![](result:revenue_chart)\n\nThe months as numbers:\n\n"
        "![](result:monthly_revenue)\n\nAll of the rows, cleaned:\n\n![](result:clean_orders)"
    )


MESSY = Case(
    "A messy export",
    "What is the revenue by month in this export?",
    _messy_file,
    _clean,
    ("revenue_chart", "monthly_revenue", "clean_orders"),
)


def shop() -> tuple[list[dict[str, object]], dict[str, str], dict[str, float]]:
    """Orders, the segment of each customer, and the price of each product."""
    dice = random.Random(2)
    customers = {f"C{number:02}": dice.choice(("Home", "Office", "School")) for number in range(1, 21)}
    prices = {"Desk": 189.9, "Lamp": 24.5, "Chair": 79.0}
    orders: list[dict[str, object]] = [
        {
            "order_id": number,
            "customer": "C99" if number in (7, 31, 88) else dice.choice(list(customers)),
            "product": dice.choice(list(prices)),
            "quantity": dice.randint(1, 5),
        }
        for number in range(1, 121)
    ]
    return orders, customers, prices


def _shop_files() -> Mapping[str, bytes]:
    orders, customers, prices = shop()
    lines = ["order_id,customer,product,quantity", *(",".join(map(str, row.values())) for row in orders)]
    segments = ["customer;segment", *(f"{key};{segment}" for key, segment in customers.items())]
    products = [{"product": name, "price": price} for name, price in prices.items()]
    return {
        "orders.csv": "\n".join(lines).encode(),
        "customers.csv": "\n".join(segments).encode(),
        "products.json": json.dumps(products).encode(),
    }


_JOINED = "FROM orders o LEFT JOIN customers c USING (customer) LEFT JOIN products p USING (product)"


def _join(_: Seen) -> Analysis:
    seen = yield say(
        "I check the keys before I join.",
        query(
            "SELECT o.customer, count(*) AS orders FROM orders o ANTI JOIN customers c USING (customer) "
            "GROUP BY 1",
            name="unmatched",
            title="Customers without a segment",
        ),
        query("SELECT customer FROM customers GROUP BY 1 HAVING count(*) > 1"),
        query(f"SELECT count(*) AS n, (SELECT count(*) FROM orders) AS orders {_JOINED}"),
    )
    (key,), (lost,) = seen.column("customer"), seen.column("orders")
    assert seen.result(1)["row_count"] == 0
    joined, orders = seen.result(2)["rows"][0]
    seen = yield say(
        f"{lost} orders of {key} have no customer; I keep them as a group of their own.",
        query(
            "SELECT coalesce(segment, '(unknown)') AS segment, sum(quantity * price) AS revenue "
            f"{_JOINED} GROUP BY 1 ORDER BY 2 DESC",
            name="by_segment",
            title="Revenue by segment",
        ),
        query(f"SELECT sum(quantity * price) AS revenue {_JOINED}"),
    )
    (total,) = seen.column("revenue", 1)
    named = zip(seen.column("segment"), seen.column("revenue"), strict=True)
    seen = yield say(
        "I draw it.",
        chart(table="by_segment", mark="bar", x="segment", y="revenue", labels=True, name="segments_chart"),
    )
    lines = "".join(f"- {segment}: {float(revenue):,.2f}\n" for segment, revenue in named)
    yield say(
        f"Total revenue: {float(total):,.2f} from {joined} of {orders} orders.\n\n{lines}\n"
        f"![](result:segments_chart)\n\n{lost} orders name the customer {key}, who is not in "
        "customers.csv:\n\n![](result:unmatched)\n\n![](result:by_segment)"
    )


JOIN = Case(
    "A join of three files",
    "Which segment brings the most revenue?",
    _shop_files,
    _join,
    ("segments_chart", "unmatched", "by_segment"),
)
