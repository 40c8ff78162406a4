"""The install sheet: another publisher in red, a checkbox for each variable and stored key, and nothing outdated."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.app.app import App
from engine.commands.catalog import ConfigureToolset, InstallToolset
from tests.engine.toolsets.bundles import zipped
from tests.support.talk import KIT, write_bundle

CONFIG = "config: [{name: KIT_KEY, secret: true}, {name: other, env: MADE_UP_VARIABLE}]\n"


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """The page's app, on a machine with a variable that is not meant for any bundle."""
    environ = {
        "ANABRANCH_CONFIG": str(tmp_path / "config"),
        "ANABRANCH_KEYRING": "off",
        "MADE_UP_VARIABLE": "abc",
    }
    opened = App(tmp_path / "data", environ=environ)
    monkeypatch.setattr("ui.views.install.app", lambda: opened)
    monkeypatch.setattr("ui.views.configure.app", lambda: opened)
    yield opened
    opened.close()


def bundle(version: str) -> dict[str, str]:
    return KIT | {"toolset.yaml": KIT["toolset.yaml"].replace('"1.0.0"', f'"{version}"') + CONFIG}


def as_zip(version: str) -> bytes:
    return zipped({path: text.encode() for path, text in bundle(version).items()})


def sheet(source: Path | bytes, name: str | None = None) -> AppTest:
    """The page with the sheet of a bundle."""

    def script() -> None:
        import streamlit as st  # noqa: PLC0415 - AppTest runs this function's source by itself

        from ui import session  # noqa: PLC0415
        from ui.views import install  # noqa: PLC0415

        session.begin_run()
        if "began" not in st.session_state:
            st.session_state["began"] = True
            session.remember("looking-into", (st.session_state["source"], st.session_state["name"]))
        looking = session.once("looking-into")
        if looking is not None:
            st.session_state["shown"] = (*looking, install.app().preview_toolset(*looking))
        session.end_run()
        install._sheet(*st.session_state["shown"])

    page = AppTest.from_function(script, default_timeout=600)
    page.session_state["source"], page.session_state["name"] = source, name
    return page.run()


def drawn(page: AppTest) -> str:
    return "".join(one.proto.body for one in page.get("html"))


def test_another_publisher_is_shown_in_red_and_variables_without_a_tick_are_not_given(
    app: App, tmp_path: Path
) -> None:
    app.send(InstallToolset(write_bundle(tmp_path / "mine", bundle("1.0.0")), "yes"))
    app.send(ConfigureToolset("kit", {"KIT_KEY": "made-up-key-0123"}))
    other = write_bundle(tmp_path / "other", bundle("2.0.0"))
    page = sheet(other)
    (told,) = (one.value for one in page.error)
    assert "not the installed Kit, but another toolset" in told
    assert "this folder: changed code is used" in drawn(page)
    assert [box.value for box in page.checkbox] == [False]
    page.button(key="install").click().run()
    assert not page.exception
    assert app.toolsets.configuration("kit").environment() == {}


@pytest.mark.long
def test_ticked_boxes_pass_on_a_variable_and_let_a_zip_keep_a_key(app: App) -> None:
    app.send(InstallToolset(as_zip("1.0.0"), "yes"))
    app.send(ConfigureToolset("kit", {"KIT_KEY": "made-up-key-0123"}))
    page = sheet(as_zip("2.0.0"), "kit.zip")
    assert {box.key for box in page.checkbox} == {"agree-give-MADE_UP_VARIABLE", "agree-keep-KIT_KEY"}
    for box in page.checkbox:
        box.check()
    page.button(key="install").click().run()
    assert not page.exception
    granted = app.toolsets.configuration("kit").environment()
    assert granted == {"KIT_KEY": "made-up-key-0123", "MADE_UP_VARIABLE": "abc"}


def test_a_bundle_that_changed_after_its_sheet_is_not_installed_but_shown_again(
    app: App, tmp_path: Path
) -> None:
    place = write_bundle(tmp_path / "kit", bundle("1.0.0"))
    page = sheet(place)
    more = bundle("1.0.0")
    more["toolset.yaml"] += "permissions: {network: true}\n"
    write_bundle(place, more)
    page.button(key="install").click().run()
    assert not page.exception
    assert not any(row["id"] == "kit" for row in app.installed())
    assert "yes, any address" in drawn(page)


def test_configure_shows_no_value_of_this_machine_and_gives_only_ticked_variables(app: App) -> None:
    app.send(InstallToolset(as_zip("1.0.0"), "yes"))

    def script() -> None:
        from ui.views import configure  # noqa: PLC0415 - AppTest runs this function's source by itself

        configure.configure("kit", "Kit")

    page = AppTest.from_function(script, default_timeout=600).run()
    assert not page.exception
    assert [box.label for box in page.checkbox] == [
        "Let the toolset use `MADE_UP_VARIABLE`, which is set on this machine"
    ]
    assert "abc" not in [field.value for field in page.text_input]
    page.checkbox[0].check()
    next(button for button in page.button if button.label == "Save").click().run()
    assert app.toolsets.configuration("kit").environment() == {"MADE_UP_VARIABLE": "abc"}


def test_the_list_says_which_toolset_follows_a_folder_and_which_change_waits(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("toolsets", "servers"):
        monkeypatch.setattr(f"ui.views.{module}.app", lambda: app)
    monkeypatch.setattr("ui.widgets.show_as.app", lambda: app)
    place = write_bundle(tmp_path / "kit", bundle("1.0.0"))
    app.send(InstallToolset(place, "yes"))
    more = bundle("1.0.0")
    more["toolset.yaml"] += "permissions: {network: true}\n"
    write_bundle(place, more)
    app.runnable("kit:look")

    def script() -> None:
        from ui.views import toolsets  # noqa: PLC0415 - AppTest runs this function's source by itself

        toolsets.toolsets_page()

    page = AppTest.from_function(script, default_timeout=600).run()
    assert not page.exception
    told = drawn(page)
    assert f"Follows the folder <code>{place}</code>" in told
    assert "It asks for more than you agreed to: the permission network" in told
    assert page.button(key="review-kit").label == "Review"


SERVERS = """\
manifest_version: "1"
id: servers
name: Servers
version: "1.0.0"
mcp_servers:
  - {id: near, command: near-server, paths: ["/srv/notes"]}
  - {id: fetched, command: uvx, args: [some-server]}
  - {id: far, url: "https://mcp.example.org/mcp"}
"""


@pytest.mark.usefixtures("app")
def test_a_bundle_with_only_servers_is_not_described_as_having_no_network(tmp_path: Path) -> None:
    """Each server's line says what it can access; on the page as in the terminal."""
    folder = write_bundle(tmp_path / "servers", {"toolset.yaml": SERVERS})
    told = drawn(sheet(folder))
    assert ">Network<" not in told
    assert "reads /srv/notes" in told
    assert "any address, since uvx fetches what it starts" in told
    assert "are sent to mcp.example.org" in told
