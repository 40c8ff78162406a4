"""The “Show as …” menu: chooses how a tool's results are shown, both this result and later ones (RND-7).

The choice applies to the user and the tool; recorded calls do not change.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from engine.commands.catalog import SetRenderConfig
from engine.rendering.alternative_renderers import fitting_ways, recorded_plan_as, ways_like
from engine.rendering.plan import USERS_OWN, CallFacts, RenderConfig
from engine.rendering.plans import ErrorPlan, FramePlan, HtmlPlan, PartsPlan, RenderPlan
from engine.rendering.renderers import RENDERERS
from engine.views.chat import CallView
from engine.views.model_info import Tool
from ui import session
from ui.acts import once_for
from ui.current_app import REFUSED, app, send
from ui.widgets.parts import fragment
from ui.words import label

__all__ = ["known_tool", "plan_for_now", "show_as", "show_tool_as"]

_ICON = ":material/visibility:"
_USUAL, _OWN = "usual", "own"


@fragment
def show_as(chat_id: str, call: CallView, key: str) -> None:
    """Draw the menu of a result's card; draw nothing if the past is shown, or the tool no longer exists."""
    tool = known_tool(call.tool_id) if not session.looks_back() else None
    # a result with several parts is not shown in one way
    if tool is None or call.result is None or isinstance(call.plan, PartsPlan):
        return

    def fitting() -> Sequence[RenderConfig]:
        files = app().workspace.files(chat_id, call.post_manifest_id) if call.post_manifest_id else {}
        facts = CallFacts(call.args, call.result, chat_id)
        return fitting_ways(_usual(tool), facts, files, tool.artifacts, _title_of(call.plan))

    _menu(tool, key, fitting, call.call_id)


@fragment
def show_tool_as(tool_id: str) -> None:
    """Draw the menu of a tool on a page that shows none of its results."""
    tool = known_tool(tool_id)
    if tool is not None:
        _menu(tool, tool_id.replace(":", "-"), lambda: ways_like(_usual(tool)), None)


def plan_for_now(chat_id: str, call: CallView) -> RenderPlan | None:
    """Return the plan to show for a call: the recorded one, or one by the reader's current choice, which is not
    recorded.
    """
    way: RenderConfig | None = session.remembered(f"shown-as-{call.call_id}")
    if way is None or session.looks_back():
        return call.plan
    tool = known_tool(call.tool_id)
    files = app().workspace.files(chat_id, call.post_manifest_id) if call.post_manifest_id else {}
    facts = CallFacts(call.args, call.result, chat_id)
    plan = recorded_plan_as(way, facts, files, tool.artifacts if tool else {}, _title_of(call.plan))
    # The address of a call always serves the recorded page, so a page cannot be previewed here.
    return call.plan if isinstance(plan, ErrorPlan | HtmlPlan | FramePlan) else plan


def _menu(tool: Tool, key: str, ways_of: Callable[[], Sequence[RenderConfig]], call_id: str | None) -> None:
    if session.remembered("way-chosen"):
        session.clear("way-chosen")
        st.rerun(scope="app")
    times = session.remembered(f"showas-{key}", 0)
    name = "Show as …" if call_id else f"Show results of {label(tool.name)} as …"
    menu = st.popover(
        name,
        icon=_ICON,
        key=f"showas-{key}-{times}",
        type="tertiary",
        help=name,
        on_change="rerun",
    )
    if not menu.open:
        return
    ways = {way.renderer: way for way in ways_of()}
    chosen = tool.render if tool.render is not None and tool.render.priority == USERS_OWN else None
    present = _present(chosen, ways)
    options = [_USUAL, *ways, *([_OWN] if present == _OWN else [])]
    field = f"showas-way-{key}-{times}"
    with menu:
        st.radio(
            f"Show results of {label(tool.name)} as",
            options,
            index=options.index(present),
            format_func=lambda option: _named(option, tool, chosen),
            key=field,
            on_change=once_for(field, _choose),
            args=(tool.tool_id, tool.name, ways, field, key, call_id),
        )
        here = "This result changes immediately. " if call_id else ""
        st.html(f'<p class="ab-note">{here}The choice applies in every chat, from the next call on.</p>')


def _present(chosen: RenderConfig | None, ways: dict[str, RenderConfig]) -> str:
    if chosen is None:
        return _USUAL
    way = ways.get(chosen.renderer)
    return chosen.renderer if way is not None and way.config == chosen.config else _OWN


def _named(option: str, tool: Tool, chosen: RenderConfig | None) -> str:
    if option == _OWN and chosen is not None:
        return f"{_title(chosen.renderer)}, with your settings"
    if option != _USUAL:
        return _title(option)
    usual = _usual(tool)
    whose = "server" if tool.server else "toolset"
    name = _title(usual.renderer if usual else "json")
    return f"{name}, set by the {whose}" if tool.toolset_id else f"Default: {name}"


def _title_of(plan: RenderPlan | None) -> str | None:
    return plan.title if plan is not None else None


def _title(renderer: str) -> str:
    return RENDERERS[renderer].title if renderer in RENDERERS else renderer


def _choose(
    tool_id: str, name: str, ways: dict[str, RenderConfig], field: str, key: str, call_id: str | None
) -> None:
    """Save the choice, and close the menu."""
    way = ways.get(session.widget_value(field))
    session.remember(f"showas-{key}", session.remembered(f"showas-{key}", 0) + 1)
    session.remember("way-chosen", True)
    if send(SetRenderConfig(tool_id, way.renderer if way else None, way.config if way else {})) is REFUSED:
        return
    if call_id is not None:
        session.remember(f"shown-as-{call_id}", way)
    told = RENDERERS[way.renderer].results_as if way else "in the default way"
    session.flash(f"Results of {name} will be shown {told}, from the next call on.")


def known_tool(tool_id: str) -> Tool | None:
    """Return the tool with this id; None if it no longer exists.

    This does not check live folders or wait for servers; that happens when a tool is offered or called.
    """
    return next((tool for tool in app().tools() if tool.tool_id == tool_id), None)


def _usual(tool: Tool) -> RenderConfig | None:
    """Return how a tool's toolset, or the app for a built-in tool, shows its results; None: as JSON."""
    said = [row for row in app().read("tool_render_configs") if row["tool_id"] == tool.tool_id]
    own = next((row for row in said if row["priority"] < USERS_OWN), None)
    return RenderConfig(own["renderer"], own["config"] or {}) if own else None
