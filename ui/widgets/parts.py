"""Parts of the page that rerun separately. An unexpected error is shown in its part; the rest of the page stays."""

from collections.abc import Callable
from functools import wraps
from typing import Literal, ParamSpec

import streamlit as st

from ui import acts
from ui.widgets.failure import unexpected

__all__ = ["dialog", "fragment"]

_P = ParamSpec("_P")


def fragment(draw: Callable[_P, None], *, run_every: float | None = None) -> Callable[_P, None]:
    """A part of a page that reruns when something in it is used, and at an interval in seconds."""
    return st.fragment(_guarded(draw), run_every=run_every)  # noqa: TID251 - the one place


def dialog(
    title: str,
    *,
    width: Literal["small", "medium", "large"] = "small",
    on_dismiss: Callable[[], None] | Literal["ignore"] = "ignore",
) -> Callable[[Callable[_P, None]], Callable[_P, None]]:
    """A dialog, opened by calling its drawing function."""

    def opens(draw: Callable[_P, None]) -> Callable[_P, None]:
        return st.dialog(title, width=width, on_dismiss=on_dismiss)(_guarded(draw))  # noqa: TID251

    return opens


def _guarded(draw: Callable[_P, None]) -> Callable[_P, None]:
    @wraps(draw)
    def drawn(*args: _P.args, **kwargs: _P.kwargs) -> None:
        with unexpected("This part of the page"), acts.drawing():
            draw(*args, **kwargs)

    return drawn
