"""Imports the packages for Python analyses. This is done once, in the host, which then forks a process for each call.

Nothing here starts threads or opens files that a fork would share. Packages that are not installed are left out; a
call that needs one reports it.
"""

import contextlib
import importlib
import io
import os
import shutil
import sys
import tempfile
from typing import Any

__all__ = ["MODULES"]

MODULES = (
    "numpy",
    "pandas",
    "pyarrow.parquet",
    "duckdb",
    "scipy.stats",
    "scipy.optimize",
    "scipy.cluster.hierarchy",
    "scipy.signal",
    "statsmodels.api",
    "statsmodels.formula.api",
    "statsmodels.tsa.api",
    "statsmodels.tsa.seasonal",
    "sklearn.cluster",
    "sklearn.decomposition",
    "sklearn.ensemble",
    "sklearn.linear_model",
    "sklearn.metrics",
    "sklearn.model_selection",
    "sklearn.pipeline",
    "sklearn.preprocessing",
    "sklearn.tree",
    "matplotlib.figure",
    "matplotlib.pyplot",
    "altair",
    "anabranch_tool.tables",
    "anabranch_tool.result_names",
    "anabranch_tool.samples",
)


def _load() -> None:
    # A temporary folder, so that there are no user settings, no warning about a read-only home folder, no leftover
    # cache.
    folder = tempfile.mkdtemp(prefix="anabranch-fonts-")
    os.environ["MPLCONFIGDIR"] = folder
    try:
        for name in MODULES:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        _use_once()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _use_once() -> None:
    """Do the work that is slow the first time: find fonts, check chart specifications, read formulas."""
    pandas: Any = sys.modules.get("pandas")
    if pyplot := _loaded("matplotlib.pyplot"):
        figure, axes = pyplot.subplots()
        axes.set_title("bold", fontweight="bold")
        figure.savefig(io.BytesIO(), bbox_inches="tight")
        pyplot.close(figure)
    frame = pandas.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 3.0, 2.0, 5.0]}) if pandas else None
    if frame is not None and (altair := _loaded("altair")):
        altair.Chart(frame).mark_bar().encode(x="x:Q").to_dict()
    if frame is not None and (formulas := _loaded("statsmodels.formula.api")):
        formulas.ols("y ~ x", frame).fit(cov_type="HC3")


def _loaded(name: str) -> Any:
    return sys.modules.get(name)


_load()
