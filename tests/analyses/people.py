"""A funnel, and a table of cohorts."""

import random
from collections.abc import Mapping
from datetime import date, timedelta

from tests.analyses.case import Case
from tests.support.policy import Analysis, Seen, chart, query, say

__all__ = ["COHORTS", "FUNNEL", "STEPS", "purchases", "visits"]

STEPS = ("visit", "cart", "checkout", "payment")


def visits() -> list[tuple[str, str, int]]:
    """What users did, and at which minute; every twentieth pays by a link, without a cart."""
    dice = random.Random(7)
    rows = []
    for number in range(400):
        minute = dice.randint(0, 10_000)
        for step, chance in zip(STEPS, (1.0, 0.55, 0.6, 0.7), strict=True):
            if dice.random() > chance:
                break
            minute += dice.randint(1, 9)
            rows.append((f"u{number:03}", step, minute))
        if number % 20 == 0:
            rows.append((f"u{number:03}", "payment", 0))
    dice.shuffle(rows)
    return rows


def _events() -> Mapping[str, bytes]:
    return {
        "events.csv": "\n".join(["user,step,minute", *(",".join(map(str, r)) for r in visits()), ""]).encode()
    }


_FIRSTS = """
WITH visit AS (SELECT user, min(minute) AS at FROM events WHERE step = 'visit' GROUP BY 1),
cart AS (SELECT user, min(minute) AS at FROM events e JOIN visit v USING (user)
         WHERE step = 'cart' AND minute > v.at GROUP BY 1),
checkout AS (SELECT user, min(minute) AS at FROM events e JOIN cart v USING (user)
             WHERE step = 'checkout' AND minute > v.at GROUP BY 1),
payment AS (SELECT user, min(minute) AS at FROM events e JOIN checkout v USING (user)
            WHERE step = 'payment' AND minute > v.at GROUP BY 1),
counted AS (SELECT 1 AS n, 'visit' AS step, count(*) AS users FROM visit
            UNION ALL SELECT 2, 'cart', count(*) FROM cart
            UNION ALL SELECT 3, 'checkout', count(*) FROM checkout
            UNION ALL SELECT 4, 'payment', count(*) FROM payment)
SELECT step, users, round(users / first_value(users) OVER (ORDER BY n), 4) AS share FROM counted ORDER BY n
"""


def _narrow(_: Seen) -> Analysis:
    seen = yield say(
        "I follow each user through the steps, in their order.",
        query(_FIRSTS, title="Funnel", name="funnel"),
        query(
            "SELECT count(*) AS users FROM (SELECT user FROM events GROUP BY user "
            "HAVING min(minute) FILTER (step = 'payment') < min(minute) FILTER (step = 'visit'))"
        ),
    )
    early = seen.column("users", 1)[0]
    rows = seen.result()["rows"]
    seen = yield say(
        "I draw it.",
        chart(
            table="funnel",
            mark="bar",
            x="step",
            y="users",
            orientation="horizontal",
            labels=True,
            name="funnel_chart",
            title="Users by step",
        ),
    )
    lines = "".join(f"- {step}: {users} users, {share:.2%}\n" for step, users, share in rows)
    yield say(
        f"{lines}\n![](result:funnel_chart)\n\nA payment before the first visit is not counted: {early} users."
        "\n\n![](result:funnel)"
    )


FUNNEL = Case(
    "A funnel",
    "How many users reach each step?",
    _events,
    _narrow,
    ("funnel_chart", "funnel"),
)


def purchases() -> list[tuple[int, date]]:
    """Customers and the days on which they bought."""
    dice = random.Random(8)
    rows = []
    for customer in range(150):
        first = date(2024, 1, 1) + timedelta(days=dice.randrange(180))
        rows.append((customer, first))
        for month in range(1, 6):
            day = first + timedelta(days=30 * month)
            if day < date(2024, 7, 1) and dice.random() < 0.6 / month**0.5:
                rows.append((customer, day))
    return rows


_COHORTS = """
WITH firsts AS (SELECT customer, date_trunc('month', min(day)) AS cohort FROM purchases GROUP BY 1),
active AS (SELECT DISTINCT cohort, datediff('month', cohort, date_trunc('month', day)) AS months_after, customer
           FROM purchases JOIN firsts USING (customer)),
sizes AS (SELECT cohort, count(*) AS size FROM firsts GROUP BY 1)
SELECT strftime(cohort, '%Y-%m') AS cohort, any_value(size) AS size, months_after,
       count(*) AS customers, round(count(*) / any_value(size), 4) AS share
FROM active JOIN sizes USING (cohort) GROUP BY cohort, months_after ORDER BY 1, 3
"""


def _cohorts(_: Seen) -> Analysis:
    seen = yield say("I count who came back.", query(_COHORTS, title="Customers by cohort", name="retention"))
    assert seen.result()["row_count"] == len(seen.result()["rows"])
    rows = {(row[0], row[2]): row for row in seen.result()["rows"]}
    seen = yield say(
        "I lay it out as a table and as a heat map.",
        query(
            "PIVOT (SELECT cohort, size, months_after, share FROM retention) ON months_after "
            "USING any_value(share) GROUP BY cohort, size ORDER BY cohort",
            title="Share of each cohort that buys again",
            name="cohort_table",
        ),
        chart(
            table="retention",
            mark="rect",
            x="months_after",
            y="cohort",
            color="share",
            labels=True,
            format=".0%",
            title="Share of each cohort that buys again",
            name="heat",
        ),
    )
    lines = "".join(
        f"- {cohort}: {row[1]} customers, after one month {row[4]:.2%}\n"
        for (cohort, after), row in rows.items()
        if after == 1
    )
    yield say(f"{lines}\n![](result:heat)\n\nAs a table:\n\n![](result:cohort_table)")


COHORTS = Case(
    "Cohorts",
    "How many customers come back, by the month of their first purchase?",
    lambda: {
        "purchases.csv": "\n".join(["customer,day", *(f"{c},{day}" for c, day in purchases()), ""]).encode()
    },
    _cohorts,
    ("heat", "cohort_table"),
)
