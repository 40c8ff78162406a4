"""Previews and cleaning steps in the terminal, by the same commands as on the page."""

import json
from pathlib import Path

import pytest

from engine.cli.main import run


def told(capsys: pytest.CaptureFixture[str], data: Path, *words: str, code: int = 0) -> dict[str, object]:
    assert run([*words, "--json", "--data", str(data)]) == code
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.long
def test_a_call_can_be_previewed_and_a_table_shaped_in_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANABRANCH_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("ANABRANCH_KEYRING", "off")
    data, file = tmp_path / "data", tmp_path / "orders.csv"
    file.write_text("id,day\n1,14.07.2026\n2,July 3rd, 2026\n".replace("July 3rd, 2026", '"July 3rd, 2026"'))
    args = json.dumps({"sql": "SELECT count(*) AS n FROM orders"})
    first = told(capsys, data, "tool", "run", "data-analyst:query", "--args", args, "--file", str(file))
    chat_id = str(first["chat_id"])
    seen = told(
        capsys, data, "tool", "run", "data-analyst:query", "--args", args, "--chat", chat_id, "--preview"
    )
    assert seen["problem"] == ""
    assert seen["result"]["rows"] == [[2]]  # type: ignore[index]
    wrong = json.dumps({"sql": "SELECT nope FROM orders"})
    failed = told(
        capsys,
        data,
        "tool",
        "run",
        "data-analyst:query",
        "--args",
        wrong,
        "--chat",
        chat_id,
        "--preview",
        code=1,
    )
    assert "nope" in str(failed["problem"])
    steps = json.dumps([{"kind": "dates", "column": "day"}, {"kind": "sort", "column": "day"}])
    words = ("send", "ShapeTable", f"chat_id={chat_id}", "table=orders", f"steps={steps}")
    assert run([*words, "--json", "--data", str(data)]) == 0
    call_id = json.loads(capsys.readouterr().out)
    calls = told(capsys, data, "replay", chat_id)["calls"]
    assert isinstance(calls, list)
    assert [one["verdict"] for one in calls if one["id"] == call_id] == ["identical"]
    refused = told(
        capsys,
        data,
        "send",
        "ShapeTable",
        f"chat_id={chat_id}",
        "table=orders",
        'steps=[{"kind": "bake"}]',
        code=1,
    )
    assert "steps" in str(refused["error"])
