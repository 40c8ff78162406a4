"""The composer at the foot: question and files, tools, model, and Stop while a turn runs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from engine.commands import SelectTools, StopTurn, Upload
from engine.views.offer import Tool
from ui import session
from ui.shared import app, send
from ui.widgets.model_menu import model_menu
from ui.widgets.refused import refused_question

__all__ = ["composer"]

_KINDS = [
    "csv",
    "tsv",
    "parquet",
    "json",
    "jsonl",
    "ndjson",
    "xlsx",
    "xls",
    "txt",
    "md",
    "png",
    "jpg",
    "jpeg",
]


def composer(
    *,
    chat_id: str | None,
    running: bool,
    selection: Mapping[str, Sequence[str]],
    model: str,
    base_url: str | None,
    on_ask: Callable[[str, list[Upload]], None],
    placeholder: str,
) -> None:
    """Draw it in the page's bottom; `on_ask` gets the text and the files of a submitted question."""
    with st.bottom:
        refused_question(chat_id)
    with st.bottom, st.container(key="composer"):
        st.chat_input(
            placeholder,
            key="question",
            accept_file="multiple",
            file_type=_KINDS,
            on_submit=_submitted,
            args=(on_ask,),
        )
        with st.container(key="composer-row", horizontal=True, vertical_alignment="center"):
            _tools(chat_id, selection)
            model_menu(chat_id, model, base_url)
            if running and chat_id is not None:
                st.html("<span></span>", width="stretch")
                st.button(
                    "Stop",
                    icon=":material/stop_circle:",
                    key="stop",
                    shortcut="Esc",
                    on_click=_stop,
                    args=(chat_id,),
                )
            else:
                st.html(
                    '<div class="ab-hints"><kbd>Enter</kbd> send · <kbd>Shift Enter</kbd> new line · '
                    "<kbd>/</kbd> run a tool</div>",
                    width="stretch",
                )


def _submitted(on_ask: Callable[[str, list[Upload]], None]) -> None:
    value: Any = session.widget_value("question")
    if value is None:
        return
    uploads = [Upload(file.name, file.getvalue()) for file in value.files]
    on_ask(value.text, uploads)


def _stop(chat_id: str) -> None:
    send(StopTurn(chat_id))


def _tools(chat_id: str | None, selection: Mapping[str, Sequence[str]]) -> None:
    tools = app().tools()
    on = sum(t.available and t.name in selection.get(t.home, ()) for t in tools)
    with st.popover(
        f"{on}", icon=":material/build:", key="toolsets-popover-trigger", help="Tools of this chat"
    ):
        st.markdown(f"**Tools** · {on} of {len(tools)} on")
        homes: dict[str, list[Tool]] = {}
        for tool in tools:
            homes.setdefault(tool.home, []).append(tool)
        for home, own in homes.items():
            _toolset(chat_id, home, own, selection)


def _toolset(
    chat_id: str | None, home: str, tools: Sequence[Tool], selection: Mapping[str, Sequence[str]]
) -> None:
    ticked = [t.name for t in tools if t.name in selection.get(home, ())]
    st.caption(f"{tools[0].toolset_name} ({len(ticked)}/{len(tools)})")
    for tool in tools:
        key = f"tool-checkbox-{home}-{tool.name}-{chat_id or 'new'}"
        asks = " :violet[· asks first]" if tool.requires_confirmation else ""
        st.checkbox(
            f"{tool.title}{asks}" if tool.available else f"{tool.title} · {tool.reason}",
            value=tool.name in ticked,
            key=key,
            disabled=not tool.available,
            help=tool.description,
            on_change=_tick,
            args=(chat_id, home, tool.name, key, dict(selection)),
        )


def _tick(
    chat_id: str | None, home: str, name: str, key: str, selection: Mapping[str, Sequence[str]]
) -> None:
    chosen = {h: list(names) for h, names in selection.items()}
    own = [n for n in chosen.get(home, []) if n != name]
    chosen[home] = [*own, name] if session.widget_value(key) else own
    if chat_id is None:
        session.remember("new-selection", chosen)
    else:
        send(SelectTools(chat_id, chosen))
