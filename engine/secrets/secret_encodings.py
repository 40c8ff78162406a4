"""The forms of a secret in text: plain, escaped, quoted, in another case, reversed, in base64 or hex.

Each form has anchors: plain pieces of text. Every text that contains the form contains at least one of them. Searching
for them is very fast; the pattern, which takes milliseconds to build, is built only for a text that contains an anchor.

A secret that a tool disguises on purpose is not found: encrypted or compressed, letter by letter, in parts, shifted by
a number, in several of these forms at once, or in a mixture of cases that `cased` does not return.
"""

import base64
import re
from collections.abc import Iterator
from functools import cached_property

__all__ = ["SecretEncoding", "encodings_of", "longest_encoding"]

_SLASHES = r"\\{0,8}"
"""Matches the backslashes before a character. Each time that JSON is put into JSON, the number of backslashes doubles.
"""
_ESCAPE = r"\\{1,8}"
_BREAK = rf"(?:[\r\n]|{_ESCAPE}[rn]|%0[AaDd]){{0,4}}"
"""Matches a line break inside base64."""
_ANY64 = "[A-Za-z0-9+/_-]"
_NEWLINE = rf"(?:\r?\n|{_ESCAPE}r{_ESCAPE}n|{_ESCAPE}n|(?:%0[Dd])?%0[Aa]|{_ESCAPE}u000[Aa])"
_RUN = re.compile(r"[A-Za-z0-9]+")
_MOST_PER_CHARACTER = 40
_SHORTEST_LINE = 16
_SHORTEST_CASED = 12
_SHORTEST_LINE_64 = 64
"""The smallest number of characters in a full line of base64 that is broken into lines: PEM uses 64, MIME 76."""
_NUL = r"(?:\x00|\\{1,8}(?:u0000|x00|0(?:00)?))"
"""Matches the zero byte of an ASCII character in UTF-16: the byte itself, and the escapes for it in JSON and shells."""
_NULS = ("\0", "\\u0000", "\\x00", "\\0")


class SecretEncoding:
    """One form of a secret."""

    def __init__(self, source: str, anchors: tuple[str, ...]) -> None:
        self._source = source
        self.anchors = anchors
        self.byte_anchors = tuple(anchor.encode() for anchor in anchors)

    @cached_property
    def pattern(self) -> "re.Pattern[str]":
        """The pattern that matches the complete form only."""
        return re.compile(self._source)


def encodings_of(value: str) -> tuple[SecretEncoding, ...]:
    """Return every form of a secret to search for, the whole secret first."""
    value = value.replace("\r\n", "\n").strip()
    found = [_written(value)]
    if "\n" in value:
        lines = {line.strip() for line in value.split("\n")}
        found += [_written(line) for line in sorted(lines, key=len, reverse=True) if _tells(line)]
    found += [_written(changed) for changed in (*cased(value), value[::-1]) if changed != value]
    data = value.encode("utf-8", "surrogatepass")
    wide = value.encode("utf-16-le", "surrogatepass")
    found += [*_in_base64(data), _in_hex(data.hex()), _in_hex(data.hex().upper()), *_in_base32(data)]
    found += [*_in_utf16(value), *_in_base64(wide), _in_hex(wide.hex())]
    return tuple(found)


def cased(value: str) -> tuple[str, ...]:
    """Return a secret in upper case, in lower case, and with its cases swapped.

    Return () if the secret is short or has no digit: it may be a word, and a word in another case is not a secret.
    """
    if len(value) < _SHORTEST_CASED or not any(map(str.isdigit, value)):
        return ()
    changed = (value.upper(), value.lower(), value.swapcase())
    return tuple(text for text in dict.fromkeys(changed) if text != value)


def longest_encoding(value: str) -> int:
    """Return an upper limit for the number of characters in any form of a secret."""
    return len(value.encode("utf-8", "surrogatepass")) * _MOST_PER_CHARACTER + 64


def _tells(line: str) -> bool:
    """Return whether one line of a secret is secret itself. The header and footer of a key, and a short last line, are
    not.
    """
    return len(line) >= _SHORTEST_LINE and not line.startswith("-----")


def _written(value: str) -> SecretEncoding:
    """Return the plain form, in which any character may be escaped or quoted."""
    pieces = re.findall(r"\\+|.", value, re.DOTALL)
    return SecretEncoding("".join(map(_sign, pieces)), (_longest_run(value),))


def _sign(sign: str) -> str:
    """Return the pattern for one character of a secret, or for a run of backslashes."""
    if sign.isascii() and sign.isalnum():
        return sign
    if sign.startswith("\\"):
        return r"(?:\\{1,64}|(?:%5[Cc])+)"
    if sign == "\n":
        return _NEWLINE
    ways = [f"{_SLASHES}{re.escape(sign)}", _quoted(sign), *_numbered(sign)]
    if letter := {"\t": "t", "\f": "f", "\b": "b", "\r": "r"}.get(sign):
        ways.append(f"{_ESCAPE}{letter}")
    if sign == " ":
        ways.append(r"\+")
    if named := {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}.get(sign):
        ways.append(f"&{named};")
    return f"(?:{'|'.join(ways)})"


def _quoted(sign: str) -> str:
    """Return the pattern for a character as URLs quote it: its bytes in hex, in either case."""
    data = sign.encode("utf-8", "surrogatepass")
    return "".join(f"%{_either_case(f'{byte:02x}')}" for byte in data)


def _numbered(sign: str) -> Iterator[str]:
    """Yield the patterns for a character as JSON, Python and HTML write it by its number."""
    code = ord(sign)
    units = sign.encode("utf-16-be", "surrogatepass").hex()
    yield "".join(f"{_ESCAPE}u{_either_case(units[i : i + 4])}" for i in range(0, len(units), 4))
    if code < 0x100:
        yield f"{_ESCAPE}x{_either_case(f'{code:02x}')}"
    else:
        yield f"{_ESCAPE}U{_either_case(f'{code:08x}')}"
    yield f"&#(?:0{{0,4}}{code}|[xX]0{{0,4}}{_either_case(f'{code:x}')});"


def _either_case(digits: str) -> str:
    return "".join(d if d.isdigit() else f"[{d.upper()}{d}]" for d in digits)


def _in_base64(data: bytes) -> Iterator[SecretEncoding]:
    """Yield the forms of a secret in base64, standard or URL-safe, at any offset in the encoded bytes.

    The characters at either end also contain bits of the neighbouring bytes. So only the inner characters are searched
    for, and the outer characters are removed with them.
    """
    for before in range(3):
        text = base64.b64encode(b"\0" * before + data).decode()
        first = (0, 2, 3)[before]
        after = (before + len(data)) % 3
        inner = text[first : len(text) - (0, 3, 2)[after]]
        signs = _BREAK.join(_sign64(sign) for sign in inner)
        head = f"(?:{_ANY64}{_BREAK})?" if before else ""
        tail = f"(?:{_BREAK}{_ANY64})?" if after else ""
        yield SecretEncoding(head + signs + tail, tuple(_longest_run(piece) for piece in _unbroken(inner)))


def _unbroken(inner: str) -> Iterator[str]:
    """Split base64 into pieces. Wherever it is broken into lines of 64 or more characters, at least one piece is within
    a single line.
    """
    pieces = len(inner) // _SHORTEST_LINE_64 + 2
    size = -(-len(inner) // pieces)
    return (inner[at : at + size] for at in range(0, len(inner), size))


def _sign64(sign: str) -> str:
    if sign == "+":
        return "(?:[+-]|%2[Bb])"
    return rf"(?:{_SLASHES}/|_|%2[Ff])" if sign == "/" else sign


def _in_hex(digits: str) -> SecretEncoding:
    return SecretEncoding(digits, (digits,))


def _in_base32(data: bytes) -> Iterator[SecretEncoding]:
    """Yield the base32 forms of a secret, in upper and lower case, at each offset in the encoded bytes. See
    `_in_base64`."""
    for before in range(5):
        text = base64.b32encode(b"\0" * before + data).decode().rstrip("=")
        inner = text[-(-8 * before // 5) : 8 * (before + len(data)) // 5]
        head = "[A-Z2-7]?" if 8 * before % 5 else ""
        tail = "[A-Z2-7]?" if 8 * (before + len(data)) % 5 else ""
        yield SecretEncoding(head + inner + tail, (inner,))
        yield SecretEncoding(f"(?i:{head}{inner}{tail})", (inner.lower(),))


def _in_utf16(value: str) -> Iterator[SecretEncoding]:
    """Yield the form of a secret with a zero after each character: UTF-16 that was read in another encoding."""
    if not value.isascii():
        return
    anchor = _longest_run(value)[:6]
    if len(anchor) > 1:
        signs = _NUL.join(_sign(sign) for sign in value)
        yield SecretEncoding(signs, tuple(nul.join(anchor) for nul in _NULS))


def _longest_run(text: str) -> str:
    """Return the longest piece of the text that no escaping changes. If there is no such piece, return "", which is in
    every text.
    """
    return max(_RUN.findall(text), key=len, default="")
