"""A question in the first request of a tab's session, kept until a run of the page has read it."""

from streamlit.proto.WidgetStates_pb2 import WidgetStates

from ui import session

__all__ = ["forget_question", "keep_question", "take_question", "unread_question"]

_KEY = "unread-question"


def keep_question(fields: WidgetStates) -> None:
    """Keep the field of a question as the browser sent it."""
    session.remember(_KEY, fields)


def unread_question() -> WidgetStates | None:
    """The field of a question that no run has read."""
    fields: WidgetStates | None = session.remembered(_KEY)
    return fields


def take_question() -> bool:
    """Whether a question was unread. It is read then."""
    unread = unread_question() is not None
    forget_question()
    return unread


def forget_question() -> None:
    """Forget the question, because it was read or the page that was drawn has no field for it."""
    session.clear(_KEY)
