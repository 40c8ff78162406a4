"""Taking secrets out of a manifest that leaves this machine: a value becomes `${VAR}`, the reference to it.

Known secrets are found by their value. Others are told by the name they stand under, or by the look of a key;
where in doubt the value goes, since a receiver can fill in a reference and nobody can take a key back.
"""

import re
from collections.abc import Mapping, Sequence, Set
from urllib.parse import unquote, urlsplit, urlunsplit

from engine.toolsets.manifest import Manifest, McpServer

__all__ = ["literal_secrets", "redact", "with_references", "without_secrets"]

_MARKER = re.compile(r"\[secret:([^\]]+)\]")
"""What stands in the log where a secret stood."""
_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_SECRET_NAME = re.compile(
    r"(?i)(^|[-_.\s]|(?<=[a-z]))(api[-_]?key|apikey|keys?|tokens?|secrets?|passw(or)?d|passphrase|passcode|pwd|pass|"
    r"credentials?|creds?|auth|authorization|cookie|session|signature|sig|bearer|jwt|pat|dsn|private|webhook)($|[-_.\s\d])"
)
_INSIDE = re.compile(
    r"[A-Za-z0-9]+(?:Key|Token|Secret|Password|Passwd|Credential|Authorization)s?(?=[A-Z]|$)"
)
"""Names in camel case: `apiToken`, `clientSecretValue`."""
_ABOUT = re.compile(
    r"(?i)[-_.]?(file|path|dir|directory|name|type|url|uri|host|port|ttl|timeout|endpoint|region|mode|method|provider|"
    r"helper|algorithm|header|prefix|store|scheme|scopes?|issuer|audience|enabled|required|expiry|expires|length|limit)$"
)
"""A name that ends so tells something about a secret, and holds none."""
_WEAK = re.compile(r"(?i)(^|[-_.])(auth|session|cookie|pass|pat|sig|private|keys|tokens)$")
"""Names of much that is no secret: a plain word under them is none."""
_LOOKS_SECRET = re.compile(
    r"(?<![A-Za-z0-9])("
    r"(sk|pk|rk)[-_][-_A-Za-z0-9.]{14,}|gh[oprsu]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|gl[a-z]{2,5}-[-_A-Za-z0-9]{16,}|"
    r"xox[a-z]-[-A-Za-z0-9]{10,}|xapp-[-A-Za-z0-9]{10,}|hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{16,}|pypi-Ag[-_A-Za-z0-9]{16,}|"
    r"(AKIA|ASIA|AROA|ABIA|ACCA)[A-Z0-9]{12,}|AIza[-_A-Za-z0-9]{16,}|ya29\.[-_A-Za-z0-9.]{16,}|"
    r"eyJ[-_A-Za-z0-9.]{16,}|SG\.[-_A-Za-z0-9.]{16,}|do[opr]_v1_[a-f0-9]{16,}|shp(at|ca|pa|ss)_[a-fA-F0-9]{16,}|"
    r"sq0[a-z]{3}-[-_A-Za-z0-9]{16,}|(lin_api|ntn|figd|dckr_pat|secret|tvly|exa|gsk|xai|pplx|r8|nvapi|fw|together|dapi|PMAK|"
    r"sntrys|sbp|rnd|vercel|tfp|pul|whsec|EAAC|AQ)[-_][-_A-Za-z0-9.]*\d[-_A-Za-z0-9.]{7,}|AGE-SECRET-KEY-[A-Z0-9]+"
    r")|-----BEGIN[ A-Z]*PRIVATE KEY.*",
    re.DOTALL,
)
"""What well-known services begin their keys with."""
_RUN = re.compile(r"[A-Za-z0-9+/_=.~-]+")
_HEX = re.compile(r"[0-9a-fA-F]{32,}")
_PLAIN_PIECE = re.compile(
    r"[a-z]{0,40}|[A-Z]{1,16}|[a-z]{0,20}([A-Z][a-z]{2,20})+|v?[0-9]{1,8}|[A-Za-z][a-z]{1,14}[0-9]{1,4}|[0-9]{1,3}[a-z]{1,14}"
)
"""A part of a name: a word, a number, a word with a number."""
_PLACE = re.compile(r"[./~]|[A-Za-z]:[\\/]|@[A-Za-z]")
"""What begins so is a path or the name of a package, whose parts may be hashes."""
_PIN = re.compile(r"@(sha256:)?[0-9a-f]{7,64}$")
"""A commit or a digest: it pins what is fetched, and is public."""
_ASSIGNED = re.compile(
    r"(?P<name>[A-Za-z_][\w.-]{0,80})(?P<equals>[\"']?\s*(?:=|:(?!//))\s*[\"']?)"
    r"(?P<value>(?:(?:bearer|basic|token|apikey)\s+)?[^\s\"',;&|<>]+)",
    re.IGNORECASE,
)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]+")
_FLAG = re.compile(r"(--?[A-Za-z][\w-]*)(=(.*))?", re.DOTALL)
_SCHEME = re.compile(r"(?i)(bearer|basic|token|apikey)\s+")
_CARRIED = re.compile(r"(?i)\b((?:bearer|basic)\s+)([^\s\"',;]{6,})")
_NOTHING = re.compile(r"(?i)|true|false|yes|no|on|off|none|null|auto|default|[0-9]{1,3}")


def redact(manifest: Manifest, secrets: Mapping[str, str] | None = None) -> Manifest:
    """Return `manifest` without secrets in any MCP server's env, args, url and headers.

    `secrets` are configured values by the name of their variable; they are found anywhere in those texts.
    """
    known = _longest_first(secrets or {})
    declared = frozenset(name for key in manifest.config if key.secret for name in (key.name, key.env))
    servers = tuple(_server(server, known, declared) for server in manifest.mcp_servers)
    return manifest.model_copy(update={"mcp_servers": servers})


def literal_secrets(server: McpServer, manifest: Manifest | None = None) -> tuple[str, ...]:
    """Return where a server's words hold what looks like a key, each with the `${NAME}` to write there.

    Never the key itself. `manifest` says which names are declared as secrets.
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
    """Return an address with `${NAME}` in the place of each key that stands in it."""
    return _address(address)


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


def _is_secret(name: str, value: str) -> bool:
    """Whether what stands under a name is a secret, told by the name."""
    if not (_SECRET_NAME.search(name) or _INSIDE.search(name)) or _ABOUT.search(name):
        return False
    if _NOTHING.fullmatch(value) or (re.search(r"(?i)(^|[-_])(max|min|num)", name) and value.isdigit()):
        return False
    return not (_WEAK.search(name) and re.fullmatch(r"[a-z]{1,12}", value))


def _is_random(text: str) -> bool:
    """Whether a text without blanks is a key by its look: long, and not made of words and numbers."""
    text = _PIN.sub("", text)
    if len(text) < 20 or _PLACE.match(text):
        return False
    if _HEX.fullmatch(text):
        return any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text)
    odd = [piece for piece in re.split(r"[-_./=+~]", text) if not _PLAIN_PIECE.fullmatch(piece)]
    return sum(map(len, odd)) >= 12


def _named(name: str, text: str, secret: bool = False) -> str:
    """Replace a value that stands under a name; the scheme of an Authorization header stays."""
    rest = _REFERENCE.sub("", text).strip()
    if not rest:
        return text
    if not (secret or _is_secret(name, rest) or _LOOKS_SECRET.fullmatch(rest) or _is_random_alone(rest)):
        return _loose(text)
    scheme = _SCHEME.match(text)
    if scheme and not text[scheme.end() :].strip():
        return text
    if scheme and _REFERENCE.fullmatch(text[scheme.end() :].strip()):
        return text
    return f"{scheme[0] if scheme else ''}${{{_variable(name)}}}"


def _is_random_alone(text: str) -> bool:
    return _RUN.fullmatch(text) is not None and _is_random(text)


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
        if flag and _is_secret(flag[1].lstrip("-"), "a value"):
            awaited = flag[1].lstrip("-")
        done.append(_loose(text))
    return tuple(done)


def _loose(text: str) -> str:
    """Replace each secret in a text that no name announces as a whole.

    That is what stands in an address, after `NAME=` or `NAME:`, after Bearer or Basic, and what looks like a key.
    """
    text = _URL.sub(lambda found: _address(found[0]), text)
    text = _ASSIGNED.sub(_assigned, text)
    text = _CARRIED.sub(lambda f: f[0] if f[2].startswith("${") else f"{f[1]}${{AUTHORIZATION}}", text)
    text = _LOOKS_SECRET.sub("${SECRET}", text)
    return re.sub(r"[^\s\"',;|<>{}()\[\]]+", lambda found: _word(found[0]), text)


def _word(word: str) -> str:
    """Replace a word that looks like a key, or the part of it after `=` or `:` that does."""
    head, sign, tail = word.rpartition("=" if "=" in word.rstrip("=") else ":")
    if word.endswith("=") or "://" in word or not sign:
        head, sign, tail = "", "", word
    return f"{head}{sign}${{SECRET}}" if _is_random_alone(tail) and not _PIN.search(word) else word


def _assigned(found: "re.Match[str]") -> str:
    name, value = found["name"], found["value"]
    if value.startswith(("$", "%")) or not _is_secret(name, value):
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
        if not _REFERENCE.fullmatch(name) and (len(name) >= 16 or _LOOKS_SECRET.search(name)):
            host = f"${{TOKEN}}{host[len(name) :]}"
    path = "/".join(_segment(piece) for piece in parts.path.split("/"))
    return urlunsplit((parts.scheme, host, path, _parameters(parts.query), _parameters(parts.fragment)))


def _segment(piece: str) -> str:
    """One part of an address's path, with its parameters (`;key=value`)."""
    first, *more = _LOOKS_SECRET.sub("${SECRET}", piece).split(";")
    named = [_parameters(pair) for pair in more]
    return ";".join(["${SECRET}" if _is_random_alone(unquote(first)) else first, *named])


def _parameters(text: str) -> str:
    pairs = []
    for pair in text.split("&") if text else []:
        name, equals, value = pair.partition("=")
        if equals:
            pairs.append(f"{name}={_named(unquote(name), value)}" if value else pair)
        else:
            pairs.append("${SECRET}" if _LOOKS_SECRET.search(pair) or _is_random_alone(pair) else pair)
    return "&".join(pairs)


def _variable(name: str) -> str:
    """Return an environment variable's name for what `name` holds."""
    words = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")
    return words if words and not words[0].isdigit() else f"SECRET_{words}".rstrip("_")
