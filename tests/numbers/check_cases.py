"""Checks the cases for the numbers of answers: `python tests/numbers/check_cases.py [SUFFIX]`.

`results*.yaml` holds results by name, `true_answers*.yaml` answers whose numbers are all right, and
`planted_lies*.yaml` answers with one wrong number each. In an id, KIND-FRAME-FILL, FRAME numbers the sentence frame.
The `text` of a number includes its sign, currency, scale and percent sign, but not its unit. A matcher may leave out a
number that is `plain` (for instance the "1." of a list). Optional keys of a number:

- `also`: other statuses that a careful reader would accept
- `value`: the cell that the text means (for words, bounds such as "more than 1.5 million", and other languages)
- `how`: the arithmetic over literal cells

The `truth` of a lie is the value that its sentence should give, with percentages as fractions.
"""

import ast
import operator
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
STATUSES = {"exact", "derived", "said", "plain"}
KINDS = (
    "digits",
    "row",
    "column",
    "unit",
    "stale",
    "percentage",
    "sum",
    "difference",
    "count",
    "rounding",
    "sign",
)
TOOLS = {"query", "python", "describe", "chart"}
SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "b": 1e9, "billion": 1e9}
SCALES |= {"tn": 1e12, "t": 1e12, "trillion": 1e12, "lakh": 1e5, "crore": 1e7, "ppm": 1e-6}
WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
LOOSE = {
    "half": 0.5,
    "third": 1 / 3,
    "quarter": 0.25,
    "fifth": 0.2,
    "sixth": 1 / 6,
    "eighth": 0.125,
    "tenth": 0.1,
}
LOOSE |= {
    "twice": 2,
    "double": 2,
    "doubled": 2,
    "doubling": 2,
    "thrice": 3,
    "triple": 3,
    "tripled": 3,
    "dozen": 12,
}
LOOSE |= {"twenty": 20, "forty": 40, "fifty": 50, "halved": 0.5, "quadrupled": 4, "quadruple": 4, "fold": 1}
SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def evaluate(expression: str) -> float:
    """Return the value of an arithmetic expression over numbers."""

    def walk(node: ast.AST) -> float:
        if isinstance(node, ast.Constant):
            return float(node.value)  # type: ignore[arg-type]
        if isinstance(node, ast.UnaryOp):
            return -walk(node.operand)
        assert isinstance(node, ast.BinOp), expression
        act: Callable[[float, float], float] = SIGNS[type(node.op)]
        return act(walk(node.left), walk(node.right))

    return walk(ast.parse(str(expression), mode="eval").body)


def words(text: str) -> float | None:
    """Return the value of a number in English words, for instance "two thirds"."""
    share = re.fullmatch(r"(\w+) (?:in|out of) (\w+)", text.lower())
    if share:
        return (words(share[1]) or 0) / (words(share[2]) or 1)
    value: float | None = None
    for part in re.findall(r"[a-z]+", text.lower().replace("-", " ")):
        known: float | None = (
            WORDS.index(part) if part in WORDS else LOOSE.get(part, LOOSE.get(part.rstrip("s")))
        )
        if part == "none":
            return 0.0
        if known is not None:
            value = known if value is None else value * known
    return value


def readings(text: str) -> Iterator[tuple[float, float]]:
    """Give the values that a text may mean, each with the possible rounding error."""
    low = (
        text.replace("−", "-").replace("\N{EN DASH}", "-").replace("\xa0", " ").replace("\u202f", " ").lower()
    )
    span = re.fullmatch(r"(\d+) h (\d+) min", low)
    if span:
        yield 60.0 * int(span[1]) + int(span[2]), 0.5
        yield int(span[1]) + int(span[2]) / 60, 0.01
    body = re.search(r"\.?\d[\d.,'\u2019 ]*\d|\d", low)
    if body is None:
        known = words(low)
        if known is not None:
            yield known, (0.0 if low.strip() in WORDS else 0.12 * known)
        return
    digits, tail = body.group(), low[body.end() :].strip()
    sign = -1.0 if re.match(r"^[^\d]*-|^\(.*\)$", low) else 1.0
    power = re.match(r"(?:e|\s*[×x]\s*10\^?)([-+]?\d+)", tail)
    scale = 10.0 ** int(power.group(1)) if power else 1.0
    first = re.match(r"[a-z.]+", tail)
    if first and not power:
        scale = SCALES.get(first.group(), 1.0)
    forms = [re.sub(r"[,'\u2019 ]", "", digits)]
    if "," in digits or re.search(r"\.\d{3}\b", digits):
        forms.append(re.sub(r"[.'\u2019 ]", "", digits).replace(",", "."))
    for plain in (form for form in forms if form.count(".") < 2):
        zeros = len(plain) - len(plain.rstrip("0")) if "." not in plain else 0
        step = 10.0**zeros if "." not in plain else 10.0 ** -len(plain.split(".")[1])
        factors = (1.0, 0.01) if "%" in tail or tail.startswith("per") else (1.0,)
        for factor in factors:
            yield sign * float(plain) * scale * factor, step * scale * factor * 0.5000001


def fits(text: str, value: float) -> bool:
    """Tell whether a text can mean a value; a text without a sign can mean a decrease."""
    for read, off in readings(text):
        if abs(read - value) <= off + 1e-12 * abs(value) or (read > 0 and abs(read + value) <= off):
            return True
    return False


def near(text: str, value: float) -> bool:
    """Tell whether a text can bound a value, as in "more than 1.5 million"."""
    return any(abs(abs(read) - abs(value)) <= 0.12 * abs(value) + off for read, off in readings(text))


def cells(result: dict[str, Any]) -> Iterator[float]:
    """Give the numbers in a result."""
    for row in result["rows"]:
        for cell in row:
            if isinstance(cell, int | float) and not isinstance(cell, bool):
                yield float(cell)


def check_results(results: dict[str, Any]) -> Iterator[str]:
    """Give what is wrong with the form of results."""
    for name, result in results.items():
        width = len(result["columns"])
        if result["tool"] not in TOOLS or any(len(row) != width for row in result["rows"]):
            yield f"{name}: unknown tool, or rows of another width than the columns"
        if result["total_rows"] < len(result["rows"]):
            yield f"{name}: total_rows is less than the rows listed"


def check_numbers(case: dict[str, Any], results: dict[str, Any], lie: str) -> Iterator[str]:
    """Give what is wrong with the listed numbers of one case."""
    place, known = 0, [cell for name in case["results"] for cell in cells(results[name])]
    for number in case["numbers"]:
        text, status = number["text"], number["status"]
        found = case["answer"].find(text, place)
        if found < 0:
            yield f"{case['id']}: {text!r} is not in the answer, or not in this order"
            continue
        rest, place = case["answer"][place:found], found + len(text)
        if re.search(r"\d", rest):
            yield f"{case['id']}: a number before {text!r} is not listed: {rest!r}"
        if status not in STATUSES | ({"unbacked"} if text == lie else set()):
            yield f"{case['id']}: status {status!r} of {text!r}"
        if status == "exact" and "value" in number:
            if number["value"] not in known or not near(text, number["value"]):
                yield f"{case['id']}: {text!r} is not the cell {number['value']}"
        elif status == "exact" and not any(fits(text, cell) for cell in known):
            yield f"{case['id']}: no cell rounds to {text!r}"
        if status == "derived":
            value = evaluate(number["how"])
            if not (near if "value" in number else fits)(text, value):
                yield f"{case['id']}: {text!r} is not {number['how']} = {value}"
    if re.search(r"\d", case["answer"][place:]):
        yield f"{case['id']}: a number at the end is not listed"


def check_lie(case: dict[str, Any]) -> Iterator[str]:
    """Give what is wrong with the lie of one case."""
    text, kind = case["lie"]["text"], case["lie"]["kind"]
    if case["answer"].count(text) != 1 or kind not in KINDS:
        yield f"{case['id']}: {text!r} occurs {case['answer'].count(text)} times; kind {kind}"
    if [n["text"] for n in case["numbers"] if n["status"] == "unbacked"] != [text]:
        yield f"{case['id']}: the lie is not the one unbacked number"
    truth = evaluate(case["lie"]["truth"])
    signed, percent = kind == "sign", "%" in text or "per" in text
    meant = list(readings(text))[1::2] if percent else readings(text)
    if any(abs(read - truth) <= off or (not signed and abs(read + truth) <= off) for read, off in meant):
        yield f"{case['id']}: {text!r} is true: {case['lie']['truth']} = {truth}"
    if kind == "stale" and list(case["replaced"].items()) != [tuple(case["results"][-2:])]:
        yield f"{case['id']}: replaced must name the last two results, the older first"


def load(name: str, suffix: str) -> Any:
    """Read one of the files."""
    return yaml.safe_load((HERE / f"{name}{suffix}.yaml").read_text(encoding="utf-8")) or []


def check(suffix: str) -> list[str]:
    """Return all that is wrong in one set of cases, and print its counts."""
    results = load("results", "") | (load("results", suffix) if suffix else {})
    problems = list(check_results(results))
    everything = {name: load(name, suffix) for name in ("true_answers", "planted_lies")}
    for name, cases in everything.items():
        frames = Counter(re.sub(r"-\d+$", "", case["id"]) for case in cases)
        problems += [f"{frame} is used {n} times" for frame, n in frames.items() if n > 4]
        problems += [
            f"{i} occurs {n} times" for i, n in Counter(case["id"] for case in cases).items() if n > 1
        ]
        for case in cases:
            problems += check_numbers(case, results, case.get("lie", {}).get("text", ""))
            problems += check_lie(case) if "lie" in case else []
        statuses = Counter(number["status"] for case in cases for number in case["numbers"])
        print(f"{name}{suffix}: {len(cases)} cases, {len(frames)} frames, {dict(statuses)}")
    kinds = Counter(case["lie"]["kind"] for case in everything["planted_lies"])
    print(f"{len(results)} results; lies by kind: {dict(kinds)}")
    return problems


if __name__ == "__main__":
    wrong = check(sys.argv[1] if len(sys.argv) > 1 else "")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)
