"""Eight files with common defects, each with the steps that clean it and the resulting table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.commands.catalog import (
    DropDuplicates,
    FillDown,
    KeepRows,
    ReadDates,
    ReadNumbers,
    RenameColumns,
    SplitColumn,
    Step,
    UnifyText,
)

__all__ = ["UGLY", "UglyFile"]


@dataclass(frozen=True)
class UglyFile:
    """One file."""

    name: str
    text: str
    steps: Sequence[Step]
    columns: Mapping[str, str]
    """Name and type of each column of the clean table."""
    rows: Sequence[Sequence[object]]


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"


UGLY = (
    UglyFile(
        "deliveries.csv",
        _lines(
            "id;delivered",
            "1;2026-07-14",
            "2;14.07.2026",
            "3;07/15/26",
            "4;07/08/26",
            "5;15 July 2026",
            "6;Jul 3rd, 2026",
            "7;n/a",
            "8;Mon, 6 Jul 2026",
            "9;20260709",
            "10;46212",
            "11;2026-02-30",
        ),
        [ReadDates("delivered", "month_first")],
        {"id": "BIGINT", "delivered": "DATE"},
        [
            [1, "2026-07-14"],
            [2, "2026-07-14"],
            [3, "2026-07-15"],
            [4, "2026-07-08"],
            [5, "2026-07-15"],
            [6, "2026-07-03"],
            [7, None],
            [8, "2026-07-06"],
            [9, "2026-07-09"],
            [10, "2026-07-09"],
            [11, None],
        ],
    ),
    UglyFile(
        "log.csv",
        _lines(
            "what,at",
            "start,03/04/2026 2:05 PM",
            "stop,31/12/2026 23:59",
            "zone,2026-07-01T10:00:00+02:00",
            "none,unknown",
        ),
        [ReadDates("at", "day_first")],
        {"what": "VARCHAR", "at": "TIMESTAMP"},
        [
            ["start", "2026-04-03T14:05:00"],
            ["stop", "2026-12-31T23:59:00"],
            ["zone", "2026-07-01T08:00:00"],
            ["none", None],
        ],
    ),
    UglyFile(
        "weights.csv",
        _lines("part,weight", "a,12 kg", "b,900 g", "c,1.5 t", "d,7kg", "e,heavy", "f,-"),
        [ReadNumbers("weight", units={"kg": 1.0, "g": 0.001, "t": 1000.0})],
        {"part": "VARCHAR", "weight": "DOUBLE"},
        [["a", 12.0], ["b", 0.9], ["c", 1500.0], ["d", 7.0], ["e", None], ["f", None]],
    ),
    UglyFile(
        "konto.csv",
        _lines(
            "tag;betrag",
            "1;1.234,56 €",
            "2;12,00 €",
            "3;1.234 €",
            "4;-7,50 €",
            "5;(300,00) €",
            "6;2 500,10 €",
        ),
        [ReadNumbers("betrag", ",")],
        {"tag": "BIGINT", "betrag": "DECIMAL(18,2)"},
        [[1, 1234.56], [2, 12.0], [3, 1234.0], [4, -7.5], [5, -300.0], [6, 2500.1]],
    ),
    UglyFile(
        "meters.csv",
        _lines("meter,kwh", *[f"m{n},{n}.5" for n in range(40)], "m40,abt 900", "m41,~1200"),
        [ReadNumbers("kwh", approximate=True)],
        {"meter": "VARCHAR", "kwh": "DECIMAL(18,1)"},
        [*[[f"m{n}", n + 0.5] for n in range(40)], ["m40", 900.0], ["m41", 1200.0]],
    ),
    UglyFile(
        "regions.csv",
        _lines(
            "id,region",
            "1,  north",
            "2,North ",
            "3,NORTH",
            "4,Nörth",
            "5,south  west",
            "6,South West",
            "7,Suoth West",
        ),
        [
            UnifyText(
                "region",
                merges={
                    "north": "North",
                    "NORTH": "North",
                    "Nörth": "North",
                    "south west": "South West",
                    "Suoth West": "South West",
                },
            )
        ],
        {"id": "BIGINT", "region": "VARCHAR"},
        [
            [1, "North"],
            [2, "North"],
            [3, "North"],
            [4, "North"],
            [5, "South West"],
            [6, "South West"],
            [7, "South West"],
        ],
    ),
    UglyFile(
        "merged_cells.csv",
        _lines(
            "region,city,sales",
            'East,"Berlin, DE",10',
            ',"Warsaw, PL",20',
            ",Total East,30",
            'West,"Lyon, FR",5',
        ),
        [
            KeepRows("city", "contains_not", "total"),
            FillDown("region"),
            SplitColumn("city", ",", ["town", "country"]),
            RenameColumns({"sales": "sold"}),
        ],
        {"region": "VARCHAR", "town": "VARCHAR", "country": "VARCHAR", "sold": "BIGINT"},
        [["East", "Berlin", "DE", 10], ["East", "Warsaw", "PL", 20], ["West", "Lyon", "FR", 5]],
    ),
    UglyFile(
        "contacts.csv",
        _lines(
            "Contacts of the team",
            "exported 2026-07-01",
            "id,mail,changed",
            "1,a@x.org,2026-01-01",
            "2,b@x.org,2026-01-02",
            "1,a@x.org,2026-03-01",
            "3,c@x.org,2026-01-03",
            "2,b@x.org,2026-01-02",
        ),
        [DropDuplicates(["id"], "last")],
        {"id": "BIGINT", "mail": "VARCHAR", "changed": "DATE"},
        [[1, "a@x.org", "2026-03-01"], [3, "c@x.org", "2026-01-03"], [2, "b@x.org", "2026-01-02"]],
    ),
)
