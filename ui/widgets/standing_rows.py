"""Formats standing questions for the list: value, movement, checks and age. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime

from engine.views.standing import GROUPS, StandingQuestion
from ui.components.standing_list.component import StandingGroup, StandingItem, StandingRow
from ui.words import count, local

__all__ = ["standing_groups"]

_TITLES = {"needs you": "Needs you", "moved": "Moved since you last looked", "same": "The same"}
_BADGES = {
    "same": ("ok", "Same"),
    "moved": ("run", "Moved"),
    "no longer follows": ("run", "No longer true"),
    "could not run": ("err", "Could not run"),
    "interrupted": ("err", "Interrupted"),
    "not checked": ("", "Not checked yet"),
}
_FIXES = {"match columns": "Match columns", "find the file": "Find the file"}
_LONGEST = 160


def standing_groups(
    questions: Sequence[StandingQuestion], offset: int | None, now: datetime | None = None
) -> list[StandingGroup]:
    """Return the rows by group; `offset` is the reader's minutes west of UTC."""
    here = local(now or datetime.now(UTC), offset)
    rows = {name: [one for one in questions if one.of.group == name] for name in GROUPS}
    return [
        StandingGroup(_TITLES[name], tuple(_row(one, offset, here) for one in found))
        for name, found in rows.items()
        if found
    ]


def _row(one: StandingQuestion, offset: int | None, now: datetime) -> StandingRow:
    of = one.of
    kind, badge = _BADGES[of.verdict]
    muted = of.group == "needs you"
    change, note, tone = _movement(one, offset, now)
    if muted:
        change, note, tone = "", f"last good value, {_day(local(of.good_at, offset), now)}", ""
    when = _age(of.checked_at, offset, now) if of.checked_at is not None and not muted else ""
    value = of.value.text if of.value is not None else f"{count(of.moved, 'result')} moved"
    question = " ".join(one.question.split())
    why = of.why
    if of.verdict == "interrupted":
        why = "Anabranch closed during the check. Run it again."
    if of.verdict == "moved" and one.broken:
        more = f" (and {count(len(one.broken) - 1, 'more sentence')})" if len(one.broken) > 1 else ""
        why = f"No longer true: “{one.broken[0][:_LONGEST]}”{more}."
    return StandingRow(
        id=of.pin_id,
        question=question if len(question) <= _LONGEST else question[: _LONGEST - 1] + "…",
        where=f"{one.title} · {_trigger(one)}",
        value=value if of.value is not None or of.checked_at is not None else "no single value",
        none=of.value is None,
        muted=muted,
        tone=tone,
        change=change,
        note=note,
        points=of.numbers,
        told=_told(of.texts, of.numbers),
        badge=badge,
        kind=kind,
        running=one.running,
        when=f"{when} · {count(of.calls, 'call')}" if when else "",
        why=why if of.verdict != "no longer follows" or of.value is None else "",
        fix=_FIXES.get(of.fix, ""),
        menu=_menu(one),
    )


def _trigger(one: StandingQuestion) -> str:
    if one.of.trigger == "by hand" or not one.of.files:
        return "by hand"
    files = one.of.files
    return f"when {files[0]} changes" if len(files) == 1 else f"when one of {len(files)} files changes"


def _movement(one: StandingQuestion, offset: int | None, now: datetime) -> tuple[str, str, str]:
    """Return the movement with its sign, the text beside it, and whether the movement is good or bad."""
    of = one.of
    since = f"since {_day(local(of.since, offset), now)}"
    before, value, change = of.baseline, of.value, one.change
    if before is None or value is None:
        return "", since if of.checked_at is not None else "", ""
    if change is None:
        return ("0", since, "") if before.text == value.text else (f"was {before.text}", "answer changed", "")
    shown = round(change, value.decimals)
    if shown == 0:
        return "0", since, ""
    points = " points" if "%" in value.after else ""
    text = f"{'+' if shown > 0 else '−'}{abs(shown):,.{value.decimals}f}{points}"
    percent = ""
    if before.number and not points:
        share = change / abs(before.number * before.scale) * 100
        percent = f"{'+' if share > 0 else '−'}{abs(share):,.1f}% "
    tone = "" if of.good is None else "good" if (change > 0) == (of.good == "up") else "bad"
    return text, f"{percent}{since}", tone


def _told(texts: Sequence[str], numbers: Sequence[float]) -> str:
    """Return a description of the small line chart."""
    if not texts:
        return "no values yet"
    if len(texts) == 1:
        return f"1 value, {texts[0]}"
    what = "values" if len(numbers) == len(texts) else "answers"
    return f"{len(texts)} {what}, from {texts[0]} to {texts[-1]}"


def _menu(one: StandingQuestion) -> tuple[StandingItem, ...]:
    of = one.of
    by_file = of.trigger == "when a file changes"
    return (
        StandingItem("open", "Open the answer"),
        StandingItem("compare", "Compare with before", disabled=of.leaf is None),
        StandingItem("by-file", "Run when a file changes", by_file, disabled=not of.files),
        StandingItem("by-hand", "Run by hand only", not by_file),
        StandingItem("up", "Up is good", of.good == "up"),
        StandingItem("down", "Down is good", of.good == "down"),
        StandingItem("unpin", "Unpin"),
    )


def _age(at: datetime, offset: int | None, now: datetime) -> str:
    """Return an age such as `just now`, `6 min ago`, `today, 08:00`, `yesterday, 18:22` or `18 Nov, 18:22`."""
    here = local(at, offset)
    minutes = int((now - here).total_seconds() // 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    return f"{_day(here, now)}, {here:%H:%M}"


def _day(here: datetime, now: datetime) -> str:
    days = (now.date() - here.date()).days
    if days in (0, 1):
        return ("today", "yesterday")[days]
    return f"{here.day} {here:%b}" + ("" if here.year == now.year else f" {here.year}")
