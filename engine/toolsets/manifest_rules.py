"""The rules of a manifest that need more than one field or the bundle's other files.

The rules read the tree and not the finished `Manifest`, so each rule is checked even if another part of the file is
broken.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from engine.config import SHIPPED
from engine.errors import Problem
from engine.toolsets.bundle_paths import path_problems, shown
from engine.toolsets.entrypoint import Contents, Modules, check_entrypoint
from engine.toolsets.guarded import FACTS, steers
from engine.toolsets.lookalikes import reserved_id
from engine.toolsets.manifest import MANIFEST_NAME, default_env, full_renderer
from engine.toolsets.manifest_yaml import Node
from engine.toolsets.renderer_rules import renderer_faults
from engine.toolsets.schema import argument_faults, check_schema
from events.json_value import JSONObject

__all__ = ["check_rules", "is_address"]

RESERVED_COMMANDS = {"help"}
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_REQUIREMENT = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._, -]*\])?\s*([(<>=!~][^@/\\]*)?(;[^@/\\]*)?"
)


def check_rules(root: Node, files: Contents) -> list[Problem]:
    """Return every broken rule of the tree, and advice (see `manifest_read.ADVICE`)."""
    problems: list[Problem] = []
    tools, servers, keys = _items(root, "tools"), _items(root, "mcp_servers"), _items(root, "config")
    modules = Modules(files)
    for tool in tools:
        problems.extend(_tool(tool, files, modules))
    for items, key, what in (
        (tools, "id", "tool"),
        (servers, "id", "MCP server"),
        (keys, "name", "config key"),
    ):
        problems.extend(_repeated(items, key, what))
    problems.extend(_commands(tools))
    problems.extend(_names(root, tools, servers))
    for server in servers:
        problems.extend(_server(server))
    names = {_text(key, "name") for key in keys}
    for config in keys:
        variable = _text(config, "env") or default_env(_text(config, "name") or "")
        if steers(variable):
            message = f"the variable {variable} controls how the tool's process runs; choose another env"
            problems.append(_problem("config_env", message, config.keys.get("env", config)))
        problems.extend(_alternatives(config, names))
    for requirement in _items(root, "requirements"):
        if isinstance(requirement.value, str) and not _REQUIREMENT.fullmatch(requirement.value.strip()):
            message = f"{requirement.value!r} is not a package such as pandas>=3; addresses and options are not allowed"
            problems.append(_problem("requirement", message, requirement))
    if not tools and not servers and "SKILL.md" not in files:
        problems.append(_problem("nothing_offered", "the bundle offers no tool and no MCP server", root))
    return problems


def _problem(code: str, message: str, node: Node) -> Problem:
    return Problem(code, message, MANIFEST_NAME, node.line)


def _items(node: Node, key: str) -> list[Node]:
    return node.keys[key].items if key in node.keys else []


def _text(node: Node, key: str) -> str | None:
    below = node.keys.get(key)
    return below.value if below and isinstance(below.value, str) else None


def _repeated(items: list[Node], key: str, what: str) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for item in items:
        name = _text(item, key)
        if name is None:
            continue
        if name in first:
            message = (
                f"the {what} {name} is already used in line {first[name]}; give one of them another {key}"
            )
            yield _problem("duplicate_id", message, item.keys[key])
        first.setdefault(name, item.keys[key].line)


def _names(root: Node, tools: list[Node], servers: list[Node]) -> Iterator[Problem]:
    """Refuse ids and names that can be mistaken for Anabranch's own, or for names of a bundle that ships."""
    own = _text(root, "id") or ""
    for node in (root, *tools, *servers):
        ships = SHIPPED if node is root else ()
        if taken := reserved_id(_text(node, "id") or "", ships):
            message = f"the id is, or looks like, {taken}, which is taken by Anabranch; choose another id"
            yield _problem("id_reserved", message, node.keys["id"])
    name = _text(root, "name") or ""
    if own not in SHIPPED and (taken := reserved_id(name, SHIPPED) or (name if name in SHIPPED else None)):
        message = f"the name looks like that of {taken}, which comes with Anabranch; choose another name"
        yield _problem("name_reserved", message, root.keys["name"])


def _commands(tools: list[Node]) -> Iterator[Problem]:
    taken: dict[str, str] = {}
    for tool in tools:
        tool_id = _text(tool, "id")
        command = _text(tool, "command") or (tool_id or "").replace("_", "-")
        if not command or tool_id in taken.values():
            continue
        node = tool.keys.get("command") or tool.keys.get("id") or tool
        if command in RESERVED_COMMANDS:
            yield _problem(
                "command_collision", f"/{command} is taken by Anabranch; choose another command", node
            )
        elif command in taken:
            message = f"/{command} is also the command of {taken[command]}; give one of them another command"
            yield _problem("command_collision", message, node)
        taken.setdefault(command, tool_id or "another tool")


def _tool(tool: Node, files: Contents, modules: Modules) -> Iterator[Problem]:
    entrypoint = _text(tool, "entrypoint")
    if entrypoint is not None:
        problem = check_entrypoint(entrypoint, modules, MANIFEST_NAME, tool.keys["entrypoint"].line)
        if problem:
            yield problem
    schema_node = tool.keys.get("input_schema")
    if schema_node and isinstance(schema_node.value, dict):
        faults = check_schema(schema_node.value)
        for code, message, place in faults:
            yield _problem(code, message, schema_node.at(place))
        if not faults:
            yield from _arguments(tool, schema_node.value)
    for example in _items(tool, "examples"):
        for path, node in example.keys["files"].keys.items() if "files" in example.keys else ():
            for problem in path_problems([path], {path}):
                yield _problem("example_file", f"the example's file {shown(path)}: {problem.message}", node)
    if "renderer" in tool.keys:
        yield from _renderer(tool.keys["renderer"], files)


def _arguments(tool: Node, schema: JSONObject) -> Iterator[Problem]:
    """Check the parts of a tool that refer to the schema's properties: the command's argument and the examples."""
    named = _text(tool, "command_argument")
    properties = schema.get("properties")
    if named is not None and not (isinstance(properties, dict) and named in properties):
        message = f"command_argument {named} is not a property of input_schema"
        yield _problem("command_argument", message, tool.keys["command_argument"])
    for example in _items(tool, "examples"):
        arguments = example.keys.get("args")
        if arguments and isinstance(arguments.value, dict):
            for fault in argument_faults(schema, arguments.value):
                yield _problem("example_args", f"the example does not fit input_schema: {fault}", arguments)


def _alternatives(config: Node, names: set[str | None]) -> Iterator[Problem]:
    own = _text(config, "name")
    for other in _items(config, "unless"):
        if isinstance(other.value, str) and (other.value == own or other.value not in names):
            message = f"`unless` names {other.value}, which is not another key of `config`"
            yield _problem("config_unless", message, other)


def _renderer(node: Node, files: Contents) -> Iterator[Problem]:
    shape = full_renderer(node.value)
    if not isinstance(shape, dict) or not isinstance(shape.get("type"), str):
        return
    config = shape.get("config", {})
    kind, place = node.keys.get("type", node), node.keys.get("config", node)
    for fault in renderer_faults(shape["type"], config if isinstance(config, dict) else None, files):
        where = kind if fault.code == "renderer_unknown" else place.keys.get(fault.key or "", place)
        yield _problem(fault.code, fault.message, where)


def _server(server: Node) -> Iterator[Problem]:
    command, url = server.keys.get("command"), server.keys.get("url")
    if (command is None) == (url is None):
        message = "an MCP server has either a command to start or a url; give exactly one of the two"
        yield _problem("mcp_transport", message, server)
    address = _text(server, "url")
    if address is not None and not is_address(address):
        yield _problem("mcp_url", "the url is not an http or https address", server.keys["url"])
    yield from _reach(server)
    for name, node in (server.keys["env"].keys if "env" in server.keys else {}).items():
        if steers(name):
            message = (
                f"the variable {name} controls how the server's program runs, so it cannot be set; remove it"
            )
            yield _problem("mcp_env", message, node)
    for text in _scalars(server):
        if not isinstance(text.value, str):
            continue
        if "${" in _REFERENCE.sub("", text.value):  # not quoted, because it may contain a key
            yield _problem(
                "mcp_reference", "a reference has the form ${NAME}, with letters, digits and _", text
            )
        for name in _REFERENCE.findall(text.value):
            if steers(name) and name not in FACTS:
                message = f"${{{name}}} controls how programs run, and is never passed to a server; remove it"
                yield _problem("mcp_env", message, text)


def _reach(server: Node) -> Iterator[Problem]:
    """Check the access to this machine that a server requests."""
    if "unconfined" in server.keys and server.keys["unconfined"].value is not False:
        message = "only the user can set unconfined; declare the network and the paths that the server needs"
        yield _problem("mcp_unconfined", message, server.keys["unconfined"])
    for path in _items(server, "paths"):
        if isinstance(path.value, str) and not path.value.startswith(("/", "~", "${")):
            message = f"{path.value!r} is not a full path: a server's paths begin with /, ~ or ${{NAME}}"
            yield _problem("mcp_path", message, path)


def is_address(text: str) -> bool:
    """Return whether a text is an http or https address with a host."""
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False


def _scalars(node: Node) -> Iterator[Node]:
    if not node.keys and not node.items:
        yield node
    for below in (*node.keys.values(), *node.items):
        yield from _scalars(below)
