"""A question that arrived before the page could ask it: in the first request of a tab's session, or from the page that
is shown while the data folder is opened. It is kept until a run of the page has read it.
"""

from streamlit.proto.WidgetStates_pb2 import WidgetStates

from ui import session

__all__ = ["forget_question", "keep_question", "note_early_question", "take_question", "unread_question"]

_KEY = "unread-question"
_EARLY = "early-question"


def keep_question(fields: WidgetStates) -> None:
    """Keep the field of a question as the browser sent it."""
    session.remember(_KEY, fields)


def unread_question() -> WidgetStates | None:
    """The field of a question that no run has read."""
    fields: WidgetStates | None = session.remembered(_KEY)
    return fields


def note_early_question() -> None:
    """Note that the field has a question from the page that is shown while the data folder is opened."""
    session.remember(_EARLY, True)


def take_question() -> bool:
    """Return whether there was an unread question. It then counts as read."""
    unread = unread_question() is not None or session.remembered(_EARLY, False)
    forget_question()
    return bool(unread)


def forget_question() -> None:
    """Forget the question, because it was read or the page that was drawn has no field for it."""
    session.clear(_KEY)
    session.clear(_EARLY)
