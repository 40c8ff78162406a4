"""The page of a call with an html render plan: its content and its permissions.

A page's bytes and its data are untrusted. The page itself does not decide whether it may use the network: that depends
on the permissions of the installed version of its bundle.
"""

from collections.abc import Callable, Iterable

from engine.rendering.page import page_with_data
from engine.rendering.plans import HtmlPlan
from engine.tools.tool import Tool
from engine.views.chat import CallView
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Artifact", "artifact_of"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A page that must be shown in a sandbox."""

    content: bytes
    """The content of the page file."""
    data: JSON
    """The data of the page's call."""
    network: bool
    """Whether the page may reach https addresses."""

    @property
    def page(self) -> str:
        """The page as HTML with its data inside; built on request."""
        return page_with_data(self.content.decode("utf-8", "replace"), self.data, framed=True)


def artifact_of(
    call: CallView, plan: HtmlPlan, read: Callable[[str], bytes], tools: Iterable[Tool]
) -> Artifact:
    """Return the page of `call`; `read` returns the chat's bytes by their hash, `tools` contains the current tools.

    Raises:
        NotFound: the page's bytes are no longer stored.
        Unavailable: the bytes are damaged.
    """
    return Artifact(read(plan.artifact.sha256), plan.data, _granted(call, plan, tools))


def _granted(call: CallView, plan: HtmlPlan, tools: Iterable[Tool]) -> bool:
    """Return whether the page may use the network. A page that a tool wrote into the workspace may not use it, because
    the page is not part of a bundle that the user agreed to.
    """
    if plan.artifact.origin != "toolset":
        return False
    return any(
        tool.network and tool.tool_id == call.tool_id and tool.version == call.toolset_version
        for tool in tools
    )
