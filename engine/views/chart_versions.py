"""The versions of a chart: the original, and the versions that the user made from it. Pure."""

from collections.abc import Mapping, Sequence

from engine.rendering.plans import ChartPlan
from engine.views.chat import CallView
from events.late_dataclass import dataclass

__all__ = ["CHART", "Version", "is_version", "versions_of"]

CHART = "data-analyst:chart"
"""The tool that draws charts. An edited chart is also a call of this tool."""


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a chart."""

    call: CallView
    plan: ChartPlan


def versions_of(calls: Mapping[str, CallView], call_id: str) -> Sequence[Version]:
    """Return the versions of the chart that a call drew, in order. The result is empty if the call drew no chart.

    `calls` contains a chat's calls in the order of the log. The call of an edited chart names the call from which it
    was made.
    """
    root = _root(calls, call_id)
    family = {root}
    found = []
    for one in calls.values():
        if one.call_id == root or (one.from_call_id in family and one.tool_id == CHART):
            family.add(one.call_id)
            plan = one.plan if one.status == "success" and not one.aside else None
            if isinstance(plan, ChartPlan):
                found.append(Version(one, plan))
    return found


def is_version(calls: Mapping[str, CallView], call: CallView) -> bool:
    """Return whether a call is a later version of another call's chart, and is shown with it."""
    before = calls.get(call.from_call_id or "")
    return call.tool_id == CHART and before is not None and _drew(before)


def _root(calls: Mapping[str, CallView], call_id: str) -> str:
    at = calls.get(call_id)
    while at is not None and (before := calls.get(at.from_call_id or "")) is not None and _drew(before):
        at = before
    return at.call_id if at is not None else call_id


def _drew(call: CallView) -> bool:
    """Return whether a call's result is one chart."""
    return isinstance(call.plan, ChartPlan)
