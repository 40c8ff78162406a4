"""The dialog that adds or changes a source."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from engine.commands.catalog import AddSource, ChangeSource, Command
from engine.errors import AnabranchError
from ui import session
from ui.acts import drawing, once
from ui.current_app import app, told
from ui.widgets.failure import failure
from ui.widgets.parts import dialog

__all__ = ["open_form", "source_form"]

_OPEN, _PROBLEM, _REVISION, _TESTING = (
    "source-form",
    "source-form-problem",
    "source-form-revision",
    "source-testing",
)
_DIALECTS = ("spark", "databricks", "dremio", "trino", "duckdb", "postgres")


def open_form(name: str) -> None:
    """Open the form for the source `name`, or for a new source if `name` is empty. Its fields are reset."""
    session.clear(_PROBLEM)
    session.remember(_REVISION, session.remembered(_REVISION, 0) + 1)
    session.remember(_OPEN, name)


def source_form() -> None:
    """Draw the dialog if it is open."""
    name = session.remembered(_OPEN)
    if name is not None:
        title = f"Edit {name}" if name else "Add source"
        dialog(title, width="medium", on_dismiss=_close)(_form)(name)


def _close() -> None:
    for name in (_OPEN, _PROBLEM):
        session.clear(name)


def _form(name: str) -> None:
    if session.remembered(_OPEN) is None:  # the source was saved, so the page is drawn without the dialog
        st.rerun()
    with drawing():
        known = next((row for row in app().source_rows() if row["name"] == name), None) if name else None
        driver = _driver(known)
        _fields(driver, known)
        if problem := session.remembered(_PROBLEM):
            failure(problem)
        st.button(
            "Save and connect",
            key="source-save",
            type="primary",
            on_click=once("source-save", _save),
            args=(driver["name"], known),
        )


def _driver(known: Mapping[str, Any] | None) -> Mapping[str, Any]:
    drivers = {row["name"]: row for row in app().source_drivers()}
    if known is not None:
        return drivers[known["driver"]]
    chosen = st.segmented_control(
        "Kind", list(drivers), default="postgresql", format_func=lambda one: drivers[one]["title"], key=_key("driver"),
        required=True,
    )  # fmt: skip
    driver = drivers[str(chosen)]
    if not driver["installed"]:
        failure(
            f"{driver['title']} needs a driver",
            "Install it in Anabranch's Python environment:",
            driver["install"],
        )
    return driver


def _fields(driver: Mapping[str, Any], known: Mapping[str, Any] | None) -> None:
    row = known or {}
    if known is None:
        st.text_input(
            "Name", key=_key("name"), placeholder="warehouse",
            help="The name of the source in questions and SQL: lower-case letters, digits and underscores.",
        )  # fmt: skip
    st.text_input(
        "Address" if driver["logs_in"] else "File",
        row.get("address", ""),
        key=_key("address"),
        placeholder=driver["example"],
    )
    if driver["logs_in"]:
        st.text_input("User", row.get("user") or "", key=_key("user"), placeholder="reader")
        st.text_input(
            "Password or token", type="password", key=_key("key"),
            placeholder="Saved. Leave empty to keep it" if row.get("has_key") else "",
        )  # fmt: skip
    with st.expander("Access and limits", type="compact"):
        st.text_input(
            "Only these schemas or tables", ", ".join(row.get("allowed", ())), key=_key("allowed"),
            placeholder="everything that this login can read", help="Separated by commas, such as sales, stock.items",
        )  # fmt: skip
        st.number_input(
            "Maximum rows in one result", 1, 10_000_000, row.get("max_rows", 1_000_000), key=_key("rows")
        )
        st.number_input(
            "Time limit of one query, in seconds", 1, 3_600, row.get("max_seconds", 60), key=_key("seconds")
        )
        if driver["name"] == "flightsql":
            here = row.get("dialect", driver["dialect"])
            st.selectbox(
                "SQL dialect",
                _DIALECTS,
                _DIALECTS.index(here) if here in _DIALECTS else 0,
                key=_key("dialect"),
            )


def _save(driver: str, known: Mapping[str, Any] | None) -> None:
    name = known["name"] if known is not None else str(_value("name")).strip()
    try:
        app().send(_command(name, driver, known))
    except AnabranchError as error:
        session.remember(_PROBLEM, told(error))
        return
    _close()
    session.remember(_TESTING, name)


def _command(name: str, driver: str, known: Mapping[str, Any] | None) -> Command[None]:
    allowed = [part.strip() for part in str(_value("allowed")).split(",") if part.strip()]
    given: dict[str, Any] = {
        "address": str(_value("address")).strip(),
        "user": str(_value("user")).strip(),
        "key": str(_value("key")) or None,
        "allowed": allowed,
        "dialect": str(_value("dialect")),
        "max_rows": int(_value("rows") or 1_000_000),
        "max_seconds": int(_value("seconds") or 60),
    }
    return ChangeSource(name, **given) if known is not None else AddSource(name, driver, **given)


def _key(field: str) -> str:
    """Return the key of a field. It changes each time the dialog is opened, so that the field is reset."""
    return f"source-{field}-{session.remembered(_REVISION, 0)}"


def _value(field: str) -> Any:
    return session.widget_value_or(_key(field), "")
