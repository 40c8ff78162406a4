"""Keys are stored where nobody else can read them, found in a fixed order, and shared between processes."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, ClassVar

import keyring
import keyring.backend
import pytest

from engine.app.app import open_app
from engine.commands.catalog import ConfigureToolset
from engine.errors import Invalid, Unavailable
from engine.secrets import keyring_store as rings
from engine.secrets.keyring_store import NoKeyring, SystemKeyring, system_keyring
from engine.secrets.secret_names import model_secret, toolset_secret
from engine.secrets.vault import Vault

NAME = model_secret("openai")
VALUE = "sk-made-up-0123456789"


class MemoryRing:
    """A keyring that stores values in memory while it is open."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.open = True
        self.reads = 0

    def get(self, name: str) -> str | None:
        self.reads += 1
        return self.kept.get(name) if self.open else None

    def set(self, name: str, value: str) -> bool:
        if self.open:
            self.kept[name] = value
        return self.open

    def remove(self, name: str) -> None:
        self.kept.pop(name, None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "config"


def vault(folder: Path, environ: dict[str, str] | None = None, **more: Any) -> Vault:
    return Vault(folder, environ if environ is not None else {}, ring=more.pop("ring", NoKeyring()), **more)


def test_a_secret_is_stored_in_a_file_that_only_its_owner_can_read(folder: Path) -> None:
    assert vault(folder).set(NAME, f"  {VALUE}\n") == "file"
    assert vault(folder).get(NAME) == VALUE
    assert stat.S_IMODE((folder / "secrets.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sorted(file.name for file in folder.iterdir()) == ["secrets.json", "secrets.lock"]


def test_no_file_is_created_before_a_key_is_set(folder: Path) -> None:
    kept = vault(folder)
    assert (kept.get(NAME), kept.where(NAME), kept.names(), kept.remove(NAME)) == (None, None, (), False)
    assert not folder.exists()


def test_a_file_that_others_could_read_is_made_private_when_it_is_read(folder: Path) -> None:
    vault(folder).set(NAME, VALUE)
    (folder / "secrets.json").chmod(0o644)
    assert vault(folder).get(NAME) == VALUE
    assert stat.S_IMODE((folder / "secrets.json").stat().st_mode) == 0o600


def test_a_file_that_cannot_be_made_private_is_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault(folder).set(NAME, VALUE)
    (folder / "secrets.json").chmod(0o644)

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fchmod", refuse)
    exposed = vault(folder)
    assert exposed.get(NAME) is None
    for attempt in (exposed.check, lambda: exposed.set(NAME, VALUE), lambda: exposed.remove(NAME)):
        with pytest.raises(Unavailable, match="Other users can read") as refused:
            attempt()
        assert refused.value.code == "secrets_exposed"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"secrets": {}}', '{"secrets": {"a": 1}, "keyring": {}}', "\xff"]
)
def test_a_broken_file_is_reported_and_never_overwritten(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "secrets.json").write_text(text, "latin-1")
    broken = vault(folder, {"OPENAI_API_KEY": VALUE})
    assert broken.get(NAME, ("OPENAI_API_KEY",)) == VALUE
    with pytest.raises(Unavailable, match="cannot be read") as told:
        broken.set(NAME, VALUE)
    assert told.value.code == "secrets_unreadable"
    assert (folder / "secrets.json").read_text("latin-1") == text


def test_the_contents_of_a_broken_file_are_not_quoted(folder: Path) -> None:
    folder.mkdir()
    (folder / "secrets.json").write_text(json.dumps({"secrets": {NAME: VALUE}})[:-1])
    with pytest.raises(Unavailable) as told:
        vault(folder).check()
    assert VALUE not in str(told.value)
    assert told.value.__cause__ is None


def test_a_key_is_looked_up_in_the_keyring_the_file_the_environment_and_streamlit_in_this_order(
    folder: Path,
) -> None:
    ring, environ, more = (
        MemoryRing(),
        {"OPENAI_API_KEY": "from-environment"},
        {"OPENAI_API_KEY": "from-streamlit"},
    )
    kept = vault(folder, environ, more=lambda: more, ring=ring)

    def found() -> tuple[str | None, str | None]:
        return kept.get(NAME, ("OPENAI_API_KEY",)), kept.where(NAME, ("OPENAI_API_KEY",))

    assert kept.set(NAME, "from-keyring") == "keyring"
    assert found() == ("from-keyring", "keyring")
    assert "from-keyring" not in (folder / "secrets.json").read_text()
    ring.open = False
    assert kept.set(NAME, "from-file") == "file"
    assert found() == ("from-file", "file")
    assert kept.remove(NAME)
    assert found() == ("from-environment", "environment")
    environ["OPENAI_API_KEY"] = " "
    assert found() == ("from-streamlit", "streamlit")
    more.clear()
    assert found() == (None, None)


def test_the_keyring_is_read_only_once_and_not_to_locate_a_key(folder: Path) -> None:
    ring = MemoryRing()
    vault(folder, ring=ring).set(NAME, VALUE)
    kept = vault(folder, ring=ring)
    assert kept.where(NAME) == "keyring"
    assert ring.reads == 0
    assert [kept.get(NAME), kept.get(NAME), kept.values()] == [VALUE, VALUE, {NAME: VALUE}]
    assert ring.reads == 1


def test_a_keyring_that_was_locked_is_tried_again_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring, now = MemoryRing(), [1000.0]
    monkeypatch.setattr("engine.secrets.vault.time", SimpleNamespace(monotonic=lambda: now[0]))
    kept = vault(folder, ring=ring)
    kept.set(NAME, VALUE)
    ring.open = False
    assert [kept.get(NAME), kept.get(NAME), kept.where(NAME)] == [None, None, None]
    assert ring.reads == 1
    ring.open = True
    assert kept.get(NAME) is None
    now[0] += 61
    assert (kept.get(NAME), kept.where(NAME)) == (VALUE, "keyring")


def test_a_secret_in_an_environment_variable_is_known_once_it_was_looked_up(
    folder: Path,
) -> None:
    kept = vault(folder, {"ODD_NAME": "made-up-value-2"})
    assert kept.values() == {}
    assert kept.where("toolset/kit/odd", ("ODD_NAME",)) == "environment"
    kept.get("toolset/kit/odd")
    assert kept.values() == {"toolset/kit/odd": "made-up-value-2"}


def test_if_the_keyring_stops_answering_the_environment_is_still_used(folder: Path) -> None:
    ring = MemoryRing()
    vault(folder, ring=ring).set(NAME, VALUE)
    ring.open = False
    kept = vault(folder, {"OPENAI_API_KEY": "another-key-1"}, ring=ring)
    assert kept.get(NAME, ("OPENAI_API_KEY",)) == "another-key-1"
    assert kept.where(NAME, ("OPENAI_API_KEY",)) == "environment"


def test_a_change_by_another_process_is_seen_at_once(folder: Path) -> None:
    ring = MemoryRing()
    first, second = vault(folder, ring=ring), vault(folder, ring=ring)
    before = first.stamp()
    assert first.get(NAME) is None
    second.set(NAME, VALUE)
    assert first.get(NAME) == VALUE
    assert first.stamp() != before
    second.set(NAME, f"{VALUE}-2")
    assert first.get(NAME) == f"{VALUE}-2"
    second.remove(NAME)
    assert first.get(NAME) is None
    assert ring.kept == {}


def test_two_processes_that_set_keys_at_the_same_time_lose_none(folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from engine.secrets.vault import Vault\n"
        "vault = Vault(Path(sys.argv[1]), {'ANABRANCH_KEYRING': 'off'})\n"
        "for n in range(20): vault.set(f'toolset/{sys.argv[2]}/key-{n}', f'value-of-{n:03}')"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(folder), name]) for name in ("one", "two", "three")
    ]
    assert [process.wait(600) for process in running] == [0, 0, 0]
    assert len(vault(folder).names()) == 60


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("short", "secret_short"),
        ("  spaced   \n", "secret_short"),
        ("x" * 20_000, "secret_long"),
        ("with\0a zero", "secret_text"),
        ("half a pair \ud800", "secret_text"),
        ("GEMINI_API_KEY", "secret_placeholder"),
    ],
)
def test_an_invalid_secret_is_refused_without_quoting_it(folder: Path, value: str, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        vault(folder).set(toolset_secret("image-studio", "GEMINI_API_KEY"), value)
    assert refused.value.code == code
    assert "spaced" not in refused.value.message
    assert not (folder / "secrets.json").exists()


@pytest.mark.parametrize("name", ["openai", "model/", "model/../x", "model/a/b/c", "Model/openai", ""])
def test_an_invalid_name_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(Invalid) as refused:
        vault(folder).set(name, VALUE)
    assert refused.value.code == "secret_name"


def test_all_known_secrets_are_given_to_the_scrubber_by_name(folder: Path) -> None:
    environ = {
        "GITHUB_TOKEN": "made-up-token-1",
        "DATABASE_URL": "postgres://me:pass%2Dword-1@localhost/db",
        "ODD_NAME": "made-up-value-2",
        "HOME": "/nowhere",
        "OPENAI_API_KEY": "short",
    }
    kept = vault(folder, environ, more=lambda: {"PAGE_SECRET": "made-up-page-3", "THEME": "something-dark"})
    kept.set(NAME, VALUE)
    kept.get("toolset/kit/odd", ("ODD_NAME",))
    kept.get("model/openai", ("OPENAI_API_KEY",))
    assert kept.values() == {
        NAME: VALUE,
        "toolset/kit/odd": "made-up-value-2",
        "PAGE_SECRET": "made-up-page-3",
        "GITHUB_TOKEN": "made-up-token-1",
        "DATABASE_URL": "pass-word-1",
    }


def test_no_value_is_in_the_repr_of_a_vault(folder: Path) -> None:
    kept = vault(folder, {"GITHUB_TOKEN": VALUE})
    kept.set(NAME, VALUE)
    assert VALUE not in repr(kept) + repr(kept._content)


def test_environment_variables_are_secrets_only_if_both_name_and_value_look_like_one(tmp_path: Path) -> None:
    secret = {
        "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/made+up",
        "npm_config__authToken": "made-up-token",
        "DB_PASSWORD": "correct-horse",
        "APP_KEY": "qwertzuiopasdfghjklyxc",
        "SMTP_PASSWD": "hunter2hunter2",
        "GOOGLE_CREDENTIALS": '{"private_key": "made up"}',
        "MY-API-KEY": "abcd1234",
    }
    plain = {
        "SSH_KEY": str(tmp_path),
        "SSH_AUTH_SOCK": "/tmp/agent.123",
        "KEYS": f"{tmp_path}{os.pathsep}{tmp_path}",
        "MAX_TOKENS": "100000000",
        "TOKEN_EXPIRES": "2026-11-20T10:00",
        "TOKENIZERS_PARALLELISM": "disabled-here",
        "MONKEY": "some-long-text-1",
        "KEYMAP_KEY": "us-intl-dead",
        "SECRET_NAME": "projects/1/secrets/x",
        "API_KEY_FILE": "elsewhere/key.pem",
        "PASSWORD": "short12",
        "POSTGRES_PASSWORD": "postgres",
        "ADMIN_SECRET": "Password",
        "COOKIE_SECRET": "true",
        "REPOSITORY": "https://example.org/some/where",
    }
    kept = vault(tmp_path / "none", secret | plain)
    assert kept.values() == secret


def test_the_keyring_is_off_on_request_and_if_there_is_no_bus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert isinstance(system_keyring({"ANABRANCH_KEYRING": "off"}), NoKeyring)
    monkeypatch.setattr(sys, "platform", "linux")
    assert isinstance(system_keyring({"XDG_RUNTIME_DIR": "/nowhere"}), NoKeyring)
    assert isinstance(system_keyring({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}), SystemKeyring)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert isinstance(system_keyring({}), SystemKeyring)


def test_a_keyring_that_never_answers_is_abandoned_after_a_timeout_and_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ending, asked = Event(), []

    class Hanging:
        priority = 5

        def get_password(self, service: str, name: str) -> str | None:
            asked.append(name)
            ending.wait(600)
            return None

    monkeypatch.setattr(rings, "_backend", Hanging)
    ring = SystemKeyring(seconds=0.05)
    assert [ring.get("a"), ring.get("b"), ring.set("c", VALUE)] == [None, None, False]
    assert asked == ["a"]
    ending.set()


def test_a_keyring_that_raises_errors_is_not_used_for_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("no collection")

    monkeypatch.setattr(rings, "_backend", broken)
    ring = SystemKeyring()
    ring.remove("a")
    assert (ring.get("a"), ring.set("a", VALUE)) == (None, False)


def test_a_keyring_is_only_used_if_stored_values_can_be_read_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Forgetting:
        def set_password(self, *_: str) -> None:
            pass

        def get_password(self, *_: str) -> None:
            return None

    monkeypatch.setattr(rings, "_backend", Forgetting)
    assert SystemKeyring().set("a", VALUE) is False


def test_keys_are_stored_and_removed_through_the_keyring_package(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Desktop(keyring.backend.KeyringBackend):
        priority = 5  # type: ignore[assignment]
        kept: ClassVar[dict[tuple[str, str], str]] = {}

        def get_password(self, service: str, username: str) -> str | None:
            return self.kept.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.kept[service, username] = password

        def delete_password(self, service: str, username: str) -> None:
            del self.kept[service, username]

    monkeypatch.setattr(keyring, "get_keyring", Desktop)
    kept = vault(folder, ring=SystemKeyring())
    assert kept.set(NAME, VALUE) == "keyring"
    assert Desktop.kept == {("anabranch", NAME): VALUE}
    assert vault(folder, ring=SystemKeyring()).get(NAME) == VALUE
    assert kept.remove(NAME)
    assert Desktop.kept == {}


@pytest.mark.parametrize("priority", [0, 0.5, -1])
def test_a_keyring_that_stores_nothing_or_stores_plain_text_is_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch, priority: float
) -> None:
    monkeypatch.setattr(keyring, "get_keyring", lambda: SimpleNamespace(priority=priority))
    assert vault(folder, ring=SystemKeyring()).set(NAME, VALUE) == "file"


def test_a_failed_write_leaves_the_keys_unchanged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = vault(folder)
    kept.set(NAME, VALUE)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            kept.set(NAME, "another-key-1")
    assert kept.get(NAME) == VALUE
    assert sorted(file.name for file in folder.iterdir()) == ["secrets.json", "secrets.lock"]


def test_keys_that_are_provided_later_make_a_toolset_available_and_stay_out_of_the_log(
    tmp_path: Path,
) -> None:
    with open_app(tmp_path / "data") as app:
        assert (
            next(row for row in app.installed() if row["id"] == "web-search")["reason"]
            == "API key not configured"
        )
        app.vault.also(lambda: {"EXA_API_KEY": "made-up-exa-key-0123456789"})
        assert not next(row for row in app.installed() if row["id"] == "web-search")["available"]
        app.send(ConfigureToolset("web-search", {}, ["EXA_API_KEY"]))
        assert next(row for row in app.installed() if row["id"] == "web-search")["available"]
        assert app.toolsets.configuration("web-search").states()[0].source == "streamlit"
        assert "made-up-exa-key-0123456789" in app.vault.values().values(), "so that it is scrubbed"
