"""image-studio in use: installed, exported, imported again, and run in tool processes on loopback."""

import base64
import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Barrier, Event, Lock
from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import ConfigureToolset, CreateChat, InstallToolset, RunTool, UninstallToolset
from engine.rendering.plan import CallFacts, RenderConfig, make_plan
from engine.rendering.plans import ImagesPlan
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from engine.toolsets.export import export_toolset, stored_contents
from engine.toolsets.install import StagedBundle, stage, validate
from engine.toolsets.schema import argument_faults
from engine.workspace.manifest import FileEntry
from tests.support.image_endpoints import (
    JPEG,
    Asked,
    ImageServer,
    Reply,
    gemini_picture,
    image_server,
    openai_picture,
    png,
)
from tests.support.long_cases import mostly_long

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "sample_bundles" / "image-studio"
STREAMS = ROOT.parent / "shared" / "streams"
KEY = "made-up-key-0123456789"

Call = Callable[..., RunOutcome]


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> StagedBundle:
    return stage(BUNDLE, tmp_path_factory.mktemp("data") / "toolsets", source_ref="image-studio")


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool() as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def call(staged: StagedBundle, pool: Pool, workspace: Path) -> Call:
    """Run the tool with the given variables, and with arguments that match its schema."""

    def run(environment: dict[str, str], **arguments: Any) -> RunOutcome:
        tool = staged.manifest.tool("generate_images")
        assert tool is not None
        assert argument_faults(tool.input_schema, arguments) == []
        request = RunRequest(
            "c",
            staged.folder,
            tool.entrypoint,
            workspace,
            arguments,
            environment,
            limits=Limits(seconds=600),
            network=staged.manifest.permissions.network,
        )
        return pool.run(request, cancel=Cancellation(), on_progress=lambda *told: progress.append(told))

    progress: list[tuple[float | None, str]] = []
    run.progress = progress  # type: ignore[attr-defined]
    return run


def at_gemini(server: ImageServer, **more: str) -> dict[str, str]:
    return {"IMAGE_PROVIDER": "gemini", "GEMINI_API_KEY": KEY, "IMAGE_BASE_URL": server.url} | more


def at_openai(server: ImageServer, **more: str) -> dict[str, str]:
    return {"IMAGE_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": KEY} | more


def value(outcome: RunOutcome) -> dict[str, Any]:
    assert outcome.error is None, outcome.error
    assert outcome.value is not None
    return dict(outcome.value)


def failure(outcome: RunOutcome) -> str:
    assert outcome.status == "error"
    assert outcome.error is not None
    assert KEY not in outcome.error.message + outcome.error.traceback + outcome.stdout + outcome.stderr
    return outcome.error.message


def in_turn(*replies: Reply) -> Callable[[Asked], Reply]:
    """Answer with each reply in turn."""
    waiting, lock = iter(replies), Lock()

    def answer(_: Asked) -> Reply:
        with lock:
            return next(waiting)

    return answer


def test_the_bundle_is_valid_and_requests_the_network_and_a_key(staged: StagedBundle) -> None:
    assert validate(BUNDLE) == []
    (tool,) = staged.manifest.tools
    assert (tool.id, tool.command, tool.command_argument) == ("generate_images", "generate-image", "prompt")
    assert (tool.effects, tool.requires_confirmation) == ("create", False)
    assert staged.manifest.permissions.network
    assert [key.name for key in staged.manifest.config if key.required] == ["GEMINI_API_KEY"]
    assert [key.name for key in staged.manifest.config if key.secret] == ["GEMINI_API_KEY", "OPENAI_API_KEY"]


def test_after_export_and_import_the_same_tools_are_offered(staged: StagedBundle, tmp_path: Path) -> None:
    data = staged.folder.parents[2]
    contents = stored_contents(data, staged.files)
    packed = export_toolset(staged.manifest, contents)
    again = stage(packed, tmp_path / "toolsets")
    assert again.manifest == staged.manifest
    assert export_toolset(again.manifest, contents) == packed


def test_the_toolset_waits_for_a_key_and_runs_with_it_even_after_export_and_import(tmp_path: Path) -> None:
    environ = {"ANABRANCH_CONFIG": str(tmp_path / "config"), "ANABRANCH_KEYRING": "off"}
    app = App(tmp_path / "data", environ=environ)
    try:
        with image_server(lambda _: gemini_picture(png())) as server:
            assert _reason(app) == "API key not configured"
            assert "image-studio" not in app.next_selection()
            app.send(ConfigureToolset("image-studio", at_gemini(server)))
            assert _reason(app) is None
            assert plain(_run(app)) == ["images/a-red-fox.png"]
            packed = app.toolsets.export("image-studio")
            assert KEY.encode() not in packed
            app.send(UninstallToolset("image-studio"))
            app.send(InstallToolset(packed, "yes"))
            assert _reason(app) == "API key not configured"
            app.send(ConfigureToolset("image-studio", at_gemini(server)))
            assert plain(_run(app)) == ["images/a-red-fox.png"]
            app.send(ConfigureToolset("image-studio", {"GEMINI_API_KEY": None, "IMAGE_PROVIDER": None}))
            assert _reason(app) is None, "a server of one's own needs no key"
            assert [asked.headers["x-goog-api-key"] for asked in server.asked] == [KEY, KEY]
    finally:
        app.close()
    kept = [path.read_bytes() for path in sorted((tmp_path / "data").rglob("*")) if path.is_file()]
    assert not any(KEY.encode() in data for data in kept)


def _reason(app: App) -> str | None:
    found: str | None = next(row["reason"] for row in app.installed() if row["id"] == "image-studio")
    return found


def _run(app: App) -> list[str]:
    """Run the tool as a user, in a new chat; return the pictures that are shown."""
    chat_id = app.send(CreateChat())
    call_id = app.send(RunTool(chat_id, "image-studio:generate_images", {"prompt": "A red fox", "count": 1}))
    call = app.chat(chat_id).calls[call_id]
    assert call.status == "success", call
    plan = call.plan
    assert isinstance(plan, ImagesPlan)
    assert plan.caption == "A red fox"
    return [image.file.path for image in plan.images]


def plain(names: list[str]) -> list[str]:
    """Names of pictures without the part that distinguishes pictures of the same prompt."""
    assert len(set(names)) == len(names)
    return [re.sub(r"-[0-9a-f]{6}(-[0-9]+)?(?=\.)", "", name) for name in names]


def test_two_pictures_are_created_with_gemini_saved_and_shown(
    staged: StagedBundle, call: Call, workspace: Path
) -> None:
    with image_server(in_turn(gemini_picture(png(1)), gemini_picture(JPEG, "image/jpeg"))) as server:
        result = value(call(at_gemini(server), prompt="A dragon, asleep", aspect="16:9", size="2K"))
    assert sorted(plain(result["images"])) == ["images/a-dragon-asleep.jpg", "images/a-dragon-asleep.png"]
    assert {(workspace / path).read_bytes() for path in result["images"]} == {png(1), JPEG}
    assert (result["prompt"], result["model"], result["failed"]) == (
        "A dragon, asleep",
        "gemini-3.1-flash-image",
        [],
    )
    assert result["notes"] == []
    asked = server.asked[0]
    assert asked.path == "/models/gemini-3.1-flash-image:generateContent"
    assert asked.headers["x-goog-api-key"] == KEY
    assert asked.body["contents"] == [{"role": "user", "parts": [{"text": "A dragon, asleep"}]}]
    assert asked.body["generationConfig"] == {
        "responseModalities": ["TEXT", "IMAGE"],
        "imageConfig": {"aspectRatio": "16:9", "imageSize": "2K"},
    }
    tool = staged.manifest.tool("generate_images")
    assert tool is not None
    assert tool.renderer is not None
    files = {path: FileEntry("0" * 64, 1) for path in result["images"]}
    config = RenderConfig(tool.renderer.type, tool.renderer.config)
    plan = make_plan(config, CallFacts({"prompt": "A dragon, asleep"}, result, "c"), files, {})
    assert isinstance(plan, ImagesPlan)
    assert (plan.caption, len(plan.images)) == ("A dragon, asleep", 2)


def test_at_most_two_requests_run_at_a_time_and_progress_is_reported(call: Call) -> None:
    both = Barrier(2, timeout=600)

    def answer(_: Asked) -> Reply:
        both.wait()
        return gemini_picture(png())

    with image_server(answer) as server:
        result = value(call(at_gemini(server), prompt="Four", count=4))
    assert server.at_once == 2
    assert plain(result["images"]) == ["images/four.png"] * 4
    told = call.progress  # type: ignore[attr-defined]
    assert told[0] == (0.0, "Gemini is making 4 pictures…")
    assert told[-1] == (1.0, "4 of 4 made")


@pytest.mark.parametrize("count", [0, -3])
def test_a_count_below_one_is_refused(call: Call, count: int) -> None:
    assert (
        failure(call({}, prompt="x", count=count)) == f"ValueError: count is {count}; ask for 1 to 4 pictures"
    )


def test_a_count_above_four_becomes_four_with_a_warning(call: Call) -> None:
    with image_server(lambda _: gemini_picture(png())) as server:
        result = value(call(at_gemini(server), prompt="Many", count=9))
    assert len(result["images"]) == len(server.asked) == 4
    assert result["notes"] == ["9 pictures were requested; at most 4 are made at a time."]


def test_finished_pictures_are_kept_if_others_fail(call: Call) -> None:
    refused = Reply({"candidates": [{"content": {}, "finishReason": "IMAGE_SAFETY"}]})
    replies = [
        gemini_picture(png()),
        refused,
        Reply({"error": {"message": "overloaded"}}, 503),
        gemini_picture(png(9)),
    ]
    with image_server(in_turn(*replies)) as server:
        result = value(call(at_gemini(server), prompt="Half", count=4))
    assert plain(result["images"]) == ["images/half.png"] * 2
    assert len(result["failed"]) == 2
    assert any("its safety rules do not allow this picture" in text for text in result["failed"])
    assert any("an internal problem (HTTP 503)" in text for text in result["failed"])
    assert result["notes"][0].startswith("2 of 4 pictures were made. ")
    assert "overloaded" not in result["notes"][0]  # the server's own words stay in `failed`


@pytest.mark.parametrize(
    ("body", "told"),
    mostly_long(
        [
            ({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, "forbid what the prompt asks for"),
            ({"promptFeedback": {"blockReason": "OTHER"}}, "gave the reason OTHER"),
            ({"candidates": [{"finishReason": "IMAGE_RECITATION"}]}, "too close to somebody else's work"),
            ({"candidates": [{"finishReason": "NO_IMAGE"}]}, "without a picture (NO_IMAGE)"),
            (
                {"candidates": [{"content": {"parts": [{"text": "I cannot."}]}, "finishReason": "STOP"}]},
                "“I cannot.”",
            ),
            ({"candidates": None}, "answered without a picture"),
            ([], "answered with something that is not a picture"),
            (b"<html>", "answered with something that is not a picture"),
            ({"candidates": [{"content": {"parts": [{"inlineData": {"data": "%%"}}]}}]}, "damaged"),
            ({"candidates": [{"content": {"parts": [{"inlineData": {"data": "AAAA"}}]}}]}, "not a PNG, JPEG"),
        ],
        quick=(0, 3, 6),
    ),
)
def test_a_refusal_or_an_answer_without_a_picture_is_reported_with_a_message(
    call: Call, body: Any, told: str
) -> None:
    with image_server(lambda _: Reply(body)) as server:
        message = failure(call(at_gemini(server), prompt="x", count=2))
    assert message.startswith("NoPicture: Gemini ")
    assert told in message
    assert message.count(told) == 1


def error(code: object, message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, **more}}


@pytest.mark.parametrize(
    ("status", "body", "headers", "told"),
    mostly_long(
        [
            (
                400,
                error(400, "API key not valid. Please pass one."),
                {},
                "did not accept the key GEMINI_API_KEY",
            ),
            (401, error(401, f"no {KEY}"), {}, "--secret GEMINI_API_KEY`. It says: no [key]"),
            (
                429,
                error(429, "Slow down."),
                {"Retry-After": "17"},
                "Try again in 17 seconds. It says: Slow down.",
            ),
            (429, error(429, "x", details=[{"retryDelay": "34.4s"}]), {}, "Try again in 35 seconds."),
            (429, b"", {}, "Try again later."),
            (
                404,
                error(404, "no such model"),
                {},
                "does not know the model gemini-3.1-flash-image. Set IMAGE_MODEL",
            ),
            (302, b"", {"Location": "http://127.0.0.1:1/"}, "not a picture (HTTP 302)"),
            (
                400,
                [error(400, "Unsupported size.")],
                {},
                "refused the request (HTTP 400). It says: Unsupported size.",
            ),
        ],
        quick=(0, 3, 6),
    ),
)
def test_an_error_says_what_to_do_and_the_request_is_not_repeated(
    call: Call, status: int, body: Any, headers: dict[str, str], told: str
) -> None:
    with image_server(lambda _: Reply(body, status, headers)) as server:
        message = failure(call(at_gemini(server), prompt="x", count=4))
    assert told in message
    assert len(server.asked) == 2


def test_imagen_uses_one_request_for_all_pictures_and_filtered_ones_are_reported(call: Call) -> None:
    picture = {"mimeType": "image/png", "bytesBase64Encoded": base64.b64encode(png()).decode()}
    body = {"predictions": [picture, {"raiFilteredReason": "Filtered: code 39322892."}, picture]}
    with image_server(lambda _: Reply(body)) as server:
        result = value(
            call(
                at_gemini(server, IMAGE_MODEL="imagen-4.0-generate-001"),
                prompt="Fox",
                count=3,
                size="900x1600",
            )
        )
    assert plain(result["images"]) == ["images/fox.png"] * 2
    assert ["code 39322892" in text for text in result["failed"]] == [True]
    (asked,) = server.asked
    assert asked.path == "/models/imagen-4.0-generate-001:predict"
    assert asked.body["parameters"] == {"sampleCount": 3, "includeRaiReason": True, "aspectRatio": "9:16"}


def test_an_openai_compatible_server_gets_a_request_without_response_format(call: Call) -> None:
    with image_server(lambda _: openai_picture(png())) as server:
        result = value(call(at_openai(server, IMAGE_MODEL="paint-1"), prompt="Fox", count=1, aspect="3:2"))
        assert (result["provider"], result["model"]) == ("openai", "paint-1")
        value(call({"IMAGE_BASE_URL": f"{server.url}/v1/"}, prompt="Fox", count=1, size="512x512"))
        warned = value(call(at_openai(server), prompt="Fox", count=1, size="4K"))
    assert "4K was left out" in warned["notes"][0]
    assert plain(warned["images"]) == ["images/fox.png"]
    first, second, third = server.asked
    assert (first.path, first.headers["authorization"]) == ("/v1/images/generations", f"Bearer {KEY}")
    assert first.body == {"prompt": "Fox", "n": 1, "model": "paint-1", "size": "1536x1024"}
    assert "authorization" not in second.headers
    assert second.body == {"prompt": "Fox", "n": 1, "size": "512x512"}
    assert "size" not in third.body


def test_a_picture_given_by_address_is_fetched_from_the_server_without_the_key(
    call: Call, workspace: Path
) -> None:
    def answer(asked: Asked) -> Reply:
        if asked.method == "POST":
            return Reply({"data": [{"url": "/files/one"}]})
        return Reply(b"", 302, {"Location": "/files/two"}) if asked.path == "/files/one" else Reply(png(7))

    with image_server(answer) as server:
        (path,) = value(call(at_openai(server), prompt="Fox", count=1))["images"]
    assert (workspace / path).read_bytes() == png(7)
    assert [asked.path for asked in server.asked] == ["/v1/images/generations", "/files/one", "/files/two"]
    assert ["authorization" in asked.headers for asked in server.asked] == [True, False, False]


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://169.254.169.254/latest", "neither its own host nor public over https"),
        ("https://127.0.0.2/x", "neither its own host nor public over https"),
        ("https://localhost:1/x", "neither its own host nor public over https"),
        ("file:///etc/passwd", "not a plain http or https address"),
        ("http://me:pass@127.0.0.1/x", "not a plain http or https address"),
        ("http://[::1", "at an invalid address"),
        ("data:image/png;base64,%%", "damaged"),
        ("/loop", "redirects too many times"),
        ("/large", "more than 25 MiB"),
        ("/gone", "cannot be fetched (HTTP 404)"),
    ],
)
def test_an_address_on_another_server_is_not_fetched(call: Call, address: str, told: str) -> None:
    def answer(asked: Asked) -> Reply:
        replies = {"/loop": Reply(b"", 302, {"Location": "/loop"}), "/large": Reply(bytes(26 << 20))}
        if asked.method == "POST":
            return Reply({"data": [{"url": address}]})
        return replies.get(asked.path, Reply(b"", 404))

    with image_server(answer) as server:
        assert told in failure(call(at_openai(server), prompt="Fox", count=1))


@pytest.mark.parametrize("code", ["moderation_blocked", "content_policy_violation"])
def test_a_moderated_prompt_is_reported_with_a_friendly_message(call: Call, code: str) -> None:
    body = error(code, "Your request was rejected by the safety system.", type="image_generation_user_error")
    with image_server(lambda _: Reply(body, 400)) as server:
        message = failure(call(at_openai(server), prompt="x", count=1))
    assert message.startswith("NoPicture: The image server refused: its")
    assert message.endswith("Describe it in other words, without real people, brands or violence.")


def test_a_server_that_is_unreachable_or_too_slow_is_reported(
    staged: StagedBundle, call: Call, pool: Pool, workspace: Path, tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = {"IMAGE_BASE_URL": f"http://127.0.0.1:{port}/v1"}
    assert failure(call(address, prompt="x", count=4)) == (
        "NoPicture: The image server cannot be reached at 127.0.0.1: Connection refused."
    )
    ending = Event()

    def slow(_: Asked) -> Reply:
        ending.wait(600)
        return Reply(b"")

    hasty = _copy(staged.folder, tmp_path / "hasty")
    with image_server(slow) as server:
        environment = {"IMAGE_BASE_URL": server.url}
        request = RunRequest(
            "c", hasty, "tools.generate_images:run", workspace, {"prompt": "x"}, environment, network=True
        )
        assert "did not answer within 0 seconds" in failure(pool.run(request, cancel=Cancellation()))
        ending.set()


def _copy(bundle: Path, folder: Path) -> Path:
    """A copy of the bundle with a shorter time limit for requests."""
    for file in sorted(path for path in bundle.rglob("*") if path.is_file()):
        target = folder / file.relative_to(bundle)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.read_text().replace("SECONDS = 60.0", "SECONDS = 0.2"))
    return folder


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, "there is no key for OpenAI; set OPENAI_API_KEY"),
        (
            {"IMAGE_PROVIDER": "gemini", "OPENAI_API_KEY": KEY},
            "there is no key for Gemini; set GEMINI_API_KEY",
        ),
        ({"IMAGE_PROVIDER": "midwinter"}, "set it to gemini or openai"),
        ({"IMAGE_BASE_URL": "127.0.0.1:8080"}, "an address that begins with http:// or https://"),
        ({"IMAGE_BASE_URL": "http://[::1"}, "an address that begins with http:// or https://"),
    ],
)
def test_the_error_names_the_missing_setting(call: Call, environment: dict[str, str], told: str) -> None:
    assert told in failure(call(environment, prompt="x"))


@pytest.mark.parametrize("prompt", ["", "   ", "x" * 40_000])
def test_an_empty_or_overlong_prompt_is_refused(call: Call, prompt: str) -> None:
    assert failure(call({}, prompt=prompt)).startswith("ValueError: the prompt ")


def test_files_are_named_after_the_prompt_and_never_overwritten(call: Call, workspace: Path) -> None:
    (workspace / "images").mkdir()
    (workspace / "images" / "fox.txt").write_text("mine")
    prompts = ["Fox", "Ein Füchslein im Schnee", "狐", "../../Fox", "a " * 60]
    with image_server(lambda _: gemini_picture(png())) as server:
        made = [value(call(at_gemini(server), prompt=prompt, count=1))["images"][0] for prompt in prompts]
    assert plain(made[:1]) == ["images/fox.png"]
    assert made[1].startswith("images/ein-fuchslein-im-schnee-")
    assert made[2].startswith("images/image-")
    assert plain(made[3:4]) == ["images/fox.png"]
    assert made[4].startswith("images/a-a-a-a-")
    assert len(set(made)) == 5
    assert (workspace / "images" / "fox.txt").read_text() == "mine"


recorded = pytest.mark.skipif(not STREAMS.is_dir(), reason="the recorded replies are not here")


def case(name: str) -> Reply:
    described = next(
        found
        for line in (STREAMS / "expected.jsonl").read_text("utf-8").splitlines()
        if line and (found := json.loads(line))["file"] == name
    )
    return Reply((STREAMS / name).read_bytes(), described.get("http_status") or 200)


@recorded
def test_pictures_in_recorded_replies_of_openai_and_imagen_are_saved(call: Call, workspace: Path) -> None:
    with image_server(lambda _: case("images/openai-gpt-image-b64-png.json")) as server:
        (path,) = value(call(at_openai(server), prompt="real", count=1))["images"]
    assert (workspace / path).stat().st_size == 128_849
    with image_server(lambda _: case("imagen/four-images.json")) as server:
        made = value(call(at_gemini(server, IMAGE_MODEL="imagen-3"), prompt="four", count=4))
    assert [(workspace / path).stat().st_size for path in made["images"]] == [10_226, 10_683, 10_909, 10_371]


@recorded
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("imagen/all-filtered.json", "Unable to show generated images. All images were filtered out"),
        ("images/openai-error-unknown-response_format.json", "Unknown parameter: 'response_format'."),
        ("gemini/unary-safety.json", "its safety rules do not allow this picture"),
        (
            "gemini/unary-model-armor-prompt-blocked.json",
            "The prompt violated Prompt Injection and Jailbreak filters.",
        ),
        ("gemini/error-429-retry-info.json", "Try again in 35 seconds."),
    ],
)
def test_recorded_refusals_are_reported_with_a_message(call: Call, name: str, told: str) -> None:
    with image_server(lambda _: case(name)) as server:
        if name.startswith("images/"):
            environment = at_openai(server)
        elif name.startswith("imagen/"):
            environment = at_gemini(server, IMAGE_MODEL="imagen-3")
        else:
            environment = at_gemini(server)
        assert told in failure(call(environment, prompt="x"))


@recorded
def test_a_recorded_picture_between_texts_and_empty_parts_is_found(call: Call, workspace: Path) -> None:
    lines = case("gemini/image-empty-parts-stream.sse").body.decode().splitlines()
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    parts = [
        part
        for chunk in chunks
        for one in chunk["candidates"]
        for part in one.get("content", {}).get("parts", [])
    ]
    body = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    with image_server(lambda _: Reply(body)) as server:
        (path,) = value(call(at_gemini(server), prompt="kitten", count=1))["images"]
    assert (workspace / path).stat().st_size == 69


@recorded
def test_a_recorded_address_that_does_not_resolve_is_not_fetched(call: Call) -> None:
    """The name does not resolve to a public address here; nothing is sent to it."""
    with image_server(lambda _: Reply({"data": [{"url": "https://imgen.invalid/x.jpeg"}]})) as server:
        assert "neither its own host nor public over https" in failure(
            call(at_openai(server), prompt="x", count=1)
        )
