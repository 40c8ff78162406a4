"""The providers of models in Settings: how each stands, and the user's keys for them."""

from collections.abc import Sequence

import streamlit as st

from engine.errors import AnabranchError
from engine.views.offer import ProviderOffer
from ui import session
from ui.shared import app
from ui.widgets.model_menu import provider_state
from ui.words import count, escape

__all__ = ["providers"]

_PLACES = {
    "keyring": "Key in the system's keyring.",
    "file": "Key in your private settings file.",
    "environment": "Key from the environment.",
    "streamlit": "Key from Streamlit's secrets.",
}


def providers(offers: Sequence[ProviderOffer]) -> None:
    """One line each: those that can be used first; the others, which want a key, folded."""
    usable = [offer for offer in offers if offer.state != "no_key"]
    for offer in usable:
        _provider(offer)
    others = [offer for offer in offers if offer.state == "no_key"]
    if others:
        with st.expander(f"Add a key ({count(len(others), 'provider')})", key="other-providers"):
            for offer in others:
                _provider(offer)
    st.button(
        "Look again", icon=":material/refresh:", key="look-again", type="tertiary", on_click=_look_again
    )


def _provider(offer: ProviderOffer) -> None:
    kind, word = provider_state(offer)
    place = app().model_key_place(offer.provider)
    told = " ".join(part for part in (offer.detail, _PLACES.get(place or "", "")) if part)
    with st.container(key=f"provider-{offer.provider}"):
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.html(
            f'<div class="ab-setting"><b>{escape(offer.title)} '
            f'<span class="ab-badge {kind}">{word}</span></b><span>{escape(told)}</span></div>'
        )
        with right, st.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Replace key" if place else "Add key", key=f"key-{offer.provider}"):
                _ask_for_key(offer.provider, offer.title)
            if place in ("keyring", "file"):
                st.button(
                    "Forget key",
                    key=f"forget-{offer.provider}",
                    type="tertiary",
                    on_click=_forget,
                    args=(offer.provider, offer.title),
                )


@st.dialog("Key of a provider", width="small")
def _ask_for_key(provider: str, title: str) -> None:
    """Take a key, which goes to the keyring or a private file, and is shown no more."""
    st.html(
        f"<p>The key for {escape(title)}. It is kept in your system's keyring, or else in a file that only you "
        "can read; never in the log, a chat or an export.</p>"
    )
    with st.form(f"key-form-{provider}", border=False):
        value = st.text_input("Key", type="password", key=f"key-value-{provider}")
        sent = st.form_submit_button("Save key", type="primary")
    if sent:
        try:
            app().set_model_key(provider, value)
        except AnabranchError as error:
            st.error(error.message)
            return
        session.flash(f"The key for {title} is kept.")
        st.rerun()


def _forget(provider: str, title: str) -> None:
    try:
        app().set_model_key(provider, None)
    except AnabranchError as error:
        session.remember("failure", error.message)
        return
    session.flash(f"The key for {title} is forgotten.")


def _look_again() -> None:
    app().offers(refresh=True)
