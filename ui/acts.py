"""Makes an action happen only once, even if the browser requests it again.

The browser keeps a field's value until it has drawn the page without that field. A request that it sends in the
meantime still contains the value. Streamlit has forgotten the field by then, takes the value for a change, and calls
the field's callback again. A second click on a button that the browser still shows has the same effect.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final, ParamSpec

from ui import session

__all__ = ["begin_drawing", "drawing", "end_drawing", "is_done", "note", "once", "once_for"]

_P = ParamSpec("_P")
_DONE, _DRAWN = "acts-done", "acts-drawn"
_CLICK: Final = object()


@dataclass(frozen=True, slots=True)
class _Act:
    value: Any
    """The value of the control; `_CLICK` for a button."""
    gone: bool = False
    """Whether the page has been drawn without the control since the action was done."""


def once(name: str, act: Callable[_P, None]) -> Callable[_P, None]:
    """Return a button's callback. After a click it ignores further clicks until the button has been drawn again.

    Buttons of the same name, such as Approve and Deny, are alternatives: only the first click counts.
    """
    return _once(name, act, lambda: _CLICK)


def once_for(name: str, act: Callable[_P, None], held: Callable[[], Any] | None = None) -> Callable[_P, None]:
    """Return a field's callback. It acts on each value once, until the field disappears from the page and is drawn
    again.

    Args:
        name: the field's key; with `held`, any name.
        act: called if the value is new.
        held: returns the current value; by default, this is the value of the field `name`.
    """
    return _once(name, act, held or (lambda: session.widget_value(name)))


def is_done(name: str, value: Any = None) -> bool:
    """Whether the action `name` was last done with this value."""
    known = _done().get(name)
    return known is not None and bool(known.value == value)


def note(name: str, value: Any = None) -> None:
    """Remember that the action was done, so that `is_done` returns True."""
    session.remember(_DONE, {**_done(), name: _Act(value)})


def begin_drawing() -> None:
    """Record that drawing the whole page has begun."""
    session.remember(_DRAWN, [])


def end_drawing() -> None:
    """Record that the whole page is drawn: its buttons can be clicked again; fields that were not drawn are gone."""
    drawn = set(session.remembered(_DRAWN, ()))
    done = {name: act for name, act in _done().items() if not (name in drawn and _is_new(act))}
    session.remember(
        _DONE, {name: act if name in drawn else replace(act, gone=True) for name, act in done.items()}
    )


@contextmanager
def drawing() -> Iterator[None]:
    """Mark the drawing of a part of the page. Once the whole part is drawn, each of its buttons accepts one click
    again.
    """
    before = len(session.remembered(_DRAWN, ()))
    yield
    drawn = set(session.remembered(_DRAWN, ())[before:])
    session.remember(
        _DONE, {name: act for name, act in _done().items() if not (name in drawn and _is_new(act))}
    )


def _is_new(act: _Act) -> bool:
    """Whether a control that is drawn again may do its action again."""
    return act.gone or act.value is _CLICK


def _done() -> dict[str, _Act]:
    known: dict[str, _Act] = session.remembered(_DONE, {})
    return known


def _once(name: str, act: Callable[_P, None], value: Callable[[], Any]) -> Callable[_P, None]:
    session.remembered(_DRAWN, []).append(name)

    @wraps(act)
    def acts(*args: _P.args, **kwargs: _P.kwargs) -> None:
        given = value()
        if is_done(name, given):
            return
        note(name, given)
        act(*args, **kwargs)

    return acts
