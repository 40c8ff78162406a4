"""Makes hostile archives from seeds, and imports them with limits of 256 MiB of memory and two seconds of CPU time for
each.

Run as `python -m tests.support.hostile_archives FOLDER FIRST COUNT`. It prints one JSON object: how often each code
occurred, how many archives were installed, and every seed that broke a rule.
"""

import json
import random
import resource
import signal
import struct
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from engine.errors import Invalid
from engine.toolsets.install import discard, stage
from tests.engine.toolsets.bundles import GOOD, MANIFEST, with_entry, zipped

__all__ = ["MUTATORS", "archive", "main"]

MEMORY = 256 << 20
SECONDS = 2.0
TOO_LONG = f"took more than {SECONDS} s of processor time"
Chance = random.Random

_ALIASES = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 'x'}]" for n in range(9))


def _named(chance: Chance, *names: str) -> bytes:
    return with_entry(zipfile.ZipInfo(chance.choice(names)))


def _linked(chance: Chance) -> bytes:
    info = zipfile.ZipInfo("assets/link")
    info.create_system = 3
    info.external_attr = chance.choice([0o120777, 0o010644, 0o060644, 0o140777]) << 16
    return with_entry(info, b"/etc/passwd")


def _bomb(chance: Chance) -> bytes:
    return zipped(GOOD | {"assets/zeros": bytes(chance.choice([3, 20, 60]) << 20)})


def _nested(chance: Chance) -> bytes:
    inner = zipped(GOOD)
    for _ in range(chance.randint(1, 5)):
        inner = zipped({"inner.zip": inner})
    return chance.choice([inner, zipped(GOOD | {"assets/inner.zip": inner})])


def _many(chance: Chance) -> bytes:
    return zipped(GOOD | {f"assets/{n}": b"" for n in range(chance.choice([600, 2500]))})


def _cut(chance: Chance) -> bytes:
    data = zipped(GOOD)
    return data[: chance.randrange(len(data))]


def _flipped(chance: Chance) -> bytes:
    data = bytearray(zipped(GOOD))
    for _ in range(chance.randint(1, 6)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def _headers_disagree(chance: Chance) -> bytes:
    """Return an archive with a local header that contradicts the directory."""
    data = bytearray(zipped(GOOD))
    at = data.index(b"PK\x03\x04", chance.randrange(30))
    struct.pack_into("<I", data, at + chance.choice([14, 18, 22]), chance.getrandbits(32))
    return bytes(data)


def _sizes_lie(chance: Chance) -> bytes:
    data = bytearray(zipped(GOOD))
    at = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, at + chance.choice([16, 20, 24, 42]), chance.getrandbits(32))
    return bytes(data)


def _encrypted(_: Chance) -> bytes:
    data = bytearray(zipped(GOOD))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(mark)
        data[at + offset] |= 1
    return bytes(data)


def _commented(chance: Chance) -> bytes:
    data = zipped(GOOD)
    comment = chance.randbytes(chance.choice([1, 70, 65_535]))
    return data[:-2] + struct.pack("<H", len(comment)) + comment


def _manifest(chance: Chance, *texts: str) -> bytes:
    return zipped(GOOD | {"toolset.yaml": chance.choice(texts).encode()})


def _lines(chance: Chance) -> bytes:
    """Return an archive whose manifest has repeated, missing, cut or extended lines."""
    lines = MANIFEST.splitlines()
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(lines))
        kind = chance.randrange(4)
        if kind == 0:
            lines.insert(at, lines[chance.randrange(len(lines))])
        elif kind == 1 and len(lines) > 1:
            lines.pop(at)
        elif kind == 2:
            lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]
        else:
            lines[at] += chance.choice(
                [" {", " [", " &a", " *a", " !!python/object:os.system", ' "', " '", "\t", ": :"]
            )
    return zipped(GOOD | {"toolset.yaml": "\n".join(lines).encode()})


def _deep(chance: Chance) -> bytes:
    depth = chance.choice([50, 5_000, 200_000])
    return _manifest(
        chance, MANIFEST + "config: " + "[" * depth, "a:\n" + "".join(" " * n + "-\n" for n in range(400))
    )


def _code(chance: Chance) -> bytes:
    """Return an archive with code that would do harm if it were run, or that cannot be parsed."""
    code = chance.choice(
        [
            "import os; os._exit(1)\ndef run(workspace): return {}\n",
            "raise SystemExit(1)\n",
            "def run(workspace: return {}\n",
            "x = " + "(" * 5_000,
            "\0",
            "run = lambda workspace: {}\n",
        ]
    )
    return zipped(GOOD | {"tools/greet.py": code.encode()})


MUTATORS: dict[str, Callable[[Chance], bytes]] = {
    "traversal": lambda c: _named(c, "../evil.py", "tools/../../evil", "assets/./../../x", ".."),
    "absolute": lambda c: _named(c, "/etc/cron.d/x", "//server/share", "C:/x", "C:\\x"),
    "backslash": lambda c: _named(c, "tools\\evil.py", "..\\..\\x", "\\\\?\\C:\\x"),
    "reserved": lambda c: _named(
        c, "assets/CON", "assets/nul.txt", "assets/a:b", "assets/x. ", "assets/\x01"
    ),
    "twice": lambda c: _named(c, "tools/greet.py", "Tools/Greet.py", "TOOLSET.YAML", "tools/greet.py/x"),
    "accents": lambda c: _named(
        c, "assets/é", "assets/e\u0301", "assets/\u202egnp.exe", "assets/" + "é" * 200
    ),
    "link": _linked,
    "bomb": _bomb,
    "nested": _nested,
    "many": _many,
    "cut": _cut,
    "flipped": _flipped,
    "headers": _headers_disagree,
    "sizes": _sizes_lie,
    "encrypted": _encrypted,
    "comment": _commented,
    "aliases": lambda c: _manifest(c, _ALIASES + "\n" + MANIFEST, MANIFEST + "config: &a [*a]\n"),
    "tags": lambda c: _manifest(
        c, MANIFEST + "config: !!python/object/apply:os.system [x]\n", "!x " + MANIFEST
    ),
    "duplicate keys": lambda c: _manifest(c, MANIFEST + "id: other\n", MANIFEST + 'version: "2"\n'),
    "lines": _lines,
    "deep": _deep,
    "code": _code,
}


def archive(seed: int) -> tuple[str, bytes]:
    """Return the name of the defect of a seed's archive, and the archive."""
    chance = random.Random(seed)
    name = list(MUTATORS)[seed % len(MUTATORS)]
    return name, MUTATORS[name](chance)


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise RuntimeError(TOO_LONG)


def _one(folder: Path, seed: int, seen: Counter[str]) -> str | None:
    """Import one archive; return the rule that was broken, or None."""
    name, source = archive(seed)
    root = folder / "toolsets"
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        staged = stage(source, root)
    except Invalid as error:
        seen.update({problem.code for problem in error.problems})
        if not error.problems:
            return f"{name}: refused without a problem"
    except BaseException as error:
        return f"{name}: {type(error).__name__}: {error}"
    else:
        signal.setitimer(signal.ITIMER_PROF, 0)
        seen["installed"] += 1
        outside = [p for p in folder.rglob("*") if not p.resolve().is_relative_to(root.resolve())]
        if outside:
            return f"{name}: wrote outside: {outside[:3]}"
        discard(staged)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    left = [p for p in folder.rglob("*") if p.is_file()]
    return f"{name}: left {left[:3]}" if left else None


def main() -> None:
    """Import the archives of the given seeds, and print what happened."""
    folder, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _too_long)
    seen: Counter[str] = Counter()
    broken: dict[int, str] = {}
    rule: str | None = None
    for seed in range(first, first + count):
        # On a busy machine, any archive can be slow once; an archive that is slow by itself is slow each time.
        for _ in range(3):
            rule = _one(folder, seed, seen)
            if rule is None or TOO_LONG not in rule:
                break
        if rule is not None:
            broken[seed] = rule
    result: dict[str, Any] = {"seen": dict(seen), "broken": broken}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
