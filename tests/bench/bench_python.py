"""The cost of a call of the tool `python` beyond the time of its own code, confined as in the app.

python -m tests.bench.bench_python
"""

import shutil
import tempfile
import time
from pathlib import Path

from engine.app.wiring_parts import PRELOAD
from engine.config import shipped_bundles
from engine.runtime.pool import Pool
from engine.runtime.protocol import RunRequest
from engine.system.cancellation import Cancellation
from tests.bench.bench_tool_call import BARE, bare
from tests.bench.harness import Figure, interleaved, main

SMALL = "1 + 1"
WHOLE = """
model = smf.ols("y ~ x", tables["points"]).fit(cov_type="HC3")
tables["points"].plot.scatter("x", "y", title="Points")
pd.DataFrame({"coef": model.params, "p": model.pvalues})
"""


def measure() -> list[Figure]:
    """Return the figures."""
    with tempfile.TemporaryDirectory() as place, Pool(preload=PRELOAD) as pool:
        workspace = Path(place) / "workspace"

        def run(code: str) -> None:
            shutil.rmtree(workspace / "results", ignore_errors=True)
            request = RunRequest(
                "call",
                shipped_bundles() / "data-analyst",
                "tools.python:run",
                workspace,
                {"code": code},
                runtime="analysis",
            )
            outcome = pool.run(request, cancel=Cancellation())
            assert outcome.status == "success", outcome.error

        workspace.mkdir()
        rows = "".join(f"{x},{2 * x + x % 7}\n" for x in range(500))
        (workspace / "points.csv").write_text(f"x,y\n{rows}")
        began = time.perf_counter()
        run(SMALL)
        first = (time.perf_counter() - began) * 1000
        timed = interleaved(
            {BARE: bare, "small": lambda: run(SMALL), "whole": lambda: run(WHOLE)}, rounds=5, block=4
        )
    return [
        timed[BARE].figure("start and end a bare interpreter", BARE),
        timed["small"].within(
            "code that does nothing, warm: forked in advance from a loaded host", BARE, 150
        ),
        timed["whole"].figure("… a regression, a figure and two tables: one read, one shown", BARE),
        Figure("the first call, which starts the host and loads its packages", first, "ms"),
    ]


if __name__ == "__main__":
    main(measure)
