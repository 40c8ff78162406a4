"""Standing questions for the page, the command line and the API: their values, changes and checks. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeAlias

from engine.numbers.judged_sentence import JudgedSentence
from engine.views.chat import ChatView
from events.catalog.standing import PinnedValue
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = [
    "GROUPS",
    "Attention",
    "Group",
    "Standing",
    "StandingQuestion",
    "attention",
    "questions_of",
    "standing_of",
]

Group: TypeAlias = Literal["needs you", "moved", "same"]
GROUPS: tuple[Group, ...] = ("needs you", "moved", "same")
"""The groups, in the order of urgency."""
_SHOWN = 12
"""The number of values in the small line chart."""
_MOVED = ("moved", "no longer follows")


@dataclass(frozen=True, slots=True)
class Standing:
    """The facts in the log about one pinned answer."""

    pin_id: str
    chat_id: str
    message_id: str
    trigger: str
    good: str | None
    files: tuple[str, ...]
    value: PinnedValue | None
    """The last value that could be read."""
    baseline: PinnedValue | None
    """The value when the user last saw it, or when the answer was pinned."""
    since: datetime
    """The time of `baseline`."""
    group: Group
    verdict: str
    """The verdict of the last check, or `not checked` or `interrupted`; `moved` stays until the user has seen it."""
    last_verdict: str | None
    """The verdict of the last check; None if there was no check, or if a later check was interrupted."""
    why: str
    fix: str
    path: str | None
    checked_at: datetime | None
    good_at: datetime
    """When the last value was read."""
    calls: int
    moved: int
    """The number of results that changed in the check that gave `verdict`."""
    leaf: str | None
    """The last message of the branch on which the value last moved."""
    numbers: tuple[float, ...]
    """The latest values in order: the pinned value and the values that checks found."""
    texts: tuple[str, ...]
    """The same values as they are displayed."""


@dataclass(frozen=True, slots=True)
class StandingQuestion:
    """A pinned answer with its question."""

    of: Standing
    question: str
    title: str
    """The title of the chat."""
    running: bool = False
    sentences: tuple[JudgedSentence, ...] = ()
    """The sentences of the answer that can be judged by the results of the branch on which the value last moved."""

    @property
    def broken(self) -> tuple[str, ...]:
        """The sentences that no longer follow from the results."""
        return tuple(one.text.strip("*_ ") for one in self.sentences if not one.follows)

    @property
    def change(self) -> float | None:
        """The change of the displayed number since the user last saw it; None if the value is not a number."""
        before, now = self.of.baseline, self.of.value
        if before is None or now is None or before.number is None or now.number is None:
            return None
        return (now.number - before.number) * now.scale

    def to_json(self) -> JSONObject:
        """Return the question as JSON for the command line and the API."""
        one = self.of
        sentences: list[JSON] = [{"text": said.text, "follows": said.follows} for said in self.sentences]
        return {
            "pin_id": one.pin_id,
            "chat_id": one.chat_id,
            "message_id": one.message_id,
            "question": self.question,
            "chat": self.title,
            "trigger": one.trigger,
            "files": list(one.files),
            "good": one.good,
            "group": one.group,
            "verdict": one.verdict,
            "last_verdict": one.last_verdict,
            "running": self.running,
            "value": one.value.text if one.value is not None else None,
            "number": one.value.number if one.value is not None else None,
            "before": one.baseline.text if one.baseline is not None else None,
            "change": self.change,
            "since": one.since.isoformat(),
            "checked_at": one.checked_at.isoformat() if one.checked_at is not None else None,
            "calls": one.calls,
            "moved": one.moved,
            "why": one.why,
            "fix": one.fix or None,
            "path": one.path,
            "branch_leaf": one.leaf,
            "history": list(one.texts),
            "sentences": sentences,
        }


@dataclass(frozen=True, slots=True)
class Attention:
    """The number of questions that the user should look at, by group."""

    moved: int
    needs_you: int


def standing_of(
    pins: Iterable[Mapping[str, Any]], checks: Iterable[Mapping[str, Any]], running: Collection[str] = ()
) -> list[Standing]:
    """Return the pinned answers from rows of `standing_questions` and `standing_checks`, in the order of the log."""
    by_pin: dict[str, list[Mapping[str, Any]]] = {}
    for check in checks:
        by_pin.setdefault(check["pin_id"], []).append(check)
    return [_standing(pin, by_pin.get(pin["pin_id"], []), pin["pin_id"] in running) for pin in pins]


def _standing(pin: Mapping[str, Any], checks: Sequence[Mapping[str, Any]], running: bool) -> Standing:
    pinned = _value(pin["value"])
    last = checks[-1] if checks else None
    seen = next((at for at, one in enumerate(checks) if one["check_id"] == pin["seen_check"]), None)
    unseen = checks if seen is None else checks[seen + 1 :]
    value, good_at = _read(pinned, checks, pin["pinned_at"])
    baseline, _ = _read(pinned, checks[: len(checks) - len(unseen)], pin["pinned_at"])
    moved = [one for one in unseen if one["verdict"] in _MOVED]
    back = baseline is not None and value is not None and baseline.text == value.text
    group, verdict = _verdict(pin, last, [] if back and not _gone(moved) else moved, running)
    read = [one for one in (pinned, *(_value(check["after"]) for check in checks)) if one is not None]
    shown = read[-_SHOWN:]
    return Standing(
        pin_id=pin["pin_id"],
        chat_id=pin["chat_id"],
        message_id=pin["message_id"],
        trigger=pin["trigger"],
        good=pin["good"],
        files=tuple(pin["files"] or ()),
        value=value,
        baseline=baseline,
        since=pin["seen_at"] if seen is not None else pin["pinned_at"],
        group=group,
        verdict=verdict,
        last_verdict=last["verdict"] if last is not None and verdict != "interrupted" else None,
        why=last["why"] or "" if last is not None else "",
        fix=last["fix"] or "" if last is not None and group == "needs you" else "",
        path=last["path"] if last is not None else None,
        checked_at=last["checked_at"] if last is not None else None,
        good_at=good_at,
        calls=last["calls"] or 0 if last is not None else 0,
        moved=(moved[-1] if group == "moved" else last or {}).get("moved") or 0,
        leaf=next((one["message_id"] for one in reversed(checks) if one["message_id"]), None),
        numbers=tuple(one.number * one.scale for one in shown if one.number is not None),
        texts=tuple(one.text for one in shown),
    )


def _gone(moved: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the answer had no value after the last change that the user has not seen."""
    return bool(moved) and moved[-1]["after"] is None


def _verdict(
    pin: Mapping[str, Any],
    last: Mapping[str, Any] | None,
    moved: Sequence[Mapping[str, Any]],
    running: bool,
) -> tuple[Group, str]:
    cut_off = pin["started_check"] is not None and (last is None or last["check_id"] != pin["started_check"])
    if cut_off and not running:
        return "needs you", "interrupted"
    if last is not None and last["verdict"] == "could not run":
        return "needs you", "could not run"
    if moved:
        return "moved", str(moved[-1]["verdict"])
    return "same", "same" if last is not None else "not checked"


def _read(
    pinned: PinnedValue | None, checks: Sequence[Mapping[str, Any]], at: datetime
) -> tuple[PinnedValue | None, datetime]:
    """Return the last value that was read, and when."""
    for check in reversed(checks):
        found = _value(check["after"])
        if found is not None:
            return found, check["checked_at"]
    return pinned, at


def _value(stored: Any) -> PinnedValue | None:
    return PinnedValue.model_validate(stored) if stored is not None else None


def attention(standing: Iterable[Standing]) -> Attention:
    """Count the questions that need the user's attention."""
    groups = [one.group for one in standing]
    return Attention(groups.count("moved"), groups.count("needs you"))


def questions_of(
    standing: Iterable[Standing], views: Mapping[str, ChatView], running: Collection[str] = ()
) -> list[StandingQuestion]:
    """Return the questions sorted by group, and in each group the most recently checked first. `views` has their
    chats.
    """
    found = [
        StandingQuestion(
            one,
            _question(views[one.chat_id], one.message_id),
            views[one.chat_id].title or "New chat",
            one.pin_id in running,
        )
        for one in standing
        if one.chat_id in views
    ]
    newest = sorted(found, key=lambda one: one.of.checked_at or one.of.since, reverse=True)
    return sorted(newest, key=lambda one: GROUPS.index(one.of.group))


def _question(view: ChatView, message_id: str) -> str:
    at: str | None = message_id
    while at is not None:
        message = view.messages[at]
        if message.role == "user":
            return message.text
        at = message.parent_id
    return "An answer without a question"
