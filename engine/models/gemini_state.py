"""Gemini's thought signatures: they are stored as parts of a message, and sent back in the part with which they came.

A signature on text is stored with the number of characters before it that came in the same part (`signed`), because
consecutive text parts of a message are joined. If there is no number, the signature came in a part with empty text. See
https://ai.google.dev/gemini-api/docs/thought-signatures.
"""

from engine.models.json_access import integer_of, object_of, text_of
from engine.models.messages import OpaquePart
from events.json_value import JSON, JSONObject
from events.text import scrub_surrogates

__all__ = ["on_call", "on_image", "on_text", "restore", "whole_part"]


def on_call(signature: str) -> OpaquePart:
    """Return the state for a signature of the preceding call."""
    return OpaquePart(provider="gemini", data={"on": "call", "thoughtSignature": signature})


def on_image(signature: str) -> OpaquePart:
    """Return the state for a signature of the preceding picture."""
    return OpaquePart(provider="gemini", data={"on": "image", "thoughtSignature": signature})


def on_text(signature: str, signed: int, *, thought: bool) -> OpaquePart:
    """Return the state for a signature of the preceding `signed` characters of text or thought."""
    on = "thought" if thought else "text"
    return OpaquePart(provider="gemini", data={"on": on, "signed": signed, "thoughtSignature": signature})


def whole_part(part: JSONObject) -> OpaquePart:
    """Return the state for a part that only the server understands, unchanged."""
    return OpaquePart(provider="gemini", data={"on": "part", "part": part})


def restore(parts: list[JSON], state: JSON, thoughts: str) -> None:
    """Put a part's state back. `parts` contains the request's parts so far, `thoughts` the reasoning directly before
    it."""
    data = object_of(state)
    signature = scrub_surrogates(text_of(data.get("thoughtSignature")))
    last = object_of(parts[-1]) if parts else {}
    signed = integer_of(data, "signed") or 0
    match data.get("on"):
        case "part":
            parts.append(data.get("part"))
        case "call" | "image" if "functionCall" in last or "inlineData" in last:
            last["thoughtSignature"] = signature
        case "thought" if signed:
            said = thoughts[-signed:]
            parts.append({"text": said, "thought": True, "thoughtSignature": signature})
        case "text" if signed and set(last) == {"text"}:
            text = text_of(last["text"])
            parts.pop()
            if len(text) > signed:
                parts.append({"text": text[:-signed]})
            parts.append({"text": text[-signed:], "thoughtSignature": signature})
        case _ if signature:
            parts.append({"text": "", "thoughtSignature": signature})
