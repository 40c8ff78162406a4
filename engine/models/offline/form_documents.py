"""Reads, checks and writes query forms as JSON documents."""

from collections.abc import Iterator
from functools import lru_cache

from pydantic import TypeAdapter, ValidationError

from engine.models.offline.form import Condition, Form, FormError, Measure, Ref, refs_of
from events.json_value import JSON

__all__ = ["form_from", "form_json"]


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[Form]:
    return TypeAdapter(Form)


def form_from(document: JSON) -> Form:
    """Return the form in a JSON document; raise FormError if it does not contain one."""
    try:
        form = _adapter().validate_python(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "form"
        raise FormError(f"The form is not valid at {where}: {first['msg']}.") from None
    for problem in _problems(form):
        raise FormError(f"The form is not valid: {problem}.")
    return form


_COLUMNS = {"values": 1, "points": 1, "histogram": 1, "outliers": 1, "change": 1}
"""For a form's `show`: the minimum number of columns that it needs."""


def _measure_problems(measure: Measure) -> Iterator[str]:
    if measure.of is None and measure.aggregate != "count":
        yield f"{measure.aggregate} needs a column"
    if (measure.operator or measure.aggregate == "correlation") and measure.other is None:
        yield f"{measure.operator or measure.aggregate} needs a second column"
    if measure.other is not None and not measure.operator and measure.aggregate != "correlation":
        yield "a second column needs an operator"
    if measure.per is not None and (measure.aggregate not in ("count", "sum") or measure.share):
        yield "only a count or a sum can be averaged over a column"
    if measure.aggregate == "percentile" and not 0 < measure.at < 100:
        yield "a percentile must be between 0 and 100"


def _ref_problems(form: Form) -> Iterator[str]:
    if any((ref.until and not ref.unit) or (ref.unit and ref.grain) for ref in refs_of(form)):
        yield "a time between two columns needs both columns and a unit, and cannot be grouped by period"
    if any(not 0 <= ref.width < 1e15 or (ref.width and (ref.unit or ref.grain)) for ref in refs_of(form)):
        yield "a width must be a positive number below 1e15, and a column with steps has no unit and no period"
    if any(ref.width for ref in {*refs_of(form)} - {*form.groups, *form.within}):
        yield "only columns by which rows are grouped can be divided into steps"


def _problems(form: Form) -> Iterator[str]:
    """Yield the problems that types cannot express: a part that needs another part, or a measure that is missing."""
    if form.show in ("numbers", "change") and not form.measures:
        yield "there is nothing to compute"
    yield from _ref_problems(form)
    if len(form.columns) < _COLUMNS.get(form.show, 0):
        yield f"{form.show} needs a column"
    for measure in form.measures:
        yield from _measure_problems(measure)
    for found in (*form.filters, *(found for measure in form.measures for found in measure.where)):
        if not found.any:
            yield "a filter has no condition"
        yield from (problem for condition in found.any if (problem := _condition_problem(condition)))
    by = form.order.by if form.order is not None else None
    if isinstance(by, int) and not 0 <= by < len(form.measures):
        yield f"it is sorted by measure {by}, but the number of measures is {len(form.measures)}"
    if form.limit is not None and form.groups and form.order is None:
        yield "a limit on groups needs an order"
    if form.show == "numbers" and isinstance(by, Ref):
        yield "numbers can only be sorted by a measure or by the groups"
    if form.show != "numbers" and by is not None and not isinstance(by, Ref):
        yield "rows can only be sorted by a column"
    if any(not 0 <= having.measure < len(form.measures) for having in form.having):
        yield "a condition on groups names a measure that does not exist"
    if form.limit is not None and not 1 <= form.limit <= 1_000_000:
        yield "the limit must be between 1 and 1,000,000"
    if (form.within or form.ties) and (form.limit is None or form.order is None):
        yield "a limit for each group, or with ties, needs an order and a limit"
    if form.show == "numbers" and form.limit is not None and form.within and not isinstance(by, int):
        yield "a limit for each group needs an order by a measure, such as total revenue"
    if (
        form.window is not None
        and form.window.kind == "moving average"
        and not 2 <= form.window.size <= 1_000
    ):
        yield "a moving average must have 2 to 1,000 periods"


def _condition_problem(condition: Condition) -> str:
    many = len(condition.values)
    if condition.other is not None:
        return (
            ""
            if condition.compare in ("=", "!=", "<", "<=", ">", ">=")
            else "columns can only be compared by =, !=, <, <=, > or >="
        )
    if condition.compare in ("missing", "present", "above average", "below average"):
        return ""
    wanted = 2 if condition.compare.endswith("between") else 1
    one_only = condition.compare not in ("=", "!=") and not condition.compare.endswith("between")
    if many < wanted or (one_only and many > 1):
        return f"the condition on {condition.of.column} has the wrong number of values: {many}"
    return ""


def form_json(form: Form) -> JSON:
    """Return a form as JSON, without default values."""
    document: JSON = _adapter().dump_python(form, mode="json", exclude_defaults=True)
    return document
