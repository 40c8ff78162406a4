"""The toolsets: what is installed, on or off; install with the capability sheet; export; take away."""

from typing import Any

import streamlit as st

from engine.commands import DisableToolset, EnableToolset, InstallToolset, UninstallToolset
from engine.errors import AnabranchError, Invalid
from ui import session
from ui.shared import app, send
from ui.widgets.failure import failure, pending_failure
from ui.words import count, escape

__all__ = ["toolsets_page"]


def toolsets_page() -> None:
    """Draw the list and the form to install."""
    st.title("Toolsets")
    pending_failure()
    message = session.take_flash()
    if message:
        st.toast(message)
    for row in app().installed():
        _row(row)
    _install()


def _row(row: dict[str, Any]) -> None:
    toolset_id = row["id"]
    asks = sum(tool["requires_confirmation"] for tool in row["tools"])
    told = count(len(row["tools"]), "tool") + (f" · {asks} asks first" if asks else "")
    with st.container(key=f"toolset-row-{toolset_id}", border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(
                f'<div class="ab-cardtitle"><b>{escape(row["name"])}</b><span>{escape(row["version"])}</span>'
                f"<span>{escape(row['reason'] or told)}</span></div>",
                width="stretch",
            )
            st.toggle(
                "On",
                bool(row["enabled"]),
                key=f"enabled-{toolset_id}",
                label_visibility="collapsed",
                help="On or off, in every chat",
                on_change=_switch,
                args=(toolset_id,),
            )
            with st.popover(
                "", icon=":material/more_horiz:", key=f"more-{toolset_id}", type="tertiary", help="More"
            ):
                st.download_button(
                    "Export",
                    lambda: app().toolsets.export(toolset_id),
                    f"{toolset_id}.zip",
                    icon=":material/download:",
                    key=f"export-{toolset_id}",
                    on_click="ignore",
                )
                st.button(
                    "Uninstall",
                    icon=":material/delete:",
                    key=f"uninstall-{toolset_id}",
                    on_click=_uninstall,
                    args=(toolset_id,),
                )
        st.html(f'<p class="ab-note">{escape(row["description"] or "")}</p>')
        listed = "".join(
            f'<span class="ab-chip" title="{escape(tool["description"])}">{escape(tool["tool_name"])}</span>'
            for tool in row["tools"]
        )
        st.html(f'<div class="ab-chips" style="justify-content:flex-start">{listed}</div>')


def _install() -> None:
    st.subheader("Install a toolset")
    given = st.file_uploader(
        "A bundle: a ZIP with toolset.yaml", type="zip", key=f"bundle-{session.remembered('bundle', 0)}"
    )
    if given is None:
        return
    content = given.getvalue()
    try:
        preview = app().preview_toolset(content, given.name)
    except Invalid as error:
        failure(error.message, details="\n".join(map(str, error.problems)))
        return
    except AnabranchError as error:
        failure(error.message)
        return
    if preview.outcome == "unchanged":
        st.info(f"{preview.sheet.name} {preview.sheet.version} is installed already, with this very content.")
        return
    st.code(preview.sheet.as_text(), language="text", wrap_lines=True)
    label = "Upgrade" if preview.outcome == "upgraded" else "Install and enable"
    st.button(
        label,
        type="primary",
        key="install",
        on_click=_agree,
        args=(content, given.name, preview.content_hash),
    )


def _agree(content: bytes, name: str, content_hash: str) -> None:
    done = send(InstallToolset(content, "sheet", source_ref=name, agreed_hash=content_hash))
    if done is not None:
        session.flash(f"{done.toolset_id} {done.version} {done.outcome}.")
        session.remember("bundle", session.remembered("bundle", 0) + 1)


def _switch(toolset_id: str) -> None:
    on = session.widget_value(f"enabled-{toolset_id}")
    send(EnableToolset(toolset_id) if on else DisableToolset(toolset_id))


def _uninstall(toolset_id: str) -> None:
    send(UninstallToolset(toolset_id))
    session.flash(f"{toolset_id} is uninstalled. What it showed stays shown.")
