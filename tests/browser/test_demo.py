"""A public demo in a real browser: private, deleted afterwards, without routes, and with a log to download (UI-9)."""

import os
import shutil
import signal
import subprocess
import sys
import urllib.request
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from urllib.error import HTTPError

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import ROOT, free_port
from tests.browser.steps import answered, ask, open_picker, settled, unfold
from tests.support.healthy import until_healthy

pytestmark = [pytest.mark.browser, pytest.mark.long]

PLAIN = """\
import sys
from streamlit.web import bootstrap
options = {"server_address": "127.0.0.1", "server_port": int(sys.argv[1]), "server_headless": True}
bootstrap.load_config_options(options)
bootstrap.run("ui/app.py", False, [], options)
"""


@dataclass(frozen=True)
class Demo:
    """A running demo."""

    url: str
    temporary: Path

    def visitors(self) -> list[Path]:
        """The folders of the current visitors."""
        return sorted(path for path in self.temporary.glob("anabranch-demo-*/0*") if path.is_dir())


@contextmanager
def demo_served(temporary: Path, *, plain: bool = False, root: Path = ROOT, **more: str) -> Iterator[Demo]:
    """Serve a demo like a host that sets nothing else."""
    port = free_port()
    streamlit = ["-m", "streamlit", "run", "ui/app.py", "--server.address", "127.0.0.1"]
    whole = [*streamlit, "--server.port", str(port), "--server.headless", "true"]
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(temporary / "home"),
        "TMPDIR": str(temporary),
        "ANABRANCH_DEMO": "1",
        "ANABRANCH_DEMO_GRACE_SECONDS": "4",
        "OPENAI_API_KEY": "sk-host-0123456789abcdef",
        **more,
    }
    python = environ.pop("PYTHON", sys.executable)
    with (temporary.parent / "server.log").open("a") as log:
        server = subprocess.Popen(
            [python, "-c", PLAIN, str(port)] if plain else [python, *whole],
            cwd=root,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environ,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            until_healthy(f"{url}/_stcore/health", server)
            yield Demo(url, temporary)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=600)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    temporary = tmp_path_factory.mktemp("demo") / "tmp"
    temporary.mkdir()
    with demo_served(temporary) as served:
        yield served
    assert list(temporary.glob("anabranch-demo-*")) == []


@contextmanager
def visit(chromium: Browser, demo: Demo, query: str = "") -> Iterator[Page]:
    """A visitor with a separate browser profile."""
    context: BrowserContext = chromium.new_context(
        viewport={"width": 1280, "height": 900}, accept_downloads=True
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    try:
        come(page, f"{demo.url}/{query}")
        yield page
    finally:
        context.close()


def come(page: Page, url: str) -> None:
    page.goto(url)
    expect(page.locator(".st-key-composer textarea")).to_be_visible()
    settled(page)


def told(page: Page, answers: int) -> None:
    """Wait until this many answers are in the transcript, each with its tools, and nothing runs."""
    expect(page.locator("[class*=st-key-exchange-]:has([class*=st-key-tool-activity-])")).to_have_count(
        answers
    )
    answered(page)


def until(it_is: Callable[[], bool]) -> None:
    for _ in range(300):
        if it_is():
            return
        Event().wait(0.1)
    raise AssertionError("it did not come to be within half a minute")


def status(url: str, host: str = "127.0.0.1") -> tuple[int, str]:
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers={"Host": host}), timeout=120
        ) as answer:
            return answer.status, str(answer.headers.get("content-type"))
    except HTTPError as error:
        return error.code, str(error.headers.get("content-type"))


def test_two_visitors_cannot_see_each_others_data_and_closing_a_tab_deletes_its_data(
    demo: Demo, chromium: Browser, shoot: Callable[[Page, str], None]
) -> None:
    """Chats, files, events and addresses. A reload keeps them; after closing nothing is left."""
    with visit(chromium, demo) as other:
        with visit(chromium, demo) as one:
            expect(one.locator(".ab-demo")).to_contain_text("wiped after 30 minutes without use")
            ask(one, "Which region has the highest revenue?")
            told(one, 1)
            address = one.url
            assert "chat=" in address
            shoot(one, "demo-answered")
            one.reload()
            expect(one.locator(".ab-bubble")).to_have_text("Which region has the highest revenue?")
            settled(one)
            other.goto(f"{demo.url}/?{address.partition('?')[2]}")
            expect(other.locator(".ab-failure")).to_contain_text("This chat does not exist")
            expect(other.locator(".st-key-chats")).to_contain_text("Your chats will be listed here")
            come(other, f"{demo.url}/")
            assert len(demo.visitors()) == 2
        until(lambda: len(demo.visitors()) == 1)
        other.reload()
        expect(other.locator(".ab-demo")).to_be_visible()
    until(lambda: demo.visitors() == [])


def test_there_are_no_routes_under_v1_and_no_cookie(demo: Demo) -> None:
    """Every route returns a problem, and the page comes without the cookie of an installation."""
    for path in ("health", "chats", "openapi.json", "artifacts/a/b"):
        assert status(f"{demo.url}/v1/{path}") == (404, "application/problem+json")
    with urllib.request.urlopen(demo.url, timeout=120) as page:
        assert page.headers.get("set-cookie") is None
        assert "frame-ancestors 'self'" in page.headers["content-security-policy"]


def test_a_demo_is_reached_only_by_its_own_host_name(tmp_path: Path) -> None:
    """Only by the configured host name; if none is configured, by any."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    with demo_served(temporary, ANABRANCH_HOSTS="demo.example") as demo:
        for host, wanted in (("demo.example", 200), ("evil.example", 421)):
            assert status(demo.url, host)[0] == wanted


def test_the_address_of_another_page_opens_that_page(demo: Demo, chromium: Browser) -> None:
    """Although a visitor's first drawing asks the tab for its identity."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    for path in ("toolsets", "settings"):
        page.goto(f"{demo.url}/{path}")
        expect(page.locator(f".st-key-{path}")).to_be_visible()
        assert page.url == f"{demo.url}/{path}"
    context.close()


def test_the_pages_say_what_a_visitor_cannot_do(demo: Demo, chromium: Browser) -> None:
    """No installing, no keys, no folder of the machine; the shell tool is disabled with its reason."""
    with visit(chromium, demo) as page:
        content = open_picker(page)
        unfold(page, "app-builder")
        row = content.locator("[data-testid='tool-checkbox-app-builder-run_command']")
        expect(row).to_be_disabled()
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Toolsets").click()
        expect(page.locator(".st-key-toolsets")).to_contain_text("nothing can be installed here")
        expect(page.locator(".st-key-toolsets [data-testid=stPopover]", has_text="Install")).to_have_count(0)
        page.get_by_role("link", name="Settings").click()
        expect(page.locator(".st-key-settings")).to_contain_text("only the offline analyst answers")
        expect(page.locator(".st-key-settings")).not_to_contain_text(str(demo.temporary))
        expect(page.locator(".st-key-settings")).not_to_contain_text("Add a key")


def test_a_report_is_shown_in_nested_frames_and_a_log_can_be_downloaded_and_restored(
    demo: Demo, chromium: Browser, tmp_path: Path, shoot: Callable[[Page, str], None]
) -> None:
    """Downloaded by one visitor, restored by another; a changed log is refused and nothing is lost."""
    file = tmp_path / "mine.anabranch"
    with visit(chromium, demo) as page:
        ask(page, "Which region has the highest revenue?")
        told(page, 1)
        field = page.locator("[data-testid=stChatInput] textarea")
        field.fill("/report Third quarter")
        field.press("Enter")
        expect(page.locator(".ab-bubble")).to_have_count(2)
        told(page, 2)
        outer = page.frame_locator("[data-testid=artifact] iframe")
        expect(outer.frame_locator("iframe").locator("h1")).to_have_text("Third quarter")
        shoot(page, "demo-report")
        with page.expect_download() as downloading:
            page.get_by_role("button", name="Download the log").click()
        downloading.value.save_as(file)
    assert file.stat().st_size > 10_000
    with visit(chromium, demo) as page:
        page.get_by_role("button", name="Restore a log").click()
        dialog = page.locator("[data-testid=stDialog] [role=dialog]")
        changed = tmp_path / "changed.anabranch"
        shutil.copy(file, changed)
        with changed.open("r+b") as content:
            content.seek(2000)
            content.write(b"x" * 64)
        choose = dialog.locator("input[type=file]")
        choose.set_input_files(str(changed))
        dialog.get_by_role("button", name="Restore").click()
        expect(dialog.locator(".ab-failure")).to_contain_text("cannot be restored")
        shoot(page, "demo-refused")
        choose.set_input_files(str(file))
        expect(dialog.locator(".ab-failure")).to_have_count(0)  # the other file is there, and was looked at
        dialog.get_by_role("button", name="Restore").click()
        expect(dialog).to_have_count(0)
        expect(page.locator("[data-testid=stToast]")).to_contain_text("1 chat with")
        expect(page.locator("[data-testid=stToast]")).to_contain_text(
            "The file matches its hashes; who wrote it is unknown."
        )
        expect(page.locator(".ab-demo")).to_contain_text("who wrote it is unknown")
        page.locator(".st-key-chats button").first.click()
        expect(page.locator(".ab-bubble").first).to_have_text("Which region has the highest revenue?")
        expect(outer_of(page).locator("h1")).to_have_text("Third quarter")
        ask(page, "Top 5 products by revenue")
        told(page, 3)


def outer_of(page: Page):  # type: ignore[no-untyped-def]
    return page.frame_locator("[data-testid=artifact] iframe").frame_locator("iframe")


def test_a_turn_is_visible_while_it_runs_and_the_page_is_quiet_afterwards(
    demo: Demo, chromium: Browser
) -> None:
    """The tool's line is there before the answer; afterwards the page sends and receives nothing."""
    with visit(chromium, demo) as page:
        field = page.locator("[data-testid=stChatInput] textarea")
        field.fill("Show the revenue per month as a line chart")
        field.press("Enter")
        expect(page.locator("[data-testid=live-tail]")).to_be_visible()
        told(page, 1)
        sent: list[str] = []
        page.on("websocket", lambda socket: sent.append(socket.url))
        page.on("request", lambda request: sent.append(request.url))
        page.wait_for_timeout(2_500)
        assert sent == []


def test_a_visitor_who_returns_after_deletion_is_told_and_keeps_the_typed_text(
    tmp_path: Path, chromium: Browser
) -> None:
    """The click that sends a question opens the new session, in which the question can be sent again."""
    (temporary := tmp_path / "tmp").mkdir()
    more = {"ANABRANCH_DEMO_IDLE_MINUTES": "0.2", "ANABRANCH_DEMO_GRACE_SECONDS": "60"}
    with demo_served(temporary, **more) as demo, visit(chromium, demo) as page:
        ask(page, "Which region has the highest revenue?")
        told(page, 1)
        until(lambda: demo.visitors() == [])
        page.locator(".st-key-composer textarea").fill("my long careful question")
        page.locator(".st-key-composer textarea").press("Enter")
        expect(page.get_by_text("Your earlier session was wiped").first).to_be_visible()
        expect(page.locator(".st-key-refused")).to_contain_text("my long careful question")
        page.locator(".st-key-send-again button").click()
        expect(page.locator(".ab-bubble")).to_have_text("my long careful question")


def test_a_full_demo_says_so_and_lets_in_waiting_visitors(
    tmp_path: Path, chromium: Browser, shoot: Callable[[Page, str], None]
) -> None:
    """A waiting visitor need not reload after another visitor has left."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    with demo_served(
        temporary, plain=True, ANABRANCH_DEMO_VISITORS="1", ANABRANCH_DEMO_GRACE_SECONDS="1"
    ) as demo:
        with visit(chromium, demo) as one:
            expect(one.locator(".ab-demo")).to_be_visible()
            context = chromium.new_context(viewport={"width": 1280, "height": 900})
            late = context.new_page()
            late.goto(demo.url)
            expect(late.locator(".ab-demo-full")).to_contain_text("The demo is full right now")
            shoot(late, "demo-full")
        until(lambda: demo.visitors() == [])
        late.get_by_role("button", name="Try now").click()
        expect(late.locator(".st-key-composer textarea")).to_be_visible()
        context.close()


def test_the_banner_fits_light_and_dark_and_on_a_phone(
    demo: Demo, chromium: Browser, shoot: Callable[[Page, str], None]
) -> None:
    """For screenshots; nothing may be wider than the page."""
    for scheme, width in (("light", 1440), ("dark", 1440), ("light", 390), ("dark", 390)):
        context = chromium.new_context(
            viewport={"width": width, "height": 844},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        page = context.new_page()
        come(page, demo.url)
        expect(page.locator(".ab-demo")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        shoot(page, f"demo-banner-{scheme}-{width}")
        context.close()


def environment_without_the_project(folder: Path) -> Path:
    """A virtual environment with all packages of this one except for the project; returns its Python."""
    venv.create(folder, with_pip=False, symlinks=True)
    here = Path(pytest.__file__).resolve().parents[1]
    packages = next(folder.glob("lib/python*/site-packages"))
    for entry in here.iterdir():
        if "anabranch" not in entry.name.lower() and entry.suffix not in (".pth", ".egg-link"):
            (packages / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


def test_a_demo_starts_from_a_checkout_that_is_not_installed(tmp_path: Path, chromium: Browser) -> None:
    """Like on Community Cloud: only the requirements, only the file, and one variable."""
    root, temporary = tmp_path / "checkout", tmp_path / "tmp"
    root.mkdir()
    temporary.mkdir()
    for name in ("engine", "events", "ui", "sample_bundles", ".streamlit"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    python = environment_without_the_project(tmp_path / "environment")
    with demo_served(temporary, root=root, PYTHON=str(python)) as demo, visit(chromium, demo) as page:
        ask(page, "Which region has the highest revenue?")
        told(page, 1)
        expect(page.locator(".ab-demo")).to_be_visible()
