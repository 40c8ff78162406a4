"""Writes the golden store of this release: `python -m tests.golden.write_store [MARK]`. Each release needs one.

With a mark, such as `format-2`, it writes another store of the same release, after a change of the format.

It is a small zipped data folder with some of everything, stored next to the contents of every read model at that time.
"""

import contextlib
import io
import json
import sys
import tempfile
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from engine.app.app import App, open_app
from engine.commands.catalog import (
    DeleteChat,
    DisableToolset,
    EditMessage,
    ForkChat,
    InstallToolset,
    RenameChat,
    SelectDepth,
    SelectLeaf,
    SetDefinition,
    UninstallToolset,
    Upload,
    UploadFiles,
)
from engine.views.documents import as_json
from events.read_models import PUBLIC
from tests.support.talk import Talk, call, write_bundle

__all__ = ["STORES", "main", "told"]

STORES = Path(__file__).parent / "stores"
_TIME = (2026, 1, 1, 0, 0, 0)
LEFT_OUT = {"anabranch.lock", "cache"}
"""Names in the data folder: what holds it, and what is computed again."""


def told(app: App, position: int) -> dict[str, Any]:
    """All read models as of `position`."""
    state: dict[str, Any] = as_json({name: app.read(name, at=position) for name in PUBLIC})
    return state


def fill(app: App, folder: Path) -> None:
    """Fill the store with some of everything."""
    app.send(InstallToolset(zipped(write_bundle(folder / "kit")), "yes", source_ref="kit.zip"))
    talk = Talk(app, folder)
    app.send(UploadFiles(talk.chat_id, [Upload("teams.csv", b"team,points\nReds,3\nBlues,9\n")]))
    talk.replies(
        {
            "reasoning": "They want a number.",
            "text": "I count. ",
            "calls": [
                call("query", sql="SELECT team, sum(points) AS points FROM teams GROUP BY 1", title="Points")
            ],
        },
        {
            "text": "And note it. ",
            "calls": [call("put", files={"notes.md": "# Notes\n"}), call("look", fail="it was told to fail")],
        },
        {"text": "Blues have most.", "tokens_in": 100, "tokens_out": 7},
        {"text": "Again: Blues."},
        {"text": "Blues lead."},
    )
    talk.ask("Who has most points?", files=[Upload("teams.csv", b"team,points\nGreens,1\n")])
    question, *_, answer = talk.branch()
    edited = app.send(EditMessage(talk.chat_id, question.message_id, "Which team leads?"))
    talk.ended(edited.turn_id)
    app.send(SelectLeaf(talk.chat_id, answer.message_id))
    talk.retry(answer.message_id)
    app.send(RenameChat(talk.chat_id, "Points — naïve “título”"))
    app.send(ForkChat(talk.chat_id, answer.message_id))
    app.send(SelectDepth(talk.chat_id, "thorough"))
    app.send(SetDefinition("lead", "to have the most points"))
    app.send(SetDefinition("lead", "to have the most points, or as many as another team"))
    app.send(SetDefinition("reds", "the first team", chat_id=talk.chat_id))
    talk.ask("Who takes the lead?")
    other = Talk(app, folder)
    other.replies({"error": "Nothing listens there."})
    other.ask("Are you there?")
    app.send(DeleteChat(other.chat_id))
    app.send(DisableToolset("app-builder"))
    app.send(UninstallToolset("kit"))


def zipped(data: Path) -> bytes:
    """The data folder as a ZIP, in a fixed order and without times."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(
            p for p in data.rglob("*") if p.is_file() and p.relative_to(data).parts[0] not in LEFT_OUT
        ):
            info = zipfile.ZipInfo(path.relative_to(data).as_posix(), _TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())
    return packed.getvalue()


def main() -> None:
    """Write this release's store, unless it exists."""
    release = "-".join([version("anabranch"), *sys.argv[1:]])
    target = STORES / f"{release}.zip"
    if target.exists():
        sys.exit(f"{target.name} is there already. A golden store is never written anew.")
    # Relative paths, so that nothing of this machine stands in the store.
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        data = Path("data")
        with open_app(data) as app:
            fill(app, Path())
            position = app.log.head()
            state = told(app, position)
        packed = zipped(data)
    STORES.mkdir(exist_ok=True)
    target.write_bytes(packed)
    expected = {"position": position, "state": state}
    target.with_suffix(".json").write_text(
        json.dumps(expected, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    )


if __name__ == "__main__":
    main()
