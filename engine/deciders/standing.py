"""The pinned answers of a chat, and the decisions about them. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import field

from engine.errors import NotFound, Refused
from events.catalog.standing import (
    AnswerPinned,
    AnswerUnpinned,
    Direction,
    DirectionChosen,
    PinnedValue,
    StandingQuestionChecked,
    StandingQuestionCheckStarted,
    StandingQuestionSeen,
    StandingVerdict,
    Trigger,
    TriggerChosen,
)
from events.event import Event
from events.late_dataclass import dataclass

__all__ = [
    "MOST",
    "Pin",
    "checked",
    "choose_direction",
    "choose_trigger",
    "mark_seen",
    "pin_answer",
    "pinned_answers",
    "start_check",
    "unpin_answer",
    "verdict_of",
]

MOST = 50
"""The maximum number of pinned answers in a chat."""
_TRIES = 2
"""The number of interrupted checks of the same files after which no check starts automatically."""


@dataclass(slots=True)
class Pin:
    """One pinned answer."""

    pinned: AnswerPinned
    trigger: Trigger
    good: Direction | None = None
    value: PinnedValue | None = None
    """The last value that could be read."""
    files: Mapping[str, str] | None = None
    """Path → SHA-256 of each file that the last check used; before the first check, of each file that the answer used.
    """
    last: StandingQuestionChecked | None = None
    seen: str | None = None
    """The check whose value the user saw last."""
    tried: Mapping[str, str] = field(default_factory=dict)
    """Path → SHA-256 of the files of the check that was started last, even if it was interrupted."""
    cut_off: int = 0
    """The number of checks that used the files in `tried` and began but did not end."""

    def is_due(self, present: Mapping[str, str | None]) -> bool:
        """Return whether an automatic check is due, given the `present` files. A check that crashes the app is not
        repeated forever: after two interrupted checks, only the user or another file change starts a check.
        """
        if self.trigger != "when a file changes":
            return False
        now = {path: present.get(path) for path in self.pinned.files}
        given_up = self.cut_off >= _TRIES and dict(self.tried) == {p: h for p, h in now.items() if h}
        return not given_up and any(self.files is None or self.files.get(p) != h for p, h in now.items())


def pinned_answers(events: Iterable[Event]) -> dict[str, Pin]:
    """Return the pinned answers of a chat by id, from its events."""
    found: dict[str, Pin] = {}
    for event in events:
        match event:
            case AnswerPinned():
                found[event.pin_id] = Pin(event, event.trigger, value=event.value, files=event.files)
            case AnswerUnpinned():
                found.pop(event.pin_id, None)
            case TriggerChosen() if event.pin_id in found:
                found[event.pin_id].trigger = event.trigger
            case DirectionChosen() if event.pin_id in found:
                found[event.pin_id].good = event.good
            case StandingQuestionCheckStarted() if event.pin_id in found:
                pin = found[event.pin_id]
                pin.cut_off = pin.cut_off + 1 if pin.tried == event.files else 1
                pin.tried = event.files
            case StandingQuestionChecked() if event.pin_id in found:
                pin = found[event.pin_id]
                pin.cut_off = 0
                pin.last, pin.files = event, event.files
                pin.value = event.after or pin.value
            case StandingQuestionSeen() if event.pin_id in found:
                found[event.pin_id].seen = event.check_id
            case _:
                pass
    return found


def pin_answer(pins: Mapping[str, Pin], pinned: AnswerPinned) -> list[AnswerPinned]:
    """Pin an answer.

    Raises:
        Refused: the answer is already pinned, or too many answers of the chat are pinned.
    """
    if any(pin.pinned.message_id == pinned.message_id for pin in pins.values()):
        raise Refused(
            "already_pinned", "This answer is already pinned. It is listed under Standing questions."
        )
    if len(pins) >= MOST:
        raise Refused(
            "too_many_pins",
            f"This chat already has {MOST} pinned answers, which is the maximum. Unpin one first.",
        )
    return [pinned]


def unpin_answer(pins: Mapping[str, Pin], pin_id: str) -> list[AnswerUnpinned]:
    """Remove an answer from the page of standing questions."""
    _pinned(pins, pin_id)
    return [AnswerUnpinned(pin_id=pin_id)]


def choose_trigger(pins: Mapping[str, Pin], pin_id: str, trigger: Trigger) -> list[TriggerChosen]:
    """Choose when a question is checked; no event if the choice is unchanged."""
    same = _pinned(pins, pin_id).trigger == trigger
    return [] if same else [TriggerChosen(pin_id=pin_id, trigger=trigger)]


def choose_direction(pins: Mapping[str, Pin], pin_id: str, good: Direction | None) -> list[DirectionChosen]:
    """Set whether a rise or a fall is good; no event if the choice is unchanged."""
    return [] if _pinned(pins, pin_id).good == good else [DirectionChosen(pin_id=pin_id, good=good)]


def mark_seen(pins: Mapping[str, Pin], pin_id: str) -> list[StandingQuestionSeen]:
    """Record that the user saw the result of the last check; no event if this is already recorded."""
    pin = _pinned(pins, pin_id)
    if pin.last is None or pin.seen == pin.last.check_id:
        return []
    return [StandingQuestionSeen(pin_id=pin_id, check_id=pin.last.check_id)]


def start_check(
    pins: Mapping[str, Pin], started: StandingQuestionCheckStarted
) -> list[StandingQuestionCheckStarted]:
    """Begin a check."""
    _pinned(pins, started.pin_id)
    return [started]


def checked(pins: Mapping[str, Pin], result: StandingQuestionChecked) -> list[StandingQuestionChecked]:
    """Record a check's result; no event if the answer was unpinned in the meantime."""
    return [result] if result.pin_id in pins else []


def verdict_of(before: PinnedValue | None, after: PinnedValue | None, moved: int) -> StandingVerdict:
    """Return the verdict on a question's values before and after a check. `moved` is the number of changed results.

    If the question has no value to compare (`before` is None), the number of changed results decides. If the value is a
    word that has changed, or if the value has disappeared, the answer's sentence no longer follows.
    """
    if before is None:
        return "moved" if moved else "same"
    if after is None:
        return "no longer follows"
    if before.text == after.text or _alike(before, after):
        return "same"
    return "no longer follows" if before.number is None else "moved"


def _alike(before: PinnedValue, after: PinnedValue) -> bool:
    """Return whether two numbers are equal when rounded to the decimals that the answer shows."""
    if before.number is None or after.number is None:
        return False
    old, new = (round(one * before.scale, before.decimals) for one in (before.number, after.number))
    return old == new


def _pinned(pins: Mapping[str, Pin], pin_id: str) -> Pin:
    if pin_id not in pins:
        raise NotFound("pin_not_found", f"This chat has no pinned answer {pin_id[:80]}.")
    return pins[pin_id]
