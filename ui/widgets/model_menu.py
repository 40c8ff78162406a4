"""The model menu of the composer: the models that can answer now, other models by name, and each provider's status."""

from collections.abc import Sequence

import streamlit as st

from engine.commands.catalog import SelectModel
from engine.views.model_info import ProviderOffer, model_title
from ui import session
from ui.acts import once_for
from ui.current_app import app, send
from ui.words import count, escape

__all__ = ["model_choices", "model_label", "model_menu", "provider_state"]

_STATES = {"ready": ("ok", "Ready"), "no_key": ("off", "No key"), "unreachable": ("err", "Unreachable")}


def model_menu(chat_id: str | None, model: str, base_url: str | None) -> None:
    """Draw the model menu; the providers are asked when it opens."""
    menu = st.popover(model_title(model), key="model-menu", on_change="rerun")
    if not menu.open:
        return
    with menu:
        with st.spinner("Looking for models"):
            offers = app().providers.offers()
        _choice(chat_id, model, offers)
        _address(chat_id, model, base_url)
        with st.container(key="providers"):
            for offer in offers:
                if offer.state != "no_key":
                    st.html(_line(offer))
            without = [offer.title for offer in offers if offer.state == "no_key"]
            if without:
                st.html(
                    f'<div class="ab-note">No key: {escape(", ".join(without))}. '
                    '<a href="settings" target="_self">Add one in Settings</a></div>'
                )
            st.button("Check again", key="look-again", type="tertiary", on_click=_look_again)


def model_choices(offers: Sequence[ProviderOffer], model: str) -> list[str]:
    """Return the names of the models to choose from, including `model`."""
    found = [f"{offer.provider}:{name}" for offer in offers for name in offer.models]
    return list(dict.fromkeys(["offline", model, *found]))


def model_label(name: str, offers: Sequence[ProviderOffer]) -> str:
    """Return a model's label with its provider, such as `qwen3 · Ollama`."""
    provider = name.partition(":")[0]
    title = next((offer.title for offer in offers if offer.provider == provider), "")
    return f"{model_title(name)} · {title}" if title else model_title(name)


def provider_state(offer: ProviderOffer) -> tuple[str, str]:
    """Return the class and the word of a provider's badge."""
    return _STATES[offer.state]


def _choice(chat_id: str | None, model: str, offers: Sequence[ProviderOffer]) -> None:
    key = f"model-{chat_id or 'new'}"
    options = model_choices(offers, model)
    st.selectbox(
        "Model",
        options,
        index=options.index(model),
        format_func=lambda name: model_label(name, offers),
        key=key,
        accept_new_options=True,
        on_change=once_for(key, _choose),
        args=(chat_id, key),
        help="Choose one, or type PROVIDER:MODEL, for example openai:gpt-5 or ollama:qwen3; "
        "scripted:/path/to/replies.json plays a script of replies.",
    )


def _address(chat_id: str | None, model: str, base_url: str | None) -> None:
    """Draw the address of a server other than the provider's own; only for models over HTTP."""
    if model.partition(":")[0] in ("offline", "scripted"):
        return
    key = f"base-url-{chat_id or 'new'}"
    st.text_input(
        "Server address",
        base_url or "",
        key=key,
        placeholder="The provider's own address",
        help="Custom server address, for example http://127.0.0.1:8000/v1. Leave empty to use the provider's.",
        on_change=once_for(key, _point),
        args=(chat_id, model, key),
    )


def _line(offer: ProviderOffer) -> str:
    kind, word = provider_state(offer)
    told = count(len(offer.models), "model") if offer.state == "ready" else offer.detail
    return (
        f'<div class="ab-provider"><b>{escape(offer.title)}</b>'
        f'<span class="ab-badge {kind}">{word}</span><span>{escape(told)}</span></div>'
    )


def _choose(chat_id: str | None, key: str) -> None:
    model = str(session.widget_value(key) or "").strip()
    if model:
        _select(chat_id, model, None)


def _point(chat_id: str | None, model: str, key: str) -> None:
    _select(chat_id, model, str(session.widget_value(key) or "").strip() or None)


def _select(chat_id: str | None, model: str, base_url: str | None) -> None:
    if chat_id is None:
        session.remember("new-model", model)
        session.remember("new-base-url", base_url)
    else:
        send(SelectModel(chat_id, model, base_url))


def _look_again() -> None:
    app().providers.offers(refresh=True)
