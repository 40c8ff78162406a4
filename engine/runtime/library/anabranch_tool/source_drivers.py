"""Imports the database drivers. This is done once, in the host process, which then forks a process for each query to a
source.

Nothing here connects or starts a thread. Drivers that are not installed are left out; a call that needs one reports it.
"""

import contextlib
import importlib

from anabranch_tool.source_connections import DRIVERS, without_pandas

__all__ = ["MODULES"]

MODULES = tuple(DRIVERS.values())

without_pandas()
importlib.import_module("anabranch_tool.source_query")
for _name in MODULES:
    with contextlib.suppress(ImportError):
        importlib.import_module(_name)
