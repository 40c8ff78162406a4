"""What a tool may do to its process, and how the engine handles it; with fork, and without."""

import os
import py_compile
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import Unavailable
from engine.runtime.pool import Pool
from engine.runtime.protocol import Limits, RunOutcome, RunRequest
from engine.system.cancellation import Cancellation
from tests.support.processes import life

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="tool processes need POSIX")
FORKS = sys.platform.startswith("linux")
BRIEF = Limits(seconds=300)


WAYS = (
    [pytest.param(True, id="fork"), pytest.param(False, id="once")]
    if FORKS
    else [pytest.param(False, id="once")]
)


@pytest.fixture(scope="module", params=WAYS)
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    with Pool(fork=request.param) as pool:
        yield pool


@pytest.fixture
def forking() -> Iterator[Pool]:
    if not FORKS:
        pytest.skip("no fork here")
    with Pool(
        fork=True, without=("files", "system calls", "own processes")
    ) as pool:  # what watches must hold by itself
        yield pool


def bundle(root: Path, code: str, name: str = "analyze") -> Path:
    tools = root / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    (tools / f"{name}.py").write_text(textwrap.dedent(code))
    return root


def request_of(tmp_path: Path, code: str, **arguments: object) -> RunRequest:
    workspace = tmp_path / "workspace"
    workspace.mkdir(exist_ok=True)
    return RunRequest(
        "call", bundle(tmp_path / "bundle", code), "tools.analyze:run", workspace, arguments, limits=BRIEF
    )


def run(pool: Pool, request: RunRequest, seconds: float | None = None) -> RunOutcome:
    if seconds is not None:
        request = replace(request, limits=replace(request.limits, seconds=seconds))
    return pool.run(request, cancel=Cancellation())


def kind(outcome: RunOutcome) -> str:
    assert outcome.error is not None, outcome
    return outcome.error.kind


def test_a_tool_gets_its_workspace_and_arguments_and_returns_a_dict(pool: Pool, tmp_path: Path) -> None:
    code = """
        import os
        def run(workspace, word, times=1):
            (workspace / "out.txt").write_text(word * times)
            return {"where": os.getcwd() == str(workspace), "word": word, "none": None, "more": (1, 2.5)}
    """
    outcome = run(pool, request_of(tmp_path, code, word="é", times=2))
    assert outcome.status == "success", outcome.error
    assert outcome.value == {"where": True, "word": "é", "none": None, "more": [1, 2.5]}
    assert (tmp_path / "workspace" / "out.txt").read_text() == "éé"
    assert outcome.peak_bytes > 1 << 20
    assert outcome.seconds > 0
    assert outcome.confinement.layers[:3] == ("process group", "clean environment", "resource limits")


def test_both_spellings_of_an_entrypoint_mean_the_same(pool: Pool, tmp_path: Path) -> None:
    request = request_of(tmp_path, "def run(workspace): return {'name': __name__}")
    short = replace(request, entrypoint="analyze:run")
    assert run(pool, short).value == run(pool, request).value == {"name": "tools.analyze"}


def test_an_async_tool_is_awaited(pool: Pool, tmp_path: Path) -> None:
    code = """
        import asyncio
        async def run(workspace):
            await asyncio.sleep(0)
            return {"awaited": True}
    """
    assert run(pool, request_of(tmp_path, code)).value == {"awaited": True}


def test_a_bundles_own_modules_can_be_imported_and_do_not_shadow_other_modules(
    pool: Pool, tmp_path: Path
) -> None:
    root = bundle(tmp_path / "bundle", "WORD = 'plain'", "helper")
    bundle(root, "raise ImportError('the standard one is meant')", "json")
    bundle(root, "WORD = 'mine'", "engine")
    (root / "tools" / "deep").mkdir()
    (root / "tools" / "deep" / "inner.py").write_text(
        "from .. import helper\nWORD = helper.WORD + ' and deep'"
    )
    code = """
        import json
        import helper
        import engine
        from tools.deep.inner import WORD
        from . import helper as same
        def run(workspace): return {"words": [helper.WORD, WORD, same.WORD, engine.WORD], "json": json.dumps(1)}
    """
    outcome = run(pool, request_of(tmp_path, code))
    assert outcome.value == {"words": ["plain", "plain and deep", "plain", "mine"], "json": "1"}, (
        outcome.error
    )


def test_modules_of_the_same_name_are_not_mixed_up_between_bundles_or_after_an_upgrade(
    pool: Pool, tmp_path: Path
) -> None:
    one = request_of(tmp_path, "import helper\ndef run(workspace): return {'value': helper.VALUE}")
    bundle(tmp_path / "bundle", "VALUE = 1", "helper")
    other = bundle(tmp_path / "other", "import helper\ndef run(workspace): return {'value': helper.VALUE}")
    bundle(other, "VALUE = 2", "helper")
    assert run(pool, one).value == {"value": 1}
    assert run(pool, replace(one, bundle=other)).value == {"value": 2}
    bundle(tmp_path / "bundle", "VALUE = 3", "helper")
    assert run(pool, one).value == {"value": 3}
    assert not list(tmp_path.rglob("__pycache__"))


def test_compiled_bytecode_in_a_bundle_is_never_read(pool: Pool, tmp_path: Path) -> None:
    text = "import sys, helper\nfrom tools.helper import VALUE\n"
    asked = request_of(tmp_path, text + "def run(workspace): return {'values': [VALUE, helper.VALUE]}")
    bundle(tmp_path / "bundle", "VALUE = 1", "helper")
    evil = tmp_path / "evil.py"
    evil.write_text("VALUE = 666")
    name = f"helper.{sys.implementation.cache_tag}.pyc"
    target = tmp_path / "bundle" / "tools" / "__pycache__" / name
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(evil), cfile=str(target), invalidation_mode=mode)
    assert run(pool, asked).value == {"values": [1, 1]}
    target.replace(tmp_path / "bundle" / "tools" / "bare.pyc")
    bare = replace(asked, entrypoint="tools.bare:run")
    assert kind(run(pool, bare)) == "not_found"


@pytest.mark.parametrize(
    ("entrypoint", "says"),
    [
        ("tools.analyze:absent", "has no function `absent`"),
        ("tools.absent:run", "`tools.absent` is missing"),
        ("tools.analyze:VALUE", "has no function `VALUE`"),
        ("os:system", "`tools.os` is missing"),
        ("../analyze:run", "is not of the form"),
        ("analyze", "is not of the form"),
    ],
)
def test_an_entrypoint_that_does_not_exist_is_reported(
    pool: Pool, tmp_path: Path, entrypoint: str, says: str
) -> None:
    request = replace(request_of(tmp_path, "VALUE = 1\ndef run(workspace): return {}"), entrypoint=entrypoint)
    outcome = run(pool, request)
    assert kind(outcome) == "not_found"
    assert says in outcome.error.message if outcome.error else False


def test_an_exception_shows_its_type_its_text_and_only_the_tools_own_frames(
    pool: Pool, tmp_path: Path
) -> None:
    code = """
        import json
        def parse(text):
            return json.loads(text)
        def run(workspace):
            print("before")
            try:
                parse("{")
            except ValueError as error:
                raise RuntimeError("not a table") from error
    """
    outcome = run(pool, request_of(tmp_path, code))
    assert outcome.status == "error"
    assert outcome.error is not None
    assert outcome.error.kind == "exception"
    assert outcome.error.message == "RuntimeError: not a table"
    assert 'File "tools/analyze.py", line 4, in parse' in outcome.error.traceback
    assert "decoder.py" not in outcome.error.traceback
    assert str(tmp_path) not in outcome.error.traceback
    assert outcome.stdout == "before\n"


@pytest.mark.parametrize(
    ("body", "expected", "says"),
    [
        ("return [1]", "not_a_dict", "of type list"),
        ("return None", "not_a_dict", "of type NoneType"),
        ("return {'rows': [{'x': float('nan')}]}", "not_json", "$return.rows[0].x is nan"),
        ("return {'when': workspace}", "not_json", "$return.when is of type PosixPath"),
        ("return {(1, 2): 3}", "not_json", "a key of type tuple"),
        ("a = {}; a['a'] = a; return a", "not_json", "$return.a contains itself"),
        ("return {'text': '\\ud800'}", "not_json", "not valid Unicode"),
        ("return {'text': 'x' * (20 << 20)}", "too_large", "limit is 8,388,608"),
        ("raise SystemExit(3)", "exception", "SystemExit: 3"),
        ("return {'x': y}", "exception", "NameError"),
    ],
)
def test_a_result_that_cannot_be_accepted_is_refused_with_the_reason(
    pool: Pool, tmp_path: Path, body: str, expected: str, says: str
) -> None:
    outcome = run(pool, request_of(tmp_path, f"def run(workspace):\n    {body}"))
    assert outcome.status == "error"
    assert kind(outcome) == expected
    assert outcome.error is not None
    assert says in outcome.error.message


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("import os; os._exit(0)", "exit code 0 before it returned"),
        ("import os; os._exit(7)", "exit code 7 before it returned"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    ],
)
def test_a_process_that_dies_is_a_crash(pool: Pool, tmp_path: Path, body: str, says: str) -> None:
    outcome = run(pool, request_of(tmp_path, f"def run(workspace):\n    {body}"))
    assert outcome.status == "error"
    assert kind(outcome) == "crashed"
    assert outcome.error is not None
    assert says in outcome.error.message


def test_a_tool_that_never_ends_is_stopped_at_its_limit_with_its_children(pool: Pool, tmp_path: Path) -> None:
    code = """
        import os, signal, subprocess
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        def run(workspace):
            held = os.open("life", os.O_WRONLY)
            os.write(held, b"x")
            subprocess.Popen(["sleep", "1000"], pass_fds=[held]).wait()
    """
    request = request_of(tmp_path, code)
    with life(request.workspace) as child:
        outcome = run(pool, request, seconds=0.5)
        assert child.over()
    assert outcome.status == "timed_out"
    assert "limit of 0.5 s" in (outcome.error.message if outcome.error else "")
    assert 0.5 <= outcome.seconds < 500


def test_a_call_does_not_wait_for_a_child_that_keeps_its_pipes_open(pool: Pool, tmp_path: Path) -> None:
    code = """
        import os, subprocess
        def run(workspace):
            held = os.open("life", os.O_WRONLY)
            os.write(held, b"x")
            subprocess.Popen(["sleep", "1000"], pass_fds=[held])
            return {}
    """
    request = request_of(tmp_path, code)
    with life(request.workspace) as child:
        assert run(pool, request).status == "success"
        assert child.over()


def test_a_process_that_left_the_process_group_is_killed_with_the_others(
    forking: Pool, tmp_path: Path
) -> None:
    code = """
        import os
        def run(workspace):
            read, write = os.pipe()
            if os.fork() == 0:
                os.setsid()
                held = os.open("life", os.O_WRONLY)
                os.write(held, b"x")
                os.set_inheritable(held, True)
                if os.fork() == 0:
                    os.write(write, b"x")
                    os.execvp("sleep", ["sleep", "1000"])
                os._exit(0)
            os.read(read, 1)
            return {}
    """
    request = request_of(tmp_path, code)
    with life(request.workspace) as child:
        assert run(forking, request).status == "success"
        assert child.over()


def test_a_tool_that_kills_its_supervisor_affects_no_other_call(forking: Pool, tmp_path: Path) -> None:
    code = """
        import os, signal, time
        def run(workspace):
            os.kill(os.getppid(), signal.SIGKILL)
            while True: time.sleep(100)
    """
    request = request_of(tmp_path, code)
    outcome = run(forking, request)
    assert outcome.status == "error"
    assert kind(outcome) == "host"
    assert run(forking, request_of(tmp_path, "def run(workspace): return {}")).status == "success"


def test_output_arrives_live_and_a_flood_of_output_is_cut_in_the_middle(pool: Pool, tmp_path: Path) -> None:
    code = """
        import sys
        def run(workspace):
            print("begin é")
            print("trouble", file=sys.stderr)
            for _ in range(100):
                sys.stdout.write("x" * (1 << 20))
            print("the end")
            return {}
    """
    request = request_of(tmp_path, code)
    seen: list[tuple[str, str]] = []
    outcome = pool.run(
        request, cancel=Cancellation(), on_output=lambda stream, text: seen.append((stream, text))
    )
    assert outcome.status == "success"
    assert outcome.output_truncated
    assert outcome.stdout.startswith("begin é\nxxx")
    assert outcome.stdout.endswith("xxxthe end\n")
    assert "bytes are left out here" in outcome.stdout
    assert len(outcome.stdout) < request.limits.output_bytes + 100
    assert outcome.stderr == "trouble\n"
    live = "".join(text for stream, text in seen if stream == "stdout")
    assert outcome.stdout.startswith(live)
    assert ("stderr", "trouble\n") in seen


def test_output_is_captured_in_whatever_way_a_tool_prints(pool: Pool, tmp_path: Path) -> None:
    code = """
        import logging, os, subprocess, sys, warnings
        def run(workspace):
            print("a", end="")
            print("b", file=sys.__stdout__, flush=True)
            os.write(1, b"c\\n")
            subprocess.run(["echo", "d"])
            logging.warning("e")
            warnings.warn("f")
            sys.stdout.buffer.write(b"\\xff")
            sys.stdout = None
            return {}
    """
    outcome = run(pool, request_of(tmp_path, code))
    assert outcome.stdout == "ab\nc\nd\n\ufffd"
    assert "WARNING:root:e\n" in outcome.stderr
    assert "UserWarning: f" in outcome.stderr
    assert outcome.status == "success"


def test_output_is_delivered_while_the_tool_still_runs(pool: Pool, tmp_path: Path) -> None:
    code = """
        import pathlib
        def run(workspace):
            print("first line")
            pathlib.Path("gate").read_text()  # a pipe: waits until the test has seen the line
            return {}
    """
    request = request_of(tmp_path, code)
    gate = request.workspace / "gate"
    os.mkfifo(gate)
    outcome = pool.run(request, cancel=Cancellation(), on_output=lambda *_: gate.write_text("go") and None)
    assert outcome.status == "success"


def test_progress_is_reported(pool: Pool, tmp_path: Path) -> None:
    code = """
        from anabranch_tool import progress
        def run(workspace):
            progress(0.25, "reading")
            progress(1, "done")
            return {}
    """
    seen: list[tuple[float | None, str]] = []
    pool.run(
        request_of(tmp_path, code),
        cancel=Cancellation(),
        on_progress=lambda part, text: seen.append((part, text)),
    )
    assert seen[-1] == (1.0, "done")
    assert set(seen) <= {(0.25, "reading"), (1.0, "done")}


def test_the_last_of_many_quick_progress_reports_arrives_even_if_none_follows(
    pool: Pool, tmp_path: Path
) -> None:
    code = """
        from anabranch_tool import progress
        def run(workspace):
            for part in range(20):
                progress(part / 100, "reading")
            progress(None, "sorting")
            return {"heard": (workspace / "gate").read_text()}
    """
    request = request_of(tmp_path, code)
    gate = request.workspace / "gate"
    os.mkfifo(gate)

    def heard(_: float | None, text: str) -> None:
        if text == "sorting":
            gate.write_text("yes")

    outcome = pool.run(request, cancel=Cancellation(), on_progress=heard)
    assert outcome.value == {"heard": "yes"}


def test_cancelling_kills_the_call_and_its_children(pool: Pool, tmp_path: Path) -> None:
    code = """
        import os, subprocess
        def run(workspace):
            held = os.open("life", os.O_WRONLY)
            os.write(held, b"x")
            child = subprocess.Popen(["sleep", "1000"], pass_fds=[held])
            print("up")
            child.wait()
    """
    cancel, request = Cancellation(), request_of(tmp_path, code)
    with life(request.workspace) as child:
        outcome = pool.run(request, cancel=cancel, on_output=lambda *_: cancel.set())
        assert child.over()
    assert outcome.status == "cancelled"
    assert kind(outcome) == "cancelled"
    assert outcome.seconds < 500


def test_a_call_cancelled_before_its_start_does_not_run(pool: Pool, tmp_path: Path) -> None:
    cancel = Cancellation()
    cancel.set()
    request = request_of(tmp_path, "def run(workspace): (workspace / 'ran').touch(); return {}")
    assert pool.run(request, cancel=cancel).status == "cancelled"
    assert not (request.workspace / "ran").exists()


@pytest.mark.parametrize("fork", WAYS)
def test_the_environment_contains_only_what_was_granted(
    fork: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    code = """
        import os, pathlib, subprocess, tempfile
        def run(workspace):
            home = pathlib.Path.home()
            (home / "x").touch()
            seen = subprocess.run(["env"], capture_output=True, text=True).stdout
            return {"env": dict(os.environ), "home": str(home), "tmp": tempfile.gettempdir(), "child": seen}
    """
    request = replace(request_of(tmp_path, code), environment={"GRANTED": "yes"})
    with Pool(fork=fork) as pool:
        value = run(pool, request).value
    assert value is not None
    assert value["env"]["GRANTED"] == "yes"
    assert "sk-secret" not in str(value)
    assert set(value["env"]) <= {
        *("PATH", "LANG", "LC_ALL", "TZ", "HOME", "TMPDIR", "TMP", "TEMP", "PYTHONHASHSEED", "MPLBACKEND"),
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONDONTWRITEBYTECODE", "GRANTED"),
    }
    assert value["tmp"] == value["env"]["TMPDIR"]
    assert value["home"] != os.environ.get("HOME")
    assert not Path(value["home"]).exists()


def test_a_call_cannot_see_values_that_another_call_left_in_memory(pool: Pool, tmp_path: Path) -> None:
    code = """
        import json, os, random
        def run(workspace):
            before = getattr(json, "mark", None)
            json.mark = 1
            os.environ["MARK"] = "1"
            os.chdir("/")
            return {"before": before, "env": os.environ.get("MARK0"), "random": random.random()}
    """
    request = request_of(tmp_path, code)
    first, second = run(pool, request).value, run(pool, request).value
    assert first is not None
    assert second is not None
    assert first["before"] is second["before"] is None
    assert first["random"] != second["random"]


def test_only_the_channel_and_the_three_standard_streams_are_open(pool: Pool, tmp_path: Path) -> None:
    code = """
        import os, sys
        def run(workspace):
            return {"open": sum(is_open(n) for n in range(1024)), "stdin": sys.stdin.read()}
        def is_open(descriptor):
            try: return bool(os.fstat(descriptor))
            except OSError: return False
    """
    outcome = run(pool, request_of(tmp_path, code))
    assert outcome.value == {"open": 4, "stdin": ""}, outcome.error


def test_forged_and_broken_lines_on_any_descriptor_affect_only_their_own_call(
    pool: Pool, tmp_path: Path
) -> None:
    code = r"""
        import os
        def run(workspace):
            lines = [b'{"exit": {"code": 0}}', b'[[[', b'{"progress": ["x", 1]}', b'{"confined": ["full", 3]}',
                     b'{"confined": ["full", []]}',
                     b'{"result": [1]}', b'\xff\xfe', b'{"error": 1}', b'{"progress": [1e999, "x"]}']
            for descriptor in range(1, 64):
                for line in lines:
                    try: os.write(descriptor, line + b"\n")
                    except OSError: break
            return {"fine": True}
    """
    honest = run(pool, request_of(tmp_path, "def run(workspace): return {}")).confinement
    outcome = run(pool, request_of(tmp_path, code))
    assert outcome.value == {"fine": True}
    assert outcome.confinement == honest


def test_an_endless_answer_is_cut(pool: Pool, tmp_path: Path) -> None:
    code = """
        import os, stat
        def run(workspace):
            channel = next(n for n in range(3, 1024) if is_socket(n))
            while True: os.write(channel, b"x" * 65536)
        def is_socket(descriptor):
            try: return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
            except OSError: return False
    """
    outcome = run(pool, request_of(tmp_path, code))
    assert outcome.status == "error"
    assert kind(outcome) == "too_large"


def test_using_too_much_memory_or_writing_too_large_a_file_is_an_error_of_the_tool(
    pool: Pool, tmp_path: Path
) -> None:
    request = request_of(tmp_path, "def run(workspace): return {'n': len(bytearray(3 << 30))}")
    request = replace(request, limits=replace(BRIEF, memory_bytes=1 << 30, file_bytes=1 << 20))
    outcome = run(pool, request)
    assert outcome.error is not None
    assert outcome.error.message == "MemoryError (the limit is 1,024 MiB)"
    bundle(
        tmp_path / "bundle",
        "def run(workspace): (workspace / 'big').write_bytes(b'x' * (2 << 20)); return {}",
    )
    outcome = run(pool, request)
    assert outcome.error is not None
    assert "File too large" in outcome.error.message


def test_ten_calls_at_once_each_get_their_own_answer(pool: Pool, tmp_path: Path) -> None:
    code = "def run(workspace, n):\n    print(n)\n    return {'n': n}"
    requests = [request_of(tmp_path, code, n=number) for number in range(10)]
    with ThreadPoolExecutor(10) as threads:
        outcomes = list(threads.map(lambda request: run(pool, request), requests))
    assert [outcome.value for outcome in outcomes] == [{"n": number} for number in range(10)]
    assert [outcome.stdout for outcome in outcomes] == [f"{number}\n" for number in range(10)]


def test_large_arguments_arrive_complete(pool: Pool, tmp_path: Path) -> None:
    outcome = run(
        pool, request_of(tmp_path, "def run(workspace, text): return {'n': len(text)}", text="é" * (4 << 20))
    )
    assert outcome.value == {"n": 4 << 20}


def test_built_in_tools_run_without_a_bundle(pool: Pool, tmp_path: Path) -> None:
    request = RunRequest(
        "call",
        None,
        "anabranch_tool.files:write_file",
        tmp_path,
        {"path": "a/b.txt", "content": "é"},
        limits=BRIEF,
    )
    assert run(pool, request).value == {"path": "a/b.txt", "bytes": 2, "created": True}
    outcome = run(pool, replace(request, arguments={"path": "../x", "content": ""}))
    assert outcome.error is not None
    assert "is not a path in the workspace" in outcome.error.message
    assert 'File "anabranch_tool/files.py"' in outcome.error.traceback
    assert kind(run(pool, replace(request, entrypoint="os:getcwd"))) == "not_found"


def test_granted_packages_can_be_imported(pool: Pool, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "granted.py").write_text("WORD = 'here'")
    request = request_of(tmp_path, "import granted\ndef run(workspace): return {'word': granted.WORD}")
    assert run(pool, replace(request, packages=(packages,))).value == {"word": "here"}
    assert kind(run(pool, request)) == "exception"


def test_if_the_host_is_killed_running_calls_continue_and_the_next_call_works(
    forking: Pool, tmp_path: Path
) -> None:
    code = """
        import pathlib
        def run(workspace):
            print("up")
            pathlib.Path("gate").read_text()
            return {}
    """
    request = request_of(tmp_path, code)
    gate = request.workspace / "gate"
    os.mkfifo(gate)

    hosts: list[int] = []

    def see_host(*_: str) -> None:
        running = forking._hosts["plain"]._running  # type: ignore[attr-defined]
        hosts.append(running[0].pid)
        if len(hosts) == 1:
            os.kill(hosts[0], signal.SIGKILL)
        gate.write_text("go")

    first = forking.run(request, cancel=Cancellation(), on_output=see_host)
    second = forking.run(request, cancel=Cancellation(), on_output=see_host)
    assert first.status == second.status == "success"
    assert hosts[0] != hosts[1]


def test_closing_the_pool_cancels_running_calls_and_later_ones_are_refused(tmp_path: Path) -> None:
    pool = Pool()
    running = threading.Event()
    request = request_of(tmp_path, "import time\ndef run(workspace):\n    print('up')\n    time.sleep(1000)")
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(pool.run, request, cancel=Cancellation(), on_output=lambda *_: running.set())
        assert running.wait(600)
        pool.close()
        assert call.result(600).status == "cancelled"
    with pytest.raises(Unavailable, match="closing"):
        run(pool, request)
    pool.close()


def test_private_folders_of_a_killed_engine_are_deleted_a_day_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name, age in (("anabranch-call-old", 90_000), ("anabranch-call-new", 60), ("others", 90_000)):
        (tmp_path / name).mkdir()
        then = time.time() - age
        os.utime(tmp_path / name, (then, then))
    Pool().close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["anabranch-call-new", "others"]


@pytest.mark.long
def test_a_calls_private_folder_is_deleted_whatever_the_call_left_in_it(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    code = """
        import os
        def run(workspace):
            os.symlink(workspace, os.environ["TMPDIR"] + "/link")
            os.chdir(os.environ["HOME"])
            for number in range(3000):
                os.mkdir("d")
                open(str(number), "w").close()
                os.chdir("d")
            os.chmod(os.environ["TMPDIR"], 0)
            os.chmod(os.path.dirname(os.environ["HOME"]), 0)
            return {}
    """
    request = request_of(tmp_path, code)
    (request.workspace / "kept").write_text("x")
    assert run(pool, request).status == "success"
    assert list(temporary.iterdir()) == []
    assert (request.workspace / "kept").read_text() == "x"


@pytest.mark.skipif(not hasattr(os, "pidfd_open") or not FORKS, reason="needs Linux")
def test_tools_end_with_the_engine_even_if_it_is_killed(tmp_path: Path) -> None:
    request = request_of(
        tmp_path,
        "import os, time\n"
        "held = os.open('life', os.O_WRONLY)\n"
        "os.write(held, b'x')\n"
        "def run(workspace): time.sleep(1000)",
    )
    engine = f"""
        from pathlib import Path
        from engine.system.cancellation import Cancellation
        from engine.runtime.pool import Pool
        from engine.runtime.protocol import RunRequest
        bundle, workspace = Path({str(request.bundle)!r}), Path({str(request.workspace)!r})
        request = RunRequest("call", bundle, "analyze:run", workspace, {{}})
        Pool().run(request, cancel=Cancellation())
    """
    command = [sys.executable, "-c", textwrap.dedent(engine)]
    with life(request.workspace) as tool, subprocess.Popen(command, cwd=Path(__file__).parents[3]) as process:
        assert tool.taken()
        process.kill()
        assert tool.over()


def test_an_exception_in_a_callback_ends_the_call_and_is_raised(pool: Pool, tmp_path: Path) -> None:
    request = request_of(
        tmp_path,
        "import os, time\n"
        "def run(workspace):\n"
        "    held = os.open('life', os.O_WRONLY)\n"
        "    os.write(held, b'x')\n"
        "    print('up')\n"
        "    time.sleep(1000)",
    )

    def refuse(*_: str) -> None:
        raise LookupError("no more")

    with life(request.workspace) as tool:
        with pytest.raises(LookupError):
            pool.run(request, cancel=Cancellation(), on_output=refuse)
        assert tool.over()


@pytest.mark.parametrize("fork", WAYS)
@pytest.mark.parametrize("python", ["/bin/false", "/nowhere/python"])
def test_an_interpreter_that_cannot_start_is_reported_and_never_hangs(
    fork: bool, python: str, tmp_path: Path
) -> None:
    with Pool(python=Path(python), fork=fork) as pool:
        outcome = run(pool, request_of(tmp_path, "def run(workspace): return {}"))
    assert kind(outcome) == "host"
    assert "anabranch doctor" in (outcome.error.message if outcome.error else "")
