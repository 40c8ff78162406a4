"""The toolset manager: installed toolsets with their settings; install, export, versions, uninstall."""

from collections.abc import Container, Sequence
from functools import partial
from typing import Any

import streamlit as st

from engine.commands.catalog import (
    DisableTool,
    DisableToolset,
    EnableTool,
    EnableToolset,
    RestoreToolset,
    UninstallToolset,
)
from engine.views.model_info import BY_ADMINISTRATOR
from ui import session
from ui.acts import once_for
from ui.current_app import REFUSED, app, is_demo, send
from ui.views.configure import configure
from ui.views.install import install_menu, review
from ui.views.servers import servers
from ui.widgets.failure import pending_failure
from ui.widgets.parts import dialog
from ui.widgets.show_as import show_tool_as
from ui.words import count, escape, label, local, unseen

__all__ = ["toolsets_page"]

_DIALOG = "toolset-dialog"
_DEMO = (
    "This is a public demo. Strangers share this machine, so nothing can be installed here, and tools that run code "
    "or need a key or the network are not available. On your own machine you can use all of them."
)
_BADGES = {True: ("ok", "Enabled"), False: ("off", "Not available")}


def toolsets_page() -> None:
    """Draw the list and the menu to install."""
    with st.container(key="toolsets"):
        with st.container(horizontal=True, vertical_alignment="center", key="toolsets-head"):
            st.title("Toolsets", width="stretch")
            if not is_demo():
                install_menu()
        st.html('<p class="ab-note">The tools available to models. For each chat you select from these.</p>')
        if is_demo():
            st.html(f'<p class="ab-note">{_DEMO}</p>')
        pending_failure()
        rows = app().installed()
        if not rows:
            st.html('<p class="ab-note">Nothing is installed. Install a toolset to give models tools.</p>')
        banned = {tool.tool_id for tool in app().tools() if tool.reason == BY_ADMINISTRATOR}
        for row in rows:
            _row(row, banned)
        servers()
        _dialog()


def _row(row: dict[str, Any], banned: Container[str]) -> None:
    """Draw a toolset. The tools in `banned` cannot be switched on: the administrator of this machine disabled them."""
    toolset_id = row["id"]
    with st.container(key=f"toolset-row-{toolset_id}"):
        with st.container(horizontal=True, vertical_alignment="center", key=f"toolset-line-{toolset_id}"):
            st.html(_head(row), width="stretch")
            if row["reason"] in ("API key not configured", "Configure in Toolsets settings"):
                st.button(
                    "Add key" if "key" in row["reason"] else "Configure",
                    key=f"fix-{toolset_id}",
                    on_click=_open,
                    args=("configure", toolset_id, row["name"]),
                )
            if row["changed_files"] and not is_demo():
                st.button(
                    "Restore",
                    key=f"restore-{toolset_id}",
                    on_click=_restore,
                    args=(toolset_id, row["name"]),
                )
            if row["note"] and row["follows"] and not is_demo():
                st.button("Review", key=f"review-{toolset_id}", on_click=review, args=(row["follows"],))
            if row["reason"] == BY_ADMINISTRATOR:
                _locked(row["name"], f"enabled-{toolset_id}")
            else:
                st.toggle(
                    f"{label(row['name'])} on or off, in every chat",
                    bool(row["enabled"]),
                    key=f"enabled-{toolset_id}",
                    label_visibility="collapsed",
                    on_change=once_for(f"enabled-{toolset_id}", _switch),
                    args=(toolset_id,),
                )
            _more(row)
        with st.expander(_tools_label(row), type="compact", key=f"tools-of-{toolset_id}"):
            for tool in row["tools"]:
                _tool(tool, tool["tool_id"] in banned)


def _head(row: dict[str, Any]) -> str:
    kind, word = _BADGES[bool(row["available"])]
    return (
        f'<div class="ab-setting"><b>{escape(row["name"])} <small>{escape(row["version"])}</small> '
        f'<span class="ab-badge {kind}">{escape(row["reason"] or word)}</span></b>'
        f"<span>{escape(row['description'] or '')}</span>{_origin(row)}</div>"
    )


def _origin(row: dict[str, Any]) -> str:
    """Return the live folder, the changes that wait for the user's agreement, and the changed files, as HTML."""
    follows = (
        f"<span>Follows the folder <code>{escape(row['follows'])}</code></span>" if row["follows"] else ""
    )
    note = f"<span>{escape(row['note'])}</span>" if row["note"] else ""
    return follows + note + _changed(row["changed_files"])


def _changed(paths: Sequence[str]) -> str:
    """Return the stored files that have changed since installation, as HTML."""
    if not paths:
        return ""
    more = f" and {len(paths) - 3:,} more" if len(paths) > 3 else ""
    return (
        f"<span>Changed since installation: {escape(', '.join(paths[:3]))}{more}. "
        "Its tools do not run until you restore these files.</span>"
    )


def _tools_label(row: dict[str, Any]) -> str:
    asks = sum(tool["requires_confirmation"] for tool in row["tools"])
    parts = [count(len(row["tools"]), "tool")]
    if asks:
        parts.append(f"{asks} asks first" if asks == 1 else f"{asks} ask first")
    permissions = (row["manifest"] or {}).get("permissions", {})
    if row["tools"]:
        parts.append("network" if permissions.get("network") else "no network")
    servers = (row["manifest"] or {}).get("mcp_servers") or ()
    if servers:
        parts.append(count(len(servers), "MCP server"))
    return " · ".join(parts)


def _locked(name: str, key: str) -> None:
    """Draw a disabled switch that is off."""
    st.toggle(
        f"{label(name)}: {BY_ADMINISTRATOR.lower()}",
        False,
        key=f"{key}-locked",
        label_visibility="collapsed",
        disabled=True,
    )


def _tool(tool: dict[str, Any], banned: bool) -> None:
    key = tool["tool_id"].replace(":", "-")
    off = f'<span class="ab-badge off">{BY_ADMINISTRATOR}</span>' if banned else ""
    asks = '<span class="ab-badge ask">asks first</span>' if tool["requires_confirmation"] else ""
    with st.container(horizontal=True, vertical_alignment="center", key=f"manage-{key}"):
        st.html(
            f'<div class="ab-setting"><b><code>{escape(tool["tool_name"])}</code> {asks} {off}</b>'
            f"<span>{escape(tool['description'])}</span></div>",
            width="stretch",
        )
        show_tool_as(tool["tool_id"])
        if banned:
            _locked(tool["name"], f"tool-on-{key}")
            return
        st.toggle(
            f"{label(tool['name'])} on or off, in every chat",
            bool(tool["enabled"]),
            key=f"tool-on-{key}",
            label_visibility="collapsed",
            on_change=once_for(f"tool-on-{key}", _switch_tool),
            args=(tool["tool_id"], f"tool-on-{key}"),
        )


def _more(row: dict[str, Any]) -> None:
    toolset_id, name = row["id"], row["name"]
    times = session.remembered(f"more-{toolset_id}", 0)
    with st.popover(
        unseen("More"),
        icon=":material/more_horiz:",
        key=f"more-{toolset_id}-{times}",
        type="tertiary",
        help="More",
    ):
        if (row["manifest"] or {}).get("config") and not is_demo():
            _entry("Configure", ":material/key:", "configure", toolset_id, name)
        _entry("Versions", ":material/history:", "versions", toolset_id, name)
        st.download_button(
            "Export",
            partial(app().toolsets.export, toolset_id),
            f"{toolset_id}-{row['version']}.zip",
            icon=":material/download:",
            key=f"export-{toolset_id}",
            on_click="ignore",
        )
        if not is_demo():
            _entry("Uninstall", ":material/delete:", "uninstall", toolset_id, name)


def _entry(label: str, icon: str, what: str, toolset_id: str, name: str) -> None:
    st.button(label, icon=icon, key=f"{what}-{toolset_id}", on_click=_open, args=(what, toolset_id, name))


def _open(what: str, toolset_id: str, name: str) -> None:
    """Open a dialog, and close the menu from which it was opened."""
    session.remember(_DIALOG, (what, toolset_id, name))
    session.remember(f"more-{toolset_id}", session.remembered(f"more-{toolset_id}", 0) + 1)


def _dialog() -> None:
    asked = session.once(_DIALOG)
    if asked is not None:
        what, toolset_id, name = asked
        {"configure": configure, "versions": _versions, "uninstall": _uninstall}[what](toolset_id, name)


@dialog("Versions", width="medium")
def _versions(toolset_id: str, name: str) -> None:
    """Show every version that was ever installed; they all stay in the log."""
    st.html(
        f"<p>{escape(name)}: every version that was installed. "
        "Recorded results still refer to the version that made them.</p>"
    )
    lines = "".join(
        f"<tr><td>{escape(version.version)}</td><td><code>{escape(version.content_hash[:8])}</code></td>"
        f"<td>{local(version.installed_at, st.context.timezone_offset):%Y-%m-%d %H:%M}</td>"
        f"<td>{escape(version.source_ref)}</td></tr>"
        for version in app().toolset_versions(toolset_id)
    )
    st.html(
        '<table class="ab-schema"><thead><tr><th>Version</th><th>Content hash</th><th>Installed</th><th>From</th></tr>'
        f"</thead><tbody>{lines}</tbody></table>"
    )


@dialog("Uninstall this toolset?", width="small")
def _uninstall(toolset_id: str, name: str) -> None:
    st.html(
        f"<p>{escape(name)} will be removed from all chats and its keys deleted. Results in old chats stay "
        "visible.</p>"
    )
    if st.button("Uninstall", key="really-uninstall", type="primary"):
        if send(UninstallToolset(toolset_id)) is not REFUSED:
            session.flash(f"{name} is uninstalled. Its results stay visible.")
        st.rerun()


def _restore(toolset_id: str, name: str) -> None:
    if send(RestoreToolset(toolset_id)) is not REFUSED:
        session.flash(f"{name} was restored to its installed state.")


def _switch(toolset_id: str) -> None:
    on = session.widget_value(f"enabled-{toolset_id}")
    send(EnableToolset(toolset_id) if on else DisableToolset(toolset_id))


def _switch_tool(tool_id: str, key: str) -> None:
    send(EnableTool(tool_id) if session.widget_value(key) else DisableTool(tool_id))
