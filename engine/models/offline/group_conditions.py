"""Changes conditions on groups, such as "with number of rows at least 50"."""

from collections.abc import Iterator
from dataclasses import replace

from engine.models.offline.form import Form, Order
from engine.models.offline.wording import having_words

__all__ = ["group_choices", "without_measure"]


def group_choices(form: Form, place: int, *_: object) -> Iterator[tuple[str, str, Form]]:
    """Yield the alternatives to a condition on groups, each with its text, hint and form."""
    old, rest = form.having[place], (*form.having[:place], *form.having[place + 1 :])
    yield "Remove", "", replace(form, having=rest)
    for compare in (">=", ">", "<", "<="):
        made = replace(old, compare=compare)
        if made != old:
            yield having_words(form, made), "", replace(form, having=(*rest, made))


def without_measure(form: Form, place: int) -> Form:
    """Return a form without one of its measures, and without the conditions on that measure."""
    rest = (*form.measures[:place], *form.measures[place + 1 :])
    kept = (one for one in form.having if one.measure != place)
    having = tuple(replace(one, measure=one.measure - (one.measure > place)) for one in kept)
    return replace(form, measures=rest, having=having, order=None if form.limit is None else Order(0))
