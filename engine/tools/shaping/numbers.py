"""Numbers with units, currencies, thousands separators and decimal commas: finds their formats, and makes SQL. Pure."""

from collections.abc import Mapping

from engine.tools.shaping.writing import empty, literal, quote

__all__ = ["look_at_numbers", "number_steps", "suggested_factor"]

_WORDS = r"(?i:ca\.?|abt\.?|about|approx\.?|approximately|circa|around)"
_PATTERN = (
    rf"^(~|≈|<=|>=|<|>|≤|≥|{_WORDS})? ?(\()? ?([+-])? ?([^\d\s().,+~<>≈-]*) ?([+-])? ?"
    r"(\d[\d .,'’]*|[.,]\d+|\d+(?:\.\d+)?[eE][+-]?\d+) ?([^\d().,]*?)\.? ?(\))?(-)? ?([^\d().,-]*)$"
)
_GROUPS = ("about", "opened", "sign", "before", "sign2", "body", "after", "closed", "sign3", "end")
_SPACES = r"[\s\x{00A0}\x{202F}\x{2009}]+"
_KINDS = (
    ("plain", r"\d+"),
    ("power", r"\d+(?:\.\d+)?[eE][+-]?\d+"),
    ("point", r"\d{1,3}(?:,\d{3})+\.\d+"),
    ("comma", r"\d{1,3}(?:\.\d{3})+,\d+"),
    ("point", r"\d{1,3}(?:,\d{3}){2,}"),
    ("comma", r"\d{1,3}(?:\.\d{3}){2,}"),
    ("either_comma", r"[1-9]\d{0,2},\d{3}"),
    ("either_point", r"[1-9]\d{0,2}\.\d{3}"),
    ("comma", r"\d*,\d+"),
    ("point", r"\d*\.\d+"),
)
"""Patterns for the separators in a number; the first pattern that fits is used. It shows which sign is the decimal
sign, or that this is ambiguous.
"""
_FACTORS: tuple[Mapping[str, float], ...] = (
    {"mg": 1e-6, "g": 1e-3, "kg": 1.0, "t": 1e3},
    {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3},
    {"ml": 1e-3, "cl": 1e-2, "l": 1.0, "hl": 1e2},
    {"wh": 1e-3, "kwh": 1.0, "mwh": 1e3, "gwh": 1e6},
    {"s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0},
    {"": 1.0, "k": 1e3, "tsd": 1e3, "mio": 1e6, "mn": 1e6, "bn": 1e9, "mrd": 1e9},
)
"""Groups of units of the same kind, each unit with its size."""


def suggested_factor(unit: str, main: str) -> float | None:
    """Return the factor from `unit` to `main`; None if unknown."""
    if unit == main:
        return 1.0
    for sizes in _FACTORS:
        if unit in sizes and main in sizes:
            return float(f"{sizes[unit] / sizes[main]:.12g}")
    return None


def _parted(source: str, column: str) -> list[tuple[str, str]]:
    text = f"trim(regexp_replace(CAST({quote(column)} AS VARCHAR), {literal(_SPACES)}, ' ', 'g'))"
    text = f"replace(replace({text}, '−', '-'), '–', '-')"
    listed = ", ".join(literal(name) for name in _GROUPS)
    digits = r"\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?"
    body = (
        f"CASE WHEN regexp_full_match(trim(ab_parts.body), {literal(digits)}) "
        "THEN regexp_replace(trim(ab_parts.body), '[ ''’]', '', 'g') ELSE trim(ab_parts.body) END"
    )
    around = ", ".join(f"nullif(trim(ab_parts.{name}), '')" for name in ("before", "after", "end"))
    unit = f"lower(trim(concat_ws(' ', {around})))"
    minus = "contains(ab_parts.sign || ab_parts.sign2 || ab_parts.sign3, '-') OR ab_parts.opened = '('"
    return [
        (
            "read",
            f"SELECT *, regexp_extract({text}, {literal(_PATTERN)}, [{listed}]) AS ab_parts FROM {source}",
        ),
        (
            "parted",
            f"SELECT *, {body} AS ab_body, {unit} AS ab_unit, CASE WHEN {minus} THEN -1 ELSE 1 END AS ab_sign, "
            "ab_parts.about <> '' AS ab_about FROM read",
        ),
        ("classed", f"SELECT *, {_classed(column)} AS ab_kind FROM parted"),
    ]


def _classed(column: str) -> str:
    shapes = " ".join(
        f"WHEN regexp_full_match(ab_body, {literal(shape)}) THEN '{kind}'" for kind, shape in _KINDS
    )
    return f"CASE WHEN {empty(quote(column))} THEN 'empty' {shapes} ELSE 'unread' END"


def look_at_numbers(source: str, column: str) -> str:
    """Return a SELECT of the ways in which a column writes numbers: separators, units and words, with examples and the
    number of decimal places.
    """
    raw = f"CAST({quote(column)} AS VARCHAR)"
    listed = ", ".join(f"{name} AS ({sql})" for name, sql in _parted(source, column))
    unit = "CASE WHEN ab_kind IN ('empty', 'unread') THEN '' ELSE ab_unit END"
    about = "ab_kind NOT IN ('empty', 'unread') AND ab_about"
    return (
        f"WITH {listed} SELECT ab_kind AS kind, {unit} AS unit, {about} AS about, count(*) AS n, "
        f"list(DISTINCT {raw} ORDER BY {raw})[:8] AS examples, "
        "max(length(regexp_extract(ab_body, '[.](\\d+)$', 1))) AS after_point, "
        "max(length(regexp_extract(ab_body, '[,](\\d+)$', 1))) AS after_comma "
        "FROM classed GROUP BY 1, 2, 3 ORDER BY n DESC, 1, 2, 3"
    )


def number_steps(
    source: str,
    column: str,
    *,
    decimal: str,
    factors: Mapping[str, float | None],
    approximate: bool,
    kind: str,
) -> list[tuple[str, str]]:
    """Return the name and SELECT of each part of the step that reads a column as numbers, the result last.

    Args:
        source: a relation that has the column.
        column: its name.
        decimal: the decimal sign of values in which it is ambiguous.
        factors: unit → the factor for its values; None leaves them out.
        approximate: whether numbers with "about" are read.
        kind: DuckDB's type of the result.
    """
    value = f"ab_sign * TRY_CAST({_digits(decimal)} AS {kind})"
    scaled = {unit: factor for unit, factor in factors.items() if factor not in (1.0, None)}
    left = [unit for unit, factor in factors.items() if factor is None]
    if scaled:
        ways = " ".join(f"WHEN {literal(unit)} THEN {factor!r}" for unit, factor in scaled.items())
        value = f"round({value} * CASE ab_unit {ways} ELSE 1.0 END, 9)"
    refused = ["ab_kind IN ('empty', 'unread')"]
    refused += [] if approximate else ["ab_about"]
    refused += [f"ab_unit IN ({', '.join(map(literal, left))})"] if left else []
    value = f"CASE WHEN NOT ({' OR '.join(refused)}) THEN CAST({value} AS {kind}) END"
    parts = _parted(source, column)
    helpers = "ab_parts, ab_body, ab_unit, ab_sign, ab_about, ab_kind"
    parts.append(
        ("result", f"SELECT * EXCLUDE ({helpers}) REPLACE ({value} AS {quote(column)}) FROM classed")
    )
    return parts


def _digits(decimal: str) -> str:
    """Return SQL for a number's text with a decimal point and without thousands separators."""
    thousands = "either_comma" if decimal == "." else "either_point"
    commas = "('comma', 'either_comma')" if decimal == "," else "('comma')"
    return (
        f"CASE WHEN ab_kind IN {commas} THEN replace(replace(ab_body, '.', ''), ',', '.') "
        f"WHEN ab_kind = '{thousands}' THEN regexp_replace(ab_body, '[.,]', '', 'g') "
        "ELSE CASE WHEN ab_kind = 'power' THEN ab_body ELSE replace(ab_body, ',', '') END END"
    )
