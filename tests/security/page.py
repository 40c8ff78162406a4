"""Tries every hostile act at every level and writes docs/security.md: python -m tests.security.page"""

import os
import platform
import re
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tests.security.consent_acts import rows
from tests.security.serving import SERVER_ACTS, hostile_server, server_held
from tests.security.test_injected import ORDERS, PLACES
from tests.security.trying import ACTS, WITHOUT, Scene, scene

__all__ = ["NOT_HELD", "PAGE", "browser", "facts", "main", "name", "page"]

ATTACK = Path(__file__).resolve().parents[1] / "support" / "hostile_pages" / "attack.html"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"

NOT_HELD = {
    "look_at_status": "See whether a file exists, its size and its times, if it knows the path.",
    "look_at_link": "See where a link points, if it knows its path.",
    "lock_a_library": "Lock files that it may read. A program that asks for a lock waits until the call ends.",
}
"""Acts that succeed at each level, and what they come to."""

PROMISES = {
    "files": (
        "A tool can read, change and watch only the files of its workspace and its private folder.",
        "files; read-only mounts (modes, owners, times); system calls (watching, devices, setuid)",
    ),
    "the machine": (
        "A tool can learn little about this machine and cannot change anything on it.",
        "files; own processes (a /proc with the machine's parts hidden)",
    ),
    "other processes": (
        "A tool cannot see, end, slow down or read processes other than its own.",
        "own processes; signals; system calls",
    ),
    "sockets": (
        "Without network access, a tool cannot reach any socket, on this machine or another.",
        "system calls; own network",
    ),
    "the kernel": (
        "A tool can use only the parts of the kernel that honest programs need.",
        "system calls; no privileges",
    ),
    "what it was given": ("A tool receives only the secrets that it was granted.", "clean environment"),
    "using things up": (
        "A call uses limited memory, processes, disk and output, and ends in time.",
        "resource limits; process group (its total use is watched)",
    ),
    "outliving the call": (
        "When a call ends, everything that it started ends too.",
        "own processes; process group",
    ),
    "traps for who takes the files": (
        "The files that a call leaves cannot mislead, block or overfill the engine when it stores them.",
        "the snapshot: does not follow links, open pipes or store holes, and removes setuid bits",
    ),
}
"""Section of acts → what is promised, and the layers that hold it."""

HEAD = """# How tools are confined

Written by `python -m tests.security.page`; not by hand.

## What is not prevented

Even with all layers, a tool can:

{not_held}
- See how busy the machine is, how much memory it has and which file systems are mounted (`/proc/stat`, `/proc/mounts`).
- With the network granted: reach any address, and the ports of this machine, and send what it has read.
- Slow down other calls: calls share the processor and the disk. Memory is limited per process; all processes of a call
  together are stopped at three quarters of the machine's memory. Control groups are not used.

With fewer layers, more acts succeed: see the columns below. `anabranch doctor` lists what your system cannot prevent.
If the system does not allow namespaces for ordinary users, a tool also sees the names of your other programs, and
changing modes, owners and times of files has no effect, even in the workspace; `setsid` and `setpgid` are then refused,
so that all processes of a call can be ended.

## The layers

A tool runs in its own process, which gives up what its call was not granted before any code of its bundle is loaded.
The layers that were active are recorded with the call.

| layer | what it does | where |
| --- | --- | --- |
| process group | processes end with their call; their total use is watched | Linux; elsewhere only the group |
| clean environment | only a few variables and those granted; its own HOME and temporary files | everywhere |
| resource limits | memory, processor time, size of a file, descriptors, no core dumps | Linux, macOS |
| read-only mounts | everything except the workspace and private folder | Linux, if namespaces are allowed |
| own processes | /proc lists the call's processes only, and its first process ends them all | the same |
| own network | no network interface and no list of connections | the same |
| no privileges | no capabilities, and no program grants any (`no_new_privs`) | Linux |
| files | may read bundle, packages, programs; may write workspace and private folder (Landlock) | Linux from 5.13 |
| signals | only to its own processes (Landlock) | Linux from 6.12 |
| system calls | only those on a list, some only with certain arguments (seccomp) | Linux on x86-64, aarch64 |
| no network | no sockets; with the network granted, only TCP and UDP | with system calls |

The level is “full” with files, system calls and resource limits, “filesystem only” with only files, otherwise “process
only”. A call is confined as far as the system allows, and refused if a layer that the system supports fails. With the
setting `sandbox_at_least` you can allow less, or refuse to run tools with less.

## What is tested
"""

BROWSER = """
# How pages are confined

| what is shown | how it is confined |
| --- | --- |
| the app's page | a policy that allows only its own scripts and fetches only from its own address |
| what models and tools write | Markdown without pictures, labels as text, charts that fetch nothing |
| a page that a tool made | an opaque origin and a policy without any access, in its frame and in a separate tab |
| the same, network granted | https, but neither the app nor this machine; never for a page of the workspace |
| the same, without /v1 | two nested frames, both with that policy |
| an address from a tool | https or this machine, after a click, in a frame that cannot navigate elsewhere |
| files opened by themselves | sandboxed, with a fixed type that the browser must not guess |

Other renderers run no scripts at all. Scripts in each value of each renderer, as markup, links, formulas, Mermaid, Vega
expressions, drawings and names, are tested with the routes, as a plain script and in a demo (`test_hostile_values.py`).

These probes are tested in Chromium against a page with its routes, as a plain script and in a demo (`tests/browser`).
None succeeds:

"""

RESIDUAL = {"rtc_in_frame"}
REST = """
What a browser itself does not stop:

- Any process on this machine that requests the page gets its cookie, as any browser does. Because cookies ignore ports,
  it is also sent to another local server's addresses below /v1 that you open. The token protects against web pages, not
  against other users and programs on the machine.
- Without /v1 (a plain script, the demo) no header can be set. A page in nested frames can then send small datagrams by
  WebRTC from a frame within it. If it tries to navigate to another address, the browser looks up that name and opens a
  connection before it refuses. No request is sent over it, but the name itself can carry data.
- With the network granted, a page can send anything to any https address, including its data.
- `Connection-Allowlist` and `treat-as-public-address`, which block WebRTC, navigation away in a separate tab, and
  access to this machine over https, work only in Chromium. Other browsers should enforce the rest; they were not
  tested.
- In Chromium 156 a page that opens WebRTC in a frame within it can crash its tab. No data is sent.
- A page can keep its own process busy until it is closed. The app keeps working.
- An address that you load in a frame learns that you loaded it, and can do in its frame what any page can.
"""


STRANGERS = """
What is not prevented:

- A remote server can do anything with the arguments of its tools, and a tool with network access can send more than is
  shown. Its process sees only the files that its arguments name.
- A host that a bundle names as its destination is a claim that is not enforced.
- With `unconfined`, which only you can set, or on a system without Landlock, an MCP server runs as you.
- Secrets are found in results in plain form, encoded (base64, base32, hex, URL, UTF-16), reversed and in upper or lower
  case. They are not found if they are encrypted, split into letters, or in several of these forms at once.
- In a chat without files, results and definitions, you are not asked before text that you wrote or pasted is sent.
- After `always`, or with the setting `sending` at `freely`, data is recorded but not shown before it is sent.

Each attack below runs in `make test`, against a real app, a real server or a model that obeys the attacker.
"""


def browser() -> str:
    """What is tried in the browser, told from the hostile pages and tests themselves."""
    probes = sorted(set(re.findall(r'probe\("([a-z_]+)"', ATTACK.read_text())) - RESIDUAL)
    said = textwrap.fill(", ".join(name.replace("_", " ") for name in probes) + ".", 118)
    return BROWSER + said + "\n" + REST


def facts(at: Scene) -> str:
    """The machine, as far as results depend on it."""
    user = "root" if os.geteuid() == 0 else "an ordinary user"
    held = {level: pool.confinement() for level, pool in at.pools.items()}
    layers = held["full"]
    assert layers is not None
    return f"{platform.system()}, {platform.machine()}, {user}: {', '.join(layers.layers)}."


def page(at: Scene) -> str:
    """Try everything and return the page."""
    held = {
        act: [at.succeeded(act, level) is None for level in WITHOUT] for acts in ACTS.values() for act in acts
    }
    total = len(held)
    lines = [
        HEAD.format(not_held="\n".join(f"- {told}" for told in NOT_HELD.values())),
        f"{total} acts, each a small tool, run in a real pool at each level (`tests/security`). The numbers "
        "count the acts that were stopped.",
        "",
        f"Tested on {facts(at)}",
        "",
        f"| promise | acts | {' | '.join(WITHOUT)} | stopped by |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for section, acts in ACTS.items():
        promise, layers = PROMISES[section]
        counts = " | ".join(str(sum(column)) for column in zip(*(held[act] for act in acts), strict=True))
        lines.append(f"| {promise} | {len(acts)} | {counts} | {layers} |")
    sums = " | ".join(str(sum(column)) for column in zip(*held.values(), strict=True))
    lines += [f"| all | {total} | {sums} | |", ""]
    for section, acts in ACTS.items():
        lines += [f"### {section[0].upper()}{section[1:]}", "", *_by_level({act: held[act] for act in acts})]
    return "\n".join([*lines, *strangers()]).rstrip() + "\n" + browser()


def strangers() -> Iterator[str]:
    """What bundles, MCP servers and files try: each promise, the acts, and how many were held."""
    yield "# What bundles, servers and files try"
    yield STRANGERS
    yield "| promise | acts | stopped | stopped by |"
    yield "| --- | --- | --- | --- |"
    found = rows()
    for promise in dict.fromkeys(row[0] for row in found):
        mine = [row for row in found if row[0] == promise]
        yield f"| {promise} | {len(mine)} | {sum(row[2] for row in mine)} | {mine[0][3]} |"
    with tempfile.TemporaryDirectory(prefix="anabranch-server-") as root, hostile_server(Path(root)) as app:
        held = [server_held(app, act) for act in SERVER_ACTS]
        state = app.mcp.states()[0].held
    layers = ", ".join(state.layers) if state else "nothing"
    promise = (
        "An MCP server that Anabranch starts can reach only its program, its folder, and what was agreed to."
    )
    yield f"| {promise} | {len(held)} | {sum(held)} | {layers} |"
    places = len(PLACES) * len(ORDERS)
    promise = "The content of a file never gets into the system text. A model that obeys it cannot send data unseen."
    yield f"| {promise} | {places} | {places} | a fenced and escaped data part; the user is asked with the bytes |"
    yield ""


def _by_level(held: dict[str, list[bool]]) -> Iterator[str]:
    """The acts by the weakest level that holds them."""
    levels = list(WITHOUT)
    for place, level in [*enumerate(levels), (len(levels), "")]:
        acts = [
            name(act) for act, at in held.items() if (at.index(True) if any(at) else len(levels)) == place
        ]
        if acts:
            told = (
                f"Stopped at “{level}”" + (" already" if level != levels[-1] else " only")
                if level
                else "**Not stopped**"
            )
            yield textwrap.fill(f"{told}: {', '.join(acts)}.", 118)
            yield ""


def name(act: str) -> str:
    """An act as the page names it."""
    return act.replace("_", " ")


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory(prefix="anabranch-hostile-") as root, scene(Path(root)) as at:
        PAGE.write_text(page(at))
    print(f"{PAGE} written.")


if __name__ == "__main__":
    main()
