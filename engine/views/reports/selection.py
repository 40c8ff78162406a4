"""Selects the contents of an export: a whole branch with the user's own runs, or chosen answers. Pure."""

from collections.abc import Collection, Mapping, Sequence

from engine.errors import NotFound
from engine.rendering.plans import ChartPlan
from engine.views.chart_versions import versions_of
from engine.views.chat import CallView, ChatView
from engine.views.exchanges import Exchange, exchanges, own_runs_after
from events.late_dataclass import dataclass

__all__ = ["Selection", "calls_with_cards", "nothing_to_export", "selected", "without_result"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Questions with their answers, and the user's own runs between them."""

    exchanges: Sequence[Exchange]
    runs: Mapping[str | None, Sequence[CallView]]
    """Runs by the question that they follow; None for runs before the first question. Empty if answers were chosen."""

    @property
    def counted(self) -> str:
        """The number of questions and runs as text, such as “3 questions, 1 run without a question”."""
        runs = sum(map(len, self.runs.values()))
        parts = ((len(self.exchanges), "question"), (runs, "run without a question"))
        return ", ".join(_count(number, noun) for number, noun in parts if number)

    @property
    def successful_calls(self) -> dict[str, str]:
        """The calls that have a result, each with its question."""
        found = {
            call.call_id: one.question.text
            for one in self.exchanges
            for step in one.steps
            for call in step.calls
            if call.status == "success"
        }
        own = (run for runs in self.runs.values() for run in runs if run.status == "success")
        return found | {run.call_id: "Run without a question" for run in own}


def selected(view: ChatView, answers: Collection[str], leaf: str | None) -> Selection:
    """Return the whole branch, or only the exchanges with a message in `answers`.

    Raises:
        NotFound: an answer is not on the branch (`message_not_found`), or there is nothing (`nothing_to_export`).
    """
    if leaf is not None and leaf not in view.messages:
        raise NotFound("message_not_found", f"There is no message {leaf} in this chat.")
    found = exchanges(view, leaf)
    known = {step.message_id: one for one in found for step in (one.question, *one.steps)}
    for message_id in answers:
        if message_id not in known:
            raise NotFound(
                "message_not_found", f"There is no message {message_id} on this branch of the chat."
            )
    if answers:
        wanted = {id(known[message_id]) for message_id in answers}
        return Selection([one for one in found if id(one) in wanted], {})
    everything = Selection(found, own_runs_after(view, found))
    if not found and not everything.runs:
        raise nothing_to_export()
    return everything


def calls_with_cards(view: ChatView, selection: Selection) -> dict[str, str]:
    """Return the calls that a selection shows, each with its question, including calls that the user made from a
    card.

    For an edited chart only the last version is shown.
    """
    found = selection.successful_calls
    # in the order of the log, so a call comes before the calls that were made from it
    for run in view.calls.values():
        if run.from_call_id in found and run.status == "success" and not run.aside:
            found[run.call_id] = found[run.from_call_id]
    return {call_id: words for call_id, words in found.items() if not _has_later_version(view, call_id)}


def _has_later_version(view: ChatView, call_id: str) -> bool:
    versions = versions_of(view.calls, call_id) if isinstance(view.calls[call_id].plan, ChartPlan) else ()
    return bool(versions) and versions[-1].call.call_id != call_id


def nothing_to_export() -> NotFound:
    """Return the error for a chat without questions and runs."""
    return NotFound(
        "nothing_to_export", "This chat has no question yet, so there is nothing to export. Ask something."
    )


def without_result(call: CallView) -> str:
    """Return a sentence about a user's own run that has no result."""
    return f"{call.tool_id} has no result: {call.status}."


def _count(number: int, noun: str) -> str:
    first, _, rest = noun.partition(" ")
    return f"{number:,} {first}{'' if number == 1 else 's'}{f' {rest}' if rest else ''}"
