"""Traces the numbers of this folder's cases, and counts the mistakes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from engine.numbers.evidence import Evidence, FileFacts, ResultTable, Value
from engine.numbers.review import read_review
from engine.numbers.trace import trace
from engine.numbers.traced_number import TracedNumber
from engine.turn.workings_stream import WorkingsStream

__all__ = [
    "Flag",
    "Passed",
    "false_flags",
    "lies_that_pass",
    "read",
    "sentences_that_fail",
    "tables_of",
    "with_reviews",
    "with_workings",
]

HERE = Path(__file__).parent
AMBER = ("unbacked", "stale")


@dataclass(frozen=True)
class Flag:
    """A number of a true answer that is wrongly marked amber or unclear."""

    case_id: str
    text: str
    status: str


@dataclass(frozen=True)
class Passed:
    """A lie that is not marked amber."""

    case_id: str
    kind: str
    status: str


@cache
def read(name: str) -> Any:
    """Return a file of cases."""
    return yaml.load(
        HERE.joinpath(f"{name}.yaml").read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )


@cache
def _results() -> Mapping[str, Any]:
    return (
        read("results")
        | read("results_held_out")
        | read("results_held_out_2")
        | read("results_held_out_3")
        | read("results_held_out_4")
        | read("results_held_out_5")
    )


def false_flags(suffix: str = "") -> list[Flag]:
    """Return the numbers of true answers that are amber or unclear."""
    return [
        Flag(case["id"], one.mention.text, one.status)
        for case in read(f"true_answers{suffix}")
        for one in trace(case["answer"], _evidence(case))
        if one.status in (*AMBER, "unclear")
    ]


def lies_that_pass(suffix: str = "") -> list[Passed]:
    """Return the planted lies that are not amber: believed, or `unclear`."""
    found = []
    for case in read(f"planted_lies{suffix}"):
        seen = _at(case["lie"]["text"], case["answer"], trace(case["answer"], _evidence(case)))
        statuses = [one.status for one in seen] or ["unseen"]
        if not any(status in AMBER for status in statuses):
            status = "unclear" if "unclear" in statuses else statuses[0]
            found.append(Passed(case["id"], case["lie"]["kind"], status))
    return found


def sentences_that_fail() -> tuple[list[str], list[str]]:
    """Return the true sentences by hand that are amber, and the false ones that are neither amber nor unclear."""
    given = read("sentences")
    tables = {
        key: ResultTable(
            one["name"],
            tuple(one["columns"]),
            tuple(tuple(map(_cell, row)) for row in one["rows"]),
            one["title"],
        )
        for key, one in given["results"].items()
    }

    def traced(key: str, question: str, sentence: str) -> list[TracedNumber]:
        return trace(sentence, Evidence((tables[key],), (question,)))

    doubted = [one[2] for one in given["true_ones"] if any(n.status in AMBER for n in traced(*one))]
    believed = [
        sentence
        for key, question, sentence, lie in given["false_ones"]
        if all(
            n.status not in (*AMBER, "unclear") for n in _at(lie, sentence, traced(key, question, sentence))
        )
    ]
    return doubted, believed


def _at(text: str, answer: str, traced: list[TracedNumber]) -> list[TracedNumber]:
    start = answer.index(text)
    return [one for one in traced if one.mention.start < start + len(text) and start < one.mention.end]


def _evidence(case: Mapping[str, Any]) -> Evidence:
    names = list(case["results"])
    replaced = {names.index(old): names.index(new) for old, new in (case.get("replaced") or {}).items()}
    files = tuple(FileFacts(file["name"], file.get("rows")) for file in case.get("files") or ())
    return Evidence(tuple(map(_table, names)), (case["question"],), files, replaced)


def _table(name: str) -> ResultTable:
    one = _results()[name]
    rows = tuple(tuple(map(_cell, row)) for row in one["rows"])
    columns = tuple(column["name"] for column in one["columns"])
    program = one.get("sql") or one.get("code") or ""
    return ResultTable(
        name, columns, rows, one.get("title", ""), total_rows=one.get("total_rows"), program=program
    )


def _cell(value: Any) -> Value:
    return value.isoformat() if isinstance(value, date | datetime) else value


def tables_of(case: Any) -> tuple[ResultTable, ...]:
    """Return the results of a case with long answers."""
    return tuple(
        ResultTable(
            f"result_{at}",
            tuple(one["columns"]),
            tuple(tuple(map(_cell, row)) for row in one["rows"]),
            one["title"],
        )
        for at, one in enumerate(case["results"])
    )


def realistic(number: int) -> tuple[int, int, int]:
    """Return what a set of long answers gets: true answers with an amber or unclear number, lies that are believed or
    not seen, and lies that are unclear.
    """
    doubted, passed, unclear = 0, 0, 0
    for case in read(f"realistic_{number}"):
        evidence = Evidence(tables_of(case), (case["question"],))
        for answer in case["answers"]:
            doubted += any(one.status in (*AMBER, "unclear") for one in trace(answer, evidence))
        for lie in case["lies"]:
            found = [one.status for one in _at(lie["number"], lie["text"], trace(lie["text"], evidence))]
            if not any(status in AMBER for status in found):
                unclear += "unclear" in found
                passed += "unclear" not in found
    return doubted, passed, unclear


def with_workings(number: int, last: int) -> tuple[int, int, int]:
    """Return what the cases before `last` of a set of answers with workings get: numbers of true answers that are
    amber or unclear, true answers with such a number, and lies that are believed or not seen.
    """
    numbers, answers, passed = 0, 0, 0
    for case in read(f"answers_with_workings_{number}")[:last]:
        for answer in case["answers"]:
            found = _worked(answer, case)[1]
            doubted = [one for one in found if one.status in (*AMBER, "unclear")]
            numbers, answers = numbers + len(doubted), answers + bool(doubted)
        for lie in case["lies"]:
            text, found = _worked(lie["text"], case)
            seen = {one.status for one in _at(lie["number"], text, found)}
            passed += not seen & {*AMBER, "unclear"}
    return numbers, answers, passed


def with_reviews(number: int, last: int) -> tuple[int, int, int]:
    """Return what the cases before `last` of a set of answers with workings get after a model's review, as
    `with_workings` does. The replies of the model were recorded.
    """
    cases = read(f"answers_with_workings_{number}")
    numbers, answers, passed = 0, 0, 0
    for one in read(f"reviews_{number}"):
        case = cases[one["case"]] if one["case"] < last else None
        if case is not None and "answer" in one:
            text, found = _worked(case["answers"][one["answer"]], case, one["verdicts"])
            doubted = [n for n in found if n.status in (*AMBER, "unclear")]
            numbers, answers = numbers + len(doubted), answers + bool(doubted)
        elif case is not None:
            lie = case["lies"][one["lie"]]
            text, found = _worked(lie["text"], case, one["verdicts"])
            seen = {n.status for n in _at(lie["number"], text, found)}
            passed += not seen & {*AMBER, "unclear"}
    return numbers, answers, passed


def _worked(text: str, case: Any, verdicts: Sequence[str] = ()) -> tuple[str, list[TracedNumber]]:
    """Return an answer without its workings, and its numbers. `verdicts` are the review's, each after its
    number.
    """
    stream = WorkingsStream()
    pieces = [*stream.add(text), *stream.end()]
    shown = "".join(piece for kind, piece in pieces if kind == "text")
    workings = "".join(piece for kind, piece in pieces if kind != "text")
    evidence = Evidence(tables_of(case), (case["question"],), workings=workings)
    traced = trace(shown, evidence)
    if not verdicts:
        return shown, traced
    waiting, lines = list(verdicts), []
    for at, one in enumerate(traced, 1):  # a rank that was reviewed need not be one any more
        named = [text.partition(" | ")[0] for text in waiting[:3]]
        if one.mention.text in named:
            found = named.index(one.mention.text)
            lines.append(f"{at} {waiting[found].partition(' | ')[2]}")
            del waiting[: found + 1]
    assert len(waiting) < 3, f"the review has numbers that are not in the answer: {waiting}"
    return shown, trace(shown, replace(evidence, review=read_review("\n".join(lines), traced)))
