"""The page of a call with an html render plan: its content, and what it may access.

A page's bytes and its data are untrusted. The page itself does not decide whether it may use the network: that
depends on what its bundle was granted, in the version that is installed now.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.rendering.page import page_with_data
from engine.rendering.plans import HtmlPlan
from engine.tools.tool import Tool
from engine.views.chat import CallView
from events.canonical import JSON

__all__ = ["Artifact", "artifact_of"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A page to be shown in a sandbox, and nowhere else."""

    content: bytes
    """The content as it was written."""
    data: JSON
    """The data of its call."""
    network: bool
    """Whether it may reach https addresses."""

    @property
    def page(self) -> str:
        """HTML, with its data inside; built when it is requested."""
        return page_with_data(self.content.decode("utf-8", "replace"), self.data, framed=True)


def artifact_of(
    call: CallView, plan: HtmlPlan, read: Callable[[str], bytes], tools: Iterable[Tool]
) -> Artifact:
    """Return the page of `call`; `read` returns the chat's bytes by their hash, `tools` are the current ones.

    Raises:
        NotFound: its bytes are no longer kept.
        Unavailable: they are damaged.
    """
    return Artifact(read(plan.artifact.sha256), plan.data, _granted(call, plan, tools))


def _granted(call: CallView, plan: HtmlPlan, tools: Iterable[Tool]) -> bool:
    """A page that a tool wrote into the workspace is not part of a bundle that anyone agreed to:
    it gets no network.
    """
    if plan.artifact.origin != "toolset":
        return False
    return any(
        tool.network and tool.tool_id == call.tool_id and tool.version == call.toolset_version
        for tool in tools
    )
