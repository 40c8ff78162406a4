"""The benchmarks, which `make test` does not run, use the product as it is now."""

from importlib import import_module
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1] / "bench"


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCH.glob("*.py") if path.stem != "plugin"))
def test_each_benchmark_finds_what_it_imports(name: str) -> None:
    benchmark = import_module(f"tests.bench.{name}")
    assert [each for each in getattr(benchmark, "__all__", ()) if not hasattr(benchmark, each)] == []
