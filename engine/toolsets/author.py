"""Creates a new toolset for an author: a small, complete toolset that passes its own test, or only a skill.

The files are text in this module, so that a test can run them and the guide stays correct.
"""

import os
import re
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path

from engine.errors import Invalid, Refused, Unavailable
from engine.system.private_files import users_mode
from engine.toolsets.bundle_paths import path_problems

__all__ = ["new_skill", "new_toolset", "write_new"]

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_SKILL_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

_MANIFEST = """\
# What this toolset contains and what it needs. Every key is described in docs/manifest.md;
# `anabranch toolset validate .` lists all problems, with their lines.
manifest_version: "1"
id: {id}
name: {title}
version: "0.1.0"            # raise it when you share a change
description: Counts how often each value occurs in a column of a CSV file.

tools:
  - id: tally
    name: Tally
    # Models choose tools by this text: describe the input, the output and the limits.
    description: Count how often each value occurs in one column of a CSV file, the most frequent first.
    entrypoint: tools.tally:run       # the function `run` in tools/tally.py
    effects: read                     # read, create (only adds files) or write
    requires_confirmation: false      # true: the user is asked before each call
    timeout: 30                       # seconds
    input_schema:                     # JSON Schema of the arguments
      type: object
      additionalProperties: false
      required: [file, column]
      properties:
        file:
          type: string
          description: A CSV file of the workspace.
        column:
          type: string
          description: The column to count by.
        limit:
          type: integer
          minimum: 1
          maximum: 1000
          description: How many values to return; 10 unless given.
    renderer:                         # how the result is shown: docs/renderers.md
      type: table
      config:
        rows: $return.rows
        title: Values of $args.column
    examples:                         # `anabranch toolset test .` runs each of them
      - description: Three lines, two cities.
        args: {{file: cities.csv, column: city}}
        files:                        # in the workspace before the call
          cities.csv: |
            city,degrees
            Oslo,4
            Lima,19
            Oslo,6
        expected_keys: [rows, total]  # the result must have these

# What the tools may do beyond the chat's files; the user agrees to it before anything is installed.
# permissions:
#   network: true
# requirements: [humanize>=4]         # packages, installed when the user agrees
# config:                             # keys that the user sets; a tool reads os.environ["{variable}"]
#   - {{name: {variable}, secret: true, required: true, description: Key of the service}}
"""

_TOOL = '''\
"""The tool `tally`: counts how often each value occurs in a column of a CSV file."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

from anabranch_tool import progress


def run(workspace: Path, file: str, column: str, limit: int = 10) -> dict[str, Any]:
    """Count the values of `column`.

    `workspace` is the chat's folder; the other arguments are those of input_schema. The returned value must be JSON:
    a model reads it, and a renderer gets it as `$return`. A model also reads the message of an exception, so say in
    it what to do next.
    """
    path = workspace / file
    if not path.is_file():
        there = ", ".join(sorted(found.name for found in workspace.glob("*.csv"))) or "none"
        raise FileNotFoundError(f"There is no file {file}. CSV files here: {there}.")
    counts: Counter[str] = Counter()
    with path.open(newline="", encoding="utf-8-sig") as lines:
        rows = csv.DictReader(lines)
        if column not in (rows.fieldnames or ()):
            raise ValueError(f"{file} has no column {column}. It has: {', '.join(rows.fieldnames or ())}.")
        for number, row in enumerate(rows):
            counts[row[column] or ""] += 1
            if number % 10_000 == 0:
                progress(None, f"{number:,} rows")  # shown while the call runs
    total = sum(counts.values())
    found = [{"value": value, "count": count} for value, count in counts.most_common(limit)]
    return {"column": column, "total": total, "different": len(counts), "rows": found}
'''

_README = """\
# {title}

A toolset for Anabranch: one tool, `tally`, that counts the values of a column.

    anabranch toolset test .        run the examples of toolset.yaml in the sandbox
    anabranch toolset install .     install it; later calls always use the files as you last saved them here
    anabranch toolset pack .        write a ZIP to share

`toolset.yaml` describes the tools and the permissions that they need; `tools/` contains the code.
"""

_SKILL = """\
---
name: {id}
description: What this skill is for, and when to use it. Models choose skills only by this text.
---

# {title}

A model reads these instructions when a task fits the description above. Say what to do step by step, which files to
look at, and what a good answer looks like. Put longer material into `references/` and name it here.

1. List the files and look at the tables.
2. Name missing data before computing anything.
3. Answer in one table and two sentences.
"""


def new_toolset(toolset_id: str) -> dict[str, str]:
    """Return the files of a new toolset: path → text.

    Raises:
        Invalid: the id is not valid (`invalid_id`).
    """
    if not _ID.fullmatch(toolset_id):
        raise _bad(
            toolset_id,
            "use at most 40 lower-case letters, digits and hyphens, starting with a letter or digit",
        )
    words = {"id": toolset_id, "title": _title(toolset_id), "variable": f"{_variable(toolset_id)}_KEY"}
    return {
        "toolset.yaml": _MANIFEST.format(**words),
        "tools/tally.py": _TOOL,
        "README.md": _README.format(**words),
    }


def new_skill(name: str) -> dict[str, str]:
    """Return the files of a new skill, a toolset without tools.

    Raises:
        Invalid: the name is not valid (`invalid_id`).
    """
    if not _SKILL_NAME.fullmatch(name) or len(name) > 64:
        raise _bad(
            name,
            "use lower-case letters and digits, with single hyphens between words, at most 64 characters",
        )
    return {"SKILL.md": _SKILL.format(id=name, title=_title(name))}


def write_new(files: Mapping[str, str], folder: Path) -> None:
    """Write `files` into the new folder `folder`, all of them or none.

    Raises:
        Invalid: the folder's name is not valid on every system (`invalid_id`).
        Refused: the folder already exists (`folder_exists`).
        Unavailable: the system refused (`folder_write`).
    """
    if problems := path_problems([folder.name], set()):
        raise _bad(folder.name, problems[0].message)
    if folder.exists() or folder.is_symlink():
        raise Refused(
            "folder_exists", f"{folder} already exists. Choose another name, or another place with --into."
        )
    staging = folder.parent / f".{folder.name}.{uuid.uuid4().hex}.new"
    try:
        for path, text in files.items():
            (staging / path).parent.mkdir(parents=True, exist_ok=True)
            (staging / path).write_text(text, encoding="utf-8", newline="\n")
        for made in (staging, *staging.rglob("*")):
            made.chmod(users_mode(folder=made.is_dir()))
        os.rename(staging, folder)  # noqa: PTH104 - not over a folder that came meanwhile and holds something
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror or error}. Check that its folder exists and is yours."
        raise Unavailable("folder_write", message) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _title(name: str) -> str:
    words = name.replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def _variable(toolset_id: str) -> str:
    name = toolset_id.replace("-", "_").upper()
    return name if name[0].isalpha() else f"MY_{name}"


def _bad(name: str, rule: str) -> Invalid:
    return Invalid("invalid_id", f"{name!r} cannot be the name of a toolset: {rule}.")
