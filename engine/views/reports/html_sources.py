"""The end of a report's page: the source of each number, the files by hash, and the calls with their SQL or code.
Pure."""

from collections.abc import Iterator
from html import escape

from engine.views.reports.html_parts import details, number_id, preformatted
from engine.views.reports.report import CallFact, Report, SourceFact

__all__ = ["sources_html"]


def sources_html(report: Report) -> str:
    """Return the section as HTML."""
    return "<h2>Where the numbers come from</h2>" + "".join(
        [*_files(report), *_calls(report), *_numbers(report), *_log(report)]
    )


def _files(report: Report) -> Iterator[str]:
    if not report.sources:
        return
    rows = "".join(_file(file) for file in report.sources)
    counted = "".join(f'<th class="n">{name}</th>' for name in ("Rows", "Columns", "Bytes"))
    head = f"<tr><th>File</th>{counted}<th>SHA-256</th></tr>"
    yield f'<div class="wide"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>'


def _file(file: SourceFact) -> str:
    counts = "".join(
        f'<td class="n">{"" if one is None else f"{one:,}"}</td>'
        for one in (file.rows, file.columns, file.size)
    )
    return f"<tr><td>{escape(file.path)}</td>{counts}<td><code>{file.sha256}</code></td></tr>"


def _calls(report: Report) -> Iterator[str]:
    for number, call in enumerate(report.calls, 1):
        facts = [escape(call.version), f"event {call.position:,}"]
        if call.inputs:
            facts.append(f"reads {escape(', '.join(call.inputs))}")
        if call.finished_at is not None:
            facts.append(f"{call.finished_at:%Y-%m-%d %H:%M} UTC")
        if call.verdict:
            facts.append(escape(call.verdict))
        yield details(f"{number}. <b>{escape(call.tool)}</b> · {' · '.join(facts)}", _program(call))


def _program(call: CallFact) -> str:
    return preformatted(call.program or call.arguments)


def _numbers(report: Report) -> Iterator[str]:
    if not report.numbers:
        return
    calls = {call.call_id: at for at, call in enumerate(report.calls, 1)}
    lines = "".join(
        f'<tr id="{number_id(number)}"><td>{escape(one.text)}</td><td>{one.words}</td>'
        f"<td>{escape(one.source)}</td><td>{_call_number(calls.get(one.call_id or ''))}</td></tr>"
        for number, one in enumerate(report.numbers, 1)
    )
    head = "<tr><th>Number</th><th>Status</th><th>Source</th><th>Call</th></tr>"
    yield f'<h3>Numbers</h3><div class="wide"><table><thead>{head}</thead><tbody>{lines}</tbody></table></div>'


def _call_number(number: int | None) -> str:
    return "" if number is None else str(number)


def _log(report: Report) -> Iterator[str]:
    yield (
        f'<p class="left">Made at event {report.position:,} of the log, whose chain hash is '
        f"<code>{escape(report.chain_hash)}</code>. The check at the top detects changes to single parts. If the "
        "list of parts was changed too, you can detect that only by comparing its hash, below, with the sender's.</p>"
    )
