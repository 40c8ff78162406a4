"""Agent Skills: a bundle that contains SKILL.md, and a bare skill as a toolset without tools."""

from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import (
    ChangeSetting,
    DisableToolset,
    EnableToolset,
    InstallToolset,
    SelectTools,
    UninstallToolset,
)
from engine.errors import Invalid
from tests.engine.toolsets.bundles import GOOD, folder, zipped
from tests.support.talk import Talk, call

SKILL = """\
---
name: pdf-forms
description: Fills in PDF forms. Use it when a form is to be filled in.
license: MIT
metadata:
  version: "2.0.1"
allowed-tools: Bash(git:*) Read
---

# Forms

Read references/fields.md first.
"""
FILES = {
    "SKILL.md": SKILL.encode(),
    "references/fields.md": b"# Fields\n\nName, date.\n",
    "scripts/fill.py": b"raise SystemExit\n",
    "assets/form.bin": b"\xff\x00\xff",
}


@pytest.fixture
def skilled(talk: Talk, tmp_path: Path) -> Talk:
    """A chat of an app with the skill."""
    talk.app.send(InstallToolset(folder(tmp_path / "pdf-forms", FILES), "yes"))
    talk.app.send(EnableToolset("pdf-forms"))
    return talk


def system(talk: Talk) -> tuple[str, list[str]]:
    """The system text and the tools that a model gets in this chat."""
    talk.replies(*[{"text": "."}] * 9)
    request = talk.app.request(talk.chat_id, talk.ask("what have you?").turn_id, 1)
    return request.system, [tool.name for tool in request.tools]


def test_a_bare_skill_is_a_toolset_without_tools(skilled: Talk, tmp_path: Path) -> None:
    row = next(row for row in skilled.app.installed() if row["id"] == "pdf-forms")
    assert (row["name"], row["version"], row["tools"]) == ("pdf-forms", "2.0.1", [])
    assert row["skill"]["license"] == "MIT"
    sheet = skilled.app.preview_toolset(folder(tmp_path / "new" / "pdf-forms", FILES | {"a.txt": b"a"})).sheet
    assert "instructions that the model may read; they run no code" in sheet.as_text()
    assert "sandbox" not in sheet.as_text()


def test_a_model_is_told_about_the_skill(skilled: Talk) -> None:
    told, tools = system(skilled)
    assert "- pdf-forms: Fills in PDF forms. Use it when a form is to be filled in." in told
    assert "read_skill" in tools


def test_the_files_of_a_skill_are_read_by_name_and_no_others(skilled: Talk) -> None:
    talk = skilled
    talk.replies(
        {
            "calls": [
                call("read_skill", skill="pdf-forms"),
                call("read_skill", skill="pdf-forms", path="references/fields.md"),
                call("read_skill", skill="pdf-forms", path="../../../anabranch.duckdb"),
                call("read_skill", skill="pdf-forms", path="assets/form.bin"),
                call("read_skill", skill="nothing"),
                call("read_skill", skill="pdf-forms", offset=9),
            ]
        },
        {"text": "."},
    )
    turn_id = talk.ask().turn_id
    main, more, outside, binary, unknown, rest = talk.calls()
    assert main.result["content"] == "# Forms\n\nRead references/fields.md first.\n"
    assert main.result["other_files"] == ["assets/form.bin", "references/fields.md", "scripts/fill.py"]
    assert "not run here" in main.result["note"]
    assert main.render_plan["content"] == main.result["content"]
    assert more.result["content"] == "# Fields\n\nName, date.\n"
    assert [c.error["kind"] for c in (outside, binary, unknown)] == [
        "no_such_file",
        "not_text",
        "unknown_skill",
    ]
    assert rest.result["content"].startswith("Read references")
    request = talk.app.request(talk.chat_id, turn_id, 2)
    assert "Read references/fields.md first." in str(request.messages)


def test_numbers_in_a_skill_are_not_a_source_for_answers(talk: Talk, tmp_path: Path) -> None:
    limits = FILES | {"references/limits.md": b"The limit of a form is 4711 fields.\n"}
    talk.app.send(InstallToolset(folder(tmp_path / "pdf-forms", limits), "yes"))
    talk.app.send(EnableToolset("pdf-forms"))
    read = call("read_skill", skill="pdf-forms", path="references/limits.md")
    talk.replies({"calls": [read]}, {"text": "The limit of a form is 4,711 fields."})
    talk.ask()
    found = talk.app.numbers(talk.chat_id, talk.branch()[-1].message_id)
    assert [(one.text, one.status) for one in found] == [("4,711", "unbacked")]


def test_a_disabled_skill_is_neither_mentioned_nor_read(skilled: Talk) -> None:
    app = skilled.app
    app.send(DisableToolset("pdf-forms"))
    assert "pdf-forms" not in system(skilled)[0]
    skilled.replies(*[{"text": "."}], {"calls": [call("read_skill", skill="pdf-forms")]}, {"text": "."})
    skilled.ask()
    error = skilled.calls()[-1].error
    assert error is not None
    assert "Disabled in settings" in error["message"]
    app.send(EnableToolset("pdf-forms"))
    app.send(ChangeSetting("tools_on", False))
    try:
        told, tools = system(skilled)
        assert ("pdf-forms" in told, tools) == (False, [])
    finally:
        app.send(ChangeSetting("tools_on", True))
    assert "pdf-forms" in system(skilled)[0]


def test_a_toolsets_skill_is_mentioned_if_one_of_its_tools_is_selected(talk: Talk) -> None:
    assert "- data-analyst: How to answer" in system(talk)[0]
    talk.app.send(SelectTools(talk.chat_id, {"builtin": ["list_files"]}))
    assert "data-analyst" not in system(talk)[0]


def test_an_exported_skill_can_be_installed_again_with_the_same_content(
    skilled: Talk, tmp_path: Path
) -> None:
    app = skilled.app
    packed = app.toolsets.export("pdf-forms")
    assert app.toolsets.export("pdf-forms") == packed
    with open_app(tmp_path / "other") as other:
        done = other.send(InstallToolset(packed, "yes"))
        assert (done.toolset_id, done.outcome) == ("pdf-forms", "installed")
        assert other.toolsets.export("pdf-forms") == packed
        other.send(UninstallToolset("pdf-forms"))
        assert "pdf-forms" not in [row["id"] for row in other.installed()]
    assert app.send(InstallToolset(packed, "yes")).outcome == "unchanged"


def test_a_name_that_is_too_long_for_an_id_is_shortened_with_its_hash(app: App, tmp_path: Path) -> None:
    name = "-".join(["word"] * 12)
    text = SKILL.replace("pdf-forms", name)
    done = app.send(InstallToolset(zipped({"SKILL.md": text.encode()}), "yes"))
    assert len(done.toolset_id) <= 40
    row = next(row for row in app.installed() if row["id"] == done.toolset_id)
    assert row["skill"]["name"] == name
    app.send(UninstallToolset(done.toolset_id))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# No front matter\n", "SKILL.md:1: it must begin with front matter"),
        ("---\nname: pdf-forms\n", "SKILL.md:1: it must begin with front matter"),
        ("---\n---\n", "SKILL.md:1: its front matter is empty"),
        (
            SKILL.replace("name: pdf-forms", "name: other"),
            "SKILL.md:2: the name other must be the same as that of its folder",
        ),
        (
            SKILL.replace("name: pdf-forms", "name: Pdf_Forms"),
            "SKILL.md:2: the name 'Pdf_Forms' must be lower-case",
        ),
        (SKILL.replace("name: pdf-forms", "name: pdf--forms"), "SKILL.md:2: the name 'pdf--forms' must be"),
        (SKILL.replace("name: pdf-forms\n", ""), "SKILL.md:1: name is missing"),
        (
            SKILL.replace("name: pdf-forms", f"name: {'a' * 65}"),
            "SKILL.md:2: name has 65 characters; the limit is 64",
        ),
        (SKILL.replace("Fills in PDF forms.", "x" * 1100), "SKILL.md:3: description has"),
        (SKILL.replace("license: MIT", "description: again"), "SKILL.md:4: description appears here"),
        (SKILL.replace("license: MIT", "license: [MIT]"), "SKILL.md:4: license must be text"),
        (SKILL.replace("license: MIT", "compatibility: &a x"), "SKILL.md:4: the anchor &a"),
        (SKILL.replace("license: MIT", "metadata: x: y"), "SKILL.md:4: not valid YAML"),
    ],
)
def test_a_skill_that_breaks_the_format_is_refused_with_its_line(
    app: App, tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(Invalid) as refused:
        app.send(InstallToolset(folder(tmp_path / "pdf-forms", {"SKILL.md": text.encode()}), "yes"))
    assert any(str(problem).startswith(told) for problem in refused.value.problems), refused.value.problems


def test_a_toolsets_skill_has_the_toolsets_id(app: App) -> None:
    skill = SKILL.replace("pdf-forms", "greeter").encode()
    assert app.preview_toolset(zipped(GOOD | {"SKILL.md": skill})).sheet.skill
    with pytest.raises(Invalid, match="must be the same as that of its folder, greeter"):
        app.preview_toolset(zipped(GOOD | {"SKILL.md": SKILL.encode()}))
