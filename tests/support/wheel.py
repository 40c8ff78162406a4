"""Builds the project's wheel and installs it into an environment that cannot import the checkout."""

import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["Installation", "install_wheel"]

_ROOT = Path(__file__).resolve().parents[2]
_BUILT_FROM = ("engine", "events", "ui", "sample_bundles", ".streamlit", "tests", "docs")
"""The folders that are copied to build the wheel. The last two are copied to test that the wheel leaves them out."""


@dataclass(frozen=True, slots=True)
class Installation:
    """An environment with the wheel installed."""

    folder: Path

    @property
    def python(self) -> Path:
        """The environment's Python interpreter."""
        return self.folder / "bin" / "python"

    @property
    def program(self) -> Path:
        """The environment's program `anabranch`."""
        return self.folder / "bin" / "anabranch"

    @property
    def packages(self) -> Path:
        """The environment's folder `site-packages`."""
        return next(self.folder.glob("lib/python*/site-packages"))

    @property
    def environ(self) -> dict[str, str]:
        """Environment variables that hide all other code, and all settings except those in its folder."""
        own = {
            "ANABRANCH_CONFIG": str(self.folder / "config"),
            "ANABRANCH_DATA": str(self.folder / "data"),
            "ANABRANCH_KEYRING": "off",
        }
        return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | own

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run `anabranch` in a folder that is not the checkout."""
        return self._run([str(self.program), *words])

    def run_python(self, code: str) -> "subprocess.CompletedProcess[str]":
        """Run code in the environment's Python."""
        return self._run([str(self.python), "-c", code])

    def _run(self, command: list[str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )


def install_wheel(folder: Path) -> Installation:
    """Build the wheel from a copy of the sources and install it.

    The dependencies are those of the running environment, found through its path. The editable installation of the
    project there is not found, because Python ignores `.pth` files in a folder that was itself added by a `.pth` file.
    """
    sources = folder / "sources"
    sources.mkdir()
    for name in _BUILT_FROM:
        shutil.copytree(_ROOT / name, sources / name)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(_ROOT / name, sources)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheels = folder / "wheels"
    _pip([*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(sources)])
    installation = Installation(folder / "environment")
    venv.create(installation.folder, with_pip=False, symlinks=True)
    python = ["--python", str(installation.python)]
    _pip([*pip, *python, "install", "--no-deps", "--no-index", *map(str, wheels.glob("*.whl"))])
    dependencies = Path(pytest.__file__).resolve().parents[1]
    (installation.packages / "dependencies.pth").write_text(f"{dependencies}\n")
    return installation


def _pip(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
