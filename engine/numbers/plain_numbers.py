"""Digits in a text that are not quantities: dates, times, ordinals, identifiers, list numbers."""

import re

__all__ = ["code_spans", "plain_spans"]

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril"
    r"|juin|juillet|août|septembre|octobre|novembre|décembre)\.?"
)
_YEAR = r"(?:1[6-9]|20|21)\d\d"
_DASH = r"[-‐‑–—/]"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_PLAIN = re.compile(
    rf"""
      \b{_YEAR}-\d\d?(?:-\d\d?(?:[T\s]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?\b(?![.,]?\d)
    | \b\d\d?[./]\d\d?[./](?:\d\d)?\d\d\b
    | \b{_DAY}(?:(?:,\s|,?\s(?:and|or|to|&)\s|\s?{_DASH}\s?){_DAY})+\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR}\b)?
    | (?<![\d.,])\b{_DAY}(?:st|nd|rd|th)?\.?(?:{_DASH}\d\d?)?\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR}\b)?
    | \b{_MONTH}\s+\d\d?(?:st|nd|rd|th)?(?:\s?{_DASH}\s?(?:{_MONTH}\s+)?\d\d?)?(?:,?\s+{_YEAR}\b)?(?!\d|[,.]\d|\s?%)
    | \b{_MONTH}\s+'?\d\d\b(?!\s?%)
    | \b{_YEAR}\s?{_DASH}\s?(?:{_YEAR}|\d\d)\b(?!\.\d)
    | \b(?:FY|CY|H|Q|W|Wk|week|day|month|quarter|year|hour|phase|step|section|part|chapter|figure|table|row|column|line|
        page|version|release|grade|class|level|type|group|cluster|segment|region|zone|store|shop|site|room|model|sku|
        order|invoice|ticket|case|id|no|nr|number|item|batch|lot|player|team|user|customer|account|station|sensor|
        device|question|option|scenario|top|bottom|first|last|next|past|previous)(?:(?<=\bno|\bnr|\bid|\bwk)\.)?[^\S\n]?[\#№]?[^\S\n]?
        \d+(?:\s?{_DASH}\s?\d+)?(?:\s?(?:{_DASH}|to)\s?[HQW]\d)?\b(?![.,]\d|\s?%)
    | \b(?:week|month|quarter|day|hour)s\s\d+(?:\s?(?:{_DASH}|to|and|through)\s?\d+)?\b(?![.,]\d|\s?%)
    | \b(?:Q|H)\d(?:\s?{_DASH}\s?(?:Q|H)?\d)?(?:\s+(?:of\s+)?'?(?:{_YEAR}|\d\d\b))?
    | \b\d\d?:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?
    | \b\d\d?\s?[ap]\.?m\b\.?
    | \b\d+(?:st|nd|rd|th)\b
    | \#\d[\w-]*
    | \b[vV]\d+(?:\.\d+)*\b
    | \b(?!\d{{1,3}}(?:\.\d{{3}})+\b)\d+\.\d+\.\d+(?:\.\d+)*\b
    | \b\d\d?(?:\.\d+)?\s?%[\s-]+(?:CI|confidence|(?:significance\s+)?level|significance)\b
    | \bp\s?(?:<|>|≤|≥)\s?0?\.\d+
    | \b(?:usual|conventional|customary|common|standard)\s+(?:level\s+of\s+|threshold\s+of\s+)?0?\.(?:10?|05|01|001)\b
    | \b(?:significance|alpha|threshold|cut-?off)\s+(?:level\s+)?(?:of|=)\s+0?\.(?:10?|05|01|001)\b
    | \b100\s?(?:%|percent|per\s+cent)(?!\w)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WORD = re.compile(r"(?<![\w-])(?:[A-Za-z][A-Za-z\d]*(?:[-_][A-Za-z\d]+)*|\d+(?:[-_][A-Za-z\d]+)+)(?![\w%])")
"""Words of letters and digits. The pattern has no overlapping alternatives, so that matching is fast for any text."""
_MEASURES = re.compile(
    r"fold|point|percent|day|week|month|year|hour|minute|row|column|way|to|person|item|digit|unit|euro|dollar|kg|g|km"
    r"|m|and|or|of|the",
    re.IGNORECASE,
)
"""Words after a hyphen that show that the number before it is a quantity: "a 3-day trip"."""
_LIST = re.compile(
    r"^[ \t]*(?:>[ \t]*)*(?:[-*+•][ \t]+|\#{1,6}[ \t]+)?(?:\*\*)?(\d{1,3}[.)])(?=[ \t]|\*\*)", re.MULTILINE
)
_BIN = re.compile(r"^[ \t]*\|[ \t*]*(\d[\d.,]*\s?[–—-]\s?\d[\d.,]*)[ \t*]*\|", re.MULTILINE)
"""A range in the first column of a Markdown table, which names a row."""
_PER = re.compile(r"\bper\s(10{1,6}|1,000(?:,000)?|10,000|100,000)\b(?![.,]\d)")
_LONE_YEAR = re.compile(rf"(?<![\d.,$€£¥₹%#-])\b(?:{_YEAR})(?:s\b)?\b(?![.,]\d|\s?%|\d|[.,’']\d)")
_CODE = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|!?\]\([^)\n]*\)|<[a-zA-Z/][^>\n]*>|https?://\S+|\$\$.*?\$\$",
    re.DOTALL,
)
_BARE = re.compile(r"`[\s$€£¥₹+−–-]*[\d.,’' ]+[%\s]*`")


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of code, addresses, formulas and tags, but not of single numbers that are formatted as code."""
    return [found.span() for found in _CODE.finditer(text) if not _BARE.fullmatch(found[0])]


def plain_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of dates, times, ordinals, identifiers and list numbers."""
    spans = [found.span() for found in _PLAIN.finditer(text)]
    spans += [found.span() for found in _WORD.finditer(text) if _is_identifier(found[0])]
    spans += [found.span(1) for found in _PER.finditer(text)]
    spans += [found.span(1) for pattern in (_LIST, _BIN) for found in pattern.finditer(text)]
    spans += [found.span() for found in _LONE_YEAR.finditer(text) if _is_year(text, *found.span())]
    return sorted(spans, key=lambda span: (span[0], -span[1]))


def _is_identifier(word: str) -> bool:
    """Return whether a word with letters and digits is an identifier: "SKU-4471", "Q3", "7F-2", but not "3-day"."""
    if not any(map(str.isdigit, word)) or not any(map(str.isalpha, word)):
        return False
    parts = re.split(r"[-_]", word)
    return not (parts[0].isdigit() and _MEASURES.fullmatch(parts[1]))


_UNIT = re.compile(r"[*_`]*\s?(?:(?:k?g|k?m|cm|mm|ms|k?Wh?|MWh?|GWh?|°C|l|ml|ha|kB|MB|GB)\b|\w+/\w|of\s\d|°)")
_COUNTED = re.compile(
    r"\s+(?:rows?|orders?|records?|units?|customers?|items?|people|cases|users?|euros?|dollars?|kg)\b"
)


def _is_year(text: str, _start: int, end: int) -> bool:
    """Return whether four digits are a year. They are not if a counted thing ("2024 orders") or a unit follows."""
    return _COUNTED.match(text, end) is None and _UNIT.match(text, end) is None
