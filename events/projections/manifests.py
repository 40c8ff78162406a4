"""The states of each chat's files: the changes that led to each state, and all its files by path."""

from events.projections.fields import of_types
from events.projections.registers import View
from events.projections.views import Value, chat_of, events_view, json_value, log_column, text

__all__ = ["MANIFEST_FILES", "WORKSPACE_MANIFESTS"]

_CHANGES = ("added", "changed", "removed")

WORKSPACE_MANIFESTS = events_view(
    "workspace_manifests",
    "ManifestRecorded",
    {
        "id": log_column("manifest_id"),
        "chat_id": chat_of,
        "parent_id": log_column("parent_id"),
        "message_id": log_column("message_id"),
        "call_id": log_column("call_id"),
        "changes": Value(
            "json_object('added', {0}payload->'$.added', 'changed', {0}payload->'$.changed', "
            "'removed', {0}payload->'$.removed')",
            lambda event: {name: event.payload.get(name) for name in _CHANGES},
        ),
        "created_at": log_column("occurred_at"),
        "source": text("source"),
        "source_ref": text("source_ref"),
        "left_out": json_value("left_out"),
        "position": log_column("position"),
    },
)
"""The states of each chat's files, each as the changes to its parent state."""

MANIFEST_FILES = View(
    "manifest_files",
    f"""
    WITH RECURSIVE recorded AS (
      SELECT manifest_id, parent_id, position, payload FROM event_log WHERE {of_types("ManifestRecorded")}
    ), line(manifest_id, ancestor_id, depth) AS (
      SELECT DISTINCT manifest_id, manifest_id, 0 FROM recorded
      UNION ALL
      SELECT l.manifest_id, r.parent_id, l.depth + 1
      FROM line l JOIN recorded r ON r.manifest_id = l.ancestor_id WHERE r.parent_id IS NOT NULL
    ), touched AS (
      SELECT manifest_id, position, 3 AS turn, f.key AS path, f.value AS file
      FROM recorded, json_each(payload->'$.added') f
      UNION ALL
      SELECT manifest_id, position, 2, f.key, f.value FROM recorded, json_each(payload->'$.changed') f
      UNION ALL
      SELECT manifest_id, position, 1, f.value->>'$', NULL FROM recorded, json_each(payload->'$.removed') f
    ), latest AS (
      SELECT l.manifest_id, t.path, arg_min_null(t.file, row(l.depth, -t.position, -t.turn)) AS file
      FROM line l JOIN touched t ON t.manifest_id = l.ancestor_id GROUP BY ALL
    )
    SELECT manifest_id, path, file->>'$.sha256' AS sha256, CAST(file->>'$.size' AS BIGINT) AS size,
           CAST(file->>'$.executable' AS BOOLEAN) AS executable
    FROM latest WHERE file IS NOT NULL
    """,
    "manifest_id, path",
)
"""All files in each state of a chat's files, by path."""
