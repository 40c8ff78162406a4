"""No form of a secret survives in stored data, and data without a secret comes back unchanged."""

import base64
import html
import json
import random
import string
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.secrets.scrubber import Scrubber
from tests.support.long_cases import mostly_long

KEY = 'sk-made/up+0123=45"67\\89é'
PEM = (
    "-----BEGIN PRIVATE KEY-----\n"
    + "\n".join("QUJD" * 16 for _ in range(3))
    + "x9y8z7w6v5u4t3s2\n-----END PRIVATE KEY-----"
)

FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": json.dumps,
    "json in unicode": lambda value: json.dumps(value, ensure_ascii=False),
    "json in json": lambda value: json.dumps(json.dumps(value)),
    "json with slashes": lambda value: json.dumps(value).replace("/", "\\/"),
    "repr": repr,
    "url": lambda value: quote(value, safe=""),
    "url path": quote,
    "url form": quote_plus,
    "url in small letters": lambda value: "".join(
        part if not part.startswith("%") else part.lower() for part in _quoted(value)
    ),
    "html": html.escape,
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 after one": lambda value: base64.b64encode(b"u" + value.encode() + b"!").decode(),
    "base64 after two": lambda value: base64.b64encode(b"a:" + value.encode() + b"zz").decode(),
    "base64 for addresses": lambda value: base64.urlsafe_b64encode(value.encode()).decode().rstrip("="),
    "base64 in lines": lambda value: "\n".join(
        textwrap.wrap(base64.b64encode(b"x" * 50 + value.encode() + b"y" * 50).decode(), 76)
    ),
    "base64 quoted": lambda value: quote(base64.b64encode(value.encode()).decode(), safe=""),
    "hex": lambda value: value.encode().hex(),
    "HEX": lambda value: value.encode().hex().upper(),
    "reversed": lambda value: value[::-1],
    "base32": lambda value: base64.b32encode(value.encode()).decode(),
    "base32 in small letters": lambda value: base64.b32encode(value.encode()).decode().lower().rstrip("="),
    "base32 after one": lambda value: base64.b32encode(b"u" + value.encode() + b"!").decode(),
    "base32 after two": lambda value: base64.b32encode(b"a:" + value.encode() + b"zz").decode(),
    "base32 after three": lambda value: base64.b32encode(b"a::" + value.encode() + b"zzz").decode(),
    "base32 after four": lambda value: base64.b32encode(b"a:::" + value.encode()).decode(),
    "base64 of utf-16": lambda value: base64.b64encode(value.encode("utf-16-le")).decode(),
    "hex of utf-16": lambda value: value.encode("utf-16-le").hex(),
}
CODED = {name for name in FORMS if name.startswith("base") or name.lower().startswith("hex")}

printable = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=8, max_size=60)
secrets = st.one_of(
    st.text(string.ascii_letters + string.digits + "-_", min_size=8, max_size=200),
    st.text(string.printable, min_size=8, max_size=60),
    printable,
).map(str.strip)
around = st.text(st.characters(codec="utf-8"), max_size=30)


def _quoted(value: str) -> list[str]:
    text = quote(value, safe="")
    return [
        text[i : i + 3] if text[i] == "%" else text[i]
        for i in range(len(text))
        if "%" not in text[max(0, i - 2) : i]
    ]


def scrubber(**values: str) -> Scrubber:
    return Scrubber(lambda: values)


def usable(secret: str) -> bool:
    return len(secret) >= 8 and secret not in "[secret:NAME]" and "\r" not in secret and "\x00" not in secret


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "secret", [KEY, "plainkey0123456789abcdef", "p@ss w&rd<1>'s", "ключ-от-дома", "😀😀😀😀-key"]
)
def test_every_form_of_a_secret_is_found(form: str, secret: str) -> None:
    made = FORMS[form](secret)
    text = scrubber(NAME=secret).text(f"before {made} after")
    assert "[secret:NAME]" in text
    assert made not in text
    assert text.startswith("before ")
    assert text.endswith(" after")


@pytest.mark.parametrize("width", [64, 76])
@pytest.mark.parametrize("before", range(0, 80, 3))
def test_base64_of_a_long_secret_is_found_wherever_its_lines_break(before: int, width: int) -> None:
    secret = "sk-" + "q7Zt" * 40
    coded = base64.b64encode(b"x" * before + secret.encode() + b"y" * 50).decode()
    text = scrubber(NAME=secret).text("\n".join(textwrap.wrap(coded, width)))
    assert "[secret:NAME]" in text


@given(secret=secrets, left=around, right=around, form=st.sampled_from(sorted(FORMS)))
def test_no_form_of_any_secret_survives_in_any_text(secret: str, left: str, right: str, form: str) -> None:
    assume(usable(secret))
    made = FORMS[form](secret)
    scrub = scrubber(NAME=secret)
    text = scrub.text(f"{left} {made} {right}")
    assert secret not in text
    assert "[secret:NAME]" in text
    assert scrub.text(text) == text
    if form in CODED:
        inner = made.strip("=").replace("\n", "")[4:-4]
        assert len(inner) < 3 or inner not in text.replace("\n", "")
    assert scrub.bytes_hold(f"{left} {made} {right}".encode()) == ("NAME",)


@given(secret=secrets, text=st.text(max_size=200))
def test_a_text_without_a_secret_is_returned_as_the_same_object(secret: str, text: str) -> None:
    assume(usable(secret))
    scrub = scrubber(NAME=secret)
    squeezed = "".join(ch for ch in text if ch.isalnum())
    assume("".join(ch for ch in secret if ch.isalnum()) not in squeezed)
    assert scrub.text(text) is text
    assert scrub.bytes_hold(text.encode("utf-8", "surrogatepass")) == ()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)


@given(secret=secrets, value=json_values, where=st.sampled_from(["key", "value", "list", "nested json"]))
def test_no_secret_survives_in_any_json(secret: str, value: object, where: str) -> None:
    assume(usable(secret))
    holding = {
        "key": {f"a {secret}": value, "b": 1},
        "value": [value, {"x": f"{secret} z"}],
        "list": [[secret], value],
        "nested json": {"body": json.dumps({"authorization": f"Bearer {secret}"}), "rest": value},
    }[where]
    scrubbed = scrubber(NAME=secret).json(holding)
    for written in (json.dumps(scrubbed, ensure_ascii=False), json.dumps(scrubbed)):
        assert secret not in written
        assert "[secret:NAME]" in written
    assert secret in str(list(holding)) or holding != scrubbed


@given(value=json_values)
def test_json_without_a_secret_is_returned_as_the_same_object(value: object) -> None:
    assert scrubber(NAME="a-made-up-secret-0123").json(value) is value


def test_scrubbed_json_keeps_its_structure_its_order_and_keys_that_become_equal() -> None:
    scrub = scrubber(A="first-secret", B="second-secret")
    value = {
        "z": 1,
        "first-secret": [True, None, 2.5, "x first-secret"],
        "[secret:A]": {"second-secret": {}},
        "a": (),
    }
    scrubbed = scrub.json(value)
    assert scrubbed == {
        "z": 1,
        "[secret:A] (2)": [True, None, 2.5, "x [secret:A]"],
        "[secret:A]": {"[secret:B]": {}},
        "a": [],
    }
    assert list(scrubbed) == ["z", "[secret:A] (2)", "[secret:A]", "a"]
    assert value["first-secret"][3] == "x first-secret"  # type: ignore[index]


def test_json_of_any_depth_is_scrubbed() -> None:
    deep: object = "my-secret-1"
    for _ in range(50_000):
        deep = [deep]
    node = scrubber(NAME="my-secret-1").json(deep)
    while isinstance(node, list):
        node = node[0]
    assert node == "[secret:NAME]"


def test_a_number_whose_digits_are_a_secret_becomes_text() -> None:
    scrub = scrubber(PIN="1234567890")
    assert scrub.json({"pin": 1234567890, "n": 5}) == {"pin": "[secret:PIN]", "n": 5}


def test_the_longer_secret_is_found_first_and_each_is_replaced_by_its_short_name() -> None:
    values = {
        "model/openai": "sk-abcdefgh",
        "toolset/x/LONG_KEY": "sk-abcdefgh-ijklmnop",
        "TOKEN": "sk-abcdefgh",
    }
    text = Scrubber(lambda: values).text("sk-abcdefgh sk-abcdefgh-ijklmnop")
    assert text == "[secret:openai] [secret:LONG_KEY]"


def test_single_lines_of_a_multi_line_secret_are_found_with_any_line_ends() -> None:
    scrub = scrubber(KEY=PEM)
    assert scrub.text(PEM) == "[secret:KEY]"
    assert scrub.text(PEM.replace("\n", "\r\n")) == "[secret:KEY]"
    assert scrub.text(json.dumps({"key": PEM})) == '{"key": "[secret:KEY]"}'
    indented = textwrap.indent(PEM, "   | ")
    assert "QUJDQUJD" not in scrub.text(indented)
    assert "-----BEGIN PRIVATE KEY-----" in scrub.text(indented)


def test_secrets_shorter_than_eight_characters_or_inside_a_marker_are_left_alone() -> None:
    scrub = Scrubber(lambda: {"A": "seven77", "SECRET_A": "SECRET_A"})
    assert scrub.text("seven77 SECRET_A") == "seven77 SECRET_A"


def test_a_changed_secret_is_used_from_the_next_call() -> None:
    values = {"A": "first-secret"}
    scrub = Scrubber(lambda: values)
    assert scrub.text("first-secret second-secret") == "[secret:A] second-secret"
    values["B"] = "second-secret"
    assert scrub.text("first-secret second-secret") == "[secret:A] [secret:B]"
    values.clear()
    assert scrub.text("first-secret second-secret") == "first-secret second-secret"


def test_no_secret_is_in_the_repr_of_a_scrubber() -> None:
    scrub = scrubber(A="first-secret")
    scrub.text("x")
    assert "first-secret" not in repr(scrub)


@pytest.mark.parametrize(
    "where", mostly_long([0, 5, (1 << 20) - 7, (1 << 20) + 3, 3 * (1 << 20) - 1], quick=(2, 4))
)
@pytest.mark.parametrize("form", ["plain", "json in json", "base64 in lines", "wide"])
def test_a_file_is_searched_across_the_boundaries_of_its_pieces(
    tmp_path: Path, where: int, form: str
) -> None:
    made = KEY.encode("utf-16-be") if form == "wide" else FORMS[form](KEY).encode()
    noise = random.Random(1).randbytes(4 << 20)
    path = tmp_path / "data.bin"
    path.write_bytes(noise[:where] + b"\n" + made + b"\n" + noise[where:])
    scrub = Scrubber(lambda: {"model/made-up": KEY, "OTHER": "not-in-there-1"})
    assert scrub.file_holds(path) == ("made-up",)
    path.write_bytes(noise)
    assert scrub.file_holds(path) == ()
    with pytest.raises(FileNotFoundError):
        scrub.file_holds(tmp_path / "gone")


def test_texts_designed_to_be_slow_are_scrubbed_quickly() -> None:
    scrub = scrubber(A='a"\\\\"b"c\\d\\\\e', B="\\\\\\\\\\\\\\\\x", C="aaaaaaaaaaaaaaaa")
    began = time.process_time()
    for text in (
        "\\" * 100_000,
        "aaaaaaaaaaaaaaa\n" * 6_000,
        'a"' * 50_000,
        "YWFh\n" * 20_000,
        "\\n" * 50_000,
    ):
        scrub.text(text)
    assert time.process_time() - began < 5


CASED = "sk-Live-4f9A7c22Bd81"


@pytest.mark.parametrize("change", [str.upper, str.lower, str.swapcase, lambda value: value[::-1]])
def test_a_key_in_another_case_or_order_is_found(change: Callable[[str], str]) -> None:
    assert scrubber(KEY=CASED).text(f"a {change(CASED)} b") == "a [secret:KEY] b"


@pytest.mark.parametrize(
    "text",
    [
        CASED.encode("utf-16-le").decode("latin-1"),
        CASED.encode("utf-16-be").decode("latin-1"),
        json.dumps(CASED.encode("utf-16-le").decode("latin-1")),
        repr(CASED.encode("utf-16-le")),
    ],
)
def test_a_key_in_utf_16_that_was_decoded_as_something_else_is_found(text: str) -> None:
    found = scrubber(KEY=CASED).text(text)
    assert "[secret:KEY]" in found
    assert "4" not in found.replace("\\x00", "")


def test_an_ordinary_word_in_another_case_is_not_a_secret() -> None:
    """A weak key that is a word is hidden only in its exact spelling, so the word stays in other texts."""
    hides = scrubber(KEY="Production")
    assert hides.text("Production of production") == "[secret:KEY] of production"


def test_a_key_that_equals_the_name_of_another_leaves_markers_unchanged() -> None:
    hides = scrubber(openai_key_2024="SOMETHING-ELSE-1", other="OPENAI_KEY_2024")
    assert hides.text("SOMETHING-ELSE-1 OPENAI_KEY_2024") == "[secret:openai_key_2024] [secret:other]"
