"""The process that serves the page: Streamlit's own command, with a clean shutdown.

`python -m ui.serving run …` is what `anabranch serve` becomes.
"""

import atexit
import os
import signal
import sys
from typing import NoReturn

import click
from streamlit import delta_generator
from streamlit.web.cli import main as streamlit_command

__all__ = ["main"]


def main() -> NoReturn:
    """Run Streamlit's command; Ctrl C ends it with a message and the exit code of a program that SIGINT ended."""
    code = 0
    # Streamlit would look through all loaded modules at its first element, to see whether it was started correctly.
    delta_generator._use_warning_has_been_displayed = True
    try:
        streamlit_command(standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        sys.stdout.write("Anabranch has ended.\n")
        code = 128 + signal.SIGINT
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    _leave(code)


def _leave(code: int) -> NoReturn:
    """End the process once everything has been closed.

    The interpreter's normal exit would destroy DuckDB's objects in any order, and print pages of messages about it.
    """
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
