"""An MCP server that tries to cause endless work: patterns, schemas, long lines, deep results, floods."""

import json
import sys
from typing import Any

NONE: dict[str, Any] = {"type": "object", "properties": {}}
EVIL = {"type": "string", "pattern": "^(a+)+$"}
LOOK = {"type": "string", "pattern": "^(?=.*[0-9])[a-z0-9]{4,}$"}
TREE = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)}


def tool(name: str, properties: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A tool that only reads."""
    schema = {"type": "object", "properties": properties or {}}
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": True}, **more}


TOOLS = [
    tool("evil_pattern", {"text": EVIL}),
    tool("looks_around", {"text": LOOK, "n": {"type": "integer"}}),
    {
        **tool("tree"),
        "inputSchema": {"type": "object", "$ref": "#/$defs/a0", "$defs": {**TREE, "a40": {}}},
    },
    tool("result", outputSchema={"type": "object", "properties": {"text": EVIL}}),
    tool("deep", {"levels": {"type": "integer"}}),
    tool("long", {"megabytes": {"type": "integer"}}),
    tool("floods"),
    tool("many_files"),
    tool("described", description="x" * 1_000_000),
    *(tool(f"more_{number}") for number in range(1_500)),
]


def answer(name: str, arguments: dict[str, Any]) -> str:
    """The result of a call, as JSON."""
    content: dict[str, Any] = {"content": [{"type": "text", "text": f"did {name}"}]}
    match name:
        case "result":
            content["structuredContent"] = {"text": "a" * 60 + "!"}
        case "deep":
            levels = arguments["levels"]
            return '{"content": [], "structuredContent": {"a": ' + "[" * levels + "]" * levels + "}}"
        case "long":
            content["content"][0]["text"] = "x" * (arguments["megabytes"] << 20)
        case "many_files":
            content["content"] = [{"type": "image", "data": "AAAA", "mimeType": "image/png"}] * 1_000
    return json.dumps(content)


def say(text: str) -> None:
    """Send one line."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def floods(token: Any) -> None:
    """Send very many notifications."""
    for number in range(3_000):
        say('{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}')
        told = {"progressToken": token, "progress": number / 3_000, "message": "m" * 1_000}
        say(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": told}))


def main() -> None:
    """Answer until standard input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked or "method" not in asked:
            continue
        params = asked.get("params") or {}
        match asked["method"]:
            case "initialize":
                result = json.dumps(
                    {
                        "protocolVersion": params["protocolVersion"],
                        "capabilities": {"tools": {"listChanged": True}},
                        "serverInfo": {"name": "endless" * 10_000, "version": "1"},
                    }
                )
            case "tools/list":
                result = json.dumps({"tools": TOOLS})
            case "tools/call":
                if params["name"] == "floods":
                    floods((params.get("_meta") or {}).get("progressToken"))
                result = answer(params["name"], params.get("arguments") or {})
            case _:
                say(
                    json.dumps(
                        {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}
                    )
                )
                continue
        say(f'{{"jsonrpc": "2.0", "id": {json.dumps(asked["id"])}, "result": {result}}}')


if __name__ == "__main__":
    main()
