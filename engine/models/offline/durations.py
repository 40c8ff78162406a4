"""How long rows took, where a table only says when each began and when it ended."""

from engine.models.offline.schema import Column

__all__ = ["durations"]

_STARTS = frozenset(
    {"pickup", "start", "begin", "departure", "depart", "started", "check", "opened", "from", "checkout"}
)


_ENDS = frozenset(
    {"dropoff", "end", "finish", "arrival", "arrive", "ended", "return", "closed", "to", "resolved"}
)


def durations(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """How long each row took, in minutes, where two columns of times say when it began and ended."""
    times = [c for c in columns if c.type.startswith("TIMESTAMP")]
    starts = [c for c in times if _STARTS & set(c.words)]
    ends = [c for c in times if _ENDS & set(c.words)]
    told = any({"duration", "minute", "second", "runtime", "elapsed"} & {*c.words, c.unit} for c in columns)
    if len(times) != 2 or len(starts) != 1 or len(ends) != 1 or starts == ends or told:
        return ()
    first, last = starts[0], ends[0]
    formula = f"(date_diff('second', {first.sql}, {last.sql}) / 60.0)"
    return (
        Column(
            first.table, "duration_minutes", "DOUBLE", "number", ("duration",), "min", first.rows, first.rows,
            max(first.missing, last.missing), None, None, None, None, (), False, formula=formula,
        ),
    )  # fmt: skip
