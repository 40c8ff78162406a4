"""`anabranch key …`: keys for model providers. They belong to the user, not to a data folder."""

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from engine.cli.lazy_group import OrderedGroup
from engine.cli.options import json_option, unused_data_option
from engine.cli.output import Output, columns
from engine.cli.secret_input import read_secrets
from engine.config import config_folder
from engine.errors import NotFound, Refused
from engine.secrets.secret_names import model_secret, short_name
from engine.secrets.vault import Vault

if TYPE_CHECKING:
    from engine.models.dialect import Provider as KnownProvider

__all__ = ["program"]

program = OrderedGroup(
    help="Manage the keys for model providers. They are stored in the keyring or in a private file.",
)

_provider_argument = click.argument("provider", help="A model provider, such as openai, gemini or anthropic.")


@program.command("set")
@_provider_argument
@unused_data_option
@json_option
def set_key(provider: str, as_json: bool) -> None:
    """Store a provider's key. You are asked for it, or it is read from standard input. Never give it as an argument."""
    output = Output(as_json=as_json)
    with output.failures():
        name = _named(provider)
        if provider not in (known := _providers()):
            there = ", ".join(known)
            raise NotFound(
                "provider_unknown", f"There is no provider {provider}. The providers are: {there}."
            )
        value = read_secrets([f"{provider} key"])[f"{provider} key"]
        place = _vault().set(name, value or "")
        output.done(
            {"provider": provider, "source": place}, f"The key for {provider} is stored in the {place}."
        )


@program.command("list")
@unused_data_option
@json_option
def list_keys(as_json: bool) -> None:
    """List the providers that have a key and where the key is stored. The keys are not shown."""
    output = Output(as_json=as_json)
    with output.failures():
        vault = _vault()
        vault.check()
        kept = {short_name(name) for name in vault.names() if name.startswith(model_secret(""))}
        rows = [(p, vault.where(model_secret(p), _variables(p))) for p in sorted(kept | {*_providers()})]
        found = [{"provider": provider, "source": source} for provider, source in rows if source]
        table = [
            [p, f"environment: {' or '.join(_variables(p))}" if source == "environment" else source]
            for p, source in rows
            if source
        ]
        output.done(found, columns(table, ["provider", "from"]) if found else "No keys.")


@program.command("remove")
@_provider_argument
@unused_data_option
@json_option
def remove(provider: str, as_json: bool) -> None:
    """Remove a provider's stored key. Keys in environment variables are not changed."""
    output = Output(as_json=as_json)
    with output.failures():
        name = _named(provider)
        vault = _vault()
        if not vault.remove(name):
            variables = _variables(provider)
            elsewhere = vault.where(name, variables) == "environment"
            hint = f" Its key comes from the variable {' or '.join(variables)}." if elsewhere else ""
            raise NotFound(
                "key_not_found", f"No key for {provider} is stored.{hint} See `anabranch key list`."
            )
        output.done({"provider": provider, "removed": True}, f"The key for {provider} was removed.")


def _vault() -> Vault:
    return Vault(config_folder(), os.environ)


def _providers() -> "Mapping[str, KnownProvider]":
    from engine.models.providers import PROVIDERS  # noqa: PLC0415 - `--help` does not need it

    return PROVIDERS


def _variables(provider: str) -> tuple[str, ...]:
    known = _providers().get(provider)
    return known.key_variables if known else ()


def _named(provider: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", provider):
        raise Refused(
            "provider_name", f"{provider!r} is not the name of a provider. Give a name such as openai."
        )
    return model_secret(provider)
