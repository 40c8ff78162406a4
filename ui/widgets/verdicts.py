"""Results of re-runs on the page: a bar, a row for each call, and the reason if a result differs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.errors import AnabranchError
from engine.views.chat import CallView, ChatView
from engine.views.replays import VerdictView, verdict_words
from ui.current_app import app
from ui.widgets.failure import failure
from ui.widgets.rerun import change_call
from ui.words import escape, label, seconds

__all__ = ["BAR_ORDER", "Shown", "shown_verdict", "verdict_bar", "verdict_row"]

BAR_ORDER = ("identical", "equal", "differs", "not_deterministic", "failed", "skipped")
_BADGES = {
    "identical": ":green-badge[:material/check: Identical]",
    "equal": ":green-badge[:material/check: Equal to 12 digits]",
    "differs": ":orange-badge[Differs]",
    "not_deterministic": ":gray-badge[Not deterministic]",
    "failed": ":red-badge[Could not run]",
    "skipped": ":gray-badge[Skipped]",
    "running": ":orange-badge[Running…]",
    "": ":gray-badge[Not run again]",
}
_TITLE = 70
_SHOWN = 20
"""How many differences of one call are listed."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A call with the results of its re-run."""

    call: CallView
    word: str
    """A verdict, `running`, or empty if the call did not run again."""
    reason: str = ""
    seconds: float | None = None
    fresh: bool = False
    """Whether the verdict is from the current run."""
    reaches_out: bool = False
    """Whether the call was skipped only because it reaches the network or an MCP server."""

    @property
    def name(self) -> str:
        """The name of the call's tool."""
        return self.call.tool_id.rpartition(":")[2]

    @property
    def title(self) -> str:
        """The call's action, in a few words."""
        plan = self.call.plan
        given = self.call.args if isinstance(self.call.args, dict) else {}
        text = (plan.title if plan is not None else None) or _first(given)
        line = " ".join(str(text).split())
        return line if len(line) <= _TITLE else f"{line[:_TITLE]}…"


def _first(given: Mapping[str, Any]) -> str:
    for name in ("title", "sql", "code", "path", "table", "query", "name"):
        if isinstance(given.get(name), str):
            return str(given[name])
    return next((value for value in given.values() if isinstance(value, str)), "")


def shown_verdict(call: CallView, known: VerdictView | None, progress: Any) -> Shown:
    """Return a call with the verdict of the current run, or else with its last one."""
    if progress is not None and call.call_id in progress.done:
        new = progress.done[call.call_id]
        return Shown(call, new.verdict, new.reason, new.seconds, fresh=True, reaches_out=new.reaches_out)
    if progress is not None and progress.running == call.call_id:
        return Shown(call, "running")
    if known is None:
        return Shown(call, "")
    return Shown(call, known.verdict, known.reason, known.seconds, reaches_out=known.reaches_out)


def verdict_bar(counts: Mapping[str, int], total: int) -> None:
    """Draw how many calls have each verdict."""
    parts = "".join(
        f'<i class="{word}" style="flex:{counts[word]}"></i>' for word in BAR_ORDER if counts.get(word)
    )
    left = total - sum(counts.get(word, 0) for word in BAR_ORDER)
    rest = f'<i style="flex:{left}"></i>' if left else ""
    legend = "".join(
        f'<span><i class="{word}"></i>{counts[word]} {escape(verdict_words(word))}</span>'
        for word in BAR_ORDER
        if counts.get(word)
    )
    to_go = f"<span>{left} not run again</span>" if left else ""
    st.html(
        f'<div class="ab-verdict-bar" role="img" aria-label="{counts.get("identical", 0)} of {total} identical">'
        f'{parts}{rest}</div><div class="ab-verdict-legend">{legend}{to_go}</div>'
    )


def verdict_row(view: ChatView, shown: Shown) -> None:
    """Draw one call; when opened, it shows where and why the result differs."""
    ran = shown.word not in ("skipped", "", "running")
    took = f"{seconds(shown.call.seconds)} → {seconds(shown.seconds) if ran else '–'}"
    words = f"**`{shown.name}`** {label(shown.title)} :small[:gray[{took}]] {_BADGES[shown.word]}"
    opens = shown.word in ("differs", "failed")
    row = st.expander(
        words, key=f"verdict-{shown.call.call_id}", type="compact", on_change="rerun", expanded=opens
    )
    if row.open:
        with row:
            _details(view, shown)


def _details(view: ChatView, shown: Shown) -> None:
    call = shown.call
    facts = [("Why", f"<b>{escape(shown.reason)}</b>")] if shown.reason else []
    facts += [("Tool", escape(f"{call.tool_id} {call.toolset_version or ''}"))]
    try:
        found = app().verdict(view.chat_id, call.call_id) if call.call_id in view.verdicts else {}
    except AnabranchError as error:
        failure("The difference can no longer be read.", error.message)
        return
    environment = found.get("environment")
    if shown.word not in ("", "skipped", "running"):
        changed = (
            "<br>".join(escape(str(fact)) for fact in environment) if isinstance(environment, list) else ""
        )
        facts.append(("Environment", changed or "the same"))
    rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    st.html(f'<dl class="ab-verify-facts">{rows}</dl>')
    _differences(found.get("result_diff"), found.get("more"))
    _files(found.get("file_diff"))
    text = call.args.get("sql") or call.args.get("code") if isinstance(call.args, dict) else None
    if isinstance(text, str):
        language = "sql" if isinstance(call.args, dict) and "sql" in call.args else "python"
        st.code(text, language=language, wrap_lines=True)
    change_call(view, call)


def _differences(found: Any, more: Any) -> None:
    """Draw the places where the result differs: the old value struck out, the new one bold."""
    if not isinstance(found, list) or not found:
        return
    rows = "".join(
        f"<tr><td><code>{escape(str(one['place'] or 'result'))}</code></td><td><s>{_cell(one['before'])}</s></td>"
        f"<td><b>{_cell(one['now'])}</b></td></tr>"
        for one in found[:_SHOWN]
    )
    rest = len(found) - _SHOWN + (int(more) if isinstance(more, int) else 0)
    told = f'<div class="ab-note">and {rest:,} more place{"s" * (rest > 1)}</div>' if rest > 0 else ""
    st.html(
        '<div class="ab-verify-table"><table><thead><tr><th>Place</th><th>Recorded</th><th>Now</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{told}"
    )


def _cell(value: Any) -> str:
    text = "–" if value is None else str(value)
    return escape(text if len(text) <= 120 else f"{text[:120]}…")


def _files(found: Any) -> None:
    if not isinstance(found, list):
        return
    for one in found[:_SHOWN]:
        table = one.get("table")
        st.html(
            f'<div class="ab-note"><code>{escape(str(one["path"]))}</code> {escape(str(one["what"]))}</div>'
        )
        if isinstance(table, dict):
            _table(table)


def _table(table: Mapping[str, Any]) -> None:
    """Draw the cells of a table or a workbook that differ: the old value struck out, the new one bold."""
    st.html(f'<div class="ab-note">{escape(str(table.get("told", "")))}</div>')
    cells = [(f"{one['sheet']} {one['cell']}", one["before"], one["now"]) for one in table.get("cells") or ()]
    keys: Sequence[str] = table.get("key") or ()
    for row in table.get("changed_rows") or ():
        before, after = row["before"] or {}, row["after"] or {}
        named = ", ".join(f"{key} {before.get(key)}" for key in keys)
        moved = [name for name in before if name in after and before[name] != after[name]]
        cells += [(f"{named} {name}".strip(), before[name], after[name]) for name in moved]
    if cells:
        rows = "".join(
            f"<tr><td>{escape(place)}</td><td><s>{_cell(was)}</s></td><td><b>{_cell(now)}</b></td></tr>"
            for place, was, now in cells[:_SHOWN]
        )
        st.html(f'<div class="ab-verify-table"><table><tbody>{rows}</tbody></table></div>')
