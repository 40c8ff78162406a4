"""`anabranch tool …`: runs one tool as the user and prints its result; chooses how results are shown."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from engine.app.queries.catalog import GetCall, GetRendering, PreviewCall, RequireTool
from engine.cli.ask import checked_uploads
from engine.cli.json_options import json_object
from engine.cli.lazy_group import OrderedGroup
from engine.cli.options import PATH, data_option, json_option, opened
from engine.cli.output import Output
from engine.cli.port import stoppable
from engine.commands.catalog import CreateChat, RunTool, SetRenderConfig, StopTurn, UploadFiles
from engine.errors import Invalid

__all__ = ["tool_program"]

tool_program = OrderedGroup(help="Run tools, and choose how their results are shown.")


@tool_program.command("run")
@click.argument("tool", help="The tool's id, e.g. `data-analyst:query`.")
@click.option("--args", default="{}", help="The arguments, as a JSON object.")
@click.option("--chat", help="The chat whose files the tool uses; by default a new chat.")
@click.option(
    "--file",
    type=PATH,
    multiple=True,
    help="Add this file to the chat before running the tool; repeat for more files.",
)
@click.option("--preview", is_flag=True, help="Show the result without recording anything; needs --chat.")
@click.option("--yes", is_flag=True, help="Run the tool without asking, even if it normally asks first.")
@data_option
@json_option
def run_tool(
    tool: str,
    args: str,
    chat: str | None,
    file: tuple[Path, ...],
    preview: bool,
    yes: bool,
    data: Path | None,
    as_json: bool,
) -> None:
    """Run one tool without a model; the call is recorded in the chat."""
    output = Output(as_json=as_json)
    with output.failures():
        arguments = json_object(args, "--args")
        if preview:
            _preview(output, data, PreviewCall(_chat_to_preview(chat, file), tool, arguments))
        with opened(data, makes=True) as engine:
            engine.read(RequireTool(tool))
            uploads = checked_uploads(file)
            chat_id = chat or engine.send(CreateChat(title=f"Tool {tool}"))
            if uploads:
                engine.send(UploadFiles(chat_id, uploads))
            run = RunTool(chat_id, tool, arguments, allow_confirmations=yes)
            call_id = stoppable(lambda: engine.send(run), lambda _: engine.send(StopTurn(chat_id)))
            call = engine.read(GetCall(chat_id, call_id))
            shown = call["result"] if call["error"] is None else call["error"]["message"]
            if note := call.pop("note"):
                output.note(note)
            text = f"{call['status']}\n{json.dumps(shown, ensure_ascii=False, indent=2)}"
            output.done({"chat_id": chat_id, **call}, text, 0 if call["status"] == "success" else 1)


def _chat_to_preview(chat: str | None, file: Sequence[Path]) -> str:
    if chat is None or file:
        raise Invalid(
            "preview_usage", "A preview uses only the files of a chat. Give --chat, and leave out --file."
        )
    return chat


def _preview(output: Output, data: Path | None, query: PreviewCall) -> NoReturn:
    with opened(data) as engine:
        found = engine.read(query)
    text = found["problem"] or json.dumps(found["result"], ensure_ascii=False, indent=2)
    output.done(found, text, 1 if found["problem"] else 0)


@tool_program.command("render")
@click.argument("tool", help="The tool's id, e.g. `data-analyst:query`.")
@click.option("--as", "renderer", help="The renderer, such as table, chart, document or json.")
@click.option(
    "--config",
    default="{}",
    help='The renderer\'s configuration as a JSON object, e.g. `{"rows": "$return.rows"}`.',
)
@click.option("--reset", is_flag=True, help="Show results in the way that the toolset defines.")
@data_option
@json_option
def render(
    tool: str, renderer: str | None, config: str, reset: bool, data: Path | None, as_json: bool
) -> None:
    """Choose how a tool's results are shown from now on; without options, print the current choice."""
    output = Output(as_json=as_json)
    with output.failures():
        if reset and renderer:
            raise Invalid("render_usage", "Give either --as or --reset.")
        given = json_object(config, "--config")
        if given and not renderer:
            raise Invalid("render_usage", "--config needs a renderer. Name it with --as.")
        with opened(data, makes=True) as engine:
            if renderer or reset:
                engine.send(SetRenderConfig(tool, renderer, given))
            document = engine.read(GetRendering(tool))
            whose = "as you chose" if document["chosen_by_user"] else "as its toolset defines"
            words = (
                f"{document['renderer']}, {whose}"
                if document["renderer"]
                else "JSON, because there is no other renderer"
            )
            output.done(document, f"{tool}: {words}")
