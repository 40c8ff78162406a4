"""Detects names that imitate other names, and shows hidden characters in texts.

A stranger chooses the names and descriptions of a bundle. Names of Anabranch itself and of the bundles that ship are
refused in every spelling that looks like them, and invisible characters are shown as codes when texts are displayed.
"""

import unicodedata
from collections.abc import Iterable

__all__ = ["looks_like", "reserved_id", "visible", "visible_json", "visible_lines"]

RESERVED = (
    "builtin", "builtins", "built-in-tools", "mcp", "anabranch", "anabranch-tool", "anabranch-tools", "shipped",
    "system", "admin", "administrator",
)  # fmt: skip
"""Ids that refer to parts of Anabranch itself."""

_ALIKE = str.maketrans(
    "0135|!$@"  # symbols and digits that look like letters
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u043a\u043c\u043d\u0442\u0432\u0433"
    "\u03b1\u03bf\u03c1\u03b9\u03bd\u03ba\u03c4\u03c5\u03c7\u03b5\u03b7\u0131\u0142\u00f8\u0251\u0261",
    "oleslisaaeopcyxijshdqwkmhtbraopivktuxeniloag",
)
_ALIKE_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("i", "l"), ("j", "l"))
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that are letters or marks according to Unicode, but look blank to a reader."""
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def looks_like(text: str) -> str:
    """Return a key for a text's appearance. Names that can be mistaken for each other have the same key."""
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_ALIKE)
    seen = "".join(sign for sign in unicodedata.normalize("NFKD", plain) if sign.isalnum())
    for pair, one in _ALIKE_PAIRS:
        seen = seen.replace(pair, one)
    return seen


def reserved_id(own: str, shipped: Iterable[str]) -> str | None:
    """Return the reserved id that `own` equals or looks like; None if `own` may be used.

    `shipped` contains the ids of the bundles that ship with Anabranch. Each may be used only in exactly this spelling.
    """
    seen = looks_like(own)
    taken = [name for name in RESERVED if looks_like(name) == seen]
    taken += [name for name in shipped if looks_like(name) == seen and name != own]
    return taken[0] if taken else None


def visible(text: str) -> str:
    """Return a text on one line, in which invisible characters and characters that change the text's direction are
    shown as codes.
    """
    return visible_lines(" ".join(text.split()))


def visible_lines(text: str) -> str:
    """Return a text like `visible`, but keep its lines and tabs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        sign if sign in "\n\t" or _is_seen(sign) else f"<U+{ord(sign):04X}>"
        for sign in text.replace("\r\n", "\n")
    )


def visible_json(text: str) -> str:
    """Return JSON text that has the same value, but in which every invisible character is escaped."""
    if text.isascii():
        return text
    return "".join(sign if sign in "\n\t" or _is_seen(sign) else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _is_seen(sign: str) -> bool:
    if sign.isascii():
        return sign.isprintable()
    return unicodedata.category(sign) not in _HIDDEN and sign not in _INVISIBLE and not _selects(sign)


def _selects(sign: str) -> bool:
    """Whether a character is a variation selector, which can encode hidden bytes. The sixteenth selector is not
    counted, because emoji use it.
    """
    return "\ufe00" <= sign <= "\ufe0e" or "\U000e0100" <= sign <= "\U000e01ef"
