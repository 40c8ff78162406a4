"""Finds the numbers of an answer: their text, their possible values, and the precision that they imply."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.numbers.column_units import per_unit
from engine.numbers.digits import Reading, readings_of, significant_digits
from engine.numbers.mention import Kind, Mention
from engine.numbers.number_words import word_numbers
from engine.numbers.plain_numbers import code_spans, plain_spans
from engine.numbers.shared_units import with_shared_units
from engine.numbers.units import SCALES, Unit, unit_word

__all__ = ["find_mentions"]


_SIGN = r"[-−–+±]"
_MONEY = r"(?:US\$|A\$|C\$|CHF|USD|EUR|GBP|[$€£¥₹])"
_DIGITS = (
    r"\d{1,3}(?:[,.’'\u00a0\u202f\u2009 ]\d{3})+(?:[.,]\d+)?(?![\d])"  # 1,234,567.8, also with other separators
    r"|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?"  # 12,34,567
    r"|\d+(?:[.,]\d+)?"
    r"|\.\d+"
)
_NUMBER = re.compile(
    rf"""(?P<open>\()?
    (?P<sign>(?<![\w\d%)]){_SIGN})?
    (?:(?P<money>{_MONEY}\s?)(?P<sign2>[-−–+])?)?
    (?<![\w.])(?P<digits>{_DIGITS})
    (?P<power>[eE][-+]?\d{{1,3}}|\s?[×x·]\s?10(?:\^\{{?(?P<caret>[-−]?\d{{1,3}})\}}?|(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}})))?
    (?P<close>\))?
    (?:(?:\*\*|__|`)?(?P<gap>[\s\u00a0\u202f-]?)(?P<tail>
        percentage[\s-]points?|per\s?cent|percent|pct\b|%[\s-]?(?:points?|pts?)\b|%|pp\b|bps\b|basis[\s-]points?|p\.p\.
        |points?\b|pts?\b|[×x](?![\w])|times\b|fold\b|Mrd\.?|Mio\.?
        |light[\s-]years?\b|km/h\b|m/s\b|[A-Za-z°€$£¥₹]+[²³]?))?
    """,
    re.VERBOSE,
)
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_RATIO = re.compile(r"(?<![\d:])(\d+(?:\.\d+)?)\s?(?::|-to-|\bto\b)\s?(1)\b(?![:\d]|[.,]\d|\s?%)")
_OVER = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?![\d/])")
_DURATION = re.compile(
    r"\b(\d+)\s?(?:h|hrs?|hours?)(?:\s|,|\sand)?\s?(\d{1,2})\s?(?:m|min|mins|minutes?)\b|\b(\d+)\s?(?:m|min|minutes?)"
    r"(?:\s|,|\sand)?\s?(\d{1,2})\s?(?:s|sec|seconds?)\b"
)
_HEDGES = re.compile(
    r"(?<![A-Za-z])"
    r"(?:(?P<about>about|around|roughly|approximately|approx\.?|circa|ca\.|some|~|≈|close to|near|in the region of|"
    r"-?ish|almost exactly|or so)|(?P<over>over|more than|above|just over|slightly over|a little over|upwards of|exceed"
    r"s?|exceeding|at least|well over|>|>=|≥)|(?P<under>under|less than|below|just under|nearly|almost|just short of|"
    r"slightly under|a little under|not quite|fewer than|at most|<|<=|≤))\s?(?:the\s|an?\s)?[*_`$€£¥₹(]{0,3}$",
    re.IGNORECASE,
)
_FINE_SCALES = frozenset({"k", "m", "b", "t", "mm"})
"""Short scales, which directly follow the digits, without a space."""


def find_mentions(text: str) -> list[Mention]:
    """Return the numbers of a Markdown text in text order. Numbers within code are ignored."""
    taken = _Taken(code_spans(text))
    found = [*_durations(text, taken), *_ratios(text, taken)]
    for start, end in plain_spans(text):
        if taken.take(start, end):
            found.append(Mention(start, end, text[start:end], "plain", _of_plain(text[start:end])))
    for match in _NUMBER.finditer(text):
        one = _digits(text, match)
        if one is not None and taken.take(one.start, one.end):
            found.append(one)
    for word in word_numbers(text):
        if taken.take(word.start, word.end):
            kind: Kind = word.kind
            step = 0.0 if kind in ("part", "times") else 0.2 if kind in ("percent", "points") else 1.0
            one = Mention(
                word.start,
                word.end,
                text[word.start : word.end],
                kind,
                (Reading(word.value, step),),
                digits=1,
            )
            found.append(_scaled_word(text, one))
    mark = _decimal_mark(text)
    found = [_in_style(one, mark) for one in found]
    hedged = [_hedged(text, one) for one in sorted(found, key=lambda one: one.start)]
    return with_shared_units(text, _hedged_alike(text, hedged))


def _decimal_mark(text: str) -> str:
    """Return the decimal mark if all numbers with one or two decimals use the same one; else ""."""
    found = {
        mark
        for mark in ".,"
        if re.search(rf"(?<![\d.,])\d+(?:[.,]\d{{3}})*[{mark}]\d{{1,2}}(?![\d.,]\d|\d)", text)
    }
    return found.pop() if len(found) == 1 else ""


def _in_style(one: Mention, mark: str) -> Mention:
    """Return a number. If it is ambiguous ("1.790"), read it with the decimal mark that the rest of the text uses."""
    ambiguous = re.fullmatch(r"\D{0,4}\d{1,3}[.,]\d{3}\W*", one.text) is not None
    if len(one.readings) < 2 or not mark or not ambiguous:
        return one  # “8.42M” may be metres
    grouped = mark not in one.text
    whole = sorted(one.readings, key=lambda reading: reading.step)
    return replace(one, readings=(whole[-1] if grouped else whole[0],))


_JOINED = re.compile(r"\s?(?:to|and|or|–|—|versus|vs\.?)\s?[*_`$€£¥₹]{0,3}")


def _hedged_alike(text: str, found: list[Mention]) -> list[Mention]:
    """If the first number of a range is marked as rounded, mark the second one too: "from about 201,000 to 378,000"."""
    made = found[:1]
    for one in found[1:]:
        before = made[-1]
        joined = before.hedge == "about" and _JOINED.fullmatch(text[before.end : one.start]) is not None
        made.append(replace(one, hedge="about") if joined and not one.hedge else one)
    return made


class _Taken:
    """The spans that are already part of a number or of code."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._spans = sorted(spans)

    def take(self, start: int, end: int) -> bool:
        """Take a span and return True; return False if a part of it is already taken."""
        at = bisect_right(self._spans, (start, end))
        before = self._spans[at - 1] if at else (0, 0)
        after = self._spans[at] if at < len(self._spans) else (end, end)
        if before[1] > start or after[0] < end:
            return False
        self._spans.insert(at, (start, end))
        return True


def _of_plain(text: str) -> tuple[Reading, ...]:
    digits = re.search(r"\d+", text)
    return (Reading(float(digits[0]), 1.0),) if digits else (Reading(0.0, 1.0),)


def _durations(text: str, taken: _Taken) -> list[Mention]:
    found = []
    for match in _DURATION.finditer(text):
        whole, parts, base = (match[1], match[2], 60.0) if match[1] else (match[3], match[4], 1.0)
        if taken.take(*match.span()):
            seconds = (int(whole) * 60 + int(parts)) * base
            one = (Reading(seconds, base),)
            found.append(Mention(*match.span(), match[0], "number", one, unit=("time", 1.0), digits=3))
    return found


def _ratios(text: str, taken: _Taken) -> list[Mention]:
    found = []
    for match in _RATIO.finditer(text):
        if taken.take(*match.span()):
            readings = readings_of(match[1])
            found.append(
                Mention(*match.span(), match[0], "times", readings, digits=significant_digits(match[1]))
            )
    for match in _OVER.finditer(text):
        over, of = int(match[1]), int(match[2])
        if 0 < over < of and taken.take(*match.span()):
            found.append(Mention(*match.span(), match[0], "part", (Reading(over / of, 0.0),), digits=1))
    return found


def _digits(text: str, match: re.Match[str]) -> Mention | None:
    """Return a number in digits with its sign, scale and unit."""
    digits = match["digits"]
    readings = readings_of(digits)
    if power := _power(match):
        readings = tuple(Reading(one.value * power, one.step * power) for one in readings)
    end = match.end("power") if match["power"] else match.end("digits")
    start = match.start("digits")
    for name in ("sign2", "money", "sign"):
        if match[name]:
            start = match.start(name)
    bracketed = bool(match["open"] and match["close"]) and not match["sign"]
    sign = (match["sign"] or match["sign2"] or "").strip()
    signed = sign in ("-", "−", "–", "+")
    if sign == "–" and start and text[start - 1].isdigit():  # "10–20": a range
        signed, sign = False, ""
    minus = sign in ("-", "−", "–")
    unit = unit_word(
        (match["money"] or "").strip().removeprefix("US").removeprefix("A").removeprefix("C")
    ) or (unit_word((match["money"] or "").strip()) if match["money"] else None)
    one = Mention(
        start,
        end,
        "",
        "number",
        readings,
        signed,
        unit,
        bracketed=bracketed,
        digits=significant_digits(digits),
    )
    one = _with_tail(one, match)
    if minus:
        one = replace(one, readings=tuple(Reading(-r.value, r.step) for r in one.readings))
    return replace(one, text=text[one.start : one.end], per=per_unit(text, one.end))


def _with_tail(one: Mention, match: re.Match[str]) -> Mention:
    """Return a number with the text that directly follows it: percent, times, a scale or a unit."""
    tail = (match["tail"] or "").casefold().rstrip(".")
    percent = (match["tail"] or "").startswith(("%", "per"))
    if not percent and one.unit is None and _FACTOR.search(match.string, max(0, one.start - 24), one.start):
        return replace(one, kind="times")
    if not tail or match["close"]:
        return one
    gap, end = match["gap"], match.end("tail")
    if tail == "x" and gap:
        return one
    if tail in ("%", "percent", "per cent", "pct") or tail.replace(" ", "") == "percent":
        return replace(one, kind="percent", end=end)
    if tail in ("bps",) or tail.startswith("basis"):
        hundredth = tuple(Reading(r.value / 100, r.step / 100) for r in one.readings)
        return replace(one, kind="points", end=end, readings=hundredth)
    if tail.startswith(("percentage", "%")) or tail in ("pp", "p.p", "points", "point", "pts", "pt"):
        return replace(one, kind="points", end=end)
    if tail in ("×", "x", "times", "fold"):
        return replace(one, kind="times", end=end)
    scale = SCALES.get(tail)
    money = one.unit is not None and one.unit[0].startswith("money")
    fine = tail in _FINE_SCALES and gap and not (money and tail != "t")
    if scale is not None and not fine and not (tail == "t" and one.unit is None):
        readings = tuple(Reading(r.value * scale, r.step * scale) for r in one.readings)
        if tail in ("m", "mm") and one.unit is None:  # metres or millions: both are looked for
            readings += one.readings
        unit = one.unit or _unit_behind(match.string, end)
        return replace(one, readings=readings, end=end, unit=unit)
    unit = _CAPITAL_UNITS.get(match["tail"]) if gap else unit_word(tail)
    unit = unit or unit_word(tail)
    if unit is None:
        return one
    return replace(one, unit=one.unit or unit)


_FACTOR = re.compile(r"\bfactor\sof\s(?:about|around|roughly|nearly|almost|over)?\s?[*_`~≈]*$", re.IGNORECASE)


_CAPITAL_UNITS: Mapping[str, Unit] = {"K": ("temperature K", 1.0), "t": ("mass", 1e6)}
"""Letters that are units, not scales, if there is a space before them."""


def _unit_behind(text: str, end: int) -> Unit | None:
    word = re.compile(r"\s([A-Za-z€$£°]+)").match(text, end)
    return unit_word(word[1]) if word else None


_WORD_TAIL = re.compile(
    r"\s+(percent|per\s+cent|percentage\s+points?|times|million|billion|thousand)\b", re.IGNORECASE
)


def _scaled_word(text: str, one: Mention) -> Mention:
    """Return a number in words with the word after it: "five percent", "three times"."""
    tail = _WORD_TAIL.match(text, one.end)
    if tail is None or one.kind != "count":
        return one
    word = tail[1].casefold()
    kind: Kind = "times" if word == "times" else "points" if word.startswith("percentage") else "percent"
    if word in SCALES:
        return one
    return replace(one, kind=kind, end=tail.end(), text=text[one.start : tail.end()])


def _hedged(text: str, one: Mention) -> Mention:
    found = _HEDGES.search(text, max(0, one.start - 28), one.start)
    if found is None:
        return one
    hedge = found.lastgroup
    return replace(one, hedge=hedge) if hedge in ("about", "over", "under") else one  # type: ignore[arg-type]


def _power(match: re.Match[str]) -> float:
    given = match["power"]
    if not given:
        return 0.0
    if match["caret"]:
        exponent = match["caret"].replace("−", "-")
    elif match["raised"]:
        exponent = match["raised"].translate(_RAISED)
    else:
        exponent = given[1:]
    return float(10.0 ** max(-300, min(300, int(exponent or 0))))
