"""The settings page: each setting is saved at once, as an event; keys are never in events."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from engine.app.app import App
from engine.commands.catalog import ChangeSetting
from engine.config import Settings
from events.json_value import JSON
from events.log_files import DATABASE
from ui import session
from ui.acts import once_for
from ui.components.theme_choice.component import theme_choice
from ui.current_app import app, is_demo, send
from ui.views.definitions import definitions
from ui.views.providers import providers
from ui.widgets.failure import pending_failure
from ui.widgets.model_menu import model_choices, model_label
from ui.words import count, escape, size

__all__ = ["settings_page"]

_DISCLOSURE = {"auto": "With many tools", "always": "Always", "never": "Never"}
_SENDING = {"ask": "Ask first", "never": "Never", "freely": "Without asking"}


def settings_page() -> None:
    """Draw the groups."""
    settings = app().settings
    with st.container(key="settings"):
        st.title("Settings")
        st.html(
            '<p class="ab-note">Every change is recorded. Keys are stored separately and never written to the log.</p>'
        )
        pending_failure()
        _model(settings)
        _turns(settings)
        definitions()
        _tools(settings)
        _look()
        _data()


def _row(title: str, told: str, control: Callable[[], None]) -> None:
    """Draw a setting: its label and one sentence on the left, its control on the right."""
    with st.container(key=f"setting-{title.lower().replace(' ', '-')}"):
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.html(f'<div class="ab-setting"><b>{escape(title)}</b><span>{escape(told)}</span></div>')
        with right:
            control()


def _group(name: str) -> None:
    st.html(f'<h2 class="ab-group">{name}</h2>')


def _look() -> None:
    _group("Appearance")
    _row(
        "Theme",
        "For this browser only; the page reloads.",
        lambda: theme_choice(["", "history", "toolsets", "settings"], key="theme"),
    )


def _model(settings: Settings) -> None:
    _group("Models")
    if is_demo():
        st.html(
            '<p class="ab-note">In this public demo only the offline analyst answers: it needs no key, and none of '
            "your data is sent to another machine. On your own machine you can connect any model.</p>"
        )
        return
    with st.spinner("Looking for models"):
        offers = app().providers.offers()
    options = model_choices(offers, settings.model)

    def control() -> None:
        st.selectbox(
            "Model for new chats",
            options,
            index=options.index(settings.model),
            format_func=lambda name: model_label(name, offers),
            key="default-model",
            label_visibility="collapsed",
            accept_new_options=True,
            on_change=once_for("default-model", _save),
            args=("model", "default-model"),
        )

    _row("Model for new chats", "Existing chats keep their model.", control)
    providers(offers)


def _turns(settings: Settings) -> None:
    _group("Turns")
    _row(
        "Quick: steps with tool calls",
        "After this many steps the model must answer; you can then let it continue. Even with the limit off, Quick "
        "and Thorough stop at 200 steps.",
        partial(_quick_steps, settings),
    )
    _row(
        "Thorough: steps with tool calls",
        "For chats in which you chose Thorough, with the switch next to the model's name.",
        partial(_thorough_steps, settings),
    )
    _row(
        "Check numbers again",
        "An answer with numbers that no result contains, or that the review finds wrong, goes back to the model once. "
        "The first answer is kept as a draft.",
        lambda: _switch(
            "recheck_numbers", settings.recheck_numbers, "recheck-numbers", "Send answers back once"
        ),
    )
    _row(
        "Review numbers",
        "The model checks the numbers of each answer against the results, in a separate, shorter request. This costs "
        "more tokens and a few seconds.",
        lambda: _switch("review_numbers", settings.review_numbers, "review-numbers", "Review each answer"),
    )
    _row("Your own instructions", "Sent to the model with every question.", partial(_instructions, settings))


def _quick_steps(settings: Settings) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        _switch(
            "max_tool_iterations_on",
            settings.max_tool_iterations_on,
            "max-tool-iterations-switch",
            "Limit the steps",
        )
        st.number_input(
            "Quick: steps with tool calls",
            1,
            200,
            settings.max_tool_iterations,
            key="max-tool-iterations-input",
            label_visibility="collapsed",
            disabled=not settings.max_tool_iterations_on,
            on_change=once_for("max-tool-iterations-input", _save),
            args=("max_tool_iterations", "max-tool-iterations-input"),
        )


def _thorough_steps(settings: Settings) -> None:
    st.number_input(
        "Thorough: steps with tool calls",
        1,
        200,
        settings.thorough_steps,
        key="thorough-steps-input",
        label_visibility="collapsed",
        disabled=not settings.max_tool_iterations_on,
        on_change=once_for("thorough-steps-input", _save),
        args=("thorough_steps", "thorough-steps-input"),
    )


def _instructions(settings: Settings) -> None:
    st.text_area(
        "Your own instructions",
        settings.instructions,
        key="instructions",
        label_visibility="collapsed",
        placeholder="For example: always round to two decimals.",
        on_change=once_for("instructions", _save),
        args=("instructions", "instructions"),
    )


def _tools(settings: Settings) -> None:
    _group("Tools")
    _row(
        "Offer tools to models",
        "Turn this off to chat without any tools.",
        lambda: _switch("tools_on", settings.tools_on, "tools-on", "Offer tools"),
    )

    _row(
        "Sending to the network",
        "Applies to a model's tool calls in chats that contain files or results.",
        lambda: _choice("Sending to the network", _SENDING, settings.sending, "sending"),
    )
    _row(
        "Brief tool lists",
        "The model first sees tool names only and loads the ones it needs. Saves tokens when many tools are enabled.",
        lambda: _choice("Brief tool lists", _DISCLOSURE, settings.disclosure, "disclosure"),
    )
    if settings.disclosure == "auto":
        _row(
            "Tokens for all tools",
            "Up to this many tokens, all tool descriptions are sent in full with each request.",
            lambda: _disclosure_tokens(settings),
        )
    if settings.disclosure != "never":
        _row(
            "Keep loaded tools",
            "Tools that the model has loaded stay loaded for the whole branch. Off: only until the turn ends.",
            lambda: _switch("keep_picks", settings.keep_picks, "keep-picks", "Keep loaded tools"),
        )


def _disclosure_tokens(settings: Settings) -> None:
    st.number_input(
        "Tokens for all tools",
        0,
        1_000_000,
        settings.disclosure_tokens,
        step=1000,
        key="disclosure-tokens",
        label_visibility="collapsed",
        on_change=once_for("disclosure-tokens", _save),
        args=("disclosure_tokens", "disclosure-tokens"),
    )


def _choice(title: str, options: Mapping[str, str], value: str, name: str) -> None:
    """Draw a setting with a few fixed values; `options` maps each value to its label."""
    st.segmented_control(
        title,
        list(options),
        default=value,
        required=True,
        format_func=options.__getitem__,
        key=name,
        label_visibility="collapsed",
        on_change=once_for(name, _save),
        args=(name, name),
    )


def _data() -> None:
    _group("Data")
    opened = app()
    _row(
        "Let chats query each other's history",
        "The tool query_history then sees all chats, not only the current one.",
        lambda: _switch(
            "history_of_all_chats", opened.settings.history_of_all_chats, "history-of-all-chats", "All chats"
        ),
    )

    if is_demo():
        return

    kept = opened.upkeep.kept_bytes()
    _row(
        "Keep a second copy of the log",
        "Compressed. Used to recover a database that cannot be opened."
        + (f" {size(kept)} now." if kept else ""),
        lambda: _switch("keep_journal", opened.settings.keep_journal, "keep-journal", "Second copy"),
    )

    def where() -> None:
        st.code(str(opened.data), language=None, wrap_lines=True)
        st.download_button(
            "Export as Parquet",
            partial(_exported, opened),
            "anabranch-log.parquet",
            "application/vnd.apache.parquet",
            icon=":material/download:",
            key="export-log",
            help="The whole log, one event per row",
            on_click="ignore",
        )

    file = opened.data / DATABASE
    held = f"{count(opened.log.head(), 'event')}, {size(file.stat().st_size)} in the log."
    _row("Data folder", held, where)


def _exported(opened: App) -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "log.parquet"
        opened.reads.export(file)
        return file.read_bytes()


def _switch(name: str, value: bool, key: str, label: str) -> None:
    st.toggle(
        label, value, key=key, label_visibility="collapsed", on_change=once_for(key, _save), args=(name, key)
    )


def _save(name: str, key: str) -> None:
    value: JSON = session.widget_value(key)
    send(ChangeSetting(name, value.strip() if isinstance(value, str) else value))
