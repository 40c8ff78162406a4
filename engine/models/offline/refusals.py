"""Questions that no table answers: causes, advice, the future, changes to the data, talk about ourselves."""

from engine.models.offline.reader import Reader
from engine.models.offline.words import word_list

__all__ = ["refusal"]

_ALWAYS_WRITES = (
    "delete", "truncate", "erase", "wipe", "overwrite", "insert", "alter table", "drop table", "drop the table",
    "drop column", "drop the column", "get rid of", "purge", "rename", "impute", "deduplicate", "remove duplicates",
    "add a column", "add column", "add a row", "add row", "remove the rows", "remove rows", "remove all",
    "remove column", "remove the column", "create a table",
)  # fmt: skip
_ORDERS = frozenset(
    word_list("""
        cancel book buy sell refund remove mark assign hire fire approve reject move copy set put reset schedule notify
        publish convert translate apply install transfer
    """)
)
_POLITE = ("soft", "greet", "thanks", "which")


def refusal(reader: Reader) -> str | None:
    """The kind of such a question, or None. Words that a column is named by are not taken for these."""
    items = reader.items
    content = [item for item in items if item.kind not in ("soft",)]
    if not content:
        return "greet" if items else "vague"
    kinds = {item.kind for item in content}
    if kinds <= {"greet", "thanks"}:
        return "greet"
    if "self" in kinds and len(content) <= 3 and not kinds & {"col", "val", "agg", "count"}:
        return "self"
    if "cause" in kinds:
        return "cause"
    if "future" in kinds:
        return "future"
    if "advice" in kinds:
        return "advice"
    for index, item in enumerate(content):
        if item.kind == "mutate":
            first = all(other.kind in _POLITE for other in content[:index])
            if first or item.text.lower() in _ALWAYS_WRITES:
                return "mutate"
        if index == 0 and item.start <= 2 and reader.tokens[item.start].text.lower() in _ORDERS:
            return "mutate"
        if (
            item.kind == "change"
            and index == 0
            and item.text.lower() in ("drop", "change", "increase", "decrease")
        ):
            return "mutate"
    return None
