"""The parts of a question: heads (which name the subject), flags and modifiers."""

from collections.abc import Sequence
from typing import Any

from engine.models.offline.meanings import Part
from engine.models.offline.parser import Costly

__all__ = ["CONDITIONS", "FLAGS", "HEADS", "Heads", "dearer"]

FLAGS = frozenset(
    {
        "listing",
        "what",
        "how many",
        "when",
        "where at",
        "ranking",
        "how much",
        "trend",
        "changed",
        "whether",
        "how",
        "compare",
        "repeated",
        "strongly",
    }
)
"""Kinds of parts that say what is asked about the heads."""
HEADS = frozenset(
    {"measures", "noun", "label", "form", "which", "share", "sup subject", "sup measure", "sup noun", "sup share",
     "sup", "top", "by", "cmp", "than", "either", "ends"}
)  # fmt: skip
CONDITIONS = ("where", "relative", "predicate")
"""Kinds of conditions. In a share, the last predicate or relative clause defines the part."""


class Heads:
    """The parts of a question, sorted by their role."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._every = list(parts)
        self.heads = [part for part in parts if part.kind in HEADS]
        self.flags = {part.kind for part in parts if part.kind in FLAGS}
        self.parts = [part for part in parts if part.kind not in ("skip", "again", "dangling")]
        self.mods = [part for part in self.parts if part.kind not in HEADS | FLAGS]

    def values(self, kind: str) -> list[Any]:
        """Return the values of the heads of a kind."""
        return [head.value for head in self.heads if head.kind == kind]

    @property
    def adds_up(self) -> bool:
        """Whether the question asks for a running total."""
        kinds = [part.value.kind for part in self.parts if part.kind == "window"]
        return any(kind in ("cumulative", "year to date") for kind in kinds)

    @property
    def signature(self) -> str:
        """The kinds of the question's heads, as a key for its rule."""
        return " + ".join(sorted({head.kind for head in self.heads}))

    @property
    def misled(self) -> bool:
        """Whether two phrases mean something else together than they do separately.

        “Who gave the largest gift” does not ask for the largest sum of gifts, and “by donors who joined in May” does
        not ask for groups.
        """
        beside = zip(self.parts, self.parts[1:], strict=False)
        if any(one.kind == "group" and other.kind == "relative" for one, other in beside):
            return True
        pairs = [(one, other) for one, other in zip(self.parts, self.parts[1:], strict=False)
                 if other.kind == "noun" and other.value.rows]  # fmt: skip
        if any(one.compares_alone and other.value.word not in ("one", "ones") for one, other in pairs):
            return True  # “with more than 3 gifts” does not compare an amount with 3
        return any(
            one.kind == "sup" and not one.value[1].columns
            and not one.value[1].counts for one, other in pairs
        )  # fmt: skip

    @property
    def asks_more(self) -> bool:
        """Whether the question also asks for another fact about the row that it finds: “the tallest tree and which ward
        it is in”.
        """
        kinds = [part.kind for part in self._every]
        ranked = [place for place, kind in enumerate(kinds) if kind in ("sup noun", "sup subject", "sup")]
        asked = len(kinds) - kinds[::-1].index("which") - 1 if "which" in kinds else 0
        return bool(ranked) and "again" in kinds[ranked[-1] : asked]

    def has(self, *kinds: str) -> bool:
        """Return whether there is a modifier of one of these kinds."""
        return any(mod.kind in kinds for mod in self.mods)


def dearer(one: Any, cost: int) -> Costly:
    """Return a reading with a higher cost."""
    return Costly(one.value, one.cost + cost) if isinstance(one, Costly) else Costly(one, cost)
