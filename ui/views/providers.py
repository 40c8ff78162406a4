"""The providers of models in Settings: their status, and the user's keys for them."""

from collections.abc import Sequence

import streamlit as st

from engine.commands.catalog import ChangeSetting
from engine.errors import AnabranchError
from engine.views.model_info import ProviderOffer, known_providers
from ui import session
from ui.current_app import app
from ui.widgets.failure import failure
from ui.widgets.model_menu import provider_state
from ui.widgets.parts import dialog
from ui.words import count, escape

__all__ = ["providers"]

_PLACES = {
    "keyring": "Key in the system's keyring.",
    "file": "Key in your private settings file.",
    "environment": "Key from an environment variable.",
    "streamlit": "Key from Streamlit's secrets.",
}


def providers(offers: Sequence[ProviderOffer]) -> None:
    """Draw a line for each provider: first the ready ones, then, collapsed, those that need a key."""
    for offer in offers:
        if offer.state != "no_key":
            _provider(offer)
    others = [offer for offer in offers if offer.state == "no_key"]
    if others:
        with st.expander(f"Add a key ({count(len(others), 'provider')})", key="other-providers"):
            for offer in others:
                _provider(offer)
    with st.container(horizontal=True, key="providers-actions"):
        if st.button("Add a server", icon=":material/add:", key="add-server", type="tertiary"):
            _set_up("", "", "")
        st.button(
            "Check again", icon=":material/refresh:", key="look-again", type="tertiary", on_click=_look_again
        )


def _provider(offer: ProviderOffer) -> None:
    kind, word = provider_state(offer)
    place = app().providers.key_place(offer.provider)
    told = " ".join(part for part in (offer.detail, _PLACES.get(place or "", "")) if part)
    with st.container(key=f"provider-{offer.provider}"):
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.html(
            f'<div class="ab-setting"><b>{escape(offer.title)} '
            f'<span class="ab-badge {kind}">{word}</span></b><span>{escape(told)}</span></div>'
        )
        with right, st.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Change" if place else "Add key", key=f"key-{offer.provider}"):
                _set_up(offer.provider, offer.title, app().settings.base_urls.get(offer.provider, ""))
            if place in ("keyring", "file"):
                st.button(
                    "Forget key",
                    key=f"forget-{offer.provider}",
                    type="tertiary",
                    on_click=_forget,
                    args=(offer.provider, offer.title),
                )


@dialog("Set up a provider", width="small")
def _set_up(provider: str, title: str, address: str) -> None:
    """Ask for an address and a key. The key is stored in the keyring or a private file, and never shown again."""
    titles = known_providers()
    with st.form("provider-form", border=False):
        chosen = provider
        if not provider:
            chosen = st.selectbox(
                "Kind of server",
                list(titles),
                format_func=lambda one: _kind(one, titles[one]),
                key="provider-kind",
            )
        value = st.text_input(
            "Key",
            type="password",
            key=f"key-value-{provider}",
            placeholder="Unchanged" if provider else "None",
            help="Stored in your system's keyring, or in a file that only you can read; never in the log, a chat "
            "or an export.",
        )
        url = st.text_input(
            "Address",
            address,
            key=f"address-{provider}",
            placeholder="The provider's own address",
            help="Custom server address, for example http://127.0.0.1:8000/v1.",
        )
        sent = st.form_submit_button("Save", type="primary")
    if sent and _saved(chosen, value, url.strip()):
        with st.spinner("Asking the server for its models…"):
            session.flash(_outcome(chosen, titles.get(chosen, title)))
        st.rerun()


def _kind(provider: str, title: str) -> str:
    return "OpenAI, or another OpenAI-compatible server" if provider == "openai" else title


def _outcome(provider: str, title: str) -> str:
    """Return a sentence that says whether the server accepts a key or an address that was just saved."""
    offer = next((one for one in app().providers.offers(refresh=True) if one.provider == provider), None)
    if offer is None or offer.state == "no_key":
        return f"{title}: saved. It needs a key."
    if offer.state == "unreachable":
        return f"{title}: saved, but it cannot be used yet. {offer.detail}"
    return f"{title} is ready, with {count(len(offer.models), 'model')}."


def _saved(provider: str, value: str, url: str) -> bool:
    """Store the input, and return whether that succeeded; an error is shown in the dialog."""
    opened = app()
    given = opened.settings.base_urls
    wanted = {**given, provider: url} if url else {p: u for p, u in given.items() if p != provider}
    kept = ""
    try:
        if value:
            opened.providers.set_key(provider, value)
            kept = "The key was saved, but the address was not."
        if wanted != given:
            opened.send(ChangeSetting("base_urls", {**wanted}))
    except AnabranchError as error:
        failure(kept or "Your changes were not saved.", error.message)
        return False
    return True


def _forget(provider: str, title: str) -> None:
    try:
        app().providers.set_key(provider, None)
    except AnabranchError as error:
        session.remember("failure", error.message)
        return
    session.flash(f"The key for {title} was removed.")


def _look_again() -> None:
    app().providers.offers(refresh=True)
