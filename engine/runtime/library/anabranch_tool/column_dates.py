"""Dates and times as people write them: the formats in a column, and whether the day or the month comes first."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

__all__ = ["DateFormat", "date_format", "is_date"]

_DAYS = (
    "%Y-%m-%d", "%b %d %Y", "%b %d, %Y", "%B %d %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y",
    "%d/%b/%Y", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y",
    "%m-%d-%Y", "%d-%m-%Y", "%a %b %d %Y", "%A, %B %d, %Y", "%a, %d %b %Y",
)  # fmt: skip
_MONTHS = ("%Y-%m", "%b %Y", "%B %Y", "%b-%Y", "%m/%Y")
_CLOCKS = ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p")
_ZONES = ("", "Z", "%z", " %z")
_TAILS = tuple("".join(parts) for parts in product((" ", "T", ", "), _CLOCKS, _ZONES))
_SWAPPED = {"%m/%d/%Y": "%d/%m/%Y", "%m/%d/%y": "%d/%m/%y", "%m-%d-%Y": "%d-%m-%Y"}
_SHORT = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_FULL = "january|february|march|april|may|june|july|august|september|october|november|december"
_PARTS = {
    "%Y": r"[12]\d{3}", "%y": r"\d{2}", "%m": r"(?:1[0-2]|0?[1-9])", "%d": r"(?:[12]\d|3[01]|0?[1-9])",
    "%H": r"(?:2[0-3]|[01]?\d)", "%I": r"(?:1[0-2]|0?[1-9])", "%M": r"[0-5]\d", "%S": r"[0-5]\d", "%f": r"\d{1,6}",
    "%p": r"[ap]m", "%b": f"(?:{_SHORT})", "%B": f"(?:{_FULL})", "%z": r"[+-]\d{2}:?\d{2}",
    "%a": "(?:mon|tue|wed|thu|fri|sat|sun)",
    "%A": "(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)",
}  # fmt: skip
_LIKELY = re.compile(
    rf"(?i)\d{{1,4}}\s*[-/.].*\d.*|\d{{1,2}}[- /](?:{_SHORT}).*|(?:{_SHORT}|mon|tue|wed|thu|fri|sat|sun).*\d.*"
)
_BEGINS = re.compile(rf"(?i)\d|{_SHORT}|mon|tue|wed|thu|fri|sat|sun")
"""The possible beginnings of a date, in any way of writing it."""
_MOST_FORMATS = 4


@dataclass(frozen=True, slots=True)
class DateFormat:
    """One or more ways of writing a date, all with the same order of day and month."""

    formats: tuple[str, ...]
    type: str
    """The DuckDB type: `DATE` or `TIMESTAMP`."""
    ambiguous: bool = False
    """Whether the values could also be read with day and month swapped."""
    padded: bool = False
    """Whether some values have spaces around them."""
    agreed: bool = False
    """Whether the order of day and month was taken from other columns, because these values fit either order."""

    def note(self) -> str | None:
        """Return the assumptions that were made, as the end of a sentence."""
        told = []
        if self.day_first is not None and not self.ambiguous:
            told.append("the day first" if self.day_first else "the month first")
        if self.agreed:
            told.append("as in other columns")
        if any("%y" in form for form in self.formats):
            told.append("years 00 to 68 are 2000 to 2068, 69 to 99 are 1969 to 1999")
        if any("%z" in form for form in self.formats):
            told.append("times are converted to UTC")
        if not told and all(_is_iso(form) for form in self.formats):
            return None
        return ": ".join(["read as dates", *([", ".join(told)] if told else [])])

    @property
    def day_first(self) -> bool | None:
        """Whether the day comes before the month; None if the two cannot be mistaken for each other."""
        if any(_begins(form, _SWAPPED) for form in self.formats):
            return False
        return True if any(_begins(form, _SWAPPED.values()) for form in self.formats) else None

    @property
    def doubt(self) -> str:
        """A sentence about how the values were read, and the other possible meaning; empty if there is no other."""
        if not self.ambiguous:
            return ""
        first, other = ("day", "month") if self.day_first else ("month", "day")
        return f"the {first} comes first in these dates, though the {other} could"

    def reads(self, text: str) -> bool:
        """Return whether a value has this format."""
        return any(_pattern(form).fullmatch(text) for form in self.formats)

    def sql(self, column: str) -> tuple[str, str]:
        """Return SQL that checks whether a value of `column` is a date in exactly this format, and SQL for the date."""
        if (
            not self.padded
            and self.formats in (("%Y-%m-%d",), ("%Y-%m-%d %H:%M:%S",))
            and (self.type == "DATE") == (len(self.formats[0]) == len("%Y-%m-%d"))
        ):
            cast = f"try_cast({column} AS {self.type})"
            # if DuckDB reads ten characters as a date, they are a year, a month and a day
            if self.type == "DATE":
                return f"strlen({column}) = 10 AND {cast} IS NOT NULL", cast
            return f"CAST({cast} AS VARCHAR) = {column}", cast
        text = f"trim({column})"
        # DuckDB's strptime keeps a row's offset for the next one: formats with and without zones are read separately
        kinds = [[form for form in self.formats if ("%z" in form) is zoned] for zoned in (True, False)]
        moments = [_moment(text, forms) for forms in kinds if forms]
        moment = moments[0] if len(moments) == 1 else f"coalesce({', '.join(moments)})"
        if self.type == "DATE":
            return f"{moment} = date_trunc('day', {moment})", f"CAST({moment} AS DATE)"
        return f"{moment} IS NOT NULL", moment


def date_format(values: Sequence[tuple[str, float]], day_first: bool | None = None) -> DateFormat | None:
    """Return the format that reads most of `values`, each with its weight; None if hardly any value is a date.

    `day_first` is the order in the file's other columns, which is used if the values fit either order.
    """
    likely = [(text, weight) for text, weight in values if 6 <= len(text) <= 40 and _LIKELY.fullmatch(text)]
    if sum(weight for _, weight in likely) < 0.5 * sum(weight for _, weight in values):
        return None
    chosen: list[str] = []
    ambiguous = agreed = False
    left = likely
    while left and len(chosen) < _MOST_FORMATS:
        hits = _hits(left)
        best = max(hits, key=lambda form: hits[form], default=None)
        if best is None:
            break
        other = _swap(best)
        if other in chosen:  # the order of day and month is decided once for the whole column
            left = [(text, weight) for text, weight in left if not _pattern(best).fullmatch(text)]
            continue
        if other is not None and hits.get(other, 0) >= hits[best]:
            agreed, ambiguous = day_first is not None, day_first is None
            best = other if day_first is _begins(other, _SWAPPED.values()) else best
        chosen.append(best)
        left = [(text, weight) for text, weight in left if not _pattern(best).fullmatch(text)]
    if not chosen:
        return None
    clock = any("%H" in form or "%I" in form for form in chosen)
    midnight = clock and all(
        re.search(r"[ T](12:00(:00)? AM|0?0:00(:00(\.0+)?)?)(Z|$)", text) for text, _ in likely
    )
    kind = "TIMESTAMP" if clock and not midnight else "DATE"
    return DateFormat(tuple(chosen), kind, ambiguous, agreed=agreed)


def _moment(text: str, forms: Sequence[str]) -> str:
    listed = ", ".join(f"'{form}'" for form in forms)
    return f"CAST(try_strptime({text}, [{listed}]) AS TIMESTAMP)"


def is_date(text: str) -> bool:
    """Return whether `text` is a date in any format, except months without a day."""
    return (
        6 <= len(text) <= 40
        and _BEGINS.match(text) is not None
        and any(form not in _MONTHS for form in _forms(text))
    )


def _hits(values: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Return format → weight of the values that it reads, for formats that read at least one of the first values."""
    hits: dict[str, float] = {}
    for form in dict.fromkeys(form for text, _ in values[:20] for form in _forms(text)):
        pattern = _pattern(form)
        hits[form] = sum(weight for text, weight in values if pattern.fullmatch(text))
    return hits


def _forms(text: str) -> list[str]:
    """Return the formats that read `text`. The date and the time of day are looked up separately."""
    found: list[str] = []
    for day in (*_DAYS, *_MONTHS):
        begun = _pattern(day).match(text)
        if begun is None:
            continue
        rest = text[begun.end() :]
        if not rest:
            found.append(day)
        elif day in _DAYS:
            found += [day + tail for tail in _TAILS if _pattern(tail).fullmatch(rest)]
    return found


@lru_cache(maxsize=4096)
def _pattern(form: str) -> re.Pattern[str]:
    pieces = re.split(r"(%[a-zA-Z])", form)
    return re.compile("(?i)" + "".join(_PARTS.get(piece) or re.escape(piece) for piece in pieces))


def _swap(form: str) -> str | None:
    """Return the format with day and month swapped."""
    for month_first, day_first in _SWAPPED.items():
        for one, two in ((month_first, day_first), (day_first, month_first)):
            if form.startswith(one):
                return two + form[len(one) :]
    return None


def _begins(form: str, days: Iterable[str]) -> bool:
    return form.startswith(tuple(days))


def _is_iso(form: str) -> bool:
    return form.startswith("%Y-%m-%d") or form == "%Y-%m"


for _form in (*_DAYS, *_MONTHS):  # a host does this once, before it forks
    _pattern(_form)
