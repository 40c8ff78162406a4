"""A model that replies from a script, for tests, playback and demos.

A script is a JSON file: a list of replies, or an object with `replies`. An answer may be sent back because of its
numbers; the object has `"revises": true` if `replies` also contains the corrected answers. If the object has a
`review`, the model also reviews the numbers of its answers: the `review` has verdicts for some numbers as they are
written (`{"4.2%": "wrong: it is 4.4%"}`), and all other numbers are right. The number of assistant messages in a
request selects the reply, so a branch or a retry gets the reply for its place.

    {"text": "…", "reasoning": "…", "calls": [{"name": "query", "arguments": {…} or "raw text"}],
     "finish": "stop", "error": "…", "seconds_per_word": 0.05, "gates": {"3": "FILE"},
     "tokens_in": 10, "tokens_out": 20}

A call's name is a wire name, or the bare tool name if only one offered tool ends with it. A gate such as `"3": "FILE"`
holds the text back after three words until the file exists, so that a test can wait for an event instead of relying on
time.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Event
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.errors import Invalid, NotFound
from engine.models.messages import Message
from engine.models.model import (
    ArgumentsDelta,
    CallDelta,
    Delta,
    Finished,
    FinishReason,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    Usage,
)
from engine.system.cancellation import Cancellation
from events.catalog.parts import text_of
from events.json_value import JSON

_LOOKS_EVERY = 0.02
"""Seconds between two checks for a gate's file."""

__all__ = ["Script", "ScriptedCall", "ScriptedModel", "ScriptedReply", "read_script"]


class ScriptedCall(BaseModel):
    """A tool call in a scripted reply."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    name: str
    arguments: dict[str, Any] | str = {}
    provider_call_id: str = ""


class ScriptedReply(BaseModel):
    """One reply of a script."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    text: str = ""
    reasoning: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    finish: FinishReason | None = None
    error: str | None = None
    seconds_per_word: float = 0.0
    gates: dict[int, Path] = {}
    """Number of words → the file to wait for after that many words of the text."""
    tokens_in: int | None = None
    tokens_out: int | None = None


class Script(BaseModel):
    """A script, as read from its file."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    replies: tuple[ScriptedReply, ...]
    revises: bool = False
    """Whether the script contains the replies for answers that are sent back to be written again."""
    review: dict[str, str] | None = None
    """A number as written → the verdict on it; None if the model does not review numbers."""


def read_script(path: Path) -> Script:
    """Read a script.

    Raises:
        NotFound: there is no such file.
        Invalid: the file is not a script; the message says where the fault is.
    """
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise NotFound(
            "script_not_found", f"There is no script {path}. Give the path of a JSON file."
        ) from None
    except ValueError as error:
        raise Invalid("script_invalid", f"{path} is not JSON: {error}.") from None
    try:
        return Script.model_validate({"replies": content} if isinstance(content, list) else content)
    except ValidationError as error:
        raise Invalid("script_invalid", f"{path} is not a script of replies: {error}") from None


class ScriptedModel:
    """A model that replies from a script."""

    provider = "scripted"
    sees = False
    reads_tables = True
    window: int | None = None
    parameters: Mapping[str, JSON] = MappingProxyType({})

    def __init__(self, script: Script) -> None:
        self._replies, self.revises = script.replies, script.revises
        self._review, self.reviews = script.review or {}, script.review is not None

    def body(self, request: ModelRequest) -> bytes:  # noqa: ARG002 - required by the protocol
        """See `Model.body`: returns no bytes, because nothing is sent."""
        return b""

    def stream(self, request: ModelRequest, cancel: Cancellation) -> Iterator[Delta]:
        """See `Model.stream`."""
        if request.is_review:
            yield TextDelta(_reviewed(request, self._review))
            yield Finished("stop")
            return
        number = sum(isinstance(m, Message) and m.role == "assistant" for m in request.messages)
        if number >= len(self._replies):
            yield Finished(
                "error", error=f"The script has {len(self._replies)} replies, but another one was asked for."
            )
            return
        reply = self._replies[number]
        if reply.reasoning:
            yield ReasoningDelta(reply.reasoning)
        yield from _spoken(reply, cancel)
        if cancel.is_set:
            yield Finished("cancelled")
            return
        for index, call in enumerate(reply.calls):
            yield CallDelta(index, _wire_name(call.name, request), call.provider_call_id)
            text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
            yield ArgumentsDelta(index, text)
        reason = reply.finish or ("error" if reply.error else "calls" if reply.calls else "stop")
        yield Finished(reason, Usage(reply.tokens_in, reply.tokens_out), reply.error)


def _spoken(reply: ScriptedReply, cancel: Cancellation) -> Iterator[Delta]:
    """Yield the text word by word, at the reply's pace."""
    stopped = Event()
    forget = cancel.on_set(stopped.set)
    try:
        for said, word in enumerate([*re.findall(r"\S+\s*|\s+", reply.text), ""]):
            gate = reply.gates.get(said)
            while gate is not None and not gate.exists() and not stopped.is_set():
                stopped.wait(_LOOKS_EVERY)
            if word and reply.seconds_per_word:
                stopped.wait(reply.seconds_per_word)
            if stopped.is_set():
                return
            if word:
                yield TextDelta(word)
    finally:
        forget()


def _wire_name(name: str, request: ModelRequest) -> str:
    known = [*(tool.name for tool in request.tools), *(brief.name for brief in request.briefs)]
    fitting = [wire for wire in known if wire == name or wire.endswith(f"__{name}")]
    return fitting[0] if len(fitting) == 1 else name


def _reviewed(request: ModelRequest, verdicts: Mapping[str, str]) -> str:
    """Return the review that a request asks for: one line for each number that the request lists."""
    asked = "".join(text_of(m.parts) for m in request.messages if isinstance(m, Message))
    listed = re.findall(r"^(\d+): (.*?): ", asked.rpartition("# Sources")[2], re.MULTILINE)
    return "\n".join(f"{index} {verdicts.get(number, 'right')}" for index, number in listed)
