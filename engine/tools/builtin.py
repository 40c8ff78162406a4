"""The built-in tools (RUN-8): declared in the shape of a manifest's, run by the same host as any other."""

from events.canonical import JSONObject

__all__ = ["BUILTIN_TOOLS"]


def _tool(
    name: str, title: str, description: str, *, effects: str, required: list[str], properties: JSONObject
) -> JSONObject:
    schema: JSONObject = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": [*required],
    }
    return {
        "id": name,
        "name": title,
        "description": description,
        "entrypoint": f"anabranch_tool.files:{name}",
        "category": "files",
        "input_schema": schema,
        "requires_confirmation": False,
        "effects": effects,
        "timeout": 60.0,
        "renderer": None,
        "command": name.replace("_", "-"),
        "command_argument": required[0] if required else None,
    }


_PATH: JSONObject = {"type": "string", "description": "Relative to the workspace, with `/`."}

BUILTIN_TOOLS: list[JSONObject] = [
    _tool(
        "list_files",
        "List files",
        "List the files of this chat's workspace with their sizes.",
        effects="read",
        required=[],
        properties={"path": {"type": "string", "description": "Only below this folder."}},
    ),
    _tool(
        "read_file",
        "Read file",
        "Read a text file of the workspace.",
        effects="read",
        required=["path"],
        properties={
            "path": _PATH,
            "offset": {"type": "integer", "minimum": 0, "description": "First character to return."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 100000,
                "description": "Characters to return.",
            },
        },
    ),
    _tool(
        "write_file",
        "Write file",
        "Write a text file into the workspace; an existing one is replaced.",
        effects="write",
        required=["path", "content"],
        properties={"path": _PATH, "content": {"type": "string"}},
    ),
]
