"""Reads replies of Gemini's own API: chunks of a stream, an array of them, or one whole body. Pure."""

import json
from collections.abc import Iterator

from engine.models import gemini_state
from engine.models.finish_reasons import Meaning, meaning_of
from engine.models.gemini_arguments import add_pieces
from engine.models.json_access import integer_of, object_of, objects_of, picture, text_of
from engine.models.model import Delta, FinishReason, OpaqueDelta, ReasoningDelta, TextDelta, Usage
from engine.models.replies import Damage, Ending, GrowingCall, GrowingCalls, Speech, reason_of
from engine.models.reply_json import Done, Frame, Payload
from events.json_value import JSON, JSONObject

__all__ = ["GeminiReply"]

_MIME = "application/octet-stream"


class GeminiReply:
    """One reply; see `ReplyReader`."""

    def __init__(self) -> None:
        self._speech = Speech()
        self._calls = GrowingCalls()
        self._open: tuple[GrowingCall, JSONObject] | None = None
        self._finishes: list[str] = []
        self._detail = ""
        self._blocked = False
        self._whole = False
        self._error: JSON = None
        self._damage = Damage()
        self.usage = Usage()
        """See `ReplyReader`."""

    def read(self, frame: Frame) -> Iterator[Delta]:
        """See `ReplyReader`."""
        self._damage.note(frame)
        match frame:
            case Payload():
                for payload in objects_of(frame.value) or [object_of(frame.value)]:
                    yield from self._payload(payload, frame)
            case Done():
                self._whole = True

    def finish(self) -> Iterator[Delta]:
        """See `ReplyReader`."""
        yield from self._close(cut=self._reason == "length")
        yield from self._speech.finish()
        yield from self._calls.finish(self._reason)

    @property
    def ending(self) -> Ending:
        """See `ReplyReader`."""
        if self._error is not None:
            return Ending("error", self.usage, self._error)
        if self._reason != "error":
            return Ending(self._reason, self.usage)
        if self._finishes and not self._is_broken:
            bad = next((word for word in self._finishes if meaning_of(word) == self._meaning), "")
            return Ending("error", self.usage, finish=bad, detail=self._detail)
        return Ending("error", self.usage, broken=self._damage.told)

    @property
    def _is_broken(self) -> bool:
        """Return whether the stream itself is broken. An array without its end is broken even after a finish reason."""
        return bool(self._damage.malformed or self._damage.cut)

    @property
    def _meaning(self) -> Meaning:
        """Return the meaning of the finish reasons. Google has a reason for each kind of failure, so an unknown reason
        is a new kind of failure.
        """
        return meaning_of(*([word for word in self._finishes if word != "STOP"] or ["STOP"]))

    @property
    def _reason(self) -> FinishReason:
        ended = bool(self._finishes) or self._whole or self._blocked
        if self._error is not None or self._is_broken or not ended:
            return "error"
        if self._blocked:
            return "content_filter"
        return "error" if self._meaning == "unknown" else reason_of(self._meaning, self._calls)

    def _payload(self, payload: JSONObject, frame: Payload) -> Iterator[Delta]:
        if error := payload.get("error"):
            self._error = self._error or error
        elif frame.event == "error":
            self._error = self._error or payload
        payload = object_of(payload.get("response")) or payload  # Code Assist wraps each chunk
        self._whole = self._whole or (frame.bare and "error" not in payload)
        self._count(object_of(payload.get("usageMetadata")))
        self._blocked = self._blocked or bool(object_of(payload.get("promptFeedback")).get("blockReason"))
        for place, candidate in enumerate(objects_of(payload.get("candidates"))):
            if candidate.get("index", place) in (0, None):
                for part in objects_of(object_of(candidate.get("content")).get("parts")):
                    yield from self._part(part)
                if finish := text_of(candidate.get("finishReason")):
                    self._finishes.append(finish)
                    self._detail = text_of(candidate.get("finishMessage")) or self._detail

    def _part(self, part: JSONObject) -> Iterator[Delta]:
        signature = text_of(part.get("thoughtSignature") or part.get("thought_signature"))
        data = object_of(part.get("inlineData") or part.get("inline_data"))
        if isinstance(part.get("functionCall"), dict):
            yield from self._call(object_of(part["functionCall"]))
            if signature:
                yield OpaqueDelta(gemini_state.on_call(signature))
        elif isinstance(text := part.get("text"), str):
            yield from self._text(text, signature, thought=part.get("thought") is True)
        elif data and part.get("thought") is not True:
            media_type = text_of(data.get("mimeType") or data.get("mime_type")) or _MIME
            yield from picture(text_of(data.get("data")), media_type)
            if signature:
                yield OpaqueDelta(gemini_state.on_image(signature))
        elif part.keys() - {"thought", "thoughtSignature"} and not data:
            yield OpaqueDelta(gemini_state.whole_part(part))
        elif signature:
            yield OpaqueDelta(gemini_state.on_text(signature, 0, thought=False))

    def _text(self, text: str, signature: str, *, thought: bool) -> Iterator[Delta]:
        if text:
            yield from self._close()
        said = list(self._speech.reasoning(text) if thought else self._speech.text(text))
        yield from said
        if signature:
            signed = sum(len(d.text) for d in said if isinstance(d, TextDelta | ReasoningDelta))
            yield OpaqueDelta(gemini_state.on_text(signature, signed, thought=thought))

    def _call(self, made: JSONObject) -> Iterator[Delta]:
        """Read a call: a whole one, or a piece that begins a call, continues it, or (without a name) ends it."""
        name = text_of(made.get("name"))
        if name:
            yield from self._close()
            call = self._calls.begin()
            yield from self._calls.name(call, name, text_of(made.get("id")))
            self._open = call, dict(object_of(made.get("args")))
        if self._open is None:
            return
        _, arguments = self._open
        if not name:
            arguments.update(object_of(made.get("args")))
        add_pieces(arguments, made.get("partialArgs"))
        if made.get("willContinue") is not True:
            yield from self._close()

    def _close(self, *, cut: bool = False) -> Iterator[Delta]:
        """Pass on the open call's arguments. If the reply was cut off, they are passed on as incomplete JSON, and the
        call stays open.
        """
        if self._open is not None:
            call, arguments = self._open
            self._open = None
            call.closed = not cut
            if arguments:
                text = json.dumps(arguments, ensure_ascii=False)
                yield from self._calls.arguments(call, text[:-1] if cut else text)

    def _count(self, usage: JSONObject) -> None:
        counted = Usage(
            integer_of(usage, "promptTokenCount"),
            integer_of(usage, "candidatesTokenCount"),
            integer_of(usage, "totalTokenCount"),
            integer_of(usage, "thoughtsTokenCount"),
            integer_of(usage, "cachedContentTokenCount"),
        )
        if counted != Usage():
            self.usage = counted
