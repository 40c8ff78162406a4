"""The kinds of sources. The entry of each kind contains the facts that users, models and the check of SQL statements
need.
"""

from collections.abc import Mapping

from events.late_dataclass import dataclass

__all__ = ["DIALECTS", "DRIVERS", "Driver"]


@dataclass(frozen=True, slots=True)
class Driver:
    """One kind of source."""

    name: str
    title: str
    """The usual name of the source."""
    dialect: str
    """The name of the SQL dialect in `sqlglot`."""
    example: str
    """An example of an address."""
    read_only: str
    """A phrase for the page: how read-only access is enforced."""
    network: bool = True
    module: str = ""
    """The package that must be installed; empty if none is needed."""
    port: int = 0
    logs_in: bool = True
    """Whether the source has users and passwords."""

    @property
    def install(self) -> str:
        """Return the command that installs the driver."""
        return f"pip install 'anabranch[{self.name}]'"


DRIVERS: Mapping[str, Driver] = {
    driver.name: driver
    for driver in (
        Driver(
            "postgresql", "PostgreSQL", "postgres", "db.example.org:5432/analytics",
            "enforced by the server and by a check of each query", module="adbc_driver_postgresql", port=5432,
        ),
        Driver(
            "sqlite", "SQLite file", "sqlite", "/data/till.sqlite",
            "opened read only, and each query is checked", network=False, logs_in=False,
        ),
        Driver(
            "flightsql", "Flight SQL", "spark", "grpc://cluster.example.org:50051",
            "enforced by a check of each query; use an account that can only read", module="adbc_driver_flightsql",
            port=50051,
        ),
    )
}  # fmt: skip

DIALECTS: Mapping[str, str] = {
    "postgres": "PostgreSQL",
    "sqlite": "SQLite",
    "spark": "Spark SQL",
    "databricks": "Databricks SQL",
    "dremio": "Dremio SQL",
    "trino": "Trino SQL",
    "duckdb": "DuckDB SQL",
}
"""The name of a dialect in `sqlglot` → its name in texts for models."""
