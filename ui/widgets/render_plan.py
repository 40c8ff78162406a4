"""A stored render plan on the page: one function for each renderer, and cards around them."""

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, Literal

import pandas as pd
import streamlit as st

from engine.rendering.plans import (
    ChartPlan,
    CodePlan,
    DocumentPlan,
    ErrorPlan,
    FileRef,
    ImagesPlan,
    JsonPlan,
    RenderPlan,
    TablePlan,
)
from engine.views.chat import CallView
from ui.components.carousel.component import Picture, carousel
from ui.widgets.failure import failure
from ui.widgets.files import SHOWN_ROWS, as_csv, first_rows, read_bytes
from ui.words import count, escape, prose

__all__ = ["render_plan"]

_ROW = 30
_PLAIN = re.compile(r"(?i)(year|(^|_)(id|code|zip|hour|week))(_|$)")
"""Columns whose numbers are names: they get no thousands separators."""
_MOST_ROWS = 10


def render_plan(chat_id: str, call: CallView, *, key: str) -> None:
    """Show what was decided to show for a call; never an exception."""
    plan = call.plan
    try:
        _show(chat_id, call, plan, key)
    except Exception as error:
        failure("This result cannot be shown.", f"{type(error).__name__}: {error}")
        st.json(call.result, expanded=1)


def _show(chat_id: str, call: CallView, plan: RenderPlan | None, key: str) -> None:
    match plan:
        case TablePlan():
            _table(chat_id, call, plan, key)
        case ChartPlan():
            _chart(call, plan, key)
        case CodePlan():
            content = _text(chat_id, plan.file, plan.content)
            _card(
                plan.title or _name(plan.file),
                "",
                key,
                lambda: st.code(content, language=plan.language, line_numbers=True),
            )
        case DocumentPlan():
            content = _text(chat_id, plan.file, plan.content)
            _card(plan.title or _name(plan.file), "", key, lambda: st.markdown(prose(content)))
        case ImagesPlan():
            _images(chat_id, call, plan, key)
        case ErrorPlan():
            _unresolved(call, plan)
        case JsonPlan():
            value = call.result if plan.source == "result" else plan.value
            _card(plan.title or "Result", plan.note or "", key, lambda: st.json(value, expanded=2))
        case _:
            note = "this release does not show pages yet" if plan is not None else ""
            _card("Result", note, key, lambda: st.json(call.result, expanded=2))


def _card(title: str, note: str, key: str, body: Callable[[], Any], foot: str = "") -> None:
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}"):
            st.html(_heading(title, note))
        with st.container(key=f"cardpad-{key}"):
            body()
        if foot:
            st.html(foot)


def _heading(title: str, note: str) -> str:
    return f'<div class="ab-cardtitle"><b>{escape(title)}</b><span>{escape(note)}</span></div>'


def _table(chat_id: str, call: CallView, plan: TablePlan, key: str) -> None:
    frame, rows = _rows_of(chat_id, plan)
    note = f"{count(rows, 'row')} · {count(len(frame.columns), 'column')}"
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            st.html(_heading(plan.title or "Result", note), width="stretch")
            face = _faces(["Data", "SQL"] if plan.sql else ["Data"], key)
            _downloads(chat_id, plan, key)
        with st.container(key=f"cardbody-{key}"):
            if face == "SQL" and plan.sql:
                st.code(plan.sql, language="sql", wrap_lines=True)
            else:
                _grid(frame, rows, key)
        st.html(_foot(call, plan.shown_to_model, rows))


def _faces(faces: list[str], key: str) -> str:
    if len(faces) == 1:
        return faces[0]
    chosen = st.segmented_control(
        "Face", faces, default=faces[0], required=True, key=f"face-{key}", label_visibility="collapsed"
    )
    return chosen or faces[0]


def _downloads(chat_id: str, plan: TablePlan, key: str) -> None:
    if plan.file is None:
        return
    stem = PurePosixPath(plan.file.path).stem
    file = plan.file
    with st.popover("", icon=":material/download:", key=f"downloads-{key}", help="Download", type="tertiary"):
        st.download_button(
            "CSV",
            lambda: as_csv(chat_id, file),
            f"{stem}.csv",
            "text/csv",
            key=f"csv-{key}",
            on_click="ignore",
            width="stretch",
        )
        st.download_button(
            "Parquet",
            lambda: read_bytes(chat_id, file),
            f"{stem}.parquet",
            "application/vnd.apache.parquet",
            key=f"parquet-{key}",
            on_click="ignore",
            width="stretch",
        )


def _grid(frame: pd.DataFrame, rows: int, key: str) -> None:
    if frame.empty:
        st.html('<p class="ab-note" style="padding:.6rem .75rem;margin:0">No rows.</p>')
        return
    height: int | Literal["content"] = "content" if len(frame) <= _MOST_ROWS else _ROW * (_MOST_ROWS + 1) + 8
    config = {
        name: st.column_config.NumberColumn(format="localized")
        for name in frame.columns
        if pd.api.types.is_numeric_dtype(frame[name]) and not _PLAIN.search(str(name))
    }
    st.dataframe(
        frame,
        hide_index=True,
        height=height,
        row_height=_ROW,
        column_config=config,
        key=f"grid-{key}",
        lazy=False,
    )
    if rows > len(frame):
        st.html(
            f'<p class="ab-note" style="padding:.3rem .75rem;margin:0">The first {SHOWN_ROWS:,} of '
            f"{rows:,} rows; the downloads hold all of them.</p>"
        )


def _rows_of(chat_id: str, plan: TablePlan) -> tuple[pd.DataFrame, int]:
    if plan.file is not None:
        return first_rows(chat_id, plan.file)
    rows = [list(row) for row in plan.rows or ()]
    return pd.DataFrame(rows, columns=list(plan.columns) if plan.columns else None), len(rows)


def _chart(call: CallView, plan: ChartPlan, key: str) -> None:
    spec: dict[str, Any] = dict(plan.spec) | {"background": "transparent"}
    if plan.title:
        spec.pop("title", None)
    given = spec.get("config")
    spec["config"] = {"axisX": {"labelAngle": 0, "labelOverlap": True}} | (
        given if isinstance(given, dict) else {}
    )
    if plan.data is not None:
        spec["data"] = {"values": list(plan.data)}
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            st.html(_heading(plan.title or "Chart", ""), width="stretch")
            face = _faces(["Chart", "SQL"] if plan.sql else ["Chart"], key)
        with st.container(key=f"cardpad-{key}"):
            if face == "SQL" and plan.sql:
                st.code(plan.sql, language="sql", wrap_lines=True)
            else:
                st.vega_lite_chart(
                    spec=spec, width="stretch", height=320, key=f"chart-{key}", alt=plan.title or "Chart"
                )
        st.html(_foot(call, None, None))


def _images(chat_id: str, call: CallView, plan: ImagesPlan, key: str) -> None:
    pictures = [
        Picture(
            name=_name(image.file),
            data=read_bytes(chat_id, image.file),
            media_type=image.file.media_type,
            caption=image.caption or plan.caption or "",
        )
        for image in plan.images
    ]
    _card(
        plan.title or "Images",
        count(len(pictures), "picture"),
        key,
        lambda: carousel(pictures, key=f"carousel-{key}"),
        _foot(call, None, None),
    )


def _unresolved(call: CallView, plan: ErrorPlan) -> None:
    keys = f"There are: {', '.join(plan.keys)}." if plan.keys else ""
    failure(
        f"The {plan.wanted} of this result cannot be shown.", f"{plan.message} {keys}", plan.expression or ""
    )
    st.json(call.result, expanded=1)


def _foot(call: CallView, shown_to_model: Any, rows: int | None) -> str:
    toolset, _, tool = call.tool_id.rpartition(":")
    version = f" {call.toolset_version}" if call.toolset_version else ""
    facts = [f"{escape(tool)} · {escape(toolset or 'built-in')}{escape(version)}"]
    if isinstance(shown_to_model, int) and rows is not None:
        facts.append(f"the model saw {shown_to_model:,} of {count(rows, 'row')}")
    if call.post_manifest_id:
        facts.append(f"files after <code>m·{escape(call.post_manifest_id[-8:])}</code>")
    return '<div class="ab-foot">' + "".join(f"<span>{fact}</span>" for fact in facts) + "</div>"


def _text(chat_id: str, file: FileRef | None, content: str | None) -> str:
    if content is not None:
        return content
    return read_bytes(chat_id, file).decode("utf-8", "replace") if file is not None else ""


def _name(file: FileRef | None) -> str:
    return PurePosixPath(file.path).name if file is not None else "Text"
