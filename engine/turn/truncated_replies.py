"""Handles replies cut by a length limit: finds calls that are complete and may run, or makes a message for the user if
there are none. Pure."""

from engine.tools.arguments import Arguments, decode_arguments
from engine.turn.disclosure import Disclosed
from engine.turn.step import Reply, ReplyCall

__all__ = ["arguments_of", "cut_short", "has_whole_call"]

_AT_ITS_LIMIT = "The reply was cut off at its length limit"
_WHAT_TO_DO = "Ask for less at once, or choose a model with a higher limit."


def arguments_of(reply: Reply, call: ReplyCall) -> Arguments:
    """Return the arguments of a call. In a truncated reply, the last call and any call whose arguments are still empty
    may be incomplete."""
    may_be_cut = reply.finish == "length" and (call is reply.calls[-1] or not call.text.strip())
    return decode_arguments(call.text, complete=not may_be_cut)


def has_whole_call(reply: Reply) -> bool:
    """Return whether any call of the reply can run, even if the reply was cut."""
    return any(arguments_of(reply, call).problem is None for call in reply.calls)


def cut_short(reply: Reply, shown: Disclosed) -> str | None:
    """Return the message for a truncated reply that ends its turn; None if the reply's text can be the answer."""
    if cut := [call.name for call in reply.calls if arguments_of(reply, call).problem is not None]:
        tool = shown.tools.get(cut[-1])
        name = tool.name if tool else cut[-1]
        return f"{_AT_ITS_LIMIT} in the middle of a call of the tool {name}, which did not run. {_WHAT_TO_DO}"
    if reply.text.strip() or reply.has_images:
        return None
    if reply.calls:
        return f"{_AT_ITS_LIMIT} before it had any text. {_WHAT_TO_DO}"
    return f"{_AT_ITS_LIMIT} before its first word: the model spent all of it on thinking. {_WHAT_TO_DO}"
