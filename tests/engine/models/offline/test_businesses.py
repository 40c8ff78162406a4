"""Businesses that a column names in another way, and groups with a condition on how often something happened."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, assert_rows
from tests.support.long_cases import mostly_long

CHECKS = """check_no,facility_name,licence_no,checked_on,rooms,defects,verdict,town
1,Anchor,L1,2024-01-05,12,3,Fail,Ahus
2,Anchor,L1,2024-02-05,12,0,Pass,Ahus
3,Bell,L2,2024-02-09,30,5,Fail,Bro
4,Bell,L2,2024-04-09,30,1,Fail,Bro
5,Crown,L3,2024-05-01,45,2,Pass,Bro
"""
CHAINS = """check_no,facility_name,licence_no,defects
1,Anchor,L1,3
2,Anchor,L1,0
3,Anchor,L2,5
4,Bell,L3,1
5,Bell,L4,2
6,Bell,L4,2
"""
SALES = """sale_id,shop,company,amount
1,North,Acme,10
2,North,Acme,20
3,South,Bolt,30
4,South,Acme,40
"""
STORES = """sale_id,store,city,amount
1,North,Rome,10
2,North,Rome,20
3,South,Oslo,30
4,South,Rome,40
"""
CLAIMS = """claim_id,company,city,amount
1,Acme,Rome,10
2,Acme,Rome,20
3,Bolt,Oslo,30
4,Bolt,Rome,40
"""
TABLES = {"stores": STORES, "claims": CLAIMS, "checks": CHECKS, "chains": CHAINS, "sales": SALES}


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long(
        [
            ("checks", "how many different shops have been checked?", [[3]]),
            ("checks", "how many restaurants have more than 20 rooms?", [[2]]),
            ("checks", "how many places are there in Bro", [[2]]),
            ("checks", "2 businesses with the most defects", [["Bell", 6], ["Anchor", 3]]),
            ("checks", "which shops failed more than once?", [["Bell", 2]]),
            ("checks", "which places were checked more than once", [["Anchor", 2], ["Bell", 2]]),
            ("checks", "restaurants with at least 2 checks", [["Anchor", 2], ["Bell", 2]]),
            ("checks", "list the restaurants in Bro", [["Bell"], ["Crown"]]),
            ("sales", "total amount by shop", [["North", 30], ["South", 70]]),
        ],
        every=3,
    ),
)
def test_nouns_for_businesses_name_the_column_of_businesses(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    assert_rows(answered(tmp_path, table, TABLES[table], question), expected)


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("chains", "how many restaurants are there"),  # by their names or by their licences
        ("sales", "how many restaurants are there"),  # shops or companies
        ("checks", "how many customers are there"),
        ("stores", "how many restaurants are there"),
        ("claims", "how many places are there"),
        ("checks", "which shops failed the most rooms"),
    ],
)
def test_businesses_are_not_counted_if_it_is_unclear_which_rows_are_meant(
    tmp_path: Path, table: str, question: str
) -> None:
    assert not answered(tmp_path, table, TABLES[table], question)["tool_calls"]
