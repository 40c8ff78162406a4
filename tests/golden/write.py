"""Adds the golden files that are missing: `python -m tests.golden.write`.

An existing file is never rewritten: these files prove that events of old releases can still be decoded. If the
shape of an event changes, its version goes up; the old files stay, and this adds the files of the new version.
"""

import json
from pathlib import Path

from events.catalog.event_types import EVENT_TYPES
from tests.golden.samples import Golden, full, least

__all__ = ["FOLDER", "missing"]

FOLDER = Path(__file__).parent / "events"


def missing() -> dict[Path, Golden]:
    """Return the files that this release needs for each (type, version) and that do not exist."""
    wanted = {
        FOLDER / f"{name}.v{event.schema_version}.{kind}.json": make(event)
        for name, event in EVENT_TYPES.items()
        for kind, make in (("full", full), ("least", least))
    }
    return {path: golden for path, golden in wanted.items() if not path.exists()}


def main() -> None:
    """Write the missing files, and print their names."""
    FOLDER.mkdir(exist_ok=True)
    for path, golden in missing().items():
        path.write_text(json.dumps(golden, ensure_ascii=False, indent=2, sort_keys=True) + "\n")
        print(path.name)


if __name__ == "__main__":
    main()
