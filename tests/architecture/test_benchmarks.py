"""The benchmarks, which `make test` does not run, still match the code."""

from importlib import import_module
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1] / "bench"


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCH.glob("*.py") if path.stem != "plugin"))
def test_all_imports_of_each_benchmark_exist(name: str) -> None:
    benchmark = import_module(f"tests.bench.{name}")
    assert [each for each in getattr(benchmark, "__all__", ()) if not hasattr(benchmark, each)] == []
