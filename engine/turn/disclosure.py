"""Decides which tools a model sees in full, and which only as a name and one line until it picks them (DIS-1 to DIS-3).

Pure. The decision depends on the size of the specifications, because they are sent with each request and cost tokens.
The analyst's tools are always sent in full: without them, no question about data could be answered.
"""

from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias

from engine.models.model import ToolBrief, ToolSpec
from engine.tools.builtin import PICK_TOOLS, READ_SKILL
from engine.tools.tool import Tool
from events.canonical import canonical_json
from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["Disclosed", "Disclosure", "disclose", "pick"]

Disclosure: TypeAlias = Literal["auto", "always", "never"]

_LINE = 160
_ALWAYS = "data-analyst"
_CHARACTERS_PER_TOKEN = 4
"""An estimate for English and JSON that is close for the tokenizers of all vendors."""


@dataclass(frozen=True, slots=True)
class Disclosed:
    """The tools that one request offers, each in full or as a brief."""

    tools: Mapping[str, Tool]
    """All callable tools by wire name, including `pick_tools` if there are briefs."""
    specs: tuple[ToolSpec, ...]
    """The tools that are described in full."""
    briefs: tuple[ToolBrief, ...] = ()
    """The tools that are described only by name and one line."""


def disclose(
    offered: Mapping[str, Tool], picked: Collection[str], mode: Disclosure, most_tokens: int
) -> Disclosed:
    """Decide how to describe the tools, given by wire name; `picked` contains tool ids. The size of `read_skill` is not
    counted, because users cannot select it.
    """
    many = {name: tool for name, tool in offered.items() if tool is not READ_SKILL}
    stepwise = mode == "always" or (mode == "auto" and _tokens(many) > most_tokens)
    full = {
        name: tool
        for name, tool in offered.items()
        if not stepwise or tool.tool_id in picked or tool.toolset_id == _ALWAYS
    }
    if not many or len(full) == len(offered):
        return Disclosed(offered, tuple(tool.spec(name) for name, tool in offered.items()))
    briefs = tuple(ToolBrief(name, _line(tool)) for name, tool in offered.items() if name not in full)
    tools = {PICK_TOOLS.name: PICK_TOOLS, **offered}
    specs = {PICK_TOOLS.name: PICK_TOOLS, **full}
    return Disclosed(tools, tuple(tool.spec(name) for name, tool in specs.items()), briefs)


def _tokens(tools: Mapping[str, Tool]) -> int:
    """Return the approximate number of tokens of the tools' specifications."""
    specs = (tool.spec(name) for name, tool in tools.items())
    sizes = (len(s.name) + len(s.description) + len(canonical_json(s.input_schema)) for s in specs)
    return sum(sizes) // _CHARACTERS_PER_TOKEN


def pick(arguments: JSON, tools: Mapping[str, Tool]) -> tuple[JSONObject, tuple[str, ...]]:
    """Return the answer of `pick_tools`, and the ids of the picked tools.

    A tool is identified by its wire name, its id, or the last part of either if this is unique.
    """
    wanted = arguments["tools"] if isinstance(arguments, dict) else None
    names = [name for name in wanted if isinstance(name, str)] if isinstance(wanted, list) else []
    found: dict[str, Tool] = {}
    unknown: list[str] = []
    for name in dict.fromkeys(names):
        fitting = _named(name, tools)
        if len(fitting) == 1:
            found |= fitting
        else:
            unknown.append(name)
    selected = (
        f"Selected {', '.join(found)}; full specifications come with the next request of this turn."
        if found
        else "Selected none."
    )
    there = ", ".join(name for name in tools if name != PICK_TOOLS.name)
    told = f" There is no tool {', '.join(unknown)}; the tools are: {there}." if unknown else ""
    answer: JSONObject = {"message": selected + told, "selected": list(found), "unknown": [*unknown]}
    return answer, tuple(tool.tool_id for tool in found.values())


def _named(name: str, tools: Mapping[str, Tool]) -> dict[str, Tool]:
    others = {wire: tool for wire, tool in tools.items() if wire != PICK_TOOLS.name}
    if name in others:
        return {name: others[name]}
    return {wire: tool for wire, tool in others.items() if name in (tool.tool_id, tool.name)}


def _line(tool: Tool) -> str:
    line = " ".join(tool.told.split())
    first = line.split(". ", 1)[0].rstrip(".")
    return first if len(first) <= _LINE else first[: _LINE - 1] + "…"
