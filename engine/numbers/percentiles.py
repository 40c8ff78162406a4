"""Shares that name the column of a percentile beside them. Pure."""

from collections.abc import Sequence

from engine.numbers.derivation import Bound
from engine.numbers.labels import Labels
from engine.numbers.mentions import Mention

__all__ = ["names_percentile"]


def names_percentile(mention: Mention, beside: Sequence[Bound], labels: Labels) -> bool:
    """Return whether a share names the column of a number beside it: "ninety percent within 61" of a column p90."""
    part = mention.value * (1.0 if mention.kind == "percent" else 100.0)
    if mention.kind not in ("percent", "part") or not float(part).is_integer():
        return False
    wanted = {f"p{part:.0f}", *(("median",) if part == 50 else ())}
    columns = (labels.tables[cell.table].column_words[cell.column] for one in beside for cell in one.cells)
    return any(wanted & set(words) for words in columns)
