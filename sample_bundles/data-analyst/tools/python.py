"""Runs Python code over the workspace's tables like a notebook cell. The result contains what it prints and shows."""

import ast
import os
import pprint
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anabranch_tool import ToolError
from tools.python_errors import FILENAME, OutOfTime, explained, remember_lines
from tools.python_names import Names
from tools.python_namespace import Tables, namespace
from tools.python_output import Output
from tools.python_result import result_of
from tools.python_shown import Shown, is_artist

SECONDS = 110
"""The seconds after which the code is stopped with an error that names its line. If it does not stop, the engine kills
it 10 s later.
"""
_LARGE = 1 << 30
"""The total bytes of files above which numeric libraries use all cores."""


def run(workspace: Path, code: str, title: str | None = None, name: str | None = None) -> dict[str, Any]:
    """Run `code` and return its output and what it showed; raise a ToolError with the failing line if it fails."""
    before = _files(workspace)
    _use_cores(sum(size for size, _ in before.values()))
    tables = Tables(workspace)
    shown = Shown(workspace, Names(workspace, tables), title, name, tables.read)
    output = Output(sys.stdout)
    values = namespace(tables, shown, lambda value: _print(value, output))
    try:
        with _watched(output, shown, values):
            _run_cell(code, values, shown, output)
            shown.add_open_figures()
    except (Exception, OutOfTime) as error:
        told = explained(error, code, values, tables, workspace)
        printed = output.text(1500).strip()
        raise ToolError(f"{told}\nPrinted before that:\n{printed}" if printed else told) from None
    finally:
        tables.close()
    after = _files(workspace)
    files = [path for path in after if after[path] != before.get(path) and path not in shown.files]
    shown.notes = [*tables.notes, *shown.notes]
    return result_of(shown, output, files, workspace)


def _run_cell(code: str, values: dict[str, Any], shown: Shown, output: Output) -> None:
    remember_lines(code)
    tree = ast.parse(code, FILENAME)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    try:
        exec(compile(tree, FILENAME, "exec"), values)  # noqa: S102 -- what this tool is for, in a process of its own
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), FILENAME, "eval"), values)  # noqa: S307
            if not _is_silenced(code, last):
                variable = last.value.id if isinstance(last.value, ast.Name) else None
                _show_last(value, variable, shown, output)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise RuntimeError(f"The code exited with exit code {end.code}.") from end


def _is_silenced(code: str, last: ast.Expr) -> bool:
    """Return whether the last expression ends with a semicolon, which hides its value, as in a notebook."""
    line = code.splitlines()[(last.end_lineno or 1) - 1].encode()[last.end_col_offset or 0 :]
    return line.lstrip().startswith(b";")


def _show_last(value: Any, variable: str | None, shown: Shown, output: Output) -> None:
    figure = getattr(sys.modules.get("matplotlib.figure"), "Figure", ())
    if value is None or value is shown.last or (is_artist(value) and not isinstance(value, figure)):
        return
    if not shown.add(value, variable=variable):
        _print(value, output)


def _print(value: Any, output: Output) -> None:
    if isinstance(value, str):
        text = value
    elif isinstance(value, dict | list | tuple | set):
        text = pprint.pformat(value, width=110, compact=True, sort_dicts=False)
    else:
        text = repr(value) if not hasattr(value, "as_text") else str(value)
    output.write(f"{text}\n")


@contextmanager
def _watched(output: Output, shown: Shown, values: dict[str, Any]) -> Iterator[None]:
    """Capture output and warnings, and stop code that runs too long."""

    def out_of_time(*_: object) -> None:
        raise OutOfTime(
            f"stopped after {SECONDS} s. Use fewer rows, a simpler model, or aggregate with sql() first."
        )

    def warned(message: Warning | str, category: type[Warning], filename: str, line: int, *_: Any) -> None:
        place = f"line {line}: " if filename == FILENAME else ""
        note = f"{place}{category.__name__}: {' '.join(str(message).split())[:300]}"
        if note not in shown.notes:
            shown.notes.append(note)

    stdout, stderr = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = output
    numpy: Any = sys.modules["numpy"]
    numpy.set_printoptions(legacy="1.25")  # 1.5, not np.float64(1.5)
    pandas: Any = sys.modules["pandas"]
    for option, wanted in {
        "display.width": 140,
        "display.max_columns": 30,
        "display.max_colwidth": 60,
    }.items():
        pandas.set_option(option, wanted)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, out_of_time)
        signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            for ignored in (DeprecationWarning, PendingDeprecationWarning, ResourceWarning, ImportWarning):
                warnings.simplefilter("ignore", ignored)
            warnings.showwarning = warned
            yield
    finally:
        if hasattr(signal, "SIGALRM"):
            signal.alarm(0)
        sys.stdout, sys.stderr = stdout, stderr


def _use_cores(size: int) -> None:
    """Let numeric libraries use all cores for large inputs; on small ones one thread is faster and exact."""
    if size > _LARGE:
        from threadpoolctl import threadpool_limits  # noqa: PLC0415 -- of scikit-learn

        cores = os.cpu_count() or 1
        os.environ["OMP_NUM_THREADS"] = str(cores)
        threadpool_limits(cores)


def _files(workspace: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for folder, folders, names in os.walk(workspace):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file():
                state = path.stat()
                found[path.relative_to(workspace).as_posix()] = (state.st_size, state.st_mtime_ns)
    return found
