"""Splits a branch of a chat into questions with the steps that answer them, for the page and reports. Pure."""

from collections.abc import Sequence

from engine.views.chat import CallView, ChatView, MessageView, TurnView
from events.late_dataclass import dataclass

__all__ = ["Exchange", "exchanges", "own_runs_after"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and the steps that answer it on this branch."""

    question: MessageView
    steps: tuple[MessageView, ...]
    turn: TurnView | None

    @property
    def answer(self) -> MessageView | None:
        """The step with the answer; None if there is no answer yet."""
        return next((step for step in reversed(self.steps) if step.content), None)


def exchanges(view: ChatView, leaf: str | None = None) -> list[Exchange]:
    """Return the branch that ends at `leaf`, by default the current one, as questions with their answers."""
    found: list[tuple[MessageView, list[MessageView]]] = []
    for message in view.branch(leaf):
        if message.role == "user":
            found.append((message, []))
        elif found:
            found[-1][1].append(message)
    return [Exchange(q, tuple(steps), _turn(view, q, steps)) for q, steps in found]


def own_runs_after(view: ChatView, branch: Sequence[Exchange]) -> dict[str | None, list[CallView]]:
    """Return the user's own runs by the question that they follow; None for runs before the first question.

    `branch` contains all exchanges of a branch. A run belongs to no branch, so each branch shows it after the last
    earlier question.
    """
    found: dict[str | None, list[CallView]] = {}
    for run in view.own_runs:
        before = (one.question.message_id for one in reversed(branch) if one.question.position < run.position)
        found.setdefault(next(before, None), []).append(run)
    return found


def _turn(view: ChatView, question: MessageView, steps: Sequence[MessageView]) -> TurnView | None:
    if steps and steps[-1].turn_id in view.turns:
        return view.turns[steps[-1].turn_id or ""]
    own = [turn for turn in view.turns.values() if turn.message_id == question.message_id]
    return max(own, key=lambda turn: turn.started_at, default=None)
