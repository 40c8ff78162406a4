"""Answers queries from an open app, with one function for each query, in the order of the catalog."""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from engine.app.app import App
from engine.app.doctor import examine
from engine.app.queries import catalog as ask
from engine.app.queries.about_chats import CHAT_ANSWERS
from engine.app.queries.about_locations import LOCATION_ANSWERS
from engine.app.queries.about_log import LOG_ANSWERS
from engine.app.queries.about_sources import SOURCE_ANSWERS
from engine.app.queries.of_log import ANSWERS_OF_LOG
from engine.app.storage_errors import translate_storage_errors
from engine.app.turn_document import turn_document
from engine.commands.base import Query, Result
from engine.commands.values import TurnStart, Waiting
from engine.errors import NotFound
from engine.rendering.plan import USERS_OWN, plan_to_json
from engine.tools.mcp.values import ServerState
from engine.views.comparisons import side_named
from engine.views.definitions import listed
from engine.views.documents import as_json, document, documents, toolset_document

__all__ = ["answer"]

_SERVERS_WAIT = 30.0
"""The seconds that servers may take to start before they are listed."""


def answer(app: App, query: Query[Result]) -> Result:
    """Return the answer to a query.

    Raises:
        AnabranchError: something that the query names does not exist, or the disk reported an error.
    """
    with translate_storage_errors():
        found: Result = _ANSWERS[type(query)](app, query)
        return found


def _preview_call(app: App, query: ask.PreviewCall) -> ask.Document:
    found = app.preview_call(query.chat_id, query.tool_id, query.arguments, query.seconds)
    plan = plan_to_json(found.plan) if found.plan is not None else None
    return document(
        {"problem": found.problem, "result": found.result, "render_plan": plan, "seconds": found.seconds}
    )


def _preview_shape(app: App, query: ask.PreviewShape) -> ask.Document:
    return document(app.preview_shape(query.chat_id, query.table, query.steps).to_json())


def _find_joins(app: App, query: ask.FindJoins) -> list[ask.Document]:
    return documents(map(asdict, app.joins(query.chat_id)))


def _get_replay(app: App, query: ask.GetReplay) -> ask.Document:
    return document(app.replay(query.chat_id, query.replay_id))


def _get_rerun(app: App, query: ask.GetRerun) -> ask.Document:
    return document(app.rerun(query.chat_id, query.rerun_id))


def _preview_rerun(app: App, query: ask.PreviewRerun) -> list[ask.Document]:
    found = app.preview_rerun(query.chat_id, query.files, query.message_id, query.columns)
    return documents([change.to_json() for change in found])


def _compare_sides(app: App, query: ask.CompareSides) -> ask.Document:
    return document(app.comparisons.compare(side_named(query.a), side_named(query.b)).to_json())


def _follow_turn(app: App, query: ask.FollowTurn) -> ask.TurnReport:
    if query.turn_id not in app.chat(query.chat_id).turns:
        raise NotFound("turn_not_found", f"There is no turn {query.turn_id} in this chat.")
    app.wait(query.turn_id)
    turn = turn_document(app, query.chat_id, query.turn_id)
    states = [state for state in app.mcp.states() if state.state == "connecting" and not state.tools]
    return ask.TurnReport(
        document(turn),
        app.chat(query.chat_id).turns[query.turn_id].problem,
        tuple((state.id, state.detail or "starting") for state in states),
    )


def _follow_queued(app: App, query: ask.FollowQueued) -> TurnStart:
    return app.turn_of(Waiting(query.chat_id, query.queued_id))


def _list_definitions(app: App, query: ask.ListDefinitions) -> list[ask.Document]:
    if query.chat_id is not None:
        app.past.require_chat(query.chat_id)
    return documents(listed(app.read("definitions"), query.chat_id))


def _list_moments(app: App, query: ask.ListMoments) -> list[ask.Document]:
    app.past.require_chat(query.chat_id)
    return documents(app.read("moments", chat_id=query.chat_id))


def _list_standing(app: App, _: ask.ListStandingQuestions) -> list[ask.Document]:
    return documents([question.to_json() for question in app.standing_questions()])


def _list_toolsets(app: App, _: ask.ListToolsets) -> list[ask.Document]:
    return documents([toolset_document(row) for row in app.installed()])


def _preview_toolset(app: App, query: ask.PreviewToolset) -> ask.SheetShown:
    preview = app.preview_toolset(query.source, query.source_ref)
    sheet = preview.sheet
    return ask.SheetShown(
        sheet.toolset_id, preview.outcome, preview.content_hash, sheet.as_text(), sheet.variables
    )


def _list_keys(app: App, query: ask.ListKeys) -> list[ask.Document]:
    app.vault.check()
    return documents(app.toolsets.configuration(query.toolset_id).states())


def _export_toolset(app: App, query: ask.ExportToolset) -> bytes:
    return app.toolsets.export(query.toolset_id)


def _require_tool(app: App, query: ask.RequireTool) -> None:
    app.runnable(query.tool_id)


def _get_rendering(app: App, query: ask.GetRendering) -> ask.Document:
    shown = app.toolsets.rendering.shown(query.tool_id)
    return {
        "tool_id": query.tool_id,
        "renderer": shown.renderer if shown else None,
        "config": as_json(dict(shown.config)) if shown else {},
        "chosen_by_user": bool(shown and shown.priority == USERS_OWN),
    }


def _list_servers(app: App, _: ask.ListServers) -> list[ask.Document]:
    app.mcp.wait(lambda states: all(state.state != "connecting" for state in states), _SERVERS_WAIT)
    return documents([_server(state) for state in app.mcp.states()])


def _server(state: ServerState) -> ask.Document:
    return {
        "id": state.id,
        "toolset": state.toolset_ids[0] if state.toolset_ids else None,
        "state": state.state,
        "detail": state.detail,
        "tools": [f"mcp:{state.id}:{tool.name}" for tool in state.tools],
        "toolsets": state.toolset_ids,
        "transport": state.transport,
        "runs": state.runs,
        "enabled": state.enabled,
        "trusted": state.trusted,
        "held": {"level": state.held.level, "layers": state.held.layers} if state.held else None,
        "how_held": state.how_held,
        "reaches_network": state.reaches_network,
        "server": state.server,
        "stderr": state.stderr,
    }


def _export_log(app: App, _: ask.ExportLog) -> Path:
    descriptor, name = mkstemp(prefix="anabranch-", suffix=".parquet")
    os.close(descriptor)
    target = Path(name)
    try:
        app.reads.export(target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return target


def _get_state(app: App, query: ask.GetState) -> Mapping[str, Any]:
    return document(app.past.state(query.position, query.chat_id))


def _check_contents(app: App, _: ask.CheckContents) -> ask.Document:
    return document(app.checking.check())


def _examine(app: App, _: ask.ExamineFolder) -> list[ask.Document]:
    return documents(examine(app.data, app))


_ANSWERS: Mapping[type, Callable[[App, Any], Any]] = {
    ask.CompareSides: _compare_sides,
    ask.FindJoins: _find_joins,
    ask.PreviewCall: _preview_call,
    ask.PreviewShape: _preview_shape,
    ask.GetReplay: _get_replay,
    ask.GetRerun: _get_rerun,
    ask.PreviewRerun: _preview_rerun,
    ask.FollowTurn: _follow_turn,
    ask.FollowQueued: _follow_queued,
    ask.ListDefinitions: _list_definitions,
    ask.ListMoments: _list_moments,
    ask.ListStandingQuestions: _list_standing,
    ask.ListToolsets: _list_toolsets,
    ask.PreviewToolset: _preview_toolset,
    ask.ListKeys: _list_keys,
    ask.ExportToolset: _export_toolset,
    ask.RequireTool: _require_tool,
    ask.GetRendering: _get_rendering,
    ask.ListServers: _list_servers,
    ask.ExportLog: _export_log,
    ask.GetState: _get_state,
    ask.CheckContents: _check_contents,
    ask.ExamineFolder: _examine,
    **CHAT_ANSWERS,
    **LOCATION_ANSWERS,
    **LOG_ANSWERS,
    **ANSWERS_OF_LOG,
    **SOURCE_ANSWERS,
}
