"""Combines the phrases of a question. Each combination of heads (the phrases that name the subject) has one rule."""

from collections.abc import Sequence
from dataclasses import replace

from engine.models.offline.chart_forms import finished
from engine.models.offline.checks import checked
from engine.models.offline.comparing import Comparing
from engine.models.offline.form import Condition, Form
from engine.models.offline.heads import HEADS, Heads, dearer
from engine.models.offline.meanings import Part, Readings
from engine.models.offline.parser import Costly
from engine.models.offline.schema import is_time

__all__ = ["Assembling", "able_to_ask", "able_to_follow"]

_REPEATED = ("measures", "label", "noun")
"""Kinds of heads that a question may have more than once."""


class Assembling(Comparing):
    """The rules for combinations of heads."""

    def forms(self, parts: Sequence[Part], asks_whether: bool = False) -> list[tuple[Form, int]]:
        """Return the forms that all parts of a question together can mean, each with its cost."""
        said = Heads([*parts, Part("whether")] if asks_whether else parts)
        found: dict[Form, int] = {}
        for one in self._meant(said, asks_whether):
            form, cost = (one.value, one.cost) if isinstance(one, Costly) else (one, 0)
            form = self._drawn_each(finished(self._each_of_all(self._needed(form)), self.table))
            if checked(form, self.table):
                found[form] = min(cost, found.get(form, 99))
        return list(found.items())

    def _needed(self, form: Form) -> Form:
        """Return a form without superfluous “has a value” conditions: the column has a value in every row, or another
        condition compares it.
        """
        compared = {
            c.of.column
            for f in form.filters
            if len(f.any) == 1
            for c in f.any
            if c.compare not in ("present", "missing", "!=", "not contains", "not between")
        }

        def idle(condition: Condition) -> bool:
            column = self.table.column(condition.of)
            sure = not column.profile.missing and not column.table
            return condition.compare == "present" and (sure or condition.of.column in compared)

        kept = tuple(f for f in form.filters if len(f.any) != 1 or not idle(f.any[0]))
        return form if kept == form.filters else replace(form, filters=kept)

    def _each_of_all(self, form: Form) -> Form:
        """Read “how many men and women” as a question about each value: a condition that lists all values excludes
        nothing.
        """
        every = [c.of for f in form.filters for c in f.any]
        refs = [c.of for f in form.filters for c in f.any if len(f.any) == 1 and self._all_values(c)]
        refs = [ref for ref in refs if every.count(ref) == 1]
        new = [ref for ref in dict.fromkeys(refs) if ref not in form.groups]
        plain = form.show == "numbers" and not form.limit and form.window is None
        return replace(form, groups=(*form.groups, *new)) if plain and len(new) == 1 else form

    def _drawn_each(self, form: Form) -> Form:
        """Draw a line for each of several named values: “launches per year for Russia and China as a line chart”."""
        several = [c.of for f in form.filters for c in f.any if c.compare == "=" and len(c.values) > 1]
        named = [ref for ref in several if self.table.column(ref).role == "text" and ref not in form.groups]
        timed = len(form.groups) == 1 and is_time(form.groups[0], self.table)
        able = form.chart is not None and form.window is None and timed and len(form.measures) == 1
        return replace(form, groups=(*form.groups, *named)) if able and len(named) == 1 else form

    def _all_values(self, condition: Condition) -> bool:
        profile = self.table.column(condition.of).profile
        every = set(profile.values) if profile.values_complete and not condition.of.grain else set()
        return condition.compare == "=" and len(every) > 1 and every == set(map(str, condition.values))

    def _meant(self, said: Heads, asks_whether: bool) -> Readings:
        rule = _RULES.get(said.signature)
        found: Readings = []
        if said.has("aggregate"):
            return []
        rose = said.signature == "measures" and "changed" in said.flags
        if asks_whether and said.signature not in _WHETHER and not rose:
            return []
        if rule is not None and not said.flags <= _ALLOWED.get(rule, frozenset()) | {"listing", "what"}:
            return []
        kinds = [head.kind for head in said.heads if head.kind not in _REPEATED]
        if len(set(kinds)) < len(kinds):
            return []
        if "how" in said.flags and not said.flags & {"changed", "trend"}:
            return []
        if self._ranks_by_groups(said) or self._asks_twice(said):
            return []
        if (said.has("pair") and "compare" not in said.flags) or said.misled or self._lists_numbers(said):
            return []
        if rule is not None:
            found = getattr(self, rule)(said)
        if not found and len(said.heads) > 1 and said.values("noun"):
            parts = [_absorbed(part) if part.kind == "noun" else part for part in said.parts]
            found = [dearer(one, 1) for one in self._meant(Heads(parts), asks_whether)]
        return found

    @staticmethod
    def _asks_twice(said: Heads) -> bool:
        """Return whether “which” asks for rows and for something else: “which order …, and which customer …”."""
        alone = sum((part.kind, part.value) == ("listing", "which") for part in said.parts)
        named = len([head for head in said.heads if head.kind in ("which", "label", "noun")])
        return alone > 1 or (alone == 1 and bool(said.values("which")) and named > 1)

    def _ranks_by_groups(self, said: Heads) -> bool:
        """Return whether a ranking would group rows by the ranked amounts: “best sellers by quantity” does not ask for
        the best of each quantity.
        """
        ranked = any(head.kind.startswith("sup") or head.kind == "top" for head in said.heads)
        refs = [ref for part in said.mods if part.kind == "group" for ref in part.value]
        return ranked and any(self.table.column(ref).adds is True and not ref.grain for ref in refs)

    @staticmethod
    def _lists_numbers(said: Heads) -> bool:
        """Return whether “which” asks for rows, but the question names only a number to compute: in “which performances
        sold 50 tickets”, the tickets.
        """
        which = any(part.kind == "listing" and part.value == "which" for part in said.parts)
        which |= [part.kind for part in said.parts[:1]] == ["relative"]
        bare = all(one.bare is not None for one in said.values("measures"))
        return (
            which and said.signature == "measures" and bare and not said.has("group", "over time", "versus")
        )


_RULES: dict[str, str] = {
    "measures": "_as_numbers",
    "noun": "_as_counted",
    "form": "_as_special",
    "": "_as_conditions",
    "which": "_as_labels_listed",
    "label": "_as_labels_listed",
    "share": "_as_shares",
    "sup subject": "_as_extreme",
    "sup": "_as_extreme",
    "sup subject + which": "_as_extreme",
    "measures + sup + which": "_as_extreme",
    "measures + noun + sup + which": "_as_extreme",
    "sup measure": "_as_values_ranked",
    "sup measure + which": "_as_extreme",
    "sup noun + which": "_as_extreme",
    "sup share + which": "_as_largest_share",
    "label + sup share": "_as_largest_share",
    "sup + which": "_as_extreme",
    "label + sup measure": "_as_extreme",
    "label + sup noun": "_as_extreme",
    "label + sup": "_as_extreme",
    "noun + sup measure": "_as_extreme",
    "noun + sup measure + which": "_as_extreme",
    "noun + sup noun + which": "_as_extreme",
    "by": "_as_compared",
    "top": "_as_top_alone",
    "by + top": "_as_topped",
    "by + sup subject": "_as_topped",
    "by + label + top": "_as_topped",
    "by + noun + top": "_as_topped",
    "sup measure + top": "_as_topped",
    "sup noun + top": "_as_topped",
    "by + label": "_as_ranked_all",
    "by + noun": "_as_ranked_all",
    "ends": "_as_ends_found",
    "measures + than": "_as_more_than",
    "noun + than": "_as_more_than",
    "cmp + noun + than": "_as_verdict",
    "cmp + measures + noun + than": "_as_verdict",
    "cmp + measures + than": "_as_verdict",
    "cmp + than": "_as_verdict",
    "cmp + either": "_as_either_of",
    "cmp + either + noun": "_as_either_of",
    "cmp + either + which": "_as_either_of",
    "cmp + either + measures": "_as_either_of",
    "either + sup": "_as_either_of",
    "label + measures": "_as_grouped_labels",
}
"""The rule for each combination of heads."""
_ASKS = frozenset({"when", "where at"})
_ALLOWED: dict[str, frozenset[str]] = {
    "_as_numbers": frozenset({"how many", "changed", "trend", "how", "how much", "compare", "whether"}),
    "_as_counted": frozenset({"how many", "changed", "trend", "how", "how much", "compare", "whether"}),
    "_as_conditions": frozenset({"how many"}),
    "_as_labels_listed": frozenset({"repeated"}),
    "_as_special": frozenset({"how many", "how", "whether", "strongly"}),
    "_as_extreme": _ASKS,
    "_as_values_ranked": _ASKS,
    "_as_ends_found": _ASKS,
    "_as_ranked_all": frozenset({"ranking"}),
    "_as_compared": frozenset({"compare"}),
    "_as_more_than": frozenset({"how much"}),
    "_as_verdict": frozenset({"whether"}),
    "_as_either_of": frozenset({"whether"}),
}
"""The flags that each rule allows."""
_WHETHER = frozenset(key for key in _RULES if "cmp" in key or "either" in key) | {"form", "noun"}
"""Combinations that can answer a yes-or-no question."""


_WHOLES = tuple(frozenset(key.split(" + ")) for key in _RULES)


def able_to_ask(parts: tuple[Part, ...]) -> bool:
    """Return whether a question can begin with these parts."""
    last = parts[-1]
    before = [part.kind for part in parts[:-1] if part.kind != "skip"]
    if before and before[-1] == "dangling" and last.kind not in ("skip", "again"):
        return False
    if last.kind == "again" and parts[-2:-1] == (Part("dangling", "with"),):
        return False  # “with and without a discount” is not only about those without one
    if last.kind == "again":
        return last.value in ("and", ",", "so")
    if last.kind == "measures" and any(part.kind == "measures" for part in parts[:-1]):
        return before[-1] == "again"
    return parts[-1].kind not in HEADS or able_to_follow(parts)


def able_to_follow(parts: tuple[Part, ...]) -> bool:
    """Return whether a follow-up question can begin with these parts."""
    if parts[-1].kind == "again" and parts[-1].value == "same":
        return all(part.kind in ("again", "skip") for part in parts)
    heads = frozenset(part.kind for part in parts if part.kind in HEADS)
    return any(heads - {"noun"} <= whole for whole in _WHOLES)


def _absorbed(part: Part) -> Part:
    """Turn a noun that is next to another head into the conditions that it contains."""
    return Part("where", part.value.filters) if part.value.filters else Part("skip")
