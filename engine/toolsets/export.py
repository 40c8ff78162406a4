"""Exports a toolset: writes `toolset.yaml` from the facts in the log, and adds the stored files.

The same toolset always gives the same bytes: entries are sorted, and all have the same time and mode.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from engine.errors import Unavailable
from engine.toolsets.bundle_sources import MAX_RATIO, RATIO_FREE_BYTES
from engine.toolsets.install import StoredFile
from engine.toolsets.manifest import MANIFEST_NAME, Manifest
from engine.toolsets.manifest_yaml import plain_value, reads_two_ways
from engine.toolsets.redact import redact
from engine.toolsets.skill import SKILL_NAME
from events.json_value import JSON, JSONObject

__all__ = ["export_toolset", "manifest_to_yaml", "pack", "stored_contents"]

_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16


def manifest_to_yaml(manifest: Manifest) -> str:
    """Return a manifest as `toolset.yaml`, without defaults. Reading the text gives an equal manifest."""
    value = manifest.to_json()
    short: JSONObject = {key: item for key, item in value.items() if item not in ([], "") or key == "tools"}
    short["tools"] = [_tool(tool) for tool in _objects(value["tools"])]
    short["mcp_servers"] = [_without(server, _SERVER) for server in _objects(value["mcp_servers"])]
    short["config"] = [_without(key, _CONFIG) for key in _objects(value["config"])]
    ordered = {key: short[key] for key in Manifest.model_fields if short.get(key)}
    return yaml.dump(
        ordered, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=100
    )


def export_toolset(
    manifest: Manifest, contents: Mapping[str, bytes], secrets: Mapping[str, str] | None = None
) -> bytes:
    """Return the ZIP of a toolset: its manifest without secrets, and `contents` (path → bytes).

    A skill that was installed without a manifest is exported without a manifest.
    """
    if MANIFEST_NAME not in contents and SKILL_NAME in contents:
        return pack(contents)
    files = dict(contents) | {MANIFEST_NAME: manifest_to_yaml(redact(manifest, secrets)).encode()}
    return pack(files)


def pack(contents: Mapping[str, bytes]) -> bytes:
    """Return a ZIP of `contents`; the same files give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, data in sorted(contents.items()):
            info = zipfile.ZipInfo(path, _TIME)
            info.create_system = 3  # always Unix, because the archive must be the same on every system
            info.external_attr = _MODE
            info.compress_type = _method(data)
            archive.writestr(info, data, compresslevel=9)
    return packed.getvalue()


def stored_contents(data_folder: Path, files: Iterable[StoredFile]) -> dict[str, bytes]:
    """Read a stored version's files: path in the bundle → bytes.

    Raises: Unavailable: a file is missing or unreadable (`toolset_file_missing`), or has changed since it was installed
    (`toolset_changed`).
    """
    contents: dict[str, bytes] = {}
    for file in sorted(files, key=lambda file: file.path):
        try:
            data = (data_folder / file.stored_path).read_bytes()
        except OSError as error:
            raise Unavailable(
                "toolset_file_missing",
                f"The toolset's file {file.path} cannot be read ({error.strerror}). "
                f"To restore it, run `anabranch toolset restore {file.toolset_id}`.",
            ) from error
        if sha256(data).hexdigest() != file.sha256:
            raise Unavailable(
                "toolset_changed",
                f"{file.path} has changed since it was installed. To restore it, run "
                f"`anabranch toolset restore {file.toolset_id}`.",
            )
        contents[file.path] = data
    return contents


_SERVER: JSONObject = {
    "command": None,
    "args": [],
    "env": {},
    "url": None,
    "headers": {},
    "network": False,
    "paths": [],
    "unconfined": False,
    "auto_enabled": True,
}
_CONFIG: JSONObject = {"description": "", "secret": False, "required": False, "unless": []}
_TOOL: JSONObject = {
    "category": "",
    "requires_confirmation": False,
    "timeout": 60.0,
    "renderer": None,
    "command_argument": None,
    "examples": [],
    "runtime": "plain",
}
_RENDERER: JSONObject = {"config": {}, "priority": 0}
_EXAMPLE: JSONObject = {"description": "", "files": {}, "expected_keys": []}


def _tool(tool: JSONObject) -> JSONObject:
    short = _without(tool, _TOOL)
    if isinstance(renderer := short.get("renderer"), dict):
        short["renderer"] = _without(renderer, _RENDERER)
    if "examples" in short:
        short["examples"] = [_without(example, _EXAMPLE) for example in _objects(short["examples"])]
    return short


def _without(value: JSONObject, defaults: JSONObject) -> JSONObject:
    return {key: item for key, item in value.items() if key not in defaults or item != defaults[key]}


def _objects(value: JSON) -> list[JSONObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _method(data: bytes) -> int:
    """Return the ZIP method for a file. A file that would compress too well is stored uncompressed; otherwise an import
    would take it for a ZIP bomb.
    """
    bomb = len(data) > RATIO_FREE_BYTES and len(zlib.compress(data, 9)) * MAX_RATIO < len(data)
    return zipfile.ZIP_STORED if bomb else zipfile.ZIP_DEFLATED


class _Dumper(yaml.SafeDumper):
    """Writes a text without quotes if `manifest_yaml` reads it back as the same text, and with quotes otherwise. Uses
    no aliases.
    """

    def ignore_aliases(self, _data: Any) -> bool:
        """Never write an anchor: two equal values are written twice."""
        return True


_BREAKS = re.compile(r"[^\n -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]")
"""Characters that YAML treats as the end of a line, or allows only in escaped form."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    quoted = bool(_BREAKS.search(text)) or not isinstance(plain_value(text), str) or reads_two_ways(text)
    style = '"' if quoted else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
