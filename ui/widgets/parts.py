"""Parts of the page that rerun separately. An unexpected error is shown in its part; the rest of the page stays."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Literal, ParamSpec

import streamlit as st

from ui import acts, session
from ui.widgets.failure import unexpected

__all__ = ["dialog", "fragment"]

_P = ParamSpec("_P")


def fragment(draw: Callable[_P, None], *, run_every: float | None = None) -> Callable[_P, None]:
    """Make a part of a page that reruns separately: when a control in it is used, and every `run_every` seconds."""
    return st.fragment(_guarded(draw), run_every=run_every)  # noqa: TID251 - allowed only here


def dialog(
    title: str,
    *,
    width: Literal["small", "medium", "large"] = "small",
    on_dismiss: Callable[[], None] | Literal["ignore"] = "ignore",
) -> Callable[[Callable[_P, None]], Callable[_P, None]]:
    """Make a dialog, opened by calling its drawing function. After `on_dismiss`, the whole page is drawn."""

    def opens(draw: Callable[_P, None]) -> Callable[_P, None]:
        then = on_dismiss if on_dismiss == "ignore" else partial(_closed, on_dismiss)
        return st.dialog(title, width=width, on_dismiss=then)(_guarded(draw))  # noqa: TID251

    return opens


def _closed(on_dismiss: Callable[[], None]) -> None:
    """Call `on_dismiss` for a dialog that the reader has closed, and draw the whole page.

    By itself, Streamlit draws only the part of the page that opened the dialog. A run that began before the reader
    closed it may just have drawn the dialog again, and only a run of the whole page removes it.
    """
    on_dismiss()
    session.want_whole_page()


def _guarded(draw: Callable[_P, None]) -> Callable[_P, None]:
    @wraps(draw)
    def drawn(*args: _P.args, **kwargs: _P.kwargs) -> None:
        if session.whole_page_wanted():
            st.rerun()
        with unexpected("This part of the page"), acts.drawing():
            draw(*args, **kwargs)

    return drawn
