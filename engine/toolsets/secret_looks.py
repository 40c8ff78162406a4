"""Recognizes texts that look like keys: by their names, by prefixes of well-known services, or by their randomness.

The same rules apply to all places in which someone may have written a key by mistake. If in doubt, a text counts as a
key: a reference can be filled in later, but a leaked key cannot be recalled.
"""

import re

__all__ = ["LOOKS_SECRET", "PIN", "is_named_secret", "is_random"]

_SECRET_NAME = re.compile(
    r"(?i)(^|[-_.\s]|(?<=[a-z]))(api[-_]?key|apikey|keys?|tokens?|secrets?|passw(or)?d|passphrase|passcode|pwd|pass|"
    r"credentials?|creds?|auth|authorization|cookie|session|signature|sig|bearer|jwt|pat|dsn|private|webhook)($|[-_.\s\d])"
)
_INSIDE = re.compile(r"[A-Za-z0-9](?:Key|Token|Secret|Password|Passwd|Credential|Authorization)s?(?=[A-Z]|$)")
"""Names in camel case: `apiToken`, `clientSecretValue`."""
_RUN_TOGETHER = re.compile(r"(?i)secret|passw|apikey|token(?!i[sz])")
"""Names without any boundary: `MYTOKENVALUE`."""
_ABOUT = re.compile(
    r"(?i)[-_.]?(file|path|dir|directory|name|type|url|uri|host|port|ttl|timeout|endpoint|region|mode|method|provider|"
    r"helper|algorithm|header|prefix|store|scheme|scopes?|issuer|audience|enabled|required|expiry|expires|length|limit)$"
)
"""Matches the end of names whose values describe a secret but are not secrets themselves."""
_WEAK = re.compile(r"(?i)(^|[-_.])(auth|session|cookie|pass|pat|sig|private|keys|tokens)$")
"""Names whose values are often not secrets. If the value is a plain word, it does not count as a secret."""
LOOKS_SECRET = re.compile(
    r"(?<![A-Za-z0-9])("
    r"(sk|pk|rk)[-_][-_A-Za-z0-9.]{14,}|gh[oprsu]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|gl[a-z]{2,5}-[-_A-Za-z0-9]{16,}|"
    r"xox[a-z]-[-A-Za-z0-9]{10,}|xapp-[-A-Za-z0-9]{10,}|hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{16,}|pypi-Ag[-_A-Za-z0-9]{16,}|"
    r"(AKIA|ASIA|AROA|ABIA|ACCA)[A-Z0-9]{12,}|AIza[-_A-Za-z0-9]{16,}|ya29\.[-_A-Za-z0-9.]{16,}|"
    r"eyJ[-_A-Za-z0-9.]{16,}|SG\.[-_A-Za-z0-9.]{16,}|do[opr]_v1_[a-f0-9]{16,}|shp(at|ca|pa|ss)_[a-fA-F0-9]{16,}|"
    r"sq0[a-z]{3}-[-_A-Za-z0-9]{16,}|(lin_api|ntn|figd|dckr_pat|secret|tvly|exa|gsk|xai|pplx|r8|nvapi|fw|together|dapi|PMAK|"
    r"sntrys|sbp|rnd|vercel|tfp|pul|whsec|EAAC|AQ)[-_][-_A-Za-z0-9.]{0,60}\d[-_A-Za-z0-9.]{7,}|AGE-SECRET-KEY-[A-Z0-9]+"
    r")|-----BEGIN[ A-Z]*PRIVATE KEY.*",
    re.DOTALL,
)
"""Matches keys of well-known services, which have known prefixes."""
_RUN = re.compile(r"[A-Za-z0-9+/_=.~-]+")
_HEX = re.compile(r"[0-9a-fA-F]{32,}")
_PLAIN_PIECE = re.compile(
    r"[a-z]{0,40}|[A-Z]{1,16}|[a-z]{0,20}([A-Z][a-z]{2,20})+|v?[0-9]{1,8}|[A-Za-z][a-z]{1,14}[0-9]{1,4}|[0-9]{1,3}[a-z]{1,14}"
)
"""A part of a name that is not random: a word, a number, or a word with a number."""
_PLACE = re.compile(r"[./~]|[A-Za-z]:[\\/]|@[A-Za-z]")
"""The beginning of a path or of the name of a package, whose parts may be hashes."""
PIN = re.compile(r"@(sha256:)?[0-9a-f]{7,64}$")
"""A commit or a digest, which pins a download and is public."""
_NOTHING = re.compile(r"(?i)|true|false|yes|no|on|off|none|null|auto|default|[0-9]{1,3}")


def is_named_secret(name: str, value: str) -> bool:
    """Return whether a value is a secret, judging by its name."""
    named = _SECRET_NAME.search(name) or _INSIDE.search(name) or _RUN_TOGETHER.search(name)
    if not named or _ABOUT.search(name):
        return False
    if _NOTHING.fullmatch(value) or (
        re.search(r"(?i)(^|[-_])(max|min|num)|tokens", name) and value.isdigit()
    ):
        return False
    return not (_WEAK.search(name) and re.fullmatch(r"[a-z]{1,12}", value))


def _is_random_word(text: str) -> bool:
    """Whether a text without spaces looks like a key: it is long and does not consist of words and numbers."""
    text = PIN.sub("", text)
    if len(text) < 20 or _PLACE.match(text):
        return False
    if _HEX.fullmatch(text):
        return any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text)
    odd = [piece for piece in re.split(r"[-_./=+~]", text) if not _PLAIN_PIECE.fullmatch(piece)]
    return sum(map(len, odd)) >= 12


def is_random(text: str) -> bool:
    """Return whether the whole text looks like a key."""
    return _RUN.fullmatch(text) is not None and _is_random_word(text)
