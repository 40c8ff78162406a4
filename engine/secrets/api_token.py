"""The token of this installation, which gives access to the API (API-2).

It is stored in the user's configuration folder, in a file that only the user can read. It is never in the data folder,
which may be copied and shared, nor in a log or an address. The page's cookie is derived from it, and does not reveal
it.
"""

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from engine.errors import Unavailable
from engine.system.private_files import CONFIG_FOLDER, own_folder

__all__ = ["cookie_name", "cookie_value", "known_token", "made_token", "same"]

_NAME = "service-token"
_LENGTH = 43
"""The number of characters of 32 random bytes in URL-safe base64."""


def known_token(folder: Path) -> str:
    """Return the token stored in `folder`.

    Raises:
        Unavailable: there is no token yet (`token_missing`), or it cannot be read (`token_unreadable`).
    """
    path = folder / _NAME
    try:
        with path.open() as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                os.fchmod(file.fileno(), 0o600)
            token = file.read(200).strip()
    except FileNotFoundError:
        raise Unavailable(
            "token_missing",
            f"There is no token in {path}: no app was started with these settings. Start one with `anabranch "
            "serve`, or set ANABRANCH_CONFIG to the value of the running app.",
        ) from None
    except (OSError, ValueError) as error:
        raise Unavailable("token_unreadable", f"The token file {path} cannot be read: {error}.") from None
    if len(token) < _LENGTH or not token.isascii():
        raise Unavailable(
            "token_unreadable", f"The token file {path} is damaged. Delete it and start the app again."
        )
    return token


def made_token(folder: Path) -> str:
    """Return the token stored in `folder`; the first call creates it. Raises the same errors as `known_token`."""
    path = folder / _NAME
    own_folder(folder, CONFIG_FOLDER)
    if not path.exists():
        fresh = folder / f".{_NAME}.{os.getpid()}.{secrets.token_hex(4)}"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_urlsafe(32))
            try:
                os.link(fresh, path)  # if two processes create a token at once, both use the first one
            except FileExistsError:
                pass
            except OSError:  # the file system has no hard links
                fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    return known_token(folder)


def cookie_name(host: str) -> str:
    """Return the cookie's name for a `Host`. All ports of a machine share cookies, so the name contains the port."""
    return f"anabranch-{host.rpartition(':')[2] if host[-1:].isdigit() else 'page'}"


def cookie_value(token: str, host: str) -> str:
    """Return the value of the page's cookie. It is useless at another address and does not reveal the token."""
    return hmac.new(token.encode(), f"cookie {host}".encode(), hashlib.sha256).hexdigest()


def same(given: str, wanted: str) -> bool:
    """Return whether two secrets are equal, in constant time."""
    return bool(wanted) and hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
