"""The console script of an installation: makes the installed folders importable, then runs the command line.

A wheel installs engine/, events/, ui/ and sample_bundles/ inside the folder `anabranch`, because names such as `engine`
at the top of site-packages could hide other packages. This module is imported as `anabranch.engine.cli.entry`.
"""

import signal
import sys
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    try:
        from engine.cli.main import main as run  # noqa: PLC0415 - importable only now
    except KeyboardInterrupt:
        sys.stderr.write("Anabranch has ended.\n")
        sys.exit(128 + signal.SIGINT)
    run()
