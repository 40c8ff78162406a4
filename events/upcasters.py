"""Converts stored events of older versions to the current one, in Python and in SQL. Pure.

There is one upcaster for each old (type, schema version). It converts the payload from its version to the next one, so
upcasters are applied in turn. Read models are computed in SQL, so each upcaster has a second form in SQL;
`current_events` is the log after this conversion in SQL. A test compares both forms.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from events.late_dataclass import dataclass

__all__ = ["UPCASTERS", "Upcaster", "current_events_sql", "current_version", "upcast"]

Convert: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Upcaster:
    """Converts events of one type from one version to the next."""

    convert: Convert
    """Converts the payload, including ids, and returns a new dict."""
    payload_sql: str = "payload"
    """The SQL expression for the new payload, over a row of the log."""
    ids_sql: Mapping[str, str] = field(default_factory=dict)
    """Column of the log → the SQL expression for its new value, over a row of the log."""


def _step_started_1(payload: dict[str, Any]) -> dict[str, Any]:
    """Keep only the id of the newest message; version 1 listed all messages of the branch."""
    kept = {name: value for name, value in payload.items() if name != "message_ids"}
    named = payload["message_ids"]
    return kept | {"message_id": named[-1] if named else ""}


UPCASTERS: Mapping[tuple[str, int], Upcaster] = {
    ("StepStarted", 1): Upcaster(
        _step_started_1,
        payload_sql="""json_merge_patch(payload, '{"message_ids":null}')""",
        ids_sql={"message_id": "TRY_CAST(payload->>'$.message_ids[#-1]' AS UUID)"},
    ),
}
"""(type, version) → the upcaster that converts it to version + 1."""


def current_version(event_type: str) -> int:
    """Return the version of an event type that this release writes, which is also the latest that it can read."""
    return 1 + sum(1 for name, _ in UPCASTERS if name == event_type)


def upcast(
    event_type: str,
    version: int,
    payload: dict[str, Any],
    upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS,
) -> tuple[int, dict[str, Any]]:
    """Return the version and the payload after applying all upcasters for this type and version."""
    while (step := upcasters.get((event_type, version))) is not None:
        payload, version = step.convert(payload), version + 1
    return version, payload


def current_events_sql(
    columns: tuple[str, ...], upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS
) -> str:
    """Return a SELECT of `columns` of the relation `event_log`, with every event in its present version.

    Raises:
        ValueError: an upcaster's result would need another upcaster; chains are not supported in SQL yet.
    """
    chained = [key for key in upcasters if (key[0], key[1] + 1) in upcasters]
    if chained:
        raise ValueError(
            f"SQL can apply only one upcaster to an event, but {chained} would need several in turn."
        )
    return f"SELECT {', '.join(_current(name, upcasters) for name in columns)} FROM event_log"


def _current(column: str, upcasters: Mapping[tuple[str, int], Upcaster]) -> str:
    cases = ""
    for (event_type, version), step in upcasters.items():
        sql = step.payload_sql if column == "payload" else step.ids_sql.get(column)
        if column == "schema_version":
            sql = str(version + 1)
        if sql is not None:
            cases += f" WHEN type = '{event_type}' AND schema_version = {version} THEN {sql}"
    return f"CASE{cases} ELSE {column} END AS {column}" if cases else column
