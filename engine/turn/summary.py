"""The summary that replaces older messages: the request for the summary, and the text around it. Pure."""

import re
from collections.abc import Iterable, Sequence

from engine.tools.result_names import names_of
from engine.turn.shortening import shortened
from events.catalog.chat import MessageAdded
from events.catalog.parts import text_of
from events.json_value import JSON

__all__ = ["ASK_FOR_SUMMARY", "result_line", "short_account", "summary_text"]

ASK_FOR_SUMMARY = """\
This conversation is getting too long for you to read at once. Write a summary of it for yourself: it will take the
place of everything above. Keep, in at most 600 words:
- each question of the user and what was answered, with the exact numbers, units and periods;
- what the user defined, decided, corrected or wants from now on;
- what was found out about the files: meanings of columns, traps, values that could not be read;
- what is still open.
Name results by the names that their tools returned. Do not invent anything and do not call a tool."""

_SUMMARY = 12_000
_LINES = 60
_QUESTION, _ANSWER, _EARLIER = 300, 700, 4_000
_ACCOUNT = 9_000
_ENDS = re.compile(r"<(?=\s*/?\s*summary)", re.IGNORECASE)


def summary_text(written: str, results: Sequence[str], messages: int, question: MessageAdded | None) -> str:
    """Return the text sent instead of `messages` messages.

    `results` contains lines about the calls in these messages; `question` is the user's question if the summary covers
    it but not its answer.
    """
    lines = [
        "<summary>",
        f"The first {messages:,} messages of this chat are summarised here, because it grew too long.",
        "",
        _ENDS.sub("‹", written.strip()[:_SUMMARY]),
    ]
    if results:
        lines += ["", "Results of these messages; read_result(name) brings one back:"]
        left = len(results) - _LINES
        lines += [f"- and {left:,} earlier ones: query_history lists them in tool_calls"] if left > 0 else []
        lines += [_ENDS.sub("‹", line) for line in results[-_LINES:]]
    lines.append("</summary>")
    if question is not None:
        lines += [
            "",
            "The user's question that the next messages answer; its first steps are summarised above:",
        ]
        lines.append(_text(question))
    return "\n".join(lines)


def result_line(call_name: str, tool: str, arguments: JSON, result: JSON) -> str:
    """Return the line about one successful call. `read_result` finds the call by `call_name` if its result has no
    name."""
    names = names_of(result)
    given = arguments if isinstance(arguments, dict) else {}
    about = next(
        (str(given[key]) for key in ("title", "purpose", "sql", "path", "name") if given.get(key)), ""
    )
    if not about:
        about = ", ".join(f"{key}={value}" for key, value in list(given.items())[:3])
    name = ", ".join(names) if names else call_name
    return f"- {name}: {tool}, {shortened(about, 120)}" if about else f"- {name}: {tool}"


def short_account(covered: Iterable[MessageAdded], earlier: str) -> str:
    """Return shortened questions and answers, which are used if the model could not write a summary."""
    lines = [shortened(earlier, _EARLIER)] if earlier else []
    for message in covered:
        text = _text(message)
        if message.role == "user":
            lines.append(f"The user asked: {shortened(text, _QUESTION)}")
        elif text.strip() and message.finish == "stop":
            lines.append(f"You answered: {shortened(text, _ANSWER)}")
    account = "\n".join(lines)
    if len(account) <= _ACCOUNT:
        return account
    head, tail = account[: _ACCOUNT // 3], account[-_ACCOUNT * 2 // 3 :]
    return f"{head}\n… {len(account) - _ACCOUNT:,} characters are left out …\n{tail}"


def _text(message: MessageAdded) -> str:
    return text_of(message.parts)
