"""Detects sentences that state the value of one cell. Only that cell can confirm such a number, and a computation
cannot. Pure."""

from engine.numbers.derivation_words import COMPARED, COMPUTED, EACH
from engine.numbers.derived_rates import is_mean_of
from engine.numbers.fitting import DOWN, UP
from engine.numbers.naming import holding
from engine.numbers.places import Place
from engine.numbers.row_scopes import NEAR
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.ties import part_of

__all__ = ["claims_cell"]


def claims_cell(text: Text, place: Place, names: TableNames) -> bool:
    """Return whether a sentence mentions the row and column of a number, and so states the value of that cell."""
    found = text.columns_of(place, names.at, holding(names, place.mention))
    if found is None or found[1] >= 2 or not (place.mention.signed or place.mention.kind == "number"):
        return False
    if part_of(text.text, place):
        return False
    best = [column for column, words in found[0].items() if words == max(found[0].values())]
    if any(is_mean_of(text, place, names, column) for column in best):
        return False
    own = {word for column in best for word in names.column_words[column]}
    if "per" in own and not place.clause_words & EACH:  # "cost 412 in total" is not a cost per item
        return False
    words = place.clause_words - own
    opened = text.opens(place, names.at) and not words & (UP | DOWN | COMPARED | EACH)
    if (words & COMPUTED and not opened) or len(best) != 1:
        return False
    if place.mention.signed:
        return True
    span = place.passage.start, place.passage.end
    for column in names.dimensions:
        governing = text.row_of(place, names.at, column)
        if governing is None or governing.level >= NEAR:
            continue
        here = text.rows_in(names.at, column, span)
        lone = len({one.label for one in here}) == 1 and here[0].start < place.mention.start
        if len(governing.labels) == 1 and (lone or governing.level < 2):
            return len(names.table.rows) > 1
    return False
