"""Attached pictures and pictures in results are sent to models that can see, in each dialect."""

import base64
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from engine.app.app import open_app
from engine.commands.catalog import Ask, CreateChat, Upload
from engine.models.vision import sees_pictures
from engine.turn.pictures import fits_models
from tests.support.long_cases import mostly_long
from tests.support.pdf import pdf
from tests.support.providers.replies import Call, Reply
from tests.support.providers.server import fake_provider

SEEING = {"openai": "gpt-5", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro"}


def png(color: str = "red") -> bytes:
    """A small picture."""
    buffer = BytesIO()
    Image.new("RGB", (8, 8), color).save(buffer, "PNG")
    return buffer.getvalue()


def pictures_in(body: Any) -> list[bytes]:
    """All pictures of a request in order, in any dialect."""
    found: list[bytes] = []

    def look(node: Any) -> None:
        if isinstance(node, list):
            for item in node:
                look(item)
        elif isinstance(node, dict):
            data = node.get("data")
            if isinstance(data, str) and ("mimeType" in node or "media_type" in node):
                found.append(base64.b64decode(data))
            url = node.get("url")
            if isinstance(url, str) and url.startswith("data:image/"):
                found.append(base64.b64decode(url.partition(",")[2]))
            for value in node.values():
                look(value)

    look(body)
    return found


@pytest.mark.parametrize("dialect", mostly_long(SEEING, quick=(0,)))
def test_a_model_with_vision_gets_attached_pictures_and_pictures_in_results(
    dialect: str, tmp_path: Path
) -> None:
    """The request is valid for a strict server, and can be rebuilt from the log byte for byte."""
    replies = [
        Reply(calls=(Call("view", {"path": "plan.pdf", "page": 1}),)),
        Reply(text="Red."),
        Reply(text="Yes."),
    ]
    uploads = [Upload("photo.png", png()), Upload("plan.pdf", pdf("Total 12"))]
    with fake_provider(dialect, replies) as server, open_app(tmp_path / "data") as app:
        chat_id = app.send(CreateChat(model=f"{dialect}:{SEEING[dialect]}", base_url=server.base_url))
        turn = app.send(Ask(chat_id, "What is this?", uploads))
        assert app.wait(turn.turn_id, 600)
        later = app.send(Ask(chat_id, "Sure?"))
        assert app.wait(later.turn_id, 600)
        assert server.problems == []
        first, second, third = (request.json for request in server.requests)
        assert pictures_in(first) == [png()]
        photo, page = pictures_in(second)
        assert photo == png()
        assert fits_models(page, "image/png")
        assert pictures_in(third) == [photo, page]
        assert "Total 12" in json.dumps(second)
        for number, sent in ((1, server.requests[0]), (2, server.requests[1])):
            rebuilt = app.request(chat_id, turn.turn_id, number)
            assert (
                app.providers.models.resolve(app.chat(chat_id).model, server.base_url).body(rebuilt)
                == sent.body
            )
        (call,) = app.chat(chat_id).calls.values()
        assert "data" not in json.dumps(call.result), "its bytes are kept once, as a blob"
        assert call.plan is not None
        assert call.plan.title == "plan.pdf, page 1 of 1", "the card of one picture is named by its caption"


def test_a_model_without_vision_gets_text_instead(tmp_path: Path) -> None:
    replies = [Reply(calls=(Call("view", {"path": "plan.pdf"}),)), Reply(text="A plan.")]
    uploads = [Upload("photo.png", png()), Upload("plan.pdf", pdf("Total 12"))]
    with fake_provider("openai", replies) as server, open_app(tmp_path / "data") as app:
        chat_id = app.send(CreateChat(model="openai:llama-3.1-8b", base_url=server.base_url))
        turn = app.send(Ask(chat_id, "What is this?", uploads))
        assert app.wait(turn.turn_id, 600)
        assert [pictures_in(request.json) for request in server.requests] == [[], []]
        assert "Total 12" in server.requests[1].body.decode()


@pytest.mark.parametrize(
    ("name", "sees"),
    [
        ("openai:gpt-5-mini", True),
        ("openai:gpt-4o-audio-preview", False),
        ("openai:o1-mini", False),
        ("openai:gpt-3.5-turbo", False),
        ("anthropic:claude-opus-4-1", True),
        ("anthropic:claude-2.1", False),
        ("gemini:gemini-3-pro-preview", True),
        ("openrouter:qwen/qwen2.5-vl-72b-instruct", True),
        ("openrouter:deepseek/deepseek-v3.2", False),
        ("ollama:llava:13b", True),
        ("ollama:llama3.1", False),
        ("ollama:gemma3:27b", True),
        ("ollama:my-own", False),
        ("mistral:pixtral-12b", True),
        ("groq:openai/gpt-oss-120b", False),
    ],
)
def test_models_with_vision_are_recognized_by_name(name: str, sees: bool) -> None:
    provider, _, model = name.partition(":")
    assert sees_pictures(provider, model) is sees


def test_the_user_can_list_models_with_vision() -> None:
    assert sees_pictures("ollama", "my-own", ("ollama:my-*",))
    assert not sees_pictures("ollama", "other", ("ollama:my-*",))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_the_size_of_a_picture_is_read_from_its_header(kind: str) -> None:
    """Providers refuse the whole request for one side above 8,000 pixels."""
    for width, fits in ((8_000, True), (8_001, False)):
        buffer = BytesIO()
        Image.new("RGB", (width, 3), "teal").save(buffer, kind)
        content, media_type = buffer.getvalue(), f"image/{kind.lower()}"
        assert fits_models(content, media_type) is fits
        cuts = range(0, len(content) - 1, 3)
        assert not any(fits_models(content[:cut], media_type) for cut in cuts)
        assert not fits_models(b"<svg>" + content, media_type)


def test_a_file_that_only_has_the_extension_of_a_picture_is_not_sent(tmp_path: Path) -> None:
    with fake_provider("openai", [Reply(text="Nothing.")]) as server, open_app(tmp_path / "data") as app:
        chat_id = app.send(CreateChat(model="openai:gpt-5", base_url=server.base_url))
        turn = app.send(Ask(chat_id, "Look", [Upload("a.png", b"not a picture"), Upload("b.svg", b"<svg/>")]))
        assert app.wait(turn.turn_id, 600)
        assert pictures_in(server.requests[0].json) == []
