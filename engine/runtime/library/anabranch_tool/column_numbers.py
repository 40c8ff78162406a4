"""Numbers as people write them: thousands separators, decimal commas, currencies, percent signs, accounting negatives.

`number_format` decides from the values how a column writes numbers. The format then gives the SQL that reads the
column. A value that does not match the format exactly is unreadable; nothing is guessed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Number", "NumberFormat", "number_format"]

_SPACES = " \u00a0\u202f\u2009"
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|ZAR|BRL|MXN|TRY|RON"
_CURRENCY = rf"[$€£¥₹]|(?:{_CODES})"
_SIGNS = "-+−"
_VALUE = re.compile(
    rf"(?P<open>\()?(?P<sign>[{_SIGNS}])?\s*(?P<before>{_CURRENCY})?\s*(?P<inner>[{_SIGNS}])?"
    rf"(?P<body>\d[\d.,'’{_SPACES}]*|\.\d+)(?P<exponent>[eE][-+]?\d+)?"
    rf"\s*(?P<after>{_CURRENCY}|%)?(?P<trailing>-)?(?P<close>\))?"
)
_GROUPS = {",": ",", ".": r"\.", " ": f"[{_SPACES}]", "'": "['’]"}
_PLAIN = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
"""A number as SQL would write it."""
_MOST_SCALE = 9
"""The maximum number of decimal places of a DECIMAL column. Values with more decimal places are measurements, for which
a DOUBLE is precise enough.
"""
_CODE = re.compile(r"\+\d{8,}")
"""Matches a plus sign and many digits. This is a telephone number, which would lose its plus sign if it were read as a
number.
"""
_HEADROOM = 2
"""The number of decimal places that a DECIMAL column has in addition to the decimal places of its values, because
DuckDB rounds medians and quantiles to the type's scale.
"""
_LONG, _LONGEST = 18, 38


@dataclass(frozen=True, slots=True)
class Number:
    """One parsed value."""

    body: str
    affix: str = ""
    """A currency sign, `%`, or nothing."""
    exponent: bool = False
    plain: bool = True
    """Whether the number is written as in SQL."""

    @staticmethod
    def of(text: str) -> "Number | None":
        """Split `text` into its parts; None if it is not a number in any format."""
        if _PLAIN.fullmatch(text):
            return Number(text.removeprefix("-"))
        found = _VALUE.fullmatch(text)
        if found is None or _CODE.fullmatch(text) or bool(found["open"]) != bool(found["close"]):
            return None
        signs = [found[name] for name in ("sign", "inner", "trailing", "open") if found[name]]
        if len(signs) > 1 or (found["before"] and found["after"]):
            return None
        affix = found["before"] or found["after"] or ""
        return Number(found["body"].strip(_SPACES), affix, found["exponent"] is not None, plain=False)


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A format of numbers, and the type that fits all of a column's values."""

    type: str
    decimal: str = "."
    group: str = ""
    affix: str = ""
    plain: bool = True
    doubt: str = ""
    """A sentence about how the values were read, and the other possible meaning."""
    agreed: bool = False
    """Whether the decimal sign was taken from other columns, because this column's values could mean two things."""

    def note(self) -> str | None:
        """Return the assumptions that were made, as the end of a sentence."""
        told = []
        if self.decimal == "," and not self.doubt:
            told.append("the comma is the decimal sign")
        if self.group and not self.doubt:
            sign = {" ": "a space", "'": "an apostrophe"}.get(self.group, f"“{self.group}”")
            told.append(f"{sign} separates thousands")
        if self.affix:
            told.append(f"“{self.affix}” is left out")
        if self.agreed and told:
            told.append("as in other columns")
        return f"read as numbers: {', '.join(told)}" if told else None

    @property
    def seen_decimal(self) -> str | None:
        """The decimal sign, if the values show it."""
        if self.decimal == "," or self.group == ",":
            return self.decimal
        return "." if self.type.startswith("DECIMAL") and self._scale() else None

    def reads(self, number: Number) -> bool:
        """Return whether a value is written in this format."""
        if number.exponent and self.type != "DOUBLE":
            return False
        return _fits(number, self.affix) and self.pattern.fullmatch(number.body) is not None

    def sql(self, column: str) -> tuple[str, str]:
        """Return SQL that checks whether a value of `column` is a number in exactly this format, and SQL for the
        number."""
        if self.plain and (self.type == "BIGINT" or self.type.startswith("DECIMAL")):
            cast = f"try_cast({column} AS {self.type})"
            written = f"CASE WHEN {cast} = 0 THEN ltrim({column}, '-') ELSE {column} END"  # -0.0 is 0
            if self.type == "BIGINT":
                return f"CAST({cast} AS VARCHAR) = {written}", cast
            # the converted number, as text, must begin with the value as written, so no digit is lost to rounding and
            # no leading zero is dropped
            return f"starts_with(CAST({cast} AS VARCHAR), {written})", cast
        text = f"trim({column}, ' \t\u00a0\u202f')"
        pattern = _sql_text(self._whole())
        body = f"regexp_extract({text}, '{pattern}', 1)"
        for sign in {",": ",", ".": ".", " ": _SPACES, "'": "'’"}.get(self.group, ""):
            body = f"replace({body}, '{_sql_text(sign)}', '')"
        if self.decimal == ",":
            body = f"replace({body}, ',', '.')"
        negative = f"regexp_matches({text}, '^[^0-9.,]*[-−(]|-\\)?$')"
        cast = f"try_cast(CASE WHEN {negative} THEN '-' ELSE '' END || {body} AS {self.type})"
        paired = f"starts_with({text}, '(') = ends_with({text}, ')')"
        return f"regexp_full_match({text}, '{pattern}') AND {paired} AND {cast} IS NOT NULL", cast

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of a value's digits."""
        return _compiled(self.decimal, self.group, self._scale())

    def _whole(self) -> str:
        exponent = r"(?:[eE][-+]?\d+)?" if self.type == "DOUBLE" else ""
        affix = re.escape(self.affix)
        before, after = (rf"(?:{affix})?", rf"(?:{affix})?") if self.affix else ("", "")
        if self.affix == "%":
            before, after = "", "%"
        sign = f"[{_SIGNS}]?"
        inner = rf"{sign}\s*{before}\s*{sign}({self.pattern.pattern}{exponent})\s*{after}-?"
        return rf"\(?{inner}\)?"

    def _scale(self) -> int:
        if self.type == "DOUBLE":
            return 400
        return int(self.type[:-1].split(",")[1]) if self.type.startswith("DECIMAL") else 0


@lru_cache(maxsize=256)
def _compiled(sign: str, group: str, scale: int) -> re.Pattern[str]:
    decimal = re.escape(sign)
    places = rf"(?:{decimal}\d{{0,{scale}}})?" if scale else ""
    whole = r"\d+"
    if group:
        g = _GROUPS[group]
        whole = rf"(?:\d{{1,3}}(?:{g}\d{{3}})+|\d{{1,2}}(?:{g}\d{{2}})*{g}\d{{3}}|\d+)"
    dotted = rf"|{decimal}\d{{1,{scale}}}" if scale else ""
    return re.compile(rf"(?:{whole}{places}{dotted})")


def _fits(number: Number, affix: str) -> bool:
    return number.affix == affix or (number.affix == "" and affix != "%")


def number_format(
    values: Sequence[tuple[Number, float]], decimal_sign: str | None = None
) -> NumberFormat | None:
    """Return the format that reads most of `values`, each with its weight; None if they are codes.

    `decimal_sign` is the sign of the file's other columns, which is used if the values could mean two things.
    """
    if any(re.match(r"0\d", number.body) and not re.search("[.,]", number.body) for number, _ in values):
        return None
    affix = _affix(values)
    own = [(number, weight) for number, weight in values if _fits(number, affix)]
    decimal, group = _signs(own)
    fitting = _fitting(own, affix, decimal, group)
    if not fitting:
        return None
    unclear = _sign_doubt(fitting, decimal, group)
    agreed = bool(unclear) and decimal_sign is not None
    if agreed:
        decimal, unclear = decimal_sign or ".", ""
        other = {",": ".", ".": ","}[decimal]
        group = other if any(other in number.body for number in fitting) else ""
        fitting = _fitting(own, affix, decimal, group)
    plain = not affix and not group and decimal == "." and all(number.plain for number in fitting)
    doubt = _code_doubt(fitting) or unclear
    return NumberFormat(_type(fitting, decimal), decimal, group, affix, plain, doubt, agreed)


def _fitting(
    values: Iterable[tuple[Number, float]], affix: str, decimal: str, group: str
) -> Sequence[Number]:
    written = NumberFormat("DOUBLE", decimal, group, affix)
    return [number for number, _ in values if written.reads(number)]


def _code_doubt(numbers: Iterable[Number]) -> str:
    """Return a sentence if values look like codes."""
    coded = next((n.body for n in numbers if n.exponent and re.fullmatch(r"\d+", n.body)), None)
    return f"texts such as “{coded}E…” are powers of ten, though they could be codes" if coded else ""


def _sign_doubt(numbers: Sequence[Number], decimal: str, group: str) -> str:
    """Return a note that the separator could mean something else, if it is always directly before the last three
    digits.
    """
    sign = group or decimal
    signed = [number.body for number in numbers if sign in number.body]
    if sign not in (",", ".") or not signed:
        return ""
    if any(len(number.body) > 3 and sign not in number.body for number in numbers):
        return ""
    if not all(re.fullmatch(rf"[1-9]\d{{0,2}}{re.escape(sign)}\d{{3}}", body) for body in signed):
        return ""
    if group:
        return f"“{sign}” separates thousands, though it could be the decimal sign"
    return f"“{sign}” is the decimal sign, though it could separate thousands"


def _affix(values: Iterable[tuple[Number, float]]) -> str:
    """Return the most frequent currency or percent sign of the values. It is empty if there is no sign, or if the sign
    is "%" and most values have no sign.
    """
    weights: dict[str, float] = {}
    for number, weight in values:
        weights[number.affix] = weights.get(number.affix, 0) + weight
    signs = {affix: weight for affix, weight in weights.items() if affix}
    if not signs:
        return ""
    most = max(signs, key=lambda affix: (signs[affix], affix))
    return most if most != "%" or signs[most] > weights.get("", 0) else ""


def _signs(values: Sequence[tuple[Number, float]]) -> tuple[str, str]:
    """Return the decimal sign and the thousands separator that read most of `values`."""
    best, most = (".", ""), -1.0
    if all(number.plain for number, _ in values):
        return best
    for decimal, groups in ((".", ("", ",", " ", "'")), (",", ("", ".", " ", "'"))):
        for group in groups:
            pattern = NumberFormat("DOUBLE", decimal, group).pattern
            read = [(number, weight) for number, weight in values if pattern.fullmatch(number.body)]
            if group and not _grouped_consistently(read, group):
                continue
            weight = sum(weight for _, weight in read)
            if weight > most * (1 + 1e-9):
                best, most = (decimal, group), weight
    return best


def _grouped_consistently(values: Sequence[tuple[Number, float]], group: str) -> bool:
    """Return whether `group` is used so consistently that it is a thousands separator.

    A single “1 100” among numbers without separators is more likely an error than a number with a separator.
    """
    signs = _SPACES if group == " " else "'’" if group == "'" else group
    used = [weight for number, weight in values if any(sign in number.body for sign in signs)]
    if group in ",.":
        return bool(used)
    bare = sum(weight for number, weight in values if re.match(r"\d{4,}", number.body))
    often = len(used) > 1 or sum(used) >= 0.2 * sum(weight for _, weight in values)
    return often and sum(used) >= 9 * bare


def _type(numbers: Sequence[Number], decimal: str) -> str:
    if any(number.exponent for number in numbers):
        return "DOUBLE"
    parts = [number.body.partition(decimal) for number in numbers]
    whole = max(len(re.sub(r"\D", "", left).lstrip("0")) for left, _, _ in parts)
    scale = max(len(right) for _, _, right in parts)
    if not any(mark for _, mark, _ in parts):
        return "BIGINT" if whole <= _LONG else f"DECIMAL({_LONGEST},0)" if whole <= _LONGEST else "DOUBLE"
    if scale > _MOST_SCALE or whole + scale + _HEADROOM > _LONGEST:
        return "DOUBLE"
    scale += _HEADROOM
    return f"DECIMAL({_LONG if whole + scale <= _LONG else _LONGEST},{scale})"


def _sql_text(text: str) -> str:
    return text.replace("'", "''")
