"""Removes secrets from a manifest that leaves this machine: each value is replaced by `${VAR}`.

Known secrets are found by their value; other secrets are recognized by their name, or because they look like a key. If
in doubt, the value is removed: a recipient can fill in a reference, but a leaked key cannot be recalled.
"""

import re
from collections.abc import Mapping, Sequence, Set
from urllib.parse import unquote, urlsplit, urlunsplit

from engine.toolsets.manifest import Manifest, McpServer
from engine.toolsets.secret_looks import LOOKS_SECRET, PIN, is_named_secret, is_random

__all__ = ["literal_secrets", "redact", "with_references", "without_secrets"]

_MARKER = re.compile(r"\[secret:([^\]]+)\]")
"""Matches the text that replaces a secret in the log."""
_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_LOGIN = re.compile(r"-u|--?(user|login|basic|userpwd|proxy-user)")
_USER_AND_PASSWORD = re.compile(r"(?!\d+:\d+$)[^:/\s]+:[^/\s]+")
_ASSIGNED = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_][\w.-]{0,200})(?P<equals>[\"']?\s*(?:=|:(?!//))\s*[\"']?)"
    r"(?P<value>(?:(?:bearer|basic|token|apikey)\s+)?[^\s\"',;&|<>]+)",
    re.IGNORECASE,
)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s\"'<>]+")
_FLAG = re.compile(r"(--?[A-Za-z][\w-]*)(=(.*))?", re.DOTALL)
_SCHEME = re.compile(r"(?i)(bearer|basic|token|apikey)\s+")
_CARRIED = re.compile(r"(?i)\b((?:bearer|basic)\s+)([^\s\"',;]{6,})")


def redact(manifest: Manifest, secrets: Mapping[str, str] | None = None) -> Manifest:
    """Return `manifest` without secrets in any MCP server's env, args, url and headers.

    `secrets` contains configured values by the names of their variables; they are replaced anywhere in these parts.
    """
    known = _longest_first(secrets or {})
    declared = frozenset(name for key in manifest.config if key.secret for name in (key.name, key.env))
    servers = tuple(_server(server, known, declared) for server in manifest.mcp_servers)
    return manifest.model_copy(update={"mcp_servers": servers})


def literal_secrets(server: McpServer, manifest: Manifest | None = None) -> tuple[str, ...]:
    """Return the places where a server's configuration contains a key, each with the `${NAME}` to write there.

    The key itself is never returned. `manifest` says which names are declared as secrets.
    """
    keys = manifest.config if manifest else ()
    declared = frozenset(name for key in keys if key.secret for name in (key.name, key.env))
    clean = _server(server, (), declared)
    places = [
        ("the command", server.command or "", clean.command or ""),
        ("the url", server.url or "", clean.url or ""),
    ]
    places += [
        (f"argument {n}", *pair) for n, pair in enumerate(zip(server.args, clean.args, strict=True), 1)
    ]
    places += [(f"the variable {name}", text, clean.env[name]) for name, text in server.env.items()]
    places += [(f"the header {name}", text, clean.headers[name]) for name, text in server.headers.items()]
    return tuple(f"{place} (write {_new(was, now)})" for place, was, now in places if was != now)


def _new(was: str, now: str) -> str:
    names = [found for found in _REFERENCE.findall(now) if found not in _REFERENCE.findall(was)]
    return ", ".join(dict.fromkeys(names)) or "${NAME}"


def without_secrets(address: str) -> str:
    """Return an address with each key in it replaced by `${NAME}`."""
    return _address(address)


def with_references(manifest: Manifest, secrets: Mapping[str, str]) -> Manifest:
    """Return `manifest` with each of `secrets` replaced by `${VAR}` in any MCP server's env, args, url and headers.

    Nothing is guessed, because the manifest in the log must start exactly the same server.
    """
    known = _longest_first(secrets)

    def replaced(texts: Mapping[str, str]) -> dict[str, str]:
        return {name: _known(text, known) for name, text in texts.items()}

    servers = tuple(
        server.model_copy(
            update={
                "args": tuple(_known(text, known) for text in server.args),
                "env": replaced(server.env),
                "headers": replaced(server.headers),
                "url": _known(server.url, known) if server.url else server.url,
            }
        )
        for server in manifest.mcp_servers
    )
    return manifest.model_copy(update={"mcp_servers": servers})


def _longest_first(secrets: Mapping[str, str]) -> list[tuple[str, str]]:
    ordered = sorted(secrets.items(), key=lambda item: (-len(item[1]), item[0]))
    return [(value, name) for name, value in ordered if len(value) >= 4]


def _server(server: McpServer, known: Sequence[tuple[str, str]], declared: Set[str]) -> McpServer:
    def named(name: str, text: str) -> str:
        return _named(name, _known(text, known), name in declared)

    return server.model_copy(
        update={
            "command": _loose(_known(server.command, known)) if server.command else server.command,
            "args": _arguments([_known(text, known) for text in server.args]),
            "env": {name: named(name, text) for name, text in server.env.items()},
            "headers": {name: named(name, text) for name, text in server.headers.items()},
            "url": _address(_known(server.url, known)) if server.url else server.url,
        }
    )


def _known(text: str, known: Sequence[tuple[str, str]]) -> str:
    for value, name in known:
        text = text.replace(value, f"${{{_variable(name)}}}")
    return _MARKER.sub(lambda found: f"${{{_variable(found[1])}}}", text)


def _named(name: str, text: str, secret: bool = False) -> str:
    """Replace `text`, the value of `name`, if it looks like a secret. The scheme of an Authorization header stays."""
    rest = _REFERENCE.sub("", text).strip()
    if not rest:
        return text
    if not (secret or is_named_secret(name, rest) or LOOKS_SECRET.fullmatch(rest) or is_random(rest)):
        return _loose(text)
    scheme = _SCHEME.match(text)
    if scheme and not text[scheme.end() :].strip():
        return text
    if scheme and _REFERENCE.fullmatch(text[scheme.end() :].strip()):
        return text
    return f"{scheme[0] if scheme else ''}${{{_variable(name)}}}"


def _arguments(args: Sequence[str]) -> tuple[str, ...]:
    """Replace each value that follows a flag named like a secret, and anything that looks like a key."""
    done: list[str] = []
    awaited: str | None = None
    for text in args:
        flag = _FLAG.fullmatch(text)
        if awaited and not flag:
            done.append(_named(awaited, text))
            awaited = None
            continue
        awaited = None
        if done and _LOGIN.fullmatch(done[-1]) and _USER_AND_PASSWORD.fullmatch(text):
            done.append(f"{text.partition(':')[0]}:{_named('password', text.partition(':')[2])}")
            continue
        if flag and flag[3] and _LOGIN.fullmatch(flag[1]) and _USER_AND_PASSWORD.fullmatch(flag[3]):
            user, _, password = flag[3].partition(":")
            done.append(f"{flag[1]}={user}:{_named('password', password)}")
            continue
        if flag and flag[3] is not None:
            done.append(f"{flag[1]}={_named(flag[1].lstrip('-'), flag[3])}")
            continue
        if flag and is_named_secret(flag[1].lstrip("-"), "a value"):
            awaited = flag[1].lstrip("-")
        done.append(_loose(text))
    return tuple(done)


def _loose(text: str) -> str:
    """Replace the secrets inside a longer text, such as an argument, that is not as a whole the value of a named
    secret.

    Secrets are found in addresses, after `NAME=` or `NAME:`, after Bearer or Basic, and in words that look like a key.
    """
    text = _URL.sub(lambda found: _address(found[0]), text)
    text = _ASSIGNED.sub(_assigned, text)
    text = _CARRIED.sub(lambda f: f[0] if f[2].startswith("${") else f"{f[1]}${{AUTHORIZATION}}", text)
    text = LOOKS_SECRET.sub("${SECRET}", text)
    return re.sub(r"[^\s\"',;|<>{}()\[\]]+", lambda found: _word(found[0]), text)


def _word(word: str) -> str:
    """Return a word without its secret: the part after `=` or `:`, or else the whole word, is replaced if it looks like
    a key.
    """
    head, sign, tail = word.rpartition("=" if "=" in word.rstrip("=") else ":")
    if word.endswith("=") or "://" in word or not sign:
        head, sign, tail = "", "", word
    return f"{head}{sign}${{SECRET}}" if is_random(tail) and not PIN.search(word) else word


def _assigned(found: "re.Match[str]") -> str:
    name, value = found["name"], found["value"]
    if value.startswith(("$", "%")) or not is_named_secret(name, value):
        return found[0]
    return f"{name}{found['equals']}{_named(name, value)}"


def _address(url: str) -> str:
    """Replace a user's password, secret parameters and parts of the path that look like keys."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "${ADDRESS}" if "@" in url else url
    host = parts.netloc
    if "@" in host:
        user, _, server = host.rpartition("@")
        name, colon, password = user.partition(":")
        if colon and password and not _REFERENCE.fullmatch(password):
            host = f"{name}:${{PASSWORD}}@{server}"
        alone = parts.scheme.lower() in ("http", "https") and not password and name != "git"
        if (
            name
            and not _REFERENCE.fullmatch(name)
            and (alone or len(name) >= 16 or LOOKS_SECRET.search(name))
        ):
            host = f"${{TOKEN}}{host[len(name) :]}"
    path = "/".join(_segment(piece) for piece in parts.path.split("/"))
    return urlunsplit((parts.scheme, host, path, _parameters(parts.query), _parameters(parts.fragment)))


def _segment(piece: str) -> str:
    """Redact one part of an address's path, with its parameters (`;key=value`)."""
    first, *more = LOOKS_SECRET.sub("${SECRET}", piece).split(";")
    named = [_parameters(pair) for pair in more]
    return ";".join(["${SECRET}" if is_random(unquote(first)) else first, *named])


def _parameters(text: str) -> str:
    pairs = []
    for pair in text.split("&") if text else []:
        name, equals, value = pair.partition("=")
        if equals:
            pairs.append(f"{name}={_named(unquote(name), value)}" if value else pair)
        else:
            pairs.append("${SECRET}" if LOOKS_SECRET.search(pair) or is_random(pair) else pair)
    return "&".join(pairs)


def _variable(name: str) -> str:
    """Return a name for the environment variable that should contain the value of `name`."""
    words = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")
    return words if words and not words[0].isdigit() else f"SECRET_{words}".rstrip("_")
