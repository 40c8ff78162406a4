"""Flight SQL engines through ADBC: Spark SQL (Sail), Dremio, GizmoSQL and others. Results stay in Arrow format.

The protocol has no read-only connection and no statement timeout. So each statement is checked to make sure that it
only reads. A query that takes too long is stopped by ending the process that receives the result.
"""

import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from queue import Empty, Queue
from threading import Thread
from typing import Any

import adbc_driver_flightsql.dbapi as flightsql
import adbc_driver_manager
import pyarrow as pa
from adbc_driver_flightsql import DatabaseOptions

from anabranch_tool.source_errors import SourceError

__all__ = ["connect", "stop"]

_CONNECTING = 10
"""The time limit for connecting, in seconds."""
_MOST_LOOKED_AT = 500
"""The maximum number of tables whose columns are requested one by one, if the server lists them in no other way."""
_SYSTEM = frozenset({"information_schema", "sys", "pg_catalog", "system"})
_COLUMNS = """
SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
ORDER BY table_schema, table_name, ordinal_position
"""


def connect(source: Mapping[str, Any]) -> "_Connection":
    """See `source_connections.connect`."""
    return _Connection(source)


def stop(source: Mapping[str, Any], call_id: str) -> int:  # noqa: ARG001 - the protocol has no such thing
    """See `source_connections.stop`. The server sees that the ended process's stream closes, and cancels the
    statement.
    """
    return 0


class _Connection:
    def __init__(self, source: Mapping[str, Any]) -> None:
        self._source = source
        self._as_text: tuple[str, ...] = ()
        self._expired = False
        self._cursor: flightsql.Cursor | None = None
        _require_answer(source)
        try:
            self._open = flightsql.connect(_address(source), db_kwargs=_login(source), autocommit=True)
        except adbc_driver_manager.Error as error:
            raise _not_flight(_failed(error, source), source) from None
        try:
            self._rows("SELECT 1")
        except SourceError as error:
            self.close()
            raise _not_flight(error, source) from None

    def server(self) -> str:
        """See `Connection.server`."""
        told = self._open.adbc_get_info()
        name = str(told.get("vendor_name") or "Flight SQL")
        version = str(told.get("vendor_version") or "")
        with suppress(SourceError):
            version = str(self._rows("SELECT version()")[0][0])
        return f"{name} {version}".strip()[:80] if "unknown" not in version else name

    def tables(self) -> Iterator[dict[str, Any]]:
        """See `Connection.tables`. The tables are listed with the protocol; if this fails, with the server's SQL."""
        for way in (self._by_protocol, self._by_columns, self._by_show):
            try:
                found = list(way())
            except (SourceError, adbc_driver_manager.Error):
                continue
            yield from found
            return

    def snapshot(self) -> dict[str, Any]:
        """See `Connection.snapshot`. The protocol has no snapshots."""
        return {"id": None, "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")}

    def read(self, sql: str) -> Iterator[pa.RecordBatch]:
        """See `Connection.read`.

        Rows are read in a thread, because a server can block the driver for longer than the driver's own time limits.
        After the source's time limit, the server is asked to cancel the query; then this process ends, which closes the
        stream.
        """
        came: Queue[pa.RecordBatch | SourceError | None] = Queue(4)
        until = time.monotonic() + self._source["seconds"]
        Thread(target=self._read, args=(sql, came), daemon=True).start()
        while True:
            try:
                one = came.get(timeout=max(0.0, until - time.monotonic()))
            except Empty:
                self._expired = True
                self._ask_to_cancel()
                raise _too_slow(self._source) from None
            if one is None:
                return
            if isinstance(one, SourceError):
                raise one
            yield one

    def _read(self, sql: str, came: "Queue[pa.RecordBatch | SourceError | None]") -> None:
        try:
            with self._open.cursor() as cursor:
                self._cursor = cursor
                cursor.execute(sql)
                reader = cursor.fetch_record_batch()
                schema = pa.schema([_plain(field) for field in reader.schema])
                both = zip(reader.schema, schema, strict=True)
                self._as_text = tuple(old.name for old, new in both if _changed(old.type, new.type))
                came.put(pa.RecordBatch.from_arrays([pa.array([], f.type) for f in schema], schema=schema))
                for batch in reader:
                    both = zip(batch.columns, schema, strict=True)
                    columns = [column.cast(field.type) for column, field in both]
                    came.put(pa.RecordBatch.from_arrays(columns, schema=schema))
            came.put(None)
        except (adbc_driver_manager.Error, pa.ArrowException, OSError) as error:
            came.put(_failed(error, self._source))

    def _ask_to_cancel(self) -> None:
        """Ask the server to stop the query, which not every server supports. The server has two seconds to answer."""
        if self._cursor is not None:
            asking = Thread(target=_cancel, args=(self._cursor,), daemon=True)
            asking.start()
            asking.join(2)

    def as_text(self) -> tuple[str, ...]:
        """See `Connection.as_text`."""
        return self._as_text

    def close(self) -> None:
        """See `Connection.close`; running reads end with the process."""
        if not self._expired:
            self._open.close()

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self._open.cursor() as cursor:
            try:
                cursor.execute(sql)
                return cursor.fetchall()
            except (adbc_driver_manager.Error, pa.ArrowException, OSError) as error:
                raise _failed(error, self._source) from None

    def _by_protocol(self) -> Iterator[dict[str, Any]]:
        for catalog in self._open.adbc_get_objects(depth="all").read_all().to_pylist():
            for schema in catalog["catalog_db_schemas"] or ():
                for table in schema["db_schema_tables"] or ():
                    listed = [
                        {"name": c["column_name"], "type": str(c["xdbc_type_name"] or ""), "note": ""}
                        for c in table["table_columns"] or ()
                    ]
                    yield from _shown(schema["db_schema_name"] or "", table["table_name"], listed)

    def _by_columns(self) -> Iterator[dict[str, Any]]:
        found: dict[tuple[str, str], list[dict[str, str]]] = {}
        for schema, table, column, kind in self._rows(_COLUMNS):
            found.setdefault((schema, table), []).append({"name": column, "type": kind, "note": ""})
        for (schema, table), columns in found.items():
            yield from _shown(schema, table, columns)

    def _by_show(self) -> Iterator[dict[str, Any]]:
        looked_at = 0
        for schema, *_ in self._rows("SHOW DATABASES"):
            for _, table, *_rest in self._rows(f"SHOW TABLES IN {_quoted(schema)}"):
                columns = []
                if looked_at < _MOST_LOOKED_AT:
                    looked_at += 1
                    with suppress(SourceError):
                        columns = self._columns(f"{_quoted(schema)}.{_quoted(table)}")
                yield from _shown(schema, table, columns)

    def _columns(self, table: str) -> list[dict[str, str]]:
        with self._open.cursor() as cursor:
            try:
                cursor.execute(f"SELECT * FROM {table} LIMIT 0")
                schema = cursor.fetch_record_batch().schema
            except (adbc_driver_manager.Error, pa.ArrowException, OSError) as error:
                raise _failed(error, self._source) from None
        return [{"name": field.name, "type": str(field.type), "note": ""} for field in schema]


def _require_answer(source: Mapping[str, Any]) -> None:
    """Check that something listens at the address. The driver itself would keep trying for as long as a query may take.

    Raises:
        SourceError: nothing listens.
    """
    host, port = source["host"], source["port"]
    try:
        socket.create_connection((host, port), timeout=_CONNECTING).close()
    except TimeoutError:
        words = f"{host} did not answer within {_CONNECTING} seconds. Check the address, the VPN and the firewall."
        raise SourceError("cannot_connect", words) from None
    except socket.gaierror:
        words = f"There is no host named {host}. Check the address, and whether you are on the right network or VPN."
        raise SourceError("cannot_connect", words) from None
    except OSError:
        words = (
            f"{host} can be reached, but nothing is listening on port {port}. Check the port, and whether the "
            "engine is running."
        )
        raise SourceError("cannot_connect", words) from None


def _not_flight(error: SourceError, source: Mapping[str, Any]) -> SourceError:
    """Return a clearer error if the first request was `lost` or `too_slow`: the server does not speak Flight SQL."""
    if error.kind not in ("lost", "too_slow"):
        return error
    words = (
        f"{source['host']} accepts connections on port {source['port']}, but does not answer there with Flight SQL. "
        "Check the port, and whether the address must begin with grpc:// or grpc+tls://."
    )
    return SourceError("cannot_connect", words)


def _shown(schema: str, table: str, columns: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
    if schema.lower() not in _SYSTEM:
        yield {"schema": schema, "name": table, "kind": "table", "rows": None, "columns": columns}


def _plain(field: pa.Field) -> pa.Field:
    """Return a column with a type that Parquet and DuckDB have; an extension type becomes its storage type."""
    kind = field.type.storage_type if isinstance(field.type, pa.BaseExtensionType) else field.type
    if pa.types.is_interval(kind) or pa.types.is_duration(kind) or pa.types.is_dictionary(kind):
        kind = pa.string()
    return pa.field(field.name, kind)


def _changed(old: pa.DataType, new: pa.DataType) -> bool:
    return bool(old != new and pa.types.is_string(new) and not pa.types.is_dictionary(old))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _address(source: Mapping[str, Any]) -> str:
    host = f"[{source['host']}]" if ":" in source["host"] else source["host"]
    return f"{source['scheme']}://{host}:{source['port']}"


def _login(source: Mapping[str, Any]) -> dict[str, str]:
    seconds = str(float(source["seconds"]))
    login = {
        DatabaseOptions.TIMEOUT_QUERY.value: seconds,
        DatabaseOptions.TIMEOUT_FETCH.value: seconds,
    }
    if source["key"] and not source["user"]:
        login[DatabaseOptions.AUTHORIZATION_HEADER.value] = f"Bearer {source['key']}"
    elif source["user"]:
        login |= {"username": source["user"], "password": source["key"] or ""}
    return login


def _failed(error: Exception, source: Mapping[str, Any]) -> SourceError:
    said, name = _said(str(error)), source["name"]
    if "(Unauthenticated" in str(error):
        words = f"{name} refused the password or token, so enter it again. The address answers, so the network is fine."
        return SourceError("wrong_key", words)
    if "(PermissionDenied" in str(error):
        return SourceError("no_right", f"{name} does not allow this: {said}")
    if "(DeadlineExceeded" in str(error) or "DeadlineExceeded" in said:
        return _too_slow(source)
    if "(Unavailable" in str(error):
        return SourceError("lost", f"The connection to {name} was lost during reading: {said}. Try again.")
    if re.search(r"TABLE_OR_VIEW_NOT_FOUND|[Tt]able .*not found|Object .* not found", said):
        words = "If it was there before, it was dropped or renamed. Refresh the table list of"
        return SourceError("table_gone", f"{said}. {words} {name}.")
    return SourceError("failed", f"{name} reports: {said}")


def _cancel(cursor: flightsql.Cursor) -> None:
    with suppress(adbc_driver_manager.Error):
        cursor.adbc_cancel()


def _too_slow(source: Mapping[str, Any]) -> SourceError:
    name, seconds = source["name"], source["seconds"]
    return SourceError(
        "too_slow",
        f"The query took longer than the {seconds:g} seconds that {name} allows. It was cancelled, but some engines "
        "behind Flight SQL finish what they began. Read fewer rows, aggregate, or raise the source's limit.",
    )


def _said(text: str) -> str:
    """Return the server's own message, without the words that the driver adds."""
    text = re.sub(r"^[A-Z_]+: (\[FlightSQL\] )?", "", text)
    return re.sub(r" \(\w+; \w+\).*$", "", text, flags=re.DOTALL).strip()[:1_500].rstrip(".")
