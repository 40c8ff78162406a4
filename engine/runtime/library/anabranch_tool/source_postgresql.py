"""Reads PostgreSQL through ADBC, in a read-only transaction that the server enforces and that ends with this
process."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

import adbc_driver_manager
import adbc_driver_postgresql.dbapi as postgresql
import pyarrow as pa

from anabranch_tool.source_errors import SourceError
from anabranch_tool.source_numerics import exact_numbers

__all__ = ["connect", "stop"]

_CONNECTING = 10
"""The time limit for connecting, in seconds."""
_TYPES = """
bool int2 int4 int8 float4 float8 numeric text varchar bpchar name char date time timestamp timestamptz bytea
"""
_PLAIN = frozenset(_TYPES.split())
"""Types whose values arrive unchanged; values of other types are read as text."""
_EXACTLY = {"money": "numeric", "oid": "int8"}
"""Types whose values another type can represent exactly."""
_VERSION = "SELECT current_setting('server_version')"
_SYSTEM = "('pg_catalog', 'information_schema', 'pg_toast')"
_TABLES = f"""
SELECT n.nspname, c.relname, c.relkind::text, CASE WHEN c.reltuples >= 0 THEN c.reltuples::int8 END,
       (SELECT json_agg(json_build_array(a.attname, format_type(a.atttypid, a.atttypmod), coalesce((
            SELECT CASE k.contype WHEN 'p' THEN 'key' ELSE '→ ' || k.confrelid::regclass::text END
            FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'f') AND a.attnum = ANY (k.conkey)
            ORDER BY k.contype DESC LIMIT 1), '')) ORDER BY a.attnum)
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        AND has_column_privilege(c.oid, a.attnum, 'SELECT'))::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN {_SYSTEM} AND n.nspname NOT LIKE 'pg\\_%'
  AND NOT c.relispartition AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
ORDER BY 1, 2
"""
_KINDS = {"r": "table", "p": "table", "v": "view", "m": "view", "f": "foreign table"}
_DECIDED: tuple[tuple[str, str, str], ...] = (
    (r"password authentication failed|no password supplied|authentication failed|SASL", "wrong_key",
     "{name} refused the password for {user}. The address answers, so the network is fine. Enter the password again, "
     "or ask the administrator of {host} to reset it."),
    (r'role "[^"]*" does not exist|no pg_hba.conf entry|is not permitted to log in|permission denied for database',
     "no_right", "{name} does not let {user} in from this computer: {said}. Ask its administrator for permission."),
    (r'database "[^"]*" does not exist', "no_database",
     "{host} has no database {database}. Correct the end of the address."),
    (r"too many (clients|connections)|remaining connection slots", "cannot_connect",
     "{host} has no free connection: {said}. Try again later."),
    (r"could not translate host name", "cannot_connect",
     "There is no host named {host}. Check the address, and whether you are on the right network or VPN."),
    (r"Connection refused", "cannot_connect",
     "{host} can be reached, but nothing is listening on port {port}. Check the port, and whether the database "
     "is running."),
    (r"timeout expired|timed out", "cannot_connect",
     f"{{host}} did not answer within {_CONNECTING} seconds. Check the address, the VPN and the firewall."),
    (r"SSL|certificate", "cannot_connect", "The encrypted connection to {host} failed: {said}."),
)  # fmt: skip


def connect(source: Mapping[str, Any]) -> "_Connection":
    """See `source_connections.connect`."""
    return _Connection(source)


def stop(source: Mapping[str, Any], call_id: str) -> int:
    """See `source_connections.stop`: uses a second connection, which may cancel statements of the same user."""
    other = _Connection({**source, "call_id": "stop"})
    try:
        sql = (
            "SELECT count(pg_cancel_backend(pid))::int8 FROM pg_stat_activity "
            f"WHERE application_name = '{_application(call_id)}' AND usename = current_user"
        )
        return int(other.rows(sql)[0][0])
    finally:
        other.close()


class _Connection:
    def __init__(self, source: Mapping[str, Any]) -> None:
        self._source = source
        self._as_text: dict[str, None] = {}
        try:
            self._open = postgresql.connect(_address(source))
        except adbc_driver_manager.Error as error:
            raise _not_connected(str(error), source) from None
        try:
            self.rows("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY", fetch=False)
            self.rows(
                "SELECT set_config(name, '1000', true) FROM pg_settings WHERE name = 'client_connection_check_interval'"
            )
        except SourceError:
            self.close()
            raise

    def rows(self, sql: str, *, fetch: bool = True) -> list[tuple[Any, ...]]:
        """Run one of Anabranch's own statements."""
        with self._open.cursor() as cursor:
            try:
                cursor.execute(sql)
                return cursor.fetchall() if fetch else []
            except adbc_driver_manager.Error as error:
                raise _failed(error, self._source) from None

    def server(self) -> str:
        """See `Connection.server`."""
        return f"PostgreSQL {self.rows(_VERSION)[0][0].split()[0]}"

    def tables(self) -> Iterator[dict[str, Any]]:
        """See `Connection.tables`."""
        import json  # noqa: PLC0415 - only here

        for schema, name, kind, rows, columns in self.rows(_TABLES):
            listed = [{"name": a, "type": b, "note": c} for a, b, c in json.loads(columns or "[]")]
            yield {"schema": schema, "name": name, "kind": _KINDS[kind], "rows": rows, "columns": listed}

    def snapshot(self) -> dict[str, Any]:
        """See `Connection.snapshot`. The identifier says which transactions the reading transaction can see."""
        found = self.rows(
            "SELECT pg_current_snapshot()::text, "
            "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
        )
        return {"id": found[0][0], "at": found[0][1]}

    def read(self, sql: str) -> Iterator[pa.RecordBatch]:
        """See `Connection.read`."""
        with self._open.cursor() as cursor:
            try:
                schema = cursor.adbc_execute_schema(sql)
                for field in schema:
                    if _type_of(field) not in _PLAIN and _type_of(field) not in _EXACTLY:
                        self._read_as_text(field.name)
                cursor.execute(_readable(sql, schema))
                reader = cursor.fetch_record_batch()
                yield from exact_numbers(reader, self._read_as_text)
            except adbc_driver_manager.Error as error:
                raise _failed(error, self._source) from None
            except pa.ArrowException as error:  # errors that the stream raises after the first batch
                raise _failed(error, self._source) from None
            except OSError as error:
                raise _failed(error, self._source) from None

    def as_text(self) -> tuple[str, ...]:
        """See `Connection.as_text`."""
        return tuple(self._as_text)

    def close(self) -> None:
        """See `Connection.close`."""
        self._open.close()

    def _read_as_text(self, name: str) -> None:
        self._as_text[name] = None


def _readable(sql: str, schema: pa.Schema) -> str:
    """Return the statement with all columns converted to types that arrive unchanged."""
    kinds = [_type_of(field) for field in schema]
    if all(kind in _PLAIN for kind in kinds):
        return sql
    names = [f"c{at}" for at in range(len(kinds))]
    shown = [
        f"{name}{_cast(kind)} AS {_quoted(field.name)}"
        for name, kind, field in zip(names, kinds, schema, strict=True)
    ]
    return f"SELECT {', '.join(shown)} FROM ({sql}\n) AS q({', '.join(names)})"


def _cast(kind: str) -> str:
    return "" if kind in _PLAIN else f"::{_EXACTLY.get(kind, 'text')}"


def _type_of(field: pa.Field) -> str:
    return str((field.metadata or {}).get(b"POSTGRESQL:type", b"").decode())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _application(call_id: str) -> str:
    return f"anabranch-{re.sub('[^A-Za-z0-9-]', '', call_id)}"[:60]


def _address(source: Mapping[str, Any]) -> str:
    login = quote(source["user"] or "", safe="")
    if source["key"]:
        login += f":{quote(source['key'], safe='')}"
    milliseconds = int(source["seconds"] * 1000)
    options = (
        f"-c default_transaction_read_only=on -c statement_timeout={milliseconds} -c lock_timeout={milliseconds} "
        f"-c idle_in_transaction_session_timeout={milliseconds + 60_000} -c TimeZone=UTC"
    )
    settings = {
        "connect_timeout": str(_CONNECTING),
        **source["parameters"],
        "application_name": _application(source["call_id"]),
        "options": options,
    }
    host = f"[{source['host']}]" if ":" in source["host"] else source["host"]
    where = f"{host}:{source['port']}/{quote(source['database'], safe='')}"
    return f"postgresql://{login}@{where}?{urlencode(settings, quote_via=quote)}"


def _not_connected(said: str, source: Mapping[str, Any]) -> SourceError:
    said = said.removeprefix("IO: ").removeprefix("[libpq] ").removeprefix("Failed to connect: ").strip()
    told = _told(source) | {"said": said.rpartition("FATAL:")[2].strip().splitlines()[0]}
    for pattern, kind, words in _DECIDED:
        if re.search(pattern, said):
            return SourceError(kind, words.format_map(told))
    return SourceError("cannot_connect", f"{source['name']} could not be reached: {told['said']}")


def _failed(error: Exception, source: Mapping[str, Any]) -> SourceError:
    """Return the `SourceError` for an error of the server, according to its SQLSTATE."""
    code, said = getattr(error, "sqlstate", None) or "", _said(str(error))
    if not code and (found := re.search(r"SQLSTATE: (\w{5})", str(error))):
        code = found[1]
    name, seconds = source["name"], source["seconds"]
    if code == "57014" or "statement timeout" in said:
        if "user request" in said:
            return SourceError("too_slow", f"The query was stopped at {name}.", code)
        words = f"The query took longer than the {seconds:g} seconds that {name} allows, so the server stopped it. "
        return SourceError(
            "too_slow", f"{words}Read fewer rows, aggregate, or raise the source's limit.", code
        )
    if code == "42501":
        return SourceError("no_right", f"{_told(source)['user']} may not read this: {said}", code)
    if code in ("42P01", "3F000"):
        words = (
            f"{said}. If it was there before, it was dropped or renamed. Refresh the table list of {name}."
        )
        return SourceError("table_gone", words, code)
    if code.startswith(("08", "57P")) or "server closed the connection" in said or "no connection to" in said:
        return SourceError(
            "lost", f"The connection to {name} was lost during reading: {said}. Try again.", code
        )
    return SourceError("failed", f"{name} reports: {said}", code)


def _said(text: str) -> str:
    """Return the server's own message, without the words that the driver adds."""
    found = re.search(r"(?:ERROR|FATAL):\s+(.*?)(?:\n?\.? SQLSTATE: \w+|\n\nQuery was:.*|$)", text, re.DOTALL)
    return (found[1] if found else text).strip()[:1_500].rstrip(".")


def _told(source: Mapping[str, Any]) -> dict[str, Any]:
    user = f"“{source['user']}”" if source["user"] else "a connection without a user name"
    return {"name": source["name"], "user": user, "host": source["host"], "port": source["port"],
            "database": source["database"]}  # fmt: skip
