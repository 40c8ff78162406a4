"""The cost of a chart's picture: in the running confined renderer, and for the first one, which starts it.

python -m tests.bench.bench_charts
"""

from engine.rendering.charts.renderer import ChartRenderer
from tests.bench.harness import Figure, interleaved, main

LINES = {
    "width": 640,
    "height": 320,
    "mark": "line",
    "encoding": {
        "x": {"field": "day", "type": "temporal"},
        "y": {"field": "value", "type": "quantitative"},
        "color": {"field": "line", "type": "nominal"},
    },
}
POINTS = {**LINES, "mark": "point"}
ROWS = [
    {"day": f"2026-{month:02}-01T00:00:00", "value": month * 1000 + line, "line": f"line {line}"}
    for month in range(1, 13)
    for line in range(5)
]
MANY = [{**ROWS[n % len(ROWS)], "value": n} for n in range(5_000)]


def measure() -> list[Figure]:
    warm = ChartRenderer()

    def first() -> None:
        fresh = ChartRenderer()
        try:
            fresh.render(LINES, ROWS)
        finally:
            fresh.close()

    try:
        warm.render(LINES, ROWS)
        timed = interleaved(
            {
                "a chart as SVG": lambda: warm.render(LINES, ROWS, kind="svg"),
                "png": lambda: warm.render(LINES, ROWS),
                "many": lambda: warm.render(POINTS, MANY),
                "first": first,
            },
            rounds=3,
        )
    finally:
        warm.close()
    return [
        timed["a chart as SVG"].figure("a chart of 60 points as SVG, warm", "a chart as SVG"),
        Figure("… as PNG at twice the pixels", timed["png"].ms, "ms"),
        Figure("… as PNG with 5,000 points", timed["many"].ms, "ms"),
        Figure("… the first one as PNG, including the start of the process", timed["first"].ms, "ms"),
    ]


if __name__ == "__main__":
    main(measure)
