"""Parses the address of a source and removes any password. Pure."""

import re
from collections.abc import Mapping
from dataclasses import field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from engine.deciders.source_drivers import Driver
from engine.errors import Invalid
from events.late_dataclass import dataclass

__all__ = ["Address", "read_address"]

_SETTINGS = ("sslmode", "channel_binding", "gssencmode", "target_session_attrs")
"""The settings of a PostgreSQL connection that an address may contain."""
_SCHEMES = {"postgresql": ("postgresql", "postgres"), "flightsql": ("grpc", "grpc+tcp", "grpc+tls", "grpcs")}
_LONGEST = 1_000
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?|[0-9A-Fa-f:.]{2,45}")


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed address."""

    text: str
    """The address as it is recorded, without user and password."""
    host: str = ""
    port: int = 0
    database: str = ""
    """The database; for a SQLite file, the file's full path."""
    scheme: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    user: str | None = None
    key: str | None = field(default=None, repr=False)
    """The password or token that was in the address."""


def read_address(driver: Driver, text: str) -> Address:
    """Parse an address.

    Raises:
        Invalid: the text is not an address for this driver (`source_address`). The message never quotes the text.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST or any(ord(sign) < 32 for sign in text):
        raise _invalid(driver)
    if not driver.network:
        if not text.startswith("/"):
            raise Invalid("source_address", f"Give the full path of the file, such as {driver.example}.")
        return Address(text, database=text)
    return _of_server(driver, text)


def _of_server(driver: Driver, text: str) -> Address:
    schemes = _SCHEMES[driver.name]
    try:
        parts = urlsplit(text if "://" in text else f"{schemes[0]}://{text}")
        port = parts.port or driver.port
        query = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise _invalid(driver) from None
    host, database = parts.hostname or "", unquote(parts.path.removeprefix("/"))
    if parts.scheme not in schemes or not _HOST.fullmatch(host) or parts.fragment:
        raise _invalid(driver)
    settings = dict(query)
    user = unquote(parts.username) if parts.username else settings.pop("user", None)
    key = unquote(parts.password) if parts.password else settings.pop("password", None)
    is_flight = driver.name == "flightsql"
    unknown = sorted(set(settings) - (set() if is_flight else set(_SETTINGS)))
    if unknown or (is_flight and (database or settings)):
        what = f"the setting {unknown[0][:40]}" if unknown else "a path"
        raise Invalid("source_address", f"A {driver.title} address cannot contain {what}. {_example(driver)}")
    if not is_flight and not database:
        raise Invalid("source_address", f"The address has no database at its end. {_example(driver)}")
    shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if is_flight:
        plain = "grpc+tls" if parts.scheme in ("grpc+tls", "grpcs") else "grpc"
        return Address(f"{plain}://{shown}", host, port, "", plain, {}, user, key)
    ending = f"?{urlencode(settings)}" if settings else ""
    recorded = f"{shown}/{quote(database, safe='')}{ending}"
    return Address(recorded, host, port, database, "postgresql", settings, user, key)


def _invalid(driver: Driver) -> Invalid:
    return Invalid("source_address", f"This address is not valid for {driver.title}. {_example(driver)}")


def _example(driver: Driver) -> str:
    return f"Give an address such as {driver.example}."
