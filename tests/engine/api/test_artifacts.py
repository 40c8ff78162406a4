"""Pages that tools created, at their own address: with their data, and with headers that block everything else."""

from pathlib import Path

import pytest

from engine.api.guard import Guard
from engine.app.app import App
from engine.commands.catalog import InstallToolset
from engine.rendering.safety import frame_danger, frame_source
from tests.support.asgi import BASE, TestClient
from tests.support.talk import Talk, call, write_bundle

PAGER = """\
manifest_version: "1"
id: pager
name: Pager
version: "{version}"
description: Makes pages.
permissions: {{network: {network}}}
tools:
  - id: page
    description: A page of the bundle.
    entrypoint: tools.act:run
    effects: write
    input_schema: {{type: object}}
    renderer: {{type: html, config: {{artifact: artifacts/page.html, data: $return}}}}
  - id: written
    description: A page of the workspace.
    entrypoint: tools.act:run
    effects: write
    input_schema: {{type: object}}
    renderer: {{type: html, config: {{artifact: $workspace/page.html, data: $return}}}}
  - id: elsewhere
    description: A page elsewhere.
    entrypoint: tools.act:run
    effects: write
    input_schema: {{type: object}}
    renderer: {{type: frame, config: {{url: $args.url}}}}
"""
ACT = """\
def run(workspace, url="", back=None):
    (workspace / "page.html").write_text("<p>written</p>")
    return {"evil": "</script><script>alert(1)</script>"}
"""


def install(app: App, folder: Path, *, version: str = "1.0.0", network: str = "false") -> None:
    """Install the bundle `pager`."""
    files = {
        "toolset.yaml": PAGER.format(version=version, network=network),
        "tools/act.py": ACT,
        "artifacts/page.html": "<html><head></head><body>page</body></html>",
    }
    app.send(InstallToolset(write_bundle(folder / version, files), "yes"))


def made(talk: Talk, tool: str, **arguments: str) -> str:
    """Call a tool of the bundle in a new chat; return the ids of the chat and the call."""
    talk = Talk(talk.app, talk.folder)
    talk.replies({"calls": [call(f"toolset__pager__{tool}", **arguments)]}, {"text": "Done."})
    talk.ask()
    return f"{talk.chat_id}/{talk.calls()[-1].call_id}"


@pytest.fixture
def talk(app: App, tmp_path: Path) -> Talk:
    """A chat that may use the bundle."""
    if not any(row["id"] == "pager" for row in app.installed()):
        install(app, tmp_path)
    return Talk(app, tmp_path)


def directives(policy: str) -> dict[str, str]:
    return {name: rest for name, _, rest in (part.partition(" ") for part in policy.split("; "))}


def test_a_page_is_sent_with_its_data_and_cannot_connect_to_anything(talk: Talk, client: TestClient) -> None:
    place = made(talk, "page")
    answer = client.get(f"/v1/artifacts/{place}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert 'window.__TOOL_DATA__={"evil":"\\u003c/script\\u003e' in answer.text
    policy = directives(answer.headers["content-security-policy"])
    assert (policy["sandbox"], policy["default-src"], policy["connect-src"]) == (
        "allow-scripts",
        "'none'",
        "'none'",
    )
    assert "http" not in answer.headers["content-security-policy"]
    wanted = {
        "connection-allowlist": "()",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
    }
    assert {name: answer.headers[name] for name in wanted} == wanted
    assert "camera=()" in answer.headers["permissions-policy"]


def test_a_page_is_not_sent_without_the_token(talk: Talk, mounted: Guard) -> None:
    place = made(talk, "page")
    stranger = TestClient(mounted, base_url=BASE)
    assert stranger.get(f"/v1/artifacts/{place}").status_code == 401


@pytest.mark.long
def test_network_access_follows_the_installed_version_and_written_pages_never_have_it(
    talk: Talk, app: App, client: TestClient, tmp_path: Path
) -> None:
    old = made(talk, "page")
    install(app, tmp_path, version="2.0.0", network="true")
    page, written = made(talk, "page"), made(talk, "written")
    sources = [
        directives(client.get(f"/v1/artifacts/{each}").headers["content-security-policy"])["connect-src"]
        for each in (old, page, written)
    ]
    assert sources == ["'none'", "https: wss:", "'none'"]


def test_an_external_address_is_framed_by_a_page_that_can_frame_nothing_else(
    talk: Talk, client: TestClient
) -> None:
    place = made(talk, "elsewhere", url='http://localhost:3000/a?b=1&c="2"'.replace('"', "%22"))
    answer = client.get(f"/v1/artifacts/{place}")
    policy = directives(answer.headers["content-security-policy"])
    assert (policy["default-src"], policy["frame-src"]) == ("'none'", "http://localhost:3000")
    assert 'src="http://localhost:3000/a?b=1&amp;c=%222%22"' in answer.text


def test_a_call_that_shows_no_page_is_not_found(talk: Talk, client: TestClient) -> None:
    for path in (f"{talk.chat_id}/none", "none/none"):
        answer = client.get(f"/v1/artifacts/{path}")
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://example.com/a", None),
        ("http://localhost:3000", None),
        ("http://127.0.0.1:3000/x", None),
        ("http://[::1]:3000/", None),
        ("http://example.com/", "only https addresses"),
        ("http://192.168.0.1/", "only https addresses"),
        ("http://127.0.0.1:8501/", "this app itself"),
        ("http://localhost:8501/toolsets", "this app itself"),
        ("https://user@example.com/", "a user name or a password"),
        ("javascript:alert(1)", "has no host"),
        ("data:text/html,x", "has no host"),
        ("https://exa mple.com", "different ways"),
        ("http://127.0.0.1\\@example.com/", "different ways"),
        ("https://example.com;script-src/", "has no host"),
        ("http://2130706433/", "has no host"),
        ("http://0x7f.1:8501/", "only https"),
        ("https://[::1", "cannot be read"),
    ],
)  # fmt: skip
def test_only_https_and_this_machine_can_be_framed(url: str, told: str | None) -> None:
    found = frame_danger(url, 8501)
    assert found is None if told is None else told in str(found)


def test_a_policy_allows_the_origin_of_this_machine_or_https() -> None:
    assert frame_source("https://example.com:8443/x") == "https:"
    assert frame_source("http://LOCALHOST:3000/x") == "http://localhost:3000"
