"""Parses and validates a call's arguments from the model's text, or returns an error that says where the fault is
(TRN-5)."""

import json

from engine.errors import Invalid
from engine.system.input_limits import MOST_IN_ARGUMENTS, excess
from engine.toolsets.schema import argument_faults
from events.canonical import canonical_json
from events.catalog.tool_call import CallFailure
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["Arguments", "decode_arguments", "require_arguments", "schema_problem"]


@dataclass(frozen=True, slots=True)
class Arguments:
    """The parsed arguments of a model's call: a JSON object, or the original text together with the error."""

    value: JSON
    problem: CallFailure | None = None


_CUT = CallFailure(
    kind="cut",
    message="The call was cut off at the reply's length limit; make it again with shorter arguments.",
)


def decode_arguments(text: str, *, complete: bool = True) -> Arguments:
    """Decode `text`. An empty text or `null` means no arguments, but only in a complete call."""
    if text.strip() in ("", "null", '"null"'):
        return Arguments({}) if complete else Arguments("", _CUT)
    try:
        value = json.loads(text, parse_constant=_no_constant)
        canonical_json(value)
    except RecursionError:
        message = "The arguments are nested too deeply. Send one JSON object with plain values."
        return Arguments(text, _invalid(message))
    except ValueError as error:
        if not complete:
            return Arguments(text, _CUT)
        message = f"The arguments are not valid JSON: {error}. Send one JSON object."
        return Arguments(text, _invalid(message))
    if not isinstance(value, dict):
        kind = type(value).__name__
        message = f"The arguments must be one JSON object, but they are of type {kind}."
        return Arguments(text, _invalid(message))
    too_much = excess(value, MOST_IN_ARGUMENTS)
    if too_much is not None:
        return Arguments(
            text, _invalid(f"The arguments were not accepted: {too_much}. Send plain, shorter values.")
        )
    return Arguments(value)


def _invalid(message: str) -> CallFailure:
    return CallFailure(kind="invalid_arguments", message=message)


def require_arguments(arguments: JSONObject) -> None:
    """Check that `arguments` can be recorded.

    Raises:
        Invalid: the arguments are not JSON, or are too deep or too large.
    """
    too_much = excess(arguments, MOST_IN_ARGUMENTS)
    if too_much is not None:
        raise Invalid("arguments_too_large", f"The arguments were not accepted: {too_much}.")
    try:
        canonical_json(arguments)
    except (ValueError, TypeError) as error:
        raise Invalid("arguments_json", f"The arguments are not JSON: {error}.") from None


def schema_problem(arguments: JSONObject, schema: JSONObject) -> CallFailure | None:
    """Return the violations of the tool's `input_schema`, with their places; None if the arguments are valid."""
    faults = argument_faults(schema, arguments)
    if not faults:
        return None
    return _invalid("; ".join(faults)[:2000])


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
