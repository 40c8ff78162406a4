"""Reads a bundle's manifest only once for the same content, because all visitors of a demo begin with the same
toolsets."""

from engine.system.weighted_cache import WeightedCache
from engine.toolsets.archive import BundleFiles
from engine.toolsets.manifest_read import ReadManifest, read_manifest

__all__ = ["manifest_of"]

_READ: WeightedCache[tuple[str, str], ReadManifest] = WeightedCache(64, lambda _: 1)
"""The manifests that were read last, by the content hash and folder of the bundle. The cached values are immutable."""


def manifest_of(files: BundleFiles) -> ReadManifest:
    """Return the checked manifest of a bundle; see `read_manifest`."""
    key = (files.content_hash, files.folder)
    known = _READ.get(key)
    if known is None:
        known = read_manifest(files, files.folder)
        _READ.put(key, known)
    return known
