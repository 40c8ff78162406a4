"""A key in an MCP server's command is found in every place and form, and ordinary words are not."""

from typing import Any

import pytest

from engine.errors import Invalid
from engine.toolsets.archive import open_bundle
from engine.toolsets.manifest import McpServer
from engine.toolsets.manifest_read import read_manifest
from engine.toolsets.redact import literal_secrets
from tests.engine.toolsets.bundles import with_lines, zipped
from tests.support.long_cases import mostly_long

RUN = {"command": "uvx"}
SECRETS: list[dict[str, Any]] = [
    RUN | {"args": ["--header", "Authorization: Bearer abcdef123456"]},
    RUN | {"args": ["--header=X-Api-Key: hush-hush"]},
    RUN | {"args": ["-H", "x-auth-token:hush-hush"]},
    RUN | {"args": ["-c", "TOKEN=hush-hush exec server"]},
    RUN | {"args": ["--config", '{"apiToken": "hush-hush"}']},
    RUN | {"args": ["--apiToken", "hush-hush"]},
    RUN | {"args": ["--password", "hunter2"]},
    RUN | {"args": ["-u", "me:hunter2"]},
    RUN | {"args": ["--user=me:hunter2"]},
    RUN | {"env": {"MYTOKENVALUE": "hush"}},
    {"url": "https://hush@h.example.com/"},
    RUN | {"args": ["see https://me:hunter2@db.example.com/x now"]},
    RUN | {"args": ["https://ghp_0123456789abcdefABCD@github.com/o/r"]},
    RUN | {"args": ["https://h.example.com/sse?access_token=hush"]},
    RUN | {"args": ["https://h.example.com/sse#token=hush"]},
    RUN | {"args": ["postgres://h/db?sslpassword=hush"]},
    RUN | {"args": ["AKIAIOSFODNN7EXAMPLE"]},
    RUN | {"args": ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"]},
    RUN | {"args": ["d2hhdCBpcyB0aGlzIGJ1dCBhIHNlY3JldA=="]},
    RUN | {"args": ["--thing=0123456789abcdef0123456789abcdef"]},
    RUN | {"args": ["550e8400-e29b-41d4-a716-446655440000"]},
    RUN | {"args": ["xoxb-1234567890-abcdefghij"]},
    RUN | {"args": ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"]},
    RUN | {"args": ["-----BEGIN RSA PRIVATE KEY-----\nMIIE"]},
    RUN | {"env": {"GITHUB_TOKEN": "hush"}},
    RUN | {"env": {"PGPASSWORD": "postgres"}},
    RUN | {"env": {"clientSecret": "hush"}},
    RUN | {"env": {"CREDS": "me:hush-hush"}},
    RUN | {"env": {"SETTINGS": "region=eu;password=hush"}},
    RUN | {"env": {"VALUE": "sk-proj-abcdefghijklmnop"}},
    RUN | {"env": {"VALUE": "prefix ghp_0123456789abcdefABCD"}},
    RUN | {"env": {"DATABASE": "postgres://me:hunter2@db/x"}},
    RUN | {"env": {"AUTHORIZATION": "Basic bWU6aHVudGVyMg=="}},
    {"command": "ghp_0123456789abcdefABCD"},
    {"url": "https://me:hunter2@h.example.com/"},
    {"url": "https://a1b2c3d4e5f6g7h8@h.example.com/"},
    {"url": "https://h.example.com/?api_key=hush"},
    {"url": "https://h.example.com/?a=1&X-Amz-Signature=hush"},
    {"url": "https://h.example.com/mcp/s/ZmFrZS1rZXktbm90aGluZy1yZWFs/sse"},
    {"url": "https://h.example.com/x;token=hush"},
    {"url": "https://h.example.com/", "headers": {"Authorization": "Bearer abc"}},
    {"url": "https://h.example.com/", "headers": {"authorization": "token abc"}},
    {"url": "https://h.example.com/", "headers": {"X-Api-Key": "hush"}},
    {"url": "https://h.example.com/", "headers": {"Cookie": "sid=hush"}},
    {"url": "https://h.example.com/", "headers": {"X-Custom": "AKIAIOSFODNN7EXAMPLE"}},
]
PLAIN: list[dict[str, Any]] = [
    {"command": "uvx", "args": ["mcp-server-time@2026.10.19"]},
    {
        "command": "npx",
        "args": ["-y", "@modelcontextprotocol/server-sequential-thinking@2026.1.14", "/srv/me/notes"],
    },
    {
        "command": "uvx",
        "args": ["--from", "git+https://github.com/o/r@0123456789abcdef0123456789abcdef01234567", "r"],
    },
    {
        "command": "docker",
        "args": ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server:v1.2.3"],
    },
    {
        "command": "/srv/me/.venv/bin/python3.12",
        "args": ["/tmp/pytest-of-root/pytest-0/test_x0/a1b2c3d4e5f6a7b8/server.py"],
    },
    {"command": "docker", "args": ["run", "-u", "1000:1000", "--user=me:${PASSWORD}", "-v", "/a:/b"]},
    {"command": "x", "args": ["git+https://git@github.com/o/r"], "env": {"TOKENS_PER_MINUTE": "5000"}},
    {"command": "x", "env": {"TOKENIZER": "cl100k"}, "args": ["postgres://me@db.example.com/x"]},
    {
        "command": "node",
        "args": ["task-orchestrator-mcp-server", "--key-file", "/run/key.pem", "--token-file=/run/t"],
    },
    {
        "command": "python",
        "args": ["-m", "mcp_server_filesystem", "--max-tokens", "4096", "--auth", "none", "--mode=session"],
    },
    {"command": "x", "args": ["--token", "${MY_TOKEN}", "--header", "Authorization: Bearer ${MY_TOKEN}"]},
    {
        "command": "x",
        "args": ["postgresql://me:${PW}@db/x", "https://api.example.com/v1/things?page=2&sort=created_at"],
    },
    {
        "command": "x",
        "env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}", "REGION": "eu-central-1", "LOG_LEVEL": "debug"},
    },
    {
        "command": "x",
        "env": {"TOKEN_URL": "https://login.example.com/oauth2/v2.0/token", "AUTH_MODE": "oauth"},
    },
    {
        "command": "x",
        "env": {"KEYMAP": "us-intl", "SESSION_TIMEOUT": "3600", "COOKIE_SECURE": "true", "DEBUG": "1"},
    },
    {
        "url": "https://mcp.example.com/sse",
        "headers": {"Authorization": "Bearer ${FAR}", "Accept": "text/event-stream"},
    },
    {"url": "https://mcp.example.com/organizations/my-company/model-context-protocol"},
]


@pytest.mark.parametrize("words", SECRETS, ids=str)
def test_a_literal_key_is_found_and_never_quoted(words: dict[str, Any]) -> None:
    found = literal_secrets(McpServer.model_validate({"id": "s"} | words))
    assert len(found) == 1
    assert "${" in found[0]
    for secret in ("hush", "hunter2", "AKIA", "ghp_", "bPxR", "0123456789abcdef", "abcdef123456", "ZmFrZ"):
        assert secret not in found[0]


@pytest.mark.parametrize("words", PLAIN, ids=str)
def test_ordinary_words_are_not_mistaken_for_keys(words: dict[str, Any]) -> None:
    assert literal_secrets(McpServer.model_validate({"id": "s"} | words)) == ()


def test_a_bundle_that_contains_a_key_is_refused_with_the_syntax_to_use() -> None:
    servers = "mcp_servers:\n  - {id: s, command: x, env: {GITHUB_TOKEN: hush-hush}}\n"
    with open_bundle(zipped(with_lines(servers))) as opened, pytest.raises(Invalid) as refused:
        read_manifest(opened)
    (problem,) = refused.value.problems
    assert (problem.code, problem.line) == ("mcp_literal_secret", 17)
    assert "the variable GITHUB_TOKEN (write ${GITHUB_TOKEN})" in problem.message
    assert "hush" not in str(problem)


@pytest.mark.parametrize(
    "piece",
    mostly_long(
        ["a", "exa-", "sk-", "a=", "Key", "://", "@", "a ", ":", "'", "1a", "-----BEGIN ", "${A", "b: "],
        quick=(0, 2, 6, 11, 12),
    ),
)
def test_the_search_for_keys_takes_linear_time(piece: str) -> None:
    """If it were quadratic, the timeout of the test suite would end it."""
    long = piece * (100_000 // len(piece))
    server = {"command": "x", "args": [long, f"--{long}"], "env": {"A": long}, "headers": {"B": long}}
    literal_secrets(McpServer.model_validate({"id": "s"} | server))
    literal_secrets(McpServer.model_validate({"id": "s", "url": ("https://h/" + long)[:200]}))
