"""The full map of a state of the files, added up from recorded changes; the maps that were used last are cached."""

from collections import OrderedDict
from collections.abc import Mapping

from engine.deciders.manifest_changes import changes_of
from engine.workspace.manifest import FileEntry
from events.catalog.workspace import ManifestRecorded

__all__ = ["FileMaps"]

_KEPT = 16


class FileMaps:
    """The maps that were asked for last: one for each state would be states times files."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Mapping[str, FileEntry]] = OrderedDict()

    def of(
        self, manifest_id: str | None, manifests: Mapping[str, ManifestRecorded]
    ) -> Mapping[str, FileEntry]:
        """Return the files of a state; `manifests` are the recorded states, each with its changes to its parent."""
        if manifest_id is None:
            return {}
        if manifest_id in self._kept:
            self._kept.move_to_end(manifest_id)
            return self._kept[manifest_id]
        missing: list[ManifestRecorded] = []
        at: str | None = manifest_id
        while at is not None and at not in self._kept:
            missing.append(manifests[at])
            at = manifests[at].parent_id
        files = dict(self._kept[at]) if at is not None else {}
        for recorded in reversed(missing):
            changes = changes_of(recorded)
            for path in changes.removed:
                files.pop(path, None)
            files.update(changes.added)
            files.update(changes.changed)
        self._kept[manifest_id] = dict(sorted(files.items()))
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return self._kept[manifest_id]
