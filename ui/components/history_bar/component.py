"""The events of a chat as a timeline with play and step: a tick for each event in four lanes, and each turn shaded."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.views.event_descriptions import LANES, lane_of
from events.event_summaries import EventSummary
from ui import session
from ui.components.assets import component

__all__ = ["Mark", "Span", "history_bar", "packed"]

_mount = component("history_bar")


@dataclass(frozen=True, slots=True)
class Span:
    """The events of a turn, from the first to the last, counted from 0."""

    first: int
    last: int
    title: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A named moment, with the index of its event."""

    index: int
    name: str


def packed(ticks: Sequence[EventSummary]) -> dict[str, Any]:
    """Return the events for the browser in a compact form: positions and times as differences from the previous event,
    types as numbers.
    """
    names = sorted({tick.type for tick in ticks})
    number = {name: place for place, name in enumerate(names)}
    positions = [tick.position for tick in ticks]
    times = [round(tick.occurred_at.timestamp() * 1000) for tick in ticks]
    return {
        "positions": [after - before for before, after in zip([0, *positions], positions, strict=False)],
        "times": [after - before for before, after in zip([0, *times], times, strict=False)],
        "types": [number[tick.type] for tick in ticks],
        "names": names,
        "lanes": [LANES.index(lane_of(name)) for name in names],
    }


def history_bar(
    ticks: Sequence[EventSummary],
    spans: Sequence[Span],
    at: int,
    *,
    key: str,
    on_move: Callable[[int], None],
    named: Sequence[Mark] = (),
) -> None:
    """Draw the history bar at position `at`; `on_move` gets the position to go to."""
    _mount(
        key=key,
        data={
            **packed(ticks),
            "turns": [asdict(span) for span in spans],
            "named": [asdict(one) for one in named],
            "at": at,
        },
        on_moved_change=lambda: on_move(int(session.widget_value(key).moved or at)),
    )
