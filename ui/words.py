"""Formats sizes, counts, times and states for people, and escapes text for HTML."""

import re
from datetime import UTC, datetime, timedelta
from html import escape

from engine.views.placement import CODE

__all__ = [
    "BADGES",
    "badge",
    "count",
    "day_of",
    "escape",
    "label",
    "local",
    "local_time",
    "prose",
    "seconds",
    "size",
    "tokens",
    "unseen",
]

BADGES = {
    "pending": ("run", "Calling…"),
    "running": ("run", "Calling…"),
    "awaiting_confirmation": ("ask", "Waiting for you"),
    "held_up": ("off", "Waiting its turn"),
    "success": ("ok", "Completed"),
    "error": ("err", "Error"),
    "denied": ("off", "Denied"),
    "cancelled": ("off", "Cancelled"),
    "interrupted": ("off", "Interrupted"),
    "timed_out": ("off", "Timed out"),
}
"""Status of a call → class and word."""


_DIRECTIVE = re.compile(r":(?=[a-z-]+[\[/])")


_PICTURE = re.compile(r"!(?=\[)")
_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~:$&@])")
_JOINED = "!\u2060"
_FENCE = re.compile(r"```[^`\n]*\n(?:.*?\n)?```", re.DOTALL)


_MATH = re.compile(
    r"(?<![\\$\w])\$\$(?=[^$]*[\\^_={}+<>])[^$]+\$\$(?!\d)"
    r"|(?<![\\$\w])\$(?![\s\d$.,])(?=[^$\n]*[\\^_={}+<>]|[A-Za-z]{1,2}\$)[^$\n]{1,400}?(?<![\s\\])\$(?![\w$])"
)
"""A formula between two dollar signs: it has a character that only formulas have, or is one or two letters. A dollar
before a number is money.
"""


def _without_formulas(text: str) -> str:
    """Return text with dollar signs escaped, except around formulas."""
    made, end = [], 0
    for formula in _MATH.finditer(text):
        made += [text[end : formula.start()].replace("$", r"\$"), formula[0]]
        end = formula.end()
    return "".join([*made, text[end:].replace("$", r"\$")])


def prose(text: str) -> str:
    """Return Markdown that is shown as it was meant: outside code, `$x^2$` is a formula, `$5` is money, and colons are
    shown as they are.

    Pictures are not fetched: each one becomes a link. Its `![` is split by an invisible character, which a preceding
    backslash cannot undo. Inline code is changed too, because the browser may parse it differently. Only blocks that
    are certainly code stay unchanged.
    """
    parts, sure, made = CODE.split(text), True, []
    for index, part in enumerate(parts):
        if index % 2 == 0:
            sure = sure and "<" not in part and "~~~" not in part and "`" not in part.replace("\\`", "`")
            plain = _DIRECTIVE.sub(r"\:", _without_formulas(part))
            made.append(_PICTURE.sub(_JOINED, plain))
            continue
        if part.startswith("```"):
            before = parts[index - 1]
            alone = before.endswith("\n\n") if index > 1 or before else True
            after = parts[index + 1][:1]
            sure = sure and alone and bool(_FENCE.fullmatch(part)) and after in ("", "\n")
            made.append(part if sure else _PICTURE.sub(_JOINED, part))
        else:
            made.append(_PICTURE.sub(_JOINED, part))
    return "".join(made)


def label(text: str) -> str:
    """Escape text from outside for a place where Streamlit reads Markdown: labels, tooltips and toasts. It is then
    shown unchanged.
    """
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def unseen(name: str) -> str:
    """Return the label of an icon-only button: its name for screen readers, hidden by the style sheet."""
    return f":small[{name.replace('[', '(').replace(']', ')')}]"


def badge(status: str) -> str:
    """Return the badge of a call's status as HTML."""
    kind, word = BADGES.get(status, ("off", status))
    return f'<span class="ab-badge {kind}">{escape(word)}</span>'


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a count such as `1 row` or `12,480 rows`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(bytes_: int) -> str:
    """Return a size such as `812 B` or `1.1 MB`."""
    value = float(bytes_)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:,.1f} GB"


def seconds(value: float | None) -> str:
    """Return a duration such as `0.2 s` or `1 min 12 s`."""
    if value is None:
        return ""
    if value < 60:
        return f"{value:.1f} s" if value >= 0.1 else f"{value * 1000:.0f} ms"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def tokens(tokens_in: int | None, tokens_out: int | None) -> str:
    """Return token counts as text, such as `1,204 tokens in, 310 out`; empty if the provider reports none."""
    if tokens_in is None and tokens_out is None:
        return ""
    return f"{tokens_in or 0:,} tokens in, {tokens_out or 0:,} out"


def local(moment: datetime, timezone_offset: int | None = None) -> datetime:
    """Return a UTC time in the reader's time zone; `timezone_offset` is minutes west of UTC, as
    browsers report it.
    """
    return moment.replace(tzinfo=None) - timedelta(minutes=timezone_offset or 0)


def local_time(
    moment: datetime,
    timezone_offset: int | None = None,
    *,
    with_seconds: bool = False,
    now: datetime | None = None,
) -> str:
    """Return the time as `14:02` or `14:02:07` in the reader's time zone; on another day `Nov 21, 14:02`, in another
    year with the year.
    """
    here = local(moment, timezone_offset)
    today = local(now or datetime.now(UTC), timezone_offset)
    time = f"{here:%H:%M:%S}" if with_seconds else f"{here:%H:%M}"
    if here.date() == today.date():
        return time
    return f"{here:%b} {here.day}{'' if here.year == today.year else f' {here.year}'}, {time}"


def day_of(moment: datetime, now: datetime) -> str:
    """Return `Today`, `Yesterday`, `Earlier in November` or `October 2026`. Both times must be local to the reader."""
    days = (now.date() - moment.date()).days
    if days <= 0:
        return "Today"
    if days == 1:
        return "Yesterday"
    same_month = (moment.year, moment.month) == (now.year, now.month)
    return f"Earlier in {moment:%B}" if same_month else f"{moment:%B %Y}"
