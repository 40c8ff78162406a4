"""The three ways to request pictures: Gemini's own models, Imagen, and OpenAI's images endpoint.

Each request returns the pictures in one answer, and errors for the missing pictures.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from tools.pictures import decoded
from tools.refusals import blocked, not_made, wordless
from tools.studio import Failed, Studio
from tools.transport import fetch, post_json

__all__ = ["Made", "Way", "Wish", "gemini", "imagen", "openai", "way_of"]

RATIOS = ("1:1", "3:2", "2:3", "4:3", "3:4", "16:9", "9:16")


@dataclass(frozen=True, slots=True)
class Wish:
    """A request for pictures."""

    prompt: str
    count: int
    aspect: str | None = None
    size: str | None = None

    @property
    def ratio(self) -> str | None:
        """The requested aspect ratio, or the one closest to the requested size in pixels."""
        if self.aspect or not self.size or "x" not in self.size:
            return self.aspect
        width, height = map(int, self.size.split("x"))
        return min(RATIOS, key=lambda ratio: abs(_number(ratio) - width / max(height, 1)))


@dataclass(slots=True)
class Made:
    """The pictures and errors of one request."""

    pictures: list[bytes] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)


Way = Callable[[Studio, Wish], Made]


def way_of(studio: Studio) -> tuple[Way, bool]:
    """Return the function that requests pictures, and whether one request makes all of them."""
    if studio.provider == "openai":
        return openai, False
    return (imagen, True) if studio.model.startswith("imagen") else (gemini, False)


def gemini(studio: Studio, wish: Wish) -> Made:
    """Request a picture from a Gemini model. Its answer can have text and empty parts around the picture."""
    shape: dict[str, str] = {}
    if wish.ratio:
        shape["aspectRatio"] = wish.ratio
    if wish.size and wish.size.endswith("K"):
        shape["imageSize"] = wish.size
    options: dict[str, Any] = {"responseModalities": ["TEXT", "IMAGE"]} | (
        {"imageConfig": shape} if shape else {}
    )
    body = {"contents": [{"role": "user", "parts": [{"text": wish.prompt}]}], "generationConfig": options}
    value = _asked(studio, f"{_model(studio)}:generateContent", {"x-goog-api-key": studio.key}, body)
    feedback = _object(value.get("promptFeedback"))
    if reason := feedback.get("blockReason"):
        raise blocked(studio, str(reason), str(feedback.get("blockReasonMessage") or ""))
    made, words, finish = Made(), "", ""
    for candidate in _objects(value.get("candidates")):
        finish = str(candidate.get("finishReason") or finish)
        for part in _objects(_object(candidate.get("content")).get("parts")):
            picture = _object(part.get("inlineData") or part.get("inline_data"))
            if isinstance(picture.get("data"), str) and part.get("thought") is not True:
                made.pictures.append(decoded(studio.title, picture["data"]))
            elif isinstance(part.get("text"), str) and part.get("thought") is not True:
                words += part["text"]
    if not made.pictures:
        raise wordless(studio, finish, words)
    return made


def imagen(studio: Studio, wish: Wish) -> Made:
    """Request all pictures from an Imagen model at once. Its filters may withhold some of them."""
    parameters: dict[str, Any] = {"sampleCount": wish.count, "includeRaiReason": True}
    if wish.ratio:
        parameters["aspectRatio"] = wish.ratio
    body = {"instances": [{"prompt": wish.prompt}], "parameters": parameters}
    value = _asked(studio, f"{_model(studio)}:predict", {"x-goog-api-key": studio.key}, body)
    made = Made()
    for prediction in _objects(value.get("predictions")):
        if isinstance(prediction.get("bytesBase64Encoded"), str):
            made.pictures.append(decoded(studio.title, prediction["bytesBase64Encoded"]))
        elif prediction.get("raiFilteredReason"):
            made.failed.append(blocked(studio, "SAFETY", str(prediction["raiFilteredReason"])))
    missing = wish.count - len(made.pictures)
    reason = made.failed[0] if made.failed else blocked(studio, "SAFETY")
    made.failed = [reason] * max(missing, 0)
    return made


def openai(studio: Studio, wish: Wish) -> Made:
    """Request one picture from an images endpoint. The picture comes as base64 or as an address, because
    `response_format` is not sent: newer models refuse that field.
    """
    body: dict[str, Any] = {"prompt": wish.prompt, "n": 1}
    if studio.model:
        body["model"] = studio.model
    if size := _pixels(wish):
        body["size"] = size
    headers = {"Authorization": f"Bearer {studio.key}"} if studio.key else {}
    value = _asked(studio, f"{studio.base_url}/images/generations", headers, body)
    made = Made()
    for item in _objects(value.get("data")):
        address = item.get("url")
        if isinstance(item.get("b64_json"), str) and item["b64_json"]:
            made.pictures.append(decoded(studio.title, item["b64_json"]))
        elif isinstance(address, str) and address.startswith("data:"):
            made.pictures.append(decoded(studio.title, address))
        elif isinstance(address, str) and address:
            made.pictures.append(fetch(studio.title, address, studio.base_url))
    if not made.pictures:
        raise wordless(studio, "", "")
    return made


def _asked(studio: Studio, url: str, headers: dict[str, str], body: dict[str, Any]) -> dict[str, Any]:
    answer = post_json(studio.title, url, {name: text for name, text in headers.items() if text}, body)
    value = answer.json()
    if answer.status != 200 or not isinstance(value, dict) or "error" in value:
        raise not_made(studio, answer)
    return value


def _model(studio: Studio) -> str:
    return f"{studio.base_url}/models/{quote(studio.model, safe='')}"


def _pixels(wish: Wish) -> str | None:
    """Return the size in pixels for an images endpoint; None if neither a size in pixels nor an aspect is requested."""
    if wish.size and "x" in wish.size:
        return wish.size
    if not wish.aspect:
        return None
    number = _number(wish.aspect)
    return "1024x1024" if number == 1 else "1536x1024" if number > 1 else "1024x1536"


def _number(ratio: str) -> float:
    width, height = ratio.split(":")
    return int(width) / int(height)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
