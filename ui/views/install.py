"""Installing a toolset: a ZIP, a folder or an address, the consent sheet, and the user's agreement."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from engine.commands.catalog import ConfigureToolset, InstallToolset
from engine.errors import AnabranchError, Invalid
from ui import session
from ui.acts import once
from ui.current_app import app, send
from ui.widgets.failure import failure
from ui.widgets.parts import dialog
from ui.words import count, escape, label, size

__all__ = ["install_menu", "review"]

_MENU = "install-menu"
_LOOKING = "looking-into"
_NEAR = "in-own-network"
_HELD = {
    "held": ("ok", "confined"),
    "not held": ("err", "not confined"),
    "elsewhere": ("run", "on another machine"),
}


def install_menu() -> None:
    """Draw the button at the top of the page, and its menu."""
    opened = session.remembered(_MENU, 0)
    with st.popover("Install", icon=":material/add:", key=f"install-menu-{opened}", type="primary"):
        given = st.file_uploader("A ZIP with toolset.yaml", type="zip", key=f"bundle-{opened}")
        if given is not None:
            st.button(
                "Preview",
                key="look-zip",
                on_click=once("look", _look),
                args=(given.getvalue(), Path(given.name).name),
            )
        place = st.text_input(
            "Or a folder on this machine, or an address",
            key=f"bundle-folder-{opened}",
            placeholder="/path/to/bundle or https://…",
        ).strip()
        if place.startswith(("https://", "http://")):
            st.button("Preview", key="look-url", on_click=once("look", _look_at), args=(place,))
        elif place:
            source = Path(os.path.expanduser(place))  # noqa: PTH111 - which never fails
            st.button("Preview", key="look-folder", on_click=once("look", _look), args=(source, None))
    near = session.once(_NEAR)
    if near is not None:
        dialog("Fetch from your own network?", width="small")(_near)(near)
    looking = session.once(_LOOKING)
    if looking is not None:
        _look_into(*looking)


def review(folder: str) -> None:
    """Open the install preview of the current content of a live folder."""
    _look(Path(folder), None)


def _look_at(url: str, own_network: bool = False) -> None:
    """Fetch the bundle at an address, and open its install preview. The user must first confirm an address in their
    own network.
    """
    try:
        content = app().fetch_bundle(url, own_network=own_network)
    except AnabranchError as error:
        if error.code == "fetch_own_network":
            session.remember(_NEAR, url)
        else:
            session.remember("failure", error.message)
        return
    _look(content, url)


def _look(source: Path | bytes, name: str | None) -> None:
    """Open the install preview, and close and empty the menu."""
    session.remember(_LOOKING, (source, name))
    session.remember(_MENU, session.remembered(_MENU, 0) + 1)


def _look_into(source: Path | bytes, name: str | None) -> None:
    """Open the dialog that describes the bundle, before any of it runs."""
    try:
        preview = app().preview_toolset(source, name)
    except AnabranchError as error:
        dialog("This bundle cannot be installed", width="medium")(_refused)(error)
        return
    named = f"{preview.sheet.name} {preview.sheet.version}"
    sheet = preview.sheet
    if preview.outcome == "unchanged":
        dialog("This version is already installed", width="small")(_nothing_new)(named)
        return
    verb = "Upgrade to" if sheet.upgrade else "Install"
    dialog(label(f"{verb} {named}?"), width="medium")(_sheet)(source, name, preview)


def _near(url: str) -> None:
    st.html(
        f"<p><code>{escape(url)}</code> is in your own network, not on the internet. Only fetch from there if you know "
        "the machine. You will see what the bundle contains before anything is installed.</p>"
    )
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Cancel", key="cancel-near"):
            st.rerun()
        if st.button("Fetch it", key="fetch-near", type="primary"):
            _look_at(url, own_network=True)
            st.rerun()


def _refused(error: AnabranchError) -> None:
    failure(error.message, details="\n".join(map(str, error.problems if isinstance(error, Invalid) else ())))
    _close()


def _nothing_new(named: str) -> None:
    st.html(f"<p>{escape(named)} is already installed with exactly this content.</p>")
    _close()


def _close() -> None:
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Close", key="close-sheet"):
            st.rerun()


def _sheet(source: Path | bytes, name: str | None, preview: Any) -> None:
    """Draw the effects that the bundle could have, and the controls to agree to them."""
    sheet = preview.sheet
    if sheet.another:
        st.error(label(sheet.another), icon=":material/warning:")
    st.html(
        f'<p class="ab-note">From <code>{escape(sheet.source)}</code>, {count(sheet.file_count, "file")}, '
        f"{size(sheet.total_bytes)}. Nothing in it has run yet.</p>"
        f'<table class="ab-sheet"><tbody>{"".join(_rows(sheet))}</tbody></table>'
    )
    servers = _servers(sheet)
    variables = _ticked(sheet.variables, "give", "Let the toolset use {}, which is set on this machine")
    kept = _ticked(sheet.keys_stored, "keep", "Let the toolset use the stored key {}")
    keys = _keys(sheet)
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Cancel", key="cancel-install"):
            st.rerun()
        action = "Upgrade" if preview.outcome == "upgraded" else "Install and enable"
        wanted = st.button(action, type="primary", key="install")
    command = InstallToolset(
        source,
        "sheet",
        source_ref=name,
        agreed_hash=preview.content_hash,
        servers=servers,
        keep_keys=kept,
        variables=variables,
        progress=_progress(),
    )
    if wanted and _agreed(command, keys):
        st.rerun()


def _ticked(names: Sequence[str], key: str, words: str) -> list[str]:
    """Draw a checkbox for each name; return the names that are ticked."""
    return [name for name in names if st.checkbox(words.format(f"`{name}`"), key=f"agree-{key}-{name}")]


def _servers(sheet: Any) -> list[str] | None:
    """Ask which MCP servers may start; return the ticked ones. None if there is nothing to ask."""
    if not sheet.servers:
        return None
    st.html('<p class="ab-note">Servers that you do not tick are installed but stay off.</p>')
    return [
        server.id
        for server in sheet.servers
        if st.checkbox(
            f"Start {label(server.id)} now and whenever Anabranch starts", key=f"agree-server-{server.id}"
        )
    ]


def _keys(sheet: Any) -> dict[str, str]:
    """Ask for the bundle's keys; fields that are left empty can be filled later."""
    given = {}
    for key in sheet.keys:
        need = "required" if key.required else "optional"
        given[key.name] = st.text_input(
            f"{key.name} ({need})",
            type="password" if key.secret else "default",
            placeholder="You can add it later",
            help=label(key.description) or None,
            autocomplete="off",
            key=f"install-key-{key.name}",
        ).strip()
    return {name: value for name, value in given.items() if value}


def _progress() -> Callable[[str], None]:
    told = st.empty()

    def tell(line: str) -> None:
        told.html(f'<p class="ab-note">{escape(line)}</p>')

    return tell


def _rows(sheet: Any) -> Iterator[str]:
    if sheet.follows:
        yield _line("Follows", escape(sheet.follows), '<span class="ab-badge run">live</span>')
    if sheet.upgrade is not None:
        yield from _changes(sheet.upgrade)
    for tool in sheet.tools:
        mark = f'<span class="ab-badge ask">{tool.asks_first}</span>' if tool.asks_first else ""
        added = sheet.upgrade is not None and tool.id in sheet.upgrade.tools_added
        yield _line(
            "+" if added else "Tool",
            f"<b>{escape(tool.id)}</b> {escape(tool.description)} · {escape(tool.effects)}",
            mark,
        )
    if sheet.skill:
        yield _line("Instructions", f"the model may read them; they are never run: {escape(sheet.skill)}", "")
    told = sheet.upgrade is not None and any(name == "network" for name, *_ in sheet.upgrade.permissions)
    if not told and (sheet.network or (sheet.tools and sheet.upgrade is None)):
        mark = '<span class="ab-badge run">permission</span>' if sheet.network else ""
        yield _line("Network", "yes, any address" if sheet.network else "none", mark)
    if sheet.confinement:
        held = "NOT" not in sheet.confinement
        mark = f'<span class="ab-badge {"ok" if held else "run"}">{"enforced" if held else "not enforced here"}</span>'
        yield _line("Files", escape(sheet.confinement), mark)
    for package in sheet.packages:
        yield _line("Package", f"<code>{escape(package)}</code>", "")
    for server in sheet.servers:
        given = f" with {escape(', '.join(server.environment))}" if server.environment else ""
        kind, word = _HELD[server.standing]
        mark = f'<span class="ab-badge {kind}">{word}</span>'
        what = f"{escape(server.id)}: <code>{escape(server.runs)}</code>{given}<br>{escape(server.held)}"
        yield _line("MCP server", what, mark)
    for key in sheet.keys:
        need = "required" if key.required else "optional"
        if key.required and key.unless:
            need += f" unless {' or '.join(key.unless)}"
        yield _line(
            "Key" if key.secret else "Setting",
            f"<code>{escape(key.name)}</code> {escape(key.description)}",
            need,
        )


def _changes(changes: Any) -> Iterator[str]:
    if changes.same_version:
        yield _line(
            "Note",
            "The content is different, but the version number is the same.",
            '<span class="ab-badge run">same version</span>',
        )
    for tool in changes.tools_removed:
        yield _line("−", f"<b>{escape(tool)}</b>", "removed")
    for change in changes.tools_changed:
        yield _line("±", f"<b>{escape(change.tool)}</b> {escape(', '.join(change.fields))}", "changed")
    for name, _, after in changes.permissions:
        mark = '<span class="ab-badge run">new permission</span>' if after else "no longer needed"
        yield _line("Permission", escape(name), mark)


def _line(what: str, told: str, mark: str) -> str:
    return f"<tr><th>{what}</th><td>{told}</td><td>{mark}</td></tr>"


def _agreed(command: InstallToolset, keys: dict[str, str]) -> bool:
    """Install, then store the keys; if the keys are refused, the toolset is installed without them.

    If the bundle has changed since the sheet was drawn, nothing is installed, and the sheet is shown again.
    """
    try:
        with st.spinner("Installing"):
            done = app().send(command)
    except Invalid as error:
        failure(error.message, details="\n".join(map(str, error.problems)))
        return False
    except AnabranchError as error:
        if error.code == "bundle_changed":
            _look(command.source, command.source_ref)
            session.flash(
                "This bundle has changed since the preview. Nothing was installed. This is its current content."
            )
            return True
        failure("This bundle could not be installed.", error.message)
        return False
    session.flash(f"{done.toolset_id} {done.version} {done.outcome}.")
    if keys:
        send(ConfigureToolset(done.toolset_id, keys))
    return True
