"""The page's stylesheet stays fast in the browser."""

import re

from tests.architecture.modules import ROOT

_SHEET = re.sub(r"/\*.*?\*/", "", (ROOT / "ui/style.css").read_text("utf-8"), flags=re.DOTALL)


def after_has(selectors: str) -> list[str]:
    """Return what follows each `:has(…)` in a list of selectors, to the end of its selector."""
    found = []
    for start in re.finditer(r":has\(", selectors):
        depth, closed, end = 1, 0, start.end()
        while end < len(selectors) and not (depth <= 0 and selectors[end] == ","):
            depth += {"(": 1, ")": -1}.get(selectors[end], 0)
            end += 1
            if depth == 0 and not closed:
                closed = end
            depth = max(depth, 0)
        found.append(selectors[closed:end].strip().lstrip(")"))
    return found


def test_no_css_rule_has_a_descendant_after_the_has_selector() -> None:
    """A rule `a:has(b) c` makes Chromium style the whole page again for each added element and each typed key. Instead,
    `a:has(b)` sets a variable, which a rule for `c` reads.
    """
    assert after_has("a:has(b) c, d:is(:hover, :has(e)):focus > f, g:has(> h:not(i)):hover") == [
        "c",
        ":focus > f",
        ":hover",
    ]
    rules = re.findall(r"([^{};]*:has\([^{}]*)\{", _SHEET)
    assert len(rules) > 20
    inside = [
        rule.strip() for rule in rules for rest in after_has(rule) if re.search(r"[\s>+~]|^[\w.#\[*]", rest)
    ]
    assert inside == []
