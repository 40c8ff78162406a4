"""Random sequences of events, legal and illegal: any event may come at any time, with one of a few ids, so that many
events have the same id."""

from uuid import UUID

from hypothesis import strategies as st

from events.catalog.chat import (
    ChatCreated,
    ChatDeleted,
    ChatForked,
    ChatRenamed,
    ChatRestored,
    LeafSelected,
    MessageAdded,
    ModelSelected,
    ToolsSelected,
)
from events.catalog.definition import DefinitionForgotten, DefinitionRef, DefinitionSet
from events.catalog.mcp import (
    McpServerDisabled,
    McpServerEnabled,
    McpServerRegistered,
    McpServerRemoved,
    McpServerTrustSet,
)
from events.catalog.parts import TextPart
from events.catalog.question import (
    QuestionMoved,
    QuestionQueued,
    QuestionRefused,
    QuestionReworded,
    QuestionUnqueued,
)
from events.catalog.settings import SettingChanged
from events.catalog.tool_call import (
    CallFailure,
    ToolCallApproved,
    ToolCallDenied,
    ToolCallFinished,
    ToolCallRequested,
    ToolCallStarted,
)
from events.catalog.toolset import (
    BuiltinToolsRegistered,
    RenderConfigSet,
    ToolDisabled,
    ToolEnabled,
    ToolsetConfigured,
    ToolsetDisabled,
    ToolsetEnabled,
    ToolsetInstalled,
    ToolsetUninstalled,
    ToolsetUpgraded,
)
from events.catalog.turn import StepStarted, ToolsPicked, TurnFinished, TurnStarted
from events.catalog.workspace import File, LeftOut, ManifestRecorded
from events.event import BlobRef, Inline
from events.log import Append

__all__ = ["histories"]

texts = st.text(max_size=8) | st.sampled_from(["", "O'Hara", '"quoted"', "línea\nbreak", "100%", "null"])
BLOB = BlobRef(sha256="ab" * 32, size=40_000, head='{"rows": [[1')


def _ids(kind: int) -> st.SearchStrategy[str]:
    return st.integers(1, 3).map(lambda n: str(UUID(int=(kind << 64) + n)))


messages, turns, calls, manifests, definitions = (_ids(kind) for kind in range(1, 6))
maybe_message = st.none() | messages
maybe_manifest = st.none() | manifests
kept = st.builds(
    Inline, value=st.none() | st.dictionaries(texts, st.integers() | texts, max_size=2)
) | st.just(BLOB)
files = st.dictionaries(
    st.sampled_from(["a.csv", "b c.csv", 'q"uote', "d/é.txt", "x'y", "$.z", "~t/1"]),
    st.builds(
        File, sha256=st.sampled_from(["11" * 32, "22" * 32]), size=st.integers(0, 9), executable=st.booleans()
    ),
    max_size=3,
)


def _tool(name: str, renderer: str | None) -> dict[str, object]:
    shown = {"type": renderer, "config": {"file": "$return.file"}, "priority": 0} if renderer else None
    return {
        "id": name,
        "name": name.title(),
        "description": "does it",
        "entrypoint": f"tools.{name}:run",
        "category": "data",
        "input_schema": {"type": "object"},
        "requires_confirmation": renderer is None,
        "effects": "read",
        "timeout": 60,
        "renderer": shown,
        "command": name,
        "command_argument": None,
    }


tools = st.lists(
    st.builds(_tool, st.sampled_from(["query", "chart", "run"]), st.sampled_from([None, "table", "json"])),
    max_size=3,
    unique_by=lambda tool: str(tool["id"]),
)
content = {
    "name": texts,
    "version": st.sampled_from(["1.0.0", "1.1.0"]),
    "description": texts,
    "manifest_version": st.just("1"),
    "content_hash": st.sampled_from(["aa", "bb"]),
    "source_type": st.sampled_from(["zip", "local"]),
    "source_ref": texts,
    "manifest": st.builds(
        lambda t, s: {"tools": t, "mcp_servers": s},
        tools,
        st.sampled_from([[], [{"id": "time", "command": "x", "auto_enabled": True}, {"id": "git"}]]),
    ),
    "files": st.just(()),
}

definition_events = st.one_of(
    st.builds(
        DefinitionSet,
        definition_id=definitions,
        version=st.integers(1, 3),
        term=texts,
        meaning=texts,
        call_id=st.none() | calls,
        from_chat_id=st.none() | texts,
    ),
    st.builds(DefinitionForgotten, definition_id=definitions),
)
chat_events = st.one_of(
    definition_events,
    st.builds(ChatCreated, title=texts),
    st.builds(ChatRenamed, title=texts),
    st.builds(
        ChatForked, origin_chat_id=texts, origin_message_id=maybe_message, origin_position=st.integers(1, 9)
    ),
    st.just(ChatDeleted()),
    st.just(ChatRestored()),
    st.builds(ToolsSelected, selection=st.dictionaries(texts, st.lists(texts, max_size=2), max_size=2)),
    st.builds(ModelSelected, model=texts),
    st.builds(QuestionQueued, queued_id=messages, text=texts),
    st.builds(QuestionMoved, queued_id=messages, before_id=maybe_message),
    st.builds(QuestionReworded, queued_id=messages, text=texts),
    st.builds(QuestionRefused, queued_id=messages, code=texts, message=texts),
    st.builds(QuestionUnqueued, queued_id=messages, reason=st.sampled_from(["asked", "taken_back"])),
    st.builds(LeafSelected, message_id=maybe_message, manifest_id=maybe_manifest),
    st.builds(
        MessageAdded,
        message_id=messages,
        parent_id=maybe_message,
        turn_id=st.none() | turns,
        role=st.sampled_from(["user", "assistant"]),
        parts=st.tuples(st.builds(TextPart, text=texts)),
        becomes_leaf=st.booleans(),
        replaces=maybe_message,
    ),
    st.builds(TurnStarted, turn_id=turns, message_id=messages, model=texts),
    st.builds(
        StepStarted,
        turn_id=turns,
        step=st.integers(1, 3),
        model=texts,
        parameters=st.just({}),
        system=st.just(BLOB),
        tools=st.just(BLOB),
        tool_ids=st.just({}),
        manifest_id=maybe_manifest,
        message_id=messages,
        definitions=st.lists(
            st.builds(DefinitionRef, definition_id=definitions, version=st.integers(1, 3)), max_size=2
        ).map(tuple),
    ),
    st.builds(
        TurnFinished,
        turn_id=turns,
        reason=st.sampled_from(["stop", "error", "cancelled", "interrupted"]),
        message=st.none() | texts,
        tokens_in=st.none() | st.integers(0, 9**9),
        seconds=st.floats(0, 1e6),
    ),
    st.builds(
        ToolCallRequested,
        call_id=calls,
        message_id=maybe_message,
        turn_id=st.none() | turns,
        index=st.integers(0, 3),
        tool_id=texts,
        arguments=kept,
        commentary=texts,
        needs_confirmation=st.booleans(),
    ),
    st.builds(ToolCallApproved, call_id=calls, arguments=kept, by=st.just("user")),
    st.builds(ToolCallDenied, call_id=calls, reason=texts),
    st.builds(ToolCallStarted, call_id=calls, pre_manifest_id=maybe_manifest, content_hash=st.none() | texts),
    st.builds(
        ToolCallFinished,
        call_id=calls,
        status=st.sampled_from(["success", "error", "denied", "cancelled", "timed_out", "interrupted"]),
        result=st.none() | kept,
        error=st.none() | st.builds(CallFailure, kind=texts, message=texts),
        render_plan=st.none() | kept,
        post_manifest_id=maybe_manifest,
    ),
    st.builds(ToolsPicked, turn_id=turns, tool_ids=st.just(("a", "b"))),
    st.builds(
        ManifestRecorded,
        manifest_id=manifests,
        parent_id=st.none(),
        message_id=maybe_message,
        added=files,
        changed=files,
        removed=st.lists(st.sampled_from(["a.csv", "x'y"]), max_size=1).map(tuple),
        source=st.sampled_from(["user_upload", "tool_run", "branch", "edit"]),
        active=st.booleans(),
        left_out=st.lists(st.builds(LeftOut, path=texts, reason=texts), max_size=1).map(tuple),
    ),
)
tool_name = st.sampled_from(["query", "chart"])
toolset_events = st.one_of(
    st.builds(ToolsetInstalled, **content, enabled=st.booleans()),
    st.builds(ToolsetUpgraded, **content),
    st.just(ToolsetEnabled()),
    st.just(ToolsetDisabled()),
    st.builds(ToolsetConfigured, values=st.dictionaries(texts, texts, max_size=1)),
    st.just(ToolsetUninstalled()),
    st.builds(ToolEnabled, tool=tool_name),
    st.builds(ToolDisabled, tool=tool_name),
    st.builds(
        RenderConfigSet,
        tool=tool_name,
        renderer=st.sampled_from([None, "json", "table"]),
        config=st.just({"a": [1]}),
    ),
)
mcp_events = st.one_of(
    st.builds(RenderConfigSet, tool=tool_name, renderer=st.sampled_from([None, "json"]), config=st.just({})),
    st.builds(McpServerRegistered, config=st.just({"command": "x"}), enabled=st.booleans()),
    st.just(McpServerEnabled()),
    st.just(McpServerDisabled()),
    st.just(McpServerRemoved()),
    st.builds(McpServerTrustSet, trusted=st.booleans()),
)

appends = st.one_of(
    st.builds(Append, st.sampled_from(["chat-a", "chat-b-c"]), st.lists(chat_events, min_size=1, max_size=4)),
    st.builds(
        Append,
        st.sampled_from(["toolset-one", "toolset-t-wo"]),
        st.lists(toolset_events, min_size=1, max_size=3),
    ),
    st.builds(
        Append,
        st.just("toolset-builtin"),
        st.lists(st.builds(BuiltinToolsRegistered, tools=tools), min_size=1, max_size=1),
    ),
    st.builds(Append, st.just("definitions"), st.lists(definition_events, min_size=1, max_size=2)),
    st.builds(Append, st.just("mcp-time"), st.lists(mcp_events, min_size=1, max_size=3)),
    st.builds(
        Append,
        st.just("settings"),
        st.lists(
            st.builds(
                SettingChanged, name=st.sampled_from(["a", "b"]), value=st.none() | texts | st.integers()
            ),
            min_size=1,
            max_size=3,
        ),
    ),
)

histories = st.lists(appends, min_size=1, max_size=8)
