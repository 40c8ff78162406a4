"""Committed files work on any machine: they contain no local paths and no addresses of package registries."""

import re
import subprocess

import pytest

from tests.architecture.modules import ROOT

PATHS = re.compile(
    r"(?<![\w.\-])/(?:" + "|".join(["root", "work", "home/[a-z]+", "Users/[A-Za-z]+"]) + r")/[\w.]"
)
REGISTRY = re.compile(
    r"--(?:extra-)?index-url|--find-links|--trusted-host|https?://[^\s\"')>]*pypi[^\s\"')>]*", re.I
)
MADE_UP = {"tests/architecture/test_committed.py", "tests/engine/toolsets/test_manifest.py"}
"""Files in which addresses are the matter of a test."""


def committed() -> list[str]:
    """Return the files that git tracks."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    run = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in run.stdout.split("\0") if name and (ROOT / name).is_file()]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    """Return the committed lines in which `pattern` is found, as `file:line: match`."""
    found = []
    for name in committed():
        if name in MADE_UP:
            continue
        try:
            text = (ROOT / name).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if match := pattern.search(line):
                found.append(f"{name}:{number}: {match.group()}")
    return found


def test_no_local_path_is_committed() -> None:
    """A home folder or the path of a checkout means nothing on another machine."""
    assert lines_with(PATHS) == []


def test_no_package_registry_is_named() -> None:
    """Where packages come from is the installer's configuration, not the project's."""
    assert lines_with(REGISTRY) == []


REQUIREMENTS = ["requirements.txt", "requirements-dev.txt", "requirements-analysis.txt"]


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_requirements_are_pinned_and_hashed(name: str) -> None:
    """Each package has one version, at least one hash, and no address."""
    text = re.sub(r"^#.*\n?", "", (ROOT / name).read_text(), flags=re.M)
    entries = [entry.strip() for entry in text.replace("\\\n", " ").splitlines() if entry.strip()]
    pinned = re.compile(r"[a-z0-9._-]+==[\w.+!]+( ; [^@]+?)?( +--hash=sha256:[0-9a-f]{64})+")
    assert [entry[:60] for entry in entries if not pinned.fullmatch(entry)] == []
    assert len(entries) > 20


def pins(name: str) -> dict[str, set[str]]:
    """Return the lines `package==version ; marker` of a requirements file, by package."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / name).read_text().splitlines():
        if match := re.match(r"([a-z0-9._-]+)==(.+?) ?\\$", line):
            found.setdefault(match[1], set()).add(match[2])
    return found


@pytest.mark.parametrize("name", REQUIREMENTS[1:])
def test_requirements_agree_on_shared_packages(name: str) -> None:
    """All files are installed into one environment, so a package has the same versions in each of them."""
    app, other = pins("requirements.txt"), pins(name)
    shared = app.keys() & other.keys()
    assert len(shared) > 10
    assert {package: other[package] for package in shared if other[package] != app[package]} == {}


def test_the_app_does_not_require_the_analysis_packages() -> None:
    """A hosted demo installs requirements.txt only."""
    own = {"scipy", "statsmodels", "scikit-learn", "matplotlib"}
    assert own & pins("requirements.txt").keys() == set()
    assert own <= pins("requirements-analysis.txt").keys()
