"""Taking secrets out of a manifest that leaves this machine: a value becomes `${VAR}`, the reference to it.

Known secrets are found by their value. Others are told by the name they stand under, or by the look of a key;
where in doubt the value goes, since a receiver can fill in a reference and nobody can take a key back.
"""

import re
from collections.abc import Mapping, Sequence, Set
from urllib.parse import urlsplit, urlunsplit

from engine.toolsets.manifest import Manifest, McpServer

__all__ = ["redact", "with_references"]

_MARKER = re.compile(r"\[secret:([^\]]+)\]")
"""What stands in the log where a secret stood."""
_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_SECRET_NAME = re.compile(
    r"(?i)(^|[-_.\s]|(?<=[a-z]))(api[-_]?key|apikey|key|token|secret|passw(or)?d|pwd|pass|credentials?|auth|authorization|"
    r"cookie|session|signature|sig|bearer|jwt|pat|dsn)($|[-_.\s\d])"
)
_LOOKS_SECRET = re.compile(
    r"(sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|hf|npm|pypi|AKIA|ASIA|AIza|ya29|eyJ)[-_A-Za-z0-9.]{16,}"
)
_RANDOM = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_+=-]{24,}")
_FLAG = re.compile(r"(--?[A-Za-z][\w-]*)(=(.*))?", re.DOTALL)
_SCHEME = re.compile(r"(?i)(bearer|basic|token|apikey)\s+")


def redact(manifest: Manifest, secrets: Mapping[str, str] | None = None) -> Manifest:
    """Return `manifest` without secrets in any MCP server's env, args, url and headers.

    `secrets` are configured values by the name of their variable; they are found anywhere in those texts.
    """
    known = _longest_first(secrets or {})
    declared = frozenset(name for key in manifest.config if key.secret for name in (key.name, key.env))
    servers = tuple(_server(server, known, declared) for server in manifest.mcp_servers)
    return manifest.model_copy(update={"mcp_servers": servers})


def with_references(manifest: Manifest, secrets: Mapping[str, str]) -> Manifest:
    """Return `manifest` with `${VAR}` for each of `secrets` in any MCP server's env, args, url and headers.

    Nothing is guessed: what the log keeps must start the very same server.
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
    """Replace a value that stands under a name; the scheme of an Authorization header stays."""
    rest = _REFERENCE.sub("", text).strip()
    looks = _LOOKS_SECRET.search(rest) or _RANDOM.fullmatch(rest)
    if not rest or not (secret or looks or _SECRET_NAME.search(name)):
        return text
    scheme = _SCHEME.match(text)
    if scheme and not text[scheme.end() :].strip():
        return text
    if scheme and _REFERENCE.fullmatch(text[scheme.end() :].strip()):
        return text
    return f"{scheme[0] if scheme else ''}${{{_variable(name)}}}"


def _arguments(args: Sequence[str]) -> tuple[str, ...]:
    """Replace what follows a flag with a secret's name, and what looks like a key wherever it stands."""
    done: list[str] = []
    awaited: str | None = None
    for text in args:
        flag = _FLAG.fullmatch(text)
        if awaited and not flag:
            done.append(_named(awaited, text))
            awaited = None
            continue
        awaited = None
        if flag and flag[3] is not None:
            done.append(f"{flag[1]}={_named(flag[1].lstrip('-'), flag[3])}")
            continue
        if flag and _SECRET_NAME.search(flag[1].lstrip("-")):
            awaited = flag[1].lstrip("-")
        done.append(_lone(text))
    return tuple(done)


def _lone(text: str) -> str:
    """Replace the secret in an argument that no flag announces: `NAME=value`, an address, or a bare key."""
    name, equals, value = text.partition("=")
    if "://" in text:
        text = _address(text)
    elif equals and _SECRET_NAME.search(name):
        text = f"{name}={_named(name, value)}"
    if _RANDOM.fullmatch(text):
        return "${SECRET}"
    return text if "${" in text else _LOOKS_SECRET.sub("${SECRET}", text)


def _address(url: str) -> str:
    """Replace a user's password, secret parameters and parts of the path that look like keys."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    host = parts.netloc
    if "@" in host:
        user, _, server = host.rpartition("@")
        name, colon, password = user.partition(":")
        if colon and not _REFERENCE.fullmatch(password):
            host = f"{name}:${{PASSWORD}}@{server}"
        elif not colon and _LOOKS_SECRET.search(name):
            host = f"${{TOKEN}}@{server}"
    pairs = []
    for pair in parts.query.split("&") if parts.query else []:
        name, equals, value = pair.partition("=")
        pairs.append(f"{name}{equals}{_named(name, value)}" if equals else pair)
    path = parts.path if "${" in parts.path else _LOOKS_SECRET.sub("${SECRET}", parts.path)
    return urlunsplit((parts.scheme, host, path, "&".join(pairs), parts.fragment))


def _variable(name: str) -> str:
    """Return an environment variable's name for what `name` holds."""
    words = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")
    return words if words and not words[0].isdigit() else f"SECRET_{words}".rstrip("_")
