"""The ways in which a text may write a row's name: part of a label, a date in words, a percentile."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from engine.numbers.evidence import Value, is_number
from engine.numbers.number_words import CARDINALS
from engine.numbers.words import forms, stem, text_words

__all__ = ["MONTHS", "SEXES", "WEAK", "column_forms", "label_forms", "label_groups", "plain_label"]

WEAK = forms(
    "a an the of in on by per for to and or with at from is was are all each other it its as than not this that new"
    " name type id data result value unit x y"
)
"""Words that do not distinguish one column or row from another."""
SEXES = dict.fromkeys(forms("female girl woman women"), "f") | dict.fromkeys(forms("male boy man men"), "m")
"""The one-letter labels of the sexes, by the words for them."""
_ISO = re.compile(r"((?:1[6-9]|20|21)\d\d)-(\d\d)(?:-(\d\d))?(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?.*)?")
_NO_LABEL = frozenset(
    {
        *(
            "none",
            "none given",
            "not given",
            "unknown",
            "missing",
            "blank",
            "empty",
            "n/a",
            "na",
            "null",
            "no value",
        ),
        *("not stated", "not specified", "unspecified", "not recorded"),
    }
)
"""Labels that mean that a row has no value, such as "unknown" and "(none)"."""
_AT_LEAST = re.compile(r"(?:>=?\s?)?(\d+)\s?\+(?!\d)")
"""A label such as `10+ days`."""
_PART = re.compile(r"[qh][1-4]")
_CODE = re.compile(r"[a-z]\d")
_HALF = re.compile(r"h([12])")
_NAMES = "january february march april may june july august september october november december"
MONTHS = tuple(_NAMES.split(" "))


def plain_label(value: Value) -> str:
    """Return the value of a cell as the label of its row."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip().casefold()


def column_forms(word: str) -> tuple[str, ...]:
    """Return other forms of a column's word: "90th" for "p90", "median" for "p50" and "q50", "fy2024" for "2024"."""
    if word.isdigit() and len(word) == 4:
        return (f"fy{word}", f"fy{word[2:]}", f"cy{word}")
    if not re.fullmatch(r"[pq]\d\d", word):
        return ()
    return (f"{word[1:]}th", "median") if word[1:] == "50" else (f"{word[1:]}th",)


def label_forms(values: Sequence[Value], name: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the ways in which a text may write the labels of a column, each with the label.

    Args:
        values: the column's cells; a missing value has no label.
        name: the words of the column's name, which say what its numbers mean.
    """
    labels = {plain_label(value): value for value in values if value is not None}
    singles: dict[str, set[str]] = defaultdict(set)
    timed = any((found := _ISO.fullmatch(label)) and found[4] not in (None, "00:00") for label in labels)
    months = len({label[:7] for label in labels})
    one_month, monthly = months == 1, months == len(labels) > 1
    for label, value in labels.items():
        for form in (*_written(label, value, name, timed, monthly), *_day(label, one_month)):
            yield form, label
        words = tuple(word.form for word in text_words(label))
        for word in words if len(words) > 1 else ():
            singles[word].add(label)
    if {"f", "m"} <= labels.keys() and len(labels) < 5:  # the sexes, by their letters
        yield from (((form,), label) for form, label in SEXES.items())
    for word, having in singles.items():  # "Machines" for "Machines & parts", if no other label has the word
        told = len(word) > 2 or _PART.fullmatch(word) or _CODE.fullmatch(word)
        if len(having) == 1 and told and word not in WEAK and not word.isdigit():
            yield (word,), next(iter(having))


def label_groups(values: Sequence[Value]) -> Iterator[tuple[str, str]]:
    """Yield each word that some but not all labels of a column share, with each label that has it: "Newsletter" for
    "Newsletter May" and "Newsletter June", since a text may say "the newsletters".
    """
    labels = {plain_label(value) for value in values if isinstance(value, str)}
    sharing: dict[str, set[str]] = defaultdict(set)
    for label in labels:
        words = {word.form for word in text_words(label)}
        for word in words if len(words) > 1 else ():
            sharing[word].add(label)
    for word, having in sharing.items():
        if 1 < len(having) < len(labels) and len(word) > 3 and word.isalpha() and word not in WEAK:
            yield from ((word, label) for label in sorted(having))


def _written(
    label: str, value: Value, column: tuple[str, ...], timed: bool, monthly: bool
) -> Iterator[tuple[str, ...]]:
    words = tuple(word.form for word in text_words(label))
    if is_number(value):
        yield from _period(int(float(value or 0)), column)
        return
    if label.strip("()[]<>- ") in _NO_LABEL:
        for word in ("no", "without"):
            yield from ((stem(word), name) for name in column)
            yield from ((stem(word), stem(article), name) for article in ("a", "any") for name in column)
    if words:
        yield words
        if words[0] in _IN_WORDS and len(words) > 1:
            yield (stem(_IN_WORDS[words[0]]), *words[1:])
        if (least := _AT_LEAST.match(label)) is not None:
            for number in filter(None, (least[1], _IN_WORDS.get(least[1]))):
                yield (stem(number), stem("or"), stem("more"))
                yield (stem("at"), stem("least"), stem(number))
                yield (stem("over"), stem(number))
    if (date := _ISO.fullmatch(label)) is not None:
        if date[4] is not None and timed:
            yield from _moment(date)
        else:
            yield from _date(date, monthly)
    elif (half := _HALF.fullmatch(label)) is not None:
        nth = ("first", "second")[int(half[1]) - 1]
        for form in ((nth, "half"), (f"h{half[1]}",)):
            yield tuple(map(stem, form))
    elif len(words) == 1 and re.fullmatch(r"(?:q|h|w)\d+", words[0]):
        return


_IN_WORDS = {str(number): word for word, number in CARDINALS.items() if number <= 12}


def _period(number: int, column: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the ways to write the number of a year, month or quarter."""
    yield (str(number),)
    if "month" in column and 1 <= number <= 12:
        yield (stem(MONTHS[number - 1]),)
    if "quarter" in column and 1 <= number <= 4:
        yield (f"q{number}",)


def _day(label: str, one_month: bool) -> Iterator[tuple[str, ...]]:
    """Yield only the day ("the 5th") if all dates are in one month."""
    date = _ISO.fullmatch(label) if one_month else None
    if date is not None and date[3] is not None and date[4] is None:
        yield (date[3].lstrip("0") + _th(int(date[3])),)


def _moment(date: re.Match[str]) -> Iterator[tuple[str, ...]]:
    """Yield the ways to write a date with a time."""
    year, month, day, time = date.groups()
    clock = tuple(time.split(":"))
    name, number = stem(MONTHS[int(month) - 1]), day.lstrip("0")
    for written in (
        (number, name),
        (name, number),
        (number, name, year),
        (name, number, year),
        (year, month, day),
    ):
        yield (*written, *clock)
        yield (*written, "at", *clock)


def _date(date: re.Match[str], monthly: bool) -> Iterator[tuple[str, ...]]:
    """Yield the ways to write a date; if each month has one date (`monthly`), also "March" for 2025-03-31."""
    year, month, day, _ = date.groups()
    if not 1 <= int(month) <= 12:
        return
    name = stem(MONTHS[int(month) - 1])
    if day is None or day == "01" or monthly:
        yield (name, year)
        yield (name,)
        yield (year, month)
    if day is None or day == "01":
        if month in ("01", "04", "07", "10"):
            quarter = f"q{(int(month) + 2) // 3}"
            yield (quarter, year)
            yield (quarter,)
        if month == "01":
            yield (year,)
    if day is not None:
        for written in (day, day.lstrip("0"), day.lstrip("0") + _th(int(day))):
            yield (written, name)
            yield (name, written)
            yield (written, name, year)
            yield (name, written, year)
        yield (year, month, day)


def _th(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
