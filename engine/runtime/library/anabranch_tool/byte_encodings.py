"""Guesses the encoding of a text that is neither UTF-8 nor UTF-16, from the letters that its bytes would represent.

Most such files are in a Western European encoding, so another encoding is chosen only if there is evidence for it:
words without any ASCII letter are not in a Latin script, and letters that never occur together in a Western language
belong to another script.
"""

import re
from mmap import ACCESS_READ, mmap
from pathlib import Path

__all__ = ["guess_encoding"]

_LINES = re.compile(rb"[^\n\x80-\xff]*[\x80-\xff][^\n]*")
_LOOKED_AT = 400
"""The maximum number of lines with bytes beyond ASCII that are examined."""
_LONGEST = 500
_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_OTHER_SCRIPTS = [
    *("cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256"),
    *("shift_jis", "gb18030", "big5", "euc_kr"),
]
_WESTERN = "cp1252"


def guess_encoding(file: Path) -> str:
    """Return the encoding that turns the bytes of `file` into words; Western European if there is no evidence for
    another one.
    """
    with file.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as text:
        lines = [
            found[0][:_LONGEST] for found, _ in zip(_LINES.finditer(text), range(_LOOKED_AT), strict=False)
        ]
    data = b"\n".join(lines)
    if _is_another_script(data):
        # takes a moment to load, and most files do not need it
        from charset_normalizer import from_bytes  # noqa: PLC0415

        words = b" ".join(_WORD.findall(data))
        best = from_bytes(words, cp_isolation=_OTHER_SCRIPTS).best()
        best = best or from_bytes(data, cp_isolation=_OTHER_SCRIPTS, threshold=0.6).best()
        return best.encoding if best is not None else _WESTERN
    return _latin(data)


def _is_another_script(data: bytes) -> bool:
    """Return whether most bytes beyond ASCII are in words that consist almost only of such bytes."""
    inside = alone = 0
    for word in _WORD.findall(data):
        high = sum(byte > 127 for byte in word)
        if high > 1 and high > 0.6 * len(word):
            alone += high
        else:
            inside += high
    return alone > 4 * inside


def _latin(data: bytes) -> str:
    western = data.decode(_WESTERN, "replace")
    if re.search(r"[a-zA-Zó][¹³¿¾][a-zA-Zñóæê]|\b£[a-zó]|\ufffd", western) or (
        re.search("[šžŠŽ]", western) and re.search("[øìèùïò]", western)
    ):
        return "cp1250"
    if re.search("[þðýÝÞÐ]", western) and re.search("[çüÇÜ]", western) and not re.search("[áéíúæ]", western):
        return "cp1254"
    return _WESTERN
