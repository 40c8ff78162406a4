"""A fake model that reads its requests: an analysis, written as a generator, receives each request and yields a reply.

    def revenue(seen: Seen) -> Analysis:
        seen = yield say("I add it up.", query("SELECT sum(amount) AS total FROM sales"))
        yield say(f"The total is {seen.result()['rows'][0][0]:,}.")

    with fake_provider("openai", policy=reads(revenue)) as server:
        …

As with a real model, every number in a reply comes from a request; none is known beforehand.
"""

import json
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.support.providers.replies import Call, Reply

__all__ = ["Analysis", "Seen", "chart", "python", "query", "reads", "say", "tool"]

_ANALYST = "toolset__data-analyst__"


@dataclass(frozen=True)
class Seen:
    """One request of the chat-completions dialect, as a model reads it."""

    body: Any

    @property
    def system(self) -> str:
        """The system text."""
        return "".join(m["content"] for m in self.body["messages"] if m["role"] == "system")

    @property
    def question(self) -> str:
        """The user's last message."""
        said = [m["content"] for m in self.body["messages"] if m["role"] == "user"][-1]
        return said if isinstance(said, str) else "".join(p.get("text", "") for p in said)

    @property
    def told(self) -> str:
        """Everything in the request, as text."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def tools(self) -> list[str]:
        """The names of the tools that may be called."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]

    @property
    def results(self) -> list[Any]:
        """The results of the last reply's calls, in order."""
        messages = self.body["messages"]
        last = max(n for n, message in enumerate(messages) if message["role"] == "assistant")
        contents = [message["content"] for message in messages[last + 1 :] if message["role"] == "tool"]
        return [_result(content) for content in contents]

    def result(self, number: int = 0) -> Any:
        """Return one of the results; it must not be an error."""
        found = self.results[number]
        assert "error" not in found, found
        return found

    def column(self, name: str, number: int = 0) -> list[Any]:
        """A column of a result that is a table."""
        table = self.result(number)
        at = [column["name"] for column in table["columns"]].index(name)
        return [row[at] for row in table["rows"]]


def _result(content: str) -> Any:
    """Return a tool's result, without the data part of the request, which may follow the last result."""
    return json.JSONDecoder().raw_decode(content)[0] if content[:1] in "{[" else content


Analysis: TypeAlias = Generator[Reply, Seen, None]
"""Yields replies, and after each receives the next request."""


def reads(analysis: Callable[[Seen], Analysis]) -> Callable[[Any], Reply]:
    """Return a policy for `fake_provider` that plays one analysis from its first request to its end."""
    running: list[Analysis] = []

    def policy(body: Any) -> Reply:
        seen = Seen(body)
        try:
            if not running:
                running.append(analysis(seen))
                return next(running[0])
            return running[0].send(seen)
        except StopIteration:
            return Reply(status=500, error="The analysis is over, and there was one more request.")

    return policy


def say(text: str, *calls: Call) -> Reply:
    """A reply with its text and its calls."""
    return Reply(text=text, calls=calls)


def tool(name: str, **arguments: Any) -> Call:
    """A call of a built-in tool."""
    return Call(name, arguments)


def query(sql: str, **more: Any) -> Call:
    """A call of `query`."""
    return Call(f"{_ANALYST}query", {"sql": sql, **more})


def python(code: str, **more: Any) -> Call:
    """A call of `python`."""
    return Call(f"{_ANALYST}python", {"code": code, **more})


def chart(**arguments: Any) -> Call:
    """A call of `chart`."""
    return Call(f"{_ANALYST}chart", arguments)
