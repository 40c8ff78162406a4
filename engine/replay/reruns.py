"""Runs the calls of a branch again on a new branch, with other files or a changed argument (TIM-4, TIM-10).

No model is asked: questions, answers and arguments are copied from the branch. The new branch is recorded call by call,
and the chat switches to it at the end, unless the user has continued elsewhere in the meantime. If a call no longer
succeeds, the calls after it do not run and the chat stays on its branch; otherwise the next run would start from an
incomplete analysis.
"""

from engine.deciders.chat import select_leaf
from engine.deciders.chat_state import ChatState
from engine.replay.recorded_calls import RecordedCall, recorded_calls
from engine.replay.rerun_branch import RerunBranch
from engine.replay.rerun_calls import OnCall, RerunCalls, RerunParts, What, changed_call_problem
from engine.system.cancellation import Cancellation
from events.catalog.chat import MessageAdded
from events.catalog.replay import RerunCall
from events.catalog.tool_call import CallFailure

__all__ = ["Reruns"]


class Reruns:
    """Runs branches again. Thread-safe."""

    def __init__(self, parts: RerunParts) -> None:
        self._parts = parts
        self._chats = parts.chats

    def calls(self, chat_id: str, leaf: str, what: What) -> tuple[RecordedCall, ...]:
        """Return the calls that would be run again with `what`."""
        with self._chats.locked(chat_id) as state:
            found = recorded_calls(self._chats.recorded(chat_id), state, leaf)
            again = {message.message_id for message in _again(state, leaf, what)}
        ended = (one for one in found if one.call.finished is not None)
        return tuple(one for one in ended if one.call.requested.message_id in again)

    def run(
        self,
        chat_id: str,
        rerun_id: str,
        leaf: str,
        what: What,
        cancel: Cancellation,
        on_call: OnCall,
        *,
        moves: bool = True,
    ) -> tuple[str | None, tuple[RerunCall, ...]]:
        """Run the branch that ends at `leaf` again; return the new branch's end, and the outcome of each call.

        Without `moves`, the chat stays on its current branch.
        """
        calls = self.calls(chat_id, leaf, what)
        with self._chats.locked(chat_id) as state:
            path, stood = _again(state, leaf, what), state.leaf
        with self._parts.workspaces.leased(chat_id, rerun_id) as folder:
            by_id = {one.call_id: one for one in calls}
            again = RerunCalls(self._parts, chat_id, what, cancel, on_call, folder, by_id)
            work = RerunBranch(self._parts, chat_id, again)
            work.go(path)
        end = work.parent if work.began else None
        if end is not None and moves and work.whole:
            self._chats.transact(chat_id, lambda now: select_leaf(now, end) if now.leaf == stood else [])
            self._parts.workspaces.sync(chat_id)
        own = self._own_calls(chat_id, leaf) if what.call_id is None else ()
        left = [RerunCall(call_id=one.call_id, new_call_id=None, status="not reached") for one in calls]
        done = tuple(again.done.get(one.call_id, rest) for one, rest in zip(calls, left, strict=True))
        return end, (*done, *own)

    def why_not_changed(self, chat_id: str, leaf: str, what: What) -> CallFailure | None:
        """Return the reason why the changed call cannot run with its new arguments; None if it can."""
        one = next((one for one in self.calls(chat_id, leaf, what) if one.call_id == what.call_id), None)
        return changed_call_problem(self._parts.tools, one, what) if one is not None else None

    def _own_calls(self, chat_id: str, leaf: str) -> tuple[RerunCall, ...]:
        """Return the calls that the user made. Their results from the old files are shown on the new branch too, with a
        note.
        """
        with self._chats.locked(chat_id) as state:
            found = recorded_calls(self._chats.recorded(chat_id), state, leaf)
        told = "You ran it yourself. Its result from the old files stays as it was."
        return tuple(
            RerunCall(call_id=one.call_id, new_call_id=None, status="kept", told=told)
            for one in found
            if one.call.requested.message_id is None
        )


def _again(state: ChatState, leaf: str, what: What) -> list[MessageAdded]:
    """Return the messages that the new branch copies: all messages, or only the messages from the changed call's step
    on.
    """
    path = state.path(leaf)
    if what.call_id is None:
        return path
    message_id = state.calls[what.call_id].requested.message_id
    places = [message.message_id for message in path]
    return path[places.index(message_id) :] if message_id in places else []
