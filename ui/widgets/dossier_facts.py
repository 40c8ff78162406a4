"""The lower part of a number's panel: the query, its inputs with control totals, the last re-run, the log."""

import streamlit as st

from engine.views.call_dossier import CallDossier
from engine.views.dossier import Dossier
from engine.views.inputs import InputFile
from engine.workspace.input_rows import InputTotals
from ui.words import count, escape, local_time

__all__ = ["dossier_facts", "station"]


def station(title: str, body: str) -> str:
    """Return one step on the way from the text to the log, as HTML."""
    return f'<div class="ab-station"><h4>{escape(title)}</h4>{body}</div>'


def dossier_facts(dossier: Dossier) -> None:
    """Draw how the number's call got its result, and the places in the log."""
    made = dossier.made
    if made is not None and made.program:
        tool = f"{escape(made.call.tool_id)} {escape(made.call.toolset_version or '')}"
        st.html(station("Made by", tool))
        is_sql = isinstance(made.call.args, dict) and "sql" in made.call.args
        st.code(made.program, language="sql" if is_sql else "python", wrap_lines=True)
    found = [_input(file, made) for file in made.inputs] if made is not None else []
    if made is not None and made.verdict is not None:
        found.append(station("Last check", escape(made.verdict.badge)))
    st.html("".join([*found, _log(dossier)]))


def _input(file: InputFile, made: CallDossier) -> str:
    """Return a file as HTML, with its origin and the totals of the rows that the query used."""
    edits = "none" if not file.edits else count(file.edits, "time")
    facts = f"<code>{escape(file.file.sha256[:8])}</code> {escape(file.origin)}"
    if file.changed:
        facts += ' <span class="ab-stale">has changed since</span>'
    lines = [f"<div>{escape(file.path)} {facts}</div>"]
    rows: list[tuple[str, str]] = []
    for one in file.totals:
        rows += _totals(one, named=len(file.totals) > 1)
    rows.append(("Edits by hand", edits))
    body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    lines.append(f'<table class="ab-totals">{body}</table>')
    lines += [
        f'<div class="ab-warning">{escape(unread.told)}.</div>'
        for one in file.totals
        for unread in one.unread
    ]
    if not file.totals and made.not_counted:
        lines.append(f'<div class="ab-note">Rows are not counted: {escape(made.not_counted)}.</div>')
    return station("Input", "".join(lines))


def _totals(one: InputTotals, *, named: bool) -> list[tuple[str, str]]:
    rows = [
        (f"Rows of {one.table}" if named else "Rows in the table", f"{one.all:,}"),
        ("Filtered out", f"−{one.all - one.used:,}" if one.all > one.used else "0"),
        ("Rows used", f"{one.used:,}"),
    ]
    rows += [(f"of these, {name} is empty in", f"{empty:,}") for name, empty in one.empty.items()]
    rows += [(name, f"{_day(first)} – {_day(last)}") for name, (first, last) in one.dates.items()]
    return rows


def _day(moment: str) -> str:
    """Return a date and time as text; if the time is midnight, return only the date."""
    return moment.removesuffix("T00:00:00").replace("T", " ")


def _log(dossier: Dossier) -> str:
    call = dossier.made.call if dossier.made is not None else None
    at = local_time(call.finished_at, st.context.timezone_offset) if call and call.finished_at else ""
    made = ""
    if call is not None and dossier.made is not None:
        made = f"Call: event {call.position:,}, hash <code>{dossier.made.hash[:8]}</code>{', ' + at if at else ''}. "
    answer = f"Answer: event {dossier.message.position:,}, hash <code>{dossier.hash[:8]}</code>."
    return station("In the log", made + answer)
