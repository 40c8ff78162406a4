"""Remembers the tools that each server last offered, so that they are known before the server connects. The files may
be deleted at any time."""

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from engine.secrets.scrubber import Scrubber
from engine.tools.mcp.values import OfferedTool, ServerSpec
from events.canonical import canonical_json

__all__ = ["OfferedTools"]


class OfferedTools:
    """Stores one small file per server, which is valid only for the server's current configuration."""

    def __init__(self, folder: Path, scrubber: Scrubber) -> None:
        self._folder = folder
        self._scrubber = scrubber

    def tools(self, spec: ServerSpec) -> tuple[OfferedTool, ...]:
        """Return the tools that the server last offered; an empty tuple if they are unknown or from another
        configuration.
        """
        try:
            kept = json.loads(self._file(spec).read_text("utf-8"))
            return tuple(OfferedTool(**tool) for tool in kept["tools"])
        except (OSError, ValueError, TypeError, KeyError):
            return ()

    def keep(self, spec: ServerSpec, tools: tuple[OfferedTool, ...]) -> None:
        """Store a server's tools; disk errors are ignored."""
        with suppress(OSError, ValueError):
            text = canonical_json(self._scrubber.json({"tools": [tool.to_json() for tool in tools]}))
            self._folder.mkdir(parents=True, exist_ok=True)
            fresh = self._file(spec).with_suffix(".new")
            fresh.write_text(text, "utf-8")
            fresh.replace(self._file(spec))

    def _file(self, spec: ServerSpec) -> Path:
        mark = sha256(spec.config.model_dump_json().encode()).hexdigest()[:12]
        return self._folder / f"{spec.id}-{mark}.json"
