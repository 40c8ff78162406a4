"""The built-in tools (RUN-8): declared in the shape of a manifest's, run by the same host as any other.

`pick_tools` and `read_skill` have no entrypoint: the engine itself answers them, and nobody ticks them. The one is
offered where tools are told of in brief, the other where there is a skill to read.
"""

from engine.tools.tool import Tool
from events.canonical import JSONObject

__all__ = ["BUILTIN_TOOLS", "PICK_TOOLS", "READ_SKILL"]

_ANSWERED_HERE = ("disclosure", "skills")


def _tool(
    name: str,
    title: str,
    description: str,
    *,
    effects: str,
    required: list[str],
    properties: JSONObject,
    category: str = "files",
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
        "entrypoint": f"anabranch_tool.{category}:{name}" if category not in _ANSWERED_HERE else None,
        "category": category,
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
    _tool(
        "query_history",
        "Query history",
        "Run one SQL SELECT over this chat's own history: events, messages, turns, tool_calls, workspace_manifests.",
        effects="read",
        required=["sql"],
        properties={
            "sql": {"type": "string", "description": "DuckDB SQL, for example SELECT * FROM tool_calls."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 500, "description": "Rows to return."},
        },
        category="history",
    ),
    _tool(
        "pick_tools",
        "Pick tools",
        "Ask for the full specifications of tools that you know by name only, before you call them.",
        effects="read",
        required=["tools"],
        properties={
            "tools": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "description": "Names of tools as they are listed.",
            }
        },
        category="disclosure",
    ),
    _tool(
        "read_skill",
        "Read skill",
        "Read the instructions of a skill, or another of its files, before you do what it is for.",
        effects="read",
        required=["skill"],
        properties={
            "skill": {"type": "string", "description": "Its name as it is listed."},
            "path": {"type": "string", "description": "One of its other files; SKILL.md unless given."},
            "offset": {"type": "integer", "minimum": 0, "description": "First character to return."},
        },
        category="skills",
    ),
]


def _answered_here(name: str) -> Tool:
    declared = next(tool for tool in BUILTIN_TOOLS if tool["id"] == name)
    schema = declared["input_schema"]
    assert isinstance(schema, dict)
    return Tool(
        tool_id=name,
        toolset_id=None,
        toolset_name="Built-in",
        name=name,
        title=str(declared["name"]),
        description=str(declared["description"]),
        input_schema=schema,
        requires_confirmation=False,
        effects="read",
        timeout=0.0,
        entrypoint="",
    )


PICK_TOOLS = _answered_here("pick_tools")
READ_SKILL = _answered_here("read_skill")
