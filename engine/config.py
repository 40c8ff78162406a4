"""The location of the data folder, and all settings with their defaults."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import platformdirs

from engine.system.private_files import CONFIG_FOLDER, DATA_FOLDER, absolute_folder
from events.late_dataclass import dataclass

if TYPE_CHECKING:
    from events.json_value import JSON

__all__ = [
    "SETTINGS",
    "SHIPPED",
    "UNBOUNDED",
    "Bounds",
    "Setting",
    "Settings",
    "config_folder",
    "data_folder",
    "sample_data",
    "shipped_bundles",
]


def data_folder(option: Path | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """Return `--data`, else `ANABRANCH_DATA`, else the platform's folder for user data."""
    if option is not None:
        return absolute_folder(option, DATA_FOLDER)
    if given := environ.get("ANABRANCH_DATA"):
        return absolute_folder(Path(given), DATA_FOLDER)
    return Path(platformdirs.user_data_path("anabranch", appauthor=False))


def config_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return `ANABRANCH_CONFIG`, else the platform's folder for user configuration. Keys are stored there."""
    if given := environ.get("ANABRANCH_CONFIG"):
        return absolute_folder(Path(given), CONFIG_FOLDER)
    return Path(platformdirs.user_config_path("anabranch", appauthor=False))


SHIPPED = ("data-analyst", "app-builder", "image-studio", "web-search")
"""The bundles that are installed on first run, in this order."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits for an engine that strangers use, such as a demo visitor's. The user's own engine has no limits."""

    only_offline: bool = False
    """Whether the offline analyst is the only model. It needs no key and no other machine."""
    ships: tuple[str, ...] = SHIPPED
    """The bundles that are installed on first run."""
    withheld: frozenset[str] = frozenset()
    """The ids of tools that may not run in this engine."""
    turn_seconds: float | None = None
    """The maximum duration of a turn, in seconds; None: no limit."""
    turn_calls: int | None = None
    """The number of calls after which the model must answer; None: no limit."""
    call_memory_bytes: int | None = None
    """The maximum memory of a tool's process, even if the tool's own limit is higher; None: no limit."""
    call_file_bytes: int | None = None
    """The largest file that a tool may write; None: no limit."""


UNBOUNDED = Bounds()


def sample_data() -> Path:
    """Return the folder of the sample tables that are offered on first use."""
    return shipped_bundles() / "sample-data"


def shipped_bundles() -> Path:
    """Return the folder of the bundles that ship with Anabranch."""
    return Path(__file__).resolve().parent.parent / "sample_bundles"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its name, its default, and its effect."""

    name: str
    default: "JSON"
    description: str
    choices: tuple[str, ...] = ()
    """The allowed values; empty if any value of the type is allowed."""


SETTINGS: tuple[Setting, ...] = (
    Setting("model", "offline", "The model of new chats: `offline`, `scripted:FILE` or `PROVIDER:MODEL`."),
    Setting("base_urls", {}, "Custom addresses of providers: provider's id → URL."),
    Setting(
        "max_tool_iterations",
        5,
        "Steps with tool calls in a turn of a quick chat, before the model must answer.",
    ),
    Setting("thorough_steps", 25, "Steps with tool calls in one turn of a thorough chat."),
    Setting("max_tool_iterations_on", True, "Whether these limits apply; if off, a turn stops at 200 steps."),
    Setting("tools_on", True, "Whether models get tools at all; `ANABRANCH_TOOLS=off` overrides it."),
    Setting(
        "disclosure",
        "auto",
        "Whether models first see only the names of tools and load the tools that they need: `always`, `never`, or "
        "`auto` (if the tools take more than `disclosure_tokens`). The tools of `data-analyst` are always sent in "
        "full.",
        choices=("auto", "always", "never"),
    ),
    Setting(
        "disclosure_tokens",
        6000,
        "The approximate number of tokens that the specifications of all tools may take in each request if "
        "`disclosure` is `auto`.",
    ),
    Setting(
        "keep_picks",
        False,
        "Whether tools that a model has loaded stay loaded for the whole branch, or only until the turn ends.",
    ),
    Setting(
        "recheck_numbers",
        True,
        "Whether to send an answer back to its model, once, if it contains numbers that are in no result of the chat "
        "or that the review calls wrong. The model receives a list of them; the first answer is kept as a draft.",
    ),
    Setting(
        "review_numbers",
        True,
        "Whether the model reviews each answer in a separate, shorter request, and says which numbers do not fit their "
        "sentences. The tokens are part of the turn's cost.",
    ),
    Setting(
        "keep_journal",
        True,
        "Whether a second, compressed copy of every event is kept beside the database, in `kept-journal`. "
        "`anabranch log salvage` uses it to recover a database that cannot be opened. `anabranch doctor` shows its "
        "size. Turning the setting off deletes it.",
    ),
    Setting(
        "sandbox_at_least",
        "strongest",
        "The lowest level of confinement at which tools may run; a call that cannot be confined that strictly is "
        "refused. `strongest`: the strictest confinement that this system supports; a call is also refused if one of "
        "its layers fails. `anabranch doctor` reports the level of this system.",
        choices=("strongest", "process only", "filesystem only", "full"),
    ),
    Setting(
        "sending",
        "ask",
        "What happens in a chat with files or results when a model calls a tool that uses the network: with `ask`, "
        "the data that would be sent is shown and the call waits; with `never`, it is refused; with `freely`, it runs.",
        choices=("ask", "never", "freely"),
    ),
    Setting(
        "history_of_all_chats", False, "Whether the tool `query_history` sees all chats, not only its own."
    ),
    Setting(
        "models_that_see",
        [],
        "Models that accept pictures but that Anabranch does not recognize as such: patterns such as `ollama:*vl*`.",
    ),
    Setting(
        "context_window",
        {},
        "How many tokens a model can read: pattern → tokens, such as `ollama:*` → 8192. Set this if the provider does "
        "not report the number, or accepts fewer than it reports. If several patterns match, the longest one is used.",
    ),
    Setting(
        "unreadable_values",
        0.05,
        "The share of a column's values that may be unreadable if the column is read as numbers or dates; above "
        "it, the column stays text. From 0 to 0.5.",
    ),
    Setting("instructions", "", "The user's own instructions, sent with every request."),
)

_BY_NAME = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Settings:
    """The current settings."""

    changed: Mapping[str, "JSON"]
    environ: Mapping[str, str]

    def _value(self, name: str) -> "JSON":
        return self.changed.get(name, _BY_NAME[name].default)

    @property
    def model(self) -> str:
        """The model of new chats."""
        return str(self._value("model"))

    @property
    def base_urls(self) -> dict[str, str]:
        """The user's own server addresses for providers, by the provider's id."""
        value = self._value("base_urls")
        return {key: str(url) for key, url in value.items()} if isinstance(value, dict) else {}

    @property
    def max_tool_iterations(self) -> int:
        """The maximum number of replies with tool calls in one turn."""
        value = self._value("max_tool_iterations")
        return value if isinstance(value, int) else 5

    @property
    def thorough_steps(self) -> int:
        """The maximum number of replies with tool calls in one turn of a thorough chat."""
        value = self._value("thorough_steps")
        return value if isinstance(value, int) else 25

    @property
    def max_tool_iterations_on(self) -> bool:
        """Whether the limit on replies with tool calls applies."""
        return bool(self._value("max_tool_iterations_on"))

    @property
    def tools_on(self) -> bool:
        """Whether models get tools."""
        return bool(self._value("tools_on")) and self.environ.get("ANABRANCH_TOOLS", "").lower() != "off"

    @property
    def disclosure(self) -> Literal["auto", "always", "never"]:
        """Whether models first see only the tools' names: always, never, or (`auto`) if the specifications are long."""
        value = self._value("disclosure")
        return "always" if value == "always" else "never" if value == "never" else "auto"

    @property
    def disclosure_tokens(self) -> int:
        """The token limit for all tool specifications together. Above it, models begin with only the tools' names."""
        value = self._value("disclosure_tokens")
        return value if isinstance(value, int) else 6000

    @property
    def keep_picks(self) -> bool:
        """Whether tools that a model picked in one turn stay available in later turns."""
        return bool(self._value("keep_picks"))

    @property
    def recheck_numbers(self) -> bool:
        """Whether answers with untraced numbers are sent back to their model."""
        return bool(self._value("recheck_numbers"))

    @property
    def review_numbers(self) -> bool:
        """Whether models review the numbers of answers in a separate request."""
        return bool(self._value("review_numbers"))

    @property
    def keep_journal(self) -> bool:
        """Whether a second copy of the events is kept."""
        return bool(self._value("keep_journal"))

    @property
    def sandbox_at_least(self) -> Literal["strongest", "process only", "filesystem only", "full"]:
        """The minimum level of confinement. A tool that cannot be confined at this level does not run."""
        match self._value("sandbox_at_least"):
            case "process only" | "filesystem only" | "full" as level:
                return level
        return "strongest"

    @property
    def sending(self) -> Literal["ask", "never", "freely"]:
        """How calls that use the network are handled."""
        value = self._value("sending")
        return "never" if value == "never" else "freely" if value == "freely" else "ask"

    @property
    def unreadable_values(self) -> float:
        """The largest share of a column's values that may be unreadable."""
        value = self._value("unreadable_values")
        return float(value) if isinstance(value, float) else 0.05

    @property
    def history_of_all_chats(self) -> bool:
        """Whether a chat may query the history of other chats."""
        return bool(self._value("history_of_all_chats"))

    @property
    def models_that_see(self) -> tuple[str, ...]:
        """The user's own patterns for the names of models that accept pictures."""
        value = self._value("models_that_see")
        return tuple(str(pattern) for pattern in value) if isinstance(value, list) else ()

    @property
    def context_window(self) -> dict[str, int]:
        """The user's own patterns for models, each with the size of the context window in tokens."""
        value = self._value("context_window")
        given = value.items() if isinstance(value, dict) else ()
        return {key: tokens for key, tokens in given if isinstance(tokens, int)}

    @property
    def instructions(self) -> str:
        """The user's own instructions."""
        return str(self._value("instructions") or "")
