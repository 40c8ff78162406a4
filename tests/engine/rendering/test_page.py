"""Data inside an html artifact: in the right place, and unable to leave its script."""

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rendering.page import page_with_data
from events.json_value import JSON

SCRIPT = "<script>window.__TOOL_DATA__=7</script>"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<html><head><title>x</title></head><body>", f"<html><head><title>x</title>{SCRIPT}</head><body>"),
        ("<HTML>\n<HEAD>\n</HEAD>", f"<HTML>\n<HEAD>\n{SCRIPT}</HEAD>"),
        ('<body class="a">text', f'<body class="a">{SCRIPT}text'),
        ("<!doctype html>\n<p>hi", f"<!doctype html>{SCRIPT}\n<p>hi"),
        ("<p>hi", f"{SCRIPT}<p>hi"),
        ("", SCRIPT),
        ("<head><!-- </head> --></head>", f"<head><!-- </head> -->{SCRIPT}</head>"),
        ("<head><script>'</head>'</script></head>", f"<head><script>'</head>'</script>{SCRIPT}</head>"),
        ("<body><pre></head></pre>", f"<body>{SCRIPT}<pre></head></pre>"),
        ("<!--> <p title='</head>'></head>", f"<!--> <p title='</head>'>{SCRIPT}</head>"),
        (
            '<html lang=a"b data-x = "<body>"><body class=">">',
            f'<html lang=a"b data-x = "<body>"><body class=">">{SCRIPT}',
        ),
        ("<STYLE>a</head></STYLE ></head >", f"<STYLE>a</head></STYLE >{SCRIPT}</head >"),
        ("<header></header><bodyx>", f"{SCRIPT}<header></header><bodyx>"),
        ("<!doctype html><!-- </head>", f"<!doctype html>{SCRIPT}<!-- </head>"),
        ("<!doctype html><script></head>", f"<!doctype html>{SCRIPT}<script></head>"),
        ('<!doctype html><p title="</head>', f'<!doctype html>{SCRIPT}<p title="</head>'),
    ],
)
def test_the_script_is_put_at_the_end_of_the_head_or_at_the_start_of_the_body(
    page: str, expected: str
) -> None:
    assert page_with_data(page, 7) == expected


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
    | st.sampled_from(["</script>", "<!--", "<script", "]]>", "&lt;", "\u2028"]),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(), below, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(json_values)
def test_data_cannot_close_its_script_tag_and_arrives_complete(data: JSON) -> None:
    made = page_with_data("<head></head>", data)
    found = re.fullmatch(r"<head><script>window\.__TOOL_DATA__=([^<>&\u2028\u2029]*)</script></head>", made)
    assert found
    assert json.loads(found[1]) == data


@given(st.text(st.sampled_from("<>!-/ headbodyscript\"'=\n") | st.characters(), max_size=60))
def test_inserting_data_keeps_every_character_of_the_page(page: str) -> None:
    assert page_with_data(page, 7).replace(SCRIPT, "", 1) == page


def test_a_nan_or_infinite_number_becomes_null() -> None:
    assert "=[null,null]<" in page_with_data("", [float("nan"), float("inf")])


@pytest.mark.parametrize(
    "part",
    [*["<a ", "<", "<a", "</", "<!--", "<!-- --!", "<!", "<a '", "<a =", '<a ="', "<a b='\"'", "<a>", "<a b="],
     *["<script>", "<script></script", "<title></title ", "=", "<a =\n", "<p></p>"]],
)  # fmt: skip
def test_inserting_data_takes_linear_time(part: str) -> None:
    """A slow page would delay everybody: twice the page may take about twice the time."""
    page = part * (1_000_000 // len(part))
    began = time.thread_time()
    assert page_with_data(page, 7).replace(SCRIPT, "", 1) == page
    assert time.thread_time() - began < 1
